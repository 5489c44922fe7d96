//! Runs whose answers come late, in batches, or never.

use std::time::Instant;

use anyhow::{Context, Result};
use bandits::open::{OpenRun, OpenRunState, play_open_in_step};
use bandits::{Arena, Generators};
use output::progress::Progress;
use serde::{Deserialize, Serialize};

use super::{ArenaFactory, RunObserver, RunPlan, RunResult};
use crate::late_answers::LateAnswers;
use crate::seed::RunSeeds;
use crate::seed_text::{Seeded, seed_text};

/// What became of the tickets of a run: answered, forgotten, or open at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// Choices with something to learn from.
    pub tickets: u64,
    /// Answers that came.
    pub told: u64,
    /// Answers that never come.
    pub forgotten: u64,
    /// Answers that were under way at the end.
    pub open: u64,
    /// Answers that came, but waited in a queue at the end, unused.
    pub waiting: u64,
}

/// Arenas whose answers come late, in batches, or never: the arenas themselves if not.
pub struct Late<F> {
    /// The arenas.
    pub arenas: F,
    /// How late answers come.
    pub late: LateAnswers,
    content: String,
}

impl<F: ArenaFactory> Late<F> {
    /// `arenas` with answers that come late.
    #[must_use]
    pub fn new(arenas: F, late: LateAnswers) -> Self {
        let content = seed_text(Seeded::Late { arenas: arenas.content(), late: &late });
        Self { arenas, late, content }
    }
}

impl<F: ArenaFactory> ArenaFactory for Late<F> {
    type Arena<'a>
        = F::Arena<'a>
    where
        Self: 'a;

    fn arms(&self) -> usize {
        self.arenas.arms()
    }

    fn content(&self) -> &str {
        &self.content
    }

    fn in_step(&self) -> usize {
        self.arenas.in_step()
    }

    fn late(&self) -> Option<&LateAnswers> {
        Some(&self.late).filter(|late| !late.is_none())
    }

    fn arena(&self, seeds: &RunSeeds<'_>) -> Self::Arena<'_> {
        self.arenas.arena(seeds)
    }
}

/// Plays the runs with these numbers of the cell with this text, side by side.
///
/// # Errors
/// If the algorithm does not accept this number of arms.
pub(super) fn play_late<A: ArenaFactory>(
    arenas: &A,
    plan: &RunPlan<'_>,
    (cell, numbers): (&str, &[u64]),
    late: &LateAnswers,
    progress: &Progress,
) -> Result<Vec<RunResult>> {
    let start = Instant::now();
    let state = |&run: &u64| {
        let seeds = RunSeeds { master: plan.seed, cell, run };
        let [policy, arena, coins, delays] =
            ["policy", "arena", "coins", "delays"].map(|purpose| seeds.stream(purpose));
        let generators = Generators { policy, arena, coins };
        let opened = plan.algorithm.open(arenas.arms(), plan.steps, &generators);
        let policy = opened.with_context(|| format!("{} cannot be played", plan.algorithm))?;
        let arena = arenas.arena(&seeds);
        let observer = RunObserver::new(plan, arena.gaps(), None, progress);
        let run = OpenRun::new(late.lateness.clone(), delays);
        Ok(OpenRunState::new(policy, arena, generators.arena, observer, run))
    };
    let mut states = numbers.iter().map(state).collect::<Result<Vec<_>>>()?;
    play_open_in_step(&mut states, plan.steps);
    let seconds = start.elapsed().as_secs_f64() / states.len().max(1) as f64;
    let finish = |state: OpenRunState<A::Arena<'_>, RunObserver<'_>>| {
        let tally = state.policy.tally();
        let answers = Answers {
            tickets: tally.tickets,
            told: tally.told,
            forgotten: tally.forgotten,
            open: tally.open,
            waiting: tally.waiting,
        };
        RunResult {
            answers: Some(answers),
            ..state.observer.finish(plan.steps, plan.steps, state.arena.gaps(), seconds)
        }
    };
    Ok(states.into_iter().map(finish).collect())
}

#[cfg(test)]
mod tests {
    use bandits::{MatrixArena, problems};

    use super::super::{CopiedArenas, play_runs};
    use super::*;

    /// The loop with tickets is another than the usual one: with answers in time both give the same regrets.
    #[test]
    fn answers_in_time_are_the_usual_runs() {
        let arena = MatrixArena::new(problems::arithmetic(6).unwrap()).unwrap();
        let arenas = CopiedArenas { arena, content: "six".to_owned() };
        for name in ["rucb", "mergerucb", "rmed1", "dts", "self-sparring", "mdb", "btm", "winner-stays-strong"] {
            let spec = name.parse().unwrap();
            let plan = RunPlan {
                algorithm: &spec,
                steps: 4_000,
                seed: 1,
                checkpoints: &[10, 700, 4_000],
                count_suboptimal: true,
                evidence: None,
            };
            let cell = seed_text(Seeded::Run { arenas: "six", algorithm: &spec });
            let progress = Progress::hidden();
            let usual = play_runs(&arenas, &plan, &[3, 4], &progress).unwrap();
            let late = play_late(&arenas, &plan, (&cell, &[3, 4]), &LateAnswers::default(), &progress).unwrap();
            for (usual, late) in usual.iter().zip(&late) {
                assert_eq!((&usual.regret, &usual.recommended), (&late.regret, &late.recommended), "{name}");
                assert_eq!((&usual.suboptimal, usual.alone_since), (&late.suboptimal, late.alone_since), "{name}");
                let Answers { tickets, told, forgotten, open, waiting } = late.answers.unwrap();
                assert_eq!((told, forgotten, open, waiting), (tickets, 0, 0, 0), "{name}");
            }
        }
    }
}
