//! The fold: what an experiment has become.
//!
//! | module | holds |
//! |---|---|
//! | [`commands`] | what callers do: each decides on events, and lets them happen |
//! | [`clicks`] | the same of clicks, and what is odd about impressions |
//! | [`conversions`] | what units do later, such as orders, and who is credited |
//! | [`happen`] | what an event changes, whether it was decided now or read from a store |
//! | [`open`] | impressions that are open, and their credit |
//! | [`exported`] | impressions as lines of a log |
//! | [`share`] | who is in it, and the ramp |
//! | [`segments`] | units by segment, and what days say of each |
//! | [`schedule`] | when it begins and ends by itself |
//! | [`marks`] | what finds an impression again |
//! | [`snapshot`] | all of it but its units as bytes, and back |
//! | [`units`] | units, as far as they are here, and as bytes |
//! | [`close`] | what ends by itself: windows, days, and guardrails that break |

mod clicks;
mod close;
mod commands;
mod conversions;
mod exported;
mod happen;
mod look;
mod marks;
mod open;
mod schedule;
mod segments;
mod share;
mod snapshot;
mod units;

use std::collections::{BTreeMap, VecDeque};

use interleave::keyed::RunKey;
use interleave::receipt::ExperimentVersion;

use clicks::Late;
pub use clicks::{ClickFate, Notices};
pub use commands::{Chosen, Refused, Request};
use conversions::ConversionLedger;
pub use conversions::{ConversionFate, ConversionTally};
pub use exported::{Exported, ExportedConversion};
pub use happen::FoldError;
pub use marks::Marks;
use marks::Remembered;
use open::{Open, OpenImpressions};
pub use schedule::SCHEDULE;
use segments::Segments;
use share::Share;
pub use share::{Held, NextStep, Raise};
pub use snapshot::{Snapshot, SnapshotError};
pub use units::UnitState;
use units::Units;

use super::chooser::Chooser;
use super::config::Guard;
use super::config::{Config, Rules};
use super::event::{Event, Recorded, Row, State, Time};
use super::guards::Watched;
use crate::config::ConfigError;
use verdicts::integrity::PageCounts;
use verdicts::ledger::{Tally, UnitLedger};

/// An hour in milliseconds.
const HOUR: Time = 3_600_000;
/// How many hours traffic is kept for.
const HOURS: usize = 48;

/// An event and its number in the log, from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbered {
    /// The number.
    pub n: u64,
    /// The event, with its bytes.
    pub recorded: Recorded,
}

/// A change of the state, who made it, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Change {
    /// When, in milliseconds since 1970.
    pub time: Time,
    /// To what.
    pub state: State,
    /// Who.
    pub who: String,
    /// Why.
    pub why: String,
}

/// A guardrail that broke.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Alarm {
    /// When, in milliseconds since 1970.
    pub time: Time,
    /// Which ranker, by its place.
    pub ranker: u32,
    /// What is watched.
    pub guard: Guard,
    /// How many impressions or choices the ranker had then, and how many were bad.
    pub ranker_counts: [u64; 2],
    /// The same of the champion.
    pub champion_counts: [u64; 2],
}

/// How many impressions and clicks there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Fates {
    /// Impressions asked for.
    pub asked: u64,
    /// Those that are open.
    pub open: u64,
    /// Closed, and compared rankers.
    pub credited: u64,
    /// Closed, and showed the list of one ranker alone.
    pub alone: u64,
    /// A list that was needed was not there.
    pub missing: u64,
    /// No list, or no judgement, ever came.
    pub unanswered: u64,
    /// The answer came too late for the caller.
    pub answered_late: u64,
    /// Clicks that were taken.
    pub clicks: u64,
}

/// The impressions that were asked for on a day, or in an hour.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Daily {
    /// How many.
    pub asked: u64,
    /// How many of them were clicked.
    pub clicked: u64,
    /// By ranker: how many needed its list, mixed with others or alone.
    pub lists: Vec<u64>,
}

impl Daily {
    fn asked(&mut self, arms: &[u32], rankers: usize) {
        self.asked += 1;
        self.lists.resize(rankers, 0);
        for &arm in arms {
            self.lists[arm as usize] += 1;
        }
    }
}

/// Whose the impressions were, and whether anybody clicked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Traffic {
    /// How many units asked.
    pub(crate) units: u64,
    /// The most impressions of a unit.
    pub(crate) busiest: u64,
    /// Impressions that were clicked.
    pub(crate) clicked: u64,
}

/// What of a log is forgotten: the store may lack it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Forgotten {
    /// Impressions of days before this one, in days since 1970-01-01, are; `None` if nothing is.
    pub before: Option<i32>,
    /// The first events of the log, this many, are.
    pub events: u64,
}

