//! Scores that are real numbers in the papers, as whole numbers on which equal credits tie.

/// A sum of credits in units of 2^-46, rounded to a score in units of 2^-32.
///
/// Credits that are equal as real numbers, but come from different terms or in another order, differ
/// by at most a few fine units; rounded to the coarse ones they tie (except for sums that happen to lie within
/// those few units of a half, one in thousands among values that are not short binary fractions). Rankers with the same terms always tie.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Credit(u128);

/// Fine units in 1.
const FINE: f64 = (1_u64 << 46) as f64;

impl Credit {
    /// A single credit, clamped to 0 to 2^32.
    #[inline]
    pub(crate) fn of(credit: f64) -> Self {
        Self((credit * FINE).round().clamp(0.0, FINE * 4_294_967_296.0) as u128)
    }

    #[inline]
    pub(crate) fn add(&mut self, other: Self) {
        self.0 += other.0;
    }

    /// Half of it.
    #[inline]
    pub(crate) fn halved(self) -> Self {
        Self(self.0.div_ceil(2))
    }

    #[inline]
    pub(crate) fn score(self) -> u64 {
        u64::try_from((self.0 + (1 << 13)) >> 14).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(credits: &[f64]) -> u64 {
        let mut sum = Credit::default();
        credits.iter().for_each(|&credit| sum.add(Credit::of(credit)));
        sum.score()
    }

    #[test]
    fn equal_sums_tie() {
        assert_eq!(sum(&[]), 0);
        assert_eq!(sum(&[1.0]), 1 << 32);
        assert_eq!(sum(&[1.0 / 3.0; 3]), sum(&[0.5; 2]));
        assert_eq!(sum(&[0.1, 0.2, 0.3]), sum(&[0.3, 0.1, 0.2]));
        assert_eq!(sum(&[4.0 / 3.0, 4.0 / 3.0, 4.0 / 3.0]), sum(&[2.0, 2.0]));
        assert!(sum(&[1.0 / 3.0]) > sum(&[0.333_333_33]));
        assert_eq!(sum(&[f64::INFINITY; 5]), u64::MAX);
        assert_eq!(sum(&[f64::NAN, -1.0]), 0);
    }
}
