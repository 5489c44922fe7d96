//! Sequential tests of a pair that end after a number of units fixed in advance, and how many units they need.
//!
//! Both may be looked at after every unit. A [`PairTest`](crate::anytime::PairTest) may, too, and goes on for ever; these say nothing after the
//! horizon. MaxSPRT takes about as long. YEAST decides sooner where the horizon is little more than what a single look would need, and later where it is
//! much more, because its bound is the same from the first unit on.
//!
//! With w wins and l losses among n = w + l decided units, and N decided units at the horizon:
//!
//! | test | decides if |
//! |---|---|
//! | MaxSPRT | w ln(2w / n) + l ln(2l / n) >= c: the largest likelihood ratio of any share of wins against 1/2. c is such that this ever happens up to N with probability alpha, if wins and losses are equally likely |
//! | YEAST | \|w - l\| >= z sqrt(N), where z is the normal quantile at 1 - alpha / 4. By Lévy's inequality a sum of symmetric terms ever exceeds a bound up to N with at most twice the probability with which it does at N, and there are two sides |
//!
//! ## Assumptions
//!
//! * Units are independent and end as often as was said, N times decided at most. After N units neither test has a meaning: more units need
//!   a larger bound.
//! * MaxSPRT's c comes from the walk of net wins, which is exact up to 16,384 units and has steps of several units later (its paper simulates).
//! * YEAST takes the sum of N units as normal, as its paper does. Ties add nothing to the sum and to N. In its paper, N is expected, and the
//!   variance of a term estimated; here terms are 1 or -1, of variance 1.
//!
//! ## References
//!
//! MaxSPRT: E. Kharitonov, A. Vorobev, C. Macdonald, P. Serdyukov, I. Ounis, "Sequential Testing for Early Stopping of Online Experiments", SIGIR
//! 2015, <https://doi.org/10.1145/2766462.2767729>, after M. Kulldorff et al., "A Maximized Sequential Probability Ratio Test for
//! Drug and Vaccine Safety Surveillance", Sequential Analysis 30(1), 2011, <https://doi.org/10.1080/07474946.2011.539924>. YEAST: A. Kurennoy, M. Dodin,
//! T. Gurbanov, A. Peleteiro Ramallo, "YEAST: Yet Another Sequential Test", NeurIPS 2025, <https://doi.org/10.48550/arXiv.2406.16523>; one-sided there.

use super::net_wins::{NetWins, place_of};
use super::{TiedUnits, check_share, find_root};
use crate::anytime::TestState;
use crate::error::check_level;
use crate::special_functions::normal_quantile;
use crate::{Counts, StatisticsError};

/// A two-sided sequential test of "wins and losses are equally likely" that ends after a number of decided units.
///
/// ```
/// use statistics::power::horizon::BoundedTest;
/// use statistics::{Counts, anytime::TestState};
///
/// let test = BoundedTest::yeast(1_000, 0.05)?;
/// // 2.2414 times the root of 1,000 is 70.9.
/// assert_eq!(test.decide(Counts::new(170, 100, 30)), TestState::Open);
/// assert_eq!(test.decide(Counts::new(171, 100, 30)), TestState::FirstWins);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundedTest {
    rule: Rule,
    units: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    /// The logarithm of the likelihood ratio that decides.
    MaxSprt(f64),
    /// The net wins that decide.
    Yeast(f64),
}

impl BoundedTest {
    /// MaxSPRT at level `alpha`, in (0, 1), for at most `units` decided units.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1), or there are no units.
    pub fn max_sprt(units: u64, alpha: f64) -> Result<Self, StatisticsError> {
        check_units_and_level(units, alpha)?;
        let with_bound = |bound: f64| Self { rule: Rule::MaxSprt(bound), units };
        // The probability of a decision falls from 1 to less than any level of interest; a thousandth of c changes it by less than a
        // hundredth of itself.
        let (mut low, mut high) = (0.0, 32.0);
        for _ in 0..15 {
            let middle = 0.5 * (low + high);
            *(if with_bound(middle).false_alarms() > alpha { &mut low } else { &mut high }) = middle;
        }
        Ok(with_bound(high))
    }

    /// YEAST at level `alpha`, in (0, 1), for at most `units` decided units.
    ///
    /// # Errors
    /// As for [`max_sprt`](Self::max_sprt).
    pub fn yeast(units: u64, alpha: f64) -> Result<Self, StatisticsError> {
        check_units_and_level(units, alpha)?;
        let net = normal_quantile(1.0 - alpha / 4.0) * libm::sqrt(units as f64);
        Ok(Self { rule: Rule::Yeast(net), units })
    }

