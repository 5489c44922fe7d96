//! The list of balanced interleaving, document by document: two pointers walk down the two rankers' lists and
//! never differ by more than one.

use rand::Rng;

use super::revealed_top::{self, DocSet, RevealedTop};
use super::tie_keys::{RankerKeys, TieKeys};
use crate::{Doc, Generator, RankedList};

/// The rank of a document that a ranker lists below its top.
pub(crate) const OUTSIDE: u16 = u16::MAX;
/// The rank of a document that a ranker does not list. Ranks of tops are smaller.
pub(crate) const ABSENT: u16 = OUTSIDE - 1;

/// The ranks that a list of `depth` documents gives a document, from those that a longer one gives it.
pub(crate) fn ranks_within(ranks: [u16; 2], depth: usize) -> [u16; 2] {
    ranks.map(|rank| if rank < ABSENT && usize::from(rank) >= depth { OUTSIDE } else { rank })
}

/// Buffers of the list, and the list.
#[derive(Debug, Clone, Default)]
pub(crate) struct AlternatingDraw {
    revealed: [RevealedTop; 2],
    keys: Option<[RankerKeys; 2]>,
    /// The next rank of each ranker.
    next: [usize; 2],
    /// The ranker that goes first where both pointers are level.
    leader: usize,
    length: usize,
    shown: DocSet,
    /// The 0-based ranks of the documents shown in the two rankers' top `length`; [`OUTSIDE`] or [`ABSENT`] where they are
    /// not in it.
    pub(crate) ranks: Vec<[u16; 2]>,
}

impl AlternatingDraw {
    pub(crate) fn start(&mut self, length: usize, generator: &mut Generator) {
        let keys = TieKeys::new(generator);
        self.keys = Some([0, 1].map(|x| keys.ranker(x)));
        self.leader = (generator.next_u64() >> 63) as usize;
        self.revealed.iter_mut().for_each(RevealedTop::clear);
        self.next = [0; 2];
        self.length = length;
        self.shown.clear();
        self.ranks.clear();
    }

    /// The next document; `None` where the list is full or neither ranker has another.
    #[inline]
    pub(crate) fn next(&mut self, lists: [RankedList<'_>; 2]) -> Option<Doc> {
        let keys = self.keys?;
        if self.ranks.len() == self.length {
            return None;
        }
        loop {
            let [first, second] = self.next;
            let mut x = match first.cmp(&second) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Equal => self.leader,
                std::cmp::Ordering::Greater => 1,
            };
            let at = |state: &mut Self, x: usize| state.revealed[x].get(lists[x], keys[x], state.length, state.next[x]);
            let doc = at(self, x).or_else(|| {
                x = 1 - x;
                at(self, x)
            })?;
            self.next[x] += 1;
            if self.shown.insert(doc) {
                let top = self.length.min(usize::from(ABSENT));
                self.ranks.push([0, 1].map(|x| match revealed_top::rank(lists[x], keys[x], doc) {
                    Some(rank) if rank < top => rank as u16,
                    Some(_) => OUTSIDE,
                    None => ABSENT,
                }));
                return Some(doc);
            }
        }
    }

    /// Completes the list and returns it.
    pub(crate) fn finish(&mut self, lists: [RankedList<'_>; 2]) -> &[Doc] {
        while self.next(lists).is_some() {}
        self.shown.as_slice()
    }
}
