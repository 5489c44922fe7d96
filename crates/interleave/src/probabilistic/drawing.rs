//! One list, drawn document by document.
//!
//! The orders of tied documents are revealed only where they matter: a ranker that draws a rank
//! inside a tie group finds any of the group's unshown documents there alike, and a document shown
//! takes any of the free ranks of its group in the other ranker's order alike. Both are exactly what
//! shuffling every tie group beforehand would give.

use rand::Rng;

use super::credit::Odds;
use crate::ties::draw_free;
use crate::weights::Weights;
use crate::{Doc, Generator, RankedList, TieGroup};

/// The rank of a document that a ranker does not list; real ranks are below 65,535.
const UNLISTED: u16 = u16::MAX;

/// Buffers of [`ProbabilisticInterleave`](super::ProbabilisticInterleave).
#[derive(Debug, Clone, Default)]
pub struct ProbabilisticScratch {
    tau: Option<f64>,
    /// For each ranker the weight of each rank, 0 where taken.
    left: [Vec<u64>; 2],
    /// The sums of `left` over the list.
    masses: [u64; 2],
    /// By document.
    is_shown: Vec<bool>,
    /// The list so far, and the ranks the two rankers' orders gave its documents.
    shown: Vec<(Doc, [u16; 2])>,
    /// As `left` and `masses`, for the second reveal; only tied ranks are ever taken.
    again_taken: [Vec<bool>; 2],
    again_masses: [u64; 2],
    again: Vec<[u16; 2]>,
    /// The odds at the clicked positions.
    pub(super) clicked: Vec<Odds>,
    pub(super) positions: Vec<usize>,
    pub(super) recursion: Vec<f64>,
}

impl ProbabilisticScratch {
    /// Makes ready for a new list, cleaning up after the previous one however it ended.
    #[inline]
    pub(super) fn start(&mut self, weights: &Weights, lists: [RankedList<'_>; 2]) {
        let table = weights.table();
        if self.tau != Some(weights.tau()) {
            *self = Self {
                tau: Some(weights.tau()),
                ..Self::default()
            };
        }
        for &(doc, ranks) in &self.shown {
            self.is_shown[doc.index()] = false;
            for (left, rank) in self.left.iter_mut().zip(ranks) {
                if rank != UNLISTED {
                    left[usize::from(rank)] = table[usize::from(rank)];
                }
            }
        }
        for ranks in &self.again {
            for (taken, &rank) in self.again_taken.iter_mut().zip(ranks) {
                if rank != UNLISTED {
                    taken[usize::from(rank)] = false;
                }
            }
        }
        self.shown.clear();
        self.again.clear();
        self.clicked.clear();
        self.positions.clear();
        for x in [0, 1] {
            let n = lists[x].len();
            if self.left[x].len() < n {
                let known = self.left[x].len();
                self.left[x].extend_from_slice(&table[known..n]);
                self.again_taken[x].resize(n, false);
            }
            self.masses[x] = weights.total(n);
            self.again_masses[x] = weights.total(n);
        }
        let documents = lists[0].groups().len().max(lists[1].groups().len());
        if self.is_shown.len() < documents {
            self.is_shown.resize(documents, false);
        }
    }

    /// Draws the next document, with its odds under the order that drew it; `None` when neither
    /// ranker has any left.
    #[inline]
    pub(super) fn next(
        &mut self,
        weights: &Weights,
        lists: [RankedList<'_>; 2],
        generator: &mut Generator,
    ) -> Option<(Doc, Odds)> {
        // The lowest bit is the coin, the 63 others say where in the chosen ranker's mass.
        let luck = generator.next_u64();
        let mut x = (luck & 1) as usize;
        if self.masses[x] == 0 {
            x = 1 - x;
            if self.masses[x] == 0 {
                return None;
            }
        }
        let mut target = ((u128::from(luck >> 1) * u128::from(self.masses[x])) >> 63) as u64;
        let rank = self.left[x][..lists[x].len()].iter().position(|&weight| {
            let here = target < weight;
            target = target.wrapping_sub(weight);
            here
        })?;
        let mut doc = lists[x].order()[rank];
        let group = lists[x].group(doc);
        if group.size() > 1 {
            let order = lists[x].order();
            let place = draw_free(
                group.ranks(),
                |r| !self.is_shown[order[r].index()],
                generator,
            )?;
            doc = order[place];
        }
        let other = 1 - x;
        let left = &self.left[other];
        let other_rank = reveal(lists[other].group(doc), |rank| left[rank] > 0, generator);
        let ranks = if x == 0 {
            [rank as u16, other_rank]
        } else {
            [other_rank, rank as u16]
        };

        let table = weights.table();
        let odds = Odds {
            weights: ranks.map(|rank| weight(table, rank)),
            masses: self.masses,
        };
        for x in [0, 1] {
            if ranks[x] != UNLISTED {
                self.left[x][usize::from(ranks[x])] = 0;
            }
            self.masses[x] -= odds.weights[x];
        }
        self.is_shown[doc.index()] = true;
        self.shown.push((doc, ranks));
        Some((doc, odds))
    }

    /// The odds at `position` under the second reveal. To be called for every position from 0 on,
    /// as far as the credit needs.
    #[inline]
    pub(super) fn redraw(
        &mut self,
        weights: &Weights,
        lists: [RankedList<'_>; 2],
        position: usize,
        generator: &mut Generator,
    ) -> Odds {
        let table = weights.table();
        let doc = self.shown[position].0;
        let mut odds = Odds {
            weights: [0; 2],
            masses: self.again_masses,
        };
        let mut ranks = [UNLISTED; 2];
        for x in [0, 1] {
            let taken = &mut self.again_taken[x];
            ranks[x] = reveal(lists[x].group(doc), |rank| !taken[rank], generator);
            if ranks[x] != UNLISTED {
                taken[usize::from(ranks[x])] = true;
            }
            odds.weights[x] = weight(table, ranks[x]);
            self.again_masses[x] -= odds.weights[x];
        }
        self.again.push(ranks);
        odds
    }
}

/// The rank of a document of `group`: any of the group's free ranks.
#[inline]
fn reveal(group: TieGroup, free: impl Fn(usize) -> bool, generator: &mut Generator) -> u16 {
    match group.size() {
        0 => UNLISTED,
        1 => group.start,
        _ => draw_free(group.ranks(), free, generator).map_or(UNLISTED, |rank| rank as u16),
    }
}

#[inline]
fn weight(table: &[u64], rank: u16) -> u64 {
    // The table ends below UNLISTED.
    table.get(usize::from(rank)).copied().unwrap_or(0)
}
