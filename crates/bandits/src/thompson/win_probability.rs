//! The probability that one arm is the better of two, given how often each beat the other.
//!
//! From a uniform prior and w wins against l, the preference theta has the distribution Beta(w + 1, l + 1),
//! and P(theta > 1/2) = P(Bin(w + l + 1, 1/2) <= w). With g(w, l) = C(w + l, w) / 2^(w + l), one more
//! win moves exactly g(w + 1, l) / 2 of it from the loser to the winner, so that it can be kept up to
//! date without any sum. The smaller side alone is kept: the larger is one minus it.
//!
//! Counts that are sums of weights have no such path: [`chance_of`] computes theirs from scratch.
use crate::plain;

use std::sync::LazyLock;

/// The probability of one pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WinProbability {
    /// P(theta > 1/2) of the arm that is behind, at most 1/2.
    behind: f64,
    /// g(w, l).
    mass: f64,
}

plain!(WinProbability { behind, mass });

/// Below this the smaller side, kept by taking away, would be rounding error for the most part.
const MIN_SIDE_BY_SUBTRACTION: f64 = 1e-9;
/// A probability below this counts as 0.
const NEGLIGIBLE_PROBABILITY: f64 = 1e-25;
/// Below this g itself is computed from scratch, before it can vanish for good.
const MIN_MASS: f64 = 1e-250;

impl WinProbability {
    /// A pair without duels.
    pub(crate) const EVEN: Self = Self { behind: 0.5, mass: 1.0 };

    /// After `won` wins of one arm and `lost` of the other, from scratch.
    pub(crate) fn of(won: u32, lost: u32) -> Self {
        let mass = if won + lost <= TABLE_DUELS {
            FEW_MASSES[won as usize][lost as usize]
        } else {
            mass(won.into(), lost.into())
        };
        Self { behind: tail(mass, won.min(lost), won.max(lost)), mass }
    }

    /// P(theta > 1/2) of the arm that is behind; at most 1/2, and exactly 0 below 1e-25.
    #[cfg(test)]
    pub(crate) fn behind(self) -> f64 {
        self.behind
    }

    /// P(theta > 1/2) of an arm with `won` wins against `lost`.
    #[inline]
    pub(crate) fn chance(self, won: u32, lost: u32) -> f64 {
        // Without a branch: the arm ahead cannot be predicted.
        let ahead = u64::from(won < lost).wrapping_sub(1);
        f64::from_bits(self.behind.to_bits() & !ahead | (1.0 - self.behind).to_bits() & ahead)
    }

    /// Takes in a win, the winner's `won`th against `lost` of the loser.
    #[inline]
    pub(crate) fn win(&mut self, won: u32, lost: u32) {
        let count = won + lost;
        self.mass *= f64::from(count) / (2.0 * f64::from(won));
        let moved = 0.5 * self.mass;
        // Taken away where the winner is ahead, by the sign, as that cannot be predicted either.
        self.behind += f64::from_bits(moved.to_bits() ^ u64::from(won > lost) << 63);
        // From scratch now and then, too, so that rounding never adds up.
        if self.behind < MIN_SIDE_BY_SUBTRACTION || count.is_power_of_two() {
            self.recompute(won, lost);
        }
    }

    #[cold]
    fn recompute(&mut self, won: u32, lost: u32) {
        let count = won + lost;
        if self.mass < MIN_MASS || count.is_power_of_two() {
            self.mass = if count <= TABLE_DUELS {
                FEW_MASSES[won as usize][lost as usize]
            } else {
                mass(won.into(), lost.into())
            };
        }
        self.behind = tail(self.mass, won.min(lost), won.max(lost));
    }
}

/// P(theta > 1/2) after wins that weigh `won` against losses that weigh `lost`, of any size and both at least 0.
///
/// That is 1 - I(1/2; won + 1, lost + 1), the regularised incomplete beta function, by its series of positive terms
/// (<https://dlmf.nist.gov/8.17.E8>) on the side where they fall fastest.
///
/// As both weights fade by the same factor, it comes ever closer to 1/2 and never turns back. For with theta = e^t / (1 + e^t),
/// a = c (lost - won) / 2 >= 0, n = won + lost, and E+ and E- the means over t > 0 by the densities that are proportional to
/// e^(at) cosh(t / 2)^-(cn + 2) and e^(-at) cosh(t / 2)^-(cn + 2), the ratio of the two sides has the derivative, by ln c,
/// a (E+\[t\] + E-\[t\]) - cn D\[ln cosh(t / 2)\], where D = E+ - E-; by parts the first term is (cn / 2 + 1) D\[t tanh(t / 2)\];
/// t tanh(t / 2) / 2 - ln cosh(t / 2) grows with t, as does t tanh(t / 2), and D is not negative of what grows, as E+ has the
/// larger t.
pub(crate) fn chance_of(won: f64, lost: f64) -> f64 {
    let (few, many) = if won < lost { (won, lost) } else { (lost, won) };
    let count = few + many;
    let (mut sum, mut term, mut index) = (1.0, 1.0, 0.0);
    while term > 1e-17 * sum {
        term *= (count + 2.0 + index) / (2.0 * (many + 2.0 + index));
        sum += term;
        index += 1.0;
    }
    let behind = (mass(won, lost) * (count + 1.0) / (4.0 * (many + 1.0)) * sum).min(0.5);
    if won < lost { behind } else { 1.0 - behind }
}

