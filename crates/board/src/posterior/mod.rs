//! The posterior of strengths: shrunk towards each other by their own spread.
//!
//! The strengths of a group are taken as normal with a common standard deviation, their spread, which is learnt from the fit. For the
//! probability of being the best it has a priori a uniform distribution up to [`MOST_SPREAD`]. A distribution that is uniform in the
//! logarithm would make two competitors, which show no spread, probably equal. Without shrinkage the luckiest of many competitors would
//! look better than it is.
//!
//! With the normal approximation of the fit this gives a posterior; the probability of being the best is a share of draws from it, in which
//! the spread varies as well. For small groups the likelihood is far from normal, and [`exact_posterior`] computes that share without the
//! approximation.
//!
//! A. Gelman, "Prior distributions for variance parameters in hierarchical models", Bayesian Analysis 1(3), 2006,
//! <https://doi.org/10.1214/06-BA117A>: uniform priors of standard deviations.

pub(crate) mod exact_posterior;

use statistics::Normals;
use statistics::matrix::{self, Cholesky};

/// A normal posterior of strengths.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Posterior {
    /// The standard deviation of strengths: the geometric mean of its posterior, a priori uniform in its logarithm.
    pub(crate) spread: f64,
    /// Under that.
    pub(crate) mean: Vec<f64>,
    /// The inverse covariance under that, row by row, with some curvature for a common shift.
    pub(crate) precision: Vec<f64>,
    /// For each competitor, the probability of being the best.
    pub(crate) best: Vec<f64>,
}

/// The posterior under one standard deviation of strengths.
#[derive(Debug, Clone)]
pub(crate) struct SpreadPosterior {
    pub(crate) spread: f64,
    /// The probability of this standard deviation.
    pub(crate) probability: f64,
    pub(crate) mean: Vec<f64>,
    /// As in [`Posterior`].
    pub(crate) precision: Vec<f64>,
}

/// Standard deviations that are less likely than this are left out.
const UNLIKELY: f64 = 1e-3;

/// The largest standard deviation of strengths, rounded: a competitor that far from the average would win 99 of 100 times.
pub(crate) const MOST_SPREAD: f64 = 4.5;

/// The standard deviations of strengths, from 0.05 to [`MOST_SPREAD`], each the square root of 2 times the one before.
pub(crate) fn spreads() -> impl Iterator<Item = f64> {
    (0..14).map(|step| 0.05 * libm::pow(2.0, f64::from(step) / 2.0))
}

/// The prior of a standard deviation, up to a factor.
#[derive(Debug, Clone, Copy)]
enum Hyperprior {
    /// Uniform: values that rise by equal factors stand for intervals as long as they are large.
    Uniform,
    /// Uniform in the logarithm, for simulations of further judgements. Spreads are then smaller, and so are the chances that the best is
    /// named. Those are too high anyway, because estimates from few judgements are not normal; with the uniform one they would be by a
    /// fifth.
    UniformInLogarithm,
}

impl Hyperprior {
    fn ln(self, spread: f64) -> f64 {
        match self {
            Self::Uniform => libm::log(spread),
            Self::UniformInLogarithm => 0.0,
        }
    }
}

/// Draws for the probability of being the best.
pub(crate) const DRAWS: usize = 4_000;

impl Posterior {
    /// From strengths that add up to 0 and their covariances.
    pub(crate) fn of(strengths: &[f64], covariance: &[f64]) -> Self {
        let size = strengths.len();
        let fitted = FittedTable::of(strengths, covariance);
        let likely = fitted.likely_spreads(Hyperprior::UniformInLogarithm);
        let spread = libm::exp(likely.iter().map(|(spread, share)| share * libm::log(*spread)).sum());
        let mut best = vec![0.0; size];
        let mut source = Normals::from_seed(0x6265_7374);
        for (spread, draws) in split(&fitted.likely_spreads(Hyperprior::Uniform)) {
            let (mean, precision) = fitted.given_spread(spread);
            let covariance = Cholesky::semi_definite(&precision, size).inverse();
            let wins = wins(&mean, &covariance, draws, &mut source);
            best.iter_mut().zip(wins).for_each(|(sum, wins)| *sum += f64::from(wins) / DRAWS as f64);
        }
        let (mean, precision) = fitted.given_spread(spread);
        Self { spread, mean, precision, best }
    }

    /// The same for each standard deviation that is likely: truths for simulations are drawn from all of them, since a single one
    /// would make them too similar.
    pub(crate) fn by_spread(strengths: &[f64], covariance: &[f64]) -> Vec<SpreadPosterior> {
        let fitted = FittedTable::of(strengths, covariance);
        let likely: Vec<(f64, f64)> = fitted
            .likely_spreads(Hyperprior::UniformInLogarithm)
            .into_iter()
            .filter(|(_, share)| *share >= UNLIKELY)
            .collect();
        let total_share: f64 = likely.iter().map(|(_, share)| share).sum();
        let given_spread = |(spread, share)| {
            let (mean, precision) = fitted.given_spread(spread);
            SpreadPosterior { spread, probability: share / total_share, mean, precision }
        };
        likely.into_iter().map(given_spread).collect()
    }
}

/// A fit with some variance of a common shift.
struct FittedTable<'a> {
    strengths: &'a [f64],
    /// Covariances of the strengths.
    covariance: Vec<f64>,
    precision: Vec<f64>,
    /// The variance of the shift.
    shift: f64,
}

