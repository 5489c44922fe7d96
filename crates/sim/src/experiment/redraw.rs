//! The figure of finished results, drawn again from the numbers in their folder.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use figures::Panels;
use output::input;
use output::usage::usage;
use serde::Deserialize;

use crate::experiment::config::{Bands, Draw, Experiment, KindName};
use crate::experiment::experiment_data::ExperimentData;
use crate::experiment::report::figure;
use crate::experiment::report::folder::Summary;
use crate::experiment::series::{self, Series};

/// Larger files are not an experiment's.
const MOST_BYTES: u64 = 256 << 20;

/// The drawing entries of `experiment.toml` in a folder of results.
#[derive(Debug, Deserialize)]
struct ResolvedDrawing {
    title: String,
    kind: KindName,
    #[serde(default)]
    draw: Draw,
}

/// Finished results of an experiment.
pub(crate) struct FinishedExperiment {
    /// The drawing options of its file.
    pub draw: Draw,
    /// The measurements.
    pub series: Vec<Series>,
    experiment: [String; 3],
    kind: KindName,
    summary: Summary,
}

impl FinishedExperiment {
    /// Reads the folder `results`.
    ///
    /// # Errors
    /// One line if a file is missing or damaged, or the experiment has no figure.
    pub(crate) fn read(results: &Path) -> Result<Self> {
        let path = results.join("experiment.toml");
        let text =
            input::read_file_text(&path, MOST_BYTES).map_err(|error| output::path_error(error, "read", &path))?;
        let damaged = || format!("{} is damaged; run the experiment again", path.display());
        let resolved: ResolvedDrawing = toml::from_str(&text).with_context(damaged)?;
        let path = results.join("summary.json");
        let bytes = input::read_file(&path, MOST_BYTES).map_err(|error| output::path_error(error, "read", &path))?;
        let damaged = || format!("{} is damaged; run the experiment again", path.display());
        let summary: Summary = serde_json::from_slice(&bytes).with_context(damaged)?;
        let series = series::read(&results.join("curves.csv"), &results.join("runs.csv"))?;
        let experiment = [resolved.title, summary.paper.clone(), summary.figure.clone()];
        Ok(Self { draw: resolved.draw, series, experiment, kind: resolved.kind, summary })
    }

    /// Whether regret is over random sets of rankers of several sizes.
    #[must_use]
    pub(crate) fn is_against_rankers(&self) -> bool {
        self.kind == KindName::RegretAgainstRankers
    }

    /// The note about look-alikes, if there are any.
    #[must_use]
    pub(crate) fn note(&self) -> Option<String> {
        figure::lookalike_note(&self.experiment_data())
    }

    /// The title.
    #[must_use]
    pub(crate) fn title(&self) -> &str {
        &self.summary.title
    }

    /// The figure, drawn by `draw`.
    ///
    /// # Errors
    /// If the experiment is a table, or bands need runs that are not in the folder.
    pub(crate) fn figure(&self, draw: Draw) -> Result<Panels> {
        let complete = |series: &Series| series.points.iter().all(|point| point.values.len() == point.runs());
        ensure!(
            draw.bands != Bands::Quantile || self.series.iter().all(complete),
            usage(
                "quantile bands need every run at every point, which results of experiments have for curves of up to 16 \
                 points; choose se, sd, range or none"
            )
        );
        let experiment = Experiment::to_draw(self.kind, self.experiment.clone(), draw);
        let figure = figure::figure(&experiment, &self.experiment_data(), self.summary.scale);
        figure.with_context(|| usage(format!("{:?} is a table and has no figure", self.summary.title)))
    }

    fn experiment_data(&self) -> ExperimentData {
        let Summary { settings, table, .. } = self.summary.clone();
        ExperimentData { series: self.series.clone(), settings, table, ..ExperimentData::default() }
    }
}
