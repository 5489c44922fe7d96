//! The measures of one experiment: clicks, conversions and their value. One was chosen in advance and decides; the others are shown
//! beside it, marked as such.

use std::fmt::Write as _;

use page::standalone_svg::differences;
use page::{Course, Measure};
use ranktypes::text::plural;
use serde_json::{Value, json};
use verdicts::conversions::Conversions;
use verdicts::decide::{Action, CountUnit, ValueDecision, Verdicts, decide, decide_value};

use crate::model::Primary;
use crate::outcomes::{conversion_rules, primary};
use crate::verdict::{self, SYNTHETIC, is_synthetic, outlook, verdict_text, warnings_before_verdict};

/// Verdicts by all measures.
pub struct Measures<'a> {
    clicks: &'a Verdicts,
    summary: &'a Value,
    primary: Primary,
    conversion_verdicts: Option<ConversionVerdicts>,
}

/// Verdicts on conversions.
struct ConversionVerdicts {
    by_number: Verdicts,
    /// By version that has any, in the order of the table: its name, and the verdict if there is a cap.
    value: Vec<(Option<String>, ValueDecision)>,
}

impl<'a> Measures<'a> {
    /// The verdicts on a log, given those by clicks, at level `alpha`, in (0, 1).
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn new(
        clicks: &'a Verdicts,
        conversions: Option<&Conversions>,
        summary: &'a Value,
        alpha: f64,
    ) -> anyhow::Result<Self> {
        let conversion_verdicts = |conversions: &Conversions| -> anyhow::Result<ConversionVerdicts> {
            let by_number = decide(&conversions.outcomes(), alpha, CountUnit::Conversions)?;
            let mut value = Vec::new();
            for (place, name) in conversions.versions.iter().enumerate() {
                let decision = decide_value(conversions, place, alpha)?.filter(|decision| !decision.pairs.is_empty());
                value.extend(decision.map(|decision| (name.clone(), decision)));
            }
            Ok(ConversionVerdicts { by_number, value })
        };
        let later = conversions.map(conversion_verdicts).transpose()?;
        let primary = if later.is_some() { primary(summary) } else { Primary::Clicks };
        Ok(Self { clicks, summary, primary, conversion_verdicts: later })
    }

    /// The verdict by value on the version that began last; `None` without a cap, or if no unit of it has closed. The verdict on an
    /// earlier version does not apply now.
    #[must_use]
    pub fn value(&self) -> Option<&ValueDecision> {
        let name = self.clicks.latest_name();
        let values = &self.conversion_verdicts.as_ref()?.value;
        values.iter().find(|(of, _)| of.as_deref() == name).map(|(_, decision)| decision)
    }

    /// The verdicts of signs that decide, if such do, else those by clicks.
    #[must_use]
    pub fn signs(&self) -> &Verdicts {
        match (&self.conversion_verdicts, self.primary) {
            (Some(later), Primary::Conversions) => &later.by_number,
            _ => self.clicks,
        }
    }

    /// The measure that decides.
    #[must_use]
    pub fn primary(&self) -> Primary {
        self.primary
    }

    /// The measures as a page shows them; none for a log without conversions.
    #[must_use]
    pub fn page_measures(&self) -> Vec<Measure> {
        if self.conversion_verdicts.is_none() {
            return Vec::new();
        }
        let measure_of = |measure: Primary| Measure {
            name: measure.name().to_owned(),
            says: self.headline(measure),
            decides: measure == self.primary,
        };
        Primary::ALL.into_iter().map(measure_of).collect()
    }

    /// The difference in value over time, by pair of the version that began last.
    #[must_use]
    pub fn courses(&self) -> Vec<Course> {
        let Some(decision) = self.value() else { return Vec::new() };
        page::decision::courses(decision, self.unit(), self.currency())
    }

    /// The figure of the differences in value, if there are any.
    #[must_use]
    pub fn figure(&self) -> Option<String> {
        let about = "The difference after each day on which units closed, with its confidence sequence: asymptotic, for all days together.";
        let cut = self.value().and_then(|decision| decision.cut_sentence(self.unit()));
        let synthetic = is_synthetic(self.summary).then(|| SYNTHETIC.to_owned());
        let below: Vec<String> = std::iter::once(about.to_owned()).chain(cut).chain(synthetic).collect();
        differences(&self.courses(), &below)
    }

    fn unit(&self) -> &str {
        self.summary["unit"].as_str().unwrap_or("unit")
    }

    fn currency(&self) -> Option<&str> {
        self.summary["conversions"]["currency"].as_str()
    }