impl<'a> FittedTable<'a> {
    fn of(strengths: &'a [f64], covariance: &[f64]) -> Self {
        let size = strengths.len();
        // A common shift, which has no variance, gets that of an average strength.
        let shift = (0..size).map(|k| covariance[k * size + k]).sum::<f64>().max(1e-12) / size as f64;
        let covariance: Vec<f64> = covariance.iter().map(|value| value + shift).collect();
        let precision = Cholesky::semi_definite(&plus_diagonal(&covariance, size, 1e-12 * shift), size).inverse();
        Self { strengths, covariance, precision, shift }
    }

    /// Standard deviations of strengths with their posterior probabilities.
    fn likely_spreads(&self, prior: Hyperprior) -> Vec<(f64, f64)> {
        let size = self.strengths.len();
        let ln_likelihood = |spread: f64| {
            let variance = spread * spread;
            let factor = Cholesky::new(&plus_diagonal(&self.covariance, size, variance), size)?;
            let quadratic: f64 = factor.solve(self.strengths).iter().zip(self.strengths).map(|(a, b)| a * b).sum();
            // The common shift is not part of the data.
            let determinant = factor.ln_determinant() - libm::log(self.shift * size as f64 + variance);
            Some(-0.5 * (quadratic + determinant))
        };
        let ln = |spread: f64| Some((spread, ln_likelihood(spread)? + prior.ln(spread)));
        let ln_densities: Vec<(f64, f64)> = spreads().filter_map(ln).collect();
        let max_ln_density = ln_densities.iter().map(|value| value.1).fold(f64::NEG_INFINITY, f64::max);
        let densities: Vec<f64> = ln_densities.iter().map(|value| libm::exp(value.1 - max_ln_density)).collect();
        let total_density: f64 = densities.iter().sum();
        ln_densities.iter().zip(densities).map(|((spread, _), share)| (*spread, share / total_density)).collect()
    }

    /// The mean and the precision of strengths under a prior with this standard deviation.
    fn given_spread(&self, spread: f64) -> (Vec<f64>, Vec<f64>) {
        let size = self.strengths.len();
        let weighted = matrix::apply(&self.precision, self.strengths);
        let precision = plus_diagonal(&self.precision, size, 1.0 / (spread * spread));
        (Cholesky::semi_definite(&precision, size).solve(&weighted), precision)
    }
}

fn plus_diagonal(matrix: &[f64], size: usize, value: f64) -> Vec<f64> {
    let mut sum = matrix.to_vec();
    (0..size).for_each(|k| sum[k * size + k] += value);
    sum
}

/// The number of draws for each standard deviation, by its probability; none are lost to rounding.
fn split(likely: &[(f64, f64)]) -> Vec<(f64, usize)> {
    let (mut sum, mut offset) = (0.0, 0);
    let mut split = Vec::new();
    for (spread, share) in likely {
        sum += share;
        let until = ((sum * DRAWS as f64).round() as usize).min(DRAWS);
        split.push((*spread, until - offset));
        offset = until;
    }
    split.retain(|(_, draws)| *draws > 0);
    split
}

/// For each competitor, the number of draws in which it is the best.
fn wins(mean: &[f64], covariance: &[f64], draws: usize, source: &mut Normals) -> Vec<u32> {
    let size = mean.len();
    let factor = Cholesky::semi_definite(covariance, size);
    let mut wins = vec![0_u32; size];
    for _ in 0..draws {
        let strengths = factor.correlate(&source.normals(size));
        let value = |k: &usize| strengths[*k] + mean[*k];
        let top = (0..size).max_by(|a, b| value(a).total_cmp(&value(b))).expect("a group has members");
        wins[top] += 1;
    }
    wins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_competitors_have_the_normal_probability() {
        // A difference of 2 with variance 4 * 0.25 = 1; strengths add up to 0.
        let covariance = [0.25, -0.25, -0.25, 0.25];
        let posterior = Posterior::of(&[1.0, -1.0], &covariance);
        // Difference 2 with variance 1 under a normal prior with variance 2 t, where t is the square of the spread.
        let under = |t: f64| {
            let density = libm::exp(-2.0 / (2.0 * t + 1.0)) / (2.0 * t + 1.0).sqrt();
            let mean = 2.0 * 2.0 * t / (2.0 * t + 1.0);
            let variance: f64 = 2.0 * t / (2.0 * t + 1.0);
            (density, 1.0 - statistics::normal_above(mean / variance.sqrt()))
        };
        let (mut above, mut all) = (0.0, 0.0);
        for spread in spreads() {
            let (density, probability) = under(spread * spread);
            above += spread * density * probability;
            all += spread * density;
        }
        let expected = above / all;
        // Four standard errors of a share of 4,000 draws.
        let allowed = 4.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt();
        assert!((posterior.best[0] - expected).abs() < allowed, "{} {expected}", posterior.best[0]);
        let t = posterior.spread * posterior.spread;
        let mean = 2.0 * 2.0 * t / (2.0 * t + 1.0);
        assert!((posterior.mean[0] - posterior.mean[1] - mean).abs() < 1e-6);
    }

    #[test]
    fn the_spread_is_learnt() {
        let mut draws = Normals::from_seed(3);
        let (size, error) = (200, 0.2);
        let covariance: Vec<f64> = (0..size * size)
            .map(|at| error * error * (f64::from(u8::from(at / size == at % size)) - 1.0 / size as f64))
            .collect();
        for truth in [0.1, 0.8] {
            let mut strengths: Vec<f64> = (0..size).map(|_| truth * draws.normal() + error * draws.normal()).collect();
            let mean = strengths.iter().sum::<f64>() / size as f64;
            strengths.iter_mut().for_each(|value| *value -= mean);
            let found = Posterior::of(&strengths, &covariance).spread;
            // The standard error of a standard deviation of 200 values is 5% of that of the sum.
            assert!((found - truth).abs() < 0.15 * libm::hypot(truth, error), "{found} {truth}");
        }
    }
}
