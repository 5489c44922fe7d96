//! The choices of the RMED policies while outcomes of their opening are under way.

use crate::counts::PairCounts;
use crate::state;

/// The pairs that have no outcome at the end of the opening, in turn until each has one. Before that there is no leader to
/// speak of: every arm would meet the lowest, as long as no outcome comes. With outcomes in time there are none.
#[derive(Debug, Clone, Default)]
pub(super) struct Unanswered {
    /// Whether the opening is over.
    begun: bool,
    pairs: Vec<(usize, usize)>,
    next: usize,
}

state!(Unanswered { begun, pairs, next });

impl Unanswered {
    /// The next pair, now that the opening is over; `None` once all have an outcome. `any` says whether there may be pairs
    /// without one.
    #[inline]
    pub(super) fn next(&mut self, wins: &PairCounts, any: bool) -> Option<(usize, usize)> {
        if self.begun && self.pairs.is_empty() { None } else { self.find_next(wins, any) }
    }

    #[cold]
    fn find_next(&mut self, wins: &PairCounts, any: bool) -> Option<(usize, usize)> {
        let unknown = |&(i, j): &(usize, usize)| wins.met(i, j) == 0;
        if !self.begun && any {
            let arms = wins.arms();
            let pairs = (0..arms).flat_map(|i| (i + 1..arms).map(move |j| (i, j)));
            self.pairs = pairs.filter(unknown).collect();
        }
        self.begun = true;
        loop {
            if self.next >= self.pairs.len() {
                self.pairs.retain(unknown);
                self.next = 0;
            }
            let pair = *self.pairs.get(self.next)?;
            self.next += 1;
            if unknown(&pair) {
                return Some(pair);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_in_turn_until_they_have_an_outcome() {
        let mut wins = PairCounts::new(3, 0);
        let mut unanswered = Unanswered::default();
        wins.record(2, 0);
        assert_eq!([(); 3].map(|()| unanswered.next(&wins, true)), [Some((0, 1)), Some((1, 2)), Some((0, 1))]);
        wins.record(1, 2);
        assert_eq!([(); 2].map(|()| unanswered.next(&wins, true)), [Some((0, 1)); 2]);
        wins.record(0, 1);
        assert_eq!([(); 2].map(|()| unanswered.next(&wins, true)), [None; 2]);
    }

    #[test]
    fn in_time_there_are_none() {
        let mut wins = PairCounts::new(2, 0);
        wins.record(0, 1);
        assert_eq!(Unanswered::default().next(&wins, true), None);
    }
}
