//! Small random matrices for the tests of this folder.

use rand::SeedableRng as _;

use crate::random::below;
use crate::{Generator, PreferenceMatrix};

/// Each size with seeds 0 to `seeds`.
pub(super) fn sizes(arms: &[usize], seeds: u64) -> impl Iterator<Item = (usize, u64)> {
    arms.iter().flat_map(move |&arms| (0..seeds).map(move |seed| (arms, seed)))
}

/// A matrix between an order and chaos, with some pairs at exactly 1/2: the more orderly the
/// higher the remainder of the seed by three.
pub(super) fn random_matrix(arms: usize, seed: u64) -> PreferenceMatrix {
    let mut generator = Generator::seed_from_u64(seed);
    let lean = [0, 1, 4][(seed % 3) as usize];
    PreferenceMatrix::from_upper(arms, |i, j| {
        let noise = below(&mut generator, 9) as i64 - 4;
        let lead = lean * (i64::from(j.0) - i64::from(i.0));
        (0.5 + 0.04 * (noise + lead) as f64).clamp(0.0, 1.0)
    })
    .expect("a matrix")
}
