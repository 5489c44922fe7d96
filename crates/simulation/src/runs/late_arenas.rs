//! Runs with answers that come late, in batches, or never.

use std::time::Instant;

use anyhow::{Context, Result};
use bandits::open::{OpenRun, OpenRunState};
use bandits::{Arena as _, Generators};
use output::progress::Progress;
use serde::{Deserialize, Serialize};

use super::evidence::EvidenceRecorder;
use super::{ArenaFactory, LateRunsInStep, PlayedArena, RunObserver, RunPlan, RunResult};
use crate::late_answers::LateAnswers;
use crate::seed::RunSeeds;
use crate::seed_text::{SeedSubject, seed_text};

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

/// Arenas with answers that come late, in batches, or never; without timing, the arenas themselves.
pub struct LateArenas<F> {
    /// The arenas.
    pub arenas: F,
    /// How late answers come.
    pub answers: LateAnswers,
    content: String,
}

impl<F: ArenaFactory> LateArenas<F> {
    /// `arenas` with answers that come late.
    #[must_use]
    pub fn new(arenas: F, late: LateAnswers) -> Self {
        let content = seed_text(SeedSubject::Late { arenas: arenas.content(), late: &late });
        Self { arenas, answers: late, content }
    }
}

impl<F: ArenaFactory> ArenaFactory for LateArenas<F> {
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

    fn runs_in_step(&self) -> usize {
        self.arenas.runs_in_step()
    }

    fn late(&self) -> Option<&LateAnswers> {
        Some(&self.answers).filter(|late| !late.is_none())
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
    let test = plan.evidence.map(|evidence| evidence.test(arenas.arms())).transpose()?;
    let state = |&run: &u64| {
        let seeds = RunSeeds { master: plan.seed, cell, run };
        let [policy, arena, coins, delays] =
            ["policy", "arena", "coins", "delays"].map(|purpose| seeds.stream(purpose));
        let generators = Generators { policy, arena, coins };
        let opened = plan.algorithm.open(arenas.arms(), Some(plan.steps), &generators);
        let policy = opened.with_context(|| format!("{} cannot be played", plan.algorithm))?;
        let arena = arenas.arena(&seeds);
        let evidence = plan.evidence.zip(test.clone());
        let evidence = evidence.map(|(plan_of, test)| Box::new(EvidenceRecorder::new(plan_of, test, plan.steps)));
        let observer = RunObserver::new(plan, arena.gaps(), evidence, progress).with_late_outcomes();
        let run = OpenRun::new(late.timing.clone(), delays);
        Ok(OpenRunState::new(policy, arena, generators.arena, observer, run))
    };
    let runs = numbers.iter().map(state).collect::<Result<Vec<_>>>()?;
    let mut played = LateRunsInStep { runs, steps: plan.steps };
    PlayedArena::play_late(&mut played);
    let seconds = start.elapsed().as_secs_f64() / played.runs.len().max(1) as f64;
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
            ..state.observer.finish(tally.asked, plan.steps, state.arena.gaps(), seconds)
        }
    };
    Ok(played.runs.into_iter().map(finish).collect())
}

#[cfg(test)]
mod tests {
    use bandits::{Arm, MatrixArena, PreferenceMatrix, problems};

    use super::super::evidence::{EvidencePlan, RunEvidence};
    use super::super::{CopiedArenas, play_runs};
    use super::*;

    fn late(delay: &str, batch: u64, lost: f64) -> LateAnswers {
        LateAnswers::new(Some(delay), Some(batch), Some(lost)).unwrap()
    }

