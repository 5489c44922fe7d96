//! How much more value one ranker has, such as money, per unit: verdicts on the difference of means.
//!
//! Every day gets one look, at the sums of all units that have closed until then. The difference in value per unit has a confidence
//! sequence for all looks together ([`RatioSequence`], of sizes that are all 1): asymptotic, for differences up to a cap that was fixed
//! before anything was seen, and silent until the squares of the differences are 20 times that of the cap. A minimum of *units* would
//! be the wrong gate: where few buy much, thousands of units may hold a handful of differences.
//!
//! The interval of a look is the intersection of all until then. It excludes 0 exactly if the pair is decided. With several pairs the
//! level is divided among them.
//!
//! Where the advantage X that coins gave each unit was noted ([`draft`](crate::draft)), intervals are for D - θX instead of the
//! difference D: as E X = 0, the mean is the same. Each day has its own θ, the least-squares fit on the units that closed on the days
//! before, so that it is independent of those that it is used for. θ is 0 until [`FIT_UNITS`] of them have closed and there is an
//! interval. Then |θX| is at most sqrt(V / 20) - cap, where V are the squares until then: so V stays at least 20 times the square of the
//! largest |D - θX|, as it has to, and no interval comes later than without X.

use ranktypes::text::with_separators;
use serde_json::{Value, json};
use statistics::StatisticsError;
use statistics::anytime::{RatioSequence, RatioSums};
use times::date;

use crate::conversions::{ConversionCounts, Conversions};
use crate::draft;

/// As long as fewer units have closed, nothing is subtracted from differences.
pub const FIT_UNITS: u64 = 500;

/// The evidence on a pair at the end of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueLook {
    /// Days since 1970-01-01.
    pub day: i32,
    /// All units that have closed until then.
    pub counts: ConversionCounts,
    /// An interval for the value of the first per unit minus that of the second, in minor units; `None` while there is too little for
    /// one, or if no difference fits all looks.
    pub interval: Option<(f64, f64)>,
    /// Which part of the data that an interval needs is there, from 0 to 1.
    pub progress: f64,
    /// Whether no difference fits all looks: it drifted.
    pub drifts: bool,
    /// The same adjusted for the advantage that coins gave; `None` if it was not noted.
    pub draft: Option<DraftLook>,
}

/// The adjustment for the advantage that coins gave the first ranker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DraftLook {
    /// The value subtracted per advantage on this day, in minor units.
    pub slope: f64,
    /// The difference in value per unit after that.
    pub difference: f64,
    /// Which share of the variance of the difference it removed on all days until then; below 0 if it added some.
    pub explained: f64,
}

/// What is known of a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct ValuePair {
    /// The rankers, by their places in the names.
    pub pair: (usize, usize),
    /// By day; at least one.
    pub looks: Vec<ValueLook>,
    /// The ranker that has more, and since which day that is known.
    pub winner: Option<(usize, i32)>,
}

/// Verdicts on the value of one version of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueDecision {
    /// The rankers.
    pub rankers: Vec<String>,
    /// The level of all verdicts together.
    pub alpha: f64,
    /// By how much the values of both sides of a unit may differ, in minor units.
    pub cap: u64,
    /// By pair.
    pub pairs: Vec<ValuePair>,
}

