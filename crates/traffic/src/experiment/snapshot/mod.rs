//! An experiment as bytes, and back: a reader that continues from a snapshot need not fold the events before it.
//!
//! A snapshot has all state that follows from the log except units, which the caller keeps one by one ([`units`](super::units)), and no
//! marks. Equal logs give equal snapshots and units. The struct of a version never changes, nor does what it holds: `tests/fixtures` has
//! a snapshot of each. (Version 1 held all units; it was never written beside a log that is not whole, which is folded instead.) A later
//! build may be unable to read the policy's state; then another revision chooses from there on, as after any change of a policy.

pub(super) mod error;

use std::collections::{BTreeMap, VecDeque};

use bandits::open::Ticket;
use interleave::receipt::{read_page, write_page};
use serde::{Deserialize, Serialize};
use verdicts::integrity::PageCounts;
use verdicts::ledger::{OpenDays, UnitLedger};

use self::error::SnapshotError;
use super::clicks::{EventOddities, RecentlyClosed};
use super::conversions::ConversionLedger;
use super::marks::RememberedMarks;
use super::open_impressions::{OpenImpression, OpenImpressions};
use super::segments::Segments;
use super::share::Share;
use super::units::Units;
use super::{Alarm, Change, Experiment, Fates, ForgottenPart, Notices, RequestCounts, Traffic};
use crate::State;
use crate::chooser::Chooser;
use crate::event::{Choice, DayRow, Event, RecordedEvent, Time};
use crate::guards::GuardCounts;

/// The version of the bytes of an experiment with segments, or in which conversions count. Each experiment has the first version that has all
/// of it: equal logs had these bytes before there was more.
const VERSION_WITH_SEGMENTS: u8 = 4;
/// The version for another experiment with a share.
const VERSION_WITH_SHARE: u8 = 3;
/// The version for one without any of these.
const PLAIN_VERSION: u8 = 2;

/// An experiment at a place in its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The number of the last event that is in it.
    pub events: u64,
    /// The last day that is closed in it, in days since 1970-01-01.
    pub last_day: Option<i32>,
    /// Impressions before this one are closed in it.
    pub first_open: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct StateV2 {
    /// The event that created it, with its settings.
    created: Vec<u8>,
    /// The name of the chooser, and its state.
    chooser: Option<(String, Option<Vec<u8>>)>,
    /// The leader when it was last asked for since the policy learnt: a policy may answer differently later.
    leader: Option<Option<u32>>,
    state: State,
    changes: Vec<Change>,
    alarms: Vec<Alarm>,
    time: Time,
    downtime: i64,
    starts: Vec<(u64, u64)>,
    events: u64,
    sum: u64,
    open: Vec<(u64, OpenV1)>,
    due: VecDeque<(i64, u64)>,
    open_by_day: BTreeMap<i32, u64>,
    last_unit: u64,
    traffic: Traffic,
    days: OpenDays,
    rows: Vec<(i32, DayRow)>,
    pages: BTreeMap<(u32, u32), PageCounts>,
    notices: Notices,
    recently_closed: RecentlyClosed,
    last_day: Option<i32>,
    guard_counts: GuardCounts,
    fates: Fates,
    daily: BTreeMap<i32, RequestCounts>,
    hourly: VecDeque<(i64, RequestCounts)>,
    forgotten: ForgottenPart,
}

#[derive(Serialize, Deserialize)]
struct StateV3 {
    state: StateV2,
    share: Share,
}

#[derive(Serialize, Deserialize)]
struct StateV4 {
    state: StateV2,
    share: Option<Share>,
    segments: Option<Segments>,
    conversions: Option<ConversionLedger>,
}

/// An open impression.
#[derive(Serialize, Deserialize)]
struct OpenV1 {
    unit: u64,
    asked: Time,
    listed_at: Option<Time>,
    due: i64,
    choice: Choice,
    ticket: Option<Ticket>,
    receipt: Box<[u8]>,
    page: Option<Vec<u8>>,
    seen: u32,
    oddities: EventOddities,
    clicked: Vec<(u32, Time)>,
}

