//! The figures of exploration: accuracy and regret by horizon.

use figures::{Curve, CurvePoint, Lines};
use output::numbers::{mean_of, with_unit};

use super::exploration::{Exploration, HorizonSummary};
use crate::results::{Caption, SampleSummary, label, palette};

/// One curve per algorithm through the (low, mean, high) that `point` computes for each horizon, if it can.
fn curves(
    plan: &Exploration,
    summary: &[HorizonSummary],
    point: impl Fn(&HorizonSummary) -> Option<(f64, f64, f64)>,
) -> Vec<Curve> {
    let curve_point = |summary: &HorizonSummary| {
        let (low, mean, high) = point(summary)?;
        Some(CurvePoint { x: summary.horizon as f64, mean, low, high })
    };
    let algorithms_and_summaries = plan.algorithms.iter().zip(summary.chunks(plan.horizons.len().max(1)));
    algorithms_and_summaries
        .map(|(spec, of_spec)| Curve { name: label(spec), points: of_spec.iter().filter_map(curve_point).collect() })
        .collect()
}

/// A description of curves and, with several runs, of their bands.
fn with_bands(curves: String, plan: &Exploration, band: &str) -> String {
    if plan.runs == 1 { curves } else { format!("{curves}; bands: one standard error of the {band}") }
}

/// How often the best arm is recommended, by horizon.
pub(super) fn accuracy_figure(plan: &Exploration, summary: &[HorizonSummary], caption: &Caption) -> Lines {
    Lines {
        title: caption.title.clone(),
        subtitle: Some(with_bands(with_unit(plan.runs, "run"), plan, "share")),
        x_label: format!("horizon ({})", caption.x_label),
        y_label: "accuracy (share of runs that recommend the best arm)".to_owned(),
        x_log: true,
        y_log: false,
        curves: curves(plan, summary, |at| {
            let (share, error) = at.accuracy.zip(at.accuracy_standard_error)?;
            Some(((share - error).max(0.0), share, (share + error).min(1.0)))
        }),
        palette: palette(),
        note: caption.note.clone(),
        ..Lines::default()
    }
}

/// What exploration costs, by horizon.
pub(super) fn regret_figure(plan: &Exploration, summary: &[HorizonSummary], caption: &Caption) -> Lines {
    Lines {
        title: caption.title.clone(),
        subtitle: Some(with_bands(mean_of(plan.runs, "run"), plan, "mean")),
        x_label: format!("horizon ({})", caption.x_label),
        y_label: format!("regret of exploration ({})", caption.regret),
        x_log: true,
        y_log: true,
        curves: curves(plan, summary, |at| {
            let SampleSummary { mean, standard_error, .. } = at.regret;
            Some((mean - standard_error, mean, mean + standard_error))
        }),
        palette: palette(),
        note: caption.note.clone(),
        ..Lines::default()
    }
}
