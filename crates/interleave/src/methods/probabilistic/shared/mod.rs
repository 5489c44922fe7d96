//! Many pairs on one query that share their random draws where possible.
//!
//! Drawing without replacement is memoryless: where a ranker's next document has been shown already, skipping
//! it leaves the rest of its sequence distributed as before. So each ranker's sequence is drawn once, each
//! ranker's ties are broken once (twice where credit redraws them), each document is examined once, and only
//! the coins are drawn for each pair. Every pair's outcome keeps the distribution of
//! [`compare`](crate::Interleaving::compare); outcomes of different pairs in one impression depend on each
//! other.
//!
//! Here: the plain form, and the one that draws sixteen pairs side by side (`simd`). Not here: credit.

mod intent;
mod simd;

use rand::Rng;

use self::intent::Intent;
use self::simd::{LANES, SimdDraw, Turns};
use super::CreditTies;
use super::batched::{MAX_DEPTH, ShownList, winner_by_clicks};
use super::credit::{DrawProbabilities, Tally};
use crate::random::BitBudget;
use crate::support::rank_heads::{HEAD, Heads, TakenRanksMask, count_below};
use crate::support::rank_table::RankTable;
use crate::support::rank_weights::Weights;
use crate::support::ties::draw_free;
use crate::{Doc, Examination, Generator, Preference, RankedList};

/// With fewer pairs than this per ranker, drawing pair by pair costs less.
const PAIRS_PER_RANKER: usize = 2;

/// The largest number of documents shown: turns of a sequence are bits of one number, the last is [`NO_TURN`].
const LONGEST: usize = u64::BITS as usize - 1;

/// The turn of a document that its ranker does not show.
const NO_TURN: u8 = LONGEST as u8;

/// Buffers of [`SharedImpression`]. Ranks and turns are apart, as lists of all pairs then fit into the nearest cache.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedScratch {
    /// By ranker: the first documents it would show by itself, one for each turn.
    sequences: Vec<Doc>,
    /// By ranker: what the user would do with these.
    intents: Vec<Intent>,
    /// By ranker: the turn of each document, or [`NO_TURN`]; where pairs are compared one by one.
    turns: Vec<u8>,
    /// The same where they are drawn side by side.
    in_lanes: Turns,
    /// By ranker: the rank of each document that credit uses.
    ranks: Vec<u16>,
    /// The intended actions of the user on each document.
    examinations: Vec<Examination>,
    simd_draw: SimdDraw,
    /// Never side by side: the plain form, for tests.
    one_by_one: bool,
    /// The list of one pair.
    list: ShownList,
    tally: Tally,
    drawn: Vec<Doc>,
    order: Vec<Doc>,
}

/// One query's rankers and user, ready to compare any pair.
pub(super) struct SharedImpression<'a> {
    table: &'a RankTable,
    scratch: &'a mut SharedScratch,
    documents: usize,
    /// How many documents are shown.
    depth: usize,
    /// The room for each sequence.
    stride: usize,
    /// Whether pairs are drawn side by side.
    is_side_by_side: bool,
    /// The weight of all documents.
    total: u64,
}

