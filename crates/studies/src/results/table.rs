//! The table for the terminal, and the line below it about runs that settled.

use bandits::{ActionKind, RegretKind};
use output::numbers::{significant, uncertainty, with_separators};
use output::text_table::{Align, TextTable};
use simulation::runs::{RunResult, StudyPlan};

use super::{Arms, Presentation, SpreadKind, label, steps_per_second, summarise};

/// The table for the terminal: regret with its spread, the share of runs that recommend a best arm, and the arm that
/// most of them recommend.
#[must_use]
pub fn table(plan: &StudyPlan, results: &[Vec<RunResult>], arms: &Arms<'_>, look: &Presentation) -> TextTable {
    let kind = look.spread(plan.runs);
    let spread = match kind {
        SpreadKind::StandardError => "± s.e.",
        SpreadKind::StandardDeviation => "± sd",
        SpreadKind::Range => "min to max",
    };
    let columns = [
        Some(("algorithm", Align::Left)),
        Some(("regret", Align::Right)),
        (plan.runs > 1).then_some((spread, Align::Right)),
        Some(("correct", Align::Right)),
        look.speed.then_some(("steps/s", Align::Right)),
        Some(("recommends", Align::Left)),
    ];
    let mut table = TextTable::new(columns.into_iter().flatten());
    let names = arms.names.shortened();
    for ((summary, spec), runs) in summarise(plan, results, arms).iter().zip(&plan.algorithms).zip(results) {
        let regret = &summary.regret;
        // Where every arm is optimal, a regret of 0 means nothing.
        let or_dash = |text: String| if summary.measured.every_arm_is_optimal { "-".to_owned() } else { text };
        let spread = match kind {
            SpreadKind::StandardError => uncertainty(regret.mean, regret.standard_error),
            SpreadKind::StandardDeviation => uncertainty(regret.mean, regret.standard_deviation),
            SpreadKind::Range => format!("{} to {}", significant(regret.min), significant(regret.max)),
        };
        let most_recommended = &summary.recommended[0];
        let name = most_recommended.short_name(&names);
        let recommends = match most_recommended.runs {
            all if all == summary.runs => name,
            some => format!("{name}, {}/{}", with_separators(some as u64), with_separators(summary.runs as u64)),
        };
        let cells = [
            Some(label(spec)),
            Some(or_dash(significant(regret.mean))),
            (plan.runs > 1).then(|| or_dash(spread)),
            Some(
                summary
                    .share_recommending_best
                    .map_or_else(|| "-".to_owned(), |share| format!("{:.0}%", 100.0 * share)),
            ),
            look.speed.then(|| significant(steps_per_second(plan, runs))),
            Some(recommends),
        ];
        table.row(cells.into_iter().flatten());
    }
    table
}

/// A line about the runs that settled on one arm: their remaining steps are counted without being played. `None` if there
/// are none.
#[must_use]
pub fn settled_note(plan: &StudyPlan, results: &[Vec<RunResult>]) -> Option<String> {
    let of_algorithm = plan.algorithms.iter().zip(results).filter_map(|(spec, runs)| {
        let since: Vec<u64> = runs.iter().filter_map(|run| run.settled_step(plan.steps)).collect();
        let mean = since.iter().sum::<u64>().checked_div(since.len() as u64)?;
        let which = match since.len() {
            1 if runs.len() == 1 => String::new(),
            all if all == runs.len() => " on average".to_owned(),
            some => format!(" in {some} of {} runs", runs.len()),
        };
        Some(format!("{} at step {}{which}", label(spec), significant(mean as f64)))
    });
    let settled_algorithms: Vec<String> = of_algorithm.collect();
    (!settled_algorithms.is_empty()).then(|| {
        format!(
            "settled on one arm: {}; the steps after that are counted, not simulated",
            settled_algorithms.join(", ")
        )
    })
}

/// A line about the algorithms that compare sets of rankers by `multileave`, if most of their runs recommend another
/// ranker than the best by pairs: regret is counted from pairs, and the two ways to compare may disagree.
#[must_use]
pub fn distorted_note(
    plan: &StudyPlan,
    results: &[Vec<RunResult>],
    arms: &Arms<'_>,
    multileave: &str,
) -> Option<String> {
    let of_algorithm = plan.algorithms.iter().zip(results).filter_map(|(spec, runs)| {
        let wrong =
            |run: &&RunResult| run.final_recommendation().is_some_and(|arm| arms.is_best(Some(arm)) == Some(false));
        let wrong = runs.iter().filter(wrong).count();
        let sets = spec.action_kind() == ActionKind::Sets && arms.measured.kind != RegretKind::Ndcg;
        (sets && 2 * wrong > runs.len()).then(|| format!("{} in {wrong} of {}", label(spec), runs.len()))
    });
    let distorted_algorithms: Vec<String> = of_algorithm.collect();
    (!distorted_algorithms.is_empty()).then(|| {
        format!(
            "{} runs ended with another ranker than the winner: {multileave} multileaving compares many rankers together, \
             regret compares pairs, and the two can disagree (`{} distortion`)",
            distorted_algorithms.join(", "),
            output::program::name()
        )
    })
}
