//! The place of a line in a log, which its text depends on.

use std::collections::BTreeMap;

use crate::config::Config;

/// Where in a log a line is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogPosition<'a> {
    pub(crate) config: &'a Config,
    /// The place of each competitor.
    pub(crate) names: &'a BTreeMap<String, u32>,
    /// The number of the event, from 1.
    pub(crate) number: u64,
    /// The ticket of the next pair.
    pub(crate) ticket: u64,
    /// The checksum of the lines before.
    pub(crate) sum: u64,
}
