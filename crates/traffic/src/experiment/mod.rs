//! Experiment state, derived from its events.
//!
//! | module | holds |
//! |---|---|
//! | [`commands`] | commands of callers: each decides on events and applies them |
//! | [`clicks`] | the same for clicks, and oddities of impressions |
//! | [`conversions`] | later actions of units, such as orders, and their credit |
//! | [`fold`] | applies an event, whether new or read from a store |
//! | [`open_impressions`] | impressions that are open, and their credit |
//! | [`export`] | impressions as lines of a log |
//! | [`share`] | the share of units, and the ramp |
//! | [`segments`] | units by segment, and the counts of days for each |
//! | [`schedule`] | automatic start and end |
//! | [`marks`] | hashes that find an impression again |
//! | [`snapshot`] | the state without units as bytes, and back |
//! | [`units`] | units, as far as they are here, and as bytes |
//! | [`close`] | automatic ends: windows, days, and guardrails that break |

mod clicks;
mod close;
mod commands;
mod conversions;
mod export;
mod fold;
mod marks;
mod open_impressions;
mod queries;
mod schedule;
mod segments;
mod share;
mod snapshot;
mod units;

use std::collections::{BTreeMap, VecDeque};

use interleave::keyed::RunKey;
use interleave::receipt::ExperimentVersion;

use clicks::RecentlyClosed;
pub use clicks::{ClickFate, Notices};
pub use commands::{CommandError, Request, RequestAnswer};
use conversions::ConversionLedger;
pub use conversions::{ConversionFate, ConversionTally};
pub use export::{ExportedConversion, ExportedImpression};
pub use fold::FoldError;
pub use marks::Marks;
use marks::RememberedMarks;
use open_impressions::{OpenImpression, OpenImpressions};
pub use schedule::SCHEDULE;
use segments::Segments;
use share::Share;
pub use share::{HoldReason, NextStep, Raise};
pub use snapshot::Snapshot;
pub use snapshot::error::SnapshotError;
pub use units::UnitState;
use units::Units;

use super::chooser::Chooser;
use super::config::Guard;
use super::config::{Config, Rules};
use super::event::{DayRow, Event, RecordedEvent, State, Time};
use super::guards::GuardCounts;
use crate::config::ConfigError;
use verdicts::integrity::PageCounts;
use verdicts::ledger::{UnitLedger, UnitTally};

/// An hour in milliseconds.
const HOUR: Time = 3_600_000;
/// The number of hours that traffic is kept for.
const HOURS: usize = 48;

/// An event and its number in the log, from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberedEvent {
    /// The number.
    pub n: u64,
    /// The event, with its bytes.
    pub recorded: RecordedEvent,
}

/// A change of the state, with its author and reason.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Change {
    /// When, in milliseconds since 1970.
    pub time: Time,
    /// The new state.
    pub state: State,
    /// The name of the person or process that changed it.
    pub who: String,
    /// The reason.
    pub why: String,
}

/// A guardrail that broke.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Alarm {
    /// When, in milliseconds since 1970.
    pub time: Time,
    /// The ranker, by its place.
    pub ranker: u32,
    /// The guardrail.
    pub guard: Guard,
    /// The ranker's impressions or choices at that time: how many, and how many were bad.
    pub ranker_counts: [u64; 2],
    /// The same of the champion.
    pub champion_counts: [u64; 2],
}

/// Numbers of impressions and clicks.
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
pub struct RequestCounts {
    /// Their number.
    pub asked: u64,
    /// The number of them that were clicked.
    pub clicked: u64,
    /// By ranker: how many needed its list, mixed with others or alone.
    pub lists: Vec<u64>,
}

impl RequestCounts {
    fn add_request(&mut self, arms: &[u32], rankers: usize) {
        self.asked += 1;
        self.lists.resize(rankers, 0);
        for &arm in arms {
            self.lists[arm as usize] += 1;
        }
    }
}

