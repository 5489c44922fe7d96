//! One list, drawn document by document.
//!
//! The orders of tied documents are drawn only where they matter: at a rank inside a tie group, each of the
//! group's unshown documents is equally likely, and a shown document is equally likely to take each of the free
//! ranks of its group in the other ranker's order. Both are exactly what shuffling every tie group beforehand
//! would give.
//!
//! A rank is drawn by its place in the sum of the remaining weights. Nearly all draws fall on the first few
//! ranks: a table has their partial sums, counted without a branch; the ranks below are scanned. Tied or
//! not, documents take the same path: a branch on ties made strict lists a fifth faster and real ones, where nearly
//! every list has ties, a seventh slower. Marks of fixed size and wider vector instructions changed nothing or cost
//! time.

use rand::Rng;

use super::credit::{DrawProbabilities, Tally};
use super::shared::SharedScratch;
use crate::random::BitBudget;
use crate::support::rank_heads::{HEAD, Heads, TakenRanksMask, count_below};
use crate::support::rank_table::{RankTable, UNLISTED};
use crate::support::rank_weights::Weights;
use crate::support::ties::draw_free;
use crate::{Doc, Generator, RankedList, TieGroup};

/// Buffers of [`ProbabilisticInterleave`](super::ProbabilisticInterleave).
#[derive(Debug, Clone, Default)]
pub struct ProbabilisticScratch {
    marks: Marks,
    /// The list so far.
    shown: Vec<Doc>,
    clicks: Clicks,
    pub(super) shared: SharedScratch,
    pub(super) short_marks: super::short_lists::Marks,
}

/// The clicks of one impression.
#[derive(Debug, Clone, Default)]
pub(super) struct Clicks {
    pub(super) tally: Tally,
    /// By position, where their probabilities are computed later.
    pub(super) is_clicked: Vec<bool>,
}

impl Clicks {
    #[inline]
    pub(super) fn remember(&mut self, position: usize, clicked: bool) {
        match self.is_clicked.get_mut(position) {
            Some(is_clicked) => *is_clicked = clicked,
            None => self.is_clicked.push(clicked),
        }
    }
}

/// What is taken in the current impression: entries that hold its number. So a new impression starts clean at
/// no cost, however the last one ended.
#[derive(Debug, Clone, Default)]
struct Marks {
    impression: u32,
    /// By document.
    shown: Vec<u32>,
    /// By ranker and rank, in the orders that draw and in those that credit.
    drawn: [Vec<u32>; 2],
    credited: [Vec<u32>; 2],
}

impl Marks {
    #[inline]
    fn start(&mut self, lists: [RankedList<'_>; 2]) {
        let documents = lists[0].documents().max(lists[1].documents());
        if self.shown.len() < documents || self.impression == u32::MAX {
            self.grow(documents);
        }
        self.impression += 1;
    }

    #[cold]
    fn grow(&mut self, documents: usize) {
        let len = documents.max(self.shown.len());
        let [a, b] = &mut self.drawn;
        let [c, d] = &mut self.credited;
        for marks in [&mut self.shown, a, b, c, d] {
            marks.clear();
            marks.resize(len, 0);
        }
        self.impression = 0;
    }
}

/// A list being drawn.
pub(super) struct ListDraw<'a> {
    table: &'a RankTable,
    heads: &'a Heads,
    /// The number of the impression: entries of marks that hold it are taken.
    impression: u32,
    /// Marks of shown documents, by document.
    marks: &'a mut [u32],
    shown: &'a mut Vec<Doc>,
    sides: [RankerDraw<'a>; 2],
}

/// One ranker's part in it.
struct RankerDraw<'a> {
    list: RankedList<'a>,
    /// Which of the first ranks are drawn.
    taken: TakenRanksMask,
    /// The weight of all that is left.
    mass: u64,
    /// Marks of drawn ranks, by rank.
    drawn: &'a mut [u32],
    /// The weight that is left, and the marks, under the order that credits.
    credit_mass: u64,
    credited: &'a mut [u32],
}

impl<'a> ListDraw<'a> {
    #[inline(always)]
    pub(super) fn start(
        weights: &'a Weights,
        lists: [RankedList<'a>; 2],
        scratch: &'a mut ProbabilisticScratch,
    ) -> (Self, &'a mut Clicks) {
        let ProbabilisticScratch { marks, shown, clicks, .. } = scratch;
        marks.start(lists);
        warm(lists);
        shown.clear();
        clicks.tally.start();
        let Marks { impression, shown: by_document, drawn: [first, second], credited: [one, other] } = marks;
        let side = |list: RankedList<'a>, drawn, credited| {
            let mass = weights.total(list.len());
            RankerDraw { list, taken: TakenRanksMask::none_of(list.len()), mass, drawn, credit_mass: mass, credited }
        };
        let sides = [side(lists[0], first, one), side(lists[1], second, other)];
        let (table, heads) = (weights.table(), weights.heads());
        (Self { table, heads, impression: *impression, marks: by_document, shown, sides }, clicks)
    }

