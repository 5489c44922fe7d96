//! Draws in proportion to weights that change one at a time.

use super::unit;
use crate::Generator;
use crate::state;

/// A tree of sums over the weights: a draw or a change costs O(log n). Each sum is recomputed
/// from the two below it, so that nothing drifts however often weights change.
#[derive(Debug, Clone)]
pub(crate) struct WeightTree {
    /// Node k has the children 2k and 2k + 1; the leaves are the last `leaves`.
    sums: Vec<f64>,
    leaves: usize,
    arms: usize,
}

state!(WeightTree { sums } but { leaves, arms });

impl WeightTree {
    /// `arms` weights of 1.
    pub(crate) fn ones(arms: usize) -> Self {
        let leaves = arms.next_power_of_two();
        let mut tree = Self { sums: vec![0.0; 2 * leaves], leaves, arms };
        tree.sums[leaves..leaves + arms].fill(1.0);
        tree.sum_up();
        tree
    }

    fn sum_up(&mut self) {
        for node in (1..self.leaves).rev() {
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1];
        }
    }

    /// The weight of an arm.
    #[inline]
    pub(crate) fn weight(&self, arm: usize) -> f64 {
        self.sums[self.leaves + arm]
    }

    /// The sum of the weights.
    #[inline]
    pub(crate) fn total(&self) -> f64 {
        self.sums[1]
    }

    /// Changes a weight.
    #[inline]
    pub(crate) fn set(&mut self, arm: usize, weight: f64) {
        let mut node = self.leaves + arm;
        self.sums[node] = weight;
        while node > 1 {
            node /= 2;
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1];
        }
    }

    /// Changes every weight.
    pub(crate) fn set_all(&mut self, weight: impl Fn(usize) -> f64) {
        for (arm, leaf) in self.sums[self.leaves..self.leaves + self.arms].iter_mut().enumerate() {
            *leaf = weight(arm);
        }
        self.sum_up();
    }

    /// An arm with probability weight / total.
    #[inline]
    pub(crate) fn draw(&self, generator: &mut Generator) -> usize {
        let mut remaining_weight = unit(generator) * self.total();
        let mut node = 1;
        while node < self.leaves {
            let left = self.sums[2 * node];
            node *= 2;
            // Rounding must not lead into an empty branch.
            if remaining_weight >= left && self.sums[node + 1] > 0.0 {
                remaining_weight -= left;
                node += 1;
            }
        }
        node - self.leaves
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn value_stability() {
        let mut generator = Generator::seed_from_u64(1);
        let mut tree = WeightTree::ones(5);
        tree.set(3, 2.5);
        let drawn: Vec<usize> = (0..10).map(|_| tree.draw(&mut generator)).collect();
        assert_eq!(drawn, [3, 3, 0, 3, 1, 3, 4, 3, 0, 0]);
    }

    #[test]
    fn draws_are_in_proportion() {
        let mut generator = Generator::seed_from_u64(2);
        for weights in [&[1.0][..], &[0.0, 3.0, 1.0], &[1.0, 2.0, 3.0, 4.0, 0.0, 5.0, 1e-3]] {
            let mut tree = WeightTree::ones(weights.len());
            for (arm, &weight) in weights.iter().enumerate() {
                tree.set(arm, weight);
            }
            let total = tree.total();
            tree.set_all(|arm| weights[arm]);
            assert_eq!(tree.total(), total);
            let draws = 50_000;
            let mut counts = vec![0_u32; weights.len()];
            for _ in 0..draws {
                counts[tree.draw(&mut generator)] += 1;
            }
            let total: f64 = weights.iter().sum();
            for (count, weight) in counts.iter().zip(weights) {
                let (n, p) = (f64::from(draws), weight / total);
                let bound = 5.0 * (n * p * (1.0 - p)).sqrt() + if p > 0.0 { 5.0 } else { 0.0 };
                assert!((f64::from(*count) - n * p).abs() <= bound, "{counts:?} {weights:?}");
            }
        }
    }
}
