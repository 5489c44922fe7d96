//! One ranker's order, with its ties broken by keys: the document at a rank, the rank of a document,
//! and the best document not shown yet.
//!
//! All three agree for the same [`RankerKeys`], and each reads only the tie groups it needs.

use super::tie_keys::RankerKeys;
use crate::{Doc, RankedList};

/// A set of documents that is cleared in time proportional to its members.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocSet {
    is_member: Vec<bool>,
    members: Vec<Doc>,
}

impl DocSet {
    #[inline]
    pub(crate) fn contains(&self, doc: Doc) -> bool {
        self.is_member.get(doc.index()).copied().unwrap_or(false)
    }

    /// Adds `doc`; whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, doc: Doc) -> bool {
        if self.is_member.len() <= doc.index() {
            self.is_member.resize(doc.index() + 1, false);
        }
        let is_new = !std::mem::replace(&mut self.is_member[doc.index()], true);
        if is_new {
            self.members.push(doc);
        }
        is_new
    }

    pub(crate) fn clear(&mut self) {
        for doc in self.members.drain(..) {
            self.is_member[doc.index()] = false;
        }
    }

    /// In the order they entered.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[Doc] {
        &self.members
    }
}

/// The top of one ranker's order, as far as it has been requested.
#[derive(Debug, Clone, Default)]
pub(crate) struct RevealedTop {
    docs: Vec<Doc>,
    tied: Vec<(u64, Doc)>,
}

impl RevealedTop {
    pub(crate) fn clear(&mut self) {
        self.docs.clear();
    }

    /// The document at the 0-based `rank`; `None` from `limit` on, which must not change until
    /// [`clear`](Self::clear).
    #[inline]
    pub(crate) fn get(&mut self, list: RankedList<'_>, keys: RankerKeys, limit: usize, rank: usize) -> Option<Doc> {
        if rank >= limit {
            return None;
        }
        while self.docs.len() <= rank {
            self.reveal(list, keys, limit)?;
        }
        self.docs.get(rank).copied()
    }

    /// The whole top, down to `limit`.
    pub(crate) fn top(&mut self, list: RankedList<'_>, keys: RankerKeys, limit: usize) -> &[Doc] {
        if let Some(last) = limit.min(list.len()).checked_sub(1) {
            self.get(list, keys, limit, last);
        }
        &self.docs
    }

    /// Adds the next tie group, up to `limit`.
    fn reveal(&mut self, list: RankedList<'_>, keys: RankerKeys, limit: usize) -> Option<()> {
        let start = self.docs.len();
        let doc = list.get(start)?;
        let group = list.group(doc);
        if group.size() <= 1 {
            self.docs.push(doc);
            return Some(());
        }
        self.tied.clear();
        self.tied.reserve(group.size());
        // One loop for each form of list, unlike `extend`.
        list.tied(group).for_each(|doc| self.tied.push((keys.key(doc), doc)));
        let room = limit - start;
        if room < self.tied.len() {
            self.tied.select_nth_unstable(room);
            self.tied.truncate(room);
        }
        self.tied.sort_unstable();
        self.docs.extend(self.tied.iter().map(|&(_, doc)| doc));
        Some(())
    }
}

/// The 0-based rank of `doc` in one ranker's order, `None` where the ranker does not list it.
#[inline]
pub(crate) fn rank(list: RankedList<'_>, keys: RankerKeys, doc: Doc) -> Option<usize> {
    let group = list.group(doc);
    match group.size() {
        0 => None,
        1 => Some(usize::from(group.start)),
        _ => {
            let key = keys.key(doc);
            let above = list.tied(group).filter(|&other| keys.key(other) < key).count();
            Some(usize::from(group.start) + above)
        }
    }
}

/// The best document of one ranker that is not `shown`. All above rank `top` are shown, before and
/// after the call, which moves it down.
#[inline]
pub(crate) fn best(list: RankedList<'_>, keys: impl Fn() -> RankerKeys, shown: &DocSet, top: &mut u16) -> Option<Doc> {
    let mut rank = usize::from(*top);
    let mut best = None;
    while let Some(doc) = list.get(rank) {
        let group = list.group(doc);
        best = if group.size() > 1 {
            let keys = keys();
            list.tied(group).filter(|&doc| !shown.contains(doc)).min_by_key(|&doc| keys.key(doc))
        } else {
            Some(doc).filter(|&doc| !shown.contains(doc))
        };
        if best.is_some() {
            break;
        }
        rank += group.size().max(1);
    }
    *top = rank.min(RankedList::MAX_LEN) as u16;
    best
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::support::tie_keys::TieKeys;
    use crate::{Generator, ListBuf};

    /// The three views of one order agree, whatever the ties and the limit.
    #[test]
    fn one_order() {
        let mut generator = Generator::seed_from_u64(1);
        for case in 0..200 {
            let n = generator.random_range(0..30);
            let levels = generator.random_range(1..12);
            let scores: Vec<f64> = (0..n).map(|_| f64::from(generator.random_range(0..levels))).collect();
            let list = ListBuf::from_scores(&scores).unwrap();
            let (list, limit) = (list.as_list(), generator.random_range(0..40));
            let keys = TieKeys::new(&mut generator).ranker(case);
            let mut revealed = RevealedTop::default();
            let (mut shown, mut top) = (DocSet::default(), 0);
            for at in 0..n + 2 {
                let doc = revealed.get(list, keys, limit, at);
                assert_eq!(doc.is_some(), at < n.min(limit));
                let next = best(list, || keys, &shown, &mut top);
                assert_eq!(next.is_some(), at < n);
                if let Some(next) = next {
                    assert_eq!(rank(list, keys, next), Some(at));
                    assert!(doc.is_none_or(|doc| doc == next));
                    assert!(shown.insert(next) && !shown.insert(next));
                }
            }
            assert_eq!(revealed.top(list, keys, limit).len(), n.min(limit));
        }
    }
}
