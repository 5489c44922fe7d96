//! The probabilities of fading counts: of each pair P(theta(i, j) > 1/2), between two bounds that hold for some steps.
//!
//! As the counts of a pair fade, its chance comes ever closer to 1/2 ([`chance_of`] explains why). So its values now and after some
//! more steps bound those in between. A duel moves the chance by no more than a known share, which loosens one bound. Nearly every
//! coin falls outside of both bounds and is decided without the chance itself; those that do not say which bounds to renew.

use std::cell::RefCell;

use rand::Rng as _;

use super::fading_counts::FadingCounts;
use crate::Generator;
use crate::counts::PairTable;
use crate::random::{fill, preference_above_half, uniform};
use crate::state;
use crate::thompson::{Preferences, chance_of};

/// Bounds of all probabilities. The counts themselves are arguments.
#[derive(Debug, Clone)]
pub(super) struct WinProbabilities {
    /// How many steps bounds hold, and the factor of a count after these.
    steps: u64,
    left: f64,
    /// The last step at which all of them hold.
    until: u64,
    /// The first 32 binary digits of bounds of P(theta(i, j) > 1/2); 0 on the diagonal.
    least: PairTable<u32>,
    most: PairTable<u32>,
}

state!(WinProbabilities { until, least, most } but { steps, left });

impl WinProbabilities {
    /// For pairs that have not met, with counts that fade by `factor` at each step.
    pub(super) fn new(arms: usize, factor: f64) -> Self {
        let even = ProbabilityBounds::of(0.5, 0.5);
        Self {
            steps: steps_between_bounds(factor),
            left: libm::pow(factor, steps_between_bounds(factor) as f64),
            until: 0,
            least: PairTable::with_diagonal(arms, even.least, 0),
            most: PairTable::with_diagonal(arms, even.most, 0),
        }
    }

    /// Makes the bounds hold at `step`, for which `memory` is ready.
    pub(super) fn advance(&mut self, memory: &FadingCounts, step: u64) {
        if step <= self.until {
            return;
        }
        self.until = step.saturating_add(self.steps);
        for i in 0..memory.arms() {
            for j in i + 1..memory.arms() {
                self.renew(memory, i, j);
            }
        }
    }

    /// Records a duel that `memory` already holds.
    ///
    /// From w and l, a win moves the chance by g(w + 1, l) / 2 in the terms of `win_probability`, which is less than .4 / sqrt(n)
    /// for n = w + l + 1: g is greatest where both are equal, and sqrt(2 / (pi n)) is more than that. A win that has faded counts
    /// less than one.
    pub(super) fn record(&mut self, memory: &FadingCounts, winner: usize, loser: usize) {
        let (won, lost) = memory.between(winner, loser);
        let met = won + lost;
        if met < MIN_DUELS_FOR_BOUNDS {
            self.renew(memory, winner, loser);
            return;
        }
        let moved = ProbabilityBounds::of(0.0, 0.4 / (self.left * met).sqrt()).most;
        let most = self.most[(winner, loser)].saturating_add(moved);
        self.most[(winner, loser)] = most;
        self.least[(loser, winner)] = !most;
    }

    /// Renews the bounds of `pairs`, where a coin fell between them, unless only time moves them apart.
    pub(super) fn tighten(&mut self, memory: &FadingCounts, pairs: &[(usize, usize)]) {
        for &(i, j) in pairs {
            if self.most[(i, j)] - self.least[(i, j)] > MAX_BOUND_GAP {
                self.renew(memory, i, j);
            }
        }
    }

    /// Computes the bounds of a pair.
    fn renew(&mut self, memory: &FadingCounts, i: usize, j: usize) {
        let (won, lost) = memory.between(i, j);
        let bounds = if won + lost > 0.0 {
            ProbabilityBounds::of(chance_of(won, lost), chance_of(self.left * won, self.left * lost))
        } else {
            ProbabilityBounds::of(0.5, 0.5)
        };
        (self.least[(i, j)], self.most[(i, j)]) = (bounds.least, bounds.most);
        (self.least[(j, i)], self.most[(j, i)]) = (!bounds.most, !bounds.least);
    }
}

/// WinProbabilities after fewer duels are cheap, and one duel moves them far.
const MIN_DUELS_FOR_BOUNDS: f64 = 64.0;

/// Bounds are loose if they are further apart than this share of 2^32: a 64th.
const MAX_BOUND_GAP: u32 = 1 << 26;

