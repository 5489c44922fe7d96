//! Corrections for many tests: adjusted p-values, to be compared with the level as they are.

use serde::{Deserialize, Serialize};

use crate::StatisticsError;

/// How p-values are corrected for their number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PValueCorrection {
    /// Bounds the probability of any false finding: [`holm`].
    #[default]
    Holm,
    /// Bounds the expected share of false findings: [`benjamini_hochberg`].
    BenjaminiHochberg,
    /// Not at all.
    None,
}

impl PValueCorrection {
    /// The adjusted p-values, in the same order.
    ///
    /// # Errors
    /// If a value is not in [0, 1].
    pub fn adjust(self, p_values: &[f64]) -> Result<Vec<f64>, StatisticsError> {
        match self {
            Self::Holm => holm(p_values),
            Self::BenjaminiHochberg => benjamini_hochberg(p_values),
            Self::None => Ok(p_values.to_vec()),
        }
    }

    /// The name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Holm => "Holm",
            Self::BenjaminiHochberg => "Benjamini-Hochberg",
            Self::None => "no correction",
        }
    }
}

/// Adjusted p-values that bound the probability of any false rejection.
///
/// S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6(2), 1979,
/// <https://www.jstor.org/stable/4615733>.
///
/// # Errors
/// If a value is not in [0, 1].
///
/// ```
/// assert_eq!(statistics::fixed_sample::holm(&[0.01, 0.04, 0.03])?, [0.03, 0.06, 0.06]);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    let order = ascending_order(p_values)?;
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest.max(p_values[index] * (order.len() - rank) as f64).min(1.0);
        adjusted[index] = largest;
    }
    Ok(adjusted)
}

/// Adjusted p-values that bound the expected share of false rejections among all, for independent or positively
/// dependent tests.
///
/// Y. Benjamini, Y. Hochberg, "Controlling the False Discovery Rate", Journal of the Royal Statistical Society B 57(1),
/// 1995, <https://doi.org/10.1111/j.2517-6161.1995.tb02031.x>.
///
/// # Errors
/// If a value is not in [0, 1].
///
/// ```
/// assert_eq!(statistics::fixed_sample::benjamini_hochberg(&[0.01, 0.04, 0.03])?, [0.03, 0.04, 0.04]);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
pub fn benjamini_hochberg(p_values: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    let order = ascending_order(p_values)?;
    let mut adjusted = vec![0.0; p_values.len()];
    let mut smallest = 1.0_f64;
    for (rank, &index) in order.iter().enumerate().rev() {
        smallest = smallest.min(p_values[index] * order.len() as f64 / (rank + 1) as f64);
        adjusted[index] = smallest;
    }
    Ok(adjusted)
}

/// The places of the values, smallest first.
fn ascending_order(p_values: &[f64]) -> Result<Vec<usize>, StatisticsError> {
    if let Some(&value) = p_values.iter().find(|value| !(0.0..=1.0).contains(*value)) {
        return Err(StatisticsError::OutOfRange { what: "a p-value", value, range: "[0, 1]" });
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_statsmodels() {
        // statsmodels.stats.multitest.multipletests(p, method="holm" and "fdr_bh")
        let p = [0.001, 0.2, 0.012, 0.04, 0.039, 0.9, 0.012];
        let same = |found: Vec<f64>, expected: [f64; 7]| {
            found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{found:?}"));
        };
        same(holm(&p).unwrap(), [0.007, 0.4, 0.072, 0.156, 0.156, 0.9, 0.072]);
        same(benjamini_hochberg(&p).unwrap(), [0.007, 0.7 / 3.0, 0.028, 0.056, 0.056, 0.9, 0.028]);
        assert!(holm(&[]).unwrap().is_empty() && holm(&[1.1]).is_err() && benjamini_hochberg(&[f64::NAN]).is_err());
    }
}
