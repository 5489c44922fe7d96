//! The standard normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// P(Z <= z).
pub(crate) fn normal_below(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// P(Z > z) for a standard normal Z, with all digits in the upper tail.
#[must_use]
pub fn normal_above(z: f64) -> f64 {
    normal_below(-z)
}

/// The z with P(Z <= z) = `p` for a standard normal Z and `p` in (0, 1).
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    // In the lower half the logarithm of the distribution function is concave and rising, so that Newton's method
    // converges from any point left of the solution.
    let mut z = -libm::sqrt(-2.0 * libm::log(p)) - 1.0;
    for _ in 0..100 {
        let probability = normal_below(z);
        let density = libm::exp(-0.5 * z * z) / libm::sqrt(2.0 * PI);
        let step = (libm::log(p) - libm::log(probability)) * probability / density;
        z += step;
        if step.abs() < 1e-15 * z.abs().max(1.0) {
            break;
        }
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_invert_probabilities() {
        // scipy.stats.norm.ppf
        for (p, z) in [(0.975, 1.959963984540054), (0.8, 0.8416212335729143), (1e-10, -6.361340902404056), (0.5, 0.0)] {
            assert!((normal_quantile(p) - z).abs() < 1e-12, "{p}: {}", normal_quantile(p));
            assert!((normal_below(normal_quantile(p)) - p).abs() < 1e-13);
        }
        assert!((normal_above(3.0) - 0.0013498980316300933).abs() < 1e-16);
    }
}
