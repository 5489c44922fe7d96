//! Evidence from a run's outcomes that an arm is the best, gathered while a policy plays.
//!
//! Every duel counts as it ended: a tie as a tie, before the coin that breaks it for the policy. A duel of an arm with
//! itself does not count. A set counts for each pair in it. Its outcomes depend on each other, but the evidence of each pair
//! is valid by itself, which is all that the proof needs ([`BestArm`]). Policies choose by earlier outcomes; that does
//! not hurt, because they choose before the next one. Every simulated impression is a user of its own, so impressions are
//! independent, and each is a unit.
//!
//! For sets, the outcome of a pair says which of two rankers won a list mixed from the set. That may differ from which one
//! wins lists of only the two, from which regret is counted (`rankduel distortion`).
//!
//! Outcomes that come late count when they arrive. That is as valid: a simulated delay does not depend on the outcome, and
//! the choices in the meantime depend only on outcomes that had arrived, so that an outcome, when it arrives, still
//! has the probability of its pair. (Of real users, who click late or not at all, this need not be true.)
//!
//! A run may *stop*: once an arm is stated to be the best, it is shown alone until the last step, and its gap is
//! counted. Until then, the run is the same as one that does not stop.
//!
//! # Inside
//!
//! `simulation::runs::evidence` feeds `statistics::anytime::BestArm` with the outcome of every duel and of every pair of a set, ties
//! as ties, before coins are tossed. `BestArm::record` computes evidence only when enough wins are there to reach the threshold,
//! so that a look after every outcome costs a comparison. A run stops by requesting a report immediately, after
//! which the loop checks whether to stop; the stated arm then plays alone to the horizon. Runs are seeded as without evidence, so
//! that they begin in the same way. The rule is part of the folder's key and of the key of kept runs; without a rule, both are
//! unchanged.
//!
//! Runs of two algorithms with the same number share no stream, so `rankduel significance` compares them as independent samples; only an
//! experiment's random sets of rankers are shared, and make pairs.

use bandits::{Arm, PairWins, Preference};
use serde::{Deserialize, Serialize};
use statistics::anytime::BestArm;

/// Which evidence is gathered, and whether runs stop by it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EvidencePlan {
    /// 1 minus the probability that a run ever states an arm that is not the best.
    pub level: f64,
    /// An arm is stated if it is no worse than the best by more than this: a share of the decided impressions.
    #[serde(skip_serializing_if = "is_zero")]
    pub margin: f64,
    /// Whether a run stops once an arm is stated.
    pub stops: bool,
    /// Whether a run also stops where its remaining steps cannot be expected to settle which arm is the best.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gives_up: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(margin: &f64) -> bool {
    *margin == 0.0
}

impl EvidencePlan {
    /// The test for `arms` arms.
    ///
    /// # Errors
    /// If the level or the margin is out of range.
    pub fn test(&self, arms: usize) -> anyhow::Result<BestArm> {
        Ok(BestArm::with_margin(arms, 1.0 - self.level, self.margin)?)
    }

    /// The part of the key of kept runs.
    pub(crate) fn key(&self) -> String {
        let Self { level, margin, stops, gives_up } = self;
        // Runs without either are what they were when the evidence for a margin and the interval of giving up changed.
        let revision = if *margin == 0.0 && !gives_up { 1 } else { 2 };
        format!("\nevidence {revision}: level {level}, margin {margin}, stops {stops}, gives up {gives_up}")
    }
}

/// The evidence of a run at its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEvidence {
    /// The first arm stated to be the best, and the step after which.
    pub stated: Option<(Arm, u64)>,
    /// The step after which the run gave up, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<u64>,
    /// The arm with the most evidence for being the best at the end, and the opponent against which it has least.
    pub leader: (Arm, Option<Arm>),
    /// The highest level at which the leader is stated to be the best by the outcomes of all steps played.
    pub confidence: f64,
    /// The arms that no other is known to beat.
    pub candidates: Vec<Arm>,
}

/// The evidence of a run while it is played.
pub(crate) struct EvidenceRecorder {
    plan: EvidencePlan,
    test: BestArm,
    steps: u64,
    stated: Option<(Arm, u64)>,
    gave_up: Option<u64>,
    /// The next step after which it may give up.
    next_look: u64,
}

/// Steps before the first look at whether to go on.
const FIRST_LOOK: u64 = 1_000;

impl EvidenceRecorder {
    /// For a run of `steps` steps.
    pub(crate) fn new(plan: EvidencePlan, test: BestArm, steps: u64) -> Self {
        let next_look = if plan.stops && plan.gives_up { FIRST_LOOK } else { u64::MAX };
        Self { plan, test, steps, stated: None, gave_up: None, next_look }
    }

