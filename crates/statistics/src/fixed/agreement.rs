//! How often two measurements of the same things agree in sign, e.g. interleaving and A/B tests of the same experiments.

use super::bootstrap::differences;
use crate::{Counts, StatisticsError};

/// Pairs of values by their signs: wins are pairs of equal signs, losses pairs of opposite ones. A pair with a zero agrees with
/// nothing and is a tie. [`exact_interval`](super::exact_interval) has the interval for the share that agrees.
///
/// # Errors
/// If the samples differ in length, or a difference of two values is not finite.
///
/// ```
/// use statistics::fixed::{exact_interval, sign_agreement};
///
/// let counts = sign_agreement(&[0.02, -0.01, 0.03, 0.0], &[1.4, -0.2, -0.3, 0.5])?;
/// assert_eq!((counts.wins, counts.losses, counts.ties), (2, 1, 1));
/// let (low, high) = exact_interval(counts, 0.05)?;
/// assert!(low < 0.1 && high > 0.99, "three pairs say little");
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
pub fn sign_agreement(first: &[f64], second: &[f64]) -> Result<Counts, StatisticsError> {
    differences(first, second)?;
    let mut counts = Counts::default();
    for (&a, &b) in first.iter().zip(second) {
        *if a == 0.0 || b == 0.0 {
            &mut counts.ties
        } else if (a > 0.0) == (b > 0.0) {
            &mut counts.wins
        } else {
            &mut counts.losses
        } += 1;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_agree_with_nothing() {
        let first = [1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 1.0, -0.0];
        let second = [2.0, -3.0, -1.0, 0.1, 0.0, 1.0, -0.0, -1.0];
        let counts = sign_agreement(&first, &second).unwrap();
        assert_eq!(counts, Counts::new(2, 2, 4));
        let turned = second.map(|value| -value);
        assert_eq!(sign_agreement(&first, &turned).unwrap(), counts.swapped());
        assert_eq!(sign_agreement(&second, &first).unwrap(), counts);
        assert_eq!(sign_agreement(&[], &[]).unwrap(), Counts::default());
        assert!(sign_agreement(&[1.0], &[]).is_err() && sign_agreement(&[f64::NAN], &[1.0]).is_err());
    }
}
