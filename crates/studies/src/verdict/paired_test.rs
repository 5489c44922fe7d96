//! The tests of two rankers by their values of the same queries.

use serde::{Deserialize, Serialize};
use statistics::fixed_sample::{
    paired_bootstrap, paired_randomization, paired_t_test, sign_test, wilcoxon_signed_rank,
};
use statistics::{Counts, Preference, StatisticsError};

use super::LEVEL;

/// Resamples of the bootstrap and of the randomization test, and their seed: the same values give the same p-value.
const RESAMPLES: usize = 10_000;
const SEED: u64 = 1;

/// Which test of the differences per query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairedTest {
    /// Student's test of their mean.
    #[default]
    T,
    /// Wilcoxon's signed ranks.
    Wilcoxon,
    /// The bootstrap of their mean, over queries.
    Bootstrap,
    /// Fisher's test of their mean: the sides of queries swapped at random.
    Randomization,
    /// Their signs.
    Sign,
}

/// What a test says of the differences `first[query] - second[query]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TestedDifference {
    /// Their mean.
    pub(super) mean: f64,
    pub(super) standard_error: f64,
    /// The 95% interval of the mean: by the bootstrap if that is the test, else Student's.
    pub(super) interval: (f64, f64),
    /// The mean in standard errors, of Student's test alone; none if these are 0 and the mean is not.
    pub(super) t: Option<f64>,
    /// The two-sided p-value.
    pub(super) p: f64,
    /// Whether ranks or signs speak for the second although the mean speaks for the first, or the other way round.
    pub(super) is_opposed: bool,
}

impl PairedTest {
    /// Tests two rankers by their values of each query.
    ///
    /// # Errors
    /// If there are fewer than two queries, or a value is not finite.
    pub(super) fn test(self, first: &[f64], second: &[f64]) -> Result<TestedDifference, StatisticsError> {
        let student = paired_t_test(first, second)?;
        let of_mean = TestedDifference {
            mean: student.mean,
            standard_error: student.standard_error,
            interval: student.interval(LEVEL)?,
            t: None,
            p: student.p_value,
            is_opposed: false,
        };
        Ok(match self {
            Self::T => TestedDifference { t: Some(student.t).filter(|t| t.is_finite()), ..of_mean },
            Self::Wilcoxon => {
                let ranks = wilcoxon_signed_rank(first, second)?;
                TestedDifference { p: ranks.p_value, is_opposed: student.mean * ranks.excess() < 0.0, ..of_mean }
            }
            Self::Bootstrap => {
                let bootstrap = paired_bootstrap(first, second, LEVEL, RESAMPLES, SEED)?;
                let (standard_error, interval) = (bootstrap.standard_error, bootstrap.interval);
                TestedDifference { standard_error, interval, p: bootstrap.p_value, ..of_mean }
            }
            Self::Randomization => {
                TestedDifference { p: paired_randomization(first, second, RESAMPLES, SEED)?, ..of_mean }
            }
            Self::Sign => {
                let signs = first.iter().zip(second).map(|(first, second)| Preference::of_net(first - second));
                let counts: Counts = signs.collect();
                let excess = counts.wins as f64 - counts.losses as f64;
                TestedDifference { p: sign_test(counts), is_opposed: student.mean * excess < 0.0, ..of_mean }
            }
        })
    }

    /// The name of one such test, and of several: `paired t-test`.
    #[must_use]
    pub fn name(self, plural: bool) -> &'static str {
        match (self, plural) {
            (Self::T, false) => "paired t-test",
            (Self::T, true) => "paired t-tests",
            (Self::Wilcoxon, false) => "Wilcoxon signed-rank test",
            (Self::Wilcoxon, true) => "Wilcoxon signed-rank tests",
            (Self::Bootstrap, false) => "paired bootstrap test",
            (Self::Bootstrap, true) => "paired bootstrap tests",
            (Self::Randomization, false) => "paired randomization test",
            (Self::Randomization, true) => "paired randomization tests",
            (Self::Sign, false) => "sign test",
            (Self::Sign, true) => "sign tests",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_has_the_p_value_of_its_distribution() {
        // Ten differences from 1 to 10, of which the first is negative.
        let first: Vec<f64> = (1..=10).map(f64::from).collect();
        let second: Vec<f64> = first.iter().map(|value| if *value == 1.0 { 2.0 } else { 0.0 }).collect();
        let tested = |test: PairedTest| test.test(&first, &second).expect("ten pairs");
        // scipy.stats.ttest_1samp([-1, 2, 3, ..., 10], 0)
        let student = tested(PairedTest::T);
        assert!((student.p - 0.000_815_567).abs() < 1e-8 && student.t.is_some(), "{student:?}");
        // Of 2^10 ways to give ranks signs, two have at most this sum of negative ranks, on either side.
        assert!((tested(PairedTest::Wilcoxon).p - 4.0 / 1024.0).abs() < 1e-12);
        // At most one of ten is negative in 11 of 2^10 ways, on either side.
        assert!((tested(PairedTest::Sign).p - 22.0 / 1024.0).abs() < 1e-12);
        // Only the sum of all ten without a sign, or with the sign of the first, is as far from 0 as 2 + ... + 10 - 1.
        assert!((tested(PairedTest::Randomization).p - 4.0 / 1024.0).abs() < 1e-12);
        let bootstrap = tested(PairedTest::Bootstrap);
        assert!(bootstrap.p <= 0.001 && bootstrap.interval.0 > 0.0, "{bootstrap:?}");
        for test in [PairedTest::Wilcoxon, PairedTest::Randomization, PairedTest::Sign] {
            assert_eq!((tested(test).interval, tested(test).t), (student.interval, None));
        }
    }

    #[test]
    fn ranks_and_signs_may_oppose_the_mean() {
        // The first wins 19 queries by a little and loses one by much.
        let first: Vec<f64> =
            (0..20).map(|query| if query == 0 { 0.0 } else { 0.01 + f64::from(query) / 1e4 }).collect();
        let second: Vec<f64> = (0..20).map(|query| if query == 0 { 1.0 } else { 0.0 }).collect();
        for (test, is_opposed) in [
            (PairedTest::T, false),
            (PairedTest::Bootstrap, false),
            (PairedTest::Randomization, false),
            (PairedTest::Wilcoxon, true),
            (PairedTest::Sign, true),
        ] {
            for (one, other) in [(&first, &second), (&second, &first)] {
                let tested = test.test(one, other).expect("20 pairs");
                assert_eq!(tested.is_opposed, is_opposed, "{test:?}");
                assert_eq!(tested.p < 0.05, is_opposed, "{tested:?}");
            }
        }
    }
}
