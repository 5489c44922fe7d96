//! How an impression compares pairs: interleaved one by one, or read from one multileaved list of all arms.

use bandits::Generator;
use interleave::{AnyMultileaving, Interleaving, Outcome, Preference};

use crate::pairwise::{PairList, Tally, compare_piece};
use crate::site::{ImpressionRandomness, Multileaver, Site};

/// Compares pairs of arms on given queries and counts the outcomes.
pub trait PairComparison: Sync {
    /// Pairs in the form that [`compare`](Self::compare) needs.
    type Pairs: Sync;

    /// Prepares `pairs` of 0-based arms.
    fn prepare(&self, pairs: &[(u32, u32)]) -> Self::Pairs;

    /// Plays one impression for each of `queries` (equal ones are adjacent) and adds the outcome of every pair to
    /// `tally`, which has one count per pair. All randomness comes from `stream(purpose)`.
    fn compare(&self, pairs: &Self::Pairs, queries: &[u32], stream: &dyn Fn(&str) -> Generator, tally: &mut Counts);
}

/// Wins and ties of each pair.
pub struct Counts(pub(super) Tally);

/// Interleaves each pair separately, as in duels of two arms.
pub struct InterleavedComparison<'a, I> {
    /// The rankers and their users.
    pub site: &'a Site,
    /// How two lists are mixed.
    pub method: &'a I,
}

/// Pairs prepared for [`InterleavedComparison`].
pub struct PreparedPairs(PairList);

impl<I: Interleaving> PairComparison for InterleavedComparison<'_, I> {
    type Pairs = PreparedPairs;

    fn prepare(&self, pairs: &[(u32, u32)]) -> PreparedPairs {
        PreparedPairs(PairList::new(pairs))
    }

    fn compare(&self, pairs: &PreparedPairs, queries: &[u32], stream: &dyn Fn(&str) -> Generator, tally: &mut Counts) {
        compare_piece(self.site, self.method, &pairs.0, queries, stream, &mut tally.0);
    }
}

/// Multileaves all arms into one list and reads the pairs from its outcome, as for a multi-dueling bandit that starts
/// with all arms. The list always contains all arms, even if only some pairs are counted.
pub struct MultileavedComparison<'a> {
    /// The rankers and their users.
    pub site: &'a Site,
    /// How the lists are mixed.
    pub method: &'a AnyMultileaving,
}

impl PairComparison for MultileavedComparison<'_> {
    type Pairs = Vec<(u32, u32)>;

    fn prepare(&self, pairs: &[(u32, u32)]) -> Self::Pairs {
        pairs.to_vec()
    }

    fn compare(&self, pairs: &Self::Pairs, queries: &[u32], stream: &dyn Fn(&str) -> Generator, tally: &mut Counts) {
        let (mut lists, mut users) = (stream("lists"), stream("users"));
        let mut multileaver = Multileaver::default();
        let Tally { wins, ties } = &mut tally.0;
        for &query in queries {
            let arms = 0..self.site.arms();
            let randomness = ImpressionRandomness { lists: &mut lists, users: &mut users };
            let outcome = self.site.multileave(self.method, query as usize, arms, randomness, &mut multileaver);
            for ((&(first, second), wins), ties) in pairs.iter().zip(&mut *wins).zip(&mut *ties) {
                let winner = outcome.preference(first as usize, second as usize);
                *wins += u32::from(winner == Preference::First);
                *ties += u32::from(winner == Preference::Tie);
            }
        }
    }
}
