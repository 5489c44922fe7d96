//! How far two preference matrices of the same arms agree, e.g. one estimated from noisier clicks with
//! one from clearer clicks, or one of ours with a published one.
//!
//! M. Zoghi et al., "Relative Confidence Sampling for Efficient On-Line Ranker Evaluation", WSDM 2014,
//! <https://doi.org/10.1145/2556195.2556256>, suppose in section 7 that noisier clicks shrink all
//! gaps and keep the winner of each pair: then the correlation is near 1, the slope below it, and signs agree
//! except for the smallest gaps.

use std::fmt;

use crate::winners::borda_scores;
use crate::{Arm, PreferenceMatrix};

/// Gaps in the reference above which signs are compared.
const MIN_GAPS: [f64; 4] = [0.0, 0.005, 0.01, 0.02];

/// Agreement of a preference matrix with a reference, over all pairs of arms.
///
/// ```
/// # use bandits::{PreferenceMatrix, agreement::Agreement};
/// let clear = PreferenceMatrix::from_rows(&[[0.5, 0.6, 0.8], [0.4, 0.5, 0.7], [0.2, 0.3, 0.5]])?;
/// let noisy = PreferenceMatrix::from_rows(&[[0.5, 0.55, 0.65], [0.45, 0.5, 0.6], [0.35, 0.4, 0.5]])?;
/// let agreement = Agreement::between(&noisy, &clear).expect("three arms each");
/// assert!((agreement.slope - 0.5).abs() < 1e-12 && agreement.signs[0].share == 1.0);
/// # Ok::<(), bandits::MatrixError>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Agreement {
    /// Pearson's correlation of p_ij - 1/2 over both directions of every pair, so that it does not
    /// depend on how arms are numbered; 0 where either matrix is 1/2 throughout.
    pub correlation: f64,
    /// Slope of the least-squares line of this matrix's p_ij - 1/2 on the reference's: below 1, its
    /// gaps are shrunk.
    pub slope: f64,
    /// Spearman's rank correlation of the Borda scores.
    pub borda_rank_correlation: f64,
    /// Agreement of signs, one row per threshold.
    pub signs: Vec<SignAgreement>,
}

/// The agreement of two matrices about the better arm of a pair.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct SignAgreement {
    /// Pairs count if |p_ij - 1/2| in the reference exceeds this.
    pub gap: f64,
    /// The number of those pairs.
    pub pairs: usize,
    /// Share of them for which both prefer the same arm; 1 if there are none.
    pub share: f64,
}

/// Two matrices that cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a matrix of {arms} arms cannot be compared with one of {reference}; take the same arms of both")]
pub struct SizeMismatch {
    /// Arms of the matrix.
    pub arms: usize,
    /// Arms of the reference.
    pub reference: usize,
}

impl Agreement {
    /// Compares `matrix` with `reference`, arm by arm in the order given.
    ///
    /// # Errors
    /// If they differ in the number of arms.
    pub fn between(matrix: &PreferenceMatrix, reference: &PreferenceMatrix) -> Result<Self, SizeMismatch> {
        let arms = matrix.arms();
        if reference.arms() != arms {
            return Err(SizeMismatch { arms, reference: reference.arms() });
        }
        let gaps: Vec<(f64, f64)> = (0..arms)
            .flat_map(|low| (low + 1..arms).map(move |high| (low, high)))
            .map(|(low, high)| (preference_gap(matrix, low, high), preference_gap(reference, low, high)))
            .collect();
        // Both directions of a pair are negatives of each other, so their mean is 0 and each sum
        // over directions is twice the sum over pairs.
        let sum = |term: fn(&(f64, f64)) -> f64| gaps.iter().map(term).sum::<f64>();
        let (mine, theirs, both) = (sum(|(a, _)| a * a), sum(|(_, b)| b * b), sum(|(a, b)| a * b));
        let ratio = |above: f64, below: f64| if below > 0.0 { above / below } else { 0.0 };
        Ok(Self {
            correlation: ratio(both, (mine * theirs).sqrt()).clamp(-1.0, 1.0),
            slope: ratio(both, theirs),
            borda_rank_correlation: spearman(&borda_scores(matrix), &borda_scores(reference)),
            signs: MIN_GAPS.iter().map(|&threshold| SignAgreement::from_gaps(threshold, &gaps)).collect(),
        })
    }
}

