//! The `[draw]` section: how an experiment is drawn.

use serde::{Deserialize, Serialize};

/// How an experiment is drawn.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Draw {
    /// `linear` or `log` [default: log for time, linear for numbers of rankers].
    #[serde(default)]
    pub x: Option<Scale>,
    /// `linear` (default) or `log`.
    #[serde(default)]
    pub y: Option<Scale>,
    /// What bands and error bars show: `standard-error` (default) or `standard-deviation`.
    #[serde(default)]
    pub bands: Bands,
    /// Whether settings are `apart`, a panel each (default), or `together` in one.
    #[serde(default)]
    pub panels: Arrangement,
    /// Upper or lower bounds on regret to draw: `mergerucb` (its Theorem 1), `lower`.
    #[serde(default)]
    pub bounds: Vec<Bound>,
    /// For `regret`: also draw the share of steps that compare rankers other than the best.
    #[serde(default)]
    pub suboptimal: bool,
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// From zero.
    Linear,
    /// Logarithmic.
    Log,
}

impl Scale {
    /// Whether an axis is logarithmic: as the file says, else as `default` says.
    pub(crate) fn is_log(axis: Option<Self>, default: bool) -> bool {
        axis.map_or(default, |axis| axis == Self::Log)
    }
}

/// What bands and error bars show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bands {
    /// One standard deviation over runs.
    StandardDeviation,
    /// One standard error of the mean.
    #[default]
    StandardError,
}

/// Where settings are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// One panel per setting.
    #[default]
    Apart,
    /// All settings in one panel.
    Together,
}

/// A bound on regret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Theorem 1 of the mergeRUCB paper, with the parameters of the first mergerucb in the list.
    Mergerucb,
    /// Komiyama's lower bound.
    Lower,
}

impl Bound {
    /// The name of its curve.
    #[must_use]
    pub fn curve(self) -> &'static str {
        match self {
            Self::Mergerucb => "Theorem 1's bound",
            Self::Lower => "lower bound",
        }
    }
}
