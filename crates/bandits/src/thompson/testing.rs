//! For the tests of this folder: a sampler that has seen some duels, and a comparison of counts.

use rand::SeedableRng as _;

use super::{Posterior, Sampler, Ties};
use crate::random::below;
use crate::{Arm, Generator};

/// A sampler, and a posterior that has seen some duels, most won by the lower arm.
pub(super) fn informed(arms: usize, duels: usize, ties: Ties) -> (Sampler, Posterior) {
    let mut generator = Generator::seed_from_u64(7);
    let mut posterior = Posterior::new(arms);
    for _ in 0..duels {
        let i = below(&mut generator, arms);
        let j = (i + 1 + below(&mut generator, arms - 1)) % arms;
        let upset = below(&mut generator, 10) < 3;
        let (low, high) = (Arm::at(i.min(j)), Arm::at(i.max(j)));
        if upset {
            posterior.record(high, low);
        } else {
            posterior.record(low, high);
        }
    }
    (Sampler::new(arms, ties), posterior)
}

/// Two samples of as many draws differ by less than five standard deviations in each cell.
pub(super) fn assert_alike(one: &[u32], other: &[u32]) {
    assert!(one.iter().filter(|&&count| count > 100).count() > 3, "{one:?}");
    for (&a, &b) in one.iter().zip(other) {
        let (a, b) = (f64::from(a), f64::from(b));
        assert!((a - b).abs() <= 5.0 * (a + b).sqrt(), "{one:?} {other:?}");
    }
}
