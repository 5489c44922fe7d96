//! What a log says, as counts.

use std::collections::BTreeSet;

use verdicts::outcomes::Day;
use verdicts::{PairChoice, SaidBy, Version};

use super::tally::Tally;

/// What a log says.
#[derive(Debug, Clone, PartialEq)]
pub struct Credited {
    /// The rankers, in the order of results.
    pub rankers: Vec<String>,
    /// The versions of the experiment, in the order of their names; none if no list was mixed.
    pub versions: Vec<Version>,
    /// By version, day and pair, in this order.
    pub days: Vec<Day>,
    /// What became of every line.
    pub tally: Tally,
    /// The times of the first and last impression; `None` without any.
    pub times: Option<(i64, i64)>,
    /// Whether simulated users are among those of the log.
    pub is_synthetic: bool,
    /// Bytes of temporary files.
    pub spilled: u64,
    /// The last day on which all impressions are closed; `None` if all days are.
    pub last_closed_day: Option<i32>,
    /// Whether it was joined in the order of time.
    pub in_order: bool,
    /// How the rankers of impressions were chosen, by the most careful of all versions.
    pub choice: PairChoice,
    /// Who says so.
    pub said_by: SaidBy,
    /// The most careful way of choosing that impressions declare.
    pub declared: Option<PairChoice>,
    /// Some of the actions that do not count as clicks.
    pub other_actions: BTreeSet<String>,
    /// Rankers that the settings name and no impression does.
    pub never_met: Vec<String>,
}