    /// Draws the next document, with its probabilities under the order that drew it; `None` when neither
    /// ranker has any left.
    // Always, like `redraw`: with calls, a comparison of lists in the cache takes a third longer.
    #[inline(always)]
    pub(super) fn next(&mut self, generator: &mut Generator) -> Option<(Doc, DrawProbabilities)> {
        // The lowest bit is the coin, the 63 others are a place in the chosen ranker's mass.
        let luck = generator.next_u64();
        let mut x = (luck & 1) as usize;
        if self.sides[x].mass == 0 {
            x = 1 - x;
            if self.sides[x].mass == 0 {
                return None;
            }
        }
        let masses = [self.sides[0].mass, self.sides[1].mass];
        let (table, stamp) = (self.table, self.impression);
        let ranker_draw = &self.sides[x];
        let target = ((u128::from(luck >> 1) * u128::from(ranker_draw.mass)) >> 63) as u64;
        let head = self.heads.left(ranker_draw.taken);
        let mut rank = count_below(head, target);
        if rank == HEAD {
            rank = ranker_draw.scan(target - head[HEAD - 1], table, stamp)?;
        }
        let mut bits = BitBudget(generator.next_u64());
        let group = ranker_draw.list.group_at(rank);
        let mut doc = ranker_draw.list.at(usize::from(group.start) + bits.below(group.size()));
        if self.marks[doc.index()] == stamp {
            let free = |place: usize| self.marks[ranker_draw.list.at(place).index()] != stamp;
            doc = ranker_draw.list.at(draw_free(group.ranks(), free, generator)?);
        }
        let other_draw = &self.sides[1 - x];
        let other_rank =
            reveal(other_draw.list.group(doc), |rank| other_draw.drawn[rank] != stamp, &mut bits, generator);
        // One after the other, so that the next draw waits for the other ranker's rank only where that ranker draws.
        let own = self.sides[x].take(rank as u16, table, stamp);
        let other_draw = self.sides[1 - x].take(other_rank, table, stamp);
        self.marks[doc.index()] = stamp;
        self.shown.push(doc);
        let weights = if x == 0 { [own, other_draw] } else { [other_draw, own] };
        Some((doc, DrawProbabilities { weights, masses }))
    }

    /// The probabilities at `position` under a second, independent order of ties. Call it for every position from 0 on,
    /// as far as credit needs.
    #[inline(always)]
    pub(super) fn redraw(&mut self, position: usize, generator: &mut Generator) -> DrawProbabilities {
        let stamp = self.impression;
        let doc = self.shown[position];
        let mut bits = BitBudget(generator.next_u64());
        let mut probabilities = DrawProbabilities { weights: [0; 2], masses: [0; 2] };
        for (x, ranker_draw) in self.sides.iter_mut().enumerate() {
            let rank =
                reveal(ranker_draw.list.group(doc), |rank| ranker_draw.credited[rank] != stamp, &mut bits, generator);
            if let Some(mark) = ranker_draw.credited.get_mut(usize::from(rank)) {
                *mark = stamp;
            }
            probabilities.masses[x] = ranker_draw.credit_mass;
            probabilities.weights[x] = self.table[usize::from(rank)];
            ranker_draw.credit_mass -= probabilities.weights[x];
        }
        probabilities
    }
}

impl RankerDraw<'_> {
    /// Takes a rank and returns its weight.
    #[inline(always)]
    fn take(&mut self, rank: u16, table: &RankTable, now: u32) -> u64 {
        if let Some(mark) = self.drawn.get_mut(usize::from(rank)) {
            *mark = now;
        }
        let weight = table[usize::from(rank)];
        self.mass -= weight;
        self.taken.take(rank.into());
        weight
    }

    /// The rank at `target` in the mass past the head.
    #[cold]
    fn scan(&self, mut target: u64, table: &RankTable, now: u32) -> Option<usize> {
        (HEAD..self.list.len()).find(|&rank| {
            let weight = if self.drawn[rank] == now { 0 } else { table[rank] };
            let here = target < weight;
            target = target.wrapping_sub(weight);
            here
        })
    }
}

/// Requests the lists' memory together, as the draws would wait for it line by line: lists that are not in the
/// cache then cost a third less, those that are 5% more.
#[inline]
fn warm(lists: [RankedList<'_>; 2]) {
    const LINE: usize = 64;
    let mut all = 0;
    for list in lists {
        let [order, groups] = list.memory();
        all ^= order.first().unwrap_or(&0);
        for byte in groups.iter().step_by(LINE).take(16) {
            all ^= byte;
        }
    }
    std::hint::black_box(all);
}

/// The rank of a document of `group`: any of the group's free ranks.
#[inline]
fn reveal(group: TieGroup, free: impl Fn(usize) -> bool, bits: &mut BitBudget, generator: &mut Generator) -> u16 {
    if group.size() == 0 {
        return UNLISTED;
    }
    let rank = usize::from(group.start) + bits.below(group.size());
    if free(rank) {
        return rank as u16;
    }
    draw_free(group.ranks(), free, generator).map_or(UNLISTED, |rank| rank as u16)
}
