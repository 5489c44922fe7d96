//! Even draws of small whole numbers.

use rand::Rng;

use crate::Generator;

/// A whole number below `bound`, each equally likely up to one part in 2^48.
#[inline]
pub(crate) fn below(bound: usize, generator: &mut Generator) -> usize {
    ((u128::from(generator.next_u64()) * bound as u128) >> 64) as usize
}

/// A few small draws from one of the generator's numbers.
///
/// Each draw uses up as many of the 64 bits as it has outcomes, and is uniform up to the bits that are left:
/// with two draws below 65,535 to one part in 2^32, with two below 256 to one in 2^48.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BitBudget(pub(crate) u64);

impl BitBudget {
    #[inline]
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let wide = u128::from(self.0) * bound as u128;
        self.0 = wide as u64;
        (wide >> 64) as usize
    }
}
