//! How many units a test needs.
//!
//! For the sequential test the number is random. Its distribution comes from a recursion over the net number of wins:
//! at each step the walk moves up or down, and what passes the boundary of the test has stopped. Where stopping takes
//! many thousands of units, one step of the walk stands for several units, with the same mean and variance. Tests that must know
//! when they end are in [`horizon`].
//!
//! ## References
//!
//! D. Siegmund, "Sequential Analysis", Springer, 1985, <https://doi.org/10.1007/978-1-4757-1862-1>: how far a walk passes
//! a boundary (chapter 10).

pub mod horizon;
mod net_wins;

use crate::StatisticsError;
use crate::anytime::EProcess;
use crate::special_functions::normal_quantile;
use net_wins::{NetWins, place_of};

/// Steps of the walk until the evidence of an average path suffices.
const STEPS: f64 = 4_000.0;
/// Points at which the boundary of the test is computed; it is interpolated in between.
const BOUNDARY: usize = 240;

/// The number of decided units at which [`PairTest`](crate::anytime::PairTest) decides for the better side.
///
/// ```
/// use statistics::power::StoppingTime;
///
/// let time = StoppingTime::new(0.55, 0.05)?;
/// let (median, ninety) = (time.quantile(0.5), time.quantile(0.9));
/// assert!(500.0 < median.unwrap() && median < ninety);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct StoppingTime {
    /// Units per step of the walk.
    step: f64,
    /// The probability of having decided for the better side, after each step.
    decision_probabilities: Vec<f64>,
}

impl StoppingTime {
    /// If the better side wins a decided unit with probability `share`, in (1/2, 1), in a test of level `alpha`.
    ///
    /// # Errors
    /// If `share` is not in (1/2, 1), or `alpha` is not in (0, 1).
    pub fn new(share: f64, alpha: f64) -> Result<Self, StatisticsError> {
        Self::until(1.0, share, alpha)
    }

    /// The same, computed only until the test has decided with this probability: the [`quantile`](Self::quantile)s up to it.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn until(probability: f64, share: f64, alpha: f64) -> Result<Self, StatisticsError> {
        check_share(share)?;
        crate::error::check_level(alpha)?;
        let evidence = EProcess::against(0.5)?;
        let threshold = libm::log(2.0 / alpha);
        let typical = typical_units(&evidence, share, threshold);
        let step = (typical / STEPS).floor().max(1.0);
        let boundary = Boundary::new(&evidence, threshold, typical);
        Ok(Self { step, decision_probabilities: walk(share, step, &boundary, probability) })
    }

    /// The number of decided units by which the test has decided for the better side with probability
    /// `probability`; `None` beyond the computed part (all but about a millionth).
    #[must_use]
    pub fn quantile(&self, probability: f64) -> Option<f64> {
        let index = self.decision_probabilities.partition_point(|&decided| decided < probability);
        let upper = *self.decision_probabilities.get(index)?;
        let lower = if index == 0 { 0.0 } else { self.decision_probabilities[index - 1] };
        let fraction = if upper > lower { ((probability - lower) / (upper - lower)).max(0.0) } else { 1.0 };
        Some((index as f64 + fraction) * self.step)
    }

    /// The probability of having decided for the better side by `units` decided units.
    #[must_use]
    pub fn power(&self, units: f64) -> f64 {
        let steps = (units / self.step).floor();
        if steps < 1.0 {
            0.0
        } else {
            self.decision_probabilities[(steps as usize).min(self.decision_probabilities.len()) - 1]
        }
    }

    /// The mean number of decided units.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let (mut mean, mut previous) = (0.0, 0.0);
        for (index, &decided) in self.decision_probabilities.iter().enumerate() {
            mean += (index + 1) as f64 * self.step * (decided - previous);
            previous = decided;
        }
        mean / previous
    }

    /// The probability of having decided for the better side by `units` units, if each is a tie with probability
    /// `ties`, in [0, 1), whatever came before. The number of decided units among them is taken as normal.
    ///
    /// # Errors
    /// If `ties` is not in [0, 1).
    pub fn power_with_ties(&self, units: f64, ties: f64) -> Result<f64, StatisticsError> {
        Ok(TiedUnits::new(ties)?.power(units, |units| self.power(units)))
    }

    /// The number of units, ties among them, by which the test has decided for the better side with probability
    /// `probability`; `None` as for [`quantile`](Self::quantile).
    ///
    /// # Errors
    /// As for [`power_with_ties`](Self::power_with_ties).
    pub fn quantile_with_ties(&self, probability: f64, ties: f64) -> Result<Option<f64>, StatisticsError> {
        let ties = TiedUnits::new(ties)?;
        Ok(self
            .quantile(probability)
            .and_then(|decided| ties.quantile(probability, decided, |units| self.power(units))))
    }
}

