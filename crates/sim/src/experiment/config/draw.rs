//! The `[draw]` section: how an experiment is drawn.

use std::collections::BTreeMap;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::experiment::config::values::OneOrMany;
use studies::results::{Format, LegendChoice, Length, LetterSize, PrintChoices};

/// The drawing options of an experiment.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Draw {
    /// `linear` or `log` [default: log for time, linear for numbers of rankers].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<Scale>,
    /// `linear` (default) or `log`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<Scale>,
    /// The meaning of bands and error bars: `standard-error` or `se` (default), `standard-deviation` or `sd`, `range` or `none`.
    #[serde(default, alias = "spread")]
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
    /// The formats of the figure for print, `draw.pdf` and so on: `pdf`, `svg` or `png`, or a list. Without any, there is
    /// one only if `width`, `height` or `font` is given, as PDF.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub format: OneOrMany<Format>,
    /// The width of the figure for print, e.g. `"3.33in"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Length>,
    /// Its height.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<Length>,
    /// The size of its letters, e.g. `"8pt"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub font: Option<LetterSize>,
    /// Where it has the names of curves: `inside`, `outside`, `direct` or `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legend: Option<LegendChoice>,
    /// Whether it has a headline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<bool>,
    /// Other names for its curves: `relabel = { rucb = "RUCB" }`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relabel: BTreeMap<String, String>,
}

fn is_empty(formats: &OneOrMany<Format>) -> bool {
    formats.0.is_empty()
}

impl Draw {
    /// The print options.
    #[must_use]
    pub fn chosen(&self) -> PrintChoices {
        PrintChoices {
            width: self.width.clone(),
            height: self.height.clone(),
            font: self.font.clone(),
            legend: self.legend,
            relabel: self.relabel.clone(),
            title: self.title,
            formats: self.format.0.clone(),
        }
    }
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
    /// Whether an axis is logarithmic: by the file, else by `default`.
    pub(crate) fn is_log(axis: Option<Self>, default: bool) -> bool {
        axis.map_or(default, |axis| axis == Self::Log)
    }
}

/// The meaning of bands and error bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Bands {
    /// One standard error of the mean.
    #[default]
    #[serde(alias = "se")]
    #[value(name = "se")]
    StandardError,
    /// One standard deviation of a run.
    #[serde(alias = "sd")]
    #[value(name = "sd")]
    StandardDeviation,
    /// From the 10th to the 90th percentile of runs.
    // For `rankduel draw` alone, because it needs all runs.
    #[serde(skip)]
    Quantile,
    /// From the smallest to the largest run.
    Range,
    /// No bands.
    None,
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
