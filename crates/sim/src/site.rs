//! The site: a data set's queries, the rankers' lists for them, and the users who click.

use clicks::{ClickModel, FractionalLabels, Level, Users};
use interleave::{Interleaving, Look, Multileaving, Preference, ProbabilisticInterleave, RankedList, Sosm};
use letor_io::Dataset;
use rand::RngExt;
use rankers::Rankings;

use crate::Generator;

/// Everything an impression needs but chance: queries, lists, users, and the way lists are mixed.
#[derive(Debug)]
pub struct Site {
    rankings: Rankings,
    users: Users,
    levels: Vec<Level>,
    offsets: Vec<usize>,
    shown: usize,
    interleaving: ProbabilisticInterleave,
    multileaving: Sosm,
}

/// Buffers of one worker, reused from impression to impression.
#[derive(Default)]
pub struct Buffers<'site> {
    interleaving: <ProbabilisticInterleave as Interleaving>::Scratch,
    multileaving: <Sosm as Multileaving>::Scratch,
    lists: Vec<RankedList<'site>>,
}

impl Site {
    /// Lays out `rankings` of `dataset` for users of `clicks`, lists of at most `shown` documents.
    ///
    /// # Errors
    /// When the data set has no query, or its labels do not suit the click model.
    pub fn new(
        dataset: &Dataset,
        rankings: Rankings,
        clicks: &ClickModel,
        fractional: FractionalLabels,
        shown: usize,
        interleaving: ProbabilisticInterleave,
        multileaving: Sosm,
    ) -> anyhow::Result<Self> {
        anyhow::ensure!(dataset.queries() > 0, "{} holds no query", dataset.name());
        let (users, levels) = clicks.prepare(dataset.labels(), fractional)?;
        let offsets = (0..=dataset.queries()).map(|query| dataset.document_offset(query)).collect();
        Ok(Self { rankings, users, levels, offsets, shown, interleaving, multileaving })
    }

    /// How many rankers.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.rankings.arms()
    }

    /// How many queries.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.rankings.queries()
    }

    /// The rankers' lists.
    #[must_use]
    pub fn rankings(&self) -> &Rankings {
        &self.rankings
    }

    /// A query drawn uniformly, as the papers do (with replacement).
    #[inline]
    pub fn draw_query(&self, lists: &mut Generator) -> usize {
        lists.random_range(0..self.queries())
    }

    /// One user of `query` sees the lists of two rankers interleaved; who won.
    ///
    /// `lists` draws the list and `users` the clicks: two streams, so that a user who leaves early
    /// changes no later list.
    #[inline]
    pub fn interleave(
        &self,
        query: usize,
        [first, second]: [usize; 2],
        lists: &mut Generator,
        users: &mut Generator,
        buffers: &mut Buffers<'_>,
    ) -> Preference {
        let levels = &self.levels[self.offsets[query]..self.offsets[query + 1]];
        let pair = [self.rankings.list(query, first), self.rankings.list(query, second)];
        self.interleaving.compare(pair, self.shown, lists, &mut buffers.interleaving, |doc| {
            let look = self.users.look(levels[usize::from(doc.0)], users);
            Look { clicked: look.clicked, leaves: look.leaves }
        })
    }

    /// One user of `query` sees the lists of `arms` multileaved; a score each, zero without clicks.
    #[inline]
    pub fn multileave<'site>(
        &'site self,
        query: usize,
        arms: impl Iterator<Item = usize>,
        lists: &mut Generator,
        users: &mut Generator,
        buffers: &mut Buffers<'site>,
        scores: &mut Vec<u64>,
    ) {
        let levels = &self.levels[self.offsets[query]..self.offsets[query + 1]];
        buffers.lists.clear();
        buffers.lists.extend(arms.map(|arm| self.rankings.list(query, arm)));
        self.multileaving.compare(
            &buffers.lists,
            self.shown,
            lists,
            &mut buffers.multileaving,
            |doc| {
                let look = self.users.look(levels[usize::from(doc.0)], users);
                Look { clicked: look.clicked, leaves: look.leaves }
            },
            scores,
        );
    }
}
