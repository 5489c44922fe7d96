//! The live arena: every comparison is an impression, a user seeing a mixed list and clicking.

use bandits::{Arena, Arm, Duel, Generator, PairWins};
use interleave::Preference;

use crate::site::{Buffers, Site};
use crate::study::Arenas;

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
    /// draw from `users`; queries and lists draw from the generator that the run loop hands in.
    ///
    /// # Panics
    /// Unless there is one gap an arm.
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
        let query = self.site.draw_query(generator);
        let pair = [first.index(), second.index()];
        match self.site.interleave(query, pair, generator, &mut self.users, &mut self.buffers) {
            Preference::First => Duel::First,
            Preference::Second => Duel::Second,
            Preference::Tie => Duel::Tie,
        }
    }

    fn contest(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        let query = self.site.draw_query(generator);
        let arms = arms.iter().map(|arm| arm.index());
        self.site.multileave(query, arms, generator, &mut self.users, &mut self.buffers, &mut self.scores);
        wins.set_scores(&self.scores);
    }

    fn gaps(&self) -> &[f64] {
        self.gaps
    }
}

/// Live arenas over one site.
pub struct LiveArenas<'a> {
    /// The site.
    pub site: &'a Site,
    /// Each arm's gap to the best.
    pub gaps: &'a [f64],
    /// What the site is, in full.
    pub content: String,
}

impl Arenas for LiveArenas<'_> {
    type Arena<'b>
        = LiveArena<'b>
    where
        Self: 'b;

    fn arms(&self) -> usize {
        self.site.arms()
    }

    fn content(&self) -> &str {
        &self.content
    }

    fn arena(&self, stream: &dyn Fn(&str) -> Generator) -> LiveArena<'_> {
        LiveArena::new(self.site, self.gaps, stream("users"))
    }
}