/// Units with this share of ties, independent of what came before.
#[derive(Debug, Clone, Copy)]
struct TiedUnits(f64);

impl TiedUnits {
    fn new(ties: f64) -> Result<Self, StatisticsError> {
        let error = StatisticsError::OutOfRange { what: "the share of ties", value: ties, range: "[0, 1)" };
        (0.0..1.0).contains(&ties).then_some(Self(ties)).ok_or(error)
    }

    /// The power after `units` units, if `power` is that after a number of decided ones.
    fn power(self, units: f64, power: impl Fn(f64) -> f64) -> f64 {
        let Self(ties) = self;
        let (mean, deviation) = (units * (1.0 - ties), libm::sqrt(units * ties * (1.0 - ties)));
        if deviation == 0.0 {
            return power(mean);
        }
        // The mean over equally likely parts of the normal distribution.
        const QUANTILES: u32 = 64;
        let quantile = |k: u32| normal_quantile((f64::from(k) + 0.5) / f64::from(QUANTILES));
        (0..QUANTILES).map(|k| power((mean + deviation * quantile(k)).max(0.0))).sum::<f64>() / f64::from(QUANTILES)
    }

    /// The units with a power of `probability`, which needs `decided` decided ones; `None` beyond what was computed.
    fn quantile(self, probability: f64, decided: f64, power: impl Fn(f64) -> f64) -> Option<f64> {
        let Self(ties) = self;
        if ties == 0.0 {
            return Some(decided);
        }
        let (mut low, mut high) = (0.0, decided / (1.0 - ties));
        while self.power(high, &power) < probability {
            // The last millionth is beyond what was computed.
            if high > 1e3 * decided / (1.0 - ties) {
                return None;
            }
            (low, high) = (high, 1.5 * high);
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if self.power(middle, &power) < probability { low = middle } else { high = middle }
        }
        Some(high)
    }
}

/// The decided units that the sign test of level `alpha` needs to find a share of `share`, in (1/2, 1), with
/// probability `power`, if it is looked at a single time: the normal approximation.
///
/// # Errors
/// If `share` is not in (1/2, 1), or `alpha` or `power` is not in (0, 1).
///
/// ```
/// assert_eq!(statistics::power::fixed_sample(0.51, 0.05, 0.8)?.round(), 19_622.0);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
pub fn fixed_sample(share: f64, alpha: f64, power: f64) -> Result<f64, StatisticsError> {
    check_share(share)?;
    crate::error::check_level(alpha)?;
    crate::error::check_level(power)?;
    let quantiles = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power);
    let margin = share - 0.5;
    Ok(quantiles * quantiles / (4.0 * margin * margin))
}

/// The units that each of two groups needs for a test of level `alpha` to find a difference of `difference` between
/// their means with probability `power`, if values have these variances: the normal approximation. Infinite without a
/// difference.
///
/// # Errors
/// If a variance is negative or not finite, or `alpha` or `power` is not in (0, 1).
///
/// ```
/// // Click-through rates of 0.30 and 0.32.
/// let variances = [0.30 * 0.70, 0.32 * 0.68];
/// assert_eq!(statistics::power::two_groups(0.02, variances, 0.05, 0.8)?.round(), 8_390.0);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
pub fn two_groups(difference: f64, variances: [f64; 2], alpha: f64, power: f64) -> Result<f64, StatisticsError> {
    crate::error::check_level(alpha)?;
    crate::error::check_level(power)?;
    for value in variances {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(StatisticsError::OutOfRange { what: "a variance", value, range: "[0, inf)" });
        }
    }
    let quantiles = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power);
    Ok(quantiles * quantiles * (variances[0] + variances[1]) / (difference * difference))
}

fn check_share(share: f64) -> Result<(), StatisticsError> {
    let allowed = share > 0.5 && share < 1.0;
    let error = StatisticsError::OutOfRange { what: "the share of the better side", value: share, range: "(1/2, 1)" };
    allowed.then_some(()).ok_or(error)
}

