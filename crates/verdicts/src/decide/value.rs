//! How much more value one ranker has, such as money, per unit: verdicts on the difference of means.
//!
//! Every day gets one look, at the sums of all units that have closed until then. The difference in value per unit has a confidence
//! sequence for all looks together ([`RatioSequence`], of sizes that are all 1): asymptotic, for differences up to a cap that was fixed
//! before anything was seen, and silent until the squares of the differences are 20 times that of the cap. A minimum of *units* would
//! be the wrong gate: where few buy much, thousands of units may hold a handful of differences.
//!
//! The interval of a look is the intersection of all until then. It excludes 0 exactly if the pair is decided. With several pairs the
//! level is divided among them.

use ranktypes::text::with_separators;
use serde_json::{Value, json};
use statistics::StatisticsError;
use statistics::anytime::RatioSequence;
use times::date;

use crate::conversions::{ConversionCounts, Conversions};

/// What is known of a pair at the end of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueLook {
    /// Days since 1970-01-01.
    pub day: i32,
    /// All units that have closed until then.
    pub counts: ConversionCounts,
    /// An interval for the value of the first per unit minus that of the second, in minor units; `None` while there is too little for
    /// one, or if no difference fits all looks.
    pub interval: Option<(f64, f64)>,
    /// Which part of what an interval needs there is, from 0 to 1.
    pub progress: f64,
    /// Whether no difference fits all looks: it drifted.
    pub drifts: bool,
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
    let of_pair = |&pair: &(usize, usize)| {
        let (mut counts, mut known, mut drifts) =
            (ConversionCounts::default(), (f64::NEG_INFINITY, f64::INFINITY), false);
        let (mut looks, mut winner) = (Vec::new(), None);
        for day in days().filter(|day| day.pair == pair) {
            counts += day.counts;
            let sums = counts.sums();
            if let Some((low, high)) = sequence.interval(&sums) {
                known = (known.0.max(low), known.1.min(high));
            }
            drifts |= known.0 > known.1;
            let is_known = known.0.is_finite() && known.1.is_finite() && !drifts;
            if winner.is_none() && is_known {
                winner = match known {
                    (low, _) if low > 0.0 => Some((pair.0, day.day)),
                    (_, high) if high < 0.0 => Some((pair.1, day.day)),
                    _ => None,
                };
            }
            let progress = sequence.progress(&sums).min(1.0);
            looks.push(ValueLook { day: day.day, counts, interval: is_known.then_some(known), progress, drifts });
        }
        ValuePair { pair, looks, winner }
    };
    let pairs = pairs.iter().map(of_pair).collect();
    Ok(Some(ValueDecision { rankers: conversions.rankers.clone(), alpha, cap, pairs }))
}

impl ValueLook {
    /// The value of each side per unit, in minor units, without what was cut.
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
}

