//! Tables of wins and other values per pair of arms, and the arms that they single out. Bounds and posteriors made of them are
//! in `confidence` and `thompson`.

mod least;
mod open_duels;
mod pair_table;

pub(crate) use least::LeastCounts;
pub(crate) use open_duels::OpenDuels;
pub use pair_table::{PairCounts, PairTable};

use crate::random::best_arm;
use crate::{Arm, Generator};

impl PairCounts {
    /// The arm that beat the greatest number of others in more than half of their duels, ties at random; `None`
    /// if no arm beat any (but a lone arm is the best there is).
    #[must_use]
    pub fn copeland_best(&self, generator: &mut Generator) -> Option<Arm> {
        self.lowest_then_copeland(&vec![0; self.arms()], generator)
    }

    /// The arm with the lowest of `scores`, ties by how many others it beat in more than half of their duels, and then
    /// at random; `None` if no arm beat any (but a lone arm is the best there is).
    pub(crate) fn lowest_then_copeland<T: PartialOrd + Copy>(
        &self,
        scores: &[T],
        generator: &mut Generator,
    ) -> Option<Arm> {
        let arms = scores.len();
        let beaten: Vec<usize> = (0..arms).map(|i| (0..arms).filter(|&j| self.beats(i, j)).count()).collect();
        if arms > 1 && beaten.iter().all(|&count| count == 0) {
            return None;
        }
        let least = scores.iter().copied().reduce(|a, b| if b < a { b } else { a })?;
        let score = |arm: usize| {
            if scores[arm] == least { beaten[arm] + 1 } else { 0 }
        };
        best_arm(generator, (0..arms).map(score))
    }
}
