//! A round: impressions of some pairs, cut into pieces that threads take one by one.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::comparison::{Counts, PairComparison};
use super::strata::{Strata, Sums};
use crate::pairwise::{Tally, draw_queries};
use crate::seed;
use crate::site::Site;
use output::progress::Progress;

/// How the queries of impressions are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Sampling {
    /// Uniformly with replacement, as in the papers.
    WithReplacement,
    /// Every query equally often, or once more.
    Stratified,
}

/// The most impressions of a round with replacement. Multiples of it add up: 200,000 impressions and then 200,000 more
/// give the same bytes as 400,000 in one request. Within a round, impressions are sorted by query.
pub const ROUND: u64 = 100_000;

/// Approximate comparisons per piece: a few milliseconds of work, so that neither passing pieces to threads nor waiting
/// for the last ones takes noticeable time.
const COMPARISONS_PER_PIECE: usize = 200_000;

/// The queries of a round in the order in which they are played.
///
/// The random streams of a piece depend on the master seed, the number of the round and the number of the piece (with
/// strata: of the query), so that it does not matter which thread plays it, or when.
pub(super) struct Round<'a> {
    number: u64,
    master: u64,
    pairs: usize,
    queries: Queries<'a>,
}

enum Queries<'a> {
    /// Sorted draws, and the number of draws per piece.
    Drawn { draws: Vec<u32>, per_piece: usize },
    /// Strata, and the number of queries per piece.
    Strata { strata: &'a Strata, per_piece: usize },
}

/// The seed text of the streams of round `number`.
fn purpose(number: u64) -> String {
    format!("proxy round {number}")
}

/// The strata of round `number`.
pub(super) fn draw_strata(queries: usize, impressions: u64, master: u64, number: u64) -> Strata {
    Strata::draw(queries, impressions, &mut seed::generator(master, &purpose(number), 0, "strata"))
}

/// The number of draws (with strata: queries) of a round in total and per piece.
pub(super) fn extent(queries: usize, impressions: u64, pairs: usize, sampling: Sampling) -> (usize, usize) {
    let impressions_per_piece = (COMPARISONS_PER_PIECE / pairs.max(1)).clamp(8, 4096);
    match sampling {
        Sampling::WithReplacement => (impressions as usize, impressions_per_piece),
        Sampling::Stratified => {
            let per_query = (impressions / queries.max(1) as u64).max(1) as usize;
            (queries, (impressions_per_piece / per_query).max(1))
        }
    }
}

impl<'a> Round<'a> {
    /// Round `number` with `impressions` of each of `pairs` pairs, distributed over queries by `strata` if given.
    pub(super) fn new(
        site: &Site,
        master: u64,
        number: u64,
        impressions: u64,
        pairs: usize,
        strata: Option<&'a Strata>,
    ) -> Self {
        let sampling = if strata.is_some() { Sampling::Stratified } else { Sampling::WithReplacement };
        let (_, per_piece) = extent(site.queries(), impressions, pairs, sampling);
        let queries = match strata {
            None => Queries::Drawn { draws: draw_queries(site, impressions, master, &purpose(number)), per_piece },
            Some(strata) => Queries::Strata { strata, per_piece },
        };
        Self { number, master, pairs, queries }
    }

    /// The number of pieces.
    pub(super) fn pieces(&self) -> u64 {
        let (draws, per_piece) = self.extent();
        draws.div_ceil(per_piece) as u64
    }

    /// The number of impressions in the first `pieces` pieces.
    pub(super) fn impressions_of(&self, pieces: u64) -> u64 {
        let (draws, per_piece) = self.extent();
        let until = draws.min(usize::try_from(pieces).unwrap_or(usize::MAX).saturating_mul(per_piece));
        match &self.queries {
            Queries::Drawn { .. } => until as u64,
            Queries::Strata { strata, .. } => (0..until).map(|query| u64::from(strata.impressions_of(query))).sum(),
        }
    }

    /// The number of draws (with strata: queries) in total and per piece.
    fn extent(&self) -> (usize, usize) {
        match &self.queries {
            Queries::Drawn { draws, per_piece } => (draws.len(), *per_piece),
            Queries::Strata { strata, per_piece } => (strata.has_extra.len(), *per_piece),
        }
    }

