//! One list, drawn document by document.
//!
//! The orders of tied documents are drawn only where they matter: at a rank inside a tie group, each of the
//! group's unshown documents is equally likely, and a shown document is equally likely to take each of the free
//! ranks of its group in the other ranker's order. Both are exactly what shuffling every tie group beforehand
//! would give.
//!
//! A rank is drawn by its place in the sum of the remaining weights. Nearly all draws fall on the first few
//! ranks, so their partial sums are maintained, and are counted and updated without a branch; the ranks below
//! are scanned. Tied or not, documents take the same path: a branch on ties made strict lists a fifth faster
//! and real ones, where nearly every list has ties, a seventh slower. Partial sums of 4, 12 or 16 ranks, marks
//! of fixed size, and wider vector instructions changed nothing or cost time.

use rand::Rng;

use super::credit::{DrawProbabilities, Tally};
use super::head::{HEAD, count_below, subtract_from};
use super::shared::SharedScratch;
use crate::random::BitBudget;
use crate::support::rank_weights::{RankTable, UNLISTED, Weights};
use crate::support::ties::draw_free;
use crate::{Doc, Generator, RankedList, TieGroup};

/// Buffers of [`ProbabilisticInterleave`](super::ProbabilisticInterleave).
#[derive(Debug, Clone, Default)]
pub struct ProbabilisticScratch {
    marks: Marks,
    /// The list so far.
    shown: Vec<Doc>,
    /// For each ranker the weights of the first 1, 2, ... ranks together, as far as they are left.
    heads: [[u64; HEAD]; 2],
    clicks: Clicks,
    pub(super) shared: SharedScratch,
}

/// The clicks of one impression.
#[derive(Debug, Clone, Default)]
pub(super) struct Clicks {
    pub(super) tally: Tally,
    /// By position, where their probabilities are computed later.
    pub(super) at: Vec<bool>,
}

impl Clicks {
    #[inline]
    pub(super) fn remember(&mut self, position: usize, clicked: bool) {
        match self.at.get_mut(position) {
            Some(at) => *at = clicked,
            None => self.at.push(clicked),
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
pub(super) struct Drawing<'a> {
    lists: [RankedList<'a>; 2],
    table: &'a RankTable,
    marks: &'a mut Marks,
    shown: &'a mut Vec<Doc>,
    heads: &'a mut [[u64; HEAD]; 2],
    /// For each ranker the weight of all it has left.
    masses: [u64; 2],
    /// The weight each ranker has left under the orders that credit.
    credit_masses: [u64; 2],
}

impl<'a> Drawing<'a> {
    #[inline]
    pub(super) fn start(
        weights: &'a Weights,
        lists: [RankedList<'a>; 2],
        scratch: &'a mut ProbabilisticScratch,
    ) -> (Self, &'a mut Clicks) {
        let ProbabilisticScratch { marks, shown, heads, clicks, .. } = scratch;
        marks.start(lists);
        warm(lists);
        shown.clear();
        clicks.tally.start();
        let masses = [weights.total(lists[0].len()), weights.total(lists[1].len())];
        for (head, list) in heads.iter_mut().zip(&lists) {
            weights.head(list.len(), head);
        }
        let drawing = Self { lists, table: weights.table(), marks, shown, heads, masses, credit_masses: masses };
        (drawing, clicks)
    }

    /// Draws the next document, with its probabilities under the order that drew it; `None` when neither
    /// ranker has any left.
    // Always, like `redraw`: with calls, a comparison of lists in the cache takes a third longer.
    #[inline(always)]
    pub(super) fn next(&mut self, generator: &mut Generator) -> Option<(Doc, DrawProbabilities)> {
        // The lowest bit is the coin, the 63 others are a place in the chosen ranker's mass.
        let luck = generator.next_u64();
        let mut x = (luck & 1) as usize;
        if self.masses[x] == 0 {
            x = 1 - x;
            if self.masses[x] == 0 {
                return None;
            }
        }
        let target = ((u128::from(luck >> 1) * u128::from(self.masses[x])) >> 63) as u64;
        let mut rank = count_below(&self.heads[x], target);
        if rank == HEAD {
            rank = self.scan(x, target - self.heads[x][HEAD - 1])?;
        }
        let mut bits = BitBudget(generator.next_u64());
        let now = self.marks.impression;
        let list = self.lists[x];
        let group = list.group_at(rank);
        let mut doc = list.at(usize::from(group.start) + bits.below(group.size()));
        if self.marks.shown[doc.index()] == now {
            let free = |place: usize| self.marks.shown[list.at(place).index()] != now;
            doc = list.at(draw_free(group.ranks(), free, generator)?);
        }
        let other = 1 - x;
        let drawn = &self.marks.drawn[other];
        let other_rank = reveal(self.lists[other].group(doc), |rank| drawn[rank] != now, &mut bits, generator);
        let ranks = if x == 0 { [rank as u16, other_rank] } else { [other_rank, rank as u16] };

        let probabilities = DrawProbabilities { weights: ranks.map(|rank| self.weight(rank)), masses: self.masses };
        for x in [0, 1] {
            let rank = usize::from(ranks[x]);
            if let Some(mark) = self.marks.drawn[x].get_mut(rank) {
                *mark = now;
            }
            self.masses[x] -= probabilities.weights[x];
            subtract_from(&mut self.heads[x], rank, probabilities.weights[x]);
        }
        self.marks.shown[doc.index()] = now;
        self.shown.push(doc);
        Some((doc, probabilities))
    }

    /// The rank at `target` in what ranker `x` has left past the head.
    #[cold]
    fn scan(&self, x: usize, mut target: u64) -> Option<usize> {
        let drawn = &self.marks.drawn[x];
        (HEAD..self.lists[x].len()).find(|&rank| {
            let weight = if drawn[rank] == self.marks.impression { 0 } else { self.table[rank] };
            let here = target < weight;
            target = target.wrapping_sub(weight);
            here
        })
    }

    /// The probabilities at `position` under a second, independent order of ties. Call it for every position from 0 on,
    /// as far as credit needs.
    #[inline(always)]
    pub(super) fn redraw(&mut self, position: usize, generator: &mut Generator) -> DrawProbabilities {
        let now = self.marks.impression;
        let doc = self.shown[position];
        let mut probabilities = DrawProbabilities { weights: [0; 2], masses: self.credit_masses };
        let mut bits = BitBudget(generator.next_u64());
        for x in [0, 1] {
            let credited = &mut self.marks.credited[x];
            let rank = reveal(self.lists[x].group(doc), |rank| credited[rank] != now, &mut bits, generator);
            if let Some(mark) = credited.get_mut(usize::from(rank)) {
                *mark = now;
            }
            probabilities.weights[x] = self.weight(rank);
            self.credit_masses[x] -= probabilities.weights[x];
        }
        probabilities
    }

    #[inline]
    fn weight(&self, rank: u16) -> u64 {
        self.table[usize::from(rank)]
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
