//! Tests of experiments on traffic, with users drawn from a seed.

mod commands;
mod conversions;
mod equality;
mod evolve;
mod exported;
mod false_alarms;
mod headlines;
mod notices;
mod replays;
mod schedules;
mod segments;
mod shares;
mod shelf;

use std::collections::BTreeMap;

use bandits::Generator;
use interleave::keyed::seed_of;
use interleave::{Doc, ListBuf, Page};
use rand::{RngExt as _, SeedableRng as _};
use replays::replayed;
use shelf::Shelf;
use traffic::{
    Appearance, ClickFate, Config, Conversion, ConversionFate, Event, Experiment, Marks, RecordedEvent, Request,
    RequestAnswer, State, UnitPosition, UnitState,
};

/// A minute in milliseconds.
pub(crate) const MINUTE: i64 = 60_000;
/// The number of every start.
pub(crate) const START: u64 = 0x0123_4567_89ab_cdef;
/// A day in milliseconds.
pub(crate) const DAY: i64 = 24 * 60 * MINUTE;

/// An experiment and its users, who return, click, turn pages, or never answer.
pub(crate) struct World {
    pub(crate) experiment: Experiment,
    pub(crate) log: Vec<RecordedEvent>,
    pub(crate) now: i64,
    generator: Generator,
    open: Vec<u64>,
    /// The marks kept beside the log, until they are forgotten.
    marks: Vec<(i64, u64, Marks)>,
    lists: Vec<ListBuf>,
    users: u64,
    crashes: u64,
    pub(crate) shelf: Shelf,
    /// How often a process continued from a snapshot.
    pub(crate) restored: u64,
    /// How many requests came from outside the experiment.
    pub(crate) outside: u64,
    /// Fates of conversions.
    pub(crate) converted: BTreeMap<String, u64>,
}

impl World {
    pub(crate) fn new(config: Config, users: u64, seed: u64) -> Self {
        let mut generator = Generator::seed_from_u64(seed);
        // A Monday.
        let now = 20_784 * DAY + 9 * 60 * MINUTE;
        let lists = (0..config.rankers.len())
            .map(|_| {
                let scores: Vec<f64> = (0..30).map(|_| f64::from(generator.random_range(0..12_u32))).collect();
                ListBuf::from_scores(&scores).unwrap()
            })
            .collect();
        let experiment = Experiment::create(config, now).unwrap();
        let mut world = Self {
            experiment,
            log: Vec::new(),
            now,
            generator,
            open: Vec::new(),
            marks: Vec::new(),
            lists,
            users,
            crashes: 0,
            shelf: Shelf::default(),
            restored: 0,
            outside: 0,
            converted: BTreeMap::new(),
        };
        world.keep();
        world
    }

    /// Takes the events of the last call into the log.
    pub(crate) fn keep(&mut self) {
        let mut has_closed = false;
        for numbered in self.experiment.take_events() {
            has_closed |= matches!(numbered.recorded.event(), Event::Day { .. });
            self.log.push(numbered.recorded);
            assert_eq!(numbered.n, self.log.len() as u64);
        }
        self.shelf.write(&mut self.experiment, self.log.len() % 3);
        if has_closed {
            self.shelf.begin(&mut self.experiment);
        }
    }

    /// A process ends, and another continues from disk.
    pub(crate) fn crash(&mut self) {
        let again = replayed(&self.log);
        assert_eq!(again.position(), self.experiment.position());
        let forgotten = self.experiment.forgotten_marks();
        // A snapshot is the fold of the log, however it was made.
        let snapshot = self.experiment.snapshot();
        assert_eq!(again.snapshot(), snapshot);
        let all: BTreeMap<u64, UnitState> = again.states().map(|state| (state.unit, state)).collect();
        assert_eq!(self.shelf.all(&self.experiment), all);
        self.crashes += 1;
        let restored = self.shelf.restored(&self.log).filter(|_| !self.crashes.is_multiple_of(4));
        self.experiment = match restored {
            Some(restored) => {
                assert_eq!((restored.position(), restored.snapshot()), (again.position(), snapshot));
                assert_eq!(self.shelf.all(&restored), all);
                self.restored += 1;
                restored
            }
            None => {
                // As one that cannot read the snapshot: it keeps none.
                self.shelf = Shelf::default();
                again
            }
        };
        self.marks.retain(|(_, impression, _)| *impression > forgotten);
        self.marks.iter().for_each(|(time, impression, marks)| self.experiment.remember(*time, *impression, *marks));
    }

