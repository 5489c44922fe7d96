//! By how much: clicks per impression on the documents of each of two rankers, and impressions with such a click.
//!
//! Both are means over units that close one after the other, and their differences have intervals for every look
//! ([`RatioSequence`]): at half of the pair's level each, so that all intervals of all pairs hold together at the level of the decision.
//! They say nothing about the winner, which is decided by the signs of units, and need not agree with it: a side may win more users
//! and get fewer clicks. Nor do they show what a test of one list against another would: on a mixed list, documents of both compete
//! for the same clicks.

use std::fmt::Write as _;

use ranktypes::text::with_separators;
use statistics::StatisticsError;
use statistics::anytime::RatioSequence;

use crate::amounts::{Amounts, CAP, SideSums};

/// How many more clicks one side of a pair has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Units with known amounts.
    pub units: u64,
    /// All units that closed.
    pub closed: u64,
    /// The impressions of the units with known amounts.
    pub impressions: u64,
    /// Clicks per impression, each document once.
    pub clicks: Difference,
    /// The share of impressions with a click.
    pub clicked: Difference,
}

/// One of the two differences as texts, for the side that is ahead: `0.31`, `0.27`, `0.04 more` and `0.01 to 0.07`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferenceText {
    /// The rate of the side that is ahead.
    pub ahead: String,
    /// The rate of the other side.
    pub behind: String,
    /// How many more or fewer the side that is ahead has.
    pub difference: String,
    /// The interval of that, or why there is none yet.
    pub interval: String,
}

/// Something per impression on the documents of the first and of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The rates of the first and of the second.
    pub rates: [f64; 2],
    /// An interval for the first minus the second, which holds at every look; asymptotic. `None` while there is too little for one.
    pub interval: Option<(f64, f64)>,
    /// Which part of the data that an interval needs is there, from 0 to 1.
    pub progress: f64,
    /// The share of all that was cut, because the difference of a unit counts up to [`CAP`].
    pub cut: f64,
}

impl Effect {
    /// For a pair with these amounts and this number of closed units, at its level; `None` without amounts.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub(super) fn of(amounts: &Amounts, closed_units: u64, alpha: f64) -> Result<Option<Self>, StatisticsError> {
        if amounts.are_none() {
            return Ok(None);
        }
        let sequence = RatioSequence::new(CAP.into(), alpha / 2.0)?;
        let of = |sides: SideSums| {
            let sums = amounts.ratio_sums(sides);
            // As numbers that cannot overflow, whatever is in a table.
            let counted_clicks: f64 = [sides.first, sides.second, sides.cut].map(|count| count as f64).iter().sum();
            Difference {
                rates: [sides.first, sides.second].map(|side| side as f64 / amounts.impressions as f64),
                interval: sequence.interval(&sums),
                progress: sequence.progress(&sums).min(1.0),
                cut: sides.cut as f64 / counted_clicks.max(1.0),
            }
        };
        Ok(Some(Self {
            units: amounts.units,
            closed: closed_units,
            impressions: amounts.impressions,
            clicks: of(amounts.clicks),
            clicked: of(amounts.clicked),
        }))
    }

    /// Clicks per impression, and the share of impressions with a click in percent.
    #[must_use]
    pub fn texts(&self, ahead_is_first: bool) -> [DifferenceText; 2] {
        let [clicks, clicked_shares] =
            [self.clicks, self.clicked].map(|of| if ahead_is_first { of } else { of.swapped() });
        let mut clicked_shares = clicked_shares.text(100.0, 1, "points ");
        for rate in [&mut clicked_shares.ahead, &mut clicked_shares.behind] {
            rate.push('%');
        }
        [clicks.text(1.0, 2, ""), clicked_shares]
    }

    /// In words, for the side that is ahead. `what` are the units.
    #[must_use]
    pub fn sentence(&self, ahead: &str, behind: &str, ahead_is_first: bool, what: &str) -> String {
        let [clicks, clicked_text] = self.texts(ahead_is_first);
        let mut text = format!(
            "{ahead}'s documents got {} clicks per impression and {behind}'s {}: {} ({}). Of these impressions, {} had a click on a \
             document of {ahead} and {} on one of {behind}: {} ({}).",
            clicks.ahead,
            clicks.behind,
            clicks.difference,
            clicks.interval,
            clicked_text.ahead,
            clicked_text.behind,
            clicked_text.difference,
            clicked_text.interval,
        );
        if self.units < self.closed {
            let [some, all] = [self.units, self.closed].map(with_separators);
            let _ = write!(text, " That is known of {some} of {all} {what}.");
        }
        text
    }
}

