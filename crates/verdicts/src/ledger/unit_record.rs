//! A unit's sums, by version and pair.

use std::collections::BTreeMap;

use super::comparison::{Comparison, Pair};
use crate::amounts::UnitAmounts;

/// Where a ledger keeps its records of units.
pub trait UnitStore {
    /// The record of a unit; an empty one for a unit that is not there.
    fn record_mut(&mut self, unit: u64) -> &mut UnitRecord;

    /// The record of a unit that is there.
    fn known_record_mut(&mut self, unit: u64) -> Option<&mut UnitRecord>;
}

/// In memory.
impl UnitStore for BTreeMap<u64, UnitRecord> {
    fn record_mut(&mut self, unit: u64) -> &mut UnitRecord {
        self.entry(unit).or_default()
    }

    fn known_record_mut(&mut self, unit: u64) -> Option<&mut UnitRecord> {
        self.get_mut(&unit)
    }
}

/// A ledger's record of a unit.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct UnitRecord {
    pub(super) bot_from: i32,
    /// By version and pair: the last day of its sum, and the sum.
    pub(super) sums: UnitSums,
    /// By version: the last day of the set that the unit keeps, and the outcomes of its impressions until then.
    pub(super) sets: Vec<(u32, i32, Vec<Comparison>)>,
    /// The versions in which its first impression was seen.
    pub(super) versions_met: Vec<u32>,
}

/// The sum of a unit's impressions for a pair until a day.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(super) struct UnitSum {
    /// The last day that counts.
    pub(super) last_day: i32,
    /// Wins minus losses.
    pub(super) net_wins: i32,
    pub(super) amounts: UnitAmounts,
}

impl Default for UnitRecord {
    fn default() -> Self {
        Self { bot_from: i32::MAX, sums: UnitSums::default(), sets: Vec::new(), versions_met: Vec::new() }
    }
}

/// The sums of a unit: it mostly meets one pair, and of a set of a hundred rankers thousands.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) enum UnitSums {
    Few(Vec<(VersionPair, UnitSum)>),
    Many(BTreeMap<VersionPair, UnitSum>),
}

/// A version of the experiment, and a pair.
type VersionPair = (u32, Pair);

/// How many pairs are compared one by one.
const MAX_SCANNED_PAIRS: usize = 16;

impl Default for UnitSums {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl UnitSums {
    /// The sum of a pair, made by `new` if missing.
    pub(super) fn entry(&mut self, key: VersionPair, new: impl FnOnce() -> UnitSum) -> &mut UnitSum {
        if let Self::Few(few) = self {
            if few.is_empty() {
                // Most units meet one pair: there is room for no more.
                few.reserve_exact(1);
            } else if few.len() == MAX_SCANNED_PAIRS {
                *self = Self::Many(std::mem::take(few).into_iter().collect());
            }
        }
        match self {
            Self::Many(many) => many.entry(key).or_insert_with(new),
            Self::Few(few) => {
                let index = few.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
                    few.push((key, new()));
                    few.len() - 1
                });
                &mut few[index].1
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (VersionPair, UnitSum)> {
        let (few, many) = match self {
            Self::Few(few) => (Some(few), None),
            Self::Many(many) => (None, Some(many)),
        };
        let few = few.into_iter().flatten().copied();
        few.chain(many.into_iter().flatten().map(|(key, sum)| (*key, *sum)))
    }
}
