//! The draft by which team draft and SOSM make a list, for any number of rankers, document by document.
//!
//! One of the rankers with the fewest picks so far, each equally likely, adds its best document that is not
//! shown yet. Ties of score are broken by [`TieKeys`], so that only the top of each list is read, and a caller that
//! needs a ranker's order of other documents later meets the same one.

use super::revealed_top::{DocSet, best};
use super::tie_keys::TieKeys;
use crate::random::below;
use crate::{Doc, Generator, RankedList};

/// Buffers of a draft, and its list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    keys: Option<TieKeys>,
    shown: DocSet,
    /// Rankers that still have something to add; those that picked in this round come first.
    rankers: Vec<u32>,
    picked: usize,
    /// By ranker: all documents above this rank are shown.
    tops: Vec<u16>,
    length: usize,
}

impl Draft {
    /// Starts a list of at most `length` documents; returns the keys that break its ties.
    pub(crate) fn start(&mut self, rankers: usize, length: usize, generator: &mut Generator) -> TieKeys {
        let keys = TieKeys::new(generator);
        self.keys = Some(keys);
        self.shown.clear();
        self.rankers.clear();
        self.rankers.extend(0..rankers as u32);
        self.picked = 0;
        self.tops.clear();
        self.tops.resize(rankers, 0);
        self.length = length;
        keys
    }

    /// The next document and the ranker that adds it.
    #[inline]
    pub(crate) fn next(&mut self, lists: &[RankedList<'_>], generator: &mut Generator) -> Option<(Doc, usize)> {
        let keys = self.keys?;
        if self.is_full() {
            return None;
        }
        while !self.rankers.is_empty() {
            if self.picked >= self.rankers.len() {
                self.picked = 0;
            }
            let chosen = self.picked + below(self.rankers.len() - self.picked, generator);
            self.rankers.swap(self.picked, chosen);
            let ranker = self.rankers[self.picked] as usize;
            if let Some(doc) = best(lists[ranker], || keys.ranker(ranker), &self.shown, &mut self.tops[ranker]) {
                self.shown.insert(doc);
                self.picked += 1;
                return Some((doc, ranker));
            }
            // Out of documents, so out of the draft.
            self.rankers.swap_remove(self.picked);
        }
        None
    }

    /// Shows the document that all rankers would add next; `None` where they differ or the list is full.
    pub(crate) fn next_common(&mut self, lists: &[RankedList<'_>]) -> Option<Doc> {
        let keys = self.keys?;
        if self.is_full() {
            return None;
        }
        let mut common = None;
        for (ranker, (&list, top)) in lists.iter().zip(&mut self.tops).enumerate() {
            let doc = best(list, || keys.ranker(ranker), &self.shown, top)?;
            if *common.get_or_insert(doc) != doc {
                return None;
            }
        }
        common.inspect(|&doc| {
            self.shown.insert(doc);
        })
    }

    /// The list so far.
    #[inline]
    pub(crate) fn shown(&self) -> &[Doc] {
        self.shown.as_slice()
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.shown.as_slice().len() == self.length
    }
}