impl Difference {
    /// The first minus the second.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.rates[0] - self.rates[1]
    }

    /// The same for the two rankers in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        let Self { rates: [first, second], interval, .. } = self;
        Self { rates: [second, first], interval: interval.map(|(low, high)| (-high, -low)), ..self }
    }

    /// As texts of numbers times `scale` with at least this number of decimals; the first side is ahead.
    fn text(&self, scale: f64, least: usize, unit: &str) -> DifferenceText {
        let difference = scale * self.difference();
        let interval = self.interval.map(|(low, high)| (scale * low, scale * high));
        // Two digits of the width, or of the difference while there is no interval.
        let size = interval.map_or(difference.abs(), |(low, high)| high - low);
        let mut digits = least;
        // No number of digits distinguishes two rates that are the same.
        while size > 0.0 && digits < MOST_DIGITS && size < 10.0 * step(digits) {
            digits += 1;
        }
        let fewer_or_more = |value: f64| if value < 0.0 { "fewer" } else { "more" };
        let amount = |value: f64| format!("{:.digits$}", value.abs());
        let side = |value: f64| format!("{} {unit}{}", amount(value), fewer_or_more(value));
        let difference_text =
            if difference.abs() < 0.5 * step(digits) { "as many".to_owned() } else { side(difference) };
        let interval = match interval.map(|(low, high)| outwards(low, high, digits)) {
            Some((low, high, digits)) if low >= 0.0 => format!("{low:.digits$} to {high:.digits$}"),
            Some((low, high, digits)) if high <= 0.0 => format!("{:.digits$} to {:.digits$}", -high, -low),
            Some((low, high, digits)) => format!("{:.digits$} fewer to {high:.digits$} more", -low),
            None => {
                let percent = libm::floor(100.0 * self.progress);
                format!("no interval yet: there is {percent}% of what one takes")
            }
        };
        let [ahead, behind] = self.rates.map(|rate| amount(scale * rate));
        DifferenceText { ahead, behind, difference: difference_text, interval }
    }
}

/// The most decimals.
const MOST_DIGITS: usize = 6;

/// One in the last of these decimals.
fn step(digits: usize) -> f64 {
    libm::pow(10.0, -(digits as f64))
}

/// An interval rounded outwards, with more decimals where it would seem to contain 0 and does not.
fn outwards(low: f64, high: f64, digits: usize) -> (f64, f64, usize) {
    let step = step(digits);
    let (rounded_low, rounded_high) = (libm::floor(low / step) * step, libm::ceil(high / step) * step);
    let is_too_coarse = low > 0.0 && rounded_low < 0.5 * step || high < 0.0 && rounded_high > -0.5 * step;
    if is_too_coarse && digits < MOST_DIGITS {
        return outwards(low, high, digits + 1);
    }
    (rounded_low, rounded_high, digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amounts::{SideClicks, UnitAmounts};

    /// Units with two impressions each: of ten, one has a click on a document of the first in both, and `second` have one click
    /// on a document of the second.
    fn amounts(units: u32, second: u32) -> Amounts {
        let mut amounts = Amounts::default();
        for unit in 0..units {
            let mut of = UnitAmounts::default();
            for impression in 0..2 {
                let first = u16::from(unit % 10 == 0);
                of.add(Some(SideClicks([first, u16::from(unit % 10 < second && impression == 0)])));
            }
            amounts.record(of);
        }
        amounts
    }

    #[test]
    fn differences_are_per_impression_and_turn() {
        // The documentation of `click-logs` and of the server's interface say so.
        assert_eq!(CAP, 5);
        let effect = Effect::of(&amounts(10_000, 1), 10_000, 0.05).unwrap().unwrap();
        assert_eq!((effect.impressions, effect.clicks.rates, effect.clicks.cut), (20_000, [0.1, 0.05], 0.0));
        let (low, high) = effect.clicks.interval.unwrap();
        assert!(0.035 < low && low < 0.05 && 0.05 < high && high < 0.065, "{low} {high}");
        assert_eq!(effect.clicks, effect.clicked);
        let text = effect.sentence("new", "old", true, "users");
        assert!(
            text.starts_with("new's documents got 0.100 clicks per impression and old's 0.050: 0.050 more (0.0"),
            "{text}"
        );
        assert!(text.contains(" had a click on a document of new and 5.0% on one of old: 5.0 points more ("), "{text}");
        let turned = effect.sentence("old", "new", false, "users");
        assert!(
            turned.starts_with("old's documents got 0.050 clicks per impression and new's 0.100: 0.050 fewer (0.0"),
            "{turned}"
        );
        let some = Effect { closed: 12_000, ..effect }.sentence("new", "old", true, "users");
        assert!(some.ends_with(" That is known of 10,000 of 12,000 users."), "{some}");
    }

    #[test]
    fn few_units_have_no_interval() {
        let effect = Effect::of(&amounts(1_000, 4), 1_000, 0.05).unwrap().unwrap();
        assert!(effect.clicks.interval.is_none() && effect.clicks.progress > 0.5);
        let text = effect.sentence("new", "old", true, "users");
        assert!(
            text.contains("0.10 clicks per impression and old's 0.20: 0.10 fewer (no interval yet: there is "),
            "{text}"
        );
        assert_eq!(Effect::of(&Amounts::default(), 7, 0.05).unwrap(), None);
    }

    #[test]
    fn intervals_round_outwards_and_never_touch_zero_falsely() {
        assert_eq!(outwards(0.0123, 0.0661, 2), (0.01, 0.07, 2));
        let (low, high, digits) = outwards(0.0002, 0.0661, 2);
        assert!(digits == 4 && (low - 0.0002).abs() < 1e-9 && (high - 0.0661).abs() < 1e-9);
        let (low, high, digits) = outwards(-0.066, -0.004, 2);
        assert!(digits == 3 && low <= -0.066 && (high + 0.004).abs() < 1e-9);
        let open = Difference { rates: [0.31, 0.30], interval: Some((-0.02, 0.041)), progress: 1.0, cut: 0.0 };
        let text = open.text(1.0, 2, "");
        assert_eq!((&*text.difference, &*text.interval), ("0.010 more", "0.020 fewer to 0.041 more"));
        let level = Difference { rates: [0.3, 0.3], ..open };
        let text = level.text(100.0, 1, "points ");
        assert_eq!((&*text.difference, &*text.interval), ("as many", "2.0 fewer to 4.1 more"));
    }
}
