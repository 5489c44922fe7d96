//! The curves of mean regret and their figure.

use bandits::RegretKind;
use figures::{Curve, CurvePoint, Lines};
use simulation::runs::{RunResult, StudyPlan};

use super::{Axes, Caption, Presentation, label, palette, summary_at};

/// What the curves and bands of [`curves`] show.
pub fn bands(plan: &StudyPlan, look: &Presentation) -> String {
    look.spread(plan.runs).bands(plan.runs)
}

/// One curve per algorithm: mean regret of this kind with a band of its spread over runs.
pub fn curves(plan: &StudyPlan, results: &[Vec<RunResult>], regret: RegretKind, look: &Presentation) -> Vec<Curve> {
    let kind = look.spread(plan.runs);
    let point = |runs: &[RunResult], index: usize, step: u64| {
        let spread = summary_at(runs, index, regret);
        let (low, high) = kind.band(&spread);
        CurvePoint { x: step as f64, mean: spread.mean, low, high }
    };
    let studied = plan.algorithms.iter().zip(results);
    let curve = studied.map(|(spec, runs)| {
        let steps = plan.checkpoints.iter().enumerate();
        Curve { name: label(spec), points: steps.map(|(index, &step)| point(runs, index, step)).collect() }
    });
    curve.collect()
}

/// Which axes are logarithmic. Without any regret above zero, a logarithmic axis would be empty, and regret is linear.
pub fn logs<'a>(axes: Axes, curves: impl IntoIterator<Item = &'a Curve>) -> [bool; 2] {
    let [x_log, y_log] = axes.logs();
    let mut points = curves.into_iter().flat_map(|curve| &curve.points);
    [x_log, y_log && points.any(|point| point.mean > 0.0)]
}

/// The figure of a study.
#[must_use]
pub(super) fn figure(plan: &StudyPlan, results: &[Vec<RunResult>], regret: RegretKind, caption: &Caption) -> Lines {
    let curves = curves(plan, results, regret, &caption.look);
    let [x_log, y_log] = logs(caption.look.axes, curves.iter());
    Lines {
        title: caption.title.clone(),
        subtitle: Some(bands(plan, &caption.look)),
        x_label: caption.x_label.clone(),
        y_label: format!("cumulative regret ({})", caption.regret),
        x_log,
        y_log,
        curves,
        palette: palette(),
        note: caption.note.clone(),
        ..Lines::default()
    }
}
