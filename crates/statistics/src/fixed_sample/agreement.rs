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
/// use statistics::fixed_sample::{exact_interval, sign_agreement};
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

/// Cohen's kappa of two judges over things that each put into one of several categories: 0 for the agreement of chance given how often
/// each uses a category, 1 for full agreement. `counts` has, row by row, how often the first judge chose the row and the second the column;
/// they may be weights. `None` if chance alone agrees always, or there are no counts.
///
/// # Panics
/// If a row has fewer values than there are rows.
///
/// J. Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and Psychological Measurement 20(1), 1960,
/// <https://doi.org/10.1177/001316446002000104>.
///
/// ```
/// let kappa = statistics::fixed_sample::kappa(&[[20.0, 5.0], [10.0, 15.0]]).unwrap();
/// assert!((kappa - 0.4).abs() < 1e-12);
/// ```
#[must_use]
pub fn kappa<Row: AsRef<[f64]>>(counts: &[Row]) -> Option<f64> {
    let row = |k: usize| counts[k].as_ref();
    let categories = 0..counts.len();
    let total: f64 = categories.clone().flat_map(row).sum();
    let agreed: f64 = categories.clone().map(|k| row(k)[k]).sum::<f64>() / total;
    let by_column = |k: usize| categories.clone().map(|one| row(one)[k]).sum::<f64>();
    let chance: f64 =
        categories.clone().map(|k| row(k).iter().sum::<f64>() * by_column(k)).sum::<f64>() / (total * total);
    (total > 0.0 && chance < 1.0 - 1e-12).then(|| (agreed - chance) / (1.0 - chance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_zero_by_chance_and_undefined_without_a_choice() {
        assert!(kappa(&[[12.0, 18.0], [8.0, 12.0]]).unwrap().abs() < 1e-12);
        assert!((kappa(&[[3.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 1.0]]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(kappa(&[[5.0, 0.0], [0.0, 0.0]]), None);
        assert_eq!(kappa(&[[0.0; 2]; 2]), None);
    }

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
