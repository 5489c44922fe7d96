//! Panels of figures, from series.

use figures::{Curve, CurvePoint, Panel};
use studies::results::quantile;

use crate::experiment::config::{Arrangement, Bands, Experiment};
use crate::experiment::experiment_data::ExperimentData;
use crate::experiment::series::{Metric, Point, Series};

/// Makes panels of series, arranged by the file.
pub(crate) struct PanelBuilder<'a> {
    experiment: &'a Experiment,
    data: &'a ExperimentData,
    /// Points with a smaller x are left out.
    pub(crate) first_x: f64,
}

impl<'a> PanelBuilder<'a> {
    pub(crate) fn new(experiment: &'a Experiment, data: &'a ExperimentData) -> Self {
        Self { experiment, data, first_x: 0.0 }
    }

    /// The curves of `metric`: one panel per setting or one for all, with the labels and axes of
    /// `template`.
    pub(crate) fn panels(&self, metric: Metric, template: &Panel) -> Vec<Panel> {
        let mut panels: Vec<Panel> = Vec::new();
        let together = self.experiment.draw.panels == Arrangement::Together;
        for series in self.data.series.iter().filter(|series| series.metric == metric) {
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
        self.data.settings.iter().any(|info| info.source.lookalike && of_setting(&info.setting))
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
