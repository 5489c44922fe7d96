//! Joins the contents of a results folder with the request of a command: a study only grows.
//!
//! The folder afterwards holds all algorithms of both, the larger number of runs and steps (or all horizons) and the denser
//! checkpoints. The algorithms of the folder come first.

use anyhow::{Context, Result, ensure};
use bandits::log_spaced;
use bandits::registry::Spec;
use output::messages::info;
use output::numbers::{with_separators, with_unit};
use output::results_folder::ResultsFolder;
use output::shards::Share;
use output::usage::usage;
use serde_json::Value;

use super::Workplace;
use crate::results::label;

/// Default checkpoints per decade.
const CHECKPOINTS: u32 = 10;

/// How large a study is.
#[derive(Debug, Clone, PartialEq)]
pub struct Size {
    /// In the order of tables; those of a folder that is extended come first.
    pub algorithms: Vec<Spec>,
    /// Runs per algorithm.
    pub runs: u64,
    /// How long runs are, and when they are recorded.
    pub length: Length,
}

/// How long its runs are, and when they are recorded.
#[derive(Debug, Clone, PartialEq)]
pub enum Length {
    /// Up to a number of steps.
    Steps {
        /// The steps.
        steps: u64,
        /// Checkpoints per decade; `None` for the usual number.
        per_decade: Option<u32>,
    },
    /// At each of these steps, ascending.
    Horizons(Vec<u64>),
}

impl Length {
    /// Steps of the longest runs.
    #[must_use]
    pub fn steps(&self) -> u64 {
        match self {
            Self::Steps { steps, .. } => *steps,
            Self::Horizons(horizons) => horizons.last().copied().unwrap_or(0),
        }
    }

    /// Checkpoints per decade.
    #[must_use]
    pub fn per_decade(&self) -> u32 {
        match self {
            Self::Steps { per_decade, .. } => per_decade.unwrap_or(CHECKPOINTS),
            Self::Horizons(_) => 0,
        }
    }

    /// The steps at which regret is recorded, ascending.
    #[must_use]
    pub fn checkpoints(&self) -> Vec<u64> {
        match self {
            Self::Steps { steps, .. } => log_spaced(*steps, self.per_decade()),
            Self::Horizons(horizons) => horizons.clone(),
        }
    }

    fn joined_with(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Steps { steps, per_decade }, Self::Steps { steps: other_steps, per_decade: other_per_decade }) => {
                Self::Steps { steps: *steps.max(other_steps), per_decade: *per_decade.max(other_per_decade) }
            }
            (Self::Horizons(horizons), Self::Horizons(other_horizons)) => {
                let mut all_horizons = [&horizons[..], other_horizons].concat();
                all_horizons.sort_unstable();
                all_horizons.dedup();
                Self::Horizons(all_horizons)
            }
            // The setting is part of the key, so this cannot be.
            (_, other) => other.clone(),
        }
    }
}

impl Size {
    /// The size of the study in `folder`, if its runs are finished.
    ///
    /// # Errors
    /// If this version cannot play its algorithms.
    fn read_from_folder(folder: &ResultsFolder, requested: &Self) -> Result<Option<Self>> {
        let Some(config) = folder.config() else { return Ok(None) };
        let length = match (config["steps"].as_u64(), config["horizons"].as_array()) {
            (Some(steps), _) => {
                let per_decade = config["checkpoints"].as_u64().and_then(|count| u32::try_from(count).ok());
                Length::Steps { steps, per_decade: per_decade.or_else(|| per_decade_of_curves(folder, steps)) }
            }
            (None, Some(horizons)) => Length::Horizons(horizons.iter().filter_map(Value::as_u64).collect()),
            (None, None) => return Ok(None),
        };
        let name = folder.path().display();
        let advice = "choose another --out, or add --replace to move that aside";
        let parse = |algorithm: &Value| {
            let text = algorithm.as_str().unwrap_or_default();
            // Only the caller has those from outside.
            if let Some(spec) = requested.algorithms.iter().find(|spec| spec.canonical() == text) {
                let revision = config["own_algorithms"][text].as_u64();
                ensure!(
                    revision.is_none_or(|revision| revision == u64::from(spec.entry().revision)),
                    usage(format!(
                        "{name} holds runs of `{}` whose code was different; give it another version, or {advice}",
                        label(spec)
                    ))
                );
                return Ok(spec.clone());
            }
            text.parse::<Spec>().map_err(|error| {
                usage(match config["own_algorithms"].get(text) {
                    Some(_) => format!(
                        "{name} holds runs of `{text}`, which is not an algorithm of this program; give its code too, or {advice}"
                    ),
                    None => format!("{name} holds runs of `{text}` ({error:#}); {advice}"),
                })
            })
        };
        let algorithms = config["algorithms"].as_array().map_or(&[][..], Vec::as_slice);
        let algorithms = algorithms.iter().map(parse).collect::<Result<_>>()?;
        let runs = config["runs"].as_u64().with_context(|| format!("{name}/config.json lacks the number of runs"))?;
        Ok(Some(Self { algorithms, runs, length }))
    }

