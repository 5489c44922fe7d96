//! Even draws of small whole numbers.

use rand::Rng;

use crate::Generator;

/// A whole number below `bound`, evenly up to one part in 2^48.
#[inline]
pub(crate) fn below(bound: usize, generator: &mut Generator) -> usize {
    ((u128::from(generator.next_u64()) * bound as u128) >> 64) as usize
}

/// Random numbers for a few small draws, cut from one of the generator's.
///
/// Each draw uses up as many of the 64 bits as it has outcomes, and is even up to what is left: with
/// two draws below 65,535 one part in 2^32, with two below 256 one in 2^48.
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
