//! How many clusters a difference of strengths rests on.
//!
//! With A the information on the strengths and A_g the part of it that comes from cluster g, a shift of the strengths in that cluster alone
//! moves the estimate of a difference c by h_g = c' A^-1 A_g times the shift. If all clusters weigh the same, there are as many as there
//! are; a cluster with most of the judgements counts for most of them. So the effective number is
//! (sum of |h_g|)^2 / sum of |h_g|^2, between 1 and the number of clusters.
//!
//! ## References
//!
//! * A. V. Carter, K. T. Schnepel, D. G. Steigerwald, "Asymptotic Behavior of a t-Test Robust to Cluster Heterogeneity", Review of
//!   Economics and Statistics 99(4), 2017, <https://doi.org/10.1162/REST_a_00639>: the idea, with other weights.

use super::comparison::Comparison;
use super::fit::Fit;

/// Beyond about this many operations, differences from the average stand for those of pairs.
const MOST_WORK: usize = 400_000_000;

impl Fit {
    /// How many clusters each difference of two strengths rests on, from 1 to their number: row by row, one row and column per arm.
    /// `clusters` has one number per comparison. Of many arms in many clusters, that of a pair is the smaller one of both arms,
    /// each against the average.
    ///
    /// # Panics
    /// If a comparison has an arm that does not exist, or there is not one cluster per comparison.
    #[must_use]
    pub fn effective_clusters(&self, comparisons: &[Comparison], clusters: &[u32]) -> Vec<f64> {
        effective(self, comparisons, clusters, MOST_WORK)
    }
}