/// Up to this many duels g comes from a table: pairs with few duels are updated most often.
const TABLE_DUELS: u32 = 16;
static FEW_MASSES: LazyLock<[[f64; TABLE_DUELS as usize + 1]; TABLE_DUELS as usize + 1]> =
    LazyLock::new(|| std::array::from_fn(|won| std::array::from_fn(|lost| mass(won as f64, lost as f64))));

/// P(Bin(n + 1, 1/2) <= few), n = few + many, few <= many, from g: the last term of the sum times a
/// series of falling ratios that ends by itself.
fn tail(mass: f64, few: u32, many: u32) -> f64 {
    if few == many {
        return 0.5;
    }
    let (few, above) = (f64::from(few), f64::from(many) + 1.0);
    let last = mass * (few + above) / (2.0 * above);
    // The ratios are below few / (above + 1) < 1.
    if last * (above + 1.0) < NEGLIGIBLE_PROBABILITY * (above + 1.0 - few) {
        return 0.0;
    }
    let (mut sum, mut term, mut index) = (1.0, 1.0, 0.0);
    while term > 1e-17 * sum {
        index += 1.0;
        term *= (few + 1.0 - index) / (above + index);
        sum += term;
    }
    let tail = last * sum;
    if tail < NEGLIGIBLE_PROBABILITY { 0.0 } else { tail }
}

/// g(won, lost), by Stirling's series: C. Loader, "Fast and Accurate Computation of Binomial
/// Probabilities", 2000. Exact to about 1e-12 of itself for a million wins.
fn mass(won: f64, lost: f64) -> f64 {
    let count = won + lost;
    if won == 0.0 || lost == 0.0 {
        return libm::exp2(-count);
    }
    let lean = (won - lost) / count;
    let part = |weight: f64, lean: f64| {
        // A fraction may be too small a share to be seen in `lean`.
        weight * if lean > -1.0 { libm::log1p(lean) } else { libm::log(2.0 * weight / count) }
    };
    let divergence = part(won, lean) + part(lost, -lean);
    let error = stirling_error(count) - stirling_error(won) - stirling_error(lost);
    let spread = count / (2.0 * std::f64::consts::PI * won * lost);
    libm::exp(error - divergence) * spread.sqrt()
}

