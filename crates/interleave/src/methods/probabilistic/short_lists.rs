//! Two short lists, drawn and credited: nearly every comparison of a simulation.
//!
//! The general form is in `list_draw`; `compare` here is for lists of the same documents, at most 256 of them, few of them shown:
//! marks are arrays that need no check, no list ever ends before the other, and the generator stays in registers. It draws the
//! same numbers and returns the same winner.

use rand::Rng;

use super::CreditTies;
use super::batched::{MAX_DEPTH, ShownList, winner_by_clicks};
use crate::keyed::seeded;
use crate::list::{ShortList, TiedRanks};
use crate::random::BitBudget;
use crate::support::rank_heads::{HEAD, TakenRanksMask, count_below};
use crate::support::rank_weights::Weights;
use crate::support::ties::draw_free;
use crate::{Doc, Examination, Generator, Preference};

/// What is taken in the current impression: entries that hold its number. So a new impression starts clean at no cost,
/// however the last one ended.
#[derive(Debug, Clone)]
pub(super) struct Marks(Box<Arrays>);

#[derive(Debug, Clone)]
struct Arrays {
    impression: u32,
    /// By document.
    shown: [u32; ShortList::MAX_DOCUMENTS],
    /// By ranker and rank, in the orders that draw and in those that credit.
    drawn: [[u32; ShortList::MAX_DOCUMENTS]; 2],
    credited: [[u32; ShortList::MAX_DOCUMENTS]; 2],
    /// By position: the document, and the probabilities that credit needs.
    docs: [u8; MAX_DEPTH],
    list: ShownList,
}

impl Default for Marks {
    fn default() -> Self {
        let none = [0; ShortList::MAX_DOCUMENTS];
        Self(Box::new(Arrays {
            impression: 0,
            shown: none,
            drawn: [none; 2],
            credited: [none; 2],
            docs: [0; MAX_DEPTH],
            list: ShownList::default(),
        }))
    }
}

impl Marks {
    #[inline]
    fn start(&mut self) -> &mut Arrays {
        if self.0.impression == u32::MAX {
            *self = Self::default();
        }
        self.0.impression += 1;
        &mut self.0
    }
}

