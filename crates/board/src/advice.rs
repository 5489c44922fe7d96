//! How many more judgements it takes to know the best.

use crate::Settings;
use crate::group::GroupFit;
use serde::Serialize;

/// How many more judgements it takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// The median number of further judgements until the best is known; `None` if it is more than [`Advice::MOST`].
    pub more: Option<u64>,
}

impl Advice {
    /// More judgements than this are not promised.
    pub const MOST: u64 = 100_000_000;
}

pub(crate) fn of(_names: &[String], _fit: &GroupFit, _settings: &Settings) -> Option<Advice> {
    None
}
