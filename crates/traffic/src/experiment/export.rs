//! Impressions as lines of a log for `click-logs credit`, which finds the same counts.

use interleave::Preference;
use serde_json::json;
use times as time;

use super::super::config::Config;
use super::super::event::{Appearance, Conversion, Event, Outcome, Reason};
use super::Experiment;
use super::conversions::counting_time;

/// An impression as lines of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedImpression {
    /// The day on which it was shown, in days since 1970-01-01.
    pub day: i32,
    /// The line of the impression.
    pub impression: String,
    /// The lines of its clicks.
    pub clicks: String,
}

/// A conversion as a line of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedConversion {
    /// The day on which it counts, in days since 1970-01-01.
    pub day: i32,
    /// The line.
    pub line: String,
}

/// The agent of simulated users.
const SIMULATED_AGENT: &str = "rankduel (simulated)";

impl Experiment {
    /// The last day that is final: nothing more can come of it or of earlier ones. The largest number if the experiment has ended
    /// and nothing is open.
    #[must_use]
    pub fn final_day(&self) -> i32 {
        if self.is_final() {
            return i32::MAX;
        }
        let past = self.day(self.time - self.rules.window) - 1;
        self.open_by_day.keys().next().map_or(past, |open| past.min(open - 1))
    }

    /// The impression that `event`, the next of the log, credits; call it before [`fold`](Self::fold). `documents` finds
    /// those of its mixed list, with made-up names for those that are no longer known. `None` for every other event, and
    /// for impressions that compare nothing.
    #[must_use]
    pub fn export_impression(
        &self,
        event: &Event,
        documents: impl FnOnce(u64) -> Option<Vec<String>>,
    ) -> Option<ExportedImpression> {
        let Event::Closed { impression, reason, outcome, .. } = event else { return None };
        if !reason.is_credited() || *outcome == Outcome::Nothing {
            return None;
        }
        let open = self.open.get(*impression)?;
        let listed_at = open.listed_at?;
        let receipt = open.displayed_receipt(&self.rules).ok()?;
        let mixed_length = receipt.mixed().len();
        let documents = documents(*impression).filter(|documents| documents.len() == mixed_length);
        let documents = documents.unwrap_or_else(|| (0..mixed_length).map(placeholder_document).collect());
        let page_places: Vec<Option<usize>> = match receipt.page() {
            Some(page) => page.places().collect(),
            None => (0..mixed_length).map(Some).collect(),
        };
        let pinned_documents: Vec<String> =
            (1..).zip(page_places.iter().filter(|place| place.is_none())).map(|(n, _)| format!("pinned {n}")).collect();
        let mut others = pinned_documents.iter();
        let shown_documents: Vec<Option<&String>> = page_places
            .iter()
            .map(|place| place.map_or_else(|| others.next(), |position| documents.get(position)))
            .collect();
        let rankers: Vec<&str> =
            open.choice.arms().iter().map(|arm| self.config.rankers[*arm as usize].name.as_str()).collect();
        let receipt = receipt
            .of(self.rules.version.clone())
            .with_all_documents(documents.clone(), pinned_documents.clone())
            .ok()?;
        let id = format!("{}-{impression}", self.config.name);
        let mut line = json!({
            "impression": id,
            "time": listed_at,
            "user": format!("unit {}", open.unit),
            "pairs": self.rules.choice().name(),
            "shown": shown_documents,
            "rankers": rankers,
            "receipt": receipt,
        });
        let segment = self.units.units().get(open.unit).and_then(|unit| unit.segment);
        if let Some(label) = segment.and_then(|segment| self.config.segments.get(usize::from(segment))) {
            line["segment"] = json!(label);
        }
        if self.config.simulated {
            line["agent"] = json!(SIMULATED_AGENT);
        }
        let mut clicks = String::new();
        for &(position, click_time) in &open.clicked {
            let mut click =
                json!({ "impression": id, "document": documents.get(position as usize), "time": click_time });
            // Taken in a window that was extended because no process was running.
            if click_time > listed_at + self.rules.window {
                click["time"] = json!(listed_at + self.rules.window);
                click["received"] = json!(click_time);
            }
            clicks += &format!("{click}\n");
        }
        Some(ExportedImpression { day: self.day(listed_at), impression: format!("{line}\n"), clicks })
    }

