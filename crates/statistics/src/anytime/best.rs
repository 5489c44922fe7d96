//! "This arm is the best": evidence over all pairs of K arms, under any adaptive allocation.
//!
//! Arm i is declared the best once the evidence against "i wins at most half of its decided units with j" has reached
//! K / delta for every other j, for each at a time of its own. If i is not a Condorcet winner, there is a j that it does
//! not beat; fix one such j for every such i. By Ville's inequality each of these at most K evidences ever reaches
//! K / delta with probability at most delta / K, so any wrong arm is ever declared with probability at most delta. No
//! winner need exist.
//!
//! One unit may compare many pairs, as when a user sees one list mixed from many rankers. Its outcomes depend on each
//! other, but the proof looks at each pair by itself and adds probabilities: it needs no independence between pairs. It
//! needs that each pair's outcomes come one after the other, with a probability of winning given everything before. The
//! outcomes of one unit must be counted for all pairs before the next choice.
//!
//! The opposite question has an answer too. If there is a Condorcet winner, the evidence that any other arm beats it
//! reaches K / delta with probability at most delta: [`BestArm::candidates`] are the arms that no other is known to beat.
//!
//! Two equal arms never stop this test. With a margin m the null hypothesis is a share of at most 1/2 - m, and the
//! declaration becomes "no worse than any other by more than m", with the same proof.

use super::{Crossing, EProcess, share_interval};
use crate::{Counts, Preference, StatisticsError};

/// The test for the best of several arms.
///
/// ```
/// use statistics::{Counts, anytime::BestArm};
///
/// let mut test = BestArm::new(3, 0.05)?;
/// test.record_counts(0, 1, Counts::new(900, 600, 0))?;
/// test.record_counts(0, 2, Counts::new(150, 60, 0))?;
/// assert_eq!(test.declared_arm(), Some(0));
/// assert!(test.confidence(0) > 0.95 && test.confidence(1) == 0.0);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct BestArm {
    arms: usize,
    delta: f64,
    evidence: EProcess,
    crossing: Crossing,
    /// Row i, column j: i against j.
    pairs: Vec<Pair>,
    /// For each arm, the opponents against which its evidence has not reached the threshold.
    open_opponents: Vec<u32>,
    declared_arm: Option<usize>,
}

/// The evidence for an arm against another.
#[derive(Debug, Clone, Copy)]
struct Pair {
    counts: Counts,
    /// The wins with which the evidence may reach the threshold; [`REACHED`] after it has.
    next_look: u64,
    /// ln E; not a number if outcomes were recorded since it was computed.
    ln_evidence: f64,
    /// The largest ln E at any look.
    largest: f64,
}

/// More wins than any pair has.
const REACHED: u64 = u64::MAX;

/// The least evidence of an arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArmEvidence {
    /// The arm.
    pub arm: usize,
    /// The opponent with the least evidence against it, if there is another arm.
    pub hardest: Option<usize>,
    /// ln of that evidence.
    pub ln_evidence: f64,
}

impl BestArm {
    /// For `arms` arms, at least one; any wrong arm is ever declared with probability at most `delta`, in (0, 1).
    ///
    /// # Errors
    /// If there are no arms, or `delta` is not in (0, 1).
    pub fn new(arms: usize, delta: f64) -> Result<Self, StatisticsError> {
        Self::with_margin(arms, delta, 0.0)
    }

    /// The same for "no worse than any other arm by more than `margin`", a share from 0 to below 1/2 of the decided
    /// units.
    ///
    /// # Errors
    /// If there are no arms, `delta` is not in (0, 1), or the margin is not in [0, 1/2).
    pub fn with_margin(arms: usize, delta: f64, margin: f64) -> Result<Self, StatisticsError> {
        crate::error::check_level(delta)?;
        if arms == 0 {
            return Err(StatisticsError::TooFew { what: "arms", found: 0, needed: 1 });
        }
        if !(0.0..0.5).contains(&margin) {
            return Err(StatisticsError::OutOfRange { what: "the margin", value: margin, range: "[0, 1/2)" });
        }
        let evidence = EProcess::against(0.5 - margin)?;
        let pair = Pair { counts: Counts::default(), next_look: Crossing::FIRST_LOOK, ln_evidence: 0.0, largest: 0.0 };
        let opponents = u32::try_from(arms - 1).expect("a table of all pairs has room");
        Ok(Self {
            arms,
            delta,
            evidence,
            crossing: Crossing::new(evidence, arms as f64 / delta),
            pairs: vec![pair; arms * arms],
            open_opponents: vec![opponents; arms],
            declared_arm: (arms == 1).then_some(0),
        })
    }

