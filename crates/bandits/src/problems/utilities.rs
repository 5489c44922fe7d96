//! Utilities of synthetic arms, for [`UtilityArena`](crate::UtilityArena).
//!
//! The families are those of Table 1 of B. Brost, Y. Seldin, I. J. Cox, C. Lioma, "Multi-Dueling
//! Bandits and Their Application to Online Ranker Evaluation", CIKM 2016,
//! <https://doi.org/10.1145/2983323.2983659>: one arm of utility 0.8, and the others between 0.7
//! and 0.2. Arm 0 is always the best.

use rand::SeedableRng as _;

use crate::Generator;
use crate::random::Normals;

const BEST_UTILITY: f64 = 0.8;
const GOOD_UTILITY: f64 = 0.7;
const POOR_UTILITY: f64 = 0.2;

/// `good` good arms, the first of them the best (0.8) and the others just short of it (0.7), and
/// `poor` poor ones (0.2). Without a good arm there is no best one either.
#[must_use]
pub fn good_and_poor(good: usize, poor: usize) -> Vec<f64> {
    let mut utilities = vec![GOOD_UTILITY; good];
    if let Some(first) = utilities.first_mut() {
        *first = BEST_UTILITY;
    }
    utilities.extend(std::iter::repeat_n(POOR_UTILITY, poor));
    utilities
}

/// The best arm (0.8) and `arms` - 1 others in equal steps from 0.7 down to 0.2.
#[must_use]
pub fn arith(arms: usize) -> Vec<f64> {
    equally_spaced(arms, |share| GOOD_UTILITY + (POOR_UTILITY - GOOD_UTILITY) * share)
}

/// The best arm (0.8) and `arms` - 1 others in equal ratios from 0.7 down to 0.2.
#[must_use]
pub fn geom(arms: usize) -> Vec<f64> {
    equally_spaced(arms, |share| {
        if share == 1.0 { POOR_UTILITY } else { GOOD_UTILITY * libm::pow(POOR_UTILITY / GOOD_UTILITY, share) }
    })
}

fn equally_spaced(arms: usize, utility: impl Fn(f64) -> f64) -> Vec<f64> {
    let steps = arms.saturating_sub(2).max(1) as f64;
    (0..arms)
        .map(|arm| match arm {
            0 => BEST_UTILITY,
            _ => utility((arm - 1) as f64 / steps),
        })
        .collect()
}

/// `arms` utilities drawn from N(0, `sd`^2) by a generator of this seed.
#[must_use]
pub fn normal(arms: usize, sd: f64, seed: u64) -> Vec<f64> {
    let mut generator = Generator::seed_from_u64(seed);
    let normals = Normals::new();
    (0..arms).map(|_| sd * normals.draw(&mut generator)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_as_their_names_say() {
        assert_eq!(good_and_poor(1, 3), [0.8, 0.2, 0.2, 0.2]);
        assert_eq!(good_and_poor(3, 2), [0.8, 0.7, 0.7, 0.2, 0.2]);
        let arith = arith(51);
        assert_eq!((arith[0], arith[1], arith[50]), (0.8, 0.7, 0.2));
        assert!((arith[2] - arith[1] + 0.5 / 49.0).abs() < 1e-12);
        let geom = geom(6);
        assert_eq!((geom[0], geom[1], geom[5]), (0.8, 0.7, 0.2));
        assert!((geom[2] / geom[1] - geom[5] / geom[4]).abs() < 1e-12);
        assert_eq!(super::arith(2), [0.8, 0.7]);
        assert_eq!(super::geom(1), [0.8]);
        assert!(super::arith(0).is_empty());
    }

    #[test]
    fn normal_utilities_have_their_spread() {
        let utilities = normal(20_000, 3.0, 1);
        assert_eq!(utilities, normal(20_000, 3.0, 1));
        assert_ne!(utilities, normal(20_000, 3.0, 2));
        let n = utilities.len() as f64;
        let mean = utilities.iter().sum::<f64>() / n;
        let variance = utilities.iter().map(|u| u * u).sum::<f64>() / n;
        // Five standard errors: 3 / sqrt n, and 9 sqrt(2 / n).
        assert!(mean.abs() < 5.0 * 3.0 / n.sqrt(), "{mean}");
        assert!((variance - 9.0).abs() < 5.0 * 9.0 * (2.0 / n).sqrt(), "{variance}");
    }
}
