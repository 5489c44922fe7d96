//! Everything that is drawn at random, each distribution pinned by a test. The caller chooses the
//! generator.

mod beta;
mod bits;
mod draw;
#[cfg(test)]
mod independent;
mod largest;
mod normal;
mod preference;
mod weights;

pub(crate) use beta::Beta;
pub(crate) use bits::{draw_bit, fill, nth_bit};
pub(crate) use draw::{Coins, argmax, draw_into};
pub use draw::{below, best_arm, coin, shuffle};
pub(crate) use largest::{BetaPosterior, Largest, NormalPosterior};
pub(crate) use normal::Normals;
pub(crate) use preference::{geometric, preference, preference_above_half, uniform};
pub(crate) use weights::WeightTree;

use rand::Rng as _;

use crate::Generator;

/// Uniform on [0, 1), in steps of 2^-53.
#[inline]
pub(crate) fn unit(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// Uniform on (0, 1], so that its logarithm is finite.
#[inline]
pub(crate) fn positive_unit(generator: &mut Generator) -> f64 {
    1.0 - unit(generator)
}
