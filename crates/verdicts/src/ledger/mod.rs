//! The contribution of a unit to verdicts, day by day.
//!
//! A unit's wins minus losses of a pair, summed over the days that count, are one outcome, on the last of these days; so no user
//! who searches a lot outweighs others. Where a policy chose at every impression, such sums are not fair, because the policy ends them by
//! what it has seen: there only a unit's very first impression counts, and a unit has no outcome if that impression was set
//! aside. A unit that breaks a rule for bots is one from that day on, in all versions of an experiment; each version counts a unit
//! separately. The outcomes of a closed day never change later.
//!
//! `click-logs` counts whole logs by the same rules in parallel (`join::units`); a test holds both to the same rows.

mod comparison;
mod day_counts;
mod unit_record;

pub use comparison::{Comparison, Outcome, Pair};
pub use day_counts::DayRow;
pub use unit_record::{UnitRecord, UnitStore};

use std::collections::BTreeMap;

use self::day_counts::{DayCounts, VersionCounts, pair_number};
use self::unit_record::UnitSum;
use crate::amounts::UnitAmounts;
use crate::bots::Bots;
use crate::pair_choice::PairChoice;

/// An impression that was closed.
#[derive(Debug, Clone)]
pub struct Impression {
    /// The unit that it was shown to.
    pub unit: u64,
    /// The version of the experiment, by its number.
    pub version: u32,
    /// On which day it was shown, in days since 1970-01-01.
    pub day: i32,
    /// When it was shown, and a number that orders impressions of one moment.
    pub shown: (i64, u64),
    /// Its clicks, repeated ones included.
    pub clicks: u32,
    /// Its outcome; `None` if it was set aside, and only shows that the unit was there.
    pub comparison: Option<Comparison>,
}

/// A unit with a final outcome by clicks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledUnit {
    /// The unit.
    pub unit: u64,
    /// The version of the experiment, by its number.
    pub version: u32,
    /// The rankers that met: two, or those of a set. Empty for a bot that kept a set.
    pub arms: Vec<u32>,
    /// The only impression that counts, as [`Impression::shown`] has it; `None` if all do until the day that closed.
    pub only_impression: Option<(i64, u64)>,
    /// Whether it counts for nothing.
    pub is_bot: bool,
}

/// The units of an experiment, counted as its days close.
#[derive(Debug, Default)]
pub struct UnitLedger<S = BTreeMap<u64, UnitRecord>> {
    /// Units that count, or counted, for verdicts.
    units: S,
    days: OpenDays,
}

/// A ledger's data on days that are not closed, and how much it has counted.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct OpenDays {
    /// By day that is not closed: its impressions.
    pending: BTreeMap<i32, BTreeMap<u64, UnitDay>>,
    /// By day: the units with a sum that ends.
    ending: BTreeMap<i32, Vec<u64>>,
    tally: UnitTally,
}

impl OpenDays {
    /// The units with something not counted yet; some of them more than once.
    pub fn units(&self) -> impl Iterator<Item = u64> {
        let pending = self.pending.values().flat_map(|units| units.keys());
        pending.chain(self.ending.values().flatten()).copied()
    }

    /// Whether something of this unit, with this record, is not counted yet.
    #[must_use]
    pub fn has(&self, unit: u64, record: &UnitRecord) -> bool {
        let ends = |last: i32| self.ending.contains_key(&last);
        self.pending.values().any(|units| units.contains_key(&unit))
            || record.sums.iter().any(|(_, sum)| ends(sum.last_day))
            || record.sets.iter().any(|(_, last, _)| ends(*last))
    }
}

/// How many units there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct UnitTally {
    /// Outcomes of units that counted.
    pub counted: u64,
    /// Outcomes of units that were bots.
    pub bots: u64,
    /// Impressions that counted.
    pub impressions: u64,
    /// Impressions of bots.
    pub bot_impressions: u64,
    /// Impressions that counted, but not for their unit: that had closed.
    pub after_closing: u64,
}

/// A unit on a day.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
struct UnitDay {
    impressions: u32,
    clicks: u32,
    max_clicks: u32,
    comparisons: Vec<SeenImpression>,
}

/// A version of the experiment, when an impression of it was shown, and its outcome.
type SeenImpression = (u32, (i64, u64), Option<Comparison>);

/// How a day is closed.
#[derive(Debug, Clone, Copy)]
pub struct CountingRules<'a> {
    /// By version: how the rankers of impressions were chosen. A version that is not there counts as steered, which holds however they
    /// were chosen.
    pub choices: &'a [PairChoice],
    /// On how many days a unit counts.
    pub unit_days: u32,
    /// The rules for bots.
    pub bots: &'a Bots,
    /// How many rankers there are.
    pub rankers: usize,
}

