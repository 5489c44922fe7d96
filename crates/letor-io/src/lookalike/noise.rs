//! The randomness of one query: a generator keyed by data set, seed and query number, and the few
//! samplers the look-alikes need.
//!
//! Logarithms and exponentials come from `libm`, so that a look-alike has the same bytes on every
//! platform.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A generator of its own for every query: no query's values depend on how many others there are
/// or on which thread made them.
#[derive(Debug, Clone)]
pub(crate) struct Noise {
    generator: Xoshiro256PlusPlus,
    spare: Option<f64>,
}

/// Mixes the bits of `x` (the finaliser of SplitMix64).
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Noise {
    /// The generator of query `query` (0-based) of the data set `name` under `seed`.
    pub(crate) fn keyed(name: &str, seed: u64, query: u64) -> Self {
        let name = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let key = mix(mix(mix(name).wrapping_add(seed))
            .wrapping_add(query.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        Self {
            generator: Xoshiro256PlusPlus::seed_from_u64(key),
            spare: None,
        }
    }

    /// Uniform on [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.generator.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// True with probability `p`.
    pub(crate) fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Uniform on 0..n; `n` is at least 1.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.generator.next_u64()) * n as u128) >> 64) as usize
    }

    /// Standard normal (Marsaglia's polar method).
    pub(crate) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let x = 2.0 * self.uniform() - 1.0;
            let y = 2.0 * self.uniform() - 1.0;
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                let factor = (-2.0 * libm::log(s) / s).sqrt();
                self.spare = Some(y * factor);
                return x * factor;
            }
        }
    }

    /// exp of a normal with the given mean and standard deviation.
    pub(crate) fn log_normal(&mut self, mean: f64, deviation: f64) -> f64 {
        libm::exp(mean + deviation * self.normal())
    }

    /// Poisson by multiplication up to a mean of 16, above it the rounded normal of the same mean
    /// and variance: term counts need the right shape, not the exact law.
    pub(crate) fn poisson(&mut self, mean: f64) -> u32 {
        if mean <= 0.0 {
            return 0;
        }
        if mean > 16.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0) as u32;
        }
        let floor = libm::exp(-mean);
        let mut product = self.uniform();
        let mut count = 0;
        while product > floor {
            product *= self.uniform();
            count += 1;
        }
        count
    }

    /// An index drawn with the given weights, which sum to 1 (the last one takes what rounding leaves).
    pub(crate) fn pick(&mut self, weights: &[f64]) -> usize {
        let mut left = self.uniform();
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        weights.len() - 1
    }
}

/// The logistic function.
pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// `x` to six decimals: the value that its own decimal notation reads back as.
pub(crate) fn decimal(x: f64) -> f64 {
    let value = (x * 1e6).round() / 1e6;
    // Minus zero would print as "-0".
    if value == 0.0 { 0.0 } else { value }
}