    /// Empty sums: one for draws, two for strata (queries with fewer and with more impressions).
    pub(super) fn sums(&self) -> Vec<Sums> {
        empty_sums(self.pairs, matches!(self.queries, Queries::Strata { .. }))
    }

    /// Lets all threads take `pieces` in turn until none is left or `stop` returns true; `progress` counts comparisons. Threads
    /// finish the pieces they have taken, so that those played are always the first ones. Returns the first piece that was
    /// not played, and the sums of each thread.
    pub(super) fn play_all<C: PairComparison>(
        &self,
        comparison: &C,
        pairs: &C::Pairs,
        pieces: Range<u64>,
        stop: &(dyn Fn() -> bool + Sync),
        progress: &Progress,
    ) -> (u64, Vec<Vec<Sums>>) {
        let (next_piece, width) = (AtomicU64::new(pieces.start), self.pairs as u64);
        let workers = rayon::broadcast(|_| {
            let mut counts = self.worker_counts();
            loop {
                let piece = next_piece.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces.end {
                    break counts.into_sums();
                }
                progress.advance(width * self.play(comparison, pairs, piece, &mut counts));
                if stop() {
                    break counts.into_sums();
                }
            }
        });
        (next_piece.into_inner().min(pieces.end), workers)
    }

    /// Plays piece `number`, adds its outcomes to `worker`, and returns the number of impressions.
    fn play<C: PairComparison>(&self, comparison: &C, pairs: &C::Pairs, number: u64, worker: &mut WorkerCounts) -> u64 {
        let (draws, per_piece) = self.extent();
        let start = number as usize * per_piece;
        let range = start..draws.min(start + per_piece);
        match &self.queries {
            Queries::Drawn { draws, .. } => {
                let draws = &draws[range];
                let stream = self.stream(number);
                comparison.compare(pairs, draws, &stream, &mut worker.counts);
                draws.len() as u64
            }
            Queries::Strata { strata, .. } => self.play_strata(comparison, pairs, strata, range, worker),
        }
    }

    fn play_strata<C: PairComparison>(
        &self,
        comparison: &C,
        pairs: &C::Pairs,
        strata: &Strata,
        range: Range<usize>,
        worker: &mut WorkerCounts,
    ) -> u64 {
        let mut impressions = 0;
        let mut draws = Vec::new();
        for query in range {
            draws.clear();
            draws.resize(strata.impressions_of(query) as usize, query as u32);
            let stream = self.stream(query as u64);
            comparison.compare(pairs, &draws, &stream, &mut worker.counts);
            worker.sums[usize::from(strata.has_extra[query])].take_query(&mut worker.counts.0);
            impressions += draws.len() as u64;
        }
        impressions
    }

    fn stream(&self, number: u64) -> impl Fn(&str) -> bandits::Generator + use<> {
        let (master, purpose) = (self.master, purpose(self.number));
        move |of| seed::generator(master, &purpose, number, of)
    }

    /// Empty counts for a thread.
    fn worker_counts(&self) -> WorkerCounts {
        WorkerCounts { counts: Counts(Tally::new(self.pairs)), sums: self.sums() }
    }
}

/// Empty sums for `pairs` pairs: one for draws, two for strata.
pub(super) fn empty_sums(pairs: usize, strata: bool) -> Vec<Sums> {
    (0..1 + usize::from(strata)).map(|_| Sums::new(pairs, strata)).collect()
}

/// The counts of one thread; integers, so that the order of summation does not matter.
struct WorkerCounts {
    counts: Counts,
    sums: Vec<Sums>,
}

impl WorkerCounts {
    /// The sums over all pieces that the thread played.
    fn into_sums(mut self) -> Vec<Sums> {
        // Draws are still in `counts`; strata have moved from there to `sums` query by query.
        let Tally { wins, ties } = &self.counts.0;
        let sums = &mut self.sums[0].counts;
        sums.wins.iter_mut().zip(wins).for_each(|(sum, more)| *sum += more);
        sums.ties.iter_mut().zip(ties).for_each(|(sum, more)| *sum += more);
        self.sums
    }
}
