//! The posterior of utilities and of the effects of pairs: a normal distribution at the mode, fitted to all duels from scratch.

use super::square_matrix::SquareMatrix;
use crate::counts::{PairCounts, PairTable};
use crate::state;

/// How many arms or pairs the first guess of a standard deviation counts for, beside those observed.
const GUESS_WEIGHT: f64 = 5.0;
/// Logits are held within this, so that a pair won without exception keeps some weight.
const LOGIT: f64 = 6.0;

/// The means, and the two variances that the duels themselves teach.
#[derive(Debug, Clone)]
pub(super) struct Posterior {
    /// Standard deviations at first, of utilities and of effects.
    prior: f64,
    pairs: f64,
    /// Means of u(i).
    utility: Vec<f64>,
    /// Means of e(i, j) = -e(j, i).
    effect: PairTable<f64>,
    /// s^2 and r^2.
    variance: [f64; 2],
}

state!(Posterior { utility, effect, variance } but { prior, pairs });

/// The posterior of a logit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Logit {
    pub(super) mean: f64,
    pub(super) variance: f64,
    /// How much it moves with the difference of the utilities, in [0, 1]: what the pair's own duels have not settled.
    pub(super) slope: f64,
}

/// The duels of a pair as an observation of its logit, near the present mean: `response` with variance 1 / `weight`.
struct LogitObservation {
    response: f64,
    weight: f64,
}

impl Posterior {
    pub(super) fn new(arms: usize, prior: f64, pairs: f64) -> Self {
        let variance = [prior * prior, pairs * pairs];
        Self { prior, pairs, utility: vec![0.0; arms], effect: PairTable::new(arms, 0.0), variance }
    }

    /// The mean of the logit of i beating j.
    pub(super) fn mean(&self, i: usize, j: usize) -> f64 {
        self.utility[i] - self.utility[j] + self.effect[(i, j)]
    }

    /// The posterior of the logit of i beating j, by the covariance of utilities that [`fit`](Self::fit) returned.
    pub(super) fn logit(&self, counts: &PairCounts, covariance: &SquareMatrix, i: usize, j: usize) -> Logit {
        let [_, misfit] = self.variance;
        let weight = self.evidence(counts, i, j).map_or(0.0, |evidence| evidence.weight);
        let slope = 1.0 / (1.0 + misfit * weight);
        let difference = covariance.at(i, i) + covariance.at(j, j) - 2.0 * covariance.at(i, j);
        Logit { mean: self.mean(i, j), variance: slope * slope * difference + misfit * slope, slope }
    }

    fn evidence(&self, counts: &PairCounts, i: usize, j: usize) -> Option<LogitObservation> {
        let (won, lost) = counts.between(i, j);
        if won + lost == 0 {
            return None;
        }
        let (won, met) = (f64::from(won), f64::from(won) + f64::from(lost));
        let logit = self.mean(i, j).clamp(-LOGIT, LOGIT);
        let p = 1.0 / (1.0 + libm::exp(-logit));
        let weight = met * p * (1.0 - p);
        Some(LogitObservation { response: logit + (won - met * p) / weight, weight })
    }

    /// Fits means and variances to all duels, and returns the covariance of the utilities.
    pub(super) fn fit(&mut self, counts: &PairCounts) -> SquareMatrix {
        // The fit before is near: two steps towards the mode are enough.
        self.step(counts);
        let covariance = self.step(counts).inverse();
        self.learn_variances(counts, &covariance);
        covariance
    }

    /// One step of Newton's method for all means. Returns the factor of the precision of the utilities.
    ///
    /// Without e(i, j) a pair says of u(i) - u(j) what its response does with variance 1 / weight + r^2.
    fn step(&mut self, counts: &PairCounts) -> SquareMatrix {
        let arms = self.utility.len();
        let [spread, misfit] = self.variance;
        let mut precision = SquareMatrix::zero(arms);
        let mut utility = vec![0.0; arms];
        for i in 0..arms {
            *precision.at_mut(i, i) += 1.0 / spread;
            for j in 0..i {
                let Some(LogitObservation { response, weight }) = self.evidence(counts, i, j) else { continue };
                let weight = weight / (1.0 + misfit * weight);
                *precision.at_mut(i, i) += weight;
                *precision.at_mut(j, j) += weight;
                *precision.at_mut(i, j) -= weight;
                utility[i] += weight * response;
                utility[j] -= weight * response;
            }
        }
        precision.factor();
        precision.solve(&mut utility);
        for i in 0..arms {
            for j in 0..i {
                let Some(LogitObservation { response, weight }) = self.evidence(counts, i, j) else { continue };
                let effect = misfit * weight / (1.0 + misfit * weight) * (response - (utility[i] - utility[j]));
                self.effect[(i, j)] = effect;
                self.effect[(j, i)] = -effect;
            }
        }
        self.utility = utility;
        precision
    }