/// Whether `pairs` comparisons of `lists` can share their draws and become faster.
pub(super) fn is_sharing_faster(lists: &[RankedList<'_>], pairs: usize, length: usize) -> bool {
    let documents = lists.first().map_or(0, |list| list.documents());
    let whole = |list: &RankedList<'_>| list.len() == documents && list.documents() == documents;
    pairs >= PAIRS_PER_RANKER * lists.len() && length <= LONGEST && lists.iter().all(whole)
}

impl<'a> SharedImpression<'a> {
    /// Draws what pairs of `lists`, all of the same documents, share. `user` is called once per document.
    pub(super) fn start(
        weights: &'a Weights,
        credit_ties: CreditTies,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &'a mut SharedScratch,
        mut user: impl FnMut(Doc) -> Examination,
    ) -> Self {
        let documents = lists.first().map_or(0, |list| list.len());
        let depth = length.min(documents);
        let stride = depth.max(MAX_DEPTH);
        let is_side_by_side = depth <= MAX_DEPTH && !scratch.one_by_one && SimdDraw::is_possible();
        let SharedScratch { sequences, intents, turns, in_lanes, ranks, examinations, drawn, order, .. } =
            &mut *scratch;
        examinations.clear();
        examinations.extend((0..documents as u16).map(|doc| user(Doc(doc))));
        sequences.resize(lists.len() * stride, Doc(0));
        ranks.resize(lists.len() * documents, 0);
        drawn.resize(depth, Doc(0));
        intents.clear();

        let tail = Tail { totals: weights.totals(documents) };
        if depth > 0 && examinations.iter().any(|examination| examination.clicked) {
            if is_side_by_side {
                in_lanes.start(documents, lists.len());
            } else {
                turns.clear();
                turns.resize(lists.len() * documents, NO_TURN);
            }
            let sequences = sequences.chunks_exact_mut(stride);
            let ranks = ranks.chunks_exact_mut(documents);
            for (ranker, ((list, sequence), ranks)) in lists.iter().zip(sequences).zip(ranks).enumerate() {
                draw_ranks(weights.heads(), &tail, drawn, generator);
                list.break_ties(generator, order);
                for (rank, doc) in order.iter().enumerate() {
                    ranks[doc.index()] = rank as u16;
                }
                match credit_ties {
                    CreditTies::Same => drawn.iter_mut().for_each(|rank| *rank = order[rank.index()]),
                    CreditTies::Redrawn => reveal(*list, drawn, generator),
                }
                let mut intent = Intent::default();
                for (turn, &doc) in drawn.iter().enumerate() {
                    let Examination { clicked, abandons } = examinations[doc.index()];
                    intent.clicked |= u64::from(clicked) << turn;
                    intent.abandoned |= u64::from(abandons) << turn;
                }
                intents.push(intent);
                if is_side_by_side {
                    in_lanes.add(ranker, drawn, intent);
                } else {
                    let turns = &mut turns[ranker * documents..];
                    drawn.iter().zip(0..).for_each(|(doc, turn)| turns[doc.index()] = turn);
                }
                sequence[..depth].copy_from_slice(drawn);
            }
        }
        Self {
            table: weights.table(),
            scratch,
            documents,
            depth,
            stride,
            is_side_by_side,
            total: weights.total(documents),
        }
    }

    /// Whether any document would be clicked; if none is, every pair ties.
    pub(super) fn has_clicks(&self) -> bool {
        self.scratch.examinations.iter().any(|examination| examination.clicked)
    }

    /// Compares pairs of rankers, and calls `verdict` with the place of each in `pairs` and the winner, in any order.
    #[inline]
    pub(super) fn meet_all(
        &mut self,
        pairs: &[(u32, u32)],
        generator: &mut Generator,
        mut verdict: impl FnMut(usize, Preference),
    ) {
        let mut numbers = [0; LANES];
        let mut waiting_pairs = 0;
        let mut next = 0;
        while next < pairs.len() {
            if self.is_side_by_side && waiting_pairs == 0 && row(&pairs[next..]) == LANES {
                let coins = std::array::from_fn(|_| generator.next_u64() as u16);
                let pair = indices(pairs[next]);
                let SharedScratch { sequences, in_lanes, simd_draw, .. } = &mut *self.scratch;
                simd_draw.set_row(coins, pair, &sequences[pair[0] * self.stride..][..self.depth], in_lanes);
                numbers = std::array::from_fn(|lane| next + lane);
                self.compare_lanes(pairs, &numbers, &mut verdict);
                next += LANES;
                continue;
            }
            let pair = indices(pairs[next]);
            let coins = generator.next_u64();
            let intents = pair.map(|ranker| self.scratch.intents.get(ranker).copied().unwrap_or_default());
            // Whatever the coins are, the list has no other documents.
            if intents[0].clicked | intents[1].clicked == 0 {
                verdict(next, Preference::Tie);
            } else if self.is_side_by_side {
                let SharedScratch { sequences, in_lanes, simd_draw, .. } = &mut *self.scratch;
                simd_draw.set(waiting_pairs, coins, pair, &sequences[pair[0] * self.stride..][..self.depth], in_lanes);
                numbers[waiting_pairs] = next;
                waiting_pairs += 1;
                if waiting_pairs == LANES {
                    self.compare_lanes(pairs, &numbers, &mut verdict);
                    waiting_pairs = 0;
                }
            } else {
                verdict(next, self.meet(pair, intents, coins));
            }
            next += 1;
        }
        if waiting_pairs > 0 {
            self.compare_lanes(pairs, &numbers[..waiting_pairs], &mut verdict);
        }
    }

    /// Compares the pairs in the first lanes, which stand at `numbers` of all `pairs`.
    #[inline]
    fn compare_lanes(&mut self, pairs: &[(u32, u32)], numbers: &[usize], verdict: &mut impl FnMut(usize, Preference)) {
        let SharedScratch { sequences, ranks, simd_draw, list, .. } = &mut *self.scratch;
        let (sequences, _) = sequences.as_chunks::<MAX_DEPTH>();
        simd_draw.draw(self.depth);
        for (lane, &number) in numbers.iter().enumerate() {
            let clicks = simd_draw.clicks(lane);
            if clicks == 0 {
                verdict(number, Preference::Tie);
                continue;
            }
            let pair = indices(pairs[number]);
            let sequences = pair.map(|ranker| &sequences[ranker]);
            let ranks = pair.map(|ranker| &ranks[ranker * self.documents..][..self.documents]);
            let mut masses = [self.total; 2];
            let last = clicks.ilog2() as usize;
            for (slot, (ranker, turn)) in list[..=last].iter_mut().zip(simd_draw.shown(lane)) {
                let doc = sequences[ranker][turn];
                let weights = ranks.map(|ranks| self.table[usize::from(ranks[doc.index()])]);
                *slot = DrawProbabilities { weights, masses };
                for x in [0, 1] {
                    masses[x] -= weights[x];
                }
            }
            verdict(number, winner_by_clicks(list, clicks));
        }
    }

    /// Compares two rankers and returns the winner: the plain form, and that of long lists.
    fn meet(&mut self, pair: [usize; 2], intents: [Intent; 2], mut coins: u64) -> Preference {
        let SharedScratch { sequences, turns, ranks, tally, .. } = &mut *self.scratch;
        let sequences = pair.map(|ranker| &sequences[ranker * self.stride..][..self.depth]);
        let turns = pair.map(|ranker| &turns[ranker * self.documents..][..self.documents]);
        let ranks = pair.map(|ranker| &ranks[ranker * self.documents..][..self.documents]);
        // One bit for each turn with a document that is not shown yet.
        let mut positions_left = [(1_u64 << self.depth) - 1; 2];
        let mut masses = [self.total; 2];
        tally.start();
        for _ in 0..self.depth {
            let x = (coins & 1) as usize;
            coins >>= 1;
            // A sequence as long as the list has one left.
            let turn = positions_left[x].trailing_zeros() as usize;
            let doc = sequences[x][turn];
            let weights = ranks.map(|ranks| self.table[usize::from(ranks[doc.index()])]);
            tally.add(intents[x].clicked >> turn & 1 == 1, DrawProbabilities { weights, masses });
            if intents[x].abandoned >> turn & 1 == 1 {
                break;
            }
            for x in [0, 1] {
                positions_left[x] &= !(1 << turns[x][doc.index()]);
                masses[x] -= weights[x];
            }
        }
        tally.winner()
    }
}

/// The positions of a pair's lists.
#[inline]
fn indices((first, second): (u32, u32)) -> [usize; 2] {
    [first as usize, second as usize]
}

/// How many pairs at the beginning, at most [`LANES`], are those of one ranker with rankers that follow each other.
#[inline]
fn row(pairs: &[(u32, u32)]) -> usize {
    let Some(&(first, second)) = pairs.first() else { return 0 };
    pairs.iter().zip(second..).take(LANES).take_while(|&(&pair, next)| pair == (first, next)).count()
}

/// The ranks below the head.
struct Tail<'a> {
    /// The weight of the first n ranks, from n = 0.
    totals: &'a [u64],
}

