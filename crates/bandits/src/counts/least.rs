//! The arms with the smallest counts, kept as counts rise.

use crate::random::below;
use crate::{Arm, Generator, state};

/// A count for each arm that takes part, and the arms with the smallest.
#[derive(Debug, Clone)]
pub(crate) struct LeastCounts {
    /// [`REMOVED`] for arms that take no part.
    counts: Vec<u64>,
    least: u64,
    /// The arms with the count `least`, rising.
    members: Vec<Arm>,
}

state!(LeastCounts { counts, least, members });

const REMOVED: u64 = u64::MAX;

impl LeastCounts {
    /// All arms at 0.
    pub(crate) fn new(arms: usize) -> Self {
        Self { counts: vec![0; arms], least: 0, members: (0..arms).map(Arm::at).collect() }
    }

    /// The smallest count.
    #[inline]
    pub(crate) fn least(&self) -> u64 {
        self.least
    }

    /// An arm's count.
    #[inline]
    pub(crate) fn count(&self, arm: Arm) -> u64 {
        self.counts[arm.index()]
    }

    /// One of the arms with the smallest count, each as likely.
    #[inline]
    pub(crate) fn draw(&self, generator: &mut Generator) -> Arm {
        self.members[below(generator, self.members.len())]
    }

    /// The same, counted once more: its place among the members need not be searched for.
    #[inline]
    pub(crate) fn draw_and_add(&mut self, generator: &mut Generator) -> Arm {
        let place = below(generator, self.members.len());
        let arm = self.members[place];
        if self.least + 1 < REMOVED {
            self.counts[arm.index()] = self.least + 1;
            self.remove_member(place);
        }
        arm
    }

    #[inline]
    fn remove_member(&mut self, place: usize) {
        self.members.remove(place);
        if self.members.is_empty() {
            self.refresh();
        }
    }

    /// Counts `arm` that many times more.
    #[inline]
    pub(crate) fn add(&mut self, arm: Arm, times: u64) {
        let count = &mut self.counts[arm.index()];
        let was = *count;
        *count = was.saturating_add(times).min(REMOVED - 1);
        if was == self.least && *count > was {
            let place = self.members.partition_point(|&member| member < arm);
            self.remove_member(place);
        }
    }

    /// Corrects the count of `arm`.
    pub(crate) fn put(&mut self, arm: Arm, count: u64) {
        self.counts[arm.index()] = count;
        self.refresh();
    }

    /// Recounts all arms; those with `None` take no further part.
    pub(crate) fn recount(&mut self, count: impl Fn(Arm) -> Option<u64>) {
        for (index, kept) in self.counts.iter_mut().enumerate() {
            *kept = count(Arm::at(index)).unwrap_or(REMOVED);
        }
        self.refresh();
    }

    #[cold]
    fn refresh(&mut self) {
        self.least = self.counts.iter().copied().min().unwrap_or(REMOVED);
        self.members.clear();
        let counts = self.counts.iter().enumerate();
        self.members.extend(counts.filter(|&(_, &count)| count == self.least).map(|(index, _)| Arm::at(index)));
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn members_are_always_those_with_the_smallest_count() {
        let mut generator = Generator::seed_from_u64(1);
        let mut fewest = LeastCounts::new(9);
        let mut counts = [Some(0); 9];
        for round in 0..2_000 {
            let arm = if below(&mut generator, 3) == 0 {
                Arm::at(below(&mut generator, 9))
            } else {
                fewest.draw(&mut generator)
            };
            if let Some(count) = &mut counts[arm.index()] {
                let times = below(&mut generator, 3) as u64;
                *count += times;
                fewest.add(arm, times);
            }
            if round % 300 == 299 {
                counts[round / 300] = None;
                counts[7] = Some(1);
                fewest.recount(|arm| counts[arm.index()]);
            }
            let least = counts.iter().flatten().min().copied().expect("some are in");
            let members: Vec<Arm> = (0..9).map(Arm::at).filter(|arm| counts[arm.index()] == Some(least)).collect();
            assert_eq!((fewest.least(), &fewest.members), (least, &members));
        }
    }
}
