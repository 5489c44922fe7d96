//! The live arena: every comparison is an impression, in which a user examines a mixed list and clicks.

use bandits::{Arena, Arm, DuelOutcome, Generator, PairWins};
use interleave::{AnyInterleaving, AnyMultileaving, AnyOutcome, Interleaving, Outcome, Preference};

use crate::simulation::runs::ArenaFactory;
use crate::simulation::site::{ImpressionRandomness, Multileaver, Site};

/// How many runs a thread plays in step. Two suffice to prefetch the memory of the next impression; three were a
/// little faster when measured, and more were not.
pub const IN_STEP: usize = 3;

/// How lists are mixed.
#[derive(Debug, Clone)]
pub struct MixingMethods {
    /// For the lists of two rankers.
    pub interleaving: AnyInterleaving,
    /// For the lists of several rankers.
    pub multileaving: AnyMultileaving,
}

/// Compares rankers on users of a [`Site`]: two by interleaving, several by multileaving.
pub struct LiveArena<'site> {
    site: &'site Site,
    methods: &'site MixingMethods,
    gaps: &'site [f64],
    users: Generator,
    /// The query of the next duel, if it was drawn for prefetching.
    query: Option<usize>,
    scratch: <AnyInterleaving as Interleaving>::Scratch,
    multileaver: Multileaver<'site, AnyMultileaving>,
}

impl<'site> LiveArena<'site> {
    /// An arena over `site`. Regret is measured against `gaps`, one per arm. Clicks are drawn from `users`; queries
    /// and lists are drawn from the generator that the run loop passes in.
    ///
    /// # Panics
    /// If the number of gaps differs from the number of arms.
    #[must_use]
    pub fn new(site: &'site Site, methods: &'site MixingMethods, gaps: &'site [f64], users: Generator) -> Self {
        assert_eq!(gaps.len(), site.arms(), "one gap per arm");
        let multileaver = Multileaver::default();
        Self { site, methods, gaps, users, query: None, scratch: Default::default(), multileaver }
    }

    /// Draws the query on which two rankers are compared, and prefetches their lists for it.
    #[inline]
    fn draw_query(&self, first: Arm, second: Arm, generator: &mut Generator) -> usize {
        let query = self.site.draw_query(generator);
        self.site.prefetch(query, [first.index(), second.index()]);
        query
    }
}

impl Arena for LiveArena<'_> {
    fn arms(&self) -> usize {
        self.site.arms()
    }

    #[inline]
    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> DuelOutcome {
        let query = match self.query.take() {
            Some(drawn) => drawn,
            None => self.draw_query(first, second, generator),
        };
        let pair = [first.index(), second.index()];
        let method = &self.methods.interleaving;
        let randomness = ImpressionRandomness { lists: generator, users: &mut self.users };
        self.site.interleave(method, query, pair, randomness, &mut self.scratch).into()
    }

    #[inline]
    fn prefetch(&mut self, first: Arm, second: Arm, generator: &mut Generator) {
        self.query = Some(self.draw_query(first, second, generator));
    }

    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        let query = self.site.draw_query(generator);
        let indices = arms.iter().map(|arm| arm.index());
        let method = &self.methods.multileaving;
        let randomness = ImpressionRandomness { lists: generator, users: &mut self.users };
        match self.site.multileave(method, query, indices, randomness, &mut self.multileaver) {
            AnyOutcome::Scores(scores) => wins.set_scores(scores),
            signs => set_pairs(signs, arms.len(), wins),
        }
    }

    fn gaps(&self) -> &[f64] {
        self.gaps
    }
}

/// Copies the outcome pair by pair, for outcomes without a score per ranker.
fn set_pairs(outcome: &AnyOutcome, arms: usize, wins: &mut PairWins) {
    wins.reset(arms);
    for low in 0..arms {
        for high in low + 1..arms {
            match outcome.preference(low, high) {
                Preference::First => wins.set_win(low, high),
                Preference::Second => wins.set_win(high, low),
                Preference::Tie => wins.set_tie(low, high),
            }
        }
    }
}

/// Makes live arenas over one site.
pub struct LiveArenaFactory<'a> {
    /// The site.
    pub site: &'a Site,
    /// How lists are mixed.
    pub methods: &'a MixingMethods,
    /// The gap of each arm to the best.
    pub gaps: &'a [f64],
    /// The full description of the site: part of every seed.
    pub content: String,
}

impl ArenaFactory for LiveArenaFactory<'_> {
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

    fn in_step(&self) -> usize {
        IN_STEP
    }

    fn arena(&self, stream: &dyn Fn(&str) -> Generator) -> LiveArena<'_> {
        LiveArena::new(self.site, self.methods, self.gaps, stream("users"))
    }
}
