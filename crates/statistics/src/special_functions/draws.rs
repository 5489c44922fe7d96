//! Normal draws for simulations with results that must be the same everywhere.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::f64::consts::TAU;

/// Standard normal, uniform and chi-squared draws from one seeded generator.
///
/// Normal draws are those of G. E. P. Box, M. E. Muller, "A Note on the Generation of Random Normal Deviates", Annals of
/// Mathematical Statistics 29(2), 1958, <https://doi.org/10.1214/aoms/1177706645>.
#[derive(Debug, Clone)]
pub struct Normals {
    generator: Xoshiro256PlusPlus,
    saved: Option<f64>,
}

impl Normals {
    /// Draws that depend on `seed` alone.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        Self { generator: Xoshiro256PlusPlus::seed_from_u64(seed), saved: None }
    }

    /// A uniform draw, at least 0 and below 1.
    pub fn uniform(&mut self) -> f64 {
        (self.generator.next_u64() >> 11) as f64 / 2_f64.powi(53)
    }

    /// A number below `count`, each with the same probability up to rounding of 2^-64.
    ///
    /// # Panics
    /// If `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        assert!(count > 0, "one of at least one");
        ((u128::from(self.generator.next_u64()) * count as u128) >> 64) as usize
    }

    /// A standard normal draw.
    pub fn normal(&mut self) -> f64 {
        if let Some(second) = self.saved.take() {
            return second;
        }
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        let angle = TAU * self.uniform();
        self.saved = Some(radius * libm::sin(angle));
        radius * libm::cos(angle)
    }

    /// `count` standard normal draws.
    pub fn normals(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.normal()).collect()
    }

    /// A chi-squared draw with whole degrees of freedom, by the approximation of Wilson and Hilferty above 50.
    pub fn chi_squared(&mut self, freedom: u64) -> f64 {
        if freedom <= 50 {
            return (0..freedom).map(|_| self.normal()).map(|z| z * z).sum();
        }
        let scale = 2.0 / (9.0 * freedom as f64);
        let root = 1.0 - scale + self.normal() * libm::sqrt(scale);
        freedom as f64 * root * root * root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut draws = Normals::from_seed(5);
        let n = 200_000;
        let (mut sum, mut square, mut fourth) = (0.0, 0.0, 0.0);
        for z in draws.normals(n) {
            sum += z;
            square += z * z;
            fourth += z * z * z * z;
        }
        // Four standard errors: the variances of Z, Z^2 and Z^4 are 1, 2 and 96.
        let n = n as f64;
        assert!((sum / n).abs() < 4.0 / n.sqrt());
        assert!((square / n - 1.0).abs() < 4.0 * (2.0 / n).sqrt());
        assert!((fourth / n - 3.0).abs() < 4.0 * (96.0 / n).sqrt());
        for freedom in [3_u64, 80] {
            let mean = (0..20_000).map(|_| draws.chi_squared(freedom)).sum::<f64>() / 20_000.0;
            assert!((mean - freedom as f64).abs() < 4.0 * (2.0 * freedom as f64 / 20_000.0).sqrt(), "{mean}");
        }
        assert!((0..1_000).all(|_| draws.below(3) < 3 && (0.0..1.0).contains(&draws.uniform())));
    }
}