impl OpenV1 {
    fn of(open: &OpenImpression) -> Self {
        let OpenImpression { unit, asked, listed_at, due, choice, ticket, receipt, page, seen, oddities, clicked } =
            open;
        let page = page.as_ref().map(|page| {
            let mut bytes = Vec::new();
            write_page(page, &mut bytes);
            bytes
        });
        let (choice, receipt, clicked) = (choice.clone(), receipt.clone(), clicked.clone());
        Self {
            unit: *unit,
            asked: *asked,
            listed_at: *listed_at,
            due: *due,
            choice,
            ticket: *ticket,
            receipt,
            page,
            seen: *seen,
            oddities: *oddities,
            clicked,
        }
    }

    fn into_impression(self, has_policy: bool) -> Result<OpenImpression, SnapshotError> {
        let Self { unit, asked, listed_at, due, choice, ticket, receipt, page, seen, oddities, clicked } = self;
        let page = match page {
            None => None,
            Some(bytes) => match read_page(&bytes) {
                Some((page, [])) => Some(Box::new(page)),
                _ => return Err(SnapshotError::Damaged("a page of an impression")),
            },
        };
        // This policy does not learn from another policy's choices.
        let ticket = ticket.filter(|_| has_policy);
        Ok(OpenImpression { unit, asked, listed_at, due, choice, ticket, receipt, page, seen, oddities, clicked })
    }
}

impl Experiment {
    /// All of it but its units as bytes. Its events must have been [taken](Self::take_events).
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        debug_assert!(self.untaken_events.is_empty(), "events that were not taken are in no store");
        let config = Box::new(self.config.clone());
        let created = RecordedEvent::of(Event::Created { time: self.created, config, chooser: String::new() });
        let borrowed_state = BorrowedState {
            created: created.bytes(),
            chooser: self.chooser.as_ref().map(|chooser| (chooser.name(), chooser.state())),
            open: self.open.iter().map(|(impression, open)| (impression, OpenV1::of(open))).collect(),
            due: self.due_of_open(),
            experiment: self,
        };
        let bytes = borrowed_state.to_bytes();
        let first_open = self.open.iter().next().map_or(self.fates.asked + 1, |(first, _)| first);
        Snapshot { events: self.events, last_day: self.last_day, first_open, bytes }
    }

    /// The queue without entries that depend on when time passed last: those of impressions that are closed, or have another
    /// place.
    fn due_of_open(&self) -> VecDeque<(i64, u64)> {
        let is_current =
            |(due, impression): &(i64, u64)| self.open.get(*impression).is_some_and(|open| open.due == *due);
        self.due_queue.iter().copied().filter(is_current).collect()
    }

    /// The experiment of a snapshot; `stored` gives the states of its units that something is open of, others are
    /// [fetched](Self::fetch) when they ask. It has no marks ([`remember`](Self::remember)).
    ///
    /// # Errors
    /// If the bytes are damaged or of another version, a unit is not there, or this build refuses the settings; and those of `stored`.
    pub fn from_snapshot<E: From<SnapshotError>>(
        bytes: &[u8],
        stored: impl FnMut(u64) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Self, E> {
        let mut experiment = Self::read(bytes)?;
        experiment.fetch_open(stored)?;
        Ok(experiment)
    }

    fn read(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let (&version, body) = bytes.split_first().ok_or(SnapshotError::Damaged("it is empty"))?;
        let damaged = |_| SnapshotError::Damaged("it has values that no state has");
        let (state, share, segments, conversions) = match version {
            PLAIN_VERSION => (postcard::from_bytes::<StateV2>(body).map_err(damaged)?, None, None, None),
            VERSION_WITH_SHARE => {
                let StateV3 { state, share } = postcard::from_bytes(body).map_err(damaged)?;
                (state, Some(share), None, None)
            }
            VERSION_WITH_SEGMENTS => {
                let StateV4 { state, share, segments, conversions } = postcard::from_bytes(body).map_err(damaged)?;
                (state, share, segments, conversions)
            }
            _ => return Err(SnapshotError::Version(version)),
        };
        let Event::Created { config, time: created, .. } = RecordedEvent::read(state.created)?.into_event() else {
            return Err(SnapshotError::Damaged("it has no settings"));
        };
        if share.is_some() != Share::at_start(config.share, created).is_some() {
            return Err(SnapshotError::Damaged("its share is not that of its settings"));
        }
        if !Segments::fit(segments.as_ref(), config.segments.len()) {
            return Err(SnapshotError::Damaged("its segments are not those of its settings"));
        }
        if conversions.is_some() != config.outcomes.is_some() {
            return Err(SnapshotError::Damaged("its outcomes are not those of its settings"));
        }
        let rules = config.rules()?;
        let chooser = match state.chooser {
            Some((name, Some(known))) => {
                let found = Some(Chooser::new(&config, &rules)?).filter(|chooser| chooser.name() == name);
                found.and_then(|mut chooser| chooser.load(&known).then_some(chooser))
            }
            _ => None,
        };
        let has_policy = chooser.is_some();
        let open = state.open.into_iter().map(|(number, open)| Ok((number, open.into_impression(has_policy)?)));
        let open: Vec<(u64, OpenImpression)> = open.collect::<Result<_, SnapshotError>>()?;
        let is_ascending = open.windows(2).all(|two| two[0].0 < two[1].0);
        if !is_ascending || open.last().is_some_and(|(last, _)| *last > state.fates.asked) {
            return Err(SnapshotError::Damaged("its open impressions have no such numbers"));
        }
        Ok(Self {
            open: OpenImpressions::restored(open, state.fates.asked),
            leader: state.leader.filter(|_| has_policy),
            state: state.state,
            changes: state.changes,
            alarms: state.alarms,
            time: state.time,
            downtime: state.downtime,
            starts: state.starts,
            events: state.events,
            sum: state.sum,
            due_queue: state.due,
            open_by_day: state.open_by_day,
            last_unit: state.last_unit,
            traffic: state.traffic,
            marks: RememberedMarks::default(),
            units: UnitLedger::new(Units::default(), state.days),
            rows: state.rows,
            pages: state.pages,
            notices: state.notices,
            recently_closed: state.recently_closed,
            last_day: state.last_day,
            guard_counts: state.guard_counts,
            fates: state.fates,
            daily: state.daily,
            hourly: state.hourly,
            forgotten: state.forgotten,
            share,
            segments,
            conversions,
            untaken_events: Vec::new(),
            ..Self::with_settings(*config, rules, chooser, created)
        })
    }
}