/// The units after which the evidence of the average path reaches the threshold.
fn typical_units(evidence: &EProcess, share: f64, threshold: f64) -> f64 {
    let crosses = |units: f64| evidence.ln_real(share * units, (1.0 - share) * units) >= threshold;
    let mut high = 1.0;
    while !crosses(high) {
        high *= 2.0;
    }
    let mut low = 0.5 * high;
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if crosses(middle) { high = middle } else { low = middle }
    }
    high
}

/// The net number of wins at which the test decides, after any number of units.
struct Boundary {
    /// ln of the units, and the net wins over their root.
    points: Vec<(f64, f64)>,
}

impl Boundary {
    fn new(evidence: &EProcess, threshold: f64, typical: f64) -> Self {
        let log_end = libm::log(typical * 100.0);
        let points = (0..BOUNDARY).map(|index| {
            let log = log_end * index as f64 / (BOUNDARY - 1) as f64;
            let units = libm::exp(log);
            let excess = |net: f64| evidence.ln_real(0.5 * (units + net), 0.5 * (units - net)) - threshold;
            if excess(units) < 0.0 {
                // Not even if all units are won.
                return (log, 2.0 * libm::sqrt(units));
            }
            (log, find_root(excess, units) / libm::sqrt(units))
        });
        Self { points: points.collect() }
    }

    fn at(&self, units: f64) -> f64 {
        let log = libm::log(units);
        let index = self.points.partition_point(|point| point.0 < log).clamp(1, self.points.len() - 1);
        let ((x0, y0), (x1, y1)) = (self.points[index - 1], self.points[index]);
        (y0 + (y1 - y0) * (log - x0) / (x1 - x0)) * libm::sqrt(units)
    }
}

/// The root of a function that rises from below 0 to at least 0 between 0 and `high`: by secants within the bracket.
fn find_root(function: impl Fn(f64) -> f64, high: f64) -> f64 {
    let (mut low, mut high) = ((0.0, function(0.0)), (high, function(high)));
    let mut middle = 0.5 * high.0;
    let mut previous = high;
    for _ in 0..100 {
        let middle_point = (middle, function(middle));
        *(if middle_point.1 >= 0.0 { &mut high } else { &mut low }) = middle_point;
        let secant = middle_point.0 - middle_point.1 * (middle_point.0 - previous.0) / (middle_point.1 - previous.1);
        previous = middle_point;
        middle = if low.0 < secant && secant < high.0 { secant } else { 0.5 * (low.0 + high.0) };
        if (middle - middle_point.0).abs() <= 1e-13 * high.0 {
            break;
        }
    }
    middle
}