    pub(crate) fn record_duel(&mut self, first: Arm, second: Arm, outcome: Preference) {
        self.test.record(first.index(), second.index(), outcome);
    }

    pub(crate) fn record_set(&mut self, arms: &[Arm], wins: &PairWins) {
        for (i, first) in arms.iter().enumerate() {
            for (j, second) in arms.iter().enumerate().skip(i + 1) {
                self.test.record(first.index(), second.index(), wins.preference(i, j));
            }
        }
    }

    /// After step `step`, when the outcomes known by then are recorded: whether the run stops here.
    pub(crate) fn stops_after(&mut self, step: u64) -> bool {
        if self.stated.is_none()
            && let Some(arm) = self.test.declared_arm()
        {
            self.stated = Some((Arm::at(arm), step));
        }
        if self.stated.is_none() && step >= self.next_look {
            // A tenth more steps from look to look.
            self.next_look = step + step / 10;
            if self.test.is_futile(self.steps - step.min(self.steps)).unwrap_or(false) {
                self.gave_up = Some(step);
            }
        }
        self.plan.stops && (self.stated.is_some() || self.gave_up.is_some())
    }

    /// The arm that is shown alone after a stop; `recommended` by the policy, if it recommends any.
    pub(crate) fn arm_after_stop(&self, recommended: Option<Arm>) -> Arm {
        let stated_arm = self.stated.map(|(arm, _)| arm);
        stated_arm.or(recommended).unwrap_or_else(|| Arm::at(self.test.leader().arm))
    }

