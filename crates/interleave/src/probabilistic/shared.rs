//! Many pairs on one query, sharing what chance they can.
//!
//! Drawing without replacement is memoryless: where a ranker's next document has been shown already,
//! skipping it leaves the rest of its sequence distributed as before. So each ranker's sequence is
//! drawn once, each ranker's ties are broken once (twice where credit redraws them), each document
//! is looked at once, and all that is drawn for a pair alone is its coins. Every pair's outcome keeps
//! the law of [`compare`](crate::Interleaving::compare); outcomes of different pairs in one
//! impression depend on each other.

use rand::Rng;

use super::CreditTies;
use super::credit::Tally;
use super::drawing::{HEAD, count_below, subtract_from};
use crate::ties::{Change, draw_free};
use crate::weights::{RankTable, Weights};
use crate::{Doc, Generator, Look, Preference, RankedList};

/// Where fewer pairs than this share a ranker's sequence, drawing pair by pair costs less.
const PAIRS_A_RANKER: usize = 2;

/// The coins of an impression are the bits of one number.
const LONGEST: usize = u64::BITS as usize;

/// Buffers of [`SharedImpression`].
#[derive(Debug, Clone, Default)]
pub(super) struct SharedScratch {
    /// Ranker by ranker, the first documents it would show by itself.
    sequences: Vec<Doc>,
    /// Ranker by ranker, the rank that credit gives each document.
    ranks: Vec<u16>,
    /// What the user would do with each document.
    looks: Vec<Look>,
    /// The last pair that each document was shown to.
    shown_to: Vec<u32>,
    pair: u32,
    shown: Vec<Doc>,
    tally: Tally,
    order: Vec<Doc>,
}

/// One query's rankers and user, ready for any pair to meet.
pub(super) struct SharedImpression<'a> {
    table: &'a RankTable,
    scratch: &'a mut SharedScratch,
    documents: usize,
    /// How many documents are shown.
    depth: usize,
    /// The weight of all documents.
    total: u64,
}

/// Whether `pairs` comparisons of `lists` can share their draws, and gain by it.
pub(super) fn worth_it(lists: &[RankedList<'_>], pairs: usize, length: usize) -> bool {
    let documents = lists.first().map_or(0, |list| list.groups().len());
    let whole = |list: &RankedList<'_>| list.len() == documents && list.groups().len() == documents;
    pairs >= PAIRS_A_RANKER * lists.len() && length <= LONGEST && lists.iter().all(whole)
}

impl<'a> SharedImpression<'a> {
    /// Draws what pairs of `lists`, all of the same documents, share. `user` is asked once a document.
    pub(super) fn start(
        weights: &'a Weights,
        credit_ties: CreditTies,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &'a mut SharedScratch,
        mut user: impl FnMut(Doc) -> Look,
    ) -> Self {
        let documents = lists.first().map_or(0, |list| list.len());
        let depth = length.min(documents);
        scratch.looks.clear();
        scratch.looks.extend((0..documents as u16).map(|doc| user(Doc(doc))));
        scratch.shown_to.resize(documents.max(scratch.shown_to.len()), 0);
        scratch.shown.resize(depth, Doc(0));
        scratch.sequences.resize(lists.len() * depth, Doc(0));
        scratch.ranks.resize(lists.len() * documents, 0);

        let table = weights.table();
        let mut head = [0; HEAD];
        weights.head(documents, &mut head);
        let tail = Tail { totals: weights.totals(documents) };
        if depth > 0 && scratch.looks.iter().any(|look| look.clicked) {
            let sequences = scratch.sequences.chunks_exact_mut(depth);
            let ranks = scratch.ranks.chunks_exact_mut(documents);
            for ((list, sequence), ranks) in lists.iter().zip(sequences).zip(ranks) {
                draw_ranks(table, head, &tail, sequence, generator);
                break_ties(*list, &mut scratch.order, ranks, generator);
                match credit_ties {
                    CreditTies::Same => sequence.iter_mut().for_each(|rank| *rank = scratch.order[rank.index()]),
                    CreditTies::Redrawn => reveal(*list, sequence, generator),
                }
            }
        }
        Self { table, scratch, documents, depth, total: weights.total(documents) }
    }

    /// Whether some document would be clicked: where none is, every pair ties.
    pub(super) fn has_clicks(&self) -> bool {
        self.scratch.looks.iter().any(|look| look.clicked)
    }

    /// Lets two rankers meet; who wins.
    #[inline]
    pub(super) fn meet(&mut self, pair: [usize; 2], mut coins: u64) -> Preference {
        let scratch = &mut *self.scratch;
        if scratch.pair == u32::MAX {
            scratch.shown_to.fill(0);
            scratch.pair = 0;
        }
        scratch.pair += 1;
        let sequences = pair.map(|ranker| &scratch.sequences[ranker * self.depth..][..self.depth]);
        let mut next = [0; 2];
        let shown = &mut scratch.shown[..self.depth];
        // One past the lowest click.
        let mut clicks = 0_u64;
        for (position, slot) in shown.iter_mut().enumerate() {
            let x = (coins & 1) as usize;
            coins >>= 1;
            // A sequence of as many documents as are shown has one left that is not.
            let doc = loop {
                let doc = sequences[x][next[x]];
                next[x] += 1;
                if scratch.shown_to[doc.index()] != scratch.pair {
                    break doc;
                }
            };
            scratch.shown_to[doc.index()] = scratch.pair;
            *slot = doc;
            let look = scratch.looks[doc.index()];
            clicks |= u64::from(look.clicked) << position;
            if look.leaves {
                break;
            }
        }
        if clicks == 0 {
            return Preference::Tie;
        }
        let ranks = pair.map(|ranker| &scratch.ranks[ranker * self.documents..][..self.documents]);
        let depth = LONGEST - clicks.leading_zeros() as usize;
        let mut masses = [self.total; 2];
        scratch.tally.start();
        for &doc in &shown[..depth] {
            let weights = ranks.map(|ranks| self.table[usize::from(ranks[doc.index()])]);
            scratch.tally.look(clicks & 1 == 1, super::credit::Odds { weights, masses });
            clicks >>= 1;
            masses = [masses[0] - weights[0], masses[1] - weights[1]];
        }
        scratch.tally.winner()
    }
}

/// The ranks below the head.
struct Tail<'a> {
    /// The weight of the first n ranks, from n = 0.
    totals: &'a [u64],
}

