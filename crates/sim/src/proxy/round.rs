//! A round: a number of impressions of some pairs, cut into pieces that threads take one by one.

use std::ops::Range;

use super::comparison::{Counts, Player};
use super::strata::{Strata, Sums};
use crate::simulation::pairwise::{Tally, draw_queries};
use crate::simulation::seed;
use crate::simulation::site::Site;

/// How the queries of impressions are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// Uniformly with replacement, as in the papers.
    WithReplacement,
    /// Every query as often as every other, up to one.
    Stratified,
}

/// Most impressions of a round with replacement. Counts that are multiples of it add up: 200,000 and
/// then 200,000 more is 400,000 to the byte. Within a round impressions are sorted by query.
pub const ROUND: u64 = 100_000;

/// Comparisons that a piece should hold: some milliseconds of work, so that handing pieces to
/// threads costs nothing and waiting for the last ones of a minute little.
const COMPARISONS_A_PIECE: usize = 200_000;

/// The queries of a round in the order in which they are played.
///
/// The streams of chance of a piece depend on the master seed, the round's number and the piece's
/// (with strata: the query's), so that it does not matter which thread plays it, or when.
pub(super) struct Round<'a> {
    number: u64,
    master: u64,
    pairs: usize,
    queries: Queries<'a>,
}

enum Queries<'a> {
    /// Sorted draws, and how many make a piece.
    Drawn { draws: Vec<u32>, a_piece: usize },
    /// Strata, and how many queries make a piece.
    Strata { strata: &'a Strata, a_piece: usize },
}

/// The name of the streams of round `number`.
fn purpose(number: u64) -> String {
    format!("proxy round {number}")
}

/// The strata of round `number`.
pub(super) fn draw_strata(queries: usize, impressions: u64, master: u64, number: u64) -> Strata {
    Strata::draw(queries, impressions, &mut seed::generator(master, &purpose(number), 0, "strata"))
}

impl<'a> Round<'a> {
    /// A round of `impressions` of `pairs` pairs; with `strata`, theirs.
    pub(super) fn new(
        site: &Site,
        master: u64,
        number: u64,
        impressions: u64,
        pairs: usize,
        strata: Option<&'a Strata>,
    ) -> Self {
        let impressions_a_piece = (COMPARISONS_A_PIECE / pairs.max(1)).clamp(8, 4096);
        let queries = match strata {
            None => Queries::Drawn {
                draws: draw_queries(site, impressions, master, &purpose(number)),
                a_piece: impressions_a_piece,
            },
            Some(strata) => {
                let a_piece = (impressions_a_piece / strata.each.max(1) as usize).max(1);
                Queries::Strata { strata, a_piece }
            }
        };
        Self { number, master, pairs, queries }
    }

    /// How many pieces there are.
    pub(super) fn pieces(&self) -> u64 {
        let (all, a_piece) = self.extent();
        all.div_ceil(a_piece) as u64
    }

    /// Impressions in the first `pieces` pieces.
    pub(super) fn impressions_of(&self, pieces: u64) -> u64 {
        let (all, a_piece) = self.extent();
        let until = all.min(usize::try_from(pieces).unwrap_or(usize::MAX).saturating_mul(a_piece));
        match &self.queries {
            Queries::Drawn { .. } => until as u64,
            Queries::Strata { strata, .. } => (0..until).map(|query| u64::from(strata.of(query))).sum(),
        }
    }

    /// Draws or queries in all, and in a piece.
    fn extent(&self) -> (usize, usize) {
        match &self.queries {
            Queries::Drawn { draws, a_piece } => (draws.len(), *a_piece),
            Queries::Strata { strata, a_piece } => (strata.extra.len(), *a_piece),
        }
    }

    /// Empty sums: one for draws, two for strata (queries with fewer and with more impressions).
    pub(super) fn sums(&self) -> Vec<Sums> {
        empty_sums(self.pairs, matches!(self.queries, Queries::Strata { .. }))
    }

    /// Plays piece `number` and adds its outcome to `sums`; how many impressions that were.
    pub(super) fn play<P: Player>(&self, player: &P, pairs: &P::Pairs, number: u64, hand: &mut Hand) -> u64 {
        let (all, a_piece) = self.extent();
        let start = number as usize * a_piece;
        let range = start..all.min(start + a_piece);
        match &self.queries {
            Queries::Drawn { draws, .. } => {
                let draws = &draws[range];
                let stream = self.stream(number);
                player.play(pairs, draws, &stream, &mut hand.counts);
                draws.len() as u64
            }
            Queries::Strata { strata, .. } => self.play_strata(player, pairs, strata, range, hand),
        }
    }

    fn play_strata<P: Player>(
        &self,
        player: &P,
        pairs: &P::Pairs,
        strata: &Strata,
        range: Range<usize>,
        hand: &mut Hand,
    ) -> u64 {
        let mut impressions = 0;
        let mut draws = Vec::new();
        for query in range {
            draws.clear();
            draws.resize(strata.of(query) as usize, query as u32);
            let stream = self.stream(query as u64);
            player.play(pairs, &draws, &stream, &mut hand.counts);
            hand.sums[usize::from(strata.extra[query])].take_query(&mut hand.counts.0);
            impressions += draws.len() as u64;
        }
        impressions
    }

    fn stream(&self, number: u64) -> impl Fn(&str) -> crate::Generator + use<> {
        let (master, purpose) = (self.master, purpose(self.number));
        move |of| seed::generator(master, &purpose, number, of)
    }

    /// What a thread begins with.
    pub(super) fn hand(&self) -> Hand {
        Hand { counts: Counts(Tally::new(self.pairs)), sums: self.sums() }
    }
}

/// Empty sums of `pairs` pairs: one of draws, or two of strata.
pub(super) fn empty_sums(pairs: usize, strata: bool) -> Vec<Sums> {
    (0..1 + usize::from(strata)).map(|_| Sums::new(pairs, strata)).collect()
}

/// What a thread has counted; whole numbers, so that the order of adding does not matter.
pub(super) struct Hand {
    counts: Counts,
    sums: Vec<Sums>,
}

impl Hand {
    /// The sums.
    pub(super) fn open(mut self) -> Vec<Sums> {
        // Draws go straight into the counts, strata through them; either way they end up in the sums.
        let Tally { wins, ties } = &self.counts.0;
        let sums = &mut self.sums[0].counts;
        sums.wins.iter_mut().zip(wins).for_each(|(sum, more)| *sum += more);
        sums.ties.iter_mut().zip(ties).for_each(|(sum, more)| *sum += more);
        self.sums
    }
}
