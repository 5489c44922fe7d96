//! What an impression is: pairs interleaved one by one, or all arms multileaved into one list.

use interleave::{AnyMultileaving, Interleaving, Outcome, Preference};

use crate::Generator;
use crate::simulation::pairwise::{Contest, Tally, play_piece};
use crate::simulation::site::{Multileaver, Site};

/// Lets pairs of arms meet on given queries and counts who wins.
pub trait Player: Sync {
    /// Pairs made ready.
    type Pairs: Sync;

    /// Makes `pairs` ready.
    fn prepare(&self, pairs: &[(u32, u32)]) -> Self::Pairs;

    /// Plays one impression for each of `queries`, equal ones lying together, and adds the outcome
    /// of every pair to `tally`, which has one count a pair. Chance comes from `stream(purpose)`
    /// alone.
    fn play(&self, pairs: &Self::Pairs, queries: &[u32], stream: &dyn Fn(&str) -> Generator, tally: &mut Counts);
}

/// Wins and ties of each pair.
pub struct Counts(pub(super) Tally);

/// Each pair is interleaved on its own: what two-armed duels are made of.
pub struct Interleaved<'a, I> {
    /// The rankers and their users.
    pub site: &'a Site,
    /// How two lists are mixed.
    pub method: &'a I,
}

/// Pairs made ready for [`Interleaved`].
pub struct Ready(Contest);

impl<I: Interleaving> Player for Interleaved<'_, I> {
    type Pairs = Ready;

    fn prepare(&self, pairs: &[(u32, u32)]) -> Ready {
        Ready(Contest::new(pairs))
    }

    fn play(&self, pairs: &Ready, queries: &[u32], stream: &dyn Fn(&str) -> Generator, tally: &mut Counts) {
        play_piece(self.site, self.method, &pairs.0, queries, stream, &mut tally.0);
    }
}

/// All arms share one list, and the pairs are read off its outcome: what a multi-dueling bandit that
/// starts with all arms plays on. Only the pairs asked for are counted; the list is always of all.
pub struct Multileaved<'a> {
    /// The rankers and their users.
    pub site: &'a Site,
    /// How the lists are mixed.
    pub method: &'a AnyMultileaving,
}

impl Player for Multileaved<'_> {
    type Pairs = Vec<(u32, u32)>;

    fn prepare(&self, pairs: &[(u32, u32)]) -> Self::Pairs {
        pairs.to_vec()
    }

    fn play(&self, pairs: &Self::Pairs, queries: &[u32], stream: &dyn Fn(&str) -> Generator, tally: &mut Counts) {
        let (mut lists, mut users) = (stream("lists"), stream("users"));
        let mut multileaver = Multileaver::default();
        let Tally { wins, ties } = &mut tally.0;
        for &query in queries {
            let arms = 0..self.site.arms();
            let outcome =
                self.site.multileave(self.method, query as usize, arms, &mut lists, &mut users, &mut multileaver);
            for ((&(first, second), wins), ties) in pairs.iter().zip(&mut *wins).zip(&mut *ties) {
                let winner = outcome.preference(first as usize, second as usize);
                *wins += u32::from(winner == Preference::First);
                *ties += u32::from(winner == Preference::Tie);
            }
        }
    }
}
