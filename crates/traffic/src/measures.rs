//! The measures of an experiment: clicks, and the number and value of conversions. One was chosen in advance and decides; the others are
//! shown beside it.

use serde_json::{Value, json};
use verdicts::conversions::Primary;
use verdicts::decide::{Action, Advice, Decision, Finding, FindingKind, Outlook, ValueDecision, finding, report};

use super::conversion_verdicts::{ConversionVerdicts, UNIT};
use super::status::DecisionReport;

impl DecisionReport {
    /// The measure that decides.
    #[must_use]
    pub fn primary(&self) -> Primary {
        self.conversion_verdicts.as_ref().map_or(Primary::Clicks, |conversion_verdicts| conversion_verdicts.primary)
    }

    /// The verdict of signs that decides, if such does; else that by clicks.
    #[must_use]
    pub fn sign_decision(&self) -> &Decision {
        match &self.conversion_verdicts {
            Some(conversion_verdicts) if conversion_verdicts.primary == Primary::Conversions => {
                &conversion_verdicts.by_number
            }
            _ => &self.decision,
        }
    }

    fn deciding_value(&self) -> Option<(&ConversionVerdicts, &ValueDecision)> {
        let conversion_verdicts = self.conversion_verdicts.as_ref()?;
        Some((conversion_verdicts, conversion_verdicts.deciding_value()?))
    }

    /// The days on which units closed for the measure that decides: the first and the last.
    pub(super) fn days(&self) -> Option<(i32, i32)> {
        let Some((_, value)) = self.deciding_value() else { return self.sign_decision().days };
        let days = || value.pairs.iter().flat_map(|pair| pair.looks.iter().map(|look| look.day));
        Some((days().min()?, days().max()?))
    }

    /// The ranker that won by the measure that decides, by its place.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        match self.deciding_value() {
            Some((_, value)) => value.best(),
            None => self.sign_decision().winner(),
        }
    }

    /// The result so far for the measure that decides, in words.
    #[must_use]
    pub fn finding(&self) -> Finding {
        let Some((conversion_verdicts, value)) = self.deciding_value() else {
            return finding(self.sign_decision(), Some(UNIT));
        };
        let kind = match (value.pairs.is_empty(), value.best()) {
            (true, _) => FindingKind::Nothing,
            (_, Some(_)) => FindingKind::Decided,
            (_, None) => FindingKind::Undecided,
        };
        Finding {
            kind,
            sentence: conversion_verdicts.says_of_value(value),
            details: value.cut_sentence(UNIT).into_iter().collect(),
        }
    }

    /// Advice from the measure that decides; `fault` is why nothing is trusted.
    #[must_use]
    pub fn outlook(&self, fault: Option<&str>) -> Outlook {
        let sign_outlook = self.sign_decision().outlook(Some(UNIT), fault);
        let Some((conversion_verdicts, value)) = self.deciding_value().filter(|_| fault.is_none()) else {
            return sign_outlook;
        };
        let winner = value.best();
        let (action, sentence) = match winner {
            Some(best) => (Action::Ship(best), format!("Ship {}.", value.rankers[best])),
            None => (Action::Wait, "Wait: go on with the experiment.".to_owned()),
        };
        let advice = Advice { action, sentence };
        Outlook { winner, is_decided: winner.is_some(), advice, headline: conversion_verdicts.says_of_value(value) }
    }

    /// The words for the measure that decides, line by line.
    pub(super) fn words(&self) -> Vec<String> {
        let Some(conversion_verdicts) = &self.conversion_verdicts else {
            return self.report.lines().map(str::to_owned).collect();
        };
        let mut lines =
            vec![format!("Decided by {}, as was said beforehand.", conversion_verdicts.primary.name()), String::new()];
        match (conversion_verdicts.primary, conversion_verdicts.deciding_value()) {
            (Primary::Clicks, _) => lines.extend(self.report.lines().map(str::to_owned)),
            (Primary::Value, Some(value)) => {
                let sentence = |pair| value.sentence(pair, UNIT, conversion_verdicts.currency()) + ".";
                lines.extend(value.pairs.iter().map(sentence));
                lines.extend(value.cut_sentence(UNIT));
            }
            _ => lines.extend(report(&conversion_verdicts.by_number, Some(UNIT)).lines().map(str::to_owned)),
        }
        lines.extend([String::new(), "Beside it, and not to decide by:".to_owned()]);
        let others = self.measures().into_iter().filter(|(measure, _)| *measure != conversion_verdicts.primary);
        lines.extend(others.map(|(measure, says)| format!("  {}: {says}", measure.name())));
        lines
    }

    /// The result of each measure, in a line; nothing if only clicks count.
    #[must_use]
    pub fn measures(&self) -> Vec<(Primary, String)> {
        let Some(conversion_verdicts) = &self.conversion_verdicts else { return Vec::new() };
        let signs = |decision: &Decision| match decision.days {
            Some(_) => finding(decision, Some(UNIT)).sentence,
            None => "no unit has closed yet.".to_owned(),
        };
        let mut measures = vec![
            (Primary::Clicks, signs(&self.decision)),
            (Primary::Conversions, signs(&conversion_verdicts.by_number)),
        ];
        measures.extend(
            conversion_verdicts.value.as_ref().map(|value| (Primary::Value, conversion_verdicts.says_of_value(value))),
        );
        measures
    }

    /// The same with their numbers, for programs.
    #[must_use]
    pub fn measures_record(&self) -> Value {
        let Some(conversion_verdicts) = &self.conversion_verdicts else { return Value::Null };
        let measure_record = |(measure, says): (Primary, String)| {
            let mut measure_record = match measure {
                Primary::Clicks => json!({}),
                Primary::Conversions => json!(conversion_verdicts.by_number.record()),
                Primary::Value => conversion_verdicts.value.as_ref().map_or(Value::Null, ValueDecision::json),
            };
            measure_record["measure"] = measure.name().into();
            measure_record["says"] = says.into();
            measure_record["decides"] = (measure == conversion_verdicts.primary).into();
            measure_record
        };
        self.measures().into_iter().map(measure_record).collect()
    }
}
