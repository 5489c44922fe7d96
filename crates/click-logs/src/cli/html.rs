//! The page of a finished log, as one self-contained file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use page::decision::{distrust_headline, overview};
use page::{CountKind, Figure, Headline, ImpressionCount, Overview, Tone, Traffic, TrafficDay};
use serde_json::Value;
use times::date;
use verdicts::decide::{Decision, Verdicts};
use verdicts::outcomes::{Day, Outcomes};

use crate::join::ImpressionFate;
use crate::measures::Measures;
use crate::model::Primary;
use crate::outcomes::{SUMMARY_FILE, integrity};
use crate::verdict::{SYNTHETIC, outlook};

/// The flag that names the file.
pub(super) const FLAG: &str = "--html";

/// Writes the page. `warnings` come before everything else, `text` is the whole verdict in words.
///
/// # Errors
/// If the file is there and must not be replaced, or cannot be written.
pub(super) fn write(path: &Path, log: &Log<'_>, warnings: &[String], text: &str, replace: bool) -> Result<()> {
    output::check_new(path, FLAG, replace)?;
    output::write_atomic(path, page::document::standalone(&log.page(warnings, text)).as_bytes())
}

/// The data that a page is made from.
pub(super) struct Log<'a> {
    /// The name of the log: the folder or file of its outcomes.
    pub(super) name: &'a str,
    pub(super) outcomes: &'a Outcomes,
    pub(super) measures: &'a Measures<'a>,
    pub(super) summary: &'a Value,
}

