//! The live arena: every comparison is an impression, a user seeing a mixed list and clicking.

use bandits::{Arena, Arm, Duel, Generator, PairWins};
use interleave::Preference;

use crate::site::{Buffers, Chance, Site};

/// Rankers meeting before users of a [`Site`]: two by interleaving, several by multileaving.
pub struct LiveArena<'site> {
    site: &'site Site,
    gaps: &'site [f64],
    users: Generator,
    buffers: Buffers<'site>,
    scores: Vec<u64>,
}

impl<'site> LiveArena<'site> {
    /// An arena over `site` whose regret is measured against `gaps` (one an arm) and whose users
    /// draw from `users`; lists draw from the generator that the run loop hands in.
    #[must_use]
    pub fn new(site: &'site Site, gaps: &'site [f64], users: Generator) -> Self {
        assert_eq!(gaps.len(), site.arms(), "one gap an arm");
        Self { site, gaps, users, buffers: Buffers::default(), scores: Vec::new() }
    }
}

impl Arena for LiveArena<'_> {
    fn arms(&self) -> usize {
        self.site.arms()
    }

    #[inline]
    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> Duel {
        todo!()
    }

    fn contest(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        todo!()
    }

    fn gaps(&self) -> &[f64] {
        self.gaps
    }
}