    fn below(&mut self, count: u64) -> u64 {
        self.generator.random_range(0..count)
    }

    /// Something happens.
    pub(crate) fn step(&mut self) {
        self.now += self.below(90_000) as i64;
        if self.experiment.config().outcomes.is_some() && self.below(6) == 0 {
            self.convert();
        }
        match self.below(100) {
            0..40 => self.ask(),
            40..80 => self.click(),
            80..86 => {
                let Some(impression) = self.some() else { return };
                let _ = self.experiment.note_seen_places(self.now, impression, 20);
            }
            86..90 => {
                let Some(impression) = self.some() else { return };
                let page = Page::new([Some(1), None, Some(3), Some(4)]).unwrap();
                let _ = self.experiment.note_displayed_page(self.now, impression, page);
            }
            90..95 => {
                let Some(impression) = self.some() else { return };
                self.experiment.close(self.now, impression);
            }
            95..97 => {
                let Some(impression) = self.some() else { return };
                self.experiment.close_late_answer(self.now, impression);
            }
            97 => {
                self.now += self.below(3_600_000) as i64;
                self.experiment.note_start(self.now, START).unwrap();
            }
            98 if self.below(10) == 0 => {
                let to = match self.experiment.state() {
                    State::Shipped(ranker) => {
                        State::Shipped((ranker + 1) % self.experiment.config().rankers.len() as u32)
                    }
                    // Most tests are about counts before this.
                    _ if self.log.len() > 2_000 && self.below(8) == 0 => State::Shipped(1),
                    // At its date.
                    State::Ended => return self.keep(),
                    State::Running => State::Paused,
                    _ => State::Running,
                };
                self.experiment.change_state(self.now, to, "a test", "to try it").unwrap();
            }
            98 | 99 => self.odd(),
            _ => self.experiment.advance(self.now),
        }
        if self.experiment.share() < 1.0 && self.below(800) == 0 {
            let share = (self.experiment.share() + 0.05).min(1.0);
            // One that is over is refused.
            let _ = self.experiment.raise(self.now, share, "a test", "");
        }
        self.keep();
    }

    /// A unit orders a document, or sends one back; documents are named by their places.
    fn convert(&mut self) {
        let few = (self.users / 10).max(1);
        let unit = 1 + if self.below(2) == 0 { self.below(few) } else { self.below(self.users) };
        // A unit that has asked has a state, if it is not here.
        if unit > self.experiment.last_unit() || !self.experiment.takes_conversions() {
            return;
        }
        self.experiment.advance(self.now);
        self.experiment.fetch(unit, |unit| self.shelf.last(unit)).unwrap();
        let position = self.below(12).min(u64::from(self.experiment.config().depth) - 1) as u32;
        let impressions = self.experiment.impressions_of_unit(unit);
        let appearances = impressions.into_iter().map(|impression| Appearance { impression, position }).collect();
        let is_by_value = self.experiment.config().cap.is_some();
        let value = if is_by_value { [50, 100, 100, 1_250, 4_000][self.below(5) as usize] } else { 1 };
        let value = if self.below(6) == 0 { -value } else { value };
        let (order, action) = (self.below(4) as u32, self.below(2) as u32);
        let conversion = Conversion { unit, document: position + 1, order, action, value, appearances };
        let fate = self.experiment.take_conversion(self.now, conversion.clone());
        *self.converted.entry(format!("{fate:?}")).or_default() += 1;
        if fate == ConversionFate::Taken {
            let again = self.experiment.take_conversion(self.now, conversion);
            assert!(matches!(again, ConversionFate::Duplicate), "{again:?}");
        }
    }

