//! The results of live runs, `rankduel bandit` and `rankduel compare`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use bandits::RegretKind;
use figures::{Curve, CurvePoint, Panel, Panels};
use output::numbers::{mean_of, with_unit};
use output::usage::usage;
use output::{input, path_error};
use serde_json::Value;

use super::Request;
use super::table::Table;
use crate::experiment::config::{Bands, Scale};
use simulation::description::synthetic_note;
use studies::results::{
    KEPT_CURVES, KeptCurves, SampleSummary, label_of, named_caption, notes, own_name, palette, quantile,
};

/// A finished study, or the two of a comparison.
pub(super) struct Study {
    title: String,
    x_label: &'static str,
    y_label: String,
    note: Option<String>,
    /// Whether the axes of its own figure are logarithmic.
    log_axes: [bool; 2],
    pub(super) studies: Vec<StudyCurves>,
}

/// The curves of one study.
pub(super) struct StudyCurves {
    name: String,
    folder: PathBuf,
    /// `accuracy` and `regret` at horizons, of explore then exploit.
    is_at_horizons: bool,
    pub(super) curves: Vec<AlgorithmCurve>,
}

/// The curve of an algorithm.
pub(super) struct AlgorithmCurve {
    /// With all parameters.
    pub(super) algorithm: String,
    /// In legends.
    pub(super) name: String,
    pub(super) points: Vec<CheckpointPoint>,
}

/// A point of a curve.
pub(super) struct CheckpointPoint {
    pub(super) step: u64,
    runs: u64,
    pub(super) spread: SampleSummary,
    /// The share of runs that recommend the best, and its standard error.
    accuracy: Option<(f64, f64)>,
}

impl Study {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let config = read_json(&folder.join("config.json"))?;
        let summary = read_json(&folder.join("summary.json"))?;
        let studies = if folder.join("curves.csv").is_file() {
            vec![StudyCurves::read(folder, "", "curves.csv")?]
        } else if folder.join("horizons.csv").is_file() {
            vec![StudyCurves::read(folder, "", "horizons.csv")?]
        } else if folder.join("differences.csv").is_file() {
            let read_part = |name: &str| StudyCurves::read(&folder.join(name), name, "curves.csv");
            vec![read_part("live")?, read_part("proxy")?]
        } else {
            bail!(usage(format!(
                "{} has no curves; expected results of a live run, `{program} bandit`, `{program} compare` or `{program} experiment`",
                folder.display(),
                program = output::program::name()
            )));
        };
        let first_entry = summary.get(0).or_else(|| summary.pointer("/algorithms/0")).unwrap_or(&summary);
        let kind =
            [first_entry, &config].into_iter().find_map(|json| json.get("regret_kind").or_else(|| json.get("regret")));
        let kind = kind.and_then(Value::as_str).unwrap_or(RegretKind::Condorcet.name());
        let live = config.get("site").is_some();
        let synthetic = first_entry.get("synthetic").and_then(Value::as_bool).unwrap_or(false)
            || config.pointer("/site/dataset/synthetic").and_then(Value::as_bool).unwrap_or(false);
        let text = |at: &str| config.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
        let count = |at: &str| config.pointer(at).and_then(Value::as_array).map_or(0, Vec::len);
        let (title, synthetic) = if live {
            let (data, clicks) = (text("/site/dataset/name"), text("/site/click/model"));
            let names = config.pointer("/site/names").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let mut names: Vec<Option<&str>> = names.iter().map(Value::as_str).collect();
            names.resize(count("/site/rankers"), None);
            let title = format!("{} on {data}, {} clicks", named_caption(&names, "ranker"), own_name(&clicks));
            (title, synthetic.then(|| synthetic_note(&data)))
        } else {
            let name = text("/environment/name");
            let arms = config.pointer("/environment/arms").and_then(Value::as_u64).unwrap_or(0);
            let source = text("/environment/estimated_from/dataset");
            let note = synthetic.then(|| {
                format!("synthetic data: {name} was estimated on {source}, which is generated, not the real data set")
            });
            (format!("{} of {name}", with_unit(arms, "arm")), note)
        };
        let optimal = first_entry.get("every_arm_is_optimal").and_then(Value::as_bool).unwrap_or(false);
        let nothing = optimal.then(|| format!("every arm is optimal by {kind} regret, which measures nothing"));
        let first_study = &studies[0];
        Ok(Self {
            title,
            x_label: if live { "impressions" } else { "steps" },
            y_label: regret(kind),
            note: notes([nothing, synthetic]),
            log_axes: drawn_log_axes(folder, first_study),
            studies,
        })
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn note(&self) -> Option<String> {
        self.note.clone()
    }

