//! Renumbered arms, so that no policy can profit from their order.

use crate::random::shuffle;
use crate::{Arena, Arm, Generator, PairWins, Preference};

/// An arena with its arms renumbered at random, differently for each run: a policy that breaks ties by the
/// lowest arm, or goes through the arms in order, then cannot profit from the order of the file.
#[derive(Debug, Clone)]
pub struct ShuffledArena<A> {
    inner: A,
    originals: Vec<Arm>,
    gaps: Vec<f64>,
    /// The last step up to which these are the gaps.
    until: u64,
    set: Vec<Arm>,
}

impl<A: Arena> ShuffledArena<A> {
    /// Renumbers the arms of `inner` at random.
    #[must_use]
    pub fn new(inner: A, generator: &mut Generator) -> Self {
        let mut originals: Vec<Arm> = (0..inner.arms()).map(Arm::at).collect();
        shuffle(generator, &mut originals);
        let gaps = originals.iter().map(|arm| inner.gaps()[arm.index()]).collect();
        Self { inner, originals, gaps, until: 0, set: Vec::new() }
    }

    /// The arm of the inner arena behind `arm`.
    #[must_use]
    pub fn original(&self, arm: Arm) -> Arm {
        self.originals[arm.index()]
    }

    /// The inner arena.
    #[must_use]
    pub fn into_inner(self) -> A {
        self.inner
    }
}

impl<A: Arena> Arena for ShuffledArena<A> {
    fn arms(&self) -> usize {
        self.originals.len()
    }

    #[inline]
    fn reach(&mut self, step: u64) -> u64 {
        if step > self.until {
            self.until = self.inner.reach(step);
            let gaps = self.inner.gaps();
            self.gaps.iter_mut().zip(&self.originals).for_each(|(gap, arm)| *gap = gaps[arm.index()]);
        }
        self.until
    }

    #[inline]
    fn start_step(&mut self, step: u64, generator: &mut Generator, coins: &mut Generator) -> bool {
        self.inner.start_step(step, generator, coins)
    }

    #[inline]
    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> Preference {
        self.inner.duel(self.original(first), self.original(second), generator)
    }

    fn prefetch(&mut self, first: Arm, second: Arm, generator: &mut Generator) {
        self.inner.prefetch(self.original(first), self.original(second), generator);
    }

    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        self.set.clear();
        self.set.extend(arms.iter().map(|arm| self.originals[arm.index()]));
        self.inner.multi_duel(&self.set, generator, wins);
    }

    #[inline]
    fn gaps(&self) -> &[f64] {
        &self.gaps
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::{MatrixArena, problems};

    #[test]
    fn names_change_and_nothing_else() {
        let arena = MatrixArena::new(problems::arithmetic(8).expect("eight arms")).expect("0 wins");
        let mut shuffled = ShuffledArena::new(arena.clone(), &mut Generator::seed_from_u64(1));
        assert_ne!(shuffled.originals, (0..8).map(Arm).collect::<Vec<_>>());
        for arm in (0..8).map(Arm) {
            let original = shuffled.original(arm);
            assert_eq!(shuffled.gaps()[arm.index()], arena.gaps()[original.index()]);
        }

        let mut plain = arena;
        let (a, b) = (Arm(2), Arm(5));
        let (c, d) = (shuffled.original(a), shuffled.original(b));
        let mut one = Generator::seed_from_u64(2);
        let mut two = one.clone();
        let (mut here, mut there) = (PairWins::default(), PairWins::default());
        for _ in 0..50 {
            assert_eq!(shuffled.duel(a, b, &mut one), plain.duel(c, d, &mut two));
            shuffled.multi_duel(&[a, b], &mut one, &mut here);
            plain.multi_duel(&[c, d], &mut two, &mut there);
            assert_eq!(here, there);
        }
    }
}
