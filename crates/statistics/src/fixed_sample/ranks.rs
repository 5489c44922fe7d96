//! Ranks, and how well an order agrees with scores.

/// The rank of each value, from 1 for the smallest; equal ones share the mean of theirs.
///
/// ```
/// assert_eq!(statistics::fixed_sample::mid_ranks(&[0.3, 0.1, 0.3, 0.2]), [3.5, 1.0, 3.5, 2.0]);
/// ```
#[must_use]
pub fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for equal in order.chunk_by(|&one, &other| values[one] == values[other]) {
        let rank = start as f64 + (equal.len() + 1) as f64 / 2.0;
        equal.iter().for_each(|&place| ranks[place] = rank);
        start += equal.len();
    }
    ranks
}

/// Kendall's tau of an order, the best first, with scores, higher is better: of the pairs with different scores, the share that is
/// in the right order minus the share that is not. 1 if no scores differ.
///
/// M. G. Kendall, "A New Measure of Rank Correlation", Biometrika 30, 1938, <https://doi.org/10.1093/biomet/30.1-2.81>.
#[must_use]
pub fn kendall(order: &[usize], scores: &[f64]) -> f64 {
    let (mut concordant, mut pairs) = (0_i64, 0_i64);
    for (rank, &better) in order.iter().enumerate() {
        for &worse in &order[rank + 1..] {
            let difference = scores[better] - scores[worse];
            // Scores are means of probabilities.
            if difference.abs() > 1e-12 {
                pairs += 1;
                concordant += if difference > 0.0 { 1 } else { -1 };
            }
        }
    }
    if pairs == 0 { 1.0 } else { concordant as f64 / pairs as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tau_counts_pairs() {
        assert_eq!(kendall(&[0, 1, 2], &[3.0, 2.0, 1.0]), 1.0);
        assert_eq!(kendall(&[2, 1, 0], &[3.0, 2.0, 1.0]), -1.0);
        assert_eq!(kendall(&[1, 0, 2], &[3.0, 2.0, 1.0]), 1.0 / 3.0);
        // Equal scores do not count.
        assert_eq!(kendall(&[1, 0, 2], &[2.0, 2.0, 1.0]), 1.0);
        assert_eq!(kendall(&[1, 0], &[1.0, 1.0]), 1.0);
    }

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(mid_ranks(&[1.0, 1.0, 1.0]), [2.0; 3]);
        assert!(mid_ranks(&[]).is_empty());
    }
}