    pub(crate) fn finish(mut self) -> RunEvidence {
        self.test.look();
        let leader = self.test.leader();
        RunEvidence {
            stated: self.stated,
            gave_up: self.gave_up,
            leader: (Arm::at(leader.arm), leader.hardest.map(Arm::at)),
            confidence: self.test.confidence(leader.arm),
            candidates: self.test.candidates().into_iter().map(Arm::at).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use bandits::{Arena, MatrixArena, Recorder, Regret, problems};
    use output::progress::Progress;

    use super::*;
    use crate::runs::{CopiedArenas, RunPlan, RunResult, play_runs};

    const CHECKPOINTS: [u64; 6] = [100, 1_000, 3_000, 10_000, 30_000, 100_000];

    fn arenas(arms: usize) -> CopiedArenas<MatrixArena> {
        let arena = MatrixArena::new(problems::arithmetic(arms).expect("a few arms")).expect("arm 0");
        CopiedArenas { arena, content: "evidence".to_owned() }
    }

    fn runs(name: &str, numbers: &[u64], evidence: Option<EvidencePlan>) -> Vec<RunResult> {
        let spec = name.parse().expect("a registered name");
        let plan = RunPlan {
            algorithm: &spec,
            steps: 100_000,
            seed: 3,
            checkpoints: &CHECKPOINTS,
            count_suboptimal: false,
            evidence,
        };
        play_runs(&arenas(6), &plan, numbers, &Progress::hidden()).expect("it plays")
    }

    const STOP: EvidencePlan = EvidencePlan { level: 0.95, margin: 0.0, stops: true, gives_up: false };

    #[test]
    fn a_run_that_stops_begins_like_one_that_does_not() {
        for name in ["rucb", "dts", "self-sparring", "mdb", "mergerucb"] {
            let without = runs(name, &[0, 1, 2], None);
            let watched = runs(name, &[0, 1, 2], Some(EvidencePlan { stops: false, ..STOP }));
            let stopped = runs(name, &[0, 1, 2], Some(STOP));
            for ((without, watched), stopped) in without.iter().zip(&watched).zip(&stopped) {
                assert_eq!(without.regret, watched.regret, "{name}: looking changes nothing");
                assert_eq!((without.evidence.is_none(), without.suboptimal.len()), (true, 0));
                let (seen, evidence) = (watched.evidence.as_ref().unwrap(), stopped.evidence.as_ref().unwrap());
                assert_eq!(seen.stated, evidence.stated, "{name}");
                let Some((arm, step)) = evidence.stated else {
                    assert_eq!(stopped.regret, without.regret, "{name}");
                    continue;
                };
                assert_eq!(arm, Arm(0), "{name}");
                let before = CHECKPOINTS.partition_point(|&checkpoint| checkpoint <= step);
                assert_eq!(stopped.regret[..before], without.regret[..before], "{name}");
                // Alone, the best arm costs nothing.
                for (regret, best) in stopped.regret[before..].iter().zip(&stopped.recommended[before..]) {
                    assert_eq!((regret, best), (stopped.regret.last().unwrap(), &Some(arm)), "{name}");
                }
                assert!(evidence.confidence >= 0.95 && evidence.candidates.contains(&arm), "{name}: {evidence:?}");
            }
        }
    }

    #[test]
    fn most_policies_that_duel_find_evidence_and_the_number_of_runs_at_a_time_does_not_matter() {
        let together = runs("rucb", &[0, 1, 2, 3], Some(STOP));
        assert!(together.iter().all(|run| run.evidence.as_ref().unwrap().stated.is_some()));
        for (number, run) in together.iter().enumerate() {
            let alone = &runs("rucb", &[number as u64], Some(STOP))[0];
            assert_eq!((&alone.regret, &alone.evidence), (&run.regret, &run.evidence));
        }
    }

    #[test]
    fn a_margin_states_sooner_and_equal_arms_are_given_up() {
        let step = |plan: EvidencePlan| {
            let runs = runs("rucb", &[0, 1, 2], Some(plan));
            runs.iter().map(|run| run.evidence.as_ref().unwrap().stated.map_or(100_000, |(_, step)| step)).sum::<u64>()
        };
        assert!(step(EvidencePlan { margin: 0.02, ..STOP }) < step(STOP));
        // Two arms that win half of their duels, against a third that always loses.
        let matrix = bandits::PreferenceMatrix::new(3, vec![0.5, 0.5, 1.0, 0.5, 0.5, 1.0, 0.0, 0.0, 0.5]).unwrap();
        let arena = MatrixArena::with_gaps(matrix, vec![0.0, 0.0, 0.5]);
        let arenas = CopiedArenas { arena, content: "equal".to_owned() };
        let spec = "rucb".parse().unwrap();
        let plan = |evidence| RunPlan {
            algorithm: &spec,
            steps: 50_000,
            seed: 3,
            checkpoints: &[50_000],
            count_suboptimal: false,
            evidence: Some(evidence),
        };
        let played = |evidence| play_runs(&arenas, &plan(evidence), &[0], &Progress::hidden()).unwrap().remove(0);
        let evidence = played(STOP).evidence.unwrap();
        assert_eq!((evidence.stated, evidence.gave_up), (None, None));
        assert_eq!(evidence.candidates, [Arm(0), Arm(1)]);
        let evidence = played(EvidencePlan { gives_up: true, ..STOP }).evidence.unwrap();
        assert!(evidence.gave_up.is_some_and(|step| step < 50_000), "{evidence:?}");
        let evidence = played(EvidencePlan { margin: 0.1, ..STOP }).evidence.unwrap();
        assert!(evidence.stated.is_some_and(|(arm, _)| arm != Arm(2)), "{evidence:?}");
    }

    #[test]
    fn what_is_stated_wrongly_costs_its_gap() {
        let arena = arenas(6).arena;
        let gap = arena.gaps()[2];
        let mut recorder = Recorder::new(vec![10, 100]).with_bests();
        let alone = bandits::Choice::Alone { arm: Arm(2), until: 100 };
        bandits::Observer::played(&mut recorder, 1, 100, alone, arena.gaps());
        assert_eq!(recorder.curve()[1], Regret { average: 100.0 * gap, weak: 100.0 * gap, strong: 100.0 * gap });
    }

    #[test]
    fn false_statements_are_rare_among_equal_arms() {
        // Four equal arms, three policies that adapt: at most 5% of runs ever state one, within two standard errors.
        let matrix = bandits::PreferenceMatrix::new(4, vec![0.5; 16]).unwrap();
        let arenas = CopiedArenas { arena: MatrixArena::with_gaps(matrix, vec![0.0; 4]), content: "null".to_owned() };
        for name in ["rucb", "dts", "mdb"] {
            let spec = name.parse().unwrap();
            let plan = RunPlan {
                algorithm: &spec,
                steps: 4_000,
                seed: 5,
                checkpoints: &[4_000],
                count_suboptimal: false,
                evidence: Some(STOP),
            };
            let numbers: Vec<u64> = (0..400).collect();
            let runs = play_runs(&arenas, &plan, &numbers, &Progress::hidden()).unwrap();
            let stated = runs.iter().filter(|run| run.evidence.as_ref().unwrap().stated.is_some()).count();
            let allowed = 400.0 * 0.05 + 2.0 * (400.0 * 0.05_f64 * 0.95).sqrt();
            assert!(stated as f64 <= allowed, "{name}: {stated}");
        }
    }
}
