//! Explore, then exploit: after a fixed number of steps (the horizon) the recommended ranker is kept for good. How
//! often is it the best, and what regret did exploration cost?
//!
//! Anytime algorithms are read off one run at all horizons; algorithms that use the horizon run again for each
//! ([`Spec::runs_for`](bandits::registry::Spec::runs_for)): M. Zoghi, S. Whiteson, M. de Rijke, R.
//! Munos, "Relative Confidence Sampling for Efficient On-Line Ranker Evaluation", WSDM 2014,
//! <https://doi.org/10.1145/2556195.2556256>, section 6.2.

use anyhow::Result;
use bandits::registry::Spec;
use output::numbers::{deviation, significant, with_separators, with_unit};
use output::text_table::{Align, TextTable};
use simulation::runs::RunResult;

use super::exploration::{Exploration, HorizonSummary};
use super::figures::{accuracy_figure, regret_figure};
use crate::report::{Content, ReportFile};
use crate::results::{Arms, Caption, SampleSummary, Timings, label};

/// The runs of each algorithm at all horizons, from those `by_cell`: one list per plan of [`Exploration::plans`].
pub(super) fn runs_at_all_horizons(plan: &Exploration, by_cell: &[Vec<RunResult>]) -> Vec<Vec<RunResult>> {
    let mut remaining = by_cell;
    let mut results = Vec::new();
    for algorithm in 0..plan.algorithms.len() {
        let (of_algorithm, of_others) = remaining.split_at(plan.plans_of(algorithm).len());
        remaining = of_others;
        let mut runs = of_algorithm[0].clone();
        // Further horizons of the same runs.
        for results in &of_algorithm[1..] {
            // A shard has only some of the runs, and not the same ones for all horizons.
            for (run, result) in runs.iter_mut().zip(results) {
                run.regret.extend(&result.regret);
                run.recommended.extend(&result.recommended);
                run.seconds += result.seconds;
            }
        }
        results.push(runs);
    }
    results
}

/// Summarises each algorithm at each horizon.
pub(super) fn summarise(plan: &Exploration, results: &[Vec<RunResult>], arms: &Arms<'_>) -> Vec<HorizonSummary> {
    let summary_of = |spec: &Spec, runs: &[RunResult], horizon_index: usize, horizon: u64| {
        let count = runs.len() as f64;
        let accuracy = arms.share_of_best(runs.iter().map(|run| run.recommended[horizon_index]));
        let regrets: Vec<f64> = runs.iter().map(|run| arms.measured.of(&run.regret[horizon_index])).collect();
        HorizonSummary {
            algorithm: spec.canonical(),
            label: label(spec),
            horizon,
            runs: runs.len(),
            accuracy,
            accuracy_standard_error: accuracy.map(|share| (share * (1.0 - share) / count).sqrt()),
            regret: SampleSummary::of(&regrets),
            measured: arms.measured,
        }
    };
    let studied = plan.algorithms.iter().zip(results);
    studied
        .flat_map(|(spec, runs)| {
            plan.horizons
                .iter()
                .enumerate()
                .map(move |(horizon_index, &horizon)| summary_of(spec, runs, horizon_index, horizon))
        })
        .collect()
}

/// The files of the study: `horizons.csv`, `runs.csv`, `summary.json`, `timings.json`, and figures of accuracy and regret
/// against the horizon.
///
/// # Errors
/// If a table cannot be formatted.
pub(super) fn files(
    plan: &Exploration,
    results: &[Vec<RunResult>],
    arms: &Arms<'_>,
    caption: &Caption,
) -> Result<Vec<ReportFile>> {
    let file = |name: &str, content| ReportFile { name: name.to_owned(), content };
    let summary = summarise(plan, results, arms);
    Ok(vec![
        file("accuracy", Content::Lines(Box::new(accuracy_figure(plan, &summary, caption)))),
        file("regret", Content::Lines(Box::new(regret_figure(plan, &summary, caption)))),
        file("horizons.csv", Content::Table(horizons_csv(&summary)?)),
        file("runs.csv", Content::Table(runs_csv(plan, results, arms)?)),
        file("summary.json", Content::json(&summary)?),
        file("timings.json", timings(plan, results).content()?),
    ])
}