impl CountingRules<'_> {
    fn is_steered(&self, version: u32) -> bool {
        self.choices.get(version as usize).is_none_or(|choice| *choice == PairChoice::Steered)
    }
}

impl<S: UnitStore> UnitLedger<S> {
    /// A ledger that goes on with these units and days.
    #[must_use]
    pub fn new(units: S, days: OpenDays) -> Self {
        Self { units, days }
    }

    /// The units.
    #[must_use]
    pub fn units(&self) -> &S {
        &self.units
    }

    /// The same, for changes beside the ledger's.
    pub fn units_mut(&mut self) -> &mut S {
        &mut self.units
    }

    /// The days that are not counted yet.
    #[must_use]
    pub fn days(&self) -> &OpenDays {
        &self.days
    }

    /// How many units and impressions counted, on days that are closed.
    #[must_use]
    pub fn tally(&self) -> UnitTally {
        self.days.tally
    }

    /// Forgets all units, once nothing comes any more. What was counted stays.
    pub fn forget_units(&mut self)
    where
        S: Default,
    {
        self.units = S::default();
    }

    /// Adds an impression of a day that is not closed.
    pub fn add(&mut self, impression: Impression) {
        let Impression { unit, version, day, shown, clicks, comparison } = impression;
        let unit_day = self.days.pending.entry(day).or_default().entry(unit).or_default();
        if comparison.is_some() {
            unit_day.impressions = unit_day.impressions.saturating_add(1);
            unit_day.clicks = unit_day.clicks.saturating_add(clicks);
            unit_day.max_clicks = unit_day.max_clicks.max(clicks);
        }
        unit_day.comparisons.push((version, shown, comparison));
    }

    /// The first day that has something to close.
    #[must_use]
    pub fn first_day(&self) -> Option<i32> {
        let [pending, ending] = [self.days.pending.keys().next(), self.days.ending.keys().next()];
        pending.into_iter().chain(ending).min().copied()
    }

    /// The rows of each version if all days closed now, while none has closed; `None` if more than `max_units` units came. Nothing counts
    /// yet.
    #[must_use]
    pub fn rows_so_far(&self, rules: CountingRules<'_>, max_units: usize) -> Option<BTreeMap<u32, Vec<DayRow>>> {
        if self.days.pending.values().map(BTreeMap::len).sum::<usize>() > max_units {
            return None;
        }
        let mut ledger =
            UnitLedger::new(BTreeMap::new(), OpenDays { pending: self.days.pending.clone(), ..OpenDays::default() });
        let mut rows: BTreeMap<u32, Vec<DayRow>> = BTreeMap::new();
        while let Some(day) = ledger.first_day() {
            for (version, day_rows) in ledger.close(day, rules) {
                rows.entry(version).or_default().extend(day_rows);
            }
        }
        Some(rows)
    }

    /// Closes a day; all days before it must be closed. Returns its rows of each version.
    pub fn close(&mut self, day: i32, rules: CountingRules<'_>) -> BTreeMap<u32, Vec<DayRow>> {
        self.close_with(day, rules, |_| {})
    }

    /// The same; `settled` gets each unit that ends on the day.
    pub fn close_with(
        &mut self,
        day: i32,
        rules: CountingRules<'_>,
        mut settled: impl FnMut(SettledUnit),
    ) -> BTreeMap<u32, Vec<DayRow>> {
        let mut version_counts = VersionCounts { rankers: rules.rankers, versions: BTreeMap::new() };
        for (unit, mut unit_day) in self.days.pending.remove(&day).unwrap_or_default() {
            let record = self.units.record_mut(unit);
            let [impressions, clicks, max_clicks] =
                [unit_day.impressions, unit_day.clicks, unit_day.max_clicks].map(u64::from);
            if rules.bots.are_too_many(impressions, clicks, max_clicks) {
                record.bot_from = record.bot_from.min(day);
            }
            if record.bot_from <= day {
                self.days.tally.bot_impressions += impressions;
            } else {
                self.days.tally.impressions += impressions;
                let comparisons = unit_day
                    .comparisons
                    .iter()
                    .filter_map(|(version, _, comparison)| Some((*version, comparison.as_ref()?)));
                comparisons
                    .for_each(|(version, comparison)| version_counts.version(version).count_impression(comparison));
            }
            let last_day = day.saturating_add(rules.unit_days as i32 - 1);
            let steered = unit_day.comparisons.extract_if(.., |(version, ..)| rules.is_steered(*version)).collect();
            for (version, shown, comparison) in
                close_first(record, steered, day, &mut version_counts, &mut self.days.tally)
            {
                let is_bot = record.bot_from <= day;
                settled(SettledUnit { unit, version, arms: comparison.arms(), only_impression: Some(shown), is_bot });
            }
            if add_to_sums(record, unit_day.comparisons, day, last_day, &mut self.days.tally) {
                self.days.ending.entry(last_day).or_default().push(unit);
            }
        }
        for unit in self.days.ending.remove(&day).unwrap_or_default() {
            let Some(record) = self.units.known_record_mut(unit) else { continue };
            let is_bot = record.bot_from <= day;
            let mut count = 0;
            for ((version, pair), sum) in record.sums.iter().filter(|(_, sum)| sum.last_day == day) {
                count += 1;
                settled(SettledUnit { unit, version, arms: vec![pair.0, pair.1], only_impression: None, is_bot });
                if !is_bot {
                    version_counts.version(version).count_unit(pair, sum.net_wins, sum.amounts);
                }
            }
            for (version, _, comparisons) in record.sets.iter_mut().filter(|(_, last_day, _)| *last_day == day) {
                count += 1;
                let comparisons = std::mem::take(comparisons);
                let arms = comparisons.first().map_or_else(Vec::new, Comparison::arms);
                settled(SettledUnit { unit, version: *version, arms, only_impression: None, is_bot });
                if !is_bot {
                    close_set(&comparisons, version_counts.version(*version));
                }
            }
            *(if is_bot { &mut self.days.tally.bots } else { &mut self.days.tally.counted }) += count;
        }
        version_counts.versions.into_iter().map(|(version, version_counts)| (version, version_counts.rows())).collect()
    }
}