impl Tail<'_> {
    fn mass(&self) -> u64 {
        self.totals.last().map_or(0, |total| total - self.head())
    }

    fn head(&self) -> u64 {
        self.totals[HEAD.min(self.totals.len() - 1)]
    }

    /// The rank at `target` of the tail's mass.
    #[cold]
    fn rank(&self, target: u64) -> usize {
        let target = self.head() + target;
        self.totals.partition_point(|&total| total <= target) - 1
    }
}

/// Draws different ranks, each by its weight in what is left, and writes them as if they were
/// documents.
///
/// A rank drawn leaves the partial sums of the head. From the tail nothing is taken out: where one of
/// its ranks comes up again, the draw is made afresh, which is the same law.
#[inline]
fn draw_ranks(
    table: &RankTable,
    mut head: [u64; HEAD],
    tail: &Tail<'_>,
    sequence: &mut [Doc],
    generator: &mut Generator,
) {
    for drawn in 0..sequence.len() {
        let rank = loop {
            let mass = head[HEAD - 1] + tail.mass();
            let target = ((u128::from(generator.next_u64()) * u128::from(mass)) >> 64) as u64;
            let rank = count_below(&head, target);
            if rank < HEAD {
                let weight = table[rank];
                subtract_from(&mut head, rank, weight);
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
    let order = list.order();
    let mut change = Change(0);
    for drawn in 0..sequence.len() {
        if drawn % 4 == 0 {
            change = Change(generator.next_u64());
        }
        let (before, rest) = sequence.split_at_mut(drawn);
        let rank = rest[0].index();
        let group = list.group(order[rank]);
        let doc = order[usize::from(group.start) + change.below(group.size())];
        let free = |place: usize| !before.contains(&order[place]);
        rest[0] = if before.contains(&doc) {
            // The group is not smaller than the number of its ranks drawn.
            draw_free(group.ranks(), free, generator).map_or(doc, |place| order[place])
        } else {
            doc
        };
    }
}

/// Breaks all ties: the document at each rank into `order`, the rank of each document into `ranks`.
#[inline]
fn break_ties(list: RankedList<'_>, order: &mut Vec<Doc>, ranks: &mut [u16], generator: &mut Generator) {
    order.clear();
    order.extend_from_slice(list.order());
    let mut start = 0;
    while start < order.len() {
        let end = usize::from(list.group(order[start]).end);
        let group = &mut order[start..end];
        for last in (1..group.len()).rev() {
            group.swap(last, crate::ties::below(last + 1, generator));
        }
        start = end;
    }
    for (rank, doc) in order.iter().enumerate() {
        ranks[doc.index()] = rank as u16;
    }
}