/// The content of `horizons.csv`: one row per algorithm and horizon.
///
/// # Errors
/// None in practice: every row is as long as the header.
pub(super) fn horizons_csv(summary: &[HorizonSummary]) -> Result<Vec<u8>> {
    let header = [
        "algorithm",
        "horizon",
        "runs",
        "accuracy",
        "accuracy_standard_error",
        "mean_regret",
        "standard_deviation",
        "standard_error",
        "min",
        "max",
        "label",
    ];
    let rows = summary.iter().map(|at| {
        let SampleSummary { mean, standard_deviation, standard_error, min, max } = at.regret;
        let mut row = vec![at.algorithm.clone(), at.horizon.to_string(), at.runs.to_string()];
        let accuracy = [at.accuracy, at.accuracy_standard_error];
        row.extend(accuracy.map(|value| value.map_or_else(String::new, |value| value.to_string())));
        row.extend([mean, standard_deviation, standard_error, min, max].map(|value| value.to_string()));
        row.push(at.label.clone());
        row
    });
    output::csv(&header, rows)
}

/// The content of `runs.csv`: one row per run and horizon.
///
/// # Errors
/// None in practice: every row is as long as the header.
pub(super) fn runs_csv(plan: &Exploration, results: &[Vec<RunResult>], arms: &Arms<'_>) -> Result<Vec<u8>> {
    let mut header = arms.header(["algorithm", "run", "horizon", "regret"]);
    header.push("label".to_owned());
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut rows = Vec::new();
    for (spec, runs) in plan.algorithms.iter().zip(results) {
        for (number, run) in runs.iter().enumerate() {
            for (horizon_index, horizon) in plan.horizons.iter().enumerate() {
                let regret = arms.measured.of(&run.regret[horizon_index]).to_string();
                let mut row = vec![spec.canonical(), number.to_string(), horizon.to_string(), regret];
                row.extend(arms.cells(run.recommended[horizon_index]));
                row.push(label(spec));
                rows.push(row);
            }
        }
    }
    output::csv(&header, rows)
}

/// All that is printed: the line `truth` about what regret is measured against, the table, and remarks; `late` says how
/// late answers come, if they do.
pub(super) fn report(
    plan: &Exploration,
    results: &[Vec<RunResult>],
    arms: &Arms<'_>,
    caption: &Caption,
    truth: &str,
    late: Option<&str>,
) -> String {
    let mut lines = vec![truth.to_owned(), table(plan, results, arms).to_string()];
    let runs = with_unit(plan.runs, "run");
    lines.push(format!("{runs}; accuracy: share of runs that recommend the best arm at the horizon"));
    lines.extend(late.map(str::to_owned));
    lines.push(format!("regret of exploration up to the horizon: {}", caption.regret));
    lines.extend(caption.note.clone());
    lines.join("\n")
}

fn timings(plan: &Exploration, results: &[Vec<RunResult>]) -> Timings {
    let steps = |spec: &Spec| -> u64 {
        let served = spec.runs_for(&plan.horizons);
        served.iter().filter_map(|horizons| horizons.last()).sum()
    };
    Timings::of(
        plan.algorithms.iter().zip(results).map(|(spec, runs)| (spec.canonical(), steps(spec), runs.as_slice())),
    )
}

