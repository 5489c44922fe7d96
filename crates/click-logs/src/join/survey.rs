//! A summary of all impressions of a log, needed before any is credited.

use std::collections::{BTreeMap, BTreeSet};

use verdicts::VersionDeclarations;

use super::encode_blocks::note_action;
use super::span::Span;
use crate::model::{LogEnd, Settings};

/// What must be known of all impressions before any is credited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Survey {
    /// The times of impressions.
    pub times: Span,
    /// By version of the experiment.
    pub versions: BTreeMap<Option<String>, VersionDeclarations>,
    /// Whether simulated users are among those of the log.
    pub is_synthetic: bool,
    /// Some of the actions that do not count as clicks.
    pub other_actions: BTreeSet<String>,
}

impl Survey {
    /// Adds another part of the log.
    pub fn add(&mut self, other: Self) {
        self.times.join(&other.times);
        for (name, of) in other.versions {
            self.versions.entry(name).or_default().merge(of);
        }
        self.is_synthetic |= other.is_synthetic;
        other.other_actions.iter().for_each(|action| note_action(&mut self.other_actions, action));
    }

    /// Until when impressions are closed, in milliseconds since 1970, and the last day on which all are.
    #[must_use]
    pub fn closing(&self, settings: &Settings) -> (i64, i32) {
        let until = match settings.complete {
            LogEnd::Final => return (i64::MAX, i32::MAX),
            LogEnd::Until(time) => time,
            LogEnd::LastImpression => self.times.end(settings.window).map_or(0, |(end, _)| end),
        };
        (until, settings.zone.day(until.saturating_sub(settings.window)) - 1)
    }

    /// The rankers in the order of results.
    #[must_use]
    pub fn names(&self, settings: &Settings) -> Vec<String> {
        names(&settings.rankers, self.versions.values().flat_map(|of| &of.rankers))
    }
}

/// The rankers in the order of results: those that the settings name, then the others by name.
pub(super) fn names<'a>(first: &[String], all: impl Iterator<Item = &'a String>) -> Vec<String> {
    let rest: BTreeSet<&String> = all.filter(|name| !first.contains(name)).collect();
    first.iter().chain(rest).cloned().collect()
}
