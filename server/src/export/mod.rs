//! The log of an experiment for other programs: the files that `click-logs credit` and `rankduel board` read, and every event as JSON. Not
//! here: where it is written to.
//!
//! Impressions closed with an outcome are written, on closed days, because verdicts count only these; units are numbers. So `click-logs
//! credit` has the same rows.

mod events;
mod impressions;
mod rules;

use std::io::Write;

use traffic::Ask;

use crate::store::Store;
use crate::writer::LoadError;

pub use rules::Rules;

/// What to export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportKind {
    /// Lists that were shown, with their receipts.
    Impressions,
    /// Clicks on them.
    Clicks,
    /// Later actions of users, such as orders.
    Outcomes,
    /// The rules that credit them.
    Rules,
    /// The judgements of duels.
    Judgements,
    /// All events.
    Log,
}

impl ExportKind {
    /// All parts.
    pub const ALL: [Self; 6] =
        [Self::Impressions, Self::Clicks, Self::Outcomes, Self::Rules, Self::Judgements, Self::Log];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Impressions => "impressions",
            Self::Clicks => "clicks",
            Self::Outcomes => "outcomes",
            Self::Rules => "rules",
            Self::Judgements => "judgements",
            Self::Log => "log",
        }
    }

    /// Checks that experiments with this setting have this part.
    ///
    /// # Errors
    /// If they have others: which, and why.
    pub fn check(self, ask: Ask) -> Result<(), String> {
        match (self, ask) {
            (Self::Judgements, Ask::Lists) => {
                Err("this experiment mixes lists and has no judgements; export impressions, clicks and rules"
                    .to_owned())
            }
            (Self::Impressions | Self::Clicks | Self::Outcomes | Self::Rules, Ask::Duels) => {
                let name = self.name();
                Err(format!("this experiment asks judges and has no {name}; export judgements"))
            }
            _ => Ok(()),
        }
    }
}

/// Why an export fails.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The log cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It cannot be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl From<crate::store::StoreError> for ExportError {
    fn from(error: crate::store::StoreError) -> Self {
        Self::Load(error.into())
    }
}

/// Writes a part of an experiment's log as JSON, one object per line.
///
/// # Errors
/// If the log cannot be read or the lines cannot be written.
pub fn export(store: &Store, id: u32, name: &str, what: ExportKind, out: &mut dyn Write) -> Result<(), ExportError> {
    match what {
        ExportKind::Impressions | ExportKind::Clicks | ExportKind::Outcomes => {
            impressions::write(store, id, name, what, out)
        }
        ExportKind::Judgements => impressions::judgements(store, id, name, out),
        ExportKind::Rules => {
            let rules = Rules::of(store, id, name)?;
            Ok(writeln!(out, "{}", rules.json())?)
        }
        ExportKind::Log => events::write(store, id, name, out),
    }
}

/// A line for the rankers of an impression.
#[must_use]
pub fn choices_line<'a>(impression: u64, rankers: impl IntoIterator<Item = &'a str>) -> String {
    let rankers: Vec<&str> = rankers.into_iter().collect();
    format!("{impression}\t{}\n", rankers.join("\t"))
}