    /// The conversion in `event`. `documents` finds those of a mixed list. `None` for every other event.
    #[must_use]
    pub fn export_conversion(
        &self,
        event: &Event,
        documents: impl FnOnce(u64) -> Option<Vec<String>>,
    ) -> Option<ExportedConversion> {
        let (Event::Converted { time, conversion }, Some(rules)) = (event, &self.rules.outcomes) else { return None };
        let Conversion { unit, document: _, order, action, value, appearances } = &**conversion;
        let Appearance { impression, position } = appearances.first()?;
        let known = documents(*impression).and_then(|documents| documents.into_iter().nth(*position as usize));
        let counted_time = counting_time(*time);
        let mut line = json!({
            "user": format!("unit {unit}"),
            "document": known.unwrap_or_else(|| placeholder_document(*position as usize)),
            "time": counted_time,
            "action": rules.actions.get(*action as usize),
            "value": value,
        });
        if let Some(currency) = &rules.currency {
            line["currency"] = json!(currency);
        }
        if *order > 0 {
            line["order"] = json!(format!("order {order}"));
        }
        Some(ExportedConversion { day: self.day(counted_time), line: format!("{line}\n") })
    }

    /// The judgement in `event`, the next of the log, as a line of JSON that a board reads; call it before
    /// [`fold`](Self::fold). Rankers are in the order in which the judge saw them. `None` for every other event.
    #[must_use]
    pub fn judgement(&self, event: &Event) -> Option<String> {
        let Event::Closed { time, impression, reason: Reason::Judged, outcome: Outcome::Pair(winner) } = event else {
            return None;
        };
        let open = self.open.get(*impression)?;
        let name = |arm: &u32| self.config.rankers.get(*arm as usize).map(|ranker| ranker.name.as_str());
        let (mut first, mut second) = (name(open.choice.arms().first()?)?, name(open.choice.arms().last()?)?);
        let mut winner = *winner;
        if self.is_swapped(*impression) {
            (first, second, winner) = (second, first, winner.swapped());
        }
        let winner = match winner {
            Preference::First => "first",
            Preference::Second => "second",
            Preference::Tie => "tie",
        };
        let judge = format!("unit {}", open.unit);
        let line = json!({"first": first, "second": second, "winner": winner, "judge": judge, "time": time});
        Some(format!("{line}\n"))
    }

    /// The flags with which `click-logs credit` counts an exported log as this experiment does. Rules for bots are in a file of
    /// their own, if there are any.
    #[must_use]
    pub fn credit_flags(&self) -> Vec<String> {
        let Config { unit_days, window, timezone, rankers, .. } = &self.config;
        let names: Vec<&str> = rankers.iter().map(|ranker| ranker.name.as_str()).collect();
        let end = match self.final_day() {
            i32::MAX => "--final".to_owned(),
            day => format!("--until={}", time::text(self.rules.zone.start(day + 1) + self.rules.window)),
        };
        let mut flags = vec![
            format!("--unit-days={unit_days}"),
            format!("--window={window}"),
            format!("--timezone={timezone}"),
            // In one word: a name may begin with a dash.
            format!("--rankers={}", ranktypes::text::join_list(&names)),
            // Every page is logged, and has a coin of its own.
            "--logged=every".to_owned(),
            "--coin=impression".to_owned(),
            end,
        ];
        if let Some(rules) = &self.rules.outcomes {
            // The store has one clock.
            flags.push("--skew=0s".to_owned());
            flags.push(format!("--outcome-actions={}", ranktypes::text::join_list(&rules.actions)));
            flags.push(format!("--outcome-days={}", rules.days));
            flags.push(format!("--attribution={}", rules.attribution));
            flags.push(format!("--primary={}", rules.primary.name()));
            flags.extend(rules.currency.as_ref().map(|currency| format!("--currency={currency}")));
            flags.extend(rules.cap.map(|cap| format!("--cap={cap}")));
        }
        flags
    }
}

/// The name of a document that is no longer known, by its 0-based position in the mixed list.
fn placeholder_document(position: usize) -> String {
    format!("document {}", position + 1)
}
