//! The figure of an experiment.

use crate::experiment::config::{Arrangement, Bands, Experiment, Kind, PAPERS, Scale};
use crate::experiment::measured::Measured;
use crate::experiment::series::{Point, Series};
use crate::figure::{Curve, CurvePoint, Panel, Panels};
use crate::output::numbers::mean_of;

/// The headline: whose figure, what it shows, and whether data or size are not the paper's.
pub(crate) fn title(experiment: &Experiment, measured: &Measured, scale: f64) -> String {
    let paper = PAPERS.iter().find(|(key, ..)| *key == experiment.paper && *key != "own");
    let place = [paper.map_or("", |(_, name, _)| name), &experiment.figure];
    let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
    let place = if place.is_empty() { String::new() } else { format!("{}: ", place.join(", ")) };
    let lookalikes = measured.settings.iter().filter(|info| info.source.lookalike).count();
    let data = match lookalikes {
        0 => "",
        all if all == measured.settings.len() => " (look-alike data)",
        _ => " (in part look-alike data)",
    };
    let scale = if scale < 1.0 { format!(" (scale {scale})") } else { String::new() };
    format!("{place}{}{data}{scale}", experiment.title)
}

/// The figure; none of experiments that are a table.
pub(crate) fn figure(experiment: &Experiment, measured: &Measured, scale: f64) -> Option<Panels> {
    let panels = panels(experiment, measured);
    if panels.is_empty() {
        return None;
    }
    let most = measured.series.iter().flat_map(|series| &series.points).map(|point| point.values.len()).max();
    let what = match experiment.draw.bands {
        Bands::StandardDeviation => "one standard deviation",
        Bands::StandardError => "one standard error",
    };
    let dotted = panels.iter().any(|panel| panel.dots);
    let drawn = if dotted { "bars" } else { "bands" };
    let runs = most.filter(|runs| *runs > 1).map(|runs| {
        let runs = mean_of(runs as u64, if experiment.kind == Kind::Distortion { "set" } else { "run" });
        let of = if experiment.kind == Kind::Distortion { " of rankers" } else { "" };
        format!("{runs}{of}; {drawn}: {what}")
    });
    let lookalikes: Vec<&str> = {
        let mut names: Vec<&str> = Vec::new();
        for info in measured.settings.iter().filter(|info| info.source.lookalike) {
            if !names.contains(&info.source.name.as_str()) {
                names.push(&info.source.name);
            }
        }
        names
    };
    let note = (!lookalikes.is_empty())
        .then(|| format!("synthetic data: {} generated, not the real data sets", lookalikes.join(", ")));
    Some(Panels { title: title(experiment, measured, scale), subtitle: runs, panels, one_scale: false, note })
}