/// A state that is written without a copy of it; field by field as [`StateV2`] to [`StateV4`], which a test holds it to.
struct BorrowedState<'a> {
    created: &'a [u8],
    chooser: Option<(String, Option<Vec<u8>>)>,
    open: Vec<(u64, OpenV1)>,
    due: VecDeque<(i64, u64)>,
    experiment: &'a Experiment,
}

impl BorrowedState<'_> {
    fn to_bytes(&self) -> Vec<u8> {
        let Self { created, chooser, open, due, experiment } = self;
        let Experiment {
            config: _,
            rules: _,
            chooser: _,
            leader,
            key: _,
            state,
            changes,
            alarms,
            created: _,
            time,
            downtime,
            starts,
            events,
            sum,
            open: _,
            due_queue: _,
            open_by_day,
            last_unit,
            traffic,
            marks: _,
            units,
            rows,
            pages,
            notices,
            recently_closed,
            last_day,
            guard_counts,
            fates,
            daily,
            hourly,
            forgotten,
            share,
            segments,
            conversions,
            untaken_events: _,
        } = experiment;
        // Postcard writes a tuple of fields as the struct of them.
        let common_fields = (
            (created, chooser, leader, state, changes, alarms, time, downtime, starts, events, sum),
            (open, due, open_by_day, last_unit, traffic, units.days(), rows, pages),
            (notices, recently_closed, last_day, guard_counts, fates, daily, hourly, forgotten),
        );
        let write_result = match (share, segments, conversions) {
            (None, None, None) => postcard::to_extend(&common_fields, vec![PLAIN_VERSION]),
            (Some(share), None, None) => postcard::to_extend(&(common_fields, share), vec![VERSION_WITH_SHARE]),
            more => postcard::to_extend(&(common_fields, more), vec![VERSION_WITH_SEGMENTS]),
        };
        match write_result {
            Ok(bytes) => bytes,
            // Lengths are known, and memory grows.
            Err(error) => unreachable!("postcard writes every state: {error}"),
        }
    }
}