    /// The larger of the two in every respect.
    fn joined_with(&self, other: &Self) -> Self {
        let new_algorithms = other.algorithms.iter().filter(|spec| !self.has(spec));
        Self {
            algorithms: self.algorithms.iter().chain(new_algorithms).cloned().collect(),
            runs: self.runs.max(other.runs),
            length: self.length.joined_with(&other.length),
        }
    }

    fn has(&self, spec: &Spec) -> bool {
        self.algorithms.iter().any(|known| known.canonical() == spec.canonical())
    }

    /// Whether both are equal, except for the order of the algorithms and for checkpoints that were not requested.
    #[must_use]
    pub fn equals(&self, requested: &Self) -> bool {
        let is_same = requested.algorithms.len() == self.algorithms.len()
            && requested.algorithms.iter().all(|spec| self.has(spec));
        let length = match (&self.length, &requested.length) {
            (Length::Steps { steps, .. }, Length::Steps { steps: requested, per_decade: None }) => steps == requested,
            (held, requested) => held == requested,
        };
        is_same && self.runs == requested.runs && length
    }

    /// In words, e.g. `5 runs of 1,000 steps of rucb, random`.
    #[must_use]
    pub fn describe(&self) -> String {
        let length = match &self.length {
            Length::Steps { steps, .. } => with_unit(*steps, "step"),
            Length::Horizons(all) => {
                let horizons: Vec<String> = all.iter().map(|&horizon| with_separators(horizon)).collect();
                format!("{} steps", horizons.join(", "))
            }
        };
        let names: Vec<String> = self.algorithms.iter().map(label).collect();
        format!("{} of {length} of {}", with_unit(self.runs, "run"), names.join(", "))
    }
}

impl Size {
    /// What must be played so that `place` holds its present contents and the request. Prints how they differ.
    ///
    /// # Errors
    /// If this version cannot play what a folder holds, or parts to be merged are of less than the folder holds.
    pub fn extended_by_folder(self, place: &Workplace) -> Result<Self> {
        let Some(folder) = place.folder() else { return Ok(self) };
        let Some(held_settings) = Self::read_from_folder(folder, &self)? else { return Ok(self) };
        let joined = held_settings.joined_with(&self);
        let name = folder.path().display();
        if let Share::Merge(parts) = place.share() {
            ensure!(
                joined.equals(&self),
                usage(format!(
                    "{name} holds more than the parts in {}: {}; merge them into another folder with --out, or add --replace to move it aside",
                    parts.folder().display(),
                    joined.describe()
                ))
            );
            return Ok(joined);
        }
        let has_kept_runs = match folder.join(".runs").exists() {
            false => "; its runs were not kept and are played again",
            true => "",
        };
        if !held_settings.equals(&joined) {
            let (held_settings, joined) = (held_settings.describe(), joined.describe());
            info(place.quiet(), &format!("{name} holds {held_settings}; it is extended to {joined}{has_kept_runs}"));
        } else if !held_settings.equals(&self) {
            info(
                place.quiet(),
                &format!("{name} holds more than that, which is kept: {}{has_kept_runs}", held_settings.describe()),
            );
        } else if folder.was_finished() {
            let nothing = if has_kept_runs.is_empty() { "; nothing is played again" } else { has_kept_runs };
            info(place.quiet(), &format!("{name} holds these runs already{nothing}"));
        }
        Ok(joined)
    }
}

/// The checkpoints per decade of a folder of an earlier version: its `config.json` does not state them.
fn per_decade_of_curves(folder: &ResultsFolder, steps: u64) -> Option<u32> {
    let curves = output::input::read_file_text(&folder.join("curves.csv"), 1 << 32).ok()?;
    let mut rows = curves.lines().skip(1).map(|line| line.split(',').next());
    let first_row = rows.next()?;
    let count = 1 + rows.take_while(|algorithm| *algorithm == first_row).count();
    (1..=1000).find(|&per_decade| log_spaced(steps, per_decade).len() == count)
}