/// The probability of having passed the boundary upwards, after each step of `step` units, until it is at least `until`.
fn walk(share: f64, step: f64, boundary: &Boundary, until: f64) -> Vec<f64> {
    let width = libm::sqrt(step);
    let win_probability = 0.5 + (share - 0.5) * width;
    let mut net_wins = NetWins::new();
    let (mut decided, mut passed, mut wrong) = (Vec::new(), 0.0, 0.0);
    // A path that is still open after so long is one in a million.
    while passed < until && passed + wrong < 1.0 - 1e-6 && decided.len() < 60 * STEPS as usize {
        let units = (decided.len() + 1) as f64 * step;
        let (crossed_above, crossed_below) = net_wins.step(win_probability, place_of(boundary.at(units), width) as i64);
        passed += crossed_above;
        wrong += crossed_below;
        decided.push(passed);
    }
    decided
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same with a place for every number of net wins.
    fn plain_walk(share: f64, step: f64, boundary: &Boundary, until: f64) -> Vec<f64> {
        let width = libm::sqrt(step);
        let up = 0.5 + (share - 0.5) * width;
        // Place p of the list: net wins of (p - middle) * width.
        let mut middle = 64;
        let mut here = vec![0.0; 2 * middle + 1];
        here[middle] = 1.0;
        let mut next = here.clone();
        let (mut decided, mut passed, mut wrong) = (Vec::new(), 0.0, 0.0);
        // A path that is still open after so long is one in a million.
        while passed < until && passed + wrong < 1.0 - 1e-6 && decided.len() < 60 * STEPS as usize {
            let units = (decided.len() + 1) as f64 * step;
            let limit = place_of(boundary.at(units), width) as usize;
            if limit > middle {
                let more = limit - middle + 64;
                for list in [&mut here, &mut next] {
                    list.splice(0..0, vec![0.0; more]);
                    list.resize(list.len() + more, 0.0);
                }
                middle += more;
            }
            let last = here.len() - 1;
            (next[0], next[last]) = (here[1] * (1.0 - up), here[last - 1] * up);
            for (next, around) in next[1..last].iter_mut().zip(here.windows(3)) {
                *next = around[0] * up + around[2] * (1.0 - up);
            }
            passed += next[middle + limit..].iter_mut().map(std::mem::take).sum::<f64>();
            wrong += next[..=middle - limit].iter_mut().map(std::mem::take).sum::<f64>();
            std::mem::swap(&mut here, &mut next);
            decided.push(passed);
        }
        decided
    }

    #[test]
    fn a_walk_over_every_second_place_is_the_same() {
        for (share, alpha) in [(0.9, 0.05), (0.6, 0.01), (0.53, 0.05), (0.51, 0.2)] {
            let evidence = EProcess::against(0.5).unwrap();
            let threshold = libm::log(2.0 / alpha);
            let typical = typical_units(&evidence, share, threshold);
            let step = (typical / STEPS).floor().max(1.0);
            let boundary = Boundary::new(&evidence, threshold, typical);
            for until in [0.5, 1.0] {
                assert_eq!(walk(share, step, &boundary, until), plain_walk(share, step, &boundary, until), "{share}");
            }
        }
    }

    #[test]
    fn power_rises_to_one_and_inverts_quantiles() {
        for share in [0.7, 0.53] {
            let time = StoppingTime::new(share, 0.05).unwrap();
            for probability in [0.1, 0.5, 0.9] {
                let units = time.quantile(probability).unwrap();
                // Few units decide a large difference, and each of them is a jump.
                let jump = if share > 0.6 { 0.1 } else { 0.01 };
                assert!((time.power(units + time.step) - probability).abs() < jump, "{share} {probability}");
            }
            assert!(time.power(1e12) > 0.97 && time.power(1.0) == 0.0);
            assert!(time.quantile(0.5).unwrap() < time.quantile(0.9).unwrap());
            assert_eq!(time.quantile(1.1), None);
            let half = StoppingTime::until(0.5, share, 0.05).unwrap();
            assert_eq!((half.quantile(0.5), half.quantile(0.9)), (time.quantile(0.5), None));
        }
    }

    #[test]
    fn ties_take_their_share_of_units() {
        let time = StoppingTime::new(0.6, 0.05).unwrap();
        let decided = time.quantile(0.5).unwrap();
        assert_eq!(time.quantile_with_ties(0.5, 0.0).unwrap(), Some(decided));
        let all = time.quantile_with_ties(0.5, 0.75).unwrap().unwrap();
        assert!((all / (4.0 * decided) - 1.0).abs() < 0.03, "{all}, {decided}");
        for probability in [0.2, 0.8, 0.95] {
            let units = time.quantile_with_ties(probability, 0.9).unwrap().unwrap();
            assert!((time.power_with_ties(units, 0.9).unwrap() - probability).abs() < 0.02, "{probability}");
        }
        assert!(time.quantile_with_ties(0.5, 1.0).is_err() && time.power_with_ties(9.0, -0.1).is_err());
        assert_eq!(time.quantile_with_ties(1.1, 0.5).unwrap(), None);
        assert!(two_groups(0.1, [f64::NAN, 1.0], 0.05, 0.8).is_err());
        assert_eq!(two_groups(0.0, [1.0, 1.0], 0.05, 0.8).unwrap(), f64::INFINITY);
    }

    #[test]
    fn a_step_may_stand_for_several_units() {
        // The same test with steps of one unit and of several.
        let evidence = EProcess::against(0.5).unwrap();
        let threshold = libm::log(40.0);
        let typical = typical_units(&evidence, 0.53, threshold);
        let boundary = Boundary::new(&evidence, threshold, typical);
        let median = |step: f64| {
            StoppingTime { step, decision_probabilities: walk(0.53, step, &boundary, 1.0) }.quantile(0.5).unwrap()
        };
        let (fine, coarse) = (median(1.0), median(4.0));
        assert!((coarse / fine - 1.0).abs() < 0.01, "{fine}, {coarse}");
    }
}