impl Log<'_> {
    fn page(&self, warnings: &[String], text: &str) -> Overview {
        let decision = self.verdicts().latest();
        let mut remarks: Vec<String> = self.verdicts().change().into_iter().collect();
        if self.summary["synthetic"] == true {
            remarks.push(SYNTHETIC.to_owned());
        }
        remarks.extend_from_slice(warnings);
        let mut page = overview(decision, self.summary["unit"].as_str());
        let checked = integrity(self.summary).unwrap_or_default();
        if self.measures.primary() == Primary::Value {
            page.headline = self.headline_of_value();
        }
        if let Some(fault) = checked.distrust_reason(self.verdicts().latest_name()) {
            page.headline = distrust_headline(page.headline, &outlook(self.verdicts(), self.summary));
            // The headline has it already.
            remarks.retain(|warning| !warning.ends_with(&fault.sentence));
        }
        Overview {
            name: self.name.to_owned(),
            warnings: remarks,
            figures: self.figures(decision),
            traffic: self.traffic(decision),
            fates: self.fates(),
            settings: self.settings(decision),
            measures: self.measures.page_measures(),
            courses: self.measures.courses(),
            report: text.lines().map(str::to_owned).collect(),
            ..page
        }
    }

    fn verdicts(&self) -> &Verdicts {
        self.measures.signs()
    }

    fn headline_of_value(&self) -> Headline {
        let (is_decided, _, action) = self.measures.outcome();
        let (tone, label) = if is_decided { (Tone::Good, "decided") } else { (Tone::Neutral, "undecided") };
        let says = self.measures.headline(Primary::Value);
        let (sentence, details) = says.split_once(". ").unwrap_or((&says, ""));
        let details = if details.is_empty() { vec![] } else { vec![details.to_owned()] };
        Headline {
            tone,
            label: label.to_owned(),
            sentence: format!("{}.", sentence.trim_end_matches('.')),
            more: details,
            action,
        }
    }

    fn are_several(&self) -> bool {
        self.verdicts().versions.len() > 1
    }

    fn days(&self) -> impl Iterator<Item = &Day> {
        let version = self.verdicts().latest_name();
        self.outcomes
            .days
            .iter()
            .filter(move |day| !self.are_several() || self.outcomes.versions[day.version].as_deref() == version)
    }

    fn figures(&self, decision: &Decision) -> Vec<Figure> {
        let units: u64 = decision.pairs.iter().map(|pair| pair.last.counts.total()).sum();
        let impressions: u64 = self.days().map(|day| day.counts.impressions.total()).sum();
        let grouped = output::numbers::with_separators;
        let unit = self.summary["unit"].as_str().unwrap_or("unit");
        let days = decision.days.map_or(0, |(first, last)| last - first + 1);
        let pair_figures = match (self.are_several(), decision.pairs.len()) {
            (true, _) => "of the version that began last",
            (false, 2..) => "counted per pair",
            _ => "compared the two rankers",
        };
        let figure =
            |name: &str, value: String, note: &str| Figure { name: name.to_owned(), value, note: note.to_owned() };
        vec![
            figure("Rankers", decision.rankers.len().to_string(), ""),
            figure("Impressions", grouped(impressions), pair_figures),
            figure(
                &format!("Outcomes by {unit}"),
                grouped(units),
                if decision.pairs.len() > 1 { "of all pairs" } else { "" },
            ),
            figure(
                "Days",
                days.to_string(),
                &decision.days.map_or_else(String::new, |(first, last)| format!("{} to {}", date(first), date(last))),
            ),
            figure(
                "Confidence needed",
                format!("{}%", 100.0 - (1e5 * decision.alpha).round() / 1e3),
                "however often you look",
            ),
        ]
    }

    /// Both rankers of a pair had a list in each impression that compared them.
    fn traffic(&self, decision: &Decision) -> Option<Traffic> {
        let ranker_place =
            |ranker: usize| decision.rankers.iter().position(|name| *name == self.outcomes.rankers[ranker]);
        let mut days: BTreeMap<i32, TrafficDay> = BTreeMap::new();
        for day in self.days() {
            let traffic_day = days.entry(day.day).or_insert_with(|| TrafficDay {
                day: day.day,
                date: date(day.day),
                lists: vec![0; decision.rankers.len()],
                ..TrafficDay::default()
            });
            let count = day.counts.impressions.total();
            traffic_day.asked += count;
            for ranker in [day.pair.0, day.pair.1] {
                if let Some(ranker_place) = ranker_place(ranker) {
                    traffic_day.lists[ranker_place] += count;
                }
            }
        }
        (!days.is_empty()).then(|| Traffic {
            rankers: decision.rankers.clone(),
            days: days.into_values().collect(),
            is_going_on: false,
            are_hours: false,
        })
    }

    fn fates(&self) -> Vec<ImpressionCount> {
        let counts = &self.summary["fates"]["impressions"];
        let fate = |fate: &ImpressionFate| {
            let name = fate.name();
            // Impressions that are counted with others under another fate.
            let count = counts[name].as_u64().filter(|count| *count > 0 && name != "after-closing")?;
            let kind = match name {
                "credited" => CountKind::Counts,
                "open" => CountKind::Open,
                _ => CountKind::Aside,
            };
            let of_all = if kind == CountKind::Counts && self.are_several() { ", in all versions" } else { "" };
            Some(ImpressionCount { name: name.to_owned(), count, meaning: format!("{}{of_all}", fate.meaning()), kind })
        };
        ImpressionFate::ALL.iter().filter_map(fate).collect()
    }

    fn settings(&self, decision: &Decision) -> Vec<(String, String)> {
        let text = |key: &str| self.summary[key].as_str().map(str::to_owned);
        let number = |key: &str| self.summary[key].as_u64().map(|number| number.to_string());
        let candidates = [
            ("Rankers", Some(decision.rankers.join(", "))),
            ("Version", self.verdicts().latest_name().map(str::to_owned)),
            ("Counted by", Some(decision.count_unit.name().to_owned())),
            ("Unit", text("unit")),
            ("Days of a unit", number("unit_days")),
            ("Pairs chosen", text("pairs")),
            ("Account of the log", self.summary["lines"].is_object().then(|| SUMMARY_FILE.to_owned())),
        ];
        candidates.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}
