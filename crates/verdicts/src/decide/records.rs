//! A decision as it is written in JSON.

use serde::Serialize;
use statistics::Counts;
use times::date;

use super::{Contradiction, CountUnit, DayChance, Decision, Difference, Drift, Effect, Forecast, Look, PairDecision};

/// Wins, losses and ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CountsRecord {
    /// Wins of the first ranker.
    pub wins: u64,
    /// Wins of the second.
    pub losses: u64,
    /// Ties.
    pub ties: u64,
}

impl From<Counts> for CountsRecord {
    fn from(Counts { wins, losses, ties }: Counts) -> Self {
        Self { wins, losses, ties }
    }
}

/// What contradicts a verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContradictionRecord<'a> {
    /// The ranker that won.
    pub was_ahead: &'a str,
    /// The last day on which it was ahead.
    pub until: String,
    /// The ranker that is ahead now.
    pub ahead_now: &'a str,
    /// The other of the pair.
    pub other: &'a str,
    /// The counts since then.
    pub since_then: CountsRecord,
    /// The days that speak most against the verdict.
    pub worst: WorstRecord,
}

/// A change that no single share explains.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DriftRecord<'a> {
    /// A ranker of the pair.
    pub ranker: &'a str,
    /// The other.
    pub other: &'a str,
    /// An earlier lower bound of the ranker's share.
    pub above: f64,
    /// The day by which that was known.
    pub by: String,
    /// Its share of all days, which is not above that; not given if days contradict each other instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// An earlier upper bound of that share, if days contradict each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// The day by which that was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below_by: Option<String>,
}

/// Days that speak against a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorstRecord {
    /// The day before the first.
    pub after: String,
    /// The last.
    pub until: String,
    /// Their counts.
    pub counts: CountsRecord,
}

/// The test of one sample size, as a description.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SingleLookRecord {
    /// The p-value of the sign test.
    pub p_value: f64,
    /// Its interval, if anything is decided.
    pub interval: Option<[f64; 2]>,
}

/// By how much, on the documents that mixed lists credit to each side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EffectRecord {
    /// Units for which that is known.
    pub units: u64,
    /// All units that closed.
    pub of_units: u64,
    /// The impressions of the first.
    pub impressions: u64,
    /// Clicks per impression, each document once.
    pub clicks_per_impression: DifferenceRecord,
    /// The share of impressions with a click.
    pub clicked_impressions: DifferenceRecord,
}

/// A rate of each of two rankers, and their difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DifferenceRecord {
    /// The rate of the first.
    pub first: f64,
    /// The rate of the second.
    pub second: f64,
    /// The first minus the second.
    pub difference: f64,
    /// Its interval, asymptotic, at every look; none while there is too little for one.
    pub confidence_sequence: Option<[f64; 2]>,
    /// Which part of the data that an interval needs is there, from 0 to 1.
    pub progress: f64,
    /// The share of all that was cut, because the difference of a unit counts up to a cap.
    pub cut: f64,
}

impl From<Difference> for DifferenceRecord {
    fn from(difference: Difference) -> Self {
        let Difference { rates: [first, second], interval, progress, cut } = difference;
        let confidence_sequence = interval.map(|(low, high)| [low, high]);
        Self { first, second, difference: difference.difference(), confidence_sequence, progress, cut }
    }
}

impl From<Effect> for EffectRecord {
    fn from(Effect { units, closed, impressions, clicks, clicked }: Effect) -> Self {
        Self {
            units,
            of_units: closed,
            impressions,
            clicks_per_impression: clicks.into(),
            clicked_impressions: clicked.into(),
        }
    }
}

/// The verdict on two rankers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairRecord<'a> {
    /// The first ranker.
    pub first: &'a str,
    /// The second.
    pub second: &'a str,
    /// `first-wins`, `second-wins`, `open`, or `not-claimed`: once one ranker is known to be the best of all, only its own pairs
    /// are part of that.
    pub verdict: &'static str,
    /// The ranker that won, unless something contradicts that: a verdict about the past must not be acted on.
    pub winner: Option<&'a str>,
    /// The contradiction of the verdict, if any.
    pub contradicted: Option<ContradictionRecord<'a>>,
    /// A change that no single share explains.
    pub drift: Option<DriftRecord<'a>>,
    /// The day on which it was decided.
    pub since: Option<String>,
    /// 1 minus the p-value.
    pub confidence: f64,
    /// The p-value, which holds at every look.
    pub p_value: f64,
    /// The evidence for the first and for the second.
    pub ln_evidence: [f64; 2],
    /// The counts of units, if these are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<CountsRecord>,
    /// The first ranker's share of wins.
    pub share: Option<f64>,
    /// The interval of that share, which holds at every look. It excludes one half exactly if there is a verdict; none if no share
    /// fits all days, or nothing is claimed.
    pub confidence_sequence: Option<[f64; 2]>,
    /// The counts of impressions.
    pub impressions: CountsRecord,
    /// The classical test, unless nothing is claimed.
    pub single_look: Option<SingleLookRecord>,
    /// By how much; none if the owners of the clicked documents are unknown.
    pub effect: Option<EffectRecord>,
    /// How many more units would decide it.
    pub more_until_decided: Option<u64>,
}

/// The best of several rankers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BestRecord<'a> {
    /// The best, unless something contradicts that.
    pub declared: Option<&'a str>,
    /// What contradicts that.
    pub contradicted: Vec<ContradictionRecord<'a>>,
    /// The day on which it was declared.
    pub since: Option<String>,
    /// The ranker with the most evidence.
    pub leader: &'a str,
    /// How many others it beats.
    pub leader_beats: usize,
    /// Those that may be the best.
    pub candidates: Vec<&'a str>,
}

