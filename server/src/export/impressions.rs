//! Impressions and clicks, one object per line.

use std::collections::BTreeMap;
use std::io::Write;

use click_logs::model::time::{Zone, parse_duration};
use interleave::receipt::Receipt;
use live::traffic::{Choice, Config, Event};
use serde_json::{Value, json};

use super::{ExportError, Rules, What};
use crate::ids;
use crate::store::{Store, StoreError};
use crate::writer::{Numbered, fold};

/// An impression that is open at this event of the log.
struct Open {
    unit: u64,
    /// When its list was there.
    listed: Option<i64>,
    choice: Choice,
    receipt: Vec<u8>,
    seen: Option<u32>,
    /// Position and time.
    clicks: Vec<(u32, i64)>,
}

/// Writes all impressions, or all clicks, of days that are closed.
pub(super) fn write(store: &Store, id: u32, name: &str, what: What, out: &mut dyn Write) -> Result<(), ExportError> {
    let Some(last_day) = Rules::of(store, id, name)?.last_day() else { return Ok(()) };
    let mut open: BTreeMap<u64, Open> = BTreeMap::new();
    let mut writer: Option<Writer<'_>> = None;
    let mut failed: Option<ExportError> = None;
    fold(store, id, name, |Numbered { impression, event, .. }| {
        if failed.is_some() {
            return;
        }
        if let Event::Created { config, .. } = event {
            writer = Some(Writer::new(store, id, config, last_day));
        }
        let Some(impression) = impression else { return };
        if let Some((closed, is_credited)) = step(&mut open, impression, event)
            && is_credited
            && let Some(writer) = &writer
            && let Err(error) = writer.write(impression, &closed, what, out)
        {
            failed = Some(error);
        }
    })?;
    failed.map_or(Ok(()), Err)
}

/// What an event changes; returns the impression that it closes, and whether that has an outcome.
fn step(open: &mut BTreeMap<u64, Open>, impression: u64, event: &Event) -> Option<(Open, bool)> {
    match event {
        Event::Asked { time, unit, choice, receipt, .. } => {
            let listed = receipt.as_ref().map(|_| *time);
            let receipt = receipt.clone().unwrap_or_default();
            let asked = Open { unit: *unit, listed, choice: choice.clone(), receipt, seen: None, clicks: vec![] };
            open.insert(impression, asked);
        }
        Event::Listed { time, receipt, .. } => {
            let open = open.get_mut(&impression)?;
            (open.listed, open.receipt) = (Some(*time), receipt.clone());
        }
        Event::Clicked { time, position, .. } => open.get_mut(&impression)?.clicks.push((*position, *time)),
        Event::Paged { seen, .. } => open.get_mut(&impression)?.seen = Some(*seen),
        Event::Closed { reason, .. } => return Some((open.remove(&impression)?, reason.is_credited())),
        _ => {}
    }
    None
}

/// Writes lines of one experiment.
struct Writer<'a> {
    store: &'a Store,
    id: u32,
    config: Config,
    last_day: i32,
    zone: Zone,
    window: i64,
    pairs: &'static str,
    version: Option<interleave::receipt::ExperimentVersion>,
}

impl<'a> Writer<'a> {
    fn new(store: &'a Store, id: u32, config: &Config, last_day: i32) -> Self {
        Self {
            store,
            id,
            last_day,
            // The settings were accepted when the experiment was created.
            zone: Zone::parse(&config.timezone).unwrap_or_default(),
            window: parse_duration(&config.window).unwrap_or(0),
            pairs: config.pair_choice().map_or("chance", |choice| choice.name()),
            version: config.experiment_version().ok(),
            config: config.clone(),
        }
    }

    fn write(&self, impression: u64, open: &Open, what: What, out: &mut dyn Write) -> Result<(), ExportError> {
        let Some(listed) = open.listed.filter(|listed| self.zone.day(*listed) <= self.last_day) else { return Ok(()) };
        if !open.choice.is_mixed() || open.receipt.is_empty() {
            return Ok(());
        }
        let damaged = |error: &dyn std::fmt::Display| {
            StoreError::Damaged(format!("impression {impression}: {error}; restore the store from a backup"))
        };
        let method = if open.choice.is_set() { &self.config.multileaving } else { &self.config.interleaving };
        let mut receipt = Receipt::from_bytes_of(&open.receipt, method).map_err(|error| damaged(&error))?;
        if let Some(version) = &self.version {
            receipt = receipt.of(version.clone());
        }
        let length = receipt.mixed().len();
        // Where documents were deleted, their places still say who won.
        let shown = self.store.shown(self.id, impression)?;
        let mixed = shown
            .as_ref()
            .map_or_else(|| (0..length).map(|at| format!("#{at}")).collect(), |shown| shown.mixed.clone());
        let displayed = shown.and_then(|shown| shown.displayed);
        match what {
            What::Clicks => self.clicks(impression, listed, open, &mixed, out),
            _ => {
                let names: Vec<&str> =
                    open.choice.arms().iter().map(|&arm| self.config.rankers[arm as usize].name.as_str()).collect();
                let mut line = json!({
                    "impression": impression.to_string(),
                    "time": listed,
                    "user": open.unit.to_string(),
                    "rankers": names,
                    "pairs": self.pairs,
                    "receipt": base64(&receipt.to_bytes()),
                });
                match displayed {
                    Some(page) => {
                        line["mixed"] = json!(mixed);
                        line["shown"] = json!(page.documents);
                        line["pinned"] = json!(page.pinned);
                    }
                    None => {
                        let seen = open.seen.unwrap_or(self.config.shown) as usize;
                        line["shown"] = json!(mixed);
                        if seen < mixed.len() {
                            line["paged"] = Value::from(seen);
                        }
                    }
                }
                Ok(writeln!(out, "{line}")?)
            }
        }
    }

    fn clicks(
        &self,
        impression: u64,
        listed: i64,
        open: &Open,
        mixed: &[String],
        out: &mut dyn Write,
    ) -> Result<(), ExportError> {
        for &(position, time) in &open.clicks {
            let Some(document) = mixed.get(position as usize) else { continue };
            // Windows that downtime made longer end here with the time that they would have had.
            let time = time.min(listed.saturating_add(self.window));
            writeln!(out, "{}", json!({"impression": impression.to_string(), "document": document, "time": time}))?;
        }
        Ok(())
    }
}

/// Base64 with padding.
fn base64(bytes: &[u8]) -> String {
    let mut text: String = ids::encode(bytes)
        .chars()
        .map(|c| {
            if c == '-' {
                '+'
            } else if c == '_' {
                '/'
            } else {
                c
            }
        })
        .collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}
