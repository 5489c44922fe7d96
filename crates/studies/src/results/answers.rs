//! What became of the answers, for runs with late answers.

use output::numbers::significant;
use serde::Serialize;
use simulation::runs::{Answers, RunResult, StudyPlan};

use super::label;

/// Means over runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanAnswers {
    /// Choices with something to learn from.
    pub tickets: f64,
    /// Answers that came.
    pub told: f64,
    /// Answers that never come.
    pub forgotten: f64,
    /// Answers under way at the end.
    pub open: f64,
    /// Answers that came, but waited in a queue at the end, unused.
    pub waiting: f64,
}

impl MeanAnswers {
    /// `None` unless the answers of every run came late.
    #[must_use]
    pub fn of(runs: &[RunResult]) -> Option<Self> {
        let run_answers: Vec<Answers> = runs.iter().map(|run| run.answers).collect::<Option<_>>()?;
        let mean =
            |of: fn(&Answers) -> u64| run_answers.iter().map(of).sum::<u64>() as f64 / run_answers.len().max(1) as f64;
        Some(Self {
            tickets: mean(|answers| answers.tickets),
            told: mean(|answers| answers.told),
            forgotten: mean(|answers| answers.forgotten),
            open: mean(|answers| answers.open),
            waiting: mean(|answers| answers.waiting),
        })
    }
}

/// A line about answers that come as `late` says: how many were still under way at the end, and which algorithms had not
/// used some that came.
#[must_use]
pub fn answers_note(plan: &StudyPlan, results: &[Vec<RunResult>], late: &str) -> String {
    let mean_answers = || {
        let of_algorithm = plan.algorithms.iter().zip(results);
        of_algorithm.filter_map(|(spec, runs)| Some((label(spec), MeanAnswers::of(runs)?)))
    };
    let names_with = |count_of: fn(&MeanAnswers) -> f64| {
        let nonzero =
            mean_answers().map(|(name, answers)| (name, count_of(&answers))).filter(|(_, count)| *count > 0.0);
        nonzero.map(|(name, count)| format!("{name} {}", significant(count))).collect::<Vec<_>>().join(", ")
    };
    let mut line = late.to_owned();
    for (state, names) in [
        ("under way at the end", names_with(|answers| answers.open)),
        ("came, but waited unused in queues at the end", names_with(|answers| answers.waiting)),
    ] {
        if !names.is_empty() {
            line += &format!("; {state}: {names}");
        }
    }
    line
}
