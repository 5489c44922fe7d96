//! Sandwich estimators of covariances, by comparison or by cluster, and combinations of several of them.

use super::comparison::Comparison;
use super::fit::Fit;
use super::layout::Directions;
use crate::matrix;

impl Fit {
    /// Covariances of all parameters by the sandwich estimator: valid if comparisons of different clusters are
    /// independent, whether or not the model holds. `clusters` has one number per comparison; without it every
    /// comparison is a cluster of its own. With `corrected`, they are multiplied by G / (G - 1) for G clusters.
    ///
    /// # Panics
    /// If a comparison has an arm that does not exist, or there is not one cluster per comparison.
    #[must_use]
    pub fn sandwich(&self, comparisons: &[Comparison], clusters: Option<&[u32]>, corrected: bool) -> Vec<f64> {
        let size = self.size();
        let mut meat = vec![0.0; size * size];
        let count = match clusters {
            None => {
                for comparison in comparisons {
                    add_square(&mut meat, size, self.score(comparison).entries(), comparison.copies as f64);
                }
                comparisons.iter().map(|comparison| comparison.copies).sum()
            }
            Some(clusters) => {
                assert_eq!(comparisons.len(), clusters.len(), "one cluster per comparison");
                let score = |place: usize| (self.score(&comparisons[place]), comparisons[place].copies as f64);
                for_each_cluster(size, clusters, score, |_, sum| add_square(&mut meat, size, sum, 1.0))
            }
        };
        if corrected && count > 1 {
            let factor = count as f64 / (count - 1) as f64;
            meat.iter_mut().for_each(|value| *value *= factor);
        }
        let inverse = self.model_covariance();
        // The sums of scores are sparse where most arms never met; a product skips zeros of its first factor.
        matrix::product(inverse, &matrix::product(&meat, inverse, size), size)
    }
}

/// Adds up the scores of each cluster, each times its factor, and hands over the cluster with its sum, one after the other. Returns the number
/// of clusters. `clusters` has the one of each score.
pub(super) fn for_each_cluster(
    size: usize,
    clusters: &[u32],
    score: impl Fn(usize) -> (Directions, f64),
    mut take: impl FnMut(u32, &[(usize, f64)]),
) -> u64 {
    let mut order: Vec<u32> = (0..clusters.len() as u32).collect();
    order.sort_by_key(|index| clusters[*index as usize]);
    let mut sum = vec![0.0; size];
    let mut count = 0;
    for members in order.chunk_by(|a, b| clusters[*a as usize] == clusters[*b as usize]) {
        let mut touched = Vec::new();
        for index in members {
            let (score, factor) = score(*index as usize);
            for &(at, value) in score.entries() {
                sum[at] += value * factor;
                touched.push(at);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        let entries: Vec<(usize, f64)> = touched.iter().map(|at| (*at, std::mem::take(&mut sum[*at]))).collect();
        take(clusters[members[0] as usize], &entries);
        count += 1;
    }
    count
}

pub(super) fn add_square(matrix: &mut [f64], size: usize, entries: &[(usize, f64)], factor: f64) {
    for &(row, a) in entries {
        for &(column, b) in entries {
            matrix[row * size + column] += factor * a * b;
        }
    }
}

/// Covariances clustered in two ways: `first` + `second` - `by_both`, where `by_both` is clustered by the combinations.
///
/// A. C. Cameron, J. B. Gelbach, D. L. Miller, "Robust Inference With Multiway Clustering", Journal of Business &
/// Economic Statistics 29(2), 2011, <https://doi.org/10.1198/jbes.2010.07136>. The difference need not be positive
/// semi-definite; [`inflated_covariances`] takes what can be trusted from it.
#[must_use]
pub fn two_way_covariances(first: &[f64], second: &[f64], by_both: &[f64]) -> Vec<f64> {
    first.iter().zip(second).zip(by_both).map(|((a, b), c)| a + b - c).collect()
}

/// Model-based covariances of strengths, with the standard errors of `sandwich` where those are larger: each strength's errors
/// are multiplied by a factor of its own, at least 1, and correlations stay those of the model.
///
/// Estimates from clusters are noisy: with fewer clusters than squares of strengths their correlations are hardly known, and
/// in some directions they are far too small or, for differences of estimates, negative. The result is neither. Both are
/// covariances of `arms` strengths that add up to 0, and so is the result.
///
/// # Panics
/// If the matrices do not have `arms` rows and columns.
#[must_use]
pub fn inflated_covariances(model: &[f64], sandwich: &[f64], arms: usize) -> Vec<f64> {
    assert!(sandwich.len() == arms * arms && model.len() == arms * arms, "covariances of {arms} strengths");
    let factor = |k: usize| {
        let (sandwich, model) = (sandwich[k * arms + k], model[k * arms + k]);
        if sandwich > model && model > 0.0 { libm::sqrt(sandwich / model) } else { 1.0 }
    };
    let factors: Vec<f64> = (0..arms).map(factor).collect();
    let scaled: Vec<f64> = (0..arms * arms).map(|at| model[at] * factors[at / arms] * factors[at % arms]).collect();
    // Deviations from the mean.
    let rows: Vec<f64> = scaled.chunks(arms).map(|row| row.iter().sum::<f64>() / arms as f64).collect();
    let mean_row = rows.iter().sum::<f64>() / arms as f64;
    (0..arms * arms).map(|at| scaled[at] - rows[at / arms] - rows[at % arms] + mean_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_grow_where_clusters_find_more() {
        // Covariances of three strengths that add up to 0, and an estimate that finds twice the error of the first, less for
        // the second, and a negative variance.
        let model = [2.0, -1.0, -1.0, -1.0, 2.0, -1.0, -1.0, -1.0, 2.0];
        let mut found = [0.0; 9];
        (found[0], found[4], found[8]) = (8.0, 1.0, -3.0);
        let result = inflated_covariances(&model, &found, 3);
        let variance = |i: usize, j: usize| result[i * 3 + i] + result[j * 3 + j] - 2.0 * result[i * 3 + j];
        assert!((variance(0, 1) - (8.0 + 2.0 + 2.0 * 2.0)).abs() < 1e-12);
        assert!((variance(1, 2) - 6.0).abs() < 1e-12);
        assert!(result.chunks(3).all(|row| row.iter().sum::<f64>().abs() < 1e-12));
    }
}
