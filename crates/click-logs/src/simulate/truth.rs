//! The truth of a simulated log, added up while its users act.

use std::collections::{BTreeMap, BTreeSet};

use statistics::Preference;
use verdicts::amounts::{SideClicks, UnitAmounts};
use verdicts::outcomes::{Day, DayCounts};
use verdicts::{PairChoice, SaidBy, Version};

use super::SimulationSettings;
use super::orders::{ConversionTally, SimulatedFate};
use crate::join::{ClickFate, CreditedLog, ImpressionFate, Tally, UnitFate};
use crate::model::Oddities;

/// A version, a day and a pair.
type Key = (Option<String>, i32, (usize, usize));

/// How the rankers of each impression are drawn: by chance, never by outcomes.
pub(super) const PAIRS: PairChoice = PairChoice::Chance;

/// The result of a correct join, under [`rules`](super::rules).
#[derive(Debug, Clone)]
pub struct Truth {
    names: Vec<String>,
    /// The versions of the experiment that were met, by their names.
    versions: BTreeSet<Option<String>>,
    days: BTreeMap<Key, DayCounts>,
    tally: Tally,
    pub(super) conversions: ConversionTally,
    times: Option<(i64, i64)>,
    impressions: u64,
}

/// One impression of a user that counts.
#[derive(Debug, Clone)]
pub(super) struct CountedImpression {
    pub(super) version: Option<String>,
    pub(super) day: i32,
    pub(super) pair: (usize, usize),
    /// 1 if the first won, -1 if the second did.
    pub(super) net: i64,
    /// Clicks on documents of each of them, if the method determines owners.
    pub(super) sides: Option<SideClicks>,
}

/// A user's contribution to a pair of rankers.
#[derive(Debug, Clone)]
pub(super) struct CountedUnit {
    pub(super) version: Option<String>,
    pub(super) day: i32,
    pub(super) pair: (usize, usize),
    /// Wins of the first minus wins of the second.
    pub(super) net: i64,
}

impl Truth {
    pub(super) fn new(simulation: &SimulationSettings) -> Self {
        let (versions, days, tally, conversions) = Default::default();
        Self { names: simulation.names(), versions, days, tally, conversions, times: None, impressions: 0 }
    }

    /// Impressions shown, however often they were logged.
    #[must_use]
    pub fn impressions(&self) -> u64 {
        self.impressions
    }

    /// The number of lines of conversions with a fate.
    #[must_use]
    pub fn conversions(&self, fate: SimulatedFate) -> u64 {
        self.conversions.of(fate)
    }

    /// In the form of a join's result.
    #[must_use]
    pub fn credited(&self) -> CreditedLog {
        let place = |version: &Option<String>| self.versions.iter().position(|known| known == version).unwrap_or(0);
        let day = |((version, day, pair), counts): (&(_, i32, _), &DayCounts)| Day {
            version: place(version),
            day: *day,
            pair: *pair,
            counts: *counts,
        };
        let days = self.days.iter().map(day).collect();
        let version = |name: &Option<String>| Version {
            name: name.clone(),
            choice: PAIRS,
            said_by: SaidBy::Log,
            declared: Some(PAIRS),
        };
        CreditedLog {
            conversions: None,
            rankers: self.names.clone(),
            versions: self.versions.iter().map(version).collect(),
            days,
            pages: Vec::new(),
            tally: self.tally,
            times: self.times,
            beyond_end: None,
            is_synthetic: true,
            spilled: 0,
            last_closed_day: None,
            in_order: false,
            choice: PAIRS,
            said_by: SaidBy::Log,
            declared: Some(PAIRS),
            other_actions: BTreeSet::new(),
            never_met: Vec::new(),
        }
    }

    /// An impression of a version; `oddities` if it counts as far as the join knows.
    pub(super) fn shown(&mut self, time: i64, version: Option<&String>, oddities: Option<Oddities>) {
        self.impressions += 1;
        if !self.versions.contains(&version.cloned()) {
            self.versions.insert(version.cloned());
        }
        let Oddities { has_pinned, has_left_out, is_moved: _ } = oddities.unwrap_or_default();
        self.tally.with_pinned += u64::from(has_pinned);
        self.tally.with_left_out += u64::from(has_left_out);
        let (first, last) = self.times.unwrap_or((time, time));
        self.times = Some((first.min(time), last.max(time)));
    }

    pub(super) fn impression_lines(&mut self, fate: ImpressionFate, lines: u64) {
        self.tally.impressions(fate, lines);
    }

    pub(super) fn click_lines(&mut self, fate: ClickFate, lines: u64) {
        self.tally.clicks(fate, lines);
    }

    pub(super) fn clicks_in_window_of_one(&mut self, lines: u64) {
        self.tally.busiest = self.tally.busiest.max(lines);
    }

    /// The impressions of one user that count, in any order; returns the user's counts.
    pub(super) fn user(&mut self, impressions: &[CountedImpression]) -> Vec<CountedUnit> {
        let mut first: BTreeMap<(&Option<String>, (usize, usize)), i32> = BTreeMap::new();
        for CountedImpression { version, day, pair, net, .. } in impressions {
            let counts = self.days.entry((version.clone(), *day, *pair)).or_default();
            counts.impressions.record(Preference::of_net(*net as f64));
            let earliest = first.entry((version, *pair)).or_insert(*day);
            *earliest = (*day).min(*earliest);
        }
        let mut units = Vec::with_capacity(first.len());
        for (&(version, pair), &day) in &first {
            let of_pair = || {
                impressions.iter().filter(move |impression| impression.version == *version && impression.pair == pair)
            };
            let (mut net, mut amounts) = (0, UnitAmounts::default());
            for impression in of_pair().filter(|impression| impression.day == day) {
                net += impression.net;
                amounts.add(impression.sides);
            }
            let counts = self.days.entry((version.clone(), day, pair)).or_default();
            counts.units.record(Preference::of_net(net as f64));
            counts.amounts.record(amounts);
            self.tally.units(UnitFate::Counted, 1);
            self.tally.after_closing += of_pair().filter(|impression| impression.day > day).count() as u64;
            units.push(CountedUnit { version: version.clone(), day, pair, net });
        }
        units
    }

    /// A bot that met this number of pairs.
    pub(super) fn bot(&mut self, pairs: u64) {
        self.tally.units(UnitFate::Bot, pairs);
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (key, counts) in &other.days {
            let sum = self.days.entry(key.clone()).or_default();
            sum.units += counts.units;
            sum.impressions += counts.impressions;
            sum.amounts += counts.amounts;
        }
        self.versions.extend(other.versions.iter().cloned());
        self.tally += other.tally;
        self.conversions += other.conversions;
        self.impressions += other.impressions;
        for time in other.times.into_iter().flat_map(|(first, last)| [first, last]) {
            let (first, last) = self.times.unwrap_or((time, time));
            self.times = Some((first.min(time), last.max(time)));
        }
    }
}
