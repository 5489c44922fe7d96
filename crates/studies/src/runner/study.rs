//! The contract of a study.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use super::{Execution, Keeper, Workplace};
use crate::report::Report;

/// A long computation as a value: the request and its data. [`run`](crate::run) carries it out for the command line,
/// Python, or one of many shards.
///
/// The methods are called in the order in which they stand here, each once. Randomness comes from the seed of the request
/// alone, so that the same request gives the same bytes.
pub trait Study: Sized {
    /// Its name in commands and configurations.
    const COMMAND: &'static str;
    /// The content of `config.json`. Without what [`SIZES`](output::results_folder::SIZES) lists it is the key of a folder.
    type Config: Serialize;
    /// Values resolved before the first unit of work: the ground truth, nDCG, the sizes of sets.
    type Resolved;
    /// All that was computed.
    type Findings;

    /// Prepares what all shards need, keeps it in caches, and describes it; `None` if shards need nothing.
    ///
    /// # Errors
    /// If it cannot be computed or kept.
    fn prepare(&self, _order: &Execution) -> Result<Option<String>> {
        Ok(None)
    }

    /// The configuration as far as it is known now. Results of another one are refused.
    fn key(&self) -> Self::Config;

    /// Joins the request with what the place holds already, or refuses it.
    ///
    /// # Errors
    /// If both cannot be in one place.
    fn extend(&mut self, _place: &Workplace) -> Result<()> {
        Ok(())
    }

    /// Resolves what must be known before the work can be divided.
    ///
    /// # Errors
    /// If it cannot be known, e.g. because regret needs a winner and there is none.
    fn resolve(&self, place: &Workplace) -> Result<Self::Resolved>;

    /// The complete configuration.
    fn config(&self, resolved: &Self::Resolved) -> Self::Config;

    /// What shards divide.
    fn units(&self, resolved: &Self::Resolved) -> Units;

    /// Computes all units, or those of a shard, through the `keeper`, which finds those that are there already.
    ///
    /// # Errors
    /// If memory has no room, or something cannot be kept.
    fn play(&self, resolved: &Self::Resolved, keeper: &Keeper<'_>) -> Result<Self::Findings>;

    /// What was found, to be read, printed and written.
    ///
    /// # Errors
    /// If a table cannot be formatted.
    fn report(&self, resolved: &Self::Resolved, found: &Self::Findings) -> Result<Report>;
}

/// What shards divide.
#[derive(Debug, Clone)]
pub struct Units {
    /// The name of one, e.g. `run`.
    pub unit: &'static str,
    /// How many there are.
    pub total: u64,
    /// Kept records that make up a unit, for the status of shards.
    pub records: u64,
    /// The revisions of what computes them: parts of shards with others do not add up.
    pub revisions: BTreeMap<String, u32>,
}
