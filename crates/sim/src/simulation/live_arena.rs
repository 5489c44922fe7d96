//! The live arena: every comparison is an impression, a user seeing a mixed list and clicking.

use bandits::{Arena, Arm, DuelOutcome, Generator, PairWins};
use interleave::{AnyInterleaving, AnyMultileaving, AnyOutcome, Interleaving, Outcome, Preference};

use crate::simulation::runs::Arenas;
use crate::simulation::site::{Multileaver, Site};

/// How many runs a thread plays in step: two would do to have the memory of the next impression on its
/// way, three were a little faster when measured, and more were not.
pub const IN_STEP: usize = 3;

/// How lists are mixed.
#[derive(Debug, Clone)]
pub struct Methods {
    /// Of two rankers.
    pub interleaving: AnyInterleaving,
    /// Of several.
    pub multileaving: AnyMultileaving,
}

/// Rankers meeting before users of a [`Site`]: two by interleaving, several by multileaving.
pub struct LiveArena<'site> {
    site: &'site Site,
    methods: &'site Methods,
    gaps: &'site [f64],
    users: Generator,
    /// The query of the next duel, where it was announced.
    query: Option<usize>,
    scratch: <AnyInterleaving as Interleaving>::Scratch,
    multileaver: Multileaver<'site, AnyMultileaving>,
}

impl<'site> LiveArena<'site> {
    /// An arena over `site` whose regret is measured against `gaps` (one an arm) and whose users
    /// draw from `users`; queries and lists draw from the generator that the run loop hands in.
    ///
    /// # Panics
    /// Unless there is one gap an arm.
    #[must_use]
    pub fn new(site: &'site Site, methods: &'site Methods, gaps: &'site [f64], users: Generator) -> Self {
        assert_eq!(gaps.len(), site.arms(), "one gap an arm");
        let multileaver = Multileaver::default();
        Self { site, methods, gaps, users, query: None, scratch: Default::default(), multileaver }
    }

    /// The query on which two rankers will meet, whose lists are on their way.
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
            Some(announced) => announced,
            None => self.draw_query(first, second, generator),
        };
        let pair = [first.index(), second.index()];
        let method = &self.methods.interleaving;
        self.site.interleave(method, query, pair, generator, &mut self.users, &mut self.scratch).into()
    }

    #[inline]
    fn prefetch(&mut self, first: Arm, second: Arm, generator: &mut Generator) {
        self.query = Some(self.draw_query(first, second, generator));
    }

    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        let query = self.site.draw_query(generator);
        let indices = arms.iter().map(|arm| arm.index());
        let method = &self.methods.multileaving;
        match self.site.multileave(method, query, indices, generator, &mut self.users, &mut self.multileaver) {
            AnyOutcome::Scores(scores) => wins.set_scores(scores),
            signs => set_pairs(signs, arms.len(), wins),
        }
    }

    fn gaps(&self) -> &[f64] {
        self.gaps
    }
}

/// Pair by pair, where an outcome is no row of scores.
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

/// Live arenas over one site.
pub struct LiveArenas<'a> {
    /// The site.
    pub site: &'a Site,
    /// How lists are mixed.
    pub methods: &'a Methods,
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

    fn in_step(&self) -> usize {
        IN_STEP
    }

    fn arena(&self, stream: &dyn Fn(&str) -> Generator) -> LiveArena<'_> {
        LiveArena::new(self.site, self.methods, self.gaps, stream("users"))
    }
}