/// Counts a unit by its first impression in each version, if that was on this day; returns those with an outcome.
fn close_first(
    record: &mut UnitRecord,
    mut comparisons: Vec<SeenImpression>,
    day: i32,
    version_counts: &mut VersionCounts,
    tally: &mut UnitTally,
) -> Vec<(u32, (i64, u64), Comparison)> {
    let is_bot = record.bot_from <= day;
    comparisons.sort_by_key(|(version, shown, _)| (*version, *shown));
    let mut firsts = Vec::new();
    for comparisons in comparisons.chunk_by_mut(|a, b| a.0 == b.0) {
        let version = comparisons[0].0;
        let is_first = !record.versions_met.contains(&version);
        let after = comparisons[usize::from(is_first)..].iter().filter(|(.., comparison)| comparison.is_some()).count();
        tally.after_closing += if is_bot { 0 } else { after as u64 };
        if !is_first {
            continue;
        }
        record.versions_met.push(version);
        let Some(first) = comparisons[0].2.take() else { continue };
        *(if is_bot { &mut tally.bots } else { &mut tally.counted }) += 1;
        if !is_bot {
            version_counts.version(version).count_only_impression(&first);
        }
        firsts.push((version, comparisons[0].1, first));
    }
    firsts
}

/// Adds a day of a unit to its sums; whether one of them began, which ends on `last_day`.
fn add_to_sums(
    record: &mut UnitRecord,
    comparisons: Vec<SeenImpression>,
    day: i32,
    last_day: i32,
    tally: &mut UnitTally,
) -> bool {
    let is_bot = record.bot_from <= day;
    let mut begins = false;
    for (version, _, comparison) in comparisons {
        let Some(comparison) = comparison else { continue };
        let end_day = match comparison {
            Comparison::Pair(pair, net, clicks) => {
                let sum = record.sums.entry((version, pair), || {
                    begins = true;
                    UnitSum { last_day, net_wins: 0, amounts: UnitAmounts::default() }
                });
                if day <= sum.last_day && !is_bot {
                    sum.net_wins += i32::from(net);
                    sum.amounts.add(clicks);
                }
                sum.last_day
            }
            Comparison::Set(..) => {
                let index = record.sets.iter().position(|(of, ..)| *of == version).unwrap_or_else(|| {
                    begins = true;
                    record.sets.push((version, last_day, Vec::new()));
                    record.sets.len() - 1
                });
                let (_, last_day, outcomes) = &mut record.sets[index];
                if day <= *last_day && !is_bot {
                    outcomes.push(comparison);
                }
                *last_day
            }
        };
        tally.after_closing += u64::from(day > end_day && !is_bot);
    }
    begins
}

/// Counts the sums of a unit that kept a set.
fn close_set(comparisons: &[Comparison], day_counts: &mut DayCounts) {
    day_counts.expect_sets();
    if let [only] = comparisons {
        return day_counts.count_only_impression(only);
    }
    // All of the same rankers in the same order.
    let mut sums: Vec<(Pair, i32, UnitAmounts)> = Vec::new();
    for comparison in comparisons {
        let mut index = 0;
        comparison.for_each_pair(|pair, net, clicks| {
            if index == sums.len() {
                sums.push((pair, 0, UnitAmounts::default()));
            }
            let (_, sum, amounts) = &mut sums[index];
            *sum += i32::from(net);
            amounts.add(clicks);
            index += 1;
        });
    }
    for (pair, sum, amounts) in sums {
        day_counts.dense_pairs[pair_number(pair)].count_unit(sum, amounts);
    }
}
