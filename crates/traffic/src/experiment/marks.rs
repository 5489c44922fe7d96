//! Marks find an impression again. They follow from a user's request, so no event has them: the log is kept for ever, and marks are
//! forgotten.

use std::collections::{BTreeMap, VecDeque};

use super::super::event::Time;

/// Keyed hashes that find an impression again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// The hash of the unit and its query: finds a reload.
    pub query: Option<u64>,
    /// The hash of the caller's key: finds a repeated request.
    pub key: Option<u64>,
    /// The hash of the request: the same key must come with the same one.
    pub request: Option<u64>,
}

impl Marks {
    /// Whether they find anything.
    #[must_use]
    pub fn are_none(&self) -> bool {
        self.query.is_none() && self.key.is_none()
    }
}

/// Where an impression with a mark is found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) impression: u64,
    pub(super) request: Option<u64>,
}

/// The marks that are remembered.
#[derive(Debug, Default)]
pub(super) struct RememberedMarks {
    by_query: BTreeMap<u64, Mark>,
    by_key: BTreeMap<u64, Mark>,
    /// In the order of their times.
    queue: VecDeque<(Time, u64, Marks)>,
    /// The last impression with marks that were forgotten because of their age.
    forgotten: u64,
}

impl RememberedMarks {
    pub(super) fn add(&mut self, time: Time, impression: u64, marks: Marks) {
        if marks.are_none() {
            return;
        }
        let mark = Mark { impression, request: marks.request };
        if let Some(query) = marks.query {
            self.by_query.insert(query, mark);
        }
        if let Some(key) = marks.key {
            self.by_key.insert(key, mark);
        }
        self.queue.push_back((time, impression, marks));
    }

    pub(super) fn find_key(&self, key: u64) -> Option<Mark> {
        self.by_key.get(&key).copied()
    }

    pub(super) fn find_query(&self, query: u64) -> Option<Mark> {
        self.by_query.get(&query).copied()
    }

    /// Forgets the marks from before `time`.
    pub(super) fn forget_before(&mut self, time: Time) {
        while let Some(&(asked, impression, marks)) = self.queue.front()
            && asked < time
        {
            self.queue.pop_front();
            self.remove(impression, marks);
            self.forgotten = self.forgotten.max(impression);
        }
    }

    /// Forgets the marks of these impressions.
    pub(super) fn forget(&mut self, impressions: &[u64]) {
        let mut forgotten_marks = Vec::new();
        self.queue.retain(|&(_, impression, marks)| {
            let is_one = impressions.contains(&impression);
            if is_one {
                forgotten_marks.push((impression, marks));
            }
            !is_one
        });
        forgotten_marks.into_iter().for_each(|(impression, marks)| self.remove(impression, marks));
    }

    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    fn remove(&mut self, impression: u64, marks: Marks) {
        // A later impression with the same mark keeps it.
        for (held, mark) in [(&mut self.by_query, marks.query), (&mut self.by_key, marks.key)] {
            if let Some(mark) = mark
                && held.get(&mark).is_some_and(|found| found.impression == impression)
            {
                held.remove(&mark);
            }
        }
    }
}
