//! Every event, one object per line.

use std::io::Write;

use live::traffic::{Choice, Event};
use serde_json::{Value, json};

use super::ExportError;
use crate::ids;
use crate::store::Store;
use crate::writer::LoadError;

/// Writes all events of a log.
pub(super) fn write(store: &Store, id: u32, name: &str, out: &mut dyn Write) -> Result<(), ExportError> {
    let mut asked = 0;
    store.events(id, 0, |stored| -> Result<(), ExportError> {
        let event = Event::from_bytes(&stored.body).map_err(|error| {
            ExportError::Load(LoadError::Event { experiment: name.to_owned(), n: stored.n, message: error.to_string() })
        })?;
        let mut line = json!({"n": stored.n, "event": event.name(), "time": event.time()});
        if let Event::Asked { .. } = event {
            asked += 1;
            line["impression"] = Value::from(asked);
        } else if let Some(impression) = event.impression() {
            line["impression"] = impression.into();
        }
        details(&event, &mut line);
        Ok(writeln!(out, "{line}")?)
    })
}

fn details(event: &Event, line: &mut Value) {
    match event {
        Event::Created { config, chooser, .. } => {
            line["settings"] = json!(config);
            line["chooser"] = json!(chooser);
        }
        Event::Continued { chooser, .. } => line["chooser"] = json!(chooser),
        Event::Started { gap, .. } => line["gap"] = json!(gap),
        Event::Asked { unit, choice, receipt, .. } => {
            line["unit"] = json!(unit);
            line["choice"] = json!(choice_name(choice));
            line["rankers"] = json!(choice.arms());
            if let Some(receipt) = receipt {
                line["receipt"] = json!(ids::encode(receipt));
            }
        }
        Event::Listed { receipt, .. } => line["receipt"] = json!(ids::encode(receipt)),
        Event::Clicked { position, .. } => line["position"] = json!(position),
        Event::Paged { seen, .. } => line["seen"] = json!(seen),
        Event::Shown { page, .. } => line["places"] = json!(page.places().collect::<Vec<_>>()),
        Event::Closed { reason, outcome, .. } => {
            line["reason"] = json!(format!("{reason:?}"));
            line["outcome"] = json!(format!("{outcome:?}"));
        }
        Event::Day { day, rows, .. } => {
            line["day"] = json!(day);
            let counts = |counts: &statistics::Counts| json!([counts.wins, counts.losses, counts.ties]);
            let rows: Vec<Value> = rows
                .iter()
                .map(|row| json!({"pair": row.pair, "units": counts(&row.units), "impressions": counts(&row.impressions)}))
                .collect();
            line["rows"] = json!(rows);
        }
        Event::Changed { state, who, why, .. } => {
            line["state"] = json!(state);
            line["who"] = json!(who);
            line["why"] = json!(why);
        }
        Event::Breached { ranker, guard, ranker_bad, champion_bad, .. } => {
            line["ranker"] = json!(ranker);
            line["guard"] = json!(guard);
            line["ranker_bad"] = json!(ranker_bad);
            line["champion_bad"] = json!(champion_bad);
        }
    }
}

fn choice_name(choice: &Choice) -> &'static str {
    match choice {
        Choice::Duel(_) => "duel",
        Choice::Set(_) => "set",
        Choice::Kept { .. } => "kept",
        Choice::Alone(_) => "alone",
        Choice::Leader(_) => "leader",
    }
}