    /// One of the last impressions.
    fn some(&mut self) -> Option<u64> {
        let recent = self.open.len().min(60) as u64;
        let back = if recent == 0 { return None } else { self.below(recent) as usize };
        self.open.iter().rev().nth(back).copied()
    }

    fn ask(&mut self) {
        // Half of all impressions are of a tenth of the users.
        let few = (self.users / 10).max(1);
        let unit = 1 + if self.below(2) == 0 { self.below(few) } else { self.below(self.users) };
        self.experiment.advance(self.now);
        if !self.experiment.admits(Some(place(unit))) {
            self.outside += 1;
            return;
        }
        let query = (self.below(3) == 0).then(|| unit << 8 | self.below(4));
        // A label that differs from visit to visit.
        let labels = self.experiment.config().segments.len() as u64;
        let segment = (unit + self.now as u64 / 7) % (labels + 1);
        let segment = segment.checked_sub(1).map(|label| label as u8);
        let request = Request { unit, marks: Marks { query, ..Marks::default() }, segment };
        self.experiment.fetch(unit, |unit| self.shelf.last(unit)).unwrap();
        let lists = &self.lists;
        let is_missing = self.generator.random_range(0..50_u32) == 0;
        let list = |ranker: u32| lists.get(ranker as usize).filter(|_| !(is_missing && ranker == 1));
        let later = self.generator.random_range(0..4_u32) == 0;
        let chosen = self.experiment.choose(self.now, &request, if later { None } else { Some(&list) });
        if let Ok(RequestAnswer::New { impression, .. }) = chosen {
            self.marks.push((self.now, impression, request.marks));
            if later && self.below(5) > 0 {
                self.now += self.below(2_000) as i64;
                let lists = &self.lists;
                let _ = self.experiment.list(self.now, impression, &|ranker| lists.get(ranker as usize));
            }
            self.open.push(impression);
        }
    }

    /// An event that does not count.
    fn odd(&mut self) {
        let Some(impression) = self.some() else { return };
        match self.below(5) {
            0 => self.experiment.note_malformed(self.now, impression),
            1 => self.experiment.note_ignored(self.now, impression),
            2 => {
                self.experiment.click_outside_list(self.now, impression, || Some(1));
            }
            _ => {
                self.experiment.click_outside_list(self.now, impression, || None);
            }
        }
    }

    fn click(&mut self) {
        let Some(impression) = self.some() else { return };
        let unit_taste = impression % 7;
        let most = u64::from(self.experiment.config().depth) - 1;
        let position = (self.below(12) * self.below(4) / 3).min(most) as u32;
        if self.below(8) > unit_taste {
            let fate = self.experiment.click(self.now, impression, position);
            assert!(fate != ClickFate::NotShown, "{fate:?}");
        }
    }
}

/// The position of a unit: any numbers that stay the same.
pub(crate) fn place(unit: u64) -> UnitPosition {
    let of = |what: &str| seed_of(&format!("{what} {unit}"));
    UnitPosition { share: of("share"), lane: of("lane") }
}

/// Two to five rankers, everything else as by default.
pub(crate) fn config(rankers: usize, policy: &str) -> Config {
    let mut config = Config::of("test", (0..rankers).map(|ranker| format!("r{ranker}")));
    config.policy = policy.to_owned();
    config.seed = 5;
    config
}

/// Documents 0, 1, 2 and so on.
pub(crate) fn list(documents: u16) -> ListBuf {
    ListBuf::strict((0..documents).map(Doc)).unwrap()
}