/// Counts of units and of clicked impressions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Traffic {
    /// The number of units that asked.
    pub(crate) units: u64,
    /// The most impressions of a unit.
    pub(crate) busiest: u64,
    /// Impressions that were clicked.
    pub(crate) clicked: u64,
}

/// The part of a log that is forgotten: the store may lack it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ForgottenPart {
    /// Impressions of days before this one, in days since 1970-01-01, are; `None` if nothing is.
    pub before: Option<i32>,
    /// The first events of the log, this many, are.
    pub events: u64,
}

/// An experiment: chooses rankers, mixes their lists, takes clicks, and tracks the leader. Its state is derived from
/// its [events](Event); nothing here reads a clock or a file.
#[derive(Debug)]
pub struct Experiment {
    config: Config,
    rules: Rules,
    /// The chooser; `None` while another revision chooses.
    chooser: Option<Chooser>,
    /// The leader since the policy learnt last, if it was asked for.
    leader: Option<Option<u32>>,
    key: RunKey,
    state: State,
    changes: Vec<Change>,
    alarms: Vec<Alarm>,
    created: Time,
    time: Time,
    /// The total time without a running process, as far as open windows were extended for it.
    downtime: i64,
    /// The number of each start, after the number of the first impression that came after it.
    starts: Vec<(u64, u64)>,
    events: u64,
    sum: u64,
    open: OpenImpressions,
    /// Open impressions in the order in which their windows end: the end in time without downtime, and the number.
    due_queue: VecDeque<(i64, u64)>,
    /// By day: how many listed impressions are open.
    open_by_day: BTreeMap<i32, u64>,
    traffic: Traffic,
    /// The highest number of a unit.
    last_unit: u64,
    /// Not part of the fold: the log has no marks.
    marks: RememberedMarks,
    units: UnitLedger<Units>,
    rows: Vec<(i32, DayRow)>,
    /// Counts of the lists and clicks of closed impressions, by the pairs that met in them.
    pages: BTreeMap<(u32, u32), PageCounts>,
    notices: Notices,
    recently_closed: RecentlyClosed,
    last_day: Option<i32>,
    guard_counts: GuardCounts,
    fates: Fates,
    daily: BTreeMap<i32, RequestCounts>,
    /// By hour since 1970 in the experiment's zone: the last two days.
    hourly: VecDeque<(i64, RequestCounts)>,
    forgotten: ForgottenPart,
    /// Absent if all units are in it from its beginning.
    share: Option<Share>,
    /// Absent if it has none.
    segments: Option<Segments>,
    /// Absent if nothing counts that units do later.
    conversions: Option<ConversionLedger>,
    untaken_events: Vec<NumberedEvent>,
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
        let mut experiment = Self::with_settings(config.clone(), rules, Some(chooser), time);
        experiment.record(Event::Created { time, config: Box::new(config), chooser: name });
        experiment.wait_for_predecessor();
        Ok(experiment)
    }

    fn with_settings(config: Config, rules: Rules, chooser: Option<Chooser>, time: Time) -> Self {
        Self {
            key: RunKey::new(config.seed, config.run),
            guard_counts: GuardCounts::new(config.rankers.len()),
            share: Share::at_start(config.share, time),
            segments: Segments::at_start(config.segments.len()),
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
            due_queue: VecDeque::new(),
            open_by_day: BTreeMap::new(),
            traffic: Traffic::default(),
            last_unit: 0,
            marks: RememberedMarks::default(),
            units: UnitLedger::default(),
            rows: Vec::new(),
            pages: BTreeMap::new(),
            notices: Notices::default(),
            recently_closed: RecentlyClosed::default(),
            last_day: None,
            fates: Fates::default(),
            daily: BTreeMap::new(),
            hourly: VecDeque::new(),
            forgotten: ForgottenPart::default(),
            untaken_events: Vec::new(),
        }
    }

    /// The resolved settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The version of the experiment: all that must not change during a test.
    #[must_use]
    pub fn version(&self) -> &ExperimentVersion {
        &self.rules.version
    }

    /// The chooser: the policy with its revision; `None` while another revision chooses.
    #[must_use]
    pub fn chooser(&self) -> Option<String> {
        self.chooser.as_ref().map(Chooser::name)
    }

    /// Its state.
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

    /// Forgets the marks of these impressions.
    pub fn forget_marks(&mut self, impressions: &[u64]) {
        self.marks.forget(impressions);
    }

    /// The number of the start in which an impression was asked for; 0 before the first start.
    #[must_use]
    pub fn start_number(&self, impression: u64) -> u64 {
        let after = self.starts.partition_point(|(first, _)| *first <= impression);
        after.checked_sub(1).map_or(0, |last| self.starts[last].1)
    }

    /// Numbers of impressions and clicks.
    #[must_use]
    pub fn fates(&self) -> Fates {
        Fates { open: self.open.len() as u64, ..self.fates }
    }

    pub(crate) fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// The impressions by the day on which they were asked for, in days since 1970-01-01. Days without any are left out.
    pub fn daily(&self) -> impl Iterator<Item = (i32, &RequestCounts)> {
        self.daily.iter().map(|(&day, daily)| (day, daily))
    }

    /// The same by the hour for the last 48 hours with any, each with the time at which it began.
    pub fn hourly(&self) -> impl Iterator<Item = (Time, &RequestCounts)> {
        let offset = self.rules.zone.start(0);
        self.hourly.iter().map(move |(hour, daily)| (hour * HOUR + offset, daily))
    }

    /// The numbers of units and impressions that counted, on days that are closed.
    #[must_use]
    pub fn tally(&self) -> UnitTally {
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

    /// The ranker that provides the list where nothing is mixed, by its place: the one that was shipped, or the champion.
    #[must_use]
    pub fn fallback(&self) -> u32 {
        self.state.shipped().unwrap_or(self.rules.champion)
    }

    /// The ranker that the policy considers best, by its place; `None` if pairs are fixed, or the policy has none.
    #[must_use]
    pub fn leader(&self) -> Option<u32> {
        self.chooser.as_ref().and_then(Chooser::leader)
    }

    /// The rows of closed days, by day and pair.
    #[must_use]
    pub fn rows(&self) -> &[(i32, DayRow)] {
        &self.rows
    }

    /// The last day that is closed, in days since 1970-01-01.
    #[must_use]
    pub fn last_day(&self) -> Option<i32> {
        self.last_day
    }

    /// The forgotten part of its log.
    #[must_use]
    pub fn forgotten(&self) -> ForgottenPart {
        self.forgotten
    }

    /// The events since they were last taken. Put them on disk before an answer that follows from them leaves.
    pub fn take_events(&mut self) -> Vec<NumberedEvent> {
        std::mem::take(&mut self.untaken_events)
    }

    /// An event that was decided now has happened.
    fn record(&mut self, event: Event) {
        let recorded = RecordedEvent::of(event);
        self.advance_clock(&recorded);
        self.untaken_events.push(NumberedEvent { n: self.events, recorded });
    }

    fn advance_clock(&mut self, recorded: &RecordedEvent) {
        self.events += 1;
        self.sum = recorded.sum(self.sum);
        self.time = self.time.max(recorded.event().time());
        if self.has_forgotten_units() {
            self.units.forget_units();
        }
    }

    /// Whether it has ended and all is counted: it no longer needs its units.
    fn has_forgotten_units(&self) -> bool {
        let waits = self.conversions.as_ref().is_some_and(|ledger| ledger.first_day().is_some());
        self.state.is_over() && self.open.is_empty() && self.units.first_day().is_none() && !waits
    }

    /// Whether no more outcomes can come: all of its days have closed, or close now.
    fn is_final(&self) -> bool {
        self.state.is_over() && self.open.is_empty()
    }

    /// Time without downtime.
    fn uptime(&self, time: Time) -> i64 {
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