/// How many steps bounds hold. To renew a pair costs two probabilities, in all 2 / `steps` per step. Within s steps of a memory of m,
/// a chance moves by at most .12 s / m, and by less than half of that for most pairs: that often a coin costs one. The sum of
/// both is least near sqrt(40 m).
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and the cast saturates")]
fn steps_between_bounds(factor: f64) -> u64 {
    (40.0 / (1.0 - factor)).sqrt() as u64
}

/// Bounds of a chance by their first 32 binary digits.
struct ProbabilityBounds {
    least: u32,
    most: u32,
}

impl ProbabilityBounds {
    /// Of all values between two probabilities; a digit wider, for rounding errors.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "probabilities, and the cast saturates"
    )]
    fn of(one: f64, other: f64) -> Self {
        let digits = |chance: f64| (chance * 2_f64.powi(32)) as u32;
        Self { least: digits(one.min(other)).saturating_sub(1), most: digits(one.max(other)).saturating_add(1) }
    }
}

/// The posteriors of all pairs at the step for which `memory` is ready and `probabilities` hold.
#[derive(Debug)]
pub(super) struct FadingPosteriors<'a> {
    memory: &'a FadingCounts,
    probabilities: &'a WinProbabilities,
    undecided: RefCell<Vec<(usize, usize)>>,
}

impl<'a> FadingPosteriors<'a> {
    pub(super) fn new(memory: &'a FadingCounts, probabilities: &'a WinProbabilities) -> Self {
        Self { memory, probabilities, undecided: RefCell::default() }
    }

    /// The pairs with a coin that fell between the bounds.
    pub(super) fn undecided(self) -> Vec<(usize, usize)> {
        self.undecided.into_inner()
    }

    /// Decides a coin that fell between the bounds.
    #[cold]
    fn decide(&self, i: usize, j: usize, generator: &mut Generator) -> bool {
        self.undecided.borrow_mut().push((i, j));
        let [least, most] = [&self.probabilities.least, &self.probabilities.most].map(|bound| f64::from(bound[(i, j)]));
        least + uniform(generator) * (most + 1.0 - least) < self.chance(i, j) * 2_f64.powi(32)
    }
}

