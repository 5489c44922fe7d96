//! Counts per arm and per pair of arms, and the arms that they single out. Bounds and posteriors made of them are
//! in `confidence` and `thompson`.

mod least;

pub(crate) use least::LeastCounts;

use crate::random::best_arm;
use crate::{Arm, Generator};

/// The arm with the lowest `doubt`, ties by how many others it beat in more than half of their
/// duels, and then at random; `None` where no arm beat any (but a lone arm is the best there is).
/// `wins` at `i * arms + j` is how often i beat j.
pub(crate) fn best_among<T: PartialOrd + Copy>(wins: &[u32], doubt: &[T], generator: &mut Generator) -> Option<Arm> {
    let arms = doubt.len();
    let beaten: Vec<usize> =
        (0..arms).map(|i| (0..arms).filter(|&j| wins[i * arms + j] > wins[j * arms + i]).count()).collect();
    if arms > 1 && beaten.iter().all(|&count| count == 0) {
        return None;
    }
    let least = doubt.iter().copied().reduce(|a, b| if b < a { b } else { a })?;
    let score = |arm: usize| {
        if doubt[arm] == least { beaten[arm] + 1 } else { 0 }
    };
    best_arm(generator, (0..arms).map(score))
}
