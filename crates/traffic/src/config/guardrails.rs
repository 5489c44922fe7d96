//! Guardrails against rankers that do harm: the rates to watch, and the reaction.

use serde::{Deserialize, Serialize};

/// Rates of harm, each ranker's beside the champion's. A ranker breaks one if its rate is above the champion's by more than the
/// margin, by confidence sequences that hold at all times, at level .05 for all rankers and rates together. A rate that cannot differ from
/// the champion's is not watched: that of impressions without a click, as long as every list that is shown mixes all rankers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Guardrails {
    /// Impressions with it that got no click: by how much the share may be larger, 0 to 1; unwatched if `None`.
    pub no_click: Option<f64>,
    /// Choices for which its list never came.
    pub missing: Option<f64>,
    /// Choices whose lists came later than `slow_after`.
    pub slow: Option<f64>,
    /// In milliseconds.
    pub slow_after: u32,
    /// The reaction to a breach.
    pub then: BreachReaction,
}

impl Default for Guardrails {
    fn default() -> Self {
        Self { no_click: Some(0.1), missing: Some(0.05), slow: None, slow_after: 500, then: BreachReaction::Warn }
    }
}

/// The reaction when a guardrail breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BreachReaction {
    /// It is written down and shown.
    #[default]
    Warn,
    /// The experiment pauses too.
    Pause,
}

/// A rate that is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guard {
    /// Impressions without a click.
    NoClick,
    /// Lists that never came.
    Missing,
    /// Lists that came late.
    Slow,
}

impl Guard {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NoClick, Self::Missing, Self::Slow];

    /// What the rate counts as bad, in words.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::NoClick => "impressions without a click",
            Self::Missing => "lists that never came",
            Self::Slow => "lists that came late",
        }
    }
}