    /// The memory of a test of `arms` arms, in bytes.
    #[must_use]
    pub fn memory(arms: usize) -> u64 {
        let arms = arms as u64;
        arms.saturating_mul(arms).saturating_mul(size_of::<Pair>() as u64)
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.arms
    }

    /// Adds one outcome of the pair (`first`, `second`), seen from `first`, and looks. Takes constant time, but for few
    /// outcomes: it may be called for each of millions. An arm compared with itself does not count.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[inline]
    pub fn record(&mut self, first: usize, second: usize, outcome: Preference) -> Option<usize> {
        assert!(first < self.arms && second < self.arms, "{first}, {second} of {} arms", self.arms);
        if first == second {
            return self.declared_arm;
        }
        let (forward, backward) = (first * self.arms + second, second * self.arms + first);
        for (cell, outcome) in [(forward, outcome), (backward, outcome.swapped())] {
            self.pairs[cell].counts.record(outcome);
            self.pairs[cell].ln_evidence = f64::NAN;
        }
        // Only a win raises the evidence.
        let (winner, cell) = match outcome {
            Preference::First => (first, forward),
            Preference::Second => (second, backward),
            Preference::Tie => return self.declared_arm,
        };
        let Pair { counts, next_look: next, .. } = &mut self.pairs[cell];
        if self.crossing.is_reached(counts.wins, counts.losses, next) {
            self.declare_if_reached(winner, cell);
        }
        self.declared_arm
    }

    /// Notes that the evidence of `arm` in `cell` of its row has reached the threshold.
    #[cold]
    fn declare_if_reached(&mut self, arm: usize, cell: usize) {
        self.pairs[cell].next_look = REACHED;
        self.pairs[cell].largest = self.pairs[cell].largest.max(self.ln_evidence(cell));
        self.open_opponents[arm] -= 1;
        if self.open_opponents[arm] == 0 && self.declared_arm.is_none() {
            self.declared_arm = Some(arm);
        }
    }

    /// Adds outcomes of the pair (`first`, `second`), counted for `first`, and looks.
    ///
    /// # Errors
    /// If an arm does not exist, or both are the same.
    pub fn record_counts(&mut self, first: usize, second: usize, counts: Counts) -> Result<(), StatisticsError> {
        self.record_counts_without_looking(first, second, counts)?;
        self.look_at(first, second);
        self.look_at(second, first);
        Ok(())
    }

    /// Adds outcomes without looking: for many pairs before one [`look`](Self::look).
    ///
    /// # Errors
    /// As for [`record_counts`](Self::record_counts).
    pub fn record_counts_without_looking(
        &mut self,
        first: usize,
        second: usize,
        counts: Counts,
    ) -> Result<(), StatisticsError> {
        if first >= self.arms || second >= self.arms || first == second {
            return Err(StatisticsError::NoSuchPair { first, second, arms: self.arms });
        }
        for (cell, counts) in [(first * self.arms + second, counts), (second * self.arms + first, counts.swapped())] {
            self.pairs[cell].counts += counts;
            self.pairs[cell].ln_evidence = f64::NAN;
            self.pairs[cell].ln_evidence = self.ln_evidence(cell);
        }
        Ok(())
    }

    /// Looks at all counts: O(K^2). The first arm declared stays declared.
    pub fn look(&mut self) -> Option<usize> {
        for arm in 0..self.arms {
            for opponent in (0..self.arms).filter(|opponent| *opponent != arm) {
                self.look_at(arm, opponent);
            }
        }
        self.declared_arm
    }

    /// Looks at the evidence of `arm` against `opponent`.
    fn look_at(&mut self, arm: usize, opponent: usize) {
        let cell = arm * self.arms + opponent;
        let ln_evidence = self.ln_evidence(cell);
        let pair = &mut self.pairs[cell];
        pair.ln_evidence = ln_evidence;
        pair.largest = pair.largest.max(ln_evidence);
        if pair.next_look != REACHED && ln_evidence >= self.crossing.ln_threshold() {
            self.declare_if_reached(arm, cell);
        }
    }

    /// ln of the evidence in `cell` of the table.
    fn ln_evidence(&self, cell: usize) -> f64 {
        let Pair { counts: Counts { wins, losses, .. }, ln_evidence, .. } = self.pairs[cell];
        if ln_evidence.is_nan() { self.evidence.ln(wins, losses) } else { ln_evidence }
    }

