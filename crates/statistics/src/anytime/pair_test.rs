//! The test of one pair: which side wins more, if either does.

use super::EProcess;
use crate::{Counts, Preference, StatisticsError};

/// The state of the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestState {
    /// The first side wins more.
    FirstWins,
    /// The second side wins more.
    SecondWins,
    /// Not decided yet.
    Open,
}

/// A sequential test of "wins and losses are equally likely at every unit", two-sided at level alpha: each side has
/// an [`EProcess`] and alpha / 2. It may be looked at after every outcome or seldom; once it has decided, it stays
/// decided. If both sides should decide, the null hypothesis is wrong in both directions (preferences drifted), and the
/// first decision stands. [`ShareSequence`](super::ShareSequence) is the same test with an interval of shares beside it.
///
/// Units should be independent given the past: one outcome per user or session ([`Units`](crate::units::Units)), not
/// one per impression, unless impressions are independent.
///
/// ```
/// use statistics::{Counts, anytime::{PairTest, TestState}};
///
/// let mut test = PairTest::new(0.05)?;
/// test.look_at(Counts::new(60, 40, 25));
/// assert_eq!(test.verdict(), TestState::Open);
/// test.look_at(Counts::new(75, 40, 30));
/// assert_eq!(test.verdict(), TestState::FirstWins);
/// assert!(test.p_value() <= 0.05);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PairTest {
    evidence: EProcess,
    ln_threshold: f64,
    counts: Counts,
    /// The largest ln E of either side at any look.
    largest_ln_evidence: [f64; 2],
    verdict: TestState,
}

impl PairTest {
    /// A test at level `alpha`, in (0, 1), with the default prior.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn new(alpha: f64) -> Result<Self, StatisticsError> {
        crate::error::check_level(alpha)?;
        Self::at_threshold(2.0 / alpha)
    }

    /// The same, decided by evidence of at least `threshold`, a number above 1: a side that does not win more ever reaches it
    /// with probability at most 1 / `threshold`.
    ///
    /// # Errors
    /// If `threshold` is not a finite number above 1.
    pub fn at_threshold(threshold: f64) -> Result<Self, StatisticsError> {
        if !(threshold > 1.0 && threshold.is_finite()) {
            return Err(StatisticsError::OutOfRange {
                what: "the evidence that decides",
                value: threshold,
                range: "(1, inf)",
            });
        }
        let evidence = EProcess::against(0.5)?;
        let ln_threshold = libm::log(threshold);
        Ok(Self {
            evidence,
            ln_threshold,
            counts: Counts::default(),
            largest_ln_evidence: [0.0; 2],
            verdict: TestState::Open,
        })
    }

    /// Adds one outcome and looks.
    pub fn record(&mut self, outcome: Preference) -> TestState {
        let mut counts = self.counts;
        counts.record(outcome);
        if outcome == Preference::Tie {
            self.counts = counts;
            self.verdict
        } else {
            self.look_at(counts)
        }
    }

    /// Looks at all outcomes so far. Counts must only grow from look to look.
    pub fn look_at(&mut self, counts: Counts) -> TestState {
        debug_assert!(counts.wins >= self.counts.wins && counts.losses >= self.counts.losses, "counts only grow");
        self.counts = counts;
        let sides = [(counts, TestState::FirstWins), (counts.swapped(), TestState::SecondWins)];
        for ((Counts { wins, losses, .. }, wins_more), largest) in sides.into_iter().zip(&mut self.largest_ln_evidence)
        {
            // Most looks find nothing new, and bounds that cost little show it.
            let is_small = |most: f64| most <= *largest;
            if is_small(self.evidence.largest_ln_ratio(wins, losses))
                || is_small(self.evidence.ln_at_most(wins, losses))
            {
                continue;
            }
            *largest = largest.max(self.evidence.ln(wins, losses));
            if self.verdict == TestState::Open && *largest >= self.ln_threshold {
                self.verdict = wins_more;
            }
        }
        self.verdict
    }

    /// The verdict so far.
    #[must_use]
    pub fn verdict(&self) -> TestState {
        self.verdict
    }

    /// The counts at the last look.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// ln E for each side at the last look.
    #[must_use]
    pub fn ln_evidence(&self) -> [f64; 2] {
        let Counts { wins, losses, .. } = self.counts;
        [self.evidence.ln(wins, losses), self.evidence.ln(losses, wins)]
    }

    /// An anytime-valid p-value, in (0, 1]: under the null hypothesis it ever falls to a level with at most that
    /// probability.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        let largest = self.largest_ln_evidence[0].max(self.largest_ln_evidence[1]);
        libm::exp(std::f64::consts::LN_2 - largest).min(1.0)
    }

    /// The largest ln E of the first and of the second side at any look; 0 if it never rose.
    #[must_use]
    pub fn largest_ln_evidence(&self) -> [f64; 2] {
        self.largest_ln_evidence
    }

    /// ln of the evidence that decides.
    #[must_use]
    pub fn ln_threshold(&self) -> f64 {
        self.ln_threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_that_are_skipped_change_nothing() {
        let mut test = PairTest::new(0.05).unwrap();
        let (mut counts, mut largest) = (Counts::default(), [0.0_f64; 2]);
        for step in 0..3_000_u64 {
            counts.record(if step * step % 7 < 2 { Preference::Second } else { Preference::First });
            test.look_at(counts);
            for (largest, now) in largest.iter_mut().zip(test.ln_evidence()) {
                *largest = largest.max(now);
            }
            // Where the bound is met, the last digits of the evidence may exceed it.
            for (found, expected) in test.largest_ln_evidence.into_iter().zip(largest) {
                assert!((found - expected).abs() < 1e-9, "{step}: {found}, {expected}");
            }
        }
        assert_eq!(test.verdict(), TestState::FirstWins);
    }
}
