//! The site: the queries of a data set, the ranked lists for them, and the users who click. One impression is played
//! here; runs and arenas are elsewhere.

use bandits::Generator;
use clicks::{AnyClickModel, ClickModel, CompiledAnyModel, CompiledClickModel, FractionalLabels, Grade, User};
use interleave::{
    AnyInterleaving, AnyMultileaving, Doc, Examination, Interleaving, Multileaving, Preference, RankedList,
};
use letor_io::Dataset;
use rand::RngExt;
use rankers::{Rankings, prefetch, prefetch_top};

/// How lists are mixed.
#[derive(Debug, Clone)]
pub struct MixingMethods {
    /// For the lists of two rankers.
    pub interleaving: AnyInterleaving,
    /// For the lists of several rankers.
    pub multileaving: AnyMultileaving,
}

/// Everything an impression needs except randomness and a method of mixing lists: queries, ranked lists and users.
#[derive(Debug)]
pub struct Site {
    rankings: Rankings,
    clicks: CompiledAnyModel,
    grades: Vec<Grade>,
    offsets: Vec<usize>,
    page_length: usize,
}

/// The random streams of an impression. They are separate, so that a user who abandons a list early does not change
/// any later list.
#[derive(Debug)]
pub struct ImpressionRandomness<'a> {
    /// Draws the mixed list.
    pub lists: &'a mut Generator,
    /// Draws the clicks.
    pub users: &'a mut Generator,
}

/// Memory that multileaving reuses from impression to impression, and the outcome of the last one.
pub struct Multileaver<'site, M: Multileaving> {
    scratch: M::Scratch,
    lists: Vec<RankedList<'site>>,
    outcome: M::Outcome,
}

impl<M: Multileaving> Default for Multileaver<'_, M> {
    fn default() -> Self {
        Self { scratch: M::Scratch::default(), lists: Vec::new(), outcome: M::Outcome::default() }
    }
}

impl Site {
    /// The site of the lists `rankings` of `dataset` and of users who follow `clicks` and see at most `page_length`
    /// documents. `fractional` is how fractional labels become grades.
    ///
    /// # Errors
    /// If the data set has no query, or a label has no grade in the click model.
    pub fn new(
        dataset: &Dataset,
        rankings: Rankings,
        clicks: &AnyClickModel,
        fractional: FractionalLabels,
        page_length: usize,
    ) -> anyhow::Result<Self> {
        anyhow::ensure!(dataset.queries() > 0, "{} has no queries", dataset.name());
        let (clicks, grades) = clicks.prepare(dataset.labels(), fractional)?;
        let offsets = (0..=dataset.queries()).map(|query| dataset.document_offset(query)).collect();
        Ok(Self { rankings, clicks, grades, offsets, page_length })
    }

