//! Strengths as a reader should think of them: shrunk towards each other by their own spread.
//!
//! The strengths of a group are taken as normal with a common standard deviation, which is learnt from the fit (the
//! geometric mean of its posterior, uniform in its logarithm). With the normal approximation of the fit this gives a
//! posterior; the probability of being the best is a share of draws from it. Without shrinkage the luckiest of many
//! competitors would look better than it is.

use statistics::Normals;
use statistics::matrix::{self, Cholesky};

/// A normal posterior of strengths.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Posterior {
    /// The standard deviation of strengths.
    pub(crate) spread: f64,
    pub(crate) mean: Vec<f64>,
    /// The inverse covariance, row by row, with some curvature for a common shift.
    pub(crate) precision: Vec<f64>,
    /// For each competitor, the probability of being the best.
    pub(crate) best: Vec<f64>,
}

/// Draws for the probability of being the best.
const DRAWS: usize = 4_000;

impl Posterior {
    /// From strengths that add up to 0 and their covariances.
    pub(crate) fn of(strengths: &[f64], covariance: &[f64]) -> Self {
        let size = strengths.len();
        // A common shift, which has no variance, gets that of an average strength.
        let shift = (0..size).map(|k| covariance[k * size + k]).sum::<f64>().max(1e-12) / size as f64;
        let shifted: Vec<f64> = covariance.iter().map(|value| value + shift).collect();
        let spread = spread(strengths, &shifted, shift);
        let precision = Cholesky::semi_definite(&plus_diagonal(&shifted, size, 1e-12 * shift), size).inverse();
        let weighted = matrix::apply(&precision, strengths);
        let precision = plus_diagonal(&precision, size, 1.0 / (spread * spread));
        let factor = Cholesky::semi_definite(&precision, size);
        let mean = factor.solve(&weighted);
        let best = best(&mean, &factor.inverse(), DRAWS);
        Self { spread, mean, precision, best }
    }
}

fn plus_diagonal(matrix: &[f64], size: usize, value: f64) -> Vec<f64> {
    let mut sum = matrix.to_vec();
    (0..size).for_each(|k| sum[k * size + k] += value);
    sum
}

/// The standard deviation of strengths: the geometric mean over a grid, weighted by the likelihood.
fn spread(strengths: &[f64], shifted: &[f64], shift: f64) -> f64 {
    let size = strengths.len();
    let grid = (0..14).map(|step| 0.05 * libm::pow(2.0, f64::from(step) / 2.0));
    let ln_likelihood = |spread: f64| {
        let variance = spread * spread;
        let factor = Cholesky::new(&plus_diagonal(shifted, size, variance), size)?;
        let quadratic: f64 = factor.solve(strengths).iter().zip(strengths).map(|(a, b)| a * b).sum();
        // The common shift is not part of the data.
        let determinant = factor.ln_determinant() - libm::log(shift * size as f64 + variance);
        Some(-0.5 * (quadratic + determinant))
    };
    let found: Vec<(f64, f64)> = grid.filter_map(|spread| Some((libm::log(spread), ln_likelihood(spread)?))).collect();
    let most = found.iter().map(|value| value.1).fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut weight) = (0.0, 0.0);
    for (ln, value) in found {
        let share = libm::exp(value - most);
        sum += share * ln;
        weight += share;
    }
    libm::exp(sum / weight)
}

/// For each competitor, the share of draws in which it is the best.
pub(crate) fn best(mean: &[f64], covariance: &[f64], draws: usize) -> Vec<f64> {
    let size = mean.len();
    let factor = Cholesky::semi_definite(covariance, size);
    let mut source = Normals::from_seed(0x6265_7374);
    let mut wins = vec![0_u32; size];
    for _ in 0..draws {
        let drawn = factor.correlate(&source.normals(size));
        let value = |k: &usize| drawn[*k] + mean[*k];
        let top = (0..size).max_by(|a, b| value(a).total_cmp(&value(b))).expect("a group has members");
        wins[top] += 1;
    }
    wins.into_iter().map(|count| f64::from(count) / draws as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_competitors_have_the_normal_probability() {
        // A difference of 2 with variance 4 * 0.25 = 1; strengths add up to 0.
        let covariance = [0.25, -0.25, -0.25, 0.25];
        let posterior = Posterior::of(&[1.0, -1.0], &covariance);
        let t = posterior.spread * posterior.spread;
        let (mean, variance) = (2.0 * 2.0 * t / (2.0 * t + 1.0), 2.0 * t / (2.0 * t + 1.0));
        let expected = 1.0 - statistics::normal_above(mean / variance.sqrt());
        // Four standard errors of a share of 4,000 draws.
        let allowed = 4.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt();
        assert!((posterior.best[0] - expected).abs() < allowed, "{} {expected}", posterior.best[0]);
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