impl SignAgreement {
    fn from_gaps(gap: f64, gaps: &[(f64, f64)]) -> Self {
        let wide = gaps.iter().filter(|(_, reference)| reference.abs() > gap);
        let (pairs, agreed) =
            wide.fold((0, 0), |(pairs, agreed), (mine, theirs)| (pairs + 1, agreed + usize::from(mine * theirs > 0.0)));
        Self { gap, pairs, share: if pairs == 0 { 1.0 } else { agreed as f64 / pairs as f64 } }
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "correlation {:.5}, slope {:.4}, Borda rank correlation {:.4}",
            self.correlation, self.slope, self.borda_rank_correlation
        )?;
        write!(formatter, "same arm favoured")?;
        for (index, signs) in self.signs.iter().enumerate() {
            let separator = if index == 0 { ":" } else { ";" };
            write!(
                formatter,
                "{separator} {:.1}% of {} pairs with a gap above {}",
                100.0 * signs.share,
                ThousandsSeparated(signs.pairs),
                signs.gap
            )?;
        }
        Ok(())
    }
}

/// A count with thousands separators: `9,180`.
struct ThousandsSeparated(usize);

impl fmt::Display for ThousandsSeparated {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                formatter.write_str(",")?;
            }
            write!(formatter, "{digit}")?;
        }
        Ok(())
    }
}

fn preference_gap(matrix: &PreferenceMatrix, low: usize, high: usize) -> f64 {
    matrix.get(Arm::at(low), Arm::at(high)) - 0.5
}

/// Spearman's rank correlation, equal values sharing their mean rank; 1 for fewer than two values.
fn spearman(mine: &[f64], theirs: &[f64]) -> f64 {
    let (a, b) = (ranks(mine), ranks(theirs));
    let mean = (a.len() as f64 + 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>();
    let scale = (product(&a, &a) * product(&b, &b)).sqrt();
    if scale > 0.0 { product(&a, &b) / scale } else { 1.0 }
}

/// Ranks from 1, equal values sharing their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let shared = start as f64 + (group.len() as f64 + 1.0) / 2.0;
        for &index in group {
            ranks[index] = shared;
        }
        start += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(above: [f64; 3]) -> PreferenceMatrix {
        let [a, b, c] = above;
        PreferenceMatrix::new(3, vec![0.5, a, b, 1.0 - a, 0.5, c, 1.0 - b, 1.0 - c, 0.5]).expect("a sound matrix")
    }

    #[test]
    fn a_matrix_agrees_with_itself() {
        let agreement = Agreement::between(&matrix([0.6, 0.7, 0.55]), &matrix([0.6, 0.7, 0.55])).expect("same size");
        assert!((agreement.correlation - 1.0).abs() < 1e-12);
        assert!((agreement.slope - 1.0).abs() < 1e-12);
        assert!((agreement.borda_rank_correlation - 1.0).abs() < 1e-12);
        assert!(agreement.signs.iter().all(|signs| signs.share == 1.0 && signs.pairs == 3));
    }

    #[test]
    fn shrunk_gaps_keep_correlation_and_signs() {
        let agreement = Agreement::between(&matrix([0.55, 0.6, 0.525]), &matrix([0.6, 0.7, 0.55])).expect("same size");
        assert!((agreement.correlation - 1.0).abs() < 1e-12);
        assert!((agreement.slope - 0.5).abs() < 1e-12);
    }

    #[test]
    fn counts_are_told_with_their_thousands_apart() {
        assert_eq!(
            [0, 999, 9180, 1234567].map(|count| ThousandsSeparated(count).to_string()),
            ["0", "999", "9,180", "1,234,567"]
        );
    }

    #[test]
    fn the_opposite_disagrees() {
        let agreement = Agreement::between(&matrix([0.4, 0.3, 0.45]), &matrix([0.6, 0.7, 0.55])).expect("same size");
        assert!((agreement.correlation + 1.0).abs() < 1e-12);
        assert!((agreement.borda_rank_correlation + 1.0).abs() < 1e-12);
        assert!(agreement.signs.iter().all(|signs| signs.share == 0.0));
    }

    #[test]
    fn sizes_must_match() {
        let two = PreferenceMatrix::new(2, vec![0.5, 0.5, 0.5, 0.5]).expect("a sound matrix");
        assert_eq!(Agreement::between(&two, &matrix([0.5; 3])), Err(SizeMismatch { arms: 2, reference: 3 }));
    }

    #[test]
    fn equal_values_share_a_rank() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 0.0]), [3.5, 2.0, 3.5, 1.0]);
    }
}