/// Decides by the value of one version of an experiment (its place among the versions) at level `alpha`, in (0, 1); `None` if no cap
/// was fixed beforehand.
///
/// # Errors
/// If `alpha` is not in (0, 1).
pub fn decide_value(
    conversions: &Conversions,
    version: usize,
    alpha: f64,
) -> Result<Option<ValueDecision>, StatisticsError> {
    let Some(cap) = conversions.cap else { return Ok(None) };
    let days = || conversions.days.iter().filter(|day| day.version == version);
    let mut pairs: Vec<(usize, usize)> = days().map(|day| day.pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let sequence = RatioSequence::new(cap as f64, alpha / pairs.len().max(1) as f64)?;
    let decide_pair = |&pair: &(usize, usize)| {
        let (mut counts, mut known_interval, mut drifts) =
            (ConversionCounts::default(), (f64::NEG_INFINITY, f64::INFINITY), false);
        let (mut looks, mut winner, mut sums) = (Vec::new(), None, RatioSums::default());
        for day in days().filter(|day| day.pair == pair) {
            let slope = slope(&counts, &sums, &sequence, cap);
            counts += day.counts;
            add(&mut sums, adjusted_sums(&day.counts, slope));
            if let Some((low, high)) = sequence.interval(&sums) {
                known_interval = (known_interval.0.max(low), known_interval.1.min(high));
            }
            drifts |= known_interval.0 > known_interval.1;
            let is_known = known_interval.0.is_finite() && known_interval.1.is_finite() && !drifts;
            if winner.is_none() && is_known {
                winner = match known_interval {
                    (low, _) if low > 0.0 => Some((pair.0, day.day)),
                    (_, high) if high < 0.0 => Some((pair.1, day.day)),
                    _ => None,
                };
            }
            let progress = sequence.progress(&sums).min(1.0);
            let interval = is_known.then_some(known_interval);
            let draft = conversions.has_draft.then(|| DraftLook {
                slope,
                difference: sums.ratio().unwrap_or(0.0),
                explained: 1.0 - around_mean(&sums) / around_mean(&counts.sums()).max(f64::MIN_POSITIVE),
            });
            looks.push(ValueLook { day: day.day, counts, interval, progress, drifts, draft });
        }
        ValuePair { pair, looks, winner }
    };
    let pairs = pairs.iter().map(decide_pair).collect();
    Ok(Some(ValueDecision { rankers: conversions.rankers.clone(), alpha, cap, pairs }))
}

/// The value to subtract per advantage on a day, by the units that closed on the days before: their counts, and the sums of their
/// adjusted differences.
fn slope(counts: &ConversionCounts, sums: &RatioSums, sequence: &RatioSequence, cap: u64) -> f64 {
    let progress = sequence.progress(sums);
    if counts.units.total() < FIT_UNITS || progress < 1.0 {
        return 0.0;
    }
    // The squares are at least `progress` times those that the cap alone needs.
    let most = cap as f64 * (libm::sqrt(progress) - 1.0) / f64::from(draft::MAX_ADVANTAGE);
    counts.draft.slope().clamp(-most, most)
}

/// The sums of differences minus `slope` times the advantage.
fn adjusted_sums(counts: &ConversionCounts, slope: f64) -> RatioSums {
    let sums = counts.sums();
    if slope == 0.0 {
        return sums;
    }
    let [sum, squares, products] = [counts.draft.sum as f64, counts.draft.squares as f64, counts.draft.products as f64];
    let amounts = sums.amounts - slope * sum;
    let amount_squares = (sums.amount_squares - 2.0 * slope * products + slope * slope * squares).max(0.0);
    RatioSums { amounts, products: amounts, amount_squares, ..sums }
}

fn add(sums: &mut RatioSums, more: RatioSums) {
    sums.amounts += more.amounts;
    sums.sizes += more.sizes;
    sums.amount_squares += more.amount_squares;
    sums.products += more.products;
    sums.size_squares += more.size_squares;
}

/// The squares of differences around their mean, added up; sizes are all 1.
fn around_mean(sums: &RatioSums) -> f64 {
    sums.amount_squares - sums.amounts * sums.amounts / sums.sizes.max(1.0)
}

impl DraftLook {
    /// In words.
    fn sentence(&self) -> String {
        match libm::floor(100.0 * self.explained) {
            percent if percent >= 1.0 => format!("the draft explains {percent}% of the variance"),
            _ => "the draft explains less than 1% of the variance".to_owned(),
        }
    }
}

impl ValueLook {
    /// The value of each side per unit, in minor units, after the cap.
    #[must_use]
    pub fn rates(&self) -> [f64; 2] {
        self.counts.value.map(|side| side as f64 / self.counts.units.total().max(1) as f64)
    }
}

impl ValuePair {
    /// The last look.
    ///
    /// # Panics
    /// Never: a pair has a look.
    #[must_use]
    pub fn last(&self) -> &ValueLook {
        self.looks.last().expect("a pair has a look")
    }

    /// Whether the first won or, if neither did, has at least as much as the second.
    #[must_use]
    pub fn is_first_ahead(&self) -> bool {
        let [first, second] = self.last().rates();
        self.winner.map_or(first >= second, |(ranker, _)| ranker == self.pair.0)
    }
}

impl ValueDecision {
    /// The ranker that is known to have more value than every other.
    #[must_use]
    pub fn best(&self) -> Option<usize> {
        let beaten =
            |ranker: usize| self.pairs.iter().filter(|pair| pair.winner.is_some_and(|(won, _)| won == ranker)).count();
        let met =
            |ranker: usize| self.pairs.iter().filter(|pair| pair.pair.0 == ranker || pair.pair.1 == ranker).count();
        let mut rankers: Vec<usize> = self.pairs.iter().flat_map(|pair| [pair.pair.0, pair.pair.1]).collect();
        rankers.sort_unstable();
        rankers.dedup();
        let others = rankers.len().saturating_sub(1);
        rankers.into_iter().find(|&ranker| others > 0 && met(ranker) == others && beaten(ranker) == others)
    }

    /// The verdict in a line.
    #[must_use]
    pub fn headline(&self, unit: &str, currency: Option<&str>) -> String {
        if let (Some(best), 2..) = (self.best(), self.pairs.len()) {
            return format!("{} has more value than every other", self.rankers[best]);
        }
        match self.pairs.as_slice() {
            [pair] => self.sentence(pair, unit, currency),
            [] => "no unit has closed yet".to_owned(),
            _ => "no ranker is known to have more value than every other".to_owned(),
        }
    }

    /// What is known of a pair, in words. `unit` is what a unit is.
    #[must_use]
    pub fn sentence(&self, pair: &ValuePair, unit: &str, currency: Option<&str>) -> String {
        let last = pair.last();
        let [first, second] = [pair.pair.0, pair.pair.1].map(|ranker| self.rankers[ranker].as_str());
        let (rates, is_first) = (last.rates(), pair.is_first_ahead());
        let (ahead, behind) = if is_first { (first, second) } else { (second, first) };
        let [winner_rate, loser_rate] = if is_first { rates } else { [rates[1], rates[0]] };
        let of = currency.map_or_else(|| "minor units".to_owned(), |currency| format!("minor units of {currency}"));
        let interval = match last.interval {
            Some((low, high)) => {
                let (low, high) = if is_first { (low, high) } else { (-high, -low) };
                format!("the difference is between {} and {}", signed_text(low), signed_text(high))
            }
            None if last.drifts => "no one difference fits all days".to_owned(),
            None => {
                format!("no interval yet: there is {}% of what one takes", libm::floor(100.0 * last.progress))
            }
        };
        let verdict = match pair.winner {
            Some((_, day)) => format!("{ahead} has more value than {behind}, since {}", date(day)),
            None if winner_rate > loser_rate => format!("{ahead} and {behind}: not decided; {ahead} is ahead"),
            None => format!("{ahead} and {behind}: not decided"),
        };
        let draft = last.draft.map_or_else(String::new, |draft| format!("; {}", draft.sentence()));
        format!(
            "{verdict}. {} and {} per {unit} ({of}); {interval}{draft}",
            signed_text(winner_rate),
            signed_text(loser_rate)
        )
    }

    /// How many units were cut, and which share of all value that is; `None` if none was.
    #[must_use]
    pub fn cut_sentence(&self, unit: &str) -> Option<String> {
        let mut totals = ConversionCounts::default();
        self.pairs.iter().for_each(|pair| totals += pair.last().counts);
        if totals.cut_units == 0 {
            return None;
        }
        let value: f64 = totals.value.iter().map(|side| *side as f64).sum::<f64>() + totals.cut as f64;
        let percent = |part: f64, of: f64| format!("{:.1}%", 100.0 * part / of.max(1.0));
        Some(format!(
            "Capped at {}: {} of {unit}s, {} of the value is cut.",
            with_separators(self.cap),
            percent(totals.cut_units as f64, totals.units.total() as f64),
            percent(totals.cut as f64, value)
        ))
    }

    /// Every look as CSV, by pair and day.
    #[must_use]
    pub fn looks_csv(&self) -> String {
        let has_draft = self.pairs.iter().any(|pair| pair.last().draft.is_some());
        let mut text = "day,first,second,units,first_value,second_value,difference,low,high,progress".to_owned();
        text += if has_draft { ",slope,adjusted_difference,explained\n" } else { "\n" };
        for pair in &self.pairs {
            let names = [pair.pair.0, pair.pair.1].map(|ranker| crate::outcomes::quoted(&self.rankers[ranker]));
            for look in &pair.looks {
                let [first, second] = look.rates();
                let (low, high) =
                    look.interval.map_or_else(Default::default, |(low, high)| (low.to_string(), high.to_string()));
                text += &format!(
                    "{},{},{},{},{first},{second},{},{low},{high},{}",
                    date(look.day),
                    names[0],
                    names[1],
                    look.counts.units.total(),
                    first - second,
                    look.progress
                );
                if let Some(DraftLook { slope, difference, explained }) = look.draft {
                    text += &format!(",{slope},{difference},{explained}");
                }
                text.push('\n');
            }
        }
        text
    }

    /// Everything as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let pair_json = |pair: &ValuePair| {
            let (last, [first, second]) = (pair.last(), [pair.pair.0, pair.pair.1].map(|ranker| &self.rankers[ranker]));
            let rates = last.rates();
            let mut pair_json = json!({
                "first": first,
                "second": second,
                "units": last.counts.units.total(),
                "conversions": last.counts.conversions,
                "value_per_unit": rates,
                "difference": rates[0] - rates[1],
                "interval": last.interval.map(|(low, high)| [low, high]),
                "progress": last.progress,
                "drifts": last.drifts,
                "cut_units": last.counts.cut_units,
                "cut_value": last.counts.cut,
                "winner": pair.winner.map(|(ranker, _)| &self.rankers[ranker]),
                "since": pair.winner.map(|(_, day)| date(day)),
            });
            if let Some(DraftLook { slope, difference, explained }) = last.draft {
                pair_json["draft"] =
                    json!({ "slope": slope, "adjusted_difference": difference, "explained": explained });
            }
            pair_json
        };
        json!({
            "level": 1.0 - self.alpha,
            "cap": self.cap,
            "interval_is": "asymptotic, at all looks together",
            "pairs": self.pairs.iter().map(pair_json).collect::<Vec<_>>(),
            "best": self.best().map(|ranker| &self.rankers[ranker]),
        })
    }
}

