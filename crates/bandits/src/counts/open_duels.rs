//! Duels without a known outcome yet.
use crate::state;

/// How many duels of each pair are open. It takes no room until the first departs: a policy that gets its
/// outcomes immediately pays nothing for it.
#[derive(Debug, Clone)]
pub(crate) struct OpenDuels {
    arms: usize,
    counts: Vec<u32>,
    all: u64,
}

state!(OpenDuels { counts, all } but { arms });

impl OpenDuels {
    /// No open duels.
    pub(crate) fn new(arms: usize) -> Self {
        Self { arms, counts: Vec::new(), all: 0 }
    }

    /// A duel of this pair is open from now on.
    pub(crate) fn depart(&mut self, i: usize, j: usize) {
        if self.counts.is_empty() {
            self.counts = vec![0; self.arms * self.arms];
        }
        self.counts[i * self.arms + j] += 1;
        self.counts[j * self.arms + i] += u32::from(i != j);
        self.all += 1;
    }

    /// A duel of this pair is open no longer.
    pub(crate) fn arrive(&mut self, i: usize, j: usize) {
        self.counts[i * self.arms + j] -= 1;
        self.counts[j * self.arms + i] -= u32::from(i != j);
        self.all -= 1;
    }

    /// How many duels of this pair are open.
    #[inline]
    pub(crate) fn between(&self, i: usize, j: usize) -> u32 {
        if self.counts.is_empty() { 0 } else { self.counts[i * self.arms + j] }
    }

    /// Whether any duel is open.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.all > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duels_are_counted_both_ways_until_they_come_back() {
        let mut open = OpenDuels::new(3);
        assert!(open.counts.is_empty() && open.between(0, 2) == 0);
        open.depart(2, 0);
        open.depart(0, 2);
        open.depart(1, 1);
        assert_eq!((open.between(0, 2), open.between(2, 0), open.between(1, 1), open.between(0, 1)), (2, 2, 1, 0));
        open.arrive(0, 2);
        open.arrive(1, 1);
        assert_eq!((open.between(2, 0), open.between(1, 1), open.any()), (1, 0, true));
        open.arrive(2, 0);
        assert!(!open.any() && open.counts == [0; 9]);
    }
}