/// Compares two rankers; see [`Interleaving::compare`](crate::Interleaving::compare). At most [`MAX_DEPTH`] documents are shown.
#[inline]
pub(super) fn compare(
    weights: &Weights,
    credit_ties: CreditTies,
    lists: [ShortList<'_>; 2],
    length: usize,
    generator: &mut Generator,
    marks: &mut Marks,
    mut user: impl FnMut(Doc) -> Examination,
) -> Preference {
    let redraw = generator.next_u64();
    // A local copy can stay in registers, as no reference to it escapes.
    let mut dice = generator.clone();
    let Arrays { impression, shown, drawn, credited, docs, list } = marks.start();
    let stamp = *impression;
    let (table, heads) = (weights.table(), weights.heads());
    let documents = lists[0].len();
    let mut masses = [weights.total(documents); 2];
    let mut taken_ranks = [TakenRanksMask::none_of(documents); 2];
    let mut clicked = 0_u16;
    let mut positions_left = false;
    for position in 0..length.min(documents).min(MAX_DEPTH) {
        // The lowest bit is the coin, the 63 others are a place in the chosen ranker's mass.
        let luck = dice.next_u64();
        let x = (luck & 1) as usize;
        let (own_rank, other) = (lists[x], lists[1 - x]);
        let target = ((u128::from(luck >> 1) * u128::from(masses[x])) >> 63) as u64;
        let head = heads.left(taken_ranks[x]);
        let mut rank = count_below(head, target) as u8;
        if usize::from(rank) == HEAD {
            rank = scan(target - head[HEAD - 1], |rank| {
                if drawn[x][usize::from(rank)] == stamp { 0 } else { table[usize::from(rank)] }
            });
        }
        let mut bits = BitBudget(dice.next_u64());
        let group = own_rank.tied_at(rank);
        let mut doc = own_rank.at(group.draw(&mut bits));
        if shown[usize::from(doc)] == stamp {
            let mut copy = dice.clone();
            doc = own_rank.at(group.draw_free(|place| shown[usize::from(own_rank.at(place))] != stamp, &mut copy));
            dice = copy;
        }
        let group = other.tied_with(doc);
        let mut other_rank = group.draw(&mut bits);
        if drawn[1 - x][usize::from(other_rank)] == stamp {
            let mut copy = dice.clone();
            other_rank = group.draw_free(|rank| drawn[1 - x][usize::from(rank)] != stamp, &mut copy);
            dice = copy;
        }
        docs[position] = doc;
        let at = &mut list[position];
        at.masses = masses;
        for (x, rank) in [(x, rank), (1 - x, other_rank)] {
            drawn[x][usize::from(rank)] = stamp;
            let weight = table[usize::from(rank)];
            at.weights[x] = weight;
            masses[x] -= weight;
            taken_ranks[x].take(rank.into());
        }
        shown[usize::from(doc)] = stamp;
        let examination = user(Doc(doc.into()));
        clicked |= u16::from(examination.clicked) << position;
        if examination.abandons {
            positions_left = true;
            break;
        }
    }
    if !positions_left && length > documents {
        // The coin for which there is no document.
        dice.next_u64();
    }
    *generator = dice;
    if clicked == 0 {
        return Preference::Tie;
    }
    if credit_ties == CreditTies::Redrawn {
        let mut dice = seeded(redraw);
        let mut masses = [weights.total(documents); 2];
        let last = clicked.ilog2() as usize;
        for (doc, at) in docs[..=last].iter().zip(&mut list[..=last]) {
            let mut bits = BitBudget(dice.next_u64());
            at.masses = masses;
            for x in [0, 1] {
                let group = lists[x].tied_with(*doc);
                let mut rank = group.draw(&mut bits);
                if credited[x][usize::from(rank)] == stamp {
                    let mut copy = dice.clone();
                    rank = group.draw_free(|rank| credited[x][usize::from(rank)] != stamp, &mut copy);
                    dice = copy;
                }
                credited[x][usize::from(rank)] = stamp;
                at.weights[x] = table[usize::from(rank)];
                masses[x] -= at.weights[x];
            }
        }
    }
    winner_by_clicks(list, clicked)
}

impl TiedRanks {
    fn size(self) -> usize {
        usize::from(self.last.wrapping_sub(self.first)) + 1
    }

    /// One of its ranks.
    #[inline]
    fn draw(self, bits: &mut BitBudget) -> u8 {
        self.first.wrapping_add(bits.below(self.size()) as u8)
    }

    /// One of its free ranks; at least one is free.
    #[cold]
    fn draw_free(self, free: impl Fn(u8) -> bool, generator: &mut Generator) -> u8 {
        let ranks = usize::from(self.first)..usize::from(self.last) + 1;
        draw_free(ranks, |rank| free(rank as u8), generator).map_or(self.last, |rank| rank as u8)
    }
}

/// The rank at `target` in the mass past the head.
#[cold]
fn scan(mut target: u64, left: impl Fn(u8) -> u64) -> u8 {
    let mut rank = HEAD as u8;
    loop {
        let weight = left(rank);
        if target < weight || rank == u8::MAX {
            return rank;
        }
        target -= weight;
        rank += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng as _;

    use crate::{
        CreditTies, Doc, Examination, Generator, Interleaving as _, ListBuf, ProbabilisticInterleave, RankedList,
    };

    proptest! {
        /// Lists in short form and in long have the same winner, show the same documents, and draw the same numbers.
        #[test]
        fn short_lists_are_as_long_ones(
            documents in prop_oneof![0_usize..30, 250_usize..=256],
            length in 0_usize..=20,
            levels in prop_oneof![1_u64..4, 1_u64..300],
            clicked in 0.0..1.0,
            left in 0.0..0.4,
            redrawn: bool,
            seed: u64,
        ) {
            let mut generator = Generator::seed_from_u64(seed);
            let owned = [0, 1].map(|_| {
                let scores: Vec<f64> = (0..documents).map(|_| generator.random_range(0..levels) as f64).collect();
                ListBuf::from_scores(&scores).expect("a list")
            });
            let words = owned.each_ref().map(|list| {
                let order: Vec<Doc> = list.as_list().docs().collect();
                let mut ends: Vec<u16> = order.iter().map(|&doc| list.as_list().group(doc).end).collect();
                ends.dedup();
                let mut words = vec![0; RankedList::words(documents)];
                RankedList::store(&order, &ends, &mut words);
                words
            });
            let ties = if redrawn { CreditTies::Redrawn } else { CreditTies::Same };
            let method = ProbabilisticInterleave::new(ties);
            // Several impressions, so that marks of one meet the next.
            let play = |lists: [RankedList<'_>; 2]| {
                let (mut lists_luck, mut luck) = (generator.clone(), Generator::seed_from_u64(!seed));
                let (mut scratch, mut seen) = (Default::default(), Vec::new());
                let mut winners = Vec::new();
                for _ in 0..5 {
                    let user = |doc: Doc| {
                        seen.push(doc);
                        Examination { clicked: luck.random_bool(clicked), abandons: luck.random_bool(left) }
                    };
                    winners.push(method.compare(lists, length, &mut lists_luck, &mut scratch, user));
                }
                (winners, seen, lists_luck)
            };
            let short = words.each_ref().map(|words| RankedList::stored(words, documents));
            prop_assert!(short.iter().all(|list| list.short().is_some()));
            prop_assert_eq!(play(short), play(owned.each_ref().map(ListBuf::as_list)));
        }
    }
}
