//! Damaged experiments, as JSON and as pages.

use page::document::{self, Frame};
use page::{Headline, ListItem, Overview, Tone};
use serde_json::{Value, json};

use crate::notify::ExperimentLook;
use crate::writer::ExperimentHandle;

/// The name of the state.
const DAMAGED_STATE: &str = "damaged";
/// The advice to the operator.
const ADVICE: &str = "Restore the store from a backup, or look into it with `rankduel-server check`; until then nothing of this \
                      experiment is recorded, and the others go on.";

/// The damage, in one sentence.
fn sentence(entry: &ExperimentHandle, why: &str) -> String {
    match entry.fallback() {
        "" => format!("Damaged: {why}. Who asks gets no list."),
        name => format!("Damaged: {why}. Everybody gets the list of {name}."),
    }
}

/// In JSON.
pub(in crate::http) fn damage_json(entry: &ExperimentHandle) -> Value {
    let why = entry.damage().unwrap_or_default();
    let settings = (!entry.config.rankers.is_empty()).then_some(&entry.config);
    json!({
        "experiment": entry.config.name,
        "state": DAMAGED_STATE,
        "damage": why,
        "settings": settings,
        "fallback": entry.fallback(),
        "headline": sentence(entry, why),
        "standing": DAMAGED_STATE,
        "trusted": false,
        "winner": null,
        "action": "restore",
        "advice": ADVICE,
    })
}

/// The damage for messages; `None` if nothing is damaged.
pub(in crate::http) fn damage_look(entry: &ExperimentHandle) -> Option<ExperimentLook> {
    let why = entry.damage()?;
    Some(ExperimentLook {
        name: entry.config.name.clone(),
        created: None,
        rankers: vec![],
        changes: vec![],
        alarms: vec![],
        raises: vec![],
        standing: None,
        harms: Vec::new(),
        sentence: sentence(entry, why),
        advice: ADVICE.to_owned(),
        winner: None,
    })
}

fn headline(entry: &ExperimentHandle, why: &str) -> Headline {
    Headline {
        tone: Tone::Alarm,
        label: DAMAGED_STATE.to_owned(),
        sentence: sentence(entry, why),
        more: vec![],
        action: ADVICE.to_owned(),
    }
}

/// In the list of experiments.
pub(super) fn line(entry: &ExperimentHandle) -> ListItem {
    let why = entry.damage().unwrap_or_default();
    ListItem {
        name: entry.config.name.clone(),
        state: DAMAGED_STATE.to_owned(),
        warnings: vec![],
        headline: headline(entry, why),
        impressions: 0,
        since: String::new(),
    }
}

/// As a page; `None` if nothing is damaged.
pub(super) fn page(entry: &ExperimentHandle, frame: &Frame) -> Option<String> {
    let why = entry.damage()?;
    let overview = Overview { headline: headline(entry, why), state: DAMAGED_STATE.to_owned(), ..Overview::default() };
    Some(document::overview(frame, &entry.config.name, &overview.parts(), None))
}
