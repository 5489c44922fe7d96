//! The figure of an experiment.

use figures::{Panel, Panels};
use output::numbers::mean_of;
use simulation::description::synthetic_note;

use crate::experiment::config::{Bands, Experiment, Paper};
use crate::experiment::experiment_data::ExperimentData;
use crate::experiment::kinds;
use crate::experiment::series::Point;
use studies::results::palette;

/// The title: the figure and the paper, the subject, and whether data or scale differ from the paper's.
pub(crate) fn title(experiment: &Experiment, data: &ExperimentData, scale: f64) -> String {
    let paper = Paper::find(&experiment.paper).filter(|paper| paper.key != "own");
    let figure_label = [paper.map_or("", |paper| paper.name), &experiment.figure];
    let figure_label: Vec<&str> = figure_label.into_iter().filter(|part| !part.is_empty()).collect();
    let figure_label = if figure_label.is_empty() { String::new() } else { format!("{}: ", figure_label.join(", ")) };
    let lookalikes = data.settings.iter().filter(|info| info.source.lookalike).count();
    let data_remark = match lookalikes {
        0 => "",
        all if all == data.settings.len() => " (look-alike data)",
        _ => " (partly look-alike data)",
    };
    let scale = if scale < 1.0 { format!(" (scale {scale})") } else { String::new() };
    format!("{figure_label}{}{data_remark}{scale}", experiment.title)
}

/// The figure; none for experiments that are a table.
pub(crate) fn figure(experiment: &Experiment, data: &ExperimentData, scale: f64) -> Option<Panels> {
    let panels = kinds::kind_named(experiment.kind).panels(experiment, data);
    if panels.is_empty() {
        return None;
    }
    let subtitle = subtitle(experiment, data, &panels);
    Some(Panels {
        title: title(experiment, data, scale),
        subtitle,
        panels,
        one_scale: false,
        palette: palette(),
        note: lookalike_note(data),
    })
}

/// The number of runs behind means, and the meaning of bands or bars; none where nothing is random.
fn subtitle(experiment: &Experiment, data: &ExperimentData, panels: &[Panel]) -> Option<String> {
    let points = data.series.iter().flat_map(|series| &series.points);
    let max_runs = points.map(Point::runs).max().filter(|runs| *runs > 1)?;
    let spread = match experiment.draw.bands {
        Bands::StandardDeviation => Some("one standard deviation"),
        Bands::StandardError => Some("one standard error of the mean"),
        Bands::Range => Some("from the smallest to the largest"),
        Bands::Quantile => Some("from the 10th to the 90th percentile"),
        Bands::None => None,
    };
    let sample = kinds::kind_named(experiment.kind).sample();
    let mean = format!("{}{}", mean_of(max_runs as u64, sample.noun), sample.qualifier);
    let spread_mark = if panels.iter().any(|panel| panel.dots) { "bars" } else { "bands" };
    // Many curves have no bars: they would overlap.
    let spread = spread.filter(|_| panels.iter().any(Panel::shows_spread));
    Some(spread.map_or(mean.clone(), |spread| format!("{mean}; {spread_mark}: {spread}")))
}

/// The look-alikes that stand in for real data; none where all data are real.
pub(crate) fn lookalike_note(data: &ExperimentData) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for info in data.settings.iter().filter(|info| info.source.lookalike) {
        if !names.contains(&info.source.name.as_str()) {
            names.push(&info.source.name);
        }
    }
    (!names.is_empty()).then(|| synthetic_note(&names.join(",")))
}