    /// The arm declared, if any.
    #[must_use]
    pub fn declared_arm(&self) -> Option<usize> {
        self.declared_arm
    }

    /// The counts of a pair, for its first arm; empty for a pair that does not exist.
    #[must_use]
    pub fn counts(&self, first: usize, second: usize) -> Counts {
        let exists = first < self.arms && second < self.arms;
        if exists { self.pairs[first * self.arms + second].counts } else { Counts::default() }
    }

    /// The least evidence that `arm` has against any other arm; infinite for a single arm.
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn least_evidence(&self, arm: usize) -> ArmEvidence {
        self.evidence_above(arm, f64::NEG_INFINITY)
    }

    /// The same, or less if that falls below `threshold`.
    fn evidence_above(&self, arm: usize, threshold: f64) -> ArmEvidence {
        assert!(arm < self.arms, "arm {arm} of {}", self.arms);
        let mut evidence = ArmEvidence { arm, hardest: None, ln_evidence: f64::INFINITY };
        for opponent in (0..self.arms).filter(|opponent| *opponent != arm) {
            let ln_evidence = self.ln_evidence(arm * self.arms + opponent);
            if ln_evidence < evidence.ln_evidence {
                evidence = ArmEvidence { arm, hardest: Some(opponent), ln_evidence };
                if ln_evidence < threshold {
                    break;
                }
            }
        }
        evidence
    }

    /// The number of opponents that `arm` is known to beat (or, with a margin, to be no worse than by more than that).
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn beaten_opponents(&self, arm: usize) -> usize {
        self.arms - 1 - self.open_opponents[arm] as usize
    }

    /// The arm with the most evidence for being the best; of several that share it, the one with more opponents
    /// [beaten](Self::beaten_opponents), then the first.
    #[must_use]
    pub fn leader(&self) -> ArmEvidence {
        let mut best = self.least_evidence(0);
        for arm in 1..self.arms {
            let second = self.evidence_above(arm, best.ln_evidence);
            let is_ahead = || {
                second.ln_evidence == best.ln_evidence && self.beaten_opponents(arm) > self.beaten_opponents(best.arm)
            };
            if second.ln_evidence > best.ln_evidence || is_ahead() {
                best = second;
            }
        }
        best
    }

    /// The arms that no other is known to beat, by the counts now. If there is a Condorcet winner, it is among them with
    /// probability at least 1 - delta, at all looks together. A margin does not matter here.
    #[must_use]
    pub fn candidates(&self) -> Vec<usize> {
        let even_test = EProcess::against(0.5).expect("a half is a share");
        let threshold = self.crossing.ln_threshold();
        let is_beaten = |arm: usize| {
            let mut opponents = (0..self.arms).filter(|opponent| *opponent != arm);
            opponents.any(|opponent| {
                let Counts { wins, losses, .. } = self.pairs[opponent * self.arms + arm].counts;
                wins > losses && even_test.ln(wins, losses) >= threshold
            })
        };
        (0..self.arms).filter(|arm| !is_beaten(*arm)).collect()
    }

    /// The highest level 1 - delta, in [0, 1), at which `arm` was declared the best by the looks so far; 0 if at none.
    /// [`record`](Self::record) looks for the level of the test only: call [`look`](Self::look) before. This is a level of
    /// confidence, not the probability of a posterior.
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn confidence(&self, arm: usize) -> f64 {
        let row = self.pairs[arm * self.arms..(arm + 1) * self.arms].iter().enumerate();
        let smallest =
            row.filter(|(opponent, _)| *opponent != arm).map(|(_, pair)| pair.largest).fold(f64::INFINITY, f64::min);
        (1.0 - libm::exp(libm::log(self.arms as f64) - smallest)).max(0.0)
    }

