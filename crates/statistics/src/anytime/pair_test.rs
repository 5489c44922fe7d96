//! The test of one pair: which side wins more, if either does.

use super::{EProcess, Prior};
use crate::{Counts, Preference, StatisticsError};

/// What the test says so far.
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
/// first decision stands.
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
#[derive(Debug, Clone)]
pub struct PairTest {
    evidence: EProcess,
    alpha: f64,
    counts: Counts,
    /// The largest ln E of either side at any look.
    largest: [f64; 2],
    verdict: TestState,
}

impl PairTest {
    /// A test at level `alpha`, in (0, 1), with the default prior.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn new(alpha: f64) -> Result<Self, StatisticsError> {
        Self::with_prior(alpha, Prior::default())
    }

    /// The same with another prior for the winning side's share.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1), or the prior is not one.
    pub fn with_prior(alpha: f64, prior: Prior) -> Result<Self, StatisticsError> {
        crate::error::check_level(alpha)?;
        let evidence = EProcess::with_prior(0.5, prior)?;
        Ok(Self { evidence, alpha, counts: Counts::default(), largest: [0.0; 2], verdict: TestState::Open })
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
        let threshold = libm::log(2.0 / self.alpha);
        let sides = [(counts, TestState::FirstWins), (counts.swapped(), TestState::SecondWins)];
        for ((Counts { wins, losses, .. }, wins_more), largest) in sides.into_iter().zip(&mut self.largest) {
            // Most looks find nothing new, and a bound that costs little shows it.
            if largest_ln_ratio(wins, losses) <= *largest {
                continue;
            }
            *largest = largest.max(self.evidence.ln(wins, losses));
            if self.verdict == TestState::Open && *largest >= threshold {
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
        let most = self.largest[0].max(self.largest[1]);
        libm::exp(std::f64::consts::LN_2 - most).min(1.0)
    }

    /// Shares of wins among the decided units that are not rejected at the level of the test: a confidence sequence,
    /// valid at all looks together if the share is the same at every unit. For preferences that drift see
    /// [`RunningMean`](super::RunningMean).
    ///
    /// # Errors
    /// Never for a test that was made; the bounds come from tests of other shares.
    pub fn share_interval(&self) -> Result<(f64, f64), StatisticsError> {
        let Counts { wins, losses, .. } = self.counts;
        Ok((self.lower_share(wins, losses)?, 1.0 - self.lower_share(losses, wins)?))
    }

    /// The largest share p0 that the evidence against "at most p0" rejects; 0 if it rejects none.
    fn lower_share(&self, wins: u64, losses: u64) -> Result<f64, StatisticsError> {
        let threshold = libm::log(2.0 / self.alpha);
        let total = wins + losses;
        if total == 0 {
            return Ok(0.0);
        }
        // Against shares below the one observed the evidence falls as the share rises.
        let (mut rejected, mut kept) = (0.0, wins as f64 / total as f64);
        for _ in 0..60 {
            let share = 0.5 * (rejected + kept);
            if !(share > 0.0 && share < 1.0) {
                break;
            }
            // A uniform prior for every share keeps the family of tests the same at all looks.
            let evidence = EProcess::with_prior(share, Prior { a: 1.0, b: 1.0 })?;
            if evidence.ln(wins, losses) >= threshold { rejected = share } else { kept = share }
        }
        Ok(rejected)
    }
}

/// The logarithm of the largest likelihood ratio of any share from 1/2 to 1 over 1/2; no mixture exceeds it.
fn largest_ln_ratio(wins: u64, losses: u64) -> f64 {
    if wins <= losses {
        return 0.0;
    }
    let (wins, losses) = (wins as f64, losses as f64);
    let part = |count: f64| if count == 0.0 { 0.0 } else { count * libm::log(2.0 * count / (wins + losses)) };
    part(wins) + part(losses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_evidence_exceeds_the_largest_ratio() {
        let evidence = EProcess::against(0.5).unwrap();
        for (wins, losses) in [(0, 0), (1, 0), (3, 9), (9, 3), (600, 400), (5_100, 5_000), (5_000, 5_100)] {
            assert!(evidence.ln(wins, losses) <= largest_ln_ratio(wins, losses) + 1e-9, "{wins} {losses}");
        }
    }

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
            for (found, expected) in test.largest.into_iter().zip(largest) {
                assert!((found - expected).abs() < 1e-9, "{step}: {found}, {expected}");
            }
        }
        assert_eq!(test.verdict(), TestState::FirstWins);
    }
}