    pub(super) fn figure(&self, request: &Request) -> Result<Panels> {
        let scale = |requested: Option<Scale>, default: bool| requested.map_or(default, |scale| scale == Scale::Log);
        let (x_log, y_log) = (scale(request.x, self.log_axes[0]), scale(request.y, self.log_axes[1]));
        let runs = self.studies[0].runs();
        // As in the study's own figure.
        let bands = request.bands.unwrap_or(if runs < 5 { Bands::Range } else { Bands::StandardError });
        let mut panels = Vec::new();
        for study in &self.studies {
            let x_label =
                if study.is_at_horizons { format!("horizon ({})", self.x_label) } else { self.x_label.to_owned() };
            let panel = Panel { name: study.name.clone(), x_label, x_log, y_log, ..Panel::default() };
            if study.is_at_horizons {
                let y_label = "share of runs that recommend the best".to_owned();
                panels.push(Panel { y_label, y_log: false, curves: study.accuracy(bands), ..panel.clone() });
            }
            panels.push(Panel { y_label: self.y_label.clone(), curves: study.curves_with_bands(bands)?, ..panel });
        }
        let spread_text = match bands {
            Bands::StandardError => Some("one standard error of the mean"),
            Bands::StandardDeviation => Some("one standard deviation of a run"),
            Bands::Range => Some("from the smallest to the largest run"),
            Bands::Quantile => Some("from the 10th to the 90th percentile of runs"),
            Bands::None => None,
        };
        let mean = mean_of(runs, "run");
        Ok(Panels {
            title: self.title.clone(),
            subtitle: Some(
                spread_text
                    .filter(|_| runs > 1)
                    .map_or(mean.clone(), |spread_text| format!("{mean}; bands: {spread_text}")),
            ),
            one_scale: self.studies.len() > 1,
            panels,
            palette: palette(),
            note: self.note.clone(),
        })
    }
}

impl StudyCurves {
    fn read(folder: &Path, name: &str, file: &str) -> Result<Self> {
        let path = folder.join(file);
        let bytes =
            input::read_file(&path, input::MAX_RESULT_BYTES).map_err(|error| path_error(error, "read", &path))?;
        let at_horizons = file == "horizons.csv";
        let curves =
            parse_curves(&bytes, at_horizons).with_context(|| format!("{} cannot be drawn", path.display()))?;
        ensure!(!curves.is_empty(), "{} has no curves", path.display());
        Ok(Self { name: name.to_owned(), folder: folder.to_owned(), is_at_horizons: at_horizons, curves })
    }

    fn runs(&self) -> u64 {
        self.curves.iter().flat_map(|curve| &curve.points).map(|at| at.runs).max().unwrap_or(1)
    }

    fn curves_with_bands(&self, bands: Bands) -> Result<Vec<Curve>> {
        let kept_curves = if bands == Bands::Quantile { Some(self.kept_curves()?) } else { None };
        let points_of_each = self.curves.iter().map(|curve| {
            let points = curve.points.iter().map(|line| {
                let SampleSummary { mean, standard_error, standard_deviation, min, max } = line.spread;
                // No run is below the smallest, which may exceed the mean by a rounding error.
                let around = |error: f64| ((mean - error).max(min.min(mean)), mean + error);
                let (low, high) = match (bands, &kept_curves) {
                    (Bands::StandardError, _) => around(standard_error),
                    (Bands::StandardDeviation, _) => around(standard_deviation),
                    (Bands::Range, _) => (min, max),
                    (Bands::Quantile, Some((kept_curves, path))) => {
                        let values = kept_curves.values(&curve.algorithm, line.step);
                        let values = values.filter(|values| values.len() as u64 == line.runs).with_context(|| {
                            format!(
                                "{} does not have all runs of {} at step {}; run the command again with --keep-curves",
                                path.display(),
                                curve.name,
                                line.step
                            )
                        })?;
                        (quantile(&values, 0.1), quantile(&values, 0.9))
                    }
                    (Bands::Quantile | Bands::None, _) => (mean, mean),
                };
                Ok(CurvePoint { x: line.step as f64, mean, low, high })
            });
            Ok(Curve { name: curve.name.clone(), points: points.collect::<Result<_>>()? })
        });
        points_of_each.collect()
    }

    /// The curves of all runs, and where they are.
    fn kept_curves(&self) -> Result<(KeptCurves, PathBuf)> {
        let path = self.folder.join(KEPT_CURVES);
        ensure!(
            path.is_file(),
            usage(format!(
                "quantile bands need the curves of all runs, but {} has no {KEPT_CURVES}; run its command again with \
                 --keep-curves (kept runs are not played again), or choose se, sd, range or none",
                self.folder.display()
            ))
        );
        Ok((KeptCurves::read(&path)?, path))
    }

