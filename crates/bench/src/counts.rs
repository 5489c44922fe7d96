//! The outcomes of a session by pair, and the order that they suggest.

use ranktypes::Preference;

/// How often each arm beat each other.
#[derive(Debug, Clone)]
pub(crate) struct PairCounts {
    arms: usize,
    wins: Vec<u32>,
    /// Ties of i and j, at both places.
    ties: Vec<u32>,
}

impl PairCounts {
    pub(crate) fn new(arms: usize) -> Self {
        Self { arms, wins: vec![0; arms * arms], ties: vec![0; arms * arms] }
    }

    pub(crate) fn arms(&self) -> usize {
        self.arms
    }

    #[inline]
    pub(crate) fn record(&mut self, first: usize, second: usize, outcome: Preference) {
        let (one, other) = (first * self.arms + second, second * self.arms + first);
        match outcome {
            Preference::First => self.wins[one] += 1,
            Preference::Second => self.wins[other] += 1,
            Preference::Tie => {
                self.ties[one] += 1;
                self.ties[other] += 1;
            }
        }
    }

    /// How often i beat j.
    pub(crate) fn wins(&self, i: usize, j: usize) -> u32 {
        self.wins[i * self.arms + j]
    }

    /// All arms by their Bradley-Terry strengths, the strongest first: what the benchmark takes for the order of an entry that
    /// states none. A tie is half a win for each, and each arm also won and lost half a comparison with an arm of mean strength,
    /// so that strengths are finite. Equal strengths go by the number of the arm, which every session draws again.
    ///
    /// D. R. Hunter, "MM Algorithms for Generalized Bradley-Terry Models", Annals of Statistics 32, 2004,
    /// <https://doi.org/10.1214/aos/1079120141>.
    pub(crate) fn order(&self) -> Vec<usize> {
        const ROUNDS: usize = 100;
        let arms = self.arms;
        let points = |i: usize, j: usize| f64::from(self.wins[i * arms + j]) + f64::from(self.ties[i * arms + j]) / 2.0;
        let mut met: Vec<Vec<(usize, f64)>> = Vec::with_capacity(arms);
        let mut won = Vec::with_capacity(arms);
        for i in 0..arms {
            let others = (0..arms).map(|j| (j, points(i, j) + points(j, i)));
            met.push(others.filter(|&(_, times)| times > 0.0).collect());
            won.push((0..arms).map(|j| points(i, j)).sum::<f64>() + 0.5);
        }
        let mut strengths = vec![1.0; arms];
        for _ in 0..ROUNDS {
            let next = (0..arms).map(|i| {
                let own: f64 = strengths[i];
                let against: f64 = met[i].iter().map(|&(j, times)| times / (own + strengths[j])).sum();
                won[i] / (against + 1.0 / (own + 1.0))
            });
            strengths = next.collect();
        }
        let mut order: Vec<usize> = (0..arms).collect();
        order.sort_by(|&i, &j| strengths[j].total_cmp(&strengths[i]));
        order
    }
}

/// Kendall's tau of an order, the best first, with scores, higher is better: of the pairs with different scores, the share that is
/// in the right order minus the share that is not. 1 if no scores differ.
///
/// M. G. Kendall, "A New Measure of Rank Correlation", Biometrika 30, 1938, <https://doi.org/10.1093/biomet/30.1-2.81>.
pub(crate) fn kendall(order: &[usize], scores: &[f64]) -> f64 {
    let (mut right, mut all) = (0_i64, 0_i64);
    for (place, &better) in order.iter().enumerate() {
        for &worse in &order[place + 1..] {
            let difference = scores[better] - scores[worse];
            // Scores are means of probabilities.
            if difference.abs() > 1e-12 {
                all += 1;
                right += if difference > 0.0 { 1 } else { -1 };
            }
        }
    }
    if all == 0 { 1.0 } else { right as f64 / all as f64 }
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
    fn orders_go_through_chains_of_comparisons() {
        let mut counts = PairCounts::new(4);
        for (winner, loser) in [(2, 0), (0, 3), (3, 1)] {
            for _ in 0..5 {
                counts.record(winner, loser, Preference::First);
            }
            counts.record(loser, winner, Preference::Tie);
        }
        assert_eq!(counts.order(), [2, 0, 3, 1]);
        assert_eq!(PairCounts::new(3).order(), [0, 1, 2]);
        assert_eq!((counts.wins(2, 0), counts.wins(0, 2)), (5, 0));
    }
}
