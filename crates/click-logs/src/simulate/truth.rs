//! The truth of a simulated log, added up as its users go.

use std::collections::{BTreeMap, BTreeSet};

use statistics::Outcome;

use super::Simulation;
use super::lines::PAIRS;
use crate::join::{ClickFate, Credited, Day, DayCounts, ImpressionFate, Tally, UnitFate};
use crate::model::{SaidBy, Version};

/// What a correct join finds, under [`rules`](super::rules).
#[derive(Debug, Clone)]
pub struct Truth {
    names: Vec<String>,
    days: BTreeMap<(i32, (usize, usize)), DayCounts>,
    tally: Tally,
    times: Option<(i64, i64)>,
    impressions: u64,
}

/// One impression of a user that counts: its day, its pair and who won it.
pub(super) type Counted = (i32, (usize, usize), i64);

impl Truth {
    pub(super) fn new(simulation: &Simulation) -> Self {
        Self { names: simulation.names(), days: BTreeMap::new(), tally: Tally::default(), times: None, impressions: 0 }
    }

    /// Impressions shown, however often they were logged.
    #[must_use]
    pub fn impressions(&self) -> u64 {
        self.impressions
    }

    /// In the form of what a join finds.
    #[must_use]
    pub fn credited(&self) -> Credited {
        let days = self.days.iter().map(|(&(day, pair), &counts)| Day { version: 0, day, pair, counts }).collect();
        Credited {
            rankers: self.names.clone(),
            versions: vec![Version { name: None, choice: PAIRS, said_by: SaidBy::Log, declared: Some(PAIRS) }],
            days,
            tally: self.tally,
            times: self.times,
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

    pub(super) fn shown(&mut self, time: i64) {
        self.impressions += 1;
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

    /// The impressions of one user that count, in any order.
    pub(super) fn user(&mut self, impressions: &[Counted]) {
        let mut first: BTreeMap<(usize, usize), i32> = BTreeMap::new();
        for &(day, pair, net) in impressions {
            let counts = self.days.entry((day, pair)).or_default();
            counts.impressions.record(Outcome::of_net(net as f64));
            let earliest = first.entry(pair).or_insert(day);
            *earliest = day.min(*earliest);
        }
        for (&pair, &day) in &first {
            let of_pair = || impressions.iter().filter(move |(_, its_pair, _)| *its_pair == pair);
            let net: i64 = of_pair().filter(|(its_day, ..)| *its_day == day).map(|(.., net)| net).sum();
            self.days.entry((day, pair)).or_default().units.record(Outcome::of_net(net as f64));
            self.tally.units(UnitFate::Counted, 1);
            self.tally.after_closing += of_pair().filter(|(its_day, ..)| *its_day > day).count() as u64;
        }
    }

    /// A bot that met this number of pairs.
    pub(super) fn bot(&mut self, pairs: u64) {
        self.tally.units(UnitFate::Bot, pairs);
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (key, counts) in &other.days {
            let sum = self.days.entry(*key).or_default();
            sum.units += counts.units;
            sum.impressions += counts.impressions;
        }
        self.tally += other.tally;
        self.impressions += other.impressions;
        for time in other.times.into_iter().flat_map(|(first, last)| [first, last]) {
            let (first, last) = self.times.unwrap_or((time, time));
            self.times = Some((first.min(time), last.max(time)));
        }
    }
}
