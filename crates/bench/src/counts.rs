//! The outcomes of a session by pair, and the order that they suggest.

use ranktypes::Preference;

/// How often each arm beat each other.
#[derive(Debug, Clone)]
pub(crate) struct OutcomeCounts {
    arms: usize,
    wins: Vec<u32>,
    /// Ties of i and j, at both places.
    ties: Vec<u32>,
}

impl OutcomeCounts {
    pub(crate) fn new(arms: usize) -> Self {
        Self { arms, wins: vec![0; arms * arms], ties: vec![0; arms * arms] }
    }

    pub(crate) fn arms(&self) -> usize {
        self.arms
    }

    #[inline]
    pub(crate) fn record(&mut self, first: usize, second: usize, outcome: Preference) {
        let (forward, backward) = (first * self.arms + second, second * self.arms + first);
        match outcome {
            Preference::First => self.wins[forward] += 1,
            Preference::Second => self.wins[backward] += 1,
            Preference::Tie => {
                self.ties[forward] += 1;
                self.ties[backward] += 1;
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
        let mut opponents: Vec<Vec<(usize, f64)>> = Vec::with_capacity(arms);
        let mut won = Vec::with_capacity(arms);
        for i in 0..arms {
            let pairs_with = (0..arms).map(|j| (j, points(i, j) + points(j, i)));
            opponents.push(pairs_with.filter(|&(_, times)| times > 0.0).collect());
            won.push((0..arms).map(|j| points(i, j)).sum::<f64>() + 0.5);
        }
        let mut strengths = vec![1.0; arms];
        for _ in 0..ROUNDS {
            let next_strengths = (0..arms).map(|i| {
                let strength: f64 = strengths[i];
                let expected: f64 = opponents[i].iter().map(|&(j, times)| times / (strength + strengths[j])).sum();
                won[i] / (expected + 1.0 / (strength + 1.0))
            });
            strengths = next_strengths.collect();
        }
        let mut order: Vec<usize> = (0..arms).collect();
        order.sort_by(|&i, &j| strengths[j].total_cmp(&strengths[i]));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order is that of the fit of `statistics`, which takes longer than a session of few answers: with an arm more, of mean strength, against
    /// which each won and lost half a comparison.
    #[test]
    fn the_order_is_that_of_bradley_terry() {
        use statistics::bradley_terry::{Cell, Covariates, Fit, Options};
        let arms = 12;
        let mut draws = statistics::Normals::from_seed(3);
        for _ in 0..20 {
            let mut counts = OutcomeCounts::new(arms);
            let mut cells = Vec::new();
            let mut cell = |first: usize, second: usize, wins: f64, losses: f64| {
                let (position, ties) = (0.0, 0.0);
                cells.push(Cell {
                    first,
                    second,
                    position,
                    wins,
                    losses,
                    ties,
                    covariates: Covariates::default(),
                    slope: None,
                });
            };
            for _ in 0..400 {
                let (i, j) = (draws.below(arms), draws.below(arms));
                let ahead = libm::exp(0.3 * (j as f64 - i as f64));
                if i == j {
                    continue;
                }
                match draws.uniform() {
                    tie if tie < 0.2 => {
                        counts.record(i, j, Preference::Tie);
                        cell(i, j, 0.5, 0.5);
                    }
                    _ if draws.uniform() < ahead / (1.0 + ahead) => {
                        counts.record(i, j, Preference::First);
                        cell(i, j, 1.0, 0.0);
                    }
                    _ => {
                        counts.record(i, j, Preference::Second);
                        cell(i, j, 0.0, 1.0);
                    }
                }
            }
            (0..arms).for_each(|arm| cell(arm, arms, 0.5, 0.5));
            let fit = Fit::new(arms + 1, &cells, Options::default()).expect("finite strengths");
            let mut order: Vec<usize> = (0..arms).collect();
            order.sort_by(|&i, &j| fit.strengths()[j].total_cmp(&fit.strengths()[i]));
            assert_eq!(counts.order(), order);
        }
    }

    #[test]
    fn orders_go_through_chains_of_comparisons() {
        let mut counts = OutcomeCounts::new(4);
        for (winner, loser) in [(2, 0), (0, 3), (3, 1)] {
            for _ in 0..5 {
                counts.record(winner, loser, Preference::First);
            }
            counts.record(loser, winner, Preference::Tie);
        }
        assert_eq!(counts.order(), [2, 0, 3, 1]);
        assert_eq!(OutcomeCounts::new(3).order(), [0, 1, 2]);
        assert_eq!((counts.wins(2, 0), counts.wins(0, 2)), (5, 0));
    }
}