fn effective(fit: &Fit, comparisons: &[Comparison], clusters: &[u32], most_work: usize) -> Vec<f64> {
    assert_eq!(comparisons.len(), clusters.len(), "one cluster per comparison");
    let (arms, size) = (fit.arms(), fit.size());
    let mut order: Vec<u32> = (0..comparisons.len() as u32).collect();
    order.sort_by_key(|index| clusters[*index as usize]);
    let chunks = || order.chunk_by(|a, b| clusters[*a as usize] == clusters[*b as usize]);
    let touched = |members: &[u32]| {
        let arms_of = |index: &u32| [comparisons[*index as usize].first, comparisons[*index as usize].second];
        let mut touched: Vec<usize> = members.iter().flat_map(arms_of).collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    };
    let rows: usize = chunks().map(|members| touched(members).len()).sum();
    // Sums of |h| and of its square: for each pair of arms, or for each arm against the average.
    let by_pair = rows.saturating_mul(arms * arms / 2) <= most_work;
    let node_count = if by_pair { arms * arms } else { arms };
    let (mut sums, mut squares) = (vec![0.0; node_count], vec![0.0; node_count]);
    let (mut moved, mut length) = (Vec::new(), vec![0.0_f64; arms]);
    for members in chunks() {
        let touched = touched(members);
        let local = |arm: usize| touched.partition_point(|other| *other < arm);
        // Rows: arms of the cluster; columns: what moves their scores, by the strength that is estimated.
        moved.clear();
        moved.resize(touched.len() * arms, 0.0);
        for index in members {
            let comparison = &comparisons[*index as usize];
            let information = fit.expected_of(comparison).information()[0][0];
            // The slope of strengths, if there is one.
            let slope = comparison.slope.map_or(1.0, |_| fit.directions(comparison).entries()[0].1);
            let weight = comparison.weight * comparison.copies as f64 * information * (slope * slope);
            let (first, second) = (local(comparison.first) * arms, local(comparison.second) * arms);
            let inverse = fit.model_covariance();
            for k in 0..arms {
                let value = weight * (inverse[comparison.first * size + k] - inverse[comparison.second * size + k]);
                moved[first + k] += value;
                moved[second + k] -= value;
            }
        }
        if by_pair {
            for i in 1..arms {
                length[..i].fill(0.0);
                for row in moved.chunks(arms) {
                    let diagonal = row[i];
                    length[..i]
                        .iter_mut()
                        .zip(row)
                        .for_each(|(sum, other)| *sum += (diagonal - other) * (diagonal - other));
                }
                for (j, square) in length[..i].iter().enumerate() {
                    sums[i * arms + j] += libm::sqrt(*square);
                    squares[i * arms + j] += square;
                }
            }
        } else {
            length.fill(0.0);
            for row in moved.chunks(arms) {
                length.iter_mut().zip(row).for_each(|(sum, diagonal)| *sum += diagonal * diagonal);
            }
            for (arm, square) in length.iter().enumerate() {
                sums[arm] += libm::sqrt(*square);
                squares[arm] += square;
            }
        }
    }
    let number = |at: usize| if squares[at] > 0.0 { (sums[at] * sums[at] / squares[at]).max(1.0) } else { 1.0 };
    let of_pair = |at: usize| {
        let (i, j) = (at / arms, at % arms);
        match (by_pair, i == j) {
            (_, true) => 1.0,
            (true, false) => number(i.max(j) * arms + i.min(j)),
            (false, false) => number(i).min(number(j)),
        }
    };
    (0..arms * arms).map(of_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bradley_terry::{Options, Point, cells};

    /// `counts[g]` rounds of all pairs of three arms in cluster g, each won by either.
    fn sample(counts: &[usize]) -> (Vec<Comparison>, Vec<u32>) {
        let mut all = Vec::new();
        for (cluster, count) in (0..).zip(counts) {
            for (first, second) in [(0, 1), (1, 2), (0, 2)] {
                for share in [0.0, 1.0].into_iter().cycle().take(2 * count) {
                    let point = Point::Share(share);
                    let one = Comparison { first, second, point, ..Comparison::default() };
                    all.push((one, cluster));
                }
            }
        }
        all.into_iter().unzip()
    }

    #[test]
    fn equal_clusters_all_count_and_one_large_one_counts_for_most() {
        for (counts, expected) in [
            (vec![4; 9], 9.0),
            (vec![1], 1.0),
            // (16 + 4)^2 / (16^2 + 4)
            (vec![16, 1, 1, 1, 1], 400.0 / 260.0),
        ] {
            let (comparisons, clusters) = sample(&counts);
            let fit = Fit::new(3, &cells(&comparisons), Options::default()).unwrap();
            for most_work in [usize::MAX, 0] {
                let found = effective(&fit, &comparisons, &clusters, most_work);
                for at in [1, 2, 5, 3] {
                    assert!((found[at] - expected).abs() < 1e-9, "{counts:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn clusters_that_say_nothing_of_a_pair_do_not_count_for_it() {
        // Clusters 0 and 1 compare 0 with 1; 2 to 6 compare 1 with 2.
        let pair = |first, second, share| {
            let point = Point::Share(share);
            Comparison { first, second, point, ..Comparison::default() }
        };
        let mut comparisons = Vec::new();
        let mut clusters = Vec::new();
        for cluster in 0..7 {
            let (first, second) = if cluster < 2 { (0, 1) } else { (1, 2) };
            comparisons.extend([pair(first, second, 0.0), pair(first, second, 1.0)]);
            clusters.extend([cluster; 2]);
        }
        let fit = Fit::new(3, &cells(&comparisons), Options::default()).unwrap();
        let found = fit.effective_clusters(&comparisons, &clusters);
        assert!((found[1] - 2.0).abs() < 1e-9 && (found[5] - 5.0).abs() < 1e-9, "{found:?}");
        // 0 with 2 needs both kinds: two that move half of it, five that move a fifth.
        assert!((found[2] - 4.0 / (2.0 / 4.0 + 5.0 / 25.0)).abs() < 1e-9, "{found:?}");
        assert!(found.chunks(3).enumerate().all(|(i, row)| (0..3).all(|j| row[j] == found[j * 3 + i])));
    }
}
