//! Sandwich estimators of covariances, by comparison or by cluster, and what is made of several of them.

use super::comparison::Comparison;
use super::fit::Fit;
use crate::matrix::{self, Cholesky};

/// See [`Fit::sandwich`].
pub(super) fn sandwich(fit: &Fit, comparisons: &[Comparison], clusters: Option<&[u32]>, corrected: bool) -> Vec<f64> {
    let size = fit.size();
    let mut meat = vec![0.0; size * size];
    let count = match clusters {
        None => {
            for comparison in comparisons {
                add_square(&mut meat, size, fit.score(comparison).entries(), comparison.copies as f64);
            }
            comparisons.iter().map(|comparison| comparison.copies).sum()
        }
        Some(clusters) => by_cluster(fit, comparisons, clusters, |sum| add_square(&mut meat, size, sum, 1.0)),
    };
    if corrected && count > 1 {
        let factor = count as f64 / (count - 1) as f64;
        meat.iter_mut().for_each(|value| *value *= factor);
    }
    let inverse = fit.model_covariance();
    matrix::product(&matrix::product(inverse, &meat, size), inverse, size)
}

/// Adds up the scores of each cluster, and hands the sums over one after the other. Returns the number of clusters.
fn by_cluster(fit: &Fit, comparisons: &[Comparison], clusters: &[u32], mut take: impl FnMut(&[(usize, f64)])) -> u64 {
    assert_eq!(comparisons.len(), clusters.len(), "one cluster per comparison");
    let mut order: Vec<u32> = (0..comparisons.len() as u32).collect();
    order.sort_by_key(|place| clusters[*place as usize]);
    let mut sum = vec![0.0; fit.size()];
    let mut count = 0;
    for members in order.chunk_by(|a, b| clusters[*a as usize] == clusters[*b as usize]) {
        let mut touched = Vec::new();
        for place in members {
            let comparison = &comparisons[*place as usize];
            for &(at, value) in fit.score(comparison).entries() {
                sum[at] += value * comparison.copies as f64;
                touched.push(at);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        let entries: Vec<(usize, f64)> = touched.iter().map(|at| (*at, std::mem::take(&mut sum[*at]))).collect();
        take(&entries);
        count += 1;
    }
    count
}

fn add_square(matrix: &mut [f64], size: usize, entries: &[(usize, f64)], factor: f64) {
    for &(row, a) in entries {
        for &(column, b) in entries {
            matrix[row * size + column] += factor * a * b;
        }
    }
}

/// Covariances clustered in two ways: `first` + `second` - `both`, where `both` is clustered by the combinations.
///
/// A. C. Cameron, J. B. Gelbach, D. L. Miller, "Robust Inference With Multiway Clustering", Journal of Business &
/// Economic Statistics 29(2), 2011, <https://doi.org/10.1198/jbes.2010.07136>. The difference need not be positive
/// semi-definite; use [`at_least`] on the result.
#[must_use]
pub fn two_way(first: &[f64], second: &[f64], both: &[f64]) -> Vec<f64> {
    first.iter().zip(second).zip(both).map(|((a, b), c)| a + b - c).collect()
}

/// The smallest covariance, in every direction, that is at least `floor` and agrees with `found` where that is larger:
/// in coordinates where `floor` is the identity, eigenvalues below 1 become 1. Estimates from few clusters are too small
/// in some directions, and differences of estimates may be negative; the result is neither.
///
/// Both are covariances of `arms` strengths that add up to 0, and so is the result.
///
/// # Panics
/// If the matrices do not have `arms` rows and columns.
#[must_use]
pub fn at_least(found: &[f64], floor: &[f64], arms: usize) -> Vec<f64> {
    assert!(found.len() == arms * arms && floor.len() == arms * arms, "covariances of {arms} strengths");
    // A common shift gets a variance, so that the floor has factors; the result is the same for all of its factors.
    let trace = (0..arms).map(|k| floor[k * arms + k]).sum::<f64>().max(f64::MIN_POSITIVE);
    let mut shifted: Vec<f64> = floor.iter().map(|value| value + trace / arms as f64).collect();
    (0..arms).for_each(|k| shifted[k * arms + k] += 1e-12 * trace);
    let factor = Cholesky::forced(&shifted, arms);
    let white = factor.whitened(found);
    let raised = factor.coloured(&matrix::spectral(&symmetric(&white, arms), arms, |value| value.max(1.0)));
    centred(&symmetric(&raised, arms), arms)
}

/// Covariances of the deviations from the mean.
fn centred(matrix: &[f64], arms: usize) -> Vec<f64> {
    let n = arms as f64;
    let rows: Vec<f64> = matrix.chunks(arms).map(|row| row.iter().sum::<f64>() / n).collect();
    let all = rows.iter().sum::<f64>() / n;
    (0..arms * arms).map(|at| matrix[at] - rows[at / arms] - rows[at % arms] + all).collect()
}

fn symmetric(matrix: &[f64], size: usize) -> Vec<f64> {
    (0..size * size).map(|at| 0.5 * (matrix[at] + matrix[at % size * size + at / size])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_is_taken_in_every_direction() {
        // Along (1, -1, 0) the first is larger, along (1, 1, -2) the second.
        let along = |v: [f64; 3], s: f64| -> Vec<f64> { (0..9).map(|at| s * v[at / 3] * v[at % 3]).collect() };
        let sum = |a: Vec<f64>, b: Vec<f64>| -> Vec<f64> { a.iter().zip(&b).map(|(a, b)| a + b).collect() };
        let (x, y) = ([1.0, -1.0, 0.0], [1.0, 1.0, -2.0]);
        let found = sum(along(x, 3.0), along(y, -0.5));
        let floor = sum(along(x, 1.0), along(y, 2.0));
        let expected = sum(along(x, 3.0), along(y, 2.0));
        for (a, b) in at_least(&found, &floor, 3).iter().zip(&expected) {
            assert!((a - b).abs() < 1e-10, "{a} {b}");
        }
    }
}