    /// Whether `budget` more decided units of the leader and its hardest opponent cannot be expected to settle them:
    /// not even if the leader won the largest share among them that its confidence sequence allows.
    ///
    /// # Errors
    /// Never for a test that was made.
    pub fn is_futile(&self, budget: u64) -> Result<bool, StatisticsError> {
        let ArmEvidence { arm, hardest, .. } = self.leader();
        let Some(opponent) = hardest.filter(|_| self.declared_arm.is_none()) else { return Ok(false) };
        let counts = self.counts(arm, opponent);
        let (_, highest) = share_interval(counts, self.delta)?;
        let (wins, losses) =
            (counts.wins as f64 + highest * budget as f64, counts.losses as f64 + (1.0 - highest) * budget as f64);
        Ok(self.evidence.ln_real(wins, losses) < libm::log(self.arms as f64 / self.delta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_opponents_must_be_beaten() {
        let mut test = BestArm::new(3, 0.05).unwrap();
        test.record_counts(1, 0, Counts::new(500, 300, 7)).unwrap();
        assert_eq!(test.declared_arm(), None);
        assert_eq!(test.least_evidence(1), ArmEvidence { arm: 1, hardest: Some(2), ln_evidence: 0.0 });
        test.record_counts(2, 1, Counts::new(300, 500, 0)).unwrap();
        assert_eq!((test.declared_arm(), test.leader().arm), (Some(1), 1));
        assert_eq!(test.counts(1, 2), Counts::new(500, 300, 0));
        // A later defeat does not take the declaration back.
        test.record_counts(2, 1, Counts::new(900, 100, 0)).unwrap();
        assert_eq!(test.declared_arm(), Some(1));
        assert!(
            test.record_counts(1, 1, Counts::default()).is_err()
                && test.record_counts(0, 3, Counts::default()).is_err()
        );
    }

    /// A duel of two of five arms; the lower one wins four of seven decided units.
    fn unit(step: u64) -> (usize, usize, Preference) {
        let (first, second) = ((step % 5) as usize, (step / 5 % 5) as usize);
        let won = step.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & 7;
        let outcome = match won {
            0 => Preference::Tie,
            won if (won <= 4) == (first < second) => Preference::First,
            _ => Preference::Second,
        };
        (first, second, outcome)
    }

    #[test]
    fn one_by_one_is_the_same_as_looking_after_each() {
        let mut fast = BestArm::with_margin(5, 0.1, 0.01).unwrap();
        let mut slow = fast.clone();
        let mut declared = None;
        for step in 0..20_000 {
            let (first, second, outcome) = unit(step);
            let found = fast.record(first, second, outcome);
            if first != second {
                slow.record_counts(first, second, [outcome].into_iter().collect()).unwrap();
            }
            assert_eq!(found, slow.declared_arm(), "{step}");
            declared = declared.or(found.map(|arm| (arm, step)));
        }
        assert_eq!(declared.map(|(arm, _)| arm), Some(0));
        fast.look();
        for arm in 0..5 {
            assert_eq!(
                (fast.least_evidence(arm), fast.beaten_opponents(arm)),
                (slow.least_evidence(arm), slow.beaten_opponents(arm))
            );
        }
        assert_eq!((fast.leader().arm, fast.beaten_opponents(0)), (0, 4));
        assert!(fast.confidence(0) > 0.9 && fast.confidence(4) == 0.0);
    }

    #[test]
    fn each_opponent_is_settled_at_a_time_of_its_own() {
        let mut test = BestArm::new(3, 0.05).unwrap();
        test.record_counts(0, 1, Counts::new(300, 100, 0)).unwrap();
        // Bad luck afterwards: the evidence falls, but it was there.
        test.record_counts(0, 1, Counts::new(0, 150, 0)).unwrap();
        assert!(test.least_evidence(0).ln_evidence < 1.0);
        test.record_counts(0, 2, Counts::new(300, 100, 0)).unwrap();
        assert_eq!(test.declared_arm(), Some(0));
    }

    #[test]
    fn candidates_are_what_nobody_beats() {
        let mut test = BestArm::with_margin(4, 0.05, 0.1).unwrap();
        assert_eq!(test.candidates(), [0, 1, 2, 3]);
        test.record_counts(2, 0, Counts::new(300, 100, 0)).unwrap();
        // No worse than arm 3 by more than a tenth, which does not make that worse.
        test.record_counts(2, 3, Counts::new(5_000, 5_000, 0)).unwrap();
        assert_eq!((test.candidates(), test.beaten_opponents(2)), (vec![1, 2, 3], 2));
        assert_eq!(test.leader().arm, 2);
    }

    #[test]
    fn one_arm_is_the_best_and_equal_arms_need_a_margin() {
        assert_eq!(BestArm::new(1, 0.05).unwrap().declared_arm(), Some(0));
        let even = Counts::new(20_000, 20_000, 0);
        let mut strict = BestArm::new(2, 0.05).unwrap();
        strict.record_counts(0, 1, even).unwrap();
        assert_eq!(strict.declared_arm(), None);
        assert!(strict.is_futile(10_000).unwrap() && !strict.is_futile(100_000_000).unwrap());
        let mut tolerant = BestArm::with_margin(2, 0.05, 0.02).unwrap();
        tolerant.record_counts(0, 1, even).unwrap();
        assert_eq!(tolerant.declared_arm(), Some(0));
    }
}