impl Preferences for FadingPosteriors<'_> {
    const FADES: bool = true;

    fn arms(&self) -> usize {
        self.memory.arms()
    }

    fn chance(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return 0.0;
        }
        let (won, lost) = self.memory.between(i, j);
        chance_of(won, lost)
    }

    #[inline]
    fn wins_once(&self, i: usize, j: usize, generator: &mut Generator) -> bool {
        let bits = generator.next_u32();
        if bits < self.probabilities.least[(i, j)] {
            return true;
        }
        bits <= self.probabilities.most[(i, j)] && self.decide(i, j, generator)
    }

    #[inline]
    fn draw_row(&self, i: usize, from: usize, row: &mut [u32], generator: &mut Generator) {
        let bounds = self.probabilities.least.row(i)[from..].iter().zip(&self.probabilities.most.row(i)[from..]);
        let row = &mut row[from..];
        fill(row, generator);
        let mut undecided = 0;
        for (bits, (&least, &most)) in row.iter_mut().zip(bounds) {
            let (wins, loses) = (u32::from(*bits < least), u32::from(*bits > most));
            // Undecided ones are marked by 2 for the moment.
            *bits = wins | (1 - (wins | loses)) << 1;
            undecided |= *bits;
        }
        if undecided > 1 {
            for (place, bits) in row.iter_mut().enumerate() {
                if *bits > 1 {
                    *bits = u32::from(self.decide(i, from + place, generator));
                }
            }
        }
    }

    fn draw_above_half(&self, i: usize, j: usize, generator: &mut Generator) -> f64 {
        let (won, lost) = self.memory.between(i, j);
        preference_above_half(generator, won, lost)
    }

    fn strength(&self, i: usize) -> u64 {
        self.probabilities.least.row(i).iter().map(|&digits| u64::from(digits)).sum()
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::super::fading_counts::ForgettingRule;
    use super::*;
    use crate::random::below;

    const FACTOR: f64 = 0.98;

    /// Six arms after 400 steps. At most steps two of them met; the last two have not met, and the first lost nothing.
    fn faded(mut look: impl FnMut(&FadingCounts, &WinProbabilities)) -> (FadingCounts, WinProbabilities) {
        let arms = 6;
        let mut generator = Generator::seed_from_u64(1);
        let (mut memory, mut probabilities) =
            (FadingCounts::new(arms, ForgettingRule::Discount(FACTOR)), WinProbabilities::new(arms, FACTOR));
        for step in 1..=400 {
            memory.forget(step);
            probabilities.advance(&memory, step);
            look(&memory, &probabilities);
            let (i, j) = (below(&mut generator, arms), below(&mut generator, arms));
            if i != j && i.min(j) != arms - 2 {
                let upset = i.min(j) > 0 && below(&mut generator, 3) == 0;
                let (winner, loser) = if upset { (i.max(j), i.min(j)) } else { (i.min(j), i.max(j)) };
                memory.record(step, winner, loser);
                probabilities.record(&memory, winner, loser);
            }
        }
        (memory, probabilities)
    }

    #[test]
    fn chances_stay_between_their_bounds() {
        let (mut wide, mut all) = (0, 0);
        let (memory, probabilities) = faded(|memory, probabilities| {
            for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
                let chance = FadingPosteriors::new(memory, probabilities).chance(i, j) * 2_f64.powi(32);
                let (least, most) = (probabilities.least[(i, j)], probabilities.most[(i, j)]);
                assert!(f64::from(least) <= chance && chance <= f64::from(most) + 1.0, "{i}, {j}: {chance}");
                all += 1;
                wide += u32::from(most - least > 2);
            }
        });
        assert_eq!(probabilities.steps, 44);
        assert!(2 * wide > all, "{wide} of {all}");
        assert_eq!(probabilities.until % (probabilities.steps + 1), 0);
        // Pairs that have not met are even.
        assert_eq!((memory.between(4, 5), probabilities.least[(4, 5)]), ((0.0, 0.0), (1 << 31) - 1));
    }

    /// Two arms with many duels: bounds are renewed only where coins fall between them.
    #[test]
    fn duels_loosen_bounds_and_coins_tighten_them() {
        let factor = 1.0 - 1e-4;
        let mut generator = Generator::seed_from_u64(3);
        let (mut memory, mut probabilities) =
            (FadingCounts::new(2, ForgettingRule::Discount(factor)), WinProbabilities::new(2, factor));
        let mut renewed = 0;
        for step in 1..=30_000 {
            memory.forget(step);
            probabilities.advance(&memory, step);
            let posterior = FadingPosteriors::new(&memory, &probabilities);
            let chance = posterior.chance(0, 1) * 2_f64.powi(32);
            let (least, most) = (probabilities.least[(0, 1)], probabilities.most[(0, 1)]);
            assert!(f64::from(least) <= chance && chance <= f64::from(most) + 1.0, "{step}: {chance}");
            assert_eq!((probabilities.least[(1, 0)], probabilities.most[(1, 0)]), (!most, !least));
            posterior.wins_once(0, 1, &mut generator);
            let undecided = posterior.undecided();
            probabilities.tighten(&memory, &undecided);
            renewed += undecided.len();
            let winner = usize::from(below(&mut generator, 100) < 51);
            memory.record(step, winner, 1 - winner);
            probabilities.record(&memory, winner, 1 - winner);
        }
        // Of 10^4 duels that are remembered each moves a bound by .004: after 25 or so, a coin falls between them.
        assert!((400..3_000).contains(&renewed), "{renewed}");
    }

    #[test]
    fn coins_fall_by_their_chances() {
        let (memory, probabilities) = faded(|_, _| ());
        let posterior = FadingPosteriors::new(&memory, &probabilities);
        let (arm, arms, draws) = (2, 6, 40_000);
        let mut generator = Generator::seed_from_u64(2);
        let mut in_rows = vec![0; arms];
        let mut row = vec![0; arms];
        for _ in 0..draws {
            posterior.draw_row(arm, 1, &mut row, &mut generator);
            in_rows.iter_mut().zip(&row).for_each(|(count, wins)| *count += wins);
        }
        assert_eq!(in_rows[0], 0);
        let near = |count: u32, p: f64| {
            let (n, count) = (f64::from(draws), f64::from(count));
            assert!((count - n * p).abs() <= 5.0 * (n * p * (1.0 - p)).sqrt(), "{count} of {n} x {p}");
        };
        for other in 1..arms {
            let mut count = |coin: &mut dyn FnMut(&mut Generator) -> bool| {
                (0..draws).map(|_| u32::from(coin(&mut generator))).sum::<u32>()
            };
            let chance = posterior.chance(arm, other);
            near(in_rows[other], chance);
            near(count(&mut |generator| posterior.wins_once(arm, other, generator)), chance);
            // If every coin fell between the bounds, it would win as often as the chance is far from the lower one.
            let [least, most] = [&probabilities.least, &probabilities.most].map(|bound| f64::from(bound[(arm, other)]));
            let share = (chance * 2_f64.powi(32) - least) / (most + 1.0 - least);
            near(count(&mut |generator| posterior.decide(arm, other, generator)), share);
        }
    }
}
