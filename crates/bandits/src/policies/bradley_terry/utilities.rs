//! Posteriors of utilities under several priors side by side, each with its weight.

use crate::random::{Largest, NormalPosterior, uniform};
use crate::state::{State, StateError, StateReader, StateWriter};
use crate::{Arm, Generator};

/// A prior with a weight below this share of the largest is dropped.
const MIN_PRIOR_SHARE: f64 = 0.001;
/// After this many duels per arm only the heaviest prior is kept: the priors then hardly matter.
const PRIOR_DUELS_PER_ARM: u64 = 64;

/// One prior, and its posterior.
#[derive(Debug, Clone)]
struct Filter {
    prior: f64,
    /// The logarithm of the probability that it gave to all outcomes.
    weight: f64,
    utilities: Largest<NormalPosterior>,
}

/// The priors that are left.
#[derive(Debug, Clone)]
pub(super) struct Utilities {
    eta: f64,
    filters: Vec<Filter>,
    /// The heaviest.
    best: usize,
    duels: u64,
}

impl Utilities {
    pub(super) fn new(arms: usize, priors: &[f64], eta: f64) -> Self {
        let filter = |&prior: &f64| {
            let one = NormalPosterior { mean: 0.0, deviation: prior };
            Filter { prior, weight: 0.0, utilities: Largest::new(arms, one) }
        };
        Self { eta, filters: priors.iter().map(filter).collect(), best: 0, duels: 0 }
    }

    /// The mean of the utility of `arm`, by the heaviest prior.
    #[inline]
    pub(super) fn mean(&self, arm: Arm) -> f64 {
        self.filters[self.best].utilities.distributions()[arm.index()].mean
    }

    /// A prior, drawn by weight.
    #[inline]
    pub(super) fn draw_prior(&self, generator: &mut Generator) -> usize {
        if self.filters.len() == 1 { 0 } else { self.draw_of_several(generator) }
    }

    fn draw_of_several(&self, generator: &mut Generator) -> usize {
        let max_weight = self.filters[self.best].weight;
        let share = |filter: &Filter| libm::exp(filter.weight - max_weight);
        let mut rest = uniform(generator) * self.filters.iter().map(share).sum::<f64>();
        let drawn = self.filters.iter().position(|filter| {
            rest -= share(filter);
            rest < 0.0
        });
        drawn.unwrap_or(self.best)
    }

    /// The arm with the largest of one draw of each, by the posterior of a prior.
    #[inline]
    pub(super) fn draw_largest(&mut self, prior: usize, generator: &mut Generator) -> Arm {
        Arm::at(self.filters[prior].utilities.draw(generator))
    }

    /// Learns from a duel, and returns whether the heaviest prior is another: then all means are.
    #[inline]
    pub(super) fn learn(&mut self, winner: Arm, loser: Arm) -> bool {
        self.duels += 1;
        let several = self.filters.len() > 1;
        for filter in &mut self.filters {
            let all = filter.utilities.distributions();
            let (won, lost) = (all[winner.index()], all[loser.index()]);
            if several {
                filter.weight += log_probability(won, lost);
            }
            let [won, lost] = after_duel(won, lost, self.eta);
            filter.utilities.set(winner.index(), won);
            filter.utilities.set(loser.index(), lost);
        }
        several && self.weigh()
    }

    fn weigh(&mut self) -> bool {
        let before = self.filters[self.best].prior;
        let max_weight = self.filters.iter().map(|filter| filter.weight).fold(f64::NEG_INFINITY, f64::max);
        let arms = self.filters[self.best].utilities.distributions().len() as u64;
        let min_weight =
            if self.duels < PRIOR_DUELS_PER_ARM * arms { max_weight + libm::log(MIN_PRIOR_SHARE) } else { max_weight };
        self.filters.retain(|filter| filter.weight >= min_weight);
        let best = self.filters.iter().position(|filter| filter.weight == max_weight);
        self.best = best.expect("the heaviest stays");
        self.filters[self.best].prior != before
    }
}

/// Fewer priors may be left than there were at first.
impl State for Utilities {
    fn save(&self, to: &mut StateWriter) {
        let priors: Vec<f64> = self.filters.iter().map(|filter| filter.prior).collect();
        priors.save(to);
        for filter in &self.filters {
            to.put(filter.weight);
            filter.utilities.save(to);
        }
        to.put(self.best);
        to.put(self.duels);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        let mut priors: Vec<f64> = Vec::new();
        priors.load(from)?;
        self.filters.retain(|filter| priors.contains(&filter.prior));
        if self.filters.is_empty() || self.filters.len() != priors.len() {
            return Err(StateError::Damaged { what: "priors that are not those of the policy" });
        }
        for filter in &mut self.filters {
            filter.weight = from.get()?;
            filter.utilities.load(from)?;
        }
        self.best = from.get()?;
        self.duels = from.get()?;
        if self.best < self.filters.len() {
            return Ok(());
        }
        Err(StateError::Damaged { what: "the number of a prior" })
    }
}

/// The logarithm of the probability that the winner was to win, with the integral over both utilities as in D. J. C. MacKay,
/// "The Evidence Framework Applied to Classification Networks", Neural Computation 4, 1992,
/// <https://doi.org/10.1162/neco.1992.4.5.720>.
#[inline]
fn log_probability(winner: NormalPosterior, loser: NormalPosterior) -> f64 {
    let variance = winner.deviation * winner.deviation + loser.deviation * loser.deviation;
    let logit = (winner.mean - loser.mean) / (1.0 + std::f64::consts::PI / 8.0 * variance).sqrt();
    -libm::log1p(libm::exp(-logit))
}