    /// One step of expectation maximisation for s^2 and r^2. A pair counts by the share that its duels have settled.
    fn learn_variances(&mut self, counts: &PairCounts, covariance: &SquareMatrix) {
        let arms = self.utility.len();
        let [_, misfit] = self.variance;
        let mut utilities = GUESS_WEIGHT * self.prior * self.prior;
        let (mut effects, mut pairs) = (GUESS_WEIGHT * self.pairs * self.pairs, GUESS_WEIGHT);
        for i in 0..arms {
            utilities += self.utility[i] * self.utility[i] + covariance.at(i, i);
            for j in 0..i {
                let Some(LogitObservation { weight, .. }) = self.evidence(counts, i, j) else { continue };
                let settled = misfit * weight / (1.0 + misfit * weight);
                let difference = covariance.at(i, i) + covariance.at(j, j) - 2.0 * covariance.at(i, j);
                let effect = self.effect[(i, j)];
                effects += effect * effect + settled * settled * difference;
                pairs += settled;
            }
        }
        self.variance = [utilities / (arms as f64 + GUESS_WEIGHT), effects / pairs];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two arms: their logit is N(0, 2 s^2 + r^2) before the duels; after them it agrees with quadrature.
    #[test]
    fn two_arms_have_the_exact_posterior() {
        for (won, lost) in [(70_u32, 50_u32), (30, 60), (400, 500)] {
            let mut counts = PairCounts::new(2, 0);
            counts[(0, 1)] = won;
            counts[(1, 0)] = lost;
            let mut posterior = Posterior::new(2, 0.3, 0.1);
            let prior = 2.0 * 0.3 * 0.3 + 0.1 * 0.1;
            let mut found = None;
            for _ in 0..5 {
                // The variances stay as they are: only the fit is needed.
                let factor = posterior.step(&counts);
                found = Some(posterior.logit(&counts, &factor.inverse(), 0, 1));
            }
            let found = found.expect("five fits");
            let moments = (-4000..4000).map(|place| f64::from(place) * 5e-4).fold([0.0; 3], |sums: [f64; 3], x| {
                let log = |x: f64| -libm::log1p(libm::exp(-x));
                let all = f64::from(won) * log(x) + f64::from(lost) * log(-x) - x * x / (2.0 * prior);
                let density = libm::exp(all + 0.69 * f64::from(won + lost));
                [sums[0] + density, sums[1] + density * x, sums[2] + density * x * x]
            });
            let (mean, square) = (moments[1] / moments[0], moments[2] / moments[0]);
            let deviation = (square - mean * mean).sqrt();
            // The mode is not the mean, by the third-order terms of the logarithm: a few hundredths of a deviation.
            assert!((found.mean - mean).abs() < 0.05 * deviation, "{won} to {lost}: {found:?}, exactly {mean}");
            assert!((found.variance.sqrt() / deviation - 1.0).abs() < 0.02, "{won} to {lost}: {found:?}, {deviation}");
        }
    }

    /// Utilities explain an order; what they cannot explain, a cycle, goes into the effects, and their variance grows.
    #[test]
    fn effects_are_what_utilities_do_not_explain() {
        let fitted = |cyclic: bool| {
            let mut counts = PairCounts::new(3, 0);
            for (i, j) in [(0, 1), (1, 2), (0, 2)] {
                let (winner, loser) = if cyclic && (i, j) == (0, 2) { (j, i) } else { (i, j) };
                counts[(winner, loser)] = 650;
                counts[(loser, winner)] = 350;
            }
            let mut posterior = Posterior::new(3, 0.3, 0.02);
            for _ in 0..300 {
                posterior.fit(&counts);
            }
            posterior
        };
        let [order, cycle] = [fitted(false), fitted(true)];
        let logit = libm::log(0.65 / 0.35);
        assert!(order.variance[1] < 0.25 * cycle.variance[1], "{:?} and {:?}", order.variance, cycle.variance);
        assert!(cycle.utility.iter().all(|utility| utility.abs() < 1e-9));
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            assert!((cycle.effect[(i, j)] / logit - 1.0).abs() < 0.1, "{}", cycle.effect[(i, j)]);
            assert_eq!(cycle.effect[(i, j)], -cycle.effect[(j, i)]);
        }
    }
}