impl ValuePair {
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
        let [more, less] = if is_first { rates } else { [rates[1], rates[0]] };
        let of = currency.map_or_else(|| "minor units".to_owned(), |currency| format!("minor units of {currency}"));
        let interval = match last.interval {
            Some((low, high)) => {
                let (low, high) = if is_first { (low, high) } else { (-high, -low) };
                format!("the difference is between {} and {}", signed(low), signed(high))
            }
            None if last.drifts => "no one difference fits all days".to_owned(),
            None => {
                format!("no interval yet: there is {}% of what one takes", libm::floor(100.0 * last.progress))
            }
        };
        let verdict = match pair.winner {
            Some((_, day)) => format!("{ahead} has more value than {behind}, since {}", date(day)),
            None if more > less => format!("{ahead} and {behind}: not decided; {ahead} is ahead"),
            None => format!("{ahead} and {behind}: not decided"),
        };
        format!("{verdict}. {} and {} per {unit} ({of}); {interval}", signed(more), signed(less))
    }

    /// How many units were cut, and which share of all value that is; `None` if none was.
    #[must_use]
    pub fn cut(&self, unit: &str) -> Option<String> {
        let mut all = ConversionCounts::default();
        self.pairs.iter().for_each(|pair| all += pair.last().counts);
        if all.cut_units == 0 {
            return None;
        }
        let value: f64 = all.value.iter().map(|side| *side as f64).sum::<f64>() + all.cut as f64;
        let percent = |part: f64, of: f64| format!("{:.1}%", 100.0 * part / of.max(1.0));
        Some(format!(
            "Capped at {}: {} of {unit}s, {} of the value is cut.",
            with_separators(self.cap),
            percent(all.cut_units as f64, all.units.total() as f64),
            percent(all.cut as f64, value)
        ))
    }

    /// Every look as CSV, by pair and day.
    #[must_use]
    pub fn looks_csv(&self) -> String {
        let mut text = "day,first,second,units,first_value,second_value,difference,low,high,progress\n".to_owned();
        for pair in &self.pairs {
            let names = [pair.pair.0, pair.pair.1].map(|ranker| crate::outcomes::quoted(&self.rankers[ranker]));
            for look in &pair.looks {
                let [first, second] = look.rates();
                let (low, high) =
                    look.interval.map_or_else(Default::default, |(low, high)| (low.to_string(), high.to_string()));
                text += &format!(
                    "{},{},{},{},{first},{second},{},{low},{high},{}\n",
                    date(look.day),
                    names[0],
                    names[1],
                    look.counts.units.total(),
                    first - second,
                    look.progress
                );
            }
        }
        text
    }

    /// Everything as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let of = |pair: &ValuePair| {
            let (last, [first, second]) = (pair.last(), [pair.pair.0, pair.pair.1].map(|ranker| &self.rankers[ranker]));
            let rates = last.rates();
            json!({
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
            })
        };
        json!({
            "level": 1.0 - self.alpha,
            "cap": self.cap,
            "interval_is": "asymptotic, at all looks together",
            "pairs": self.pairs.iter().map(of).collect::<Vec<_>>(),
            "best": self.best().map(|ranker| &self.rankers[ranker]),
        })
    }
}

/// A number with at least four digits, and never in powers of ten.
fn signed(value: f64) -> String {
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

    /// Days of 500 units, of which the first `buyers` buy for `value` from the first, and as many more from the second for 100.
    fn conversions(days: i32, buyers: u64, value: u64) -> Conversions {
        let of_day = |day| {
            let mut counts = ConversionCounts::default();
            for unit in 0..500 {
                let side = usize::from(unit >= buyers);
                let mut of = UnitConversions::default();
                if unit < 2 * buyers {
                    of.count[side] = 1;
                    of.value[side] = if side == 0 { value } else { 100 };
                }
                counts.record(of, Some(200));
            }
            ConversionDay { version: 0, day, pair: (0, 1), counts }
        };
        Conversions {
            rankers: vec!["new".to_owned(), "old".to_owned()],
            versions: vec![None],
            days: (0..days).map(of_day).collect(),
            cap: Some(200),
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
        assert_eq!(decision.cut("user"), None);
        assert_eq!(decision.looks_csv().lines().count(), 41);
    }

    #[test]
    fn nothing_is_said_of_a_handful_of_differences() {
        // One of 500 buys: 20,000 units have 40 differences, none of more than the cap.
        let decision = decide_value(&conversions(20, 1, 1_000), 0, 0.05).unwrap().unwrap();
        let last = decision.pairs[0].last();
        assert!(last.interval.is_none() && last.progress > 0.9, "{last:?}");
        assert!(decision.headline("user", None).contains("no interval yet: there is "));
        assert_eq!(decision.cut("user").unwrap(), "Capped at 200: 0.2% of users, 72.7% of the value is cut.");
        assert_eq!(decide_value(&Conversions { cap: None, ..conversions(1, 1, 1) }, 0, 0.05), Ok(None));
    }
}