/// The update of two utilities by a duel, those of winner and loser.
#[inline]
fn after_duel(winner: NormalPosterior, loser: NormalPosterior, eta: f64) -> [NormalPosterior; 2] {
    let surprise = 1.0 / (1.0 + libm::exp(winner.mean - loser.mean));
    let information = eta * surprise * (1.0 - surprise);
    let [of_winner, of_loser] = [winner, loser].map(|arm| arm.deviation * arm.deviation);
    let scale = 1.0 + information * (of_winner + of_loser);
    let step = eta * surprise / scale;
    let deviation = |variance: f64| (variance - variance * variance * information / scale).sqrt();
    [
        NormalPosterior { mean: winner.mean + of_winner * step, deviation: deviation(of_winner) },
        NormalPosterior { mean: loser.mean - of_loser * step, deviation: deviation(of_loser) },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duel_moves_means_by_what_it_surprises() {
        let even = NormalPosterior { mean: 0.0, deviation: 1.0 };
        // p = 1/2, h = 1/4, s = 1 + 2/4: each mean moves by 1/2 / s, each variance falls by 1/4 / s.
        let [winner, loser] = after_duel(even, even, 1.0);
        assert!((winner.mean - 1.0 / 3.0).abs() < 1e-12 && (loser.mean + 1.0 / 3.0).abs() < 1e-12);
        assert!((winner.deviation.powi(2) - 5.0 / 6.0).abs() < 1e-12);
        assert_eq!(winner.deviation, loser.deviation);
        // An expected outcome says little, and a well-known arm hardly moves.
        let strong = NormalPosterior { mean: 5.0, deviation: 0.1 };
        let [expected, _] = after_duel(strong, even, 1.0);
        let [_, upset] = after_duel(even, strong, 1.0);
        assert!(expected.mean - strong.mean < 1e-4 && strong.mean - upset.mean > 9e-3);
        // One duel that counts for two is about as two in turn.
        let weak = NormalPosterior { mean: 0.3, deviation: 0.05 };
        let [once, other] = after_duel(weak, weak, 1.0);
        let [twice, _] = after_duel(once, other, 1.0);
        let [both, _] = after_duel(weak, weak, 2.0);
        assert!((twice.mean - both.mean).abs() < 1e-5 && (twice.deviation - both.deviation).abs() < 1e-5);
    }

    /// The filter's mean and deviation of a difference, and those of the exact posterior by quadrature.
    #[test]
    fn two_arms_have_about_the_exact_posterior() {
        let prior = 0.3;
        let (won, lost) = (70, 50);
        let mut arms = [NormalPosterior { mean: 0.0, deviation: prior }; 2];
        for duel in 0..won + lost {
            // Spread evenly.
            if (duel + 1) * won / (won + lost) > duel * won / (won + lost) {
                arms = after_duel(arms[0], arms[1], 1.0);
            } else {
                let [second, first] = after_duel(arms[1], arms[0], 1.0);
                arms = [first, second];
            }
        }
        let variance = 2.0 * prior * prior;
        let moments = (-4000..4000).map(|place| f64::from(place) * 5e-4).fold([0.0; 3], |sums: [f64; 3], d| {
            let log = |x: f64| -libm::log1p(libm::exp(-x));
            let density =
                libm::exp(f64::from(won) * log(d) + f64::from(lost) * log(-d) - d * d / (2.0 * variance) + 80.0);
            [sums[0] + density, sums[1] + density * d, sums[2] + density * d * d]
        });
        let (mean, square) = (moments[1] / moments[0], moments[2] / moments[0]);
        let difference = arms[0].mean - arms[1].mean;
        // Without correlations the variances do not add up to that of the difference: they fall too slowly at most by a half.
        let spread = arms.iter().map(|arm| arm.deviation.powi(2)).sum::<f64>();
        assert!((difference - mean).abs() < 0.25 * mean, "{difference}, exactly {mean}");
        let ratio = spread / (square - mean * mean);
        assert!(ratio > 0.95 && ratio < 2.0, "{ratio}");
    }

    /// Arms with utilities drawn at one of three scales meet at random.
    #[test]
    fn the_prior_that_explains_the_outcomes_goes_on_alone() {
        use crate::problems::utilities::normal;
        use crate::random::below;
        use rand::SeedableRng as _;

        for (scale, expected) in [(0.14, [0.07, 0.28]), (0.56, [0.28, 1.12]), (2.24, [1.12, 2.24])] {
            let mut generator = Generator::seed_from_u64(3);
            let truth = normal(40, scale, 4);
            let mut utilities = Utilities::new(40, &super::super::PRIORS, 1.0);
            for _ in 0..40 * PRIOR_DUELS_PER_ARM {
                let (i, j) = (below(&mut generator, 40), below(&mut generator, 39));
                let j = if j < i { j } else { j + 1 };
                let first = uniform(&mut generator) < 1.0 / (1.0 + libm::exp(truth[j] - truth[i]));
                let (winner, loser) = if first { (i, j) } else { (j, i) };
                utilities.learn(Arm::at(winner), Arm::at(loser));
            }
            let priors: Vec<f64> = utilities.filters.iter().map(|filter| filter.prior).collect();
            assert!(priors.len() == 1 && (expected[0]..=expected[1]).contains(&priors[0]), "{scale}: {priors:?}");
        }
    }
}