/// An experiment: chooses rankers, mixes their lists, takes clicks, and knows who leads. It is the fold of its
/// [events](Event); nothing here reads a clock or a file.
#[derive(Debug)]
pub struct Experiment {
    config: Config,
    rules: Rules,
    /// Who chooses; `None` while another revision does.
    chooser: Option<Chooser>,
    /// Who seemed best since the policy learnt last, if somebody asked.
    leader: Option<Option<u32>>,
    key: RunKey,
    state: State,
    changes: Vec<Change>,
    alarms: Vec<Alarm>,
    created: Time,
    time: Time,
    /// How long no process had the store open, as far as open windows became longer by it.
    downtime: i64,
    /// The number of each start, after the number of the first impression that came after it.
    starts: Vec<(u64, u64)>,
    events: u64,
    sum: u64,
    open: OpenImpressions,
    /// Open impressions in the order in which their windows end: the end in time without downtime, and the number.
    due: VecDeque<(i64, u64)>,
    /// By day: how many listed impressions are open.
    open_by_day: BTreeMap<i32, u64>,
    traffic: Traffic,
    /// The highest number of a unit.
    last_unit: u64,
    /// Not part of the fold: the log has no marks.
    marks: Remembered,
    units: UnitLedger<Units>,
    rows: Vec<(i32, Row)>,
    /// What closed impressions say of their lists and clicks, by the pairs that met in them.
    pages: BTreeMap<(u32, u32), PageCounts>,
    notices: Notices,
    late: Late,
    last_day: Option<i32>,
    watched: Watched,
    fates: Fates,
    daily: BTreeMap<i32, Daily>,
    /// By hour since 1970 in the experiment's zone: the last two days.
    hourly: VecDeque<(i64, Daily)>,
    forgotten: Forgotten,
    /// Absent if all units are in it from its beginning.
    share: Option<Share>,
    /// Absent if it has none.
    segments: Option<Segments>,
    /// Absent if nothing counts that units do later.
    conversions: Option<ConversionLedger>,
    recent: Vec<Numbered>,
}

impl Experiment {
    /// Begins an experiment; one that [begins after](Config::begin_after) another is paused.
    ///
    /// # Errors
    /// If a setting is wrong, or its end has passed.
    pub fn create(config: Config, time: Time) -> Result<Self, ConfigError> {
        let config = config.resolved()?;
        let rules = config.rules()?;
        rules.check_ahead(time)?;
        let chooser = Chooser::new(&config, &rules)?;
        let name = chooser.name();
        let mut experiment = Self::empty(config.clone(), rules, Some(chooser), time);
        experiment.record(Event::Created { time, config: Box::new(config), chooser: name });
        experiment.wait_for_predecessor();
        Ok(experiment)
    }

    fn empty(config: Config, rules: Rules, chooser: Option<Chooser>, time: Time) -> Self {
        Self {
            key: RunKey::new(config.seed, config.run),
            watched: Watched::new(config.rankers.len()),
            share: Share::begun(config.share, time),
            segments: Segments::begun(config.segments.len()),
            conversions: rules.outcomes.as_ref().map(|_| ConversionLedger::default()),
            config,
            rules,
            chooser,
            leader: None,
            state: State::Running,
            changes: Vec::new(),
            alarms: Vec::new(),
            created: time,
            time,
            downtime: 0,
            starts: Vec::new(),
            events: 0,
            sum: 0,
            open: OpenImpressions::default(),
            due: VecDeque::new(),
            open_by_day: BTreeMap::new(),
            traffic: Traffic::default(),
            last_unit: 0,
            marks: Remembered::default(),
            units: UnitLedger::default(),
            rows: Vec::new(),
            pages: BTreeMap::new(),
            notices: Notices::default(),
            late: Late::default(),
            last_day: None,
            fates: Fates::default(),
            daily: BTreeMap::new(),
            hourly: VecDeque::new(),
            forgotten: Forgotten::default(),
            recent: Vec::new(),
        }
    }

    /// The resolved settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What must not change during a test.
    #[must_use]
    pub fn version(&self) -> &ExperimentVersion {
        &self.rules.version
    }

    /// Who chooses: the policy with its revision; `None` while another revision does.
    #[must_use]
    pub fn chooser(&self) -> Option<String> {
        self.chooser.as_ref().map(Chooser::name)
    }

    /// What it does with requests.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// When it was created.
    #[must_use]
    pub fn created(&self) -> Time {
        self.created
    }

    /// The time of its last event: nothing happens before it.
    #[must_use]
    pub fn time(&self) -> Time {
        self.time
    }

    /// The number of events, and the checksum of them all: equal for equal logs.
    #[must_use]
    pub fn position(&self) -> (u64, u64) {
        (self.events, self.sum)
    }