fn panels(experiment: &Experiment, measured: &Measured) -> Vec<Panel> {
    let draw = &experiment.draw;
    let log = |axis: Option<Scale>, default: bool| axis.map_or(default, |axis| axis == Scale::Log);
    let of = |metric: &str, plan: &Panel| of_metric(experiment, measured, metric, plan);
    match experiment.kind {
        Kind::Regret => {
            let plan = Panel {
                x_label: "steps".to_owned(),
                y_label: "cumulative regret".to_owned(),
                x_log: log(draw.x, true),
                y_log: log(draw.y, false),
                ..Panel::default()
            };
            let mut panels = of("regret", &plan);
            if draw.suboptimal {
                let y_label = "share of steps that compare others than the best".to_owned();
                panels.extend(of("suboptimal", &Panel { y_label, y_log: false, ..plan }));
            }
            panels
        }
        Kind::RegretAgainstRankers => of(
            "regret",
            &Panel {
                x_label: "rankers".to_owned(),
                y_label: "cumulative regret at the end".to_owned(),
                x_log: log(draw.x, false),
                y_log: log(draw.y, false),
                dots: true,
                ..Panel::default()
            },
        ),
        Kind::Accuracy => {
            let plan = Panel {
                x_label: "horizon (steps)".to_owned(),
                y_label: "share of runs that name the best".to_owned(),
                x_log: log(draw.x, true),
                dots: true,
                ..Panel::default()
            };
            // The deviation of a share of right and wrong says nothing that the share does not.
            let mut panels = of("accuracy", &plan);
            for curve in panels.iter_mut().flat_map(|panel| &mut panel.curves) {
                for point in &mut curve.points {
                    (point.low, point.high) = (point.mean, point.mean);
                }
            }
            let y_label = "cumulative regret".to_owned();
            panels.extend(of("regret", &Panel { y_label, y_log: log(draw.y, true), ..plan }));
            panels
        }
        Kind::Structure => {
            let plan = Panel {
                x_label: "rankers drawn".to_owned(),
                y_label: "probability".to_owned(),
                x_log: log(draw.x, false),
                y_log: log(draw.y, false),
                ..Panel::default()
            };
            let mut panels = of("probability", &plan);
            let x_label = "rankers".to_owned();
            let y_label = "gamma of relaxed stochastic transitivity".to_owned();
            panels.extend(of("gamma", &Panel { x_label, y_label, dots: true, ..plan }));
            panels
        }
        Kind::Distortion => of(
            "distortion",
            &Panel {
                x_label: "rankers multileaved".to_owned(),
                y_label: "distortion: % that seem to beat the best".to_owned(),
                x_log: log(draw.x, true),
                dots: true,
                ..Panel::default()
            },
        ),
        Kind::Datasets => Vec::new(),
    }
}

/// A panel a setting, or one for all, with the curves of `metric`.
fn of_metric(experiment: &Experiment, measured: &Measured, metric: &str, plan: &Panel) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    // On an axis of ten millions the first steps would take most of the room and tell nothing.
    let last = measured.series.iter().flat_map(|series| &series.points).map(|point| point.x).fold(0.0, f64::max);
    let from = if experiment.kind == Kind::Regret && plan.x_log { last / 1e4 } else { 0.0 };
    let together = experiment.draw.panels == Arrangement::Together;
    for series in measured.series.iter().filter(|series| series.metric == metric) {
        let lookalike = measured.settings.iter().any(|info| {
            info.source.lookalike && (info.setting == series.setting || series.setting == family_of(&info.setting))
        });
        let name = match (together, lookalike) {
            (true, _) => String::new(),
            (false, true) => format!("{} (look-alike)", series.setting),
            (false, false) => series.setting.clone(),
        };
        let curve_name = if together { format!("{}, {}", series.curve, series.setting) } else { series.curve.clone() };
        let curve = Curve {
            name: curve_name,
            points: series
                .points
                .iter()
                .filter(|point| point.x >= from)
                .map(|point| drawn(point, series, experiment.draw.bands))
                .collect(),
        };
        match panels.iter_mut().find(|panel| panel.name == name) {
            Some(panel) => panel.curves.push(curve),
            None => panels.push(Panel { name, curves: vec![curve], ..plan.clone() }),
        }
    }
    panels
}

/// What a setting of several click models, or a set of several sizes, is called in the file.
fn family_of(setting: &str) -> &str {
    setting.rsplit_once(", ").map_or(setting, |(family, _)| family)
}

fn drawn(point: &Point, series: &Series, bands: Bands) -> CurvePoint {
    let spread = point.spread();
    let reach = match bands {
        Bands::StandardDeviation => spread.standard_deviation,
        Bands::StandardError => spread.standard_error,
    };
    // No run was below the least, nor can a share of steps be.
    let low = (spread.mean - reach).max(spread.min.min(spread.mean));
    let high = spread.mean + reach;
    let high = match series.metric {
        "suboptimal" => high.min(1.0),
        "distortion" => high.min(100.0),
        _ => high,
    };
    CurvePoint { x: point.x, mean: spread.mean, low, high: high.max(low) }
}