    /// Whether the measure that decides has decided, and what to do.
    #[must_use]
    pub fn outcome(&self) -> (bool, Action, String) {
        let outlook = outlook(self.signs(), self.summary);
        if self.primary != Primary::Value {
            return (outlook.is_decided, outlook.advice.action, outlook.advice.sentence);
        }
        let best = self.value().and_then(|value| Some((value, value.best()?)));
        // Broken pages affect every measure.
        match (outlook.advice.action, best) {
            (Action::Repair, _) => (false, Action::Repair, outlook.advice.sentence),
            (_, Some((value, best))) => (true, Action::Ship(best), format!("Ship {}.", value.rankers[best])),
            (_, None) => (false, Action::Wait, "Wait: go on with the experiment, and credit it again.".to_owned()),
        }
    }

    /// Everything in words.
    #[must_use]
    pub fn words(&self) -> String {
        let Some(conversion_verdicts) = &self.conversion_verdicts else {
            return verdict_text(self.clicks, self.summary);
        };
        let announcement = "as was said beforehand (--primary of `credit`)";
        let mut text = match self.primary {
            Primary::Clicks => verdict_text(self.clicks, self.summary),
            Primary::Conversions if conversion_verdicts.by_number.latest().days.is_none() => format!(
                "{}Decided by conversions, {announcement}.\n\nNothing to decide yet: no {} has closed for conversions.\n",
                self.warnings(),
                self.unit()
            ),
            Primary::Conversions => {
                format!(
                    "Decided by conversions, {announcement}.\n\n{}",
                    verdict_text(&conversion_verdicts.by_number, self.summary)
                )
            }
            Primary::Value => self.words_of_value(announcement),
        };
        text += "\nBeside it, and not to decide by:\n";
        for measure in Primary::ALL.into_iter().filter(|measure| *measure != self.primary) {
            let _ = writeln!(text, "  {}: {}", measure.name(), self.headline(measure));
        }
        let rules = &self.summary["conversions"];
        let _ = writeln!(
            text,
            "Conversions are credited to {}; a {} closes {} days after the last day on which its lists count.",
            match rules["attribution"].as_str() {
                Some("last") => "the last list before that showed the document".to_owned(),
                Some("all") => "all lists before that showed the document".to_owned(),
                Some("most-drafted") => "the ranker that owns the document in most lists before".to_owned(),
                other => format!("lists before that showed the document ({})", other.unwrap_or("by unknown rules")),
            },
            self.unit(),
            rules["days"]
        );
        text
    }

    /// One measure's result, in a line.
    #[must_use]
    pub fn headline(&self, measure: Primary) -> String {
        let Some(later) = &self.conversion_verdicts else { return String::new() };
        match measure {
            Primary::Clicks => outlook(self.clicks, self.summary).headline,
            Primary::Conversions => outlook(&later.by_number, self.summary).headline,
            Primary::Value => match self.value() {
                Some(decision) => decision.headline(self.unit(), self.currency()) + ".",
                None if self.summary["conversions"]["have_values"] == false => {
                    "no line says what it is worth.".to_owned()
                }
                None if self.summary["conversions"]["cap"].is_u64() => format!("no {} has closed yet.", self.unit()),
                None => "no verdict without a cap that is fixed beforehand (--cap of `credit`).".to_owned(),
            },
        }
    }

    /// Warnings that come first, a paragraph each.
    fn warnings(&self) -> String {
        warnings_before_verdict(self.clicks, self.summary).iter().map(|warning| format!("{warning}\n\n")).collect()
    }

    fn words_of_value(&self, named: &str) -> String {
        let mut text = self.warnings();
        let _ = writeln!(text, "Decided by value, {named}.\n");
        let versions = self.conversion_verdicts.as_ref().map_or(&[][..], |later| &later.value);
        for (name, decision) in versions {
            if versions.len() > 1 {
                let _ = writeln!(text, "{}:", name.as_deref().unwrap_or(verdicts::UNNAMED_VERSION));
            }
            if decision.pairs.len() > 1 {
                let _ = writeln!(text, "{}.", decision.headline(self.unit(), self.currency()));
            }
            for pair in &decision.pairs {
                let _ = writeln!(text, "{}.", decision.sentence(pair, self.unit(), self.currency()));
            }
            text.extend(decision.cut_sentence(self.unit()).map(|cut| cut + "\n"));
            let _ = writeln!(
                text,
                "The difference is that of the means of all {}, those without any conversion included. Its interval holds however often you look, \
                 at level {}% {}; it is asymptotic.",
                plural(self.unit()),
                100.0 - (1e5 * decision.alpha).round() / 1e3,
                if decision.pairs.len() > 1 { "for all pairs together" } else { "in all" },
            );
        }
        if self.value().is_none() {
            let of = self.clicks.latest_name().map_or_else(String::new, |name| format!(" of {name}"));
            let _ = writeln!(text, "Nothing to decide yet: no {}{of} has closed for conversions.", self.unit());
        }
        let (.., advice) = self.outcome();
        let _ = writeln!(text, "What now: {advice}");
        if is_synthetic(self.summary) {
            let _ = writeln!(text, "{SYNTHETIC}");
        }
        text
    }

