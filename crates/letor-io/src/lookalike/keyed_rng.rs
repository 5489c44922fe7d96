//! The random generator of one query, keyed by data set, seed and query number, and the samplers that look-alikes
//! need.
//!
//! Logarithms and exponentials come from `libm`, so that a look-alike has the same bytes on every platform.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random generator of one query. Every query has its own, so that its values do not depend on the other queries
/// or on threads.
#[derive(Debug, Clone)]
pub(crate) struct KeyedRng {
    generator: Xoshiro256PlusPlus,
    spare: Option<f64>,
}

/// Mixes the bits of `x` (the finaliser of SplitMix64).
fn mix_bits(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl KeyedRng {
    /// The generator of query `query` (from 0) of the data set `name` with `seed`.
    pub(crate) fn keyed(name: &str, seed: u64, query: u64) -> Self {
        let name = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let key = mix_bits(
            mix_bits(mix_bits(name).wrapping_add(seed)).wrapping_add(query.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        );
        Self { generator: Xoshiro256PlusPlus::seed_from_u64(key), spare: None }
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

    /// The exponential of a normal variate with the given mean and standard deviation.
    pub(crate) fn log_normal(&mut self, mean: f64, deviation: f64) -> f64 {
        libm::exp(mean + deviation * self.normal())
    }

    /// Poisson by multiplication up to a mean of 16; above, a rounded normal variate with the same mean and variance,
    /// because term counts need the right shape but not the exact distribution.
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

    /// An index drawn with the given weights, which sum to 1 (the last index absorbs rounding errors).
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

/// `x` rounded to six decimals, so that its decimal notation parses back to it.
pub(crate) fn decimal(x: f64) -> f64 {
    let value = (x * 1e6).round() / 1e6;
    // Minus zero would print as "-0".
    if value == 0.0 { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_stability() {
        let mut rng = KeyedRng::keyed("mslr-lookalike", 1, 0);
        let found = (
            rng.uniform(),
            rng.normal(),
            rng.below(1000),
            rng.poisson(3.0),
            rng.poisson(100.0),
            rng.pick(&[0.2, 0.3, 0.5]),
        );
        assert_eq!(found, (0.459_512_989_984_105_6, -2.107_010_435_950_905_4, 33, 0, 105, 1));
    }

    #[test]
    fn every_part_of_the_key_matters() {
        let first = |name, seed, query| KeyedRng::keyed(name, seed, query).uniform();
        let all = [first("a", 1, 0), first("b", 1, 0), first("a", 2, 0), first("a", 1, 1)];
        for (i, one) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|other| other != one));
        }
    }

    #[test]
    fn samplers_have_their_means_and_variances() {
        const DRAWS: usize = 100_000;
        let mut rng = KeyedRng::keyed("test", 1, 0);
        let mut check = |mean: f64, variance: f64, draw: &mut dyn FnMut(&mut KeyedRng) -> f64| {
            let values: Vec<f64> = (0..DRAWS).map(|_| draw(&mut rng)).collect();
            let found = values.iter().sum::<f64>() / DRAWS as f64;
            assert!((found - mean).abs() < 5.0 * (variance / DRAWS as f64).sqrt(), "{found} for {mean}");
            let spread = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / DRAWS as f64;
            // The fourth moment of these distributions is below 5 times the squared variance.
            assert!((spread / variance - 1.0).abs() < 5.0 * (4.0 / DRAWS as f64).sqrt(), "{spread} for {variance}");
        };
        check(0.5, 1.0 / 12.0, &mut KeyedRng::uniform);
        check(0.0, 1.0, &mut KeyedRng::normal);
        check(2.5, 2.5, &mut |rng| f64::from(rng.poisson(2.5)));
        // Rounding adds 1/12 to the variance.
        check(40.0, 40.0 + 1.0 / 12.0, &mut |rng| f64::from(rng.poisson(40.0)));
        check(1.3, 0.61, &mut |rng| rng.pick(&[0.2, 0.3, 0.5]) as f64);
        check(4.5, 8.25, &mut |rng| rng.below(10) as f64);
    }

    #[test]
    fn decimals_round_trip() {
        for (x, expected) in [(0.123_456_7, "0.123457"), (-1e-9, "0"), (7.0, "7"), (-2.5, "-2.5")] {
            assert_eq!(decimal(x).to_string(), expected);
            assert_eq!(expected.parse::<f64>().unwrap(), decimal(x));
        }
    }
}