    /// The highest number of a unit that asked for an impression.
    #[must_use]
    pub fn last_unit(&self) -> u64 {
        self.last_unit
    }

    /// The last impression with marks that are forgotten because of their age. Those of earlier impressions are, too.
    #[must_use]
    pub fn forgotten_marks(&self) -> u64 {
        self.marks.forgotten()
    }

    /// Remembers the marks of an impression that was asked for at `time`, after its log was folded: in the order of impressions.
    pub fn remember(&mut self, time: Time, impression: u64, marks: Marks) {
        self.marks.add(time, impression, marks);
    }

    /// Forgets what finds these impressions again.
    pub fn forget_marks(&mut self, impressions: &[u64]) {
        self.marks.forget(impressions);
    }

    /// The number of the start in which an impression was asked for; 0 before the first start.
    #[must_use]
    pub fn start_of(&self, impression: u64) -> u64 {
        let after = self.starts.partition_point(|(first, _)| *first <= impression);
        after.checked_sub(1).map_or(0, |last| self.starts[last].1)
    }

    /// How many impressions and clicks there were.
    #[must_use]
    pub fn fates(&self) -> Fates {
        Fates { open: self.open.len() as u64, ..self.fates }
    }

    pub(crate) fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// The impressions by the day on which they were asked for, in days since 1970-01-01. Days without any are left out.
    pub fn daily(&self) -> impl Iterator<Item = (i32, &Daily)> {
        self.daily.iter().map(|(&day, daily)| (day, daily))
    }

    /// The same by the hour for the last 48 hours with any, each with the time at which it began.
    pub fn hourly(&self) -> impl Iterator<Item = (Time, &Daily)> {
        let offset = self.rules.zone.start(0);
        self.hourly.iter().map(move |(hour, daily)| (hour * HOUR + offset, daily))
    }

    /// How many units and impressions counted, on days that are closed.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.units.tally()
    }

    /// Changes of its state, in order.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Guardrails that broke, in order.
    #[must_use]
    pub fn alarms(&self) -> &[Alarm] {
        &self.alarms
    }

    /// The ranker to beat, by its place.
    #[must_use]
    pub fn champion(&self) -> u32 {
        self.rules.champion
    }

    /// The ranker whose list everybody gets where nothing is mixed, by its place: the one that was shipped, or the champion.
    #[must_use]
    pub fn fallback(&self) -> u32 {
        self.state.shipped().unwrap_or(self.rules.champion)
    }

    /// Who seems best to the policy, by its place; `None` if pairs are fixed, or it cannot say.
    #[must_use]
    pub fn leader(&self) -> Option<u32> {
        self.chooser.as_ref().and_then(Chooser::leader)
    }

    /// What the days that are closed say, by day and pair.
    #[must_use]
    pub fn rows(&self) -> &[(i32, Row)] {
        &self.rows
    }

    /// The last day that is closed, in days since 1970-01-01.
    #[must_use]
    pub fn last_day(&self) -> Option<i32> {
        self.last_day
    }

    /// What of its log is forgotten.
    #[must_use]
    pub fn forgotten(&self) -> Forgotten {
        self.forgotten
    }

    /// The events since they were last taken. Put them on disk before an answer that follows from them leaves.
    pub fn take_events(&mut self) -> Vec<Numbered> {
        std::mem::take(&mut self.recent)
    }

    /// An event that was decided now has happened.
    fn record(&mut self, event: Event) {
        let recorded = Recorded::of(event);
        self.passed(&recorded);
        self.recent.push(Numbered { n: self.events, recorded });
    }

    fn passed(&mut self, recorded: &Recorded) {
        self.events += 1;
        self.sum = recorded.sum(self.sum);
        self.time = self.time.max(recorded.event().time());
        if self.has_forgotten_units() {
            self.units.forget_units();
        }
    }

    /// Whether it has ended and all is counted: it needs its units no longer.
    fn has_forgotten_units(&self) -> bool {
        let waits = self.conversions.as_ref().is_some_and(|ledger| ledger.first_day().is_some());
        self.state.is_over() && self.open.is_empty() && self.units.first_day().is_none() && !waits
    }

    /// Whether nothing more can come of it: all of its days have closed, or close now.
    fn is_final(&self) -> bool {
        self.state.is_over() && self.open.is_empty()
    }

    /// Time that does not pass while nobody is there.
    fn up(&self, time: Time) -> i64 {
        time - self.downtime
    }

    /// The hour of a time in the experiment's zone.
    fn hour(&self, time: Time) -> i64 {
        (time - self.rules.zone.start(0)).div_euclid(HOUR)
    }

    fn day(&self, time: Time) -> i32 {
        self.rules.zone.day(time)
    }
}
