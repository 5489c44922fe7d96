//! When the evidence of a pair first reaches a threshold, without computing it after every outcome.
//!
//! Evidence rises with each win and falls with each loss. After l losses a certain number of wins is needed at least,
//! and more losses only raise that number. So the evidence needs to be computed only when that many wins are
//! there; if losses came in between, the number is computed again. Far from the threshold a bound takes its place, which
//! costs less. The result is that of looking after every outcome.

use super::EProcess;

/// A threshold of [`EProcess`], shared by any number of pairs.
///
/// ```
/// use statistics::anytime::{Crossing, EProcess};
///
/// let crossing = Crossing::new(EProcess::against(0.5)?, 20.0);
/// let (mut wins, mut next) = (0, Crossing::FIRST_LOOK);
/// while !crossing.is_reached(wins, 3, &mut next) {
///     wins += 1;
/// }
/// let evidence = EProcess::against(0.5)?;
/// assert!(evidence.ln(wins, 3) >= 20_f64.ln() && evidence.ln(wins - 1, 3) < 20_f64.ln());
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    evidence: EProcess,
    ln_threshold: f64,
}

impl Crossing {
    /// The state of a pair for [`is_reached`](Self::is_reached) before its first outcome.
    pub const FIRST_LOOK: u64 = 0;

    /// The first time that `evidence` is at least `threshold`, a positive number.
    #[must_use]
    pub fn new(evidence: EProcess, threshold: f64) -> Self {
        Self { evidence, ln_threshold: libm::log(threshold) }
    }

    /// ln of the threshold.
    #[must_use]
    pub fn ln_threshold(&self) -> f64 {
        self.ln_threshold
    }

    /// Whether the evidence is there after `wins` and `losses` of a pair, counts that only grow from call to call.
    /// `next_look` is the state of the pair: the least number of wins with which it can be.
    #[inline]
    #[must_use]
    pub fn is_reached(&self, wins: u64, losses: u64, next_look: &mut u64) -> bool {
        wins >= *next_look && self.look(wins, losses, next_look)
    }

    #[cold]
    fn look(&self, wins: u64, losses: u64, next_look: &mut u64) -> bool {
        // No mixture of likelihood ratios exceeds the largest of them, which costs two logarithms.
        let possible = |wins: u64| self.evidence.largest_ln_ratio(wins, losses) + ROUNDING >= self.ln_threshold;
        if !possible(wins) {
            *next_look = least_above(wins, possible);
            return false;
        }
        let crosses = |wins: u64| self.evidence.ln(wins, losses) >= self.ln_threshold;
        if crosses(wins) {
            return true;
        }
        *next_look = least_above(wins, crosses);
        false
    }
}

/// More than the rounding errors of evidence.
const ROUNDING: f64 = 1e-6;
/// The most wins that are looked for: no pair has as many.
const MAX_WINS: u64 = 1 << 50;

/// The least number above `wins` that is `crosses`, as all larger ones are.
fn least_above(wins: u64, crosses: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut step) = (wins, 1);
    while low + step < MAX_WINS && !crosses(low + step) {
        low += step;
        step *= 2;
    }
    let mut high = low + step;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if crosses(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_time_is_that_of_looking_after_every_outcome() {
        for (null, threshold) in [(0.5, 40.0), (0.45, 300.0)] {
            let evidence = EProcess::against(null).unwrap();
            let crossing = Crossing::new(evidence, threshold);
            for pattern in 1..40_u64 {
                // Shares of wins from a half to all.
                let won = |step: u64| (step * step + 7 * step * pattern) % 41 < 20 + pattern / 2;
                let (mut wins, mut losses, mut next) = (0, 0, Crossing::FIRST_LOOK);
                for step in 0..3_000 {
                    *(if won(step) { &mut wins } else { &mut losses }) += 1;
                    let expected = evidence.ln(wins, losses) >= libm::log(threshold);
                    assert_eq!(crossing.is_reached(wins, losses, &mut next), expected, "{null} {pattern} {step}");
                    if expected {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn few_outcomes_are_looked_at() {
        let crossing = Crossing::new(EProcess::against(0.5).unwrap(), 40.0);
        let (mut next, mut looks) = (Crossing::FIRST_LOOK, 0);
        for wins in 0..100_000 {
            let before = next;
            assert!(!crossing.is_reached(wins, wins, &mut next));
            looks += u64::from(next != before);
        }
        assert!(looks < 500, "{looks}");
    }
}