    /// The state of the test at these counts; open beyond the horizon. A decision is final, and callers must remember it.
    #[must_use]
    pub fn decide(&self, counts: Counts) -> TestState {
        let (wins, losses) = (counts.wins as f64, counts.losses as f64);
        let reached = match self.rule {
            Rule::MaxSprt(bound) => ln_ratio(wins, losses) >= bound,
            Rule::Yeast(net) => (wins - losses).abs() >= net,
        };
        match reached && counts.decided() <= self.units {
            true if wins > losses => TestState::FirstWins,
            true => TestState::SecondWins,
            false => TestState::Open,
        }
    }

    /// The decided units after which it ends.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }

    /// The probability of ever deciding, if wins and losses are equally likely.
    #[must_use]
    pub fn false_alarms(&self) -> f64 {
        let (decided, wrong) = walk(0.5, self);
        decided.last().map_or(0.0, |last| last.1) + wrong
    }

    /// The net wins that decide after this many units; more than there are units if none do.
    fn net(&self, units: f64) -> f64 {
        match self.rule {
            Rule::Yeast(net) => net,
            Rule::MaxSprt(bound) => {
                let excess = |net: f64| ln_ratio(0.5 * (units + net), 0.5 * (units - net)) - bound;
                if excess(units) < 0.0 { 2.0 * units } else { find_root(excess, units) }
            }
        }
    }
}

fn check_units_and_level(units: u64, alpha: f64) -> Result<(), StatisticsError> {
    check_level(alpha)?;
    let error = StatisticsError::OutOfRange { what: "the units of a test", value: 0.0, range: "[1, inf)" };
    (units > 0).then_some(()).ok_or(error)
}

/// ln of the likelihood of these counts at their own share of wins over that at 1/2.
fn ln_ratio(wins: f64, losses: f64) -> f64 {
    let term = |count: f64| if count > 0.0 { count * libm::log(2.0 * count / (wins + losses)) } else { 0.0 };
    term(wins) + term(losses)
}

/// The number of decided units at which a [`BoundedTest`] decides for the better side, if it does.
#[derive(Debug, Clone)]
pub struct BoundedTime {
    /// Units, and the probability of having decided for the better side by then.
    decision_probabilities: Vec<(f64, f64)>,
}

impl BoundedTime {
    /// If the better side wins a decided unit with probability `share`, in (1/2, 1).
    ///
    /// # Errors
    /// If `share` is not in (1/2, 1).
    pub fn new(test: &BoundedTest, share: f64) -> Result<Self, StatisticsError> {
        check_share(share)?;
        Ok(Self { decision_probabilities: walk(share, test).0 })
    }

    /// The number of decided units by which the test has decided for the better side with probability `probability`; `None` if it does so
    /// less often.
    #[must_use]
    pub fn quantile(&self, probability: f64) -> Option<f64> {
        let index = self.decision_probabilities.partition_point(|point| point.1 < probability);
        let upper = *self.decision_probabilities.get(index)?;
        let lower = if index == 0 { (0.0, 0.0) } else { self.decision_probabilities[index - 1] };
        let fraction = if upper.1 > lower.1 { ((probability - lower.1) / (upper.1 - lower.1)).max(0.0) } else { 1.0 };
        Some(lower.0 + fraction * (upper.0 - lower.0))
    }

    /// The probability of having decided for the better side by `units` decided units.
    #[must_use]
    pub fn power(&self, units: f64) -> f64 {
        let index = self.decision_probabilities.partition_point(|point| point.0 <= units);
        if index == 0 { 0.0 } else { self.decision_probabilities[index - 1].1 }
    }

    /// The mean number of decided units, given that it decides for the better side; `None` if it never does.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let (mut sum, mut previous) = (0.0, 0.0);
        for &(units, decided) in &self.decision_probabilities {
            sum += units * (decided - previous);
            previous = decided;
        }
        (previous > 0.0).then(|| sum / previous)
    }

    /// As [`StoppingTime::quantile_with_ties`](super::StoppingTime::quantile_with_ties).
    ///
    /// # Errors
    /// If `ties` is not in [0, 1).
    pub fn quantile_with_ties(&self, probability: f64, ties: f64) -> Result<Option<f64>, StatisticsError> {
        let ties = TiedUnits::new(ties)?;
        Ok(self
            .quantile(probability)
            .and_then(|decided| ties.quantile(probability, decided, |units| self.power(units))))
    }
}