/// The table for the terminal.
pub(super) fn table(plan: &Exploration, results: &[Vec<RunResult>], arms: &Arms<'_>) -> TextTable {
    let right_aligned = |name| (name, Align::Right);
    let mut table = TextTable::new([
        ("algorithm", Align::Left),
        right_aligned("horizon"),
        right_aligned("accuracy"),
        right_aligned("regret"),
        right_aligned("± s.e."),
    ]);
    let summary = summarise(plan, results, arms);
    for (spec, of_spec) in plan.algorithms.iter().zip(summary.chunks(plan.horizons.len().max(1))) {
        for (horizon_index, summary) in of_spec.iter().enumerate() {
            let or_dash = |text: String| if summary.measured.every_arm_is_optimal { "-".to_owned() } else { text };
            table.row([
                if horizon_index == 0 { label(spec) } else { String::new() },
                with_separators(summary.horizon),
                summary.accuracy.map_or_else(|| "-".to_owned(), |share| format!("{:.0}%", 100.0 * share)),
                or_dash(significant(summary.regret.mean)),
                or_dash(deviation(summary.regret.mean, summary.regret.standard_error, summary.runs)),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use bandits::{Arm, Generators, MatrixArena, explore_then_exploit, problems};
    use output::progress::Progress;
    use simulation::runs::{CopiedArenas, StudyPlan, play_cells};
    use simulation::seed;

    use super::*;
    use crate::results::RegretBasis;

    fn copies(arena: &MatrixArena) -> CopiedArenas<MatrixArena> {
        CopiedArenas { arena: arena.clone(), content: "copies".to_owned() }
    }

    fn explored(arena: &MatrixArena, plan: &Exploration) -> Vec<Vec<RunResult>> {
        let plans = plan.plans();
        let cells: Vec<_> = plans.iter().flat_map(StudyPlan::cells).collect();
        let by_cell = play_cells(&copies(arena), &cells, plan.runs, None, &Progress::hidden()).expect("it plays");
        runs_at_all_horizons(plan, &by_cell)
    }

    /// An algorithm that needs no horizon, and two that run again for each.
    fn plan() -> Exploration {
        let algorithms = ["rucb", "savage", "rmed2fh"].map(|name| name.parse().expect(name));
        Exploration { algorithms: algorithms.to_vec(), horizons: vec![50, 700, 4_000], runs: 4, seed: 9 }
    }

    #[test]
    fn it_is_what_the_library_says_run_by_run() {
        let arena = MatrixArena::new(problems::arithmetic(6).expect("six arms")).expect("arm 0");
        let plan = plan();
        let results = explored(&arena, &plan);
        assert_eq!(plan.total_steps(), 4 * (4_000 + 2 * 4_750));
        for (spec, runs) in plan.algorithms.iter().zip(&results) {
            assert_eq!(runs.len(), 4);
            for (number, run) in (0..).zip(runs) {
                let cell = format!("copies\n{}", spec.canonical());
                let generators = |_| {
                    let stream = |purpose: &str| seed::generator(9, &cell, number, purpose);
                    Generators { policy: stream("policy"), arena: stream("arena"), coins: stream("coins") }
                };
                let expected = explore_then_exploit(spec, &arena, &plan.horizons, generators).expect("six arms");
                for (place, one) in expected.iter().enumerate() {
                    assert_eq!((run.regret[place], run.recommended[place]), (one.regret, one.best), "{spec} {number}");
                }
            }
        }
    }

    #[test]
    fn shares_and_means_are_over_runs() {
        let arena = MatrixArena::new(problems::arithmetic(6).expect("six arms")).expect("arm 0");
        let plan = plan();
        let results = explored(&arena, &plan);
        let measured = RegretBasis::new(bandits::RegretKind::Condorcet, &[0.0, 0.1], None);
        let arms = Arms {
            winners: &[0],
            phases: &[],
            names: &simulation::arm_names::ArmNames::NUMBERS,
            measured,
            gaps: &[],
            multileave: None,
        };
        let summary = summarise(&plan, &results, &arms);
        assert_eq!(summary.len(), 9);
        assert_eq!((summary[2].horizon, summary[2].accuracy), (4_000, Some(1.0)));
        assert_eq!(summary[2].accuracy_standard_error, Some(0.0));
        let at_700 = &summary[1];
        let right = results[0].iter().filter(|run| run.recommended[1] == Some(Arm(0))).count();
        assert_eq!(at_700.accuracy, Some(right as f64 / 4.0));
        let mean = results[0].iter().map(|run| run.regret[1].average).sum::<f64>() / 4.0;
        assert!((at_700.regret.mean - mean).abs() < 1e-12);
        let table = table(&plan, &results, &arms).fitted(None);
        assert!(table.contains("4,000") && table.contains("100%"), "{table}");
    }
}