    /// The contents of decision.json; for a log without conversions, those of the verdict by clicks.
    #[must_use]
    pub fn record(&self) -> Value {
        let Some(conversion_verdicts) = &self.conversion_verdicts else {
            return verdict::record(self.clicks, self.summary);
        };
        let of_value = || match self.value() {
            Some(decision) => {
                let mut json = decision.json();
                json["headline"] = self.headline(Primary::Value).into();
                json
            }
            None => json!({"headline": self.headline(Primary::Value)}),
        };
        let of = |measure| match measure {
            Primary::Clicks => verdict::record(self.clicks, self.summary),
            Primary::Conversions => verdict::record(&conversion_verdicts.by_number, self.summary),
            Primary::Value => of_value(),
        };
        let mut json = of(self.primary);
        if self.primary == Primary::Value {
            // Facts about the log do not depend on the measure that decides.
            let clicks = verdict::record(self.clicks, self.summary);
            for field in ["synthetic", "warnings", "trusted", "faults", "pairs_chosen", "impressions_after_closing"] {
                json[field] = clicks[field].clone();
            }
            let (is_decided, action, advice) = self.outcome();
            json["winner"] = json["best"].clone();
            json["decided"] = is_decided.into();
            json["action"] = action.name().into();
            json["advice"] = advice.into();
        }
        json["decided_by"] = self.primary.name().into();
        json["conversions"] = conversion_rules(self.summary);
        let others = Primary::ALL.into_iter().filter(|measure| *measure != self.primary);
        json["beside"] = others.map(|measure| (measure.name().to_owned(), of(measure))).collect();
        json
    }
}

#[cfg(test)]
mod tests {
    use verdicts::conversions::{ConversionCounts, ConversionDay, UnitConversions};
    use verdicts::outcomes::{Day, DayCounts, Outcomes};

    use super::*;

    #[test]
    fn what_an_earlier_version_says_is_not_what_to_do() {
        let rankers = vec!["new".to_owned(), "old".to_owned()];
        let mut counts = ConversionCounts::default();
        for unit in 0..2_000 {
            let value = [if unit < 200 { 100 } else { 0 }, 0];
            let count = value.map(|value| u64::from(value > 0));
            counts.record(UnitConversions { count, value }, Default::default(), Some(100));
        }
        let summary = json!({
            "unit": "user",
            "fates": {"impressions": {"credited": 9, "open": 0}, "units": {"open": 1}},
            "conversions": {"primary": "value", "cap": 100, "days": 7, "attribution": "all"},
        });
        let of = |versions: &[&str]| {
            let versions: Vec<_> = versions.iter().map(|name| Some((*name).to_owned())).collect();
            let day = |version| Day {
                version,
                day: version as i32,
                pair: (0, 1),
                counts: DayCounts::of(counts.units, Default::default()),
            };
            let days = (0..versions.len()).map(day).collect();
            let clicks =
                decide(&Outcomes { rankers: rankers.clone(), versions, days }, 0.05, CountUnit::Units).unwrap();
            // Only orders of the first version have closed.
            let conversions = Conversions {
                rankers: rankers.clone(),
                versions: vec![Some("x@1".to_owned())],
                days: vec![ConversionDay { version: 0, day: 0, pair: (0, 1), counts }],
                cap: Some(100),
                has_draft: false,
            };
            let measures = Measures::new(&clicks, Some(&conversions), &summary, 0.05).unwrap();
            (measures.outcome(), measures.words(), measures.record())
        };
        let ((is_decided, action, advice), text, json) = of(&["x@1"]);
        assert_eq!((is_decided, action, &*advice), (true, Action::Ship(0), "Ship new."));
        assert_eq!(json["winner"], "new");
        assert!(!text.contains("Nothing to decide"), "{text}");
        let ((is_decided, action, _), text, json) = of(&["x@1", "x@2"]);
        assert_eq!((is_decided, action), (false, Action::Wait));
        assert!(json["winner"].is_null() && json["decided"] == false, "{json}");
        assert!(text.contains("Nothing to decide yet: no user of x@2 has closed for conversions."), "{text}");
        assert!(json["headline"] == "no user has closed yet.", "{json}");
    }
}
