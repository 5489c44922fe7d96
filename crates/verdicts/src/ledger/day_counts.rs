//! The counts of a day, by version and pair.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use statistics::{Counts, Preference};

use super::comparison::{Comparison, Pair};
use crate::amounts::{Amounts, UnitAmounts};

/// The counts of a day for a pair of rankers; wins are those of the first, which has the lower number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DayRow {
    /// The rankers.
    pub pair: (u32, u32),
    /// Units that closed on the day.
    pub units: Counts,
    /// Impressions shown on the day.
    pub impressions: Counts,
    /// How many clicks and clicked impressions each side of the units has; none if the owners of documents are unknown.
    pub amounts: Amounts,
}

impl DayRow {
    /// Adds the counts of other units for the same pair on the same day.
    pub fn add(&mut self, other: &Self) {
        self.units += other.units;
        self.impressions += other.impressions;
        self.amounts += other.amounts;
    }
}

/// The counts of a day for a pair.
#[derive(Clone, Copy, Default)]
pub(super) struct PairCounts {
    units: Counts,
    impressions: Counts,
    amounts: Amounts,
}

impl PairCounts {
    pub(super) fn count_unit(&mut self, net: i32, amounts: UnitAmounts) {
        self.units.record(Preference::of_net(f64::from(net)));
        self.amounts.record(amounts);
    }

    fn count_impression(&mut self, net: i8) {
        self.impressions.record(Preference::of_net(f64::from(net)));
    }

    fn is_empty(&self) -> bool {
        self.units.total() + self.impressions.total() == 0
    }
}

impl AddAssign for PairCounts {
    fn add_assign(&mut self, other: Self) {
        self.units += other.units;
        self.impressions += other.impressions;
        self.amounts += other.amounts;
    }
}

/// The counts of a day in a version by pair.
pub(super) struct DayCounts {
    rankers: usize,
    sparse_pairs: BTreeMap<Pair, PairCounts>,
    /// All pairs in the order of their numbers, once a set was counted.
    pub(super) dense_pairs: Vec<PairCounts>,
}

impl DayCounts {
    pub(super) fn count_impression(&mut self, comparison: &Comparison) {
        if let Comparison::Set(..) = comparison {
            self.expect_sets();
            comparison.for_each_pair(|pair, net, _| self.dense_pairs[pair_number(pair)].count_impression(net));
        } else {
            comparison.for_each_pair(|pair, net, _| self.sparse_pairs.entry(pair).or_default().count_impression(net));
        }
    }

    /// A unit that counts by one impression.
    pub(super) fn count_only_impression(&mut self, comparison: &Comparison) {
        if let Comparison::Set(..) = comparison {
            self.expect_sets();
            comparison.for_each_pair(|pair, net, clicks| {
                self.dense_pairs[pair_number(pair)].count_unit(net.into(), UnitAmounts::of(clicks))
            });
        } else {
            comparison.for_each_pair(|pair, net, clicks| self.count_unit(pair, net.into(), UnitAmounts::of(clicks)));
        }
    }

    pub(super) fn count_unit(&mut self, pair: Pair, net: i32, amounts: UnitAmounts) {
        self.sparse_pairs.entry(pair).or_default().count_unit(net, amounts);
    }

    pub(super) fn expect_sets(&mut self) {
        if self.dense_pairs.is_empty() {
            self.dense_pairs = vec![Default::default(); self.rankers * (self.rankers - 1) / 2];
        }
    }

    pub(super) fn rows(self) -> Vec<DayRow> {
        let mut rows = self.sparse_pairs;
        let pairs = (1..self.rankers as u32).flat_map(|second| (0..second).map(move |first| (first, second)));
        for (pair, counts) in pairs.zip(self.dense_pairs).filter(|(_, counts)| !counts.is_empty()) {
            *rows.entry(pair).or_default() += counts;
        }
        rows.into_iter()
            .map(|(pair, PairCounts { units, impressions, amounts })| DayRow { pair, units, impressions, amounts })
            .collect()
    }
}

/// The number of a pair among all: those of a larger second come later.
pub(super) fn pair_number((first, second): Pair) -> usize {
    second as usize * (second as usize - 1) / 2 + first as usize
}

/// The counts of a day by version.
pub(super) struct VersionCounts {
    pub(super) rankers: usize,
    pub(super) versions: BTreeMap<u32, DayCounts>,
}

impl VersionCounts {
    pub(super) fn version(&mut self, version: u32) -> &mut DayCounts {
        let rankers = self.rankers;
        let new = || DayCounts { rankers, sparse_pairs: BTreeMap::new(), dense_pairs: Vec::new() };
        self.versions.entry(version).or_insert_with(new)
    }
}
