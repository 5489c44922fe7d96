//! Live against proxy: the same bandits with simulated users and on the coin flips of a preference matrix of
//! the same data.
//!
//! In both arenas regret is measured against the ground truth of the live simulation, so a difference between the
//! curves shows what the matrix loses (comparisons that share queries and lists, estimation errors of p_ij), not two
//! definitions of regret. M. Zoghi et al. show such a pair of figures for their algorithm.
//!
//! ## References
//! M. Zoghi, S. Whiteson and M. de Rijke, "MergeRUCB: A Method for Large-Scale Online Ranker
//! Evaluation", WSDM 2015, figure 2, <https://doi.org/10.1145/2684822.2685290>.

use bandits::RegretKind;
use figures::{Curve, Lines};
use serde::Serialize;
use simulation::runs::{RunResult, StudyPlan};

use crate::results::{Caption, bands, curves, label, logs, palette, summary_at};

/// Mean regret live and on the proxy after some steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The algorithm with all its parameters.
    pub algorithm: String,
    /// The step at which regret is compared.
    pub step: u64,
    /// Mean cumulative regret live.
    pub live: f64,
    /// Its standard error; 0 for a single run.
    pub live_standard_error: f64,
    /// Mean cumulative regret on the proxy.
    pub proxy: f64,
    /// Its standard error; 0 for a single run.
    pub proxy_standard_error: f64,
    /// (proxy - live) / live; 0 if both are 0, `None` if only live is 0.
    pub relative: Option<f64>,
    /// Standard error of (proxy - live) divided by live regret; `None` if live regret is 0 and the error is not.
    pub relative_standard_error: Option<f64>,
    /// The algorithm as tables name it.
    pub label: String,
}

impl Difference {
    /// The columns of a table of differences, in the order of the fields.
    pub const HEADER: [&str; 9] = [
        "algorithm",
        "step",
        "live_regret",
        "live_standard_error",
        "proxy_regret",
        "proxy_standard_error",
        "relative_difference",
        "relative_standard_error",
        "label",
    ];

    fn at_checkpoint(
        plan: &StudyPlan,
        (algorithm, checkpoint): (usize, usize),
        [live, proxy]: [&[RunResult]; 2],
        kind: RegretKind,
    ) -> Self {
        let (live, proxy) = (summary_at(live, checkpoint, kind), summary_at(proxy, checkpoint, kind));
        let over_live = |value: f64| match (value == 0.0, live.mean == 0.0) {
            (true, _) => Some(0.0),
            (false, true) => None,
            (false, false) => Some(value / live.mean),
        };
        Self {
            algorithm: plan.algorithms[algorithm].canonical(),
            step: plan.checkpoints[checkpoint],
            live: live.mean,
            live_standard_error: live.standard_error,
            proxy: proxy.mean,
            proxy_standard_error: proxy.standard_error,
            relative: over_live(proxy.mean - live.mean),
            relative_standard_error: over_live(live.standard_error.hypot(proxy.standard_error)),
            label: label(&plan.algorithms[algorithm]),
        }
    }
}

/// The differences of all algorithms at all checkpoints in this kind of regret, ordered by algorithm.
pub(super) fn differences(
    plan: &StudyPlan,
    live: &[Vec<RunResult>],
    proxy: &[Vec<RunResult>],
    kind: RegretKind,
) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (algorithm, (live, proxy)) in live.iter().zip(proxy).enumerate() {
        differences.extend(
            (0..plan.checkpoints.len())
                .map(|checkpoint| Difference::at_checkpoint(plan, (algorithm, checkpoint), [live, proxy], kind)),
        );
    }
    differences
}

/// The difference that is relatively largest, of either sign, from step `first_step` on. Checkpoints without live regret
/// do not count.
pub(super) fn largest_relative(differences: &[Difference], first_step: u64) -> Option<&Difference> {
    let late_differences = differences.iter().filter(|difference| difference.step >= first_step);
    let size = |difference: &&Difference| difference.relative.map(f64::abs);
    late_differences
        .filter(|difference| difference.relative.is_some())
        .max_by(|a, b| size(a).unwrap_or_default().total_cmp(&size(b).unwrap_or_default()))
}

/// The colour of each algorithm in all figures, with whole lines live and dashed ones on the proxy. Empty if two of them have the
/// same colour, so that the palette finds others.
fn styles(plan: &StudyPlan) -> Vec<[usize; 2]> {
    // Figures have seven colours.
    const COLORS: usize = 7;
    let palette = palette();
    let color = |algorithm: String| {
        let family = algorithm.split([' ', ',', ':']).next()?.to_owned();
        palette.iter().position(|known| *known == family).map(|place| place % COLORS)
    };
    let colors: Option<Vec<usize>> = plan.algorithms.iter().map(|spec| color(label(spec))).collect();
    let colors = colors.filter(|all| all.iter().enumerate().all(|(at, one)| !all[..at].contains(one)));
    colors.unwrap_or_default().into_iter().flat_map(|color| [[color, 0], [color, 1]]).collect()
}