/// ln n! less Stirling's formula for it, n > 0.
fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        let formula = (n + 0.5) * libm::log(n) - n + 0.5 * libm::log(2.0 * std::f64::consts::PI);
        return libm::lgamma(n + 1.0) - formula;
    }
    let square = n * n;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / n
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "an independent check, which no result depends on")]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::Generator;
    use crate::random::below;

    /// ln P(Bin(count, 1/2) <= most), summed in log space from ln k! itself.
    fn log_tail(logs: &[f64], count: usize, most: usize) -> f64 {
        let term = |k: usize| logs[count] - logs[k] - logs[count - k];
        let top = term(most.min(count / 2));
        let sum: f64 = (0..=most).rev().map(|k| (term(k) - top).exp()).take_while(|&share| share > 1e-18).sum();
        top + sum.ln() - count as f64 * 2_f64.ln()
    }

    /// ln k! for k up to `most`, summed with the rounding carried along.
    fn log_factorials(most: usize) -> Vec<f64> {
        let (mut sum, mut carried) = (0.0, 0.0);
        let mut logs = vec![0.0];
        for k in 1..=most {
            let term = (k as f64).ln() - carried;
            let next = sum + term;
            carried = (next - sum) - term;
            sum = next;
            logs.push(sum);
        }
        logs
    }

    /// Relative where the smaller side is likely enough to ever matter.
    fn check(probability: WinProbability, won: u32, lost: u32, logs: &[f64], tolerance: f64) {
        let few = won.min(lost) as usize;
        let expected = log_tail(logs, (won + lost + 1) as usize, few);
        if expected < NEGLIGIBLE_PROBABILITY.ln() {
            assert_eq!(probability.behind(), 0.0, "{won} : {lost}");
        } else {
            let off = probability.behind().ln() - expected;
            assert!(off.abs() < tolerance, "{won} : {lost}: off by {off:e}");
        }
    }

    #[test]
    fn small_counts_are_exact() {
        assert_eq!(WinProbability::of(0, 0), WinProbability::EVEN);
        // P(Beta(2, 1) > 1/2) = 3/4, P(Beta(3, 1) > 1/2) = 7/8, P(Beta(3, 2) > 1/2) = 11/16.
        for (won, lost, chance) in [(1, 0, 0.75), (2, 0, 0.875), (2, 1, 11.0 / 16.0)] {
            let probability = WinProbability::of(won, lost);
            assert!((probability.chance(won, lost) - chance).abs() < 1e-15);
            assert!((probability.chance(lost, won) - (1.0 - chance)).abs() < 1e-15);
        }
    }

    #[test]
    fn from_scratch_up_to_a_million_wins() {
        let logs = log_factorials(2_000_001);
        for (won, lost) in [
            (3, 1),
            (40, 12),
            (83, 0),
            (1_000, 900),
            (10_000, 9_400),
            (10_000, 9_000),
            (100_000, 98_000),
            (1_000_000, 1_000_000),
            (1_000_000, 999_999),
            (1_000_000, 999_000),
            (1_000_000, 990_000),
            (1_000_000, 986_000),
            (1_000_000, 985_000),
            (1_000_000, 3),
        ] {
            // ln k! of two million is known to 1e-9 or so.
            check(WinProbability::of(won, lost), won, lost, &logs, 3e-8);
            assert_eq!(WinProbability::of(won, lost), WinProbability::of(lost, won));
        }
    }

    #[test]
    fn kept_up_to_date_it_says_the_same() {
        let logs = log_factorials(2_000_001);
        let mut generator = Generator::seed_from_u64(1);
        // From certain to even: the last ones cross the limit of possible values repeatedly.
        for thousandths in [0, 20, 300, 450, 490, 496, 500] {
            let (mut probability, mut won, mut lost) = (WinProbability::EVEN, 0, 0);
            for duel in 1..=1_000_000_u32 {
                if below(&mut generator, 1000) < thousandths {
                    won += 1;
                    probability.win(won, lost);
                } else {
                    lost += 1;
                    probability.win(lost, won);
                }
                if duel < 2_000 && duel % 97 == 0 || duel % 99_991 == 0 {
                    check(probability, won, lost, &logs, 3e-6);
                    let sum = probability.chance(won, lost) + probability.chance(lost, won);
                    assert!((sum - 1.0).abs() < 1e-15 || won == lost);
                }
            }
        }
    }

    /// Counts of whole duels as [`WinProbability`] has them; others by an integral, Simpson's rule in t = ln(theta / (1 - theta)).
    #[test]
    fn chances_of_weights_are_those_of_the_beta_distribution() {
        for (won, lost) in [(0, 0), (1, 0), (0, 7), (3, 20), (150, 160), (4_000, 3_900), (20_000, 20_000), (90, 0)] {
            let chance = WinProbability::of(won, lost).chance(won, lost);
            let weighed = chance_of(won.into(), lost.into());
            assert!((weighed - chance).abs() < 1e-12, "{won} : {lost}: {weighed}, {chance}");
        }
        for (won, lost) in
            [(0.3, 0.0), (1e-300, 5.0), (1e-9, 2.7), (1e-13, 40_000.0), (14.2, 9.9), (0.5, 0.5), (800.5, 799.25)]
        {
            let count = won + lost;
            // By its greatest value, so that nothing overflows.
            let top = libm::log((won + 1.0) / (lost + 1.0));
            let log = |t: f64| (won + 1.0) * t - (count + 2.0) * libm::log1p(libm::exp(t));
            let density = |t: f64| libm::exp(log(t) - log(top));
            let integral = |from: f64, to: f64| {
                let pieces = 400_000;
                let width = (to - from) / f64::from(pieces);
                let at = |piece: i32| density(from + width * f64::from(piece));
                let inner: f64 = (1..pieces).map(|piece| at(piece) * f64::from(2 + 2 * (piece % 2))).sum();
                (at(0) + inner + at(pieces)) * width / 3.0
            };
            let (above, below) = (integral(0.0, 60.0), integral(-60.0, 0.0));
            let (chance, reversed) = (chance_of(won, lost), chance_of(lost, won));
            assert!((chance - above / (above + below)).abs() < 1e-10, "{won} : {lost}: {chance}");
            assert!((chance + reversed - 1.0).abs() < 1e-15, "{won} : {lost}: {chance}, {reversed}");
        }
    }

    #[test]
    fn chances_of_weights_that_fade_never_turn_back() {
        for (won, lost) in [(1.0, 0.0), (0.1, 0.9), (40.0, 38.5), (3.0, 90.0), (12_000.0, 11_000.0), (7.0, 7.0)] {
            let mut last = chance_of(won, lost);
            for step in 1..2_000 {
                let kept = libm::pow(0.99, f64::from(step));
                let chance = chance_of(kept * won, kept * lost);
                let (nearer, slack) = ((chance - 0.5).abs(), 1e-12);
                assert!(nearer <= (last - 0.5).abs() + slack, "{won} : {lost}, {step}: {last}, {chance}");
                assert!((chance - 0.5) * (won - lost) >= -slack);
                last = chance;
            }
        }
    }

    #[test]
    fn the_impossible_becomes_possible_again() {
        let logs = log_factorials(20_001);
        let (mut probability, mut lost) = (WinProbability::EVEN, 0);
        for won in 1..=5_000 {
            probability.win(won, lost);
        }
        assert_eq!(probability.behind(), 0.0);
        for _ in 0..10_000 {
            lost += 1;
            probability.win(lost, 5_000);
            if lost % 37 == 0 {
                check(probability, 5_000, lost, &logs, 1e-6);
            }
        }
        assert_eq!(probability.chance(5_000, lost), 0.0);
    }
}