/// A number with at least three digits, and never in scientific notation.
fn signed_text(value: f64) -> String {
    let digits = if value.abs() >= 1_000.0 {
        0
    } else if value.abs() >= 10.0 {
        1
    } else {
        3
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversions::{ConversionDay, UnitConversions};
    use crate::draft::UnitDraft;

    /// Days of 500 units: the first `buyers` buy for `value` from the first, and as many more from the second for 100.
    fn conversions(days: i32, buyers: u64, value: u64) -> Conversions {
        drafted(days, buyers, value, |_, _| 0)
    }

    /// The same, with an advantage by unit and the side from which it would buy.
    fn drafted(days: i32, buyers: u64, value: u64, advantage: impl Fn(u64, usize) -> i16) -> Conversions {
        let of_day = |day| {
            let mut counts = ConversionCounts::default();
            for unit in 0..500 {
                let side = usize::from(unit >= buyers);
                let mut of = UnitConversions::default();
                if unit < 2 * buyers {
                    of.count[side] = 1;
                    of.value[side] = if side == 0 { value } else { 100 };
                }
                let mut draft = UnitDraft::default();
                draft.add(advantage(unit, side));
                counts.record(of, draft, Some(200));
            }
            ConversionDay { version: 0, day, pair: (0, 1), counts }
        };
        Conversions {
            rankers: vec!["new".to_owned(), "old".to_owned()],
            versions: vec![None],
            days: (0..days).map(of_day).collect(),
            cap: Some(200),
            has_draft: false,
        }
    }

    #[test]
    fn verdict_and_interval_agree_at_every_look() {
        let decision = decide_value(&conversions(40, 40, 120), 0, 0.05).unwrap().unwrap();
        let [pair] = decision.pairs.as_slice() else { panic!("{decision:?}") };
        let (winner, since) = pair.winner.unwrap();
        assert_eq!((winner, decision.best()), (0, Some(0)));
        for look in &pair.looks {
            let excludes = look.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0);
            assert_eq!(excludes, look.day >= since, "{look:?}");
            assert_eq!(look.interval.is_some(), look.progress >= 1.0);
        }
        let text = decision.headline("user", Some("EUR"));
        assert!(text.starts_with("new has more value than old, since 1970-01-"), "{text}");
        assert!(text.contains("9.600 and 8.000 per user (minor units of EUR); the difference is between 0."), "{text}");
        assert_eq!(decision.cut_sentence("user"), None);
        assert_eq!(decision.looks_csv().lines().count(), 41);
    }

    #[test]
    fn nothing_is_said_of_a_handful_of_differences() {
        // Two of 500 buy: 8,000 units have 32 differences, none of more than the cap.
        let decision = decide_value(&conversions(16, 1, 1_000), 0, 0.05).unwrap().unwrap();
        let last = decision.pairs[0].last();
        assert!(last.interval.is_none() && last.progress > 0.9, "{last:?}");
        assert!(decision.headline("user", None).contains("no interval yet: there is "));
        assert_eq!(decision.cut_sentence("user").unwrap(), "Capped at 200: 0.2% of users, 72.7% of the value is cut.");
        assert_eq!(decide_value(&Conversions { cap: None, ..conversions(1, 1, 1) }, 0, 0.05), Ok(None));
    }

    #[test]
    fn nothing_is_subtracted_before_500_units_have_closed_and_there_is_an_interval() {
        // Buyers have the better places as well. So do half of the others, so that the mean is 0.
        let advantage = |unit, side| match (unit < 80, side) {
            (true, 0) => 500,
            (true, _) => -500,
            (false, _) => {
                if unit % 2 == 0 {
                    500
                } else {
                    -500
                }
            }
        };
        let with = Conversions { has_draft: true, ..drafted(40, 40, 100, advantage) };
        let without = conversions(40, 40, 100);
        let [with, without] = [with, without].map(|of| decide_value(&of, 0, 0.05).unwrap().unwrap());
        let (mut subtracts, mut units) = (false, 0);
        for (look, plain) in with.pairs[0].looks.iter().zip(&without.pairs[0].looks) {
            let draft = look.draft.unwrap();
            let was_silent = !subtracts;
            subtracts |= draft.slope != 0.0;
            assert!(!subtracts || units >= FIT_UNITS);
            if was_silent && !subtracts {
                assert_eq!((look.interval, look.progress, draft.explained), (plain.interval, plain.progress, 0.0));
            }
            units = look.counts.units.total();
            assert!(look.interval.is_some() || plain.interval.is_none());
        }
        let (last, plain) = (with.pairs[0].last(), without.pairs[0].last());
        let draft = last.draft.unwrap();
        let width = |look: &ValueLook| look.interval.map(|(low, high)| high - low).unwrap();
        // The slope is E XD / E XX = 40 * 2 * 100 * 500 / (500 * 500 * 500); `explained` is its share of E DD, on most days.
        assert!((draft.slope - 0.032).abs() < 1e-12 && draft.difference.abs() < 1e-12, "{draft:?}");
        assert!(0.12 < draft.explained && draft.explained < 0.16, "{draft:?}");
        assert!(width(last) < 0.97 * width(plain), "{last:?} {plain:?}");
        assert!(
            with.headline("user", None).ends_with("; the draft explains 15% of the variance"),
            "{}",
            with.headline("user", None)
        );
        assert!(with.json()["pairs"][0]["draft"]["slope"].as_f64() == Some(draft.slope));
        assert!(without.json()["pairs"][0].get("draft").is_none());
        assert!(
            with.looks_csv().starts_with("day,") && with.looks_csv().lines().all(|line| line.split(',').count() == 13)
        );
    }

    #[test]
    fn what_is_subtracted_leaves_the_squares_large_enough() {
        // The advantage explains almost all.
        let advantage = |unit, side| if unit < 80 { if side == 0 { 500 } else { -500 } } else { 0 };
        let of = Conversions { has_draft: true, ..drafted(60, 40, 100, advantage) };
        let decision = decide_value(&of, 0, 0.05).unwrap().unwrap();
        let mut has_interval = false;
        for look in &decision.pairs[0].looks {
            assert!(!has_interval || look.progress >= 1.0, "{look:?}");
            has_interval |= look.interval.is_some();
        }
        let draft = decision.pairs[0].last().draft.unwrap();
        assert!(draft.slope > 0.0 && draft.explained > 0.3, "{draft:?}");
    }
}