    fn accuracy(&self, bands: Bands) -> Vec<Curve> {
        let point = |at: &CheckpointPoint| {
            let (share, error) = at.accuracy?;
            let error = if bands == Bands::None { 0.0 } else { error };
            let (low, high) = ((share - error).max(0.0), (share + error).min(1.0));
            Some(CurvePoint { x: at.step as f64, mean: share, low, high })
        };
        let curve = |curve: &AlgorithmCurve| Curve {
            name: curve.name.clone(),
            points: curve.points.iter().filter_map(point).collect(),
        };
        self.curves.iter().map(curve).collect()
    }
}

/// The label of an axis of regret of the kind called `name`.
fn regret(name: &str) -> String {
    match RegretKind::ALL.into_iter().find(|kind| kind.name() == name) {
        Some(RegretKind::Weak) => "cumulative weak regret".to_owned(),
        Some(RegretKind::Strong) => "cumulative strong regret".to_owned(),
        Some(RegretKind::Copeland) => "cumulative Copeland regret".to_owned(),
        Some(RegretKind::Borda) => "cumulative Borda regret".to_owned(),
        Some(RegretKind::VonNeumann) => "cumulative von Neumann regret".to_owned(),
        Some(RegretKind::Ndcg) => "cumulative loss of nDCG@10".to_owned(),
        Some(RegretKind::Condorcet) | None => "cumulative regret".to_owned(),
    }
}

pub(super) fn read_json(path: &Path) -> Result<Value> {
    let bytes = input::read_file(path, input::MAX_RESULT_BYTES).map_err(|error| path_error(error, "read", path))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged; run its command again", path.display()))
}

/// Whether the axes of the study's own figure are logarithmic, by the metadata of the figure.
fn drawn_log_axes(folder: &Path, study: &StudyCurves) -> [bool; 2] {
    let files = ["regret.svg", "compare.svg"].into_iter().map(|name| folder.join(name));
    let log_axes = files.into_iter().find_map(|path| {
        let svg = input::read_file_text(&path, input::MAX_RESULT_BYTES).ok()?;
        let plots: Value = serde_json::from_str(&figures::metadata(&svg)?).ok()?;
        let log = |axis: &str| plots.pointer(&format!("/0/{axis}/log"))?.as_bool();
        Some([log("x")?, log("y")?])
    });
    log_axes.unwrap_or([true, study.is_at_horizons])
}

/// The curves in the bytes of `curves.csv` or `horizons.csv`.
fn parse_curves(bytes: &[u8], at_horizons: bool) -> Result<Vec<AlgorithmCurve>> {
    let mut table = Table::open(bytes)?;
    let step = if at_horizons { "horizon" } else { "step" };
    let columns = ["algorithm", step, "runs", "mean_regret", "standard_deviation", "standard_error", "min", "max"];
    let [algorithm, step, runs, mean, deviation, error, min, max] = columns.map(|name| table.column(name));
    let (algorithm, step, runs) = (algorithm?, step?, runs?);
    let spread = [mean?, deviation?, error?, min?, max?];
    let accuracy =
        if at_horizons { Some((table.column("accuracy")?, table.column("accuracy_standard_error")?)) } else { None };
    let mut curves: Vec<AlgorithmCurve> = Vec::new();
    while let Some(row) = table.next()? {
        let finite = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
        let number = |column: usize| row.value(column, "a number", finite);
        let whole_number = |column: usize| row.value(column, "a whole number", |text| text.parse::<u64>().ok());
        let [mean, standard_deviation, standard_error, min, max] = spread.map(&number);
        let spread = SampleSummary {
            mean: mean?,
            standard_deviation: standard_deviation?,
            standard_error: standard_error?,
            min: min?,
            max: max?,
        };
        // Empty where every arm is optimal.
        let accuracy = accuracy.and_then(|(share, error)| Some((number(share).ok()?, number(error).ok()?)));
        let point = CheckpointPoint { step: whole_number(step)?, runs: whole_number(runs)?, spread, accuracy };
        let (name, line) = (row.cell(algorithm), row.line);
        match curves.last_mut().filter(|curve| curve.algorithm == name) {
            Some(curve) => {
                ensure!(
                    curve.points.last().is_none_or(|last| last.step <= point.step),
                    "line {line}: step {} comes after a larger one; run its command again",
                    point.step
                );
                curve.points.push(point);
            }
            None => {
                curves.push(AlgorithmCurve { algorithm: name.to_owned(), name: label_of(name), points: vec![point] })
            }
        }
    }
    Ok(curves)
}