/// Both sets of curves in one plot: an algorithm has one colour, and its two curves differ by their dashes.
pub(super) fn figure(
    plan: &StudyPlan,
    live: &[Vec<RunResult>],
    proxy: &[Vec<RunResult>],
    kind: RegretKind,
    caption: &Caption,
) -> Lines {
    let curves_of = |what: &'static str, runs| {
        let curves = curves(plan, runs, kind, &caption.look).into_iter();
        curves.map(move |curve| Curve { name: format!("{}, {what}", curve.name), ..curve })
    };
    let styles = styles(plan);
    let curves: Vec<Curve> =
        curves_of("live", live).zip(curves_of("proxy", proxy)).flat_map(|(live, proxy)| [live, proxy]).collect();
    let [x_log, y_log] = logs(caption.look.axes, &curves);
    Lines {
        title: caption.title.clone(),
        subtitle: Some(bands(plan, &caption.look)),
        x_label: caption.x_label.clone(),
        y_label: format!("cumulative regret ({})", caption.regret),
        x_log,
        y_log,
        curves,
        styles,
        palette: palette(),
        note: caption.note.clone(),
    }
}

#[cfg(test)]
mod tests {
    use bandits::Regret;

    use super::*;

    fn run(regret: [f64; 2]) -> RunResult {
        let regret = regret.map(|average| Regret { average, ..Regret::default() }).to_vec();
        RunResult {
            regret,
            recommended: vec![None; 2],
            suboptimal: Vec::new(),
            alone_since: None,
            evidence: None,
            answers: None,
            seconds: 0.0,
        }
    }

    #[test]
    fn relative_to_live() {
        let plan = StudyPlan {
            algorithms: vec!["random".parse().unwrap(), "rucb".parse().unwrap()],
            steps: 10,
            runs: 2,
            seed: 1,
            checkpoints: vec![1, 10],
            evidence: None,
        };
        let live = [vec![run([0.0, 9.0]), run([0.0, 11.0])], vec![run([1.0, 4.0]), run([1.0, 4.0])]];
        let proxy = [vec![run([0.0, 12.0]), run([0.0, 12.0])], vec![run([3.0, 3.0]), run([3.0, 3.0])]];
        let all = differences(&plan, &live, &proxy, RegretKind::Condorcet);
        let relative: Vec<Option<f64>> = all.iter().map(|difference| difference.relative).collect();
        assert_eq!(relative, [0.0, 0.2, 2.0, -0.25].map(Some));
        // Two runs 1 off their mean: standard deviation sqrt(2), standard error 1, over 10.
        assert!(all[1].relative_standard_error.is_some_and(|error| (error - 0.1).abs() < 1e-12));
        assert_eq!(largest_relative(&all, 1), Some(&all[2]));
        assert_eq!(largest_relative(&all, 2), Some(&all[3]));
        assert_eq!(largest_relative(&all, 11), None);

        // Without live regret there is no relative difference, and no infinity.
        let live = [vec![run([0.0, 0.0]), run([0.0, 0.0])], live[1].clone()];
        let all = differences(&plan, &live, &proxy, RegretKind::Condorcet);
        assert_eq!((all[0].relative, all[1].relative, all[1].relative_standard_error), (Some(0.0), None, Some(0.0)));
        assert_eq!(largest_relative(&all, 1), Some(&all[2]));
    }

    #[test]
    fn without_live_regret_there_is_no_relative_difference() {
        let plan = StudyPlan {
            algorithms: vec!["random".parse().unwrap()],
            steps: 10,
            runs: 1,
            seed: 1,
            checkpoints: vec![1, 10],
            evidence: None,
        };
        let all = differences(&plan, &[vec![run([0.0, 2.0])]], &[vec![run([1.0, 1.0])]], RegretKind::Condorcet);
        assert_eq!((all[0].relative, all[0].relative_standard_error), (None, Some(0.0)));
        assert_eq!(all[1].relative, Some(-0.5));
        // A missing ratio is never the largest; it is null in JSON and empty in CSV.
        assert_eq!(largest_relative(&all, 1), Some(&all[1]));
        assert_eq!(largest_relative(&all[..1], 1), None);
        assert!(serde_json::to_string(&all[0]).unwrap().contains("\"relative\":null"));
    }
}