    /// The number of rankers.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.rankings.arms()
    }

    /// The number of queries.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.rankings.queries()
    }

    /// The ranked lists.
    #[must_use]
    pub fn rankings(&self) -> &Rankings {
        &self.rankings
    }

    /// The share of list positions, from 0 to 1, with a document that has the same score as another in its list, over
    /// a sample of at most `depth` queries.
    #[must_use]
    pub fn tied_share(&self, depth: usize) -> f64 {
        let step = self.queries().div_ceil(depth.max(1)).max(1);
        let lists = (0..self.queries()).step_by(step);
        let lists = lists.flat_map(|query| (0..self.arms()).map(move |arm| self.rankings.list(query, arm)));
        let (tied_documents, documents) = lists.fold((0, 0), |(tied_documents, documents), list| {
            (tied_documents + list.groups().filter(|group| group.size() > 1).count(), documents + list.len())
        });
        tied_documents as f64 / documents.max(1) as f64
    }

    /// Draws a query uniformly with replacement, as in the papers.
    #[inline]
    pub fn draw_query(&self, lists: &mut Generator) -> usize {
        lists.random_range(0..self.queries())
    }

    /// Prefetches the memory that an impression of the lists of two rankers for `query` reads: for a random query it is
    /// rarely in the cache.
    #[inline]
    pub fn prefetch(&self, query: usize, pair: [usize; 2]) {
        prefetch(self.grades(query), usize::MAX);
        for arm in pair {
            self.rankings.prefetch(query, arm);
        }
    }

    /// The grades of a query's documents.
    #[inline]
    fn grades(&self, query: usize) -> &[Grade] {
        &self.grades[self.offsets[query]..self.offsets[query + 1]]
    }

    /// Shows one user of `query` the lists of two rankers mixed by `method`, and returns which one won.
    #[inline]
    pub fn interleave<I: Interleaving>(
        &self,
        method: &I,
        query: usize,
        pair: [usize; 2],
        randomness: ImpressionRandomness<'_>,
        scratch: &mut I::Scratch,
    ) -> Preference {
        let ImpressionRandomness { lists, users } = randomness;
        let pair = pair.map(|arm| self.rankings.list(query, arm));
        method.compare(pair, self.page_length, lists, scratch, self.user(query, users))
    }

    /// Shows one user of `query` the list of a single ranker, and returns the number of clicks. `order` is memory that is
    /// reused.
    pub fn show_alone(
        &self,
        query: usize,
        arm: usize,
        randomness: ImpressionRandomness<'_>,
        order: &mut Vec<Doc>,
    ) -> u32 {
        let ImpressionRandomness { lists, users } = randomness;
        self.rankings.list(query, arm).break_ties(lists, order);
        let mut user = self.user(query, users);
        let mut clicks = 0;
        for &doc in order.iter().take(self.page_length) {
            let Examination { clicked, abandons } = user(doc);
            clicks += u32::from(clicked);
            if abandons {
                break;
            }
        }
        clicks
    }

    /// Shows each of `pairs` (positions in `lists`, the lists for `query`) to one user, and calls `verdict` with the
    /// pair's position in `pairs` and the winner. Pairs may share random draws.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "an impression needs them all")]
    pub fn interleave_pairs<I: Interleaving>(
        &self,
        method: &I,
        query: usize,
        lists: &[RankedList<'_>],
        pairs: &[(u32, u32)],
        randomness: ImpressionRandomness<'_>,
        scratch: &mut I::Scratch,
        mut verdict: impl FnMut(usize, Preference),
    ) {
        let ImpressionRandomness { lists: chance, users } = randomness;
        if self.clicks.is_memoryless() {
            method.compare_pairs(lists, pairs, self.page_length, chance, scratch, self.user(query, users), verdict);
            return;
        }
        // Users with a memory cannot be shared between pairs: one per mixed list.
        for (number, &(first, second)) in pairs.iter().enumerate() {
            let pair = [lists[first as usize], lists[second as usize]];
            verdict(number, method.compare(pair, self.page_length, chance, scratch, self.user(query, users)));
        }
    }

    /// Shows one user of `query` the lists of `arms` mixed by `method`. The outcome compares the arms by their positions
    /// in `arms`.
    #[inline]
    pub fn multileave<'site, 'm, M: Multileaving>(
        &'site self,
        method: &M,
        query: usize,
        arms: impl Iterator<Item = usize>,
        randomness: ImpressionRandomness<'_>,
        multileaver: &'m mut Multileaver<'site, M>,
    ) -> &'m M::Outcome {
        let ImpressionRandomness { lists, users } = randomness;
        let Multileaver { scratch, lists: ranked, outcome } = multileaver;
        prefetch(self.grades(query), usize::MAX);
        ranked.clear();
        ranked.extend(arms.map(|arm| self.rankings.list(query, arm)).inspect(|&list| prefetch_top(list)));
        method.compare(ranked, self.page_length, lists, scratch, self.user(query, users), outcome);
        outcome
    }

    /// A user of `query`, who examines one list from the top down and draws from `users`.
    #[inline]
    pub fn user<'a>(&'a self, query: usize, users: &'a mut Generator) -> impl FnMut(Doc) -> Examination + 'a {
        let grades = self.grades(query);
        let mut user = self.clicks.user();
        move |doc| user.examine(grades[doc.index()], users)
    }
}

#[cfg(test)]
mod tests {
    use interleave::{CreditTies, ProbabilisticInterleave, Sosm};

    use super::*;
    use crate::example::site;

    #[test]
    fn ties_are_counted() {
        // With five documents per query, two rankers tie all and none of them, then all (two and three) and four.
        let (_, half) = site(4, &[|_, _| 1.0, |_, doc| doc as f64]);
        assert_eq!((half.tied_share(100), half.tied_share(1)), (0.5, 0.5));
        let (_, most) = site(4, &[|_, doc| f64::from(u8::from(doc < 2)), |_, doc| f64::from(u8::from(doc < 1))]);
        assert!((most.tied_share(3) - 0.9).abs() < 1e-12);
    }

    fn both<'a>(lists: &'a mut Generator, users: &'a mut Generator) -> ImpressionRandomness<'a> {
        ImpressionRandomness { lists, users }
    }

    #[test]
    fn the_better_ranker_wins_more_often() {
        let (_, site) = site(7, &[|label, doc| label * 10.0 + doc as f64, |label, doc| doc as f64 - label * 10.0]);
        let mut lists = crate::seed::generator(1, "test", 0, "lists");
        let mut users = crate::seed::generator(1, "test", 0, "users");
        let method = ProbabilisticInterleave::new(CreditTies::Redrawn);
        let mut scratch = Default::default();
        let mut won = [0; 3];
        for query in (0..7).cycle().take(700) {
            won[match site.interleave(&method, query, [0, 1], both(&mut lists, &mut users), &mut scratch) {
                Preference::First => 0,
                Preference::Second => 1,
                Preference::Tie => 2,
            }] += 1;
        }
        assert!(won[0] > 600 && won[1] < 60, "{won:?}");

        let mut multileaver = Multileaver::default();
        let mut ahead = 0;
        for query in (0..7).cycle().take(700) {
            let scores = site.multileave(&Sosm::default(), query, 0..2, both(&mut lists, &mut users), &mut multileaver);
            ahead += usize::from(scores[0] > scores[1]);
        }
        assert!(ahead > 600, "{ahead}");
    }
}
