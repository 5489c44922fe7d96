//! Many pairs on one query that share their random draws where possible.
//!
//! Drawing without replacement is memoryless: where a ranker's next document has been shown already, skipping
//! it leaves the rest of its sequence distributed as before. So each ranker's sequence is drawn once, each
//! ranker's ties are broken once (twice where credit redraws them), each document is examined once, and only
//! the coins are drawn for each pair. Every pair's outcome keeps the distribution of
//! [`compare`](crate::Interleaving::compare); outcomes of different pairs in one impression depend on each
//! other.

use rand::Rng;

use super::CreditTies;
use super::credit::{DrawProbabilities, Tally};
use crate::random::BitBudget;
use crate::support::rank_heads::{HEAD, Heads, Taken, count_below};
use crate::support::rank_weights::{RankTable, Weights};
use crate::support::ties::draw_free;
use crate::{Doc, Examination, Generator, Preference, RankedList};

/// With fewer pairs than this per ranker, drawing pair by pair costs less.
const PAIRS_PER_RANKER: usize = 2;

/// The largest number of documents shown: places of a sequence are bits of one number, whose last means "not
/// among the first".
const LONGEST: usize = u64::BITS as usize - 1;

/// Buffers of [`SharedImpression`].
#[derive(Debug, Clone, Default)]
pub(super) struct SharedScratch {
    /// By ranker: the first documents it would show by itself.
    sequences: Vec<Seen>,
    /// By ranker: whether any of these is clicked.
    has_clicks: Vec<bool>,
    /// By ranker: the place of each document.
    places: Vec<Place>,
    /// What the user would do with each document.
    examinations: Vec<Examination>,
    tally: Tally,
    drawn: Vec<Doc>,
    order: Vec<Doc>,
}

/// A document and what the user would do with it.
#[derive(Debug, Clone, Copy)]
struct Seen {
    doc: Doc,
    clicked: bool,
    abandons: bool,
}

/// The place of one document for one ranker.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The rank that credit uses.
    rank: u16,
    /// Its place among the first documents that the ranker would show by itself, or [`LONGEST`].
    turn: u16,
}

/// One query's rankers and user, ready to compare any pair.
pub(super) struct SharedImpression<'a> {
    table: &'a RankTable,
    scratch: &'a mut SharedScratch,
    documents: usize,
    /// How many documents are shown.
    depth: usize,
    /// The weight of all documents.
    total: u64,
}

/// Whether `pairs` comparisons of `lists` can share their draws and become faster.
pub(super) fn worth_it(lists: &[RankedList<'_>], pairs: usize, length: usize) -> bool {
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
        let SharedScratch { sequences, has_clicks, places, examinations, drawn, order, .. } = &mut *scratch;
        examinations.clear();
        examinations.extend((0..documents as u16).map(|doc| user(Doc(doc))));
        sequences.resize(lists.len() * depth, Seen { doc: Doc(0), clicked: false, abandons: false });
        places.resize(lists.len() * documents, Place { rank: 0, turn: 0 });
        drawn.resize(depth, Doc(0));
        has_clicks.clear();

        let tail = Tail { totals: weights.totals(documents) };
        if depth > 0 && examinations.iter().any(|examination| examination.clicked) {
            let sequences = sequences.chunks_exact_mut(depth);
            let places = places.chunks_exact_mut(documents);
            for ((list, sequence), places) in lists.iter().zip(sequences).zip(places) {
                draw_ranks(weights.heads(), &tail, drawn, generator);
                list.break_ties(generator, order);
                for (rank, doc) in order.iter().enumerate() {
                    places[doc.index()] = Place { rank: rank as u16, turn: LONGEST as u16 };
                }
                match credit_ties {
                    CreditTies::Same => drawn.iter_mut().for_each(|rank| *rank = order[rank.index()]),
                    CreditTies::Redrawn => reveal(*list, drawn, generator),
                }
                for (turn, (seen, &doc)) in sequence.iter_mut().zip(&*drawn).enumerate() {
                    let Examination { clicked, abandons } = examinations[doc.index()];
                    *seen = Seen { doc, clicked, abandons };
                    places[doc.index()].turn = turn as u16;
                }
                has_clicks.push(sequence.iter().any(|seen| seen.clicked));
            }
        }
        Self { table: weights.table(), scratch, documents, depth, total: weights.total(documents) }
    }

    /// Whether any document would be clicked; if none is, every pair ties.
    pub(super) fn has_clicks(&self) -> bool {
        self.scratch.examinations.iter().any(|examination| examination.clicked)
    }

    /// Compares two rankers and returns who wins.
    #[inline]
    pub(super) fn meet(&mut self, pair: [usize; 2], mut coins: u64) -> Preference {
        let SharedScratch { sequences, has_clicks, places, tally, .. } = &mut *self.scratch;
        // Whatever the coins are, the list has no other documents.
        if !pair.iter().any(|&ranker| has_clicks.get(ranker).is_some_and(|has| *has)) {
            return Preference::Tie;
        }
        let sequences = pair.map(|ranker| &sequences[ranker * self.depth..][..self.depth]);
        let places = pair.map(|ranker| &places[ranker * self.documents..][..self.documents]);
        // One bit for each place of a sequence whose document is not shown yet.
        let mut left = [(1_u64 << self.depth) - 1; 2];
        let mut masses = [self.total; 2];
        tally.start();
        for _ in 0..self.depth {
            let x = (coins & 1) as usize;
            coins >>= 1;
            // A sequence as long as the list has one left.
            let turn = if x == 0 { left[0] } else { left[1] }.trailing_zeros() as usize;
            let seen = if x == 0 { sequences[0] } else { sequences[1] }[turn];
            let places = places.map(|places| places[seen.doc.index()]);
            let weights = places.map(|place| self.table[usize::from(place.rank)]);
            tally.add(seen.clicked, DrawProbabilities { weights, masses });
            if seen.abandons {
                break;
            }
            for x in [0, 1] {
                left[x] &= !(1 << places[x].turn);
                masses[x] -= weights[x];
            }
        }
        tally.winner()
    }
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
    let mut taken = Taken::none_of(tail.documents());
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