/// How long it takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForecastRecord<'a> {
    /// Units a day, of all pairs together.
    pub units_per_day: f64,
    /// How many days that rate is of.
    pub of_days: u32,
    /// The probability of a decision, by days after the last one.
    pub chances: Vec<ChanceRecord>,
    /// Pairs of the leader that are open and no longer meet.
    pub idle: Vec<[&'a str; 2]>,
}

/// How likely a decision comes in time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChanceRecord {
    /// Days after the last one with outcomes.
    pub days: u32,
    /// The last of them.
    pub by: String,
    /// The probability, 0 to 1.
    pub share: f64,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionRecord<'a> {
    /// The level of all verdicts together, as a confidence.
    pub level: f64,
    /// `units` or `impressions`.
    pub counted_by: &'static str,
    /// The first day with outcomes.
    pub first_day: Option<String>,
    /// The last.
    pub last_day: Option<String>,
    /// The rankers.
    pub rankers: &'a [String],
    /// By pair.
    pub pairs: Vec<PairRecord<'a>>,
    /// With more than two rankers.
    pub best: Option<BestRecord<'a>>,
    /// While it is open and outcomes are of several days.
    pub forecast: Option<ForecastRecord<'a>>,
}

impl Decision {
    /// Everything as JSON.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self.record()).expect("a record has a JSON form")
    }

    /// Everything, by the names that JSON has.
    #[must_use]
    pub fn record(&self) -> DecisionRecord<'_> {
        let best = self.best.as_ref().map(|best| BestRecord {
            declared: best.declared.filter(|_| best.contradicted.is_empty()).map(|(ranker, _)| self.name(ranker)),
            contradicted: best.contradicted.iter().map(|found| self.contradiction(*found)).collect(),
            since: best.declared.map(|(_, day)| date(day)),
            leader: self.name(best.leader.0),
            leader_beats: best.leader.1,
            candidates: best.candidates.iter().map(|&ranker| self.name(ranker)).collect(),
        });
        DecisionRecord {
            level: 1.0 - self.alpha,
            counted_by: self.count_unit.name(),
            first_day: self.days.map(|(first, _)| date(first)),
            last_day: self.days.map(|(_, last)| date(last)),
            rankers: &self.rankers,
            pairs: self.pairs.iter().map(|pair| self.pair(pair)).collect(),
            best,
            forecast: self
                .forecast
                .as_ref()
                .zip(self.days)
                .map(|(forecast, (_, last))| self.forecast_record(forecast, last)),
        }
    }

    pub(super) fn name(&self, ranker: usize) -> &str {
        &self.rankers[ranker]
    }

    fn forecast_record(&self, forecast: &Forecast, last: i32) -> ForecastRecord<'_> {
        let chance =
            |&DayChance { days, share }: &DayChance| ChanceRecord { days, by: date(last + days as i32), share };
        ForecastRecord {
            units_per_day: forecast.per_day,
            of_days: forecast.of_days,
            chances: forecast.chances.iter().map(chance).collect(),
            idle: forecast.idle.iter().map(|&(first, second)| [self.name(first), self.name(second)]).collect(),
        }
    }

    fn contradiction(&self, contradiction: Contradiction) -> ContradictionRecord<'_> {
        let (first_day, last_day, against) = contradiction.against;
        ContradictionRecord {
            was_ahead: self.name(contradiction.winner),
            until: date(contradiction.until),
            ahead_now: self.name(if contradiction.other_is_ahead() {
                contradiction.other
            } else {
                contradiction.winner
            }),
            other: self.name(contradiction.other),
            since_then: contradiction.since.into(),
            worst: WorstRecord { after: date(first_day), until: date(last_day), counts: against.into() },
        }
    }

    fn drift_record(&self, found: Drift) -> DriftRecord<'_> {
        match found {
            Drift::Fell { ranker, other, above, by, share } => DriftRecord {
                ranker: self.name(ranker),
                other: self.name(other),
                above,
                by: date(by),
                share: Some(share),
                below: None,
                below_by: None,
            },
            Drift::NoShare { ranker, other, above, below } => DriftRecord {
                ranker: self.name(ranker),
                other: self.name(other),
                above: above.0,
                by: date(above.1),
                share: None,
                below: Some(below.0),
                below_by: Some(date(below.1)),
            },
        }
    }

    fn pair(&self, pair: &PairDecision) -> PairRecord<'_> {
        let last: &Look = &pair.last;
        PairRecord {
            first: self.name(last.pair.0),
            second: self.name(last.pair.1),
            verdict: last.verdict_name(),
            winner: last.winner().filter(|_| pair.contradicted.is_none()).map(|ranker| self.name(ranker)),
            contradicted: pair.contradicted.map(|found| self.contradiction(found)),
            drift: pair.drift.map(|found| self.drift_record(found)),
            since: pair.since.map(date),
            confidence: last.confidence(),
            p_value: last.p_value,
            ln_evidence: last.ln_evidence(),
            units: (self.count_unit == CountUnit::Units).then(|| last.counts.into()),
            share: last.counts.share(),
            confidence_sequence: last.interval.map(|(low, high)| [low, high]),
            impressions: pair.impressions.into(),
            single_look: pair.single_look.map(|look| SingleLookRecord {
                p_value: look.p_value,
                interval: look.interval.map(|(low, high)| [low, high]),
            }),
            effect: pair.effect.map(EffectRecord::from),
            more_until_decided: pair.units_until_decided,
        }
    }
}
