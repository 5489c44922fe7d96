//! The figure of an experiment.

use figures::{Curve, CurvePoint, Panel, Panels};
use output::numbers::mean_of;
use simulation::description::synthetic_note;

use crate::experiment::config::{Arrangement, Bands, Experiment, Paper};
use crate::experiment::kinds;
use crate::experiment::measured::ExperimentData;
use crate::experiment::series::{Metric, Point, Series};
use studies::results::{palette, quantile};

/// The title: which figure of which paper, what it shows, and whether data or scale differ from the
/// paper's.
pub(crate) fn title(experiment: &Experiment, measured: &ExperimentData, scale: f64) -> String {
    let paper = Paper::find(&experiment.paper).filter(|paper| paper.key != "own");
    let place = [paper.map_or("", |paper| paper.name), &experiment.figure];
    let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
    let place = if place.is_empty() { String::new() } else { format!("{}: ", place.join(", ")) };
    let lookalikes = measured.settings.iter().filter(|info| info.source.lookalike).count();
    let data = match lookalikes {
        0 => "",
        all if all == measured.settings.len() => " (look-alike data)",
        _ => " (partly look-alike data)",
    };
    let scale = if scale < 1.0 { format!(" (scale {scale})") } else { String::new() };
    format!("{place}{}{data}{scale}", experiment.title)
}

/// The figure; none for experiments that are a table.
pub(crate) fn figure(experiment: &Experiment, measured: &ExperimentData, scale: f64) -> Option<Panels> {
    let panels = kinds::of(experiment.kind).panels(experiment, measured);
    if panels.is_empty() {
        return None;
    }
    let subtitle = subtitle(experiment, measured, &panels);
    Some(Panels {
        title: title(experiment, measured, scale),
        subtitle,
        panels,
        one_scale: false,
        palette: palette(),
        note: lookalike_note(measured),
    })
}

/// How many runs means are over, and what bands or bars show; none where nothing is random.
fn subtitle(experiment: &Experiment, measured: &ExperimentData, panels: &[Panel]) -> Option<String> {
    let points = measured.series.iter().flat_map(|series| &series.points);
    let most = points.map(Point::runs).max().filter(|runs| *runs > 1)?;
    let spread = match experiment.draw.bands {
        Bands::StandardDeviation => Some("one standard deviation"),
        Bands::StandardError => Some("one standard error of the mean"),
        Bands::Range => Some("from the smallest to the largest"),
        Bands::Quantile => Some("from the 10th to the 90th percentile"),
        Bands::None => None,
    };
    let sample = kinds::of(experiment.kind).sample();
    let mean = format!("{}{}", mean_of(most as u64, sample.noun), sample.of);
    let drawn = if panels.iter().any(|panel| panel.dots) { "bars" } else { "bands" };
    // Many curves have no bars: they would overlap.
    let spread = spread.filter(|_| panels.iter().any(Panel::shows_spread));
    Some(spread.map_or(mean.clone(), |spread| format!("{mean}; {drawn}: {spread}")))
}

/// The look-alikes that stand in for real data; none where all data are real.
pub(crate) fn lookalike_note(measured: &ExperimentData) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for info in measured.settings.iter().filter(|info| info.source.lookalike) {
        if !names.contains(&info.source.name.as_str()) {
            names.push(&info.source.name);
        }
    }
    (!names.is_empty()).then(|| synthetic_note(&names.join(",")))
}

/// Makes panels of series, arranged as the file says.
pub(crate) struct PanelBuilder<'a> {
    experiment: &'a Experiment,
    measured: &'a ExperimentData,
    /// Points with a smaller x are left out.
    pub(crate) first_x: f64,
}

impl<'a> PanelBuilder<'a> {
    pub(crate) fn new(experiment: &'a Experiment, measured: &'a ExperimentData) -> Self {
        Self { experiment, measured, first_x: 0.0 }
    }

    /// The curves of `metric`: one panel per setting or one for all, with the labels and axes of
    /// `template`.
    pub(crate) fn panels(&self, metric: Metric, template: &Panel) -> Vec<Panel> {
        let mut panels: Vec<Panel> = Vec::new();
        let together = self.experiment.draw.panels == Arrangement::Together;
        for series in self.measured.series.iter().filter(|series| series.metric == metric) {
            let name = match (together, self.is_lookalike(&series.setting)) {
                (true, _) => String::new(),
                (false, true) => format!("{} (look-alike)", series.setting),
                (false, false) => series.setting.clone(),
            };
            let curve = self.curve(series, together);
            match panels.iter_mut().find(|panel| panel.name == name) {
                Some(panel) => panel.curves.push(curve),
                None => panels.push(Panel { name, curves: vec![curve], ..template.clone() }),
            }
        }
        panels
    }

    fn is_lookalike(&self, setting: &str) -> bool {
        let of_setting = |name: &str| name == setting || setting == family_of(name);
        self.measured.settings.iter().any(|info| info.source.lookalike && of_setting(&info.setting))
    }

    fn curve(&self, series: &Series, together: bool) -> Curve {
        let name = if together { format!("{}, {}", series.curve, series.setting) } else { series.curve.clone() };
        let points = series.points.iter().filter(|point| point.x >= self.first_x);
        let points = points.map(|point| curve_point(point, series.metric, self.experiment.draw.bands)).collect();
        Curve { name, points }
    }
}

/// The name in the file of a setting with several click models or sizes of sets.
fn family_of(setting: &str) -> &str {
    setting.rsplit_once(", ").map_or(setting, |(family, _)| family)
}

fn curve_point(point: &Point, metric: Metric, bands: Bands) -> CurvePoint {
    let spread = point.spread();
    let from_to = |(low, high): (f64, f64)| CurvePoint { x: point.x, mean: spread.mean, low, high };
    let reach = match bands {
        Bands::StandardDeviation => spread.standard_deviation,
        Bands::StandardError => spread.standard_error,
        Bands::Range => return from_to((spread.min, spread.max)),
        Bands::Quantile => return from_to((quantile(&point.values, 0.1), quantile(&point.values, 0.9))),
        Bands::None => 0.0,
    };
    // No run is below the smallest, and no value can exceed the metric's maximum.
    let low = (spread.mean - reach).max(spread.min.min(spread.mean));
    let high = (spread.mean + reach).min(metric.max());
    CurvePoint { x: point.x, mean: spread.mean, low, high: high.max(low) }
}