/// Steps of one length. Then a step stands for four times as many units, which is twice as far.
const STAGE: u64 = 16_384;

/// The probability of having decided for the better side, after each step, and that of having decided for the other at the end.
fn walk(share: f64, test: &BoundedTest) -> (Vec<(f64, f64)>, f64) {
    let (mut step, mut units) = (1, 0);
    let mut net_wins = NetWins::new();
    let (mut decided, mut passed, mut wrong) = (Vec::new(), 0.0, 0.0);
    while units + step <= test.units {
        if units == STAGE * step {
            net_wins.double_step();
            step *= 4;
            continue;
        }
        units += step;
        let width = libm::sqrt(step as f64);
        let limit = place_of(test.net(units as f64), width) as i64;
        let (crossed_above, crossed_below) = net_wins.step(0.5 + (share - 0.5) * width, limit);
        passed += crossed_above;
        wrong += crossed_below;
        decided.push((units as f64, passed));
    }
    (decided, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of ever deciding, over all sequences of outcomes.
    fn enumerated(test: &BoundedTest, share: f64) -> [f64; 2] {
        let mut found = [0.0; 2];
        for sequence in 0..1_u32 << test.units {
            let (mut counts, mut chance, mut verdict) = (Counts::default(), 1.0, TestState::Open);
            for unit in 0..test.units {
                let won = sequence >> unit & 1 == 1;
                *(if won { &mut counts.wins } else { &mut counts.losses }) += 1;
                chance *= if won { share } else { 1.0 - share };
                if verdict == TestState::Open {
                    verdict = test.decide(counts);
                }
            }
            match verdict {
                TestState::FirstWins => found[0] += chance,
                TestState::SecondWins => found[1] += chance,
                TestState::Open => {}
            }
        }
        found
    }

    #[test]
    fn few_units_are_as_all_their_sequences_say() {
        for units in [5, 9, 14] {
            for test in [BoundedTest::max_sprt(units, 0.2).unwrap(), BoundedTest::yeast(units, 0.2).unwrap()] {
                let [first, second] = enumerated(&test, 0.5);
                assert!((test.false_alarms() - first - second).abs() < 1e-12, "{test:?}");
                assert!(
                    (BoundedTime::new(&test, 0.7).unwrap().power(units as f64) - enumerated(&test, 0.7)[0]).abs()
                        < 1e-12
                );
            }
            assert!(BoundedTest::max_sprt(units, 0.2).unwrap().false_alarms() <= 0.2);
        }
    }

    #[test]
    fn longer_steps_change_little() {
        // With steps of one unit throughout.
        let fine = |test: &BoundedTest| {
            let (mut chances, mut left) = (vec![0.0; 2 * 1_200 + 1], 1.0);
            chances[1_200] = 1.0;
            for unit in 1..=test.units {
                let limit = test.net(unit as f64).ceil();
                let mut next = vec![0.0; chances.len()];
                for at in 1..chances.len() - 1 {
                    let net = at as f64 - 1_200.0;
                    if net.abs() < limit {
                        next[at] = 0.5 * (chances[at - 1] + chances[at + 1]);
                    }
                }
                chances = next;
                left = chances.iter().sum();
            }
            1.0 - left
        };
        for test in [BoundedTest::max_sprt(60_000, 0.05).unwrap(), BoundedTest::yeast(60_000, 0.05).unwrap()] {
            let (coarse, fine) = (test.false_alarms(), fine(&test));
            assert!((coarse / fine - 1.0).abs() < 0.02, "{test:?}: {coarse} {fine}");
        }
    }

    #[test]
    fn bounds_and_levels_are_checked() {
        assert!(BoundedTest::max_sprt(0, 0.05).is_err() && BoundedTest::yeast(9, 1.0).is_err());
        let test = BoundedTest::yeast(100, 0.05).unwrap();
        assert!(BoundedTime::new(&test, 0.5).is_err());
        assert_eq!(test.decide(Counts::new(0, 90, 0)), TestState::SecondWins);
        assert_eq!(test.decide(Counts::new(0, 101, 0)), TestState::Open, "after the horizon");
        // Three units decide nothing at this level.
        let short = BoundedTest::max_sprt(3, 0.05).unwrap();
        assert_eq!((short.false_alarms(), short.decide(Counts::new(3, 0, 0))), (0.0, TestState::Open));
        let time = BoundedTime::new(&short, 0.9).unwrap();
        assert_eq!((time.mean(), time.quantile(0.5)), (None, None));
    }
}
