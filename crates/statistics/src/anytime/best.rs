//! "This arm is the best": evidence over all pairs of K arms, under any adaptive allocation.
//!
//! Arm i is declared the best once the evidence against "i wins at most half of its decided units with j" reaches
//! K / delta for every other j. If i is not a Condorcet winner, there is a j that it does not beat; fix one such j for
//! every such i. By Ville's inequality each of these at most K evidences ever reaches K / delta with probability at most
//! delta / K, so any wrong arm is ever declared with probability at most delta. No winner need exist.
//!
//! Two equal arms never stop this test. With a margin m the null hypothesis is a share of at most 1/2 - m, and the
//! declaration becomes "no worse than any other by more than m", with the same proof.

use super::{EProcess, Prior};
use crate::{Counts, StatisticsError};

/// The test for the best of several arms.
///
/// ```
/// use statistics::{Counts, anytime::BestArm};
///
/// let mut test = BestArm::new(3, 0.05)?;
/// test.add(0, 1, Counts::new(900, 600, 0))?;
/// test.add(0, 2, Counts::new(150, 60, 0))?;
/// assert_eq!(test.declared(), Some(0));
/// assert!(test.confidence(0) > 0.95 && test.confidence(1) == 0.0);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct BestArm {
    arms: usize,
    delta: f64,
    evidence: EProcess,
    /// Row i, column j: how i fared against j.
    counts: Vec<Counts>,
    /// Row i, column j: the evidence against "i wins at most half against j".
    ln_evidence: Vec<f64>,
    declared: Option<usize>,
    /// The largest min_j ln E_ij of each arm at any look.
    largest: Vec<f64>,
}

/// How an arm stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
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
        let evidence = EProcess::with_prior(0.5 - margin, Prior::default())?;
        let mut test = Self {
            arms,
            delta,
            evidence,
            counts: vec![Counts::default(); arms * arms],
            ln_evidence: vec![0.0; arms * arms],
            declared: None,
            largest: vec![0.0; arms],
        };
        test.look();
        Ok(test)
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.arms
    }

    /// Adds outcomes of the pair (`first`, `second`), counted for `first`, and looks.
    ///
    /// # Errors
    /// If an arm does not exist, or both are the same.
    pub fn add(&mut self, first: usize, second: usize, counts: Counts) -> Result<(), StatisticsError> {
        self.add_without_looking(first, second, counts)?;
        self.look();
        Ok(())
    }

    /// Adds outcomes without looking: for many pairs before one [`look`](Self::look).
    ///
    /// # Errors
    /// As for [`add`](Self::add).
    pub fn add_without_looking(&mut self, first: usize, second: usize, counts: Counts) -> Result<(), StatisticsError> {
        if first >= self.arms || second >= self.arms || first == second {
            return Err(StatisticsError::NoSuchPair { first, second, arms: self.arms });
        }
        for (i, j, counts) in [(first, second, counts), (second, first, counts.reversed())] {
            let place = i * self.arms + j;
            self.counts[place] += counts;
            let Counts { wins, losses, .. } = self.counts[place];
            self.ln_evidence[place] = self.evidence.ln(wins, losses);
        }
        Ok(())
    }

    /// Looks at the counts: O(K^2). The first arm declared stays declared.
    pub fn look(&mut self) -> Option<usize> {
        let threshold = libm::log(self.arms as f64 / self.delta);
        for arm in 0..self.arms {
            let Standing { ln_evidence, .. } = self.standing(arm);
            self.largest[arm] = self.largest[arm].max(ln_evidence);
            if self.declared.is_none() && ln_evidence >= threshold {
                self.declared = Some(arm);
            }
        }
        self.declared
    }

    /// The arm declared, if any.
    #[must_use]
    pub fn declared(&self) -> Option<usize> {
        self.declared
    }

    /// The counts of a pair, for its first arm; empty for a pair that does not exist.
    #[must_use]
    pub fn counts(&self, first: usize, second: usize) -> Counts {
        let exists = first < self.arms && second < self.arms;
        if exists { self.counts[first * self.arms + second] } else { Counts::default() }
    }

    /// The least evidence that `arm` has against any other arm; infinite for a single arm.
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn standing(&self, arm: usize) -> Standing {
        let row = &self.ln_evidence[arm * self.arms..(arm + 1) * self.arms];
        let mut standing = Standing { arm, hardest: None, ln_evidence: f64::INFINITY };
        for (other, &ln_evidence) in row.iter().enumerate().filter(|(other, _)| *other != arm) {
            if ln_evidence < standing.ln_evidence {
                standing = Standing { arm, hardest: Some(other), ln_evidence };
            }
        }
        standing
    }

    /// The arm with the most evidence for being the best; the first of them if several share it.
    #[must_use]
    pub fn leader(&self) -> Standing {
        let better = |best: Standing, next: Standing| if next.ln_evidence > best.ln_evidence { next } else { best };
        (1..self.arms).map(|arm| self.standing(arm)).fold(self.standing(0), better)
    }

    /// The highest level 1 - delta, in [0, 1), at which `arm` was ever declared the best; 0 if at none. This is a level
    /// of confidence, not the probability of a posterior.
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn confidence(&self, arm: usize) -> f64 {
        (1.0 - libm::exp(libm::log(self.arms as f64) - self.largest[arm])).max(0.0)
    }

    /// Whether `budget` more decided units of the leader and its hardest opponent cannot be expected to settle them:
    /// not even if the leader won the largest share among them that its confidence sequence allows.
    ///
    /// # Errors
    /// Never for a test that was made.
    pub fn futile(&self, budget: u64) -> Result<bool, StatisticsError> {
        let Standing { arm, hardest, .. } = self.leader();
        let Some(other) = hardest.filter(|_| self.declared.is_none()) else { return Ok(false) };
        let counts = self.counts(arm, other);
        let mut pair = super::PairTest::new(self.delta)?;
        pair.observe(counts);
        let (_, highest) = pair.share_interval()?;
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
        test.add(1, 0, Counts::new(500, 300, 7)).unwrap();
        assert_eq!(test.declared(), None);
        assert_eq!(test.standing(1), Standing { arm: 1, hardest: Some(2), ln_evidence: 0.0 });
        test.add(2, 1, Counts::new(300, 500, 0)).unwrap();
        assert_eq!((test.declared(), test.leader().arm), (Some(1), 1));
        assert_eq!(test.counts(1, 2), Counts::new(500, 300, 0));
        // A later defeat does not take the declaration back.
        test.add(2, 1, Counts::new(900, 100, 0)).unwrap();
        assert_eq!(test.declared(), Some(1));
        assert!(test.add(1, 1, Counts::default()).is_err() && test.add(0, 3, Counts::default()).is_err());
    }

    #[test]
    fn one_arm_is_the_best_and_equal_arms_need_a_margin() {
        assert_eq!(BestArm::new(1, 0.05).unwrap().declared(), Some(0));
        let even = Counts::new(20_000, 20_000, 0);
        let mut strict = BestArm::new(2, 0.05).unwrap();
        strict.add(0, 1, even).unwrap();
        assert_eq!(strict.declared(), None);
        assert!(strict.futile(10_000).unwrap() && !strict.futile(100_000_000).unwrap());
        let mut tolerant = BestArm::with_margin(2, 0.05, 0.02).unwrap();
        tolerant.add(0, 1, even).unwrap();
        assert_eq!(tolerant.declared(), Some(0));
    }
}