impl Tail<'_> {
    fn documents(&self) -> usize {
        self.totals.len() - 1
    }

    fn mass(&self) -> u64 {
        self.totals.last().map_or(0, |total| total - self.head())
    }

    fn head(&self) -> u64 {
        self.totals[HEAD.min(self.documents())]
    }

    /// The rank at `target` of the tail's mass.
    #[cold]
    fn rank(&self, target: u64) -> usize {
        let target = self.head() + target;
        self.totals.partition_point(|&total| total <= target) - 1
    }
}

/// Draws different ranks, each by its weight among those left, and writes them as if they were
/// documents.
///
/// A drawn rank leaves the partial sums of the head. Nothing is removed from the tail: where one of its ranks
/// comes up again, the draw is repeated, which gives the same distribution.
#[inline]
fn draw_ranks(heads: &Heads, tail: &Tail<'_>, sequence: &mut [Doc], generator: &mut Generator) {
    let mut taken = TakenRanksMask::none_of(tail.documents());
    for drawn in 0..sequence.len() {
        let rank = loop {
            let head = heads.left(taken);
            let mass = head[HEAD - 1] + tail.mass();
            let target = ((u128::from(generator.next_u64()) * u128::from(mass)) >> 64) as u64;
            let rank = count_below(head, target);
            if rank < HEAD {
                taken.take(rank);
                break rank;
            }
            let rank = tail.rank(target - head[HEAD - 1]);
            if !sequence[..drawn].contains(&Doc(rank as u16)) {
                break rank;
            }
        };
        sequence[drawn] = Doc(rank as u16);
    }
}

/// Draws the documents at the ranks in `sequence`, without breaking the ties of all others.
#[inline]
fn reveal(list: RankedList<'_>, sequence: &mut [Doc], generator: &mut Generator) {
    let mut bits = BitBudget(0);
    for drawn in 0..sequence.len() {
        if drawn % 4 == 0 {
            bits = BitBudget(generator.next_u64());
        }
        let (before, rest) = sequence.split_at_mut(drawn);
        let rank = rest[0].index();
        let group = list.group_at(rank);
        let doc = list.at(usize::from(group.start) + bits.below(group.size()));
        let free = |place: usize| !before.contains(&list.at(place));
        rest[0] = if before.contains(&doc) {
            // The group is not smaller than the number of its ranks drawn.
            draw_free(group.ranks(), free, generator).map_or(doc, |place| list.at(place))
        } else {
            doc
        };
    }
}

#[cfg(test)]
mod tests;