    /// The loop with tickets is another than the usual one: with answers in time both give the same regrets.
    #[test]
    fn answers_in_time_are_the_usual_runs() {
        let arena = MatrixArena::new(problems::arithmetic(6).unwrap()).unwrap();
        let arenas = CopiedArenas { arena, content: "six".to_owned() };
        let watching = EvidencePlan { level: 0.9, margin: 0.05, stops: false, gives_up: false };
        let stopping = EvidencePlan { stops: true, gives_up: true, ..watching };
        let names = ["rucb", "mergerucb", "rmed1", "dts", "self-sparring", "mdb", "btm", "winner-stays-strong"];
        let mut ended = 0;
        for (name, evidence) in
            names.iter().flat_map(|name| [None, Some(watching), Some(stopping)].map(|of| (name, of)))
        {
            let spec = name.parse().unwrap();
            let plan = RunPlan {
                algorithm: &spec,
                steps: 4_000,
                seed: 1,
                checkpoints: &[10, 700, 4_000],
                count_suboptimal: true,
                evidence,
            };
            let cell = seed_text(SeedSubject::Run { arenas: "six", algorithm: &spec });
            let progress = Progress::hidden();
            let usual = play_runs(&arenas, &plan, &[3, 4], &progress).unwrap();
            let late = play_late(&arenas, &plan, (&cell, &[3, 4]), &LateAnswers::default(), &progress).unwrap();
            for (usual, late) in usual.iter().zip(&late) {
                assert_eq!((&usual.regret, &usual.recommended), (&late.regret, &late.recommended), "{name}");
                assert_eq!((&usual.suboptimal, usual.alone_since), (&late.suboptimal, late.alone_since), "{name}");
                assert_eq!(usual.evidence, late.evidence, "{name}");
                let stopped = |of: &RunEvidence| of.stated.is_some() || of.gave_up.is_some();
                ended += usize::from(usual.evidence.as_ref().is_some_and(stopped));
                let Answers { tickets, told, forgotten, open, waiting } = late.answers.unwrap();
                assert_eq!((told, forgotten, open, waiting), (tickets, 0, 0, 0), "{name}");
            }
        }
        assert!(ended > 0, "evidence ends some runs");
    }

    /// Evidence counts outcomes when they arrive: nothing is stated before the first does, a run that stops begins like
    /// one that does not, and equal arms are rarely distinguished, as with answers in time.
    #[test]
    fn evidence_of_late_answers() {
        let watching = EvidencePlan { level: 0.95, margin: 0.0, stops: false, gives_up: false };
        let played = |gaps: bool, name: &str, late: &LateAnswers, (steps, runs): (u64, u64), stops| {
            let matrix =
                if gaps { problems::arithmetic(4).unwrap() } else { PreferenceMatrix::new(4, vec![0.5; 16]).unwrap() };
            let gaps = if gaps { vec![0.0, 0.05, 0.1, 0.15] } else { vec![0.0; 4] };
            let arenas = CopiedArenas { arena: MatrixArena::with_gaps(matrix, gaps), content: "four".to_owned() };
            let spec = name.parse().unwrap();
            let checkpoints: Vec<u64> = (1..=10).map(|tenth| tenth * steps / 10).collect();
            let plan = RunPlan {
                algorithm: &spec,
                steps,
                seed: 5,
                checkpoints: &checkpoints,
                count_suboptimal: false,
                evidence: Some(EvidencePlan { stops, ..watching }),
            };
            let numbers: Vec<u64> = (0..runs).collect();
            let played =
                play_runs(&LateArenas::new(arenas, late.clone()), &plan, &numbers, &Progress::hidden()).unwrap();
            (checkpoints, played)
        };
        let fixed = late("3000", 1, 0.1);
        let size = (40_000, 3);
        let mut stated = 0;
        for name in ["rucb", "dts", "mdb"] {
            let (checkpoints, watched) = played(true, name, &fixed, size, false);
            let (_, stopped) = played(true, name, &fixed, size, true);
            for (watched, stopped) in watched.iter().zip(&stopped) {
                let (seen, evidence) = (watched.evidence.as_ref().unwrap(), stopped.evidence.as_ref().unwrap());
                assert_eq!(seen.stated, evidence.stated, "{name}");
                let Some((arm, step)) = evidence.stated else {
                    continue;
                };
                stated += 1;
                assert!(arm == Arm(0) && step > 3_000, "{name}: {step}");
                let before = checkpoints.partition_point(|&checkpoint| checkpoint <= step);
                assert_eq!(stopped.regret[..before], watched.regret[..before], "{name}");
                assert_eq!(
                    stopped.regret[before..].first(),
                    stopped.regret[before..].last(),
                    "{name}: the best arm alone"
                );
                let of_stopped = stopped.answers.unwrap();
                assert!(of_stopped.tickets <= watched.answers.unwrap().tickets, "{name}");
            }
        }
        assert!(stated > 0);
        for name in ["rucb", "dts", "mdb"] {
            let (_, runs) = played(false, name, &late("geometric:500", 1, 0.2), (3_000, 300), true);
            let stated = runs.iter().filter(|run| run.evidence.as_ref().unwrap().stated.is_some()).count();
            let allowed = 300.0 * 0.05 + 2.0 * (300.0 * 0.05_f64 * 0.95).sqrt();
            assert!(stated as f64 <= allowed, "{name}: {stated}");
        }
    }
}
