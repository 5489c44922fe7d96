//! The rows, independent of the database, and their checksums, which every read compares.

use serde::{Deserialize, Serialize};
use traffic::{Event, Marks, RecordedEvent, UnitState};

use super::StoreError;
use super::sum::{Column, Table, sum};
use crate::ids::{NameHash, UnitHash};

/// The kind of the events that ask for an impression.
pub(crate) const ASKED_KIND: u8 = 3;

/// The error of rows with a wrong checksum.
pub(super) const CHECKSUM_DIFFERS: &str = "its checksum is another";

/// An event, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number in the log of its experiment, from 1.
    pub n: u64,
    /// The kind of the event.
    pub kind: u8,
    /// The impression that it is about.
    pub impression: Option<u64>,
    /// The event as bytes.
    pub body: Vec<u8>,
}

/// Documents of an impression, as far as they are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownDocuments {
    /// They are.
    Shown(StoredPage),
    /// They were deleted with their unit.
    Deleted,
    /// There were never any.
    Never,
}

/// The documents of an impression, from the first place to the last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredPage {
    /// The mixed list.
    pub mixed: Vec<String>,
    /// The displayed page, where it differs.
    pub displayed: Option<DisplayedPage>,
    /// The hash of the request that brought the lists, if they came later.
    pub request: Option<u64>,
}

/// A displayed page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DisplayedPage {
    /// All documents, from the first place to the last.
    pub documents: Vec<String>,
    /// The documents that others placed there.
    pub pinned: Vec<String>,
}

impl StoredPage {
    /// Whether others placed this document on the page.
    #[must_use]
    pub fn is_pinned(&self, document: &str) -> bool {
        self.displayed.as_ref().is_some_and(|page| page.pinned.iter().any(|known| known == document))
    }

    /// The 0-based position in the mixed list of a document that was displayed and is not pinned.
    #[must_use]
    pub fn mixed_position(&self, document: &str) -> Option<usize> {
        let is_displayed = |page: &DisplayedPage| page.documents.iter().any(|known| known == document);
        if self.is_pinned(document) || !self.displayed.as_ref().is_none_or(is_displayed) {
            return None;
        }
        self.mixed.iter().position(|known| known == document)
    }
}

/// Something in a store that should not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// In one sentence.
    pub text: String,
}

/// An event to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent<'a> {
    /// The experiment's number in the store.
    pub experiment: u32,
    /// The event's number in the log of its experiment.
    pub n: u64,
    /// The kind of the event.
    pub kind: u8,
    /// The impression that it is about.
    pub impression: Option<u64>,
    /// The event as bytes.
    pub body: &'a [u8],
}

/// A complete snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotHead {
    /// The number of the last event that is in it.
    pub n: u64,
    /// The number of parts of its bytes.
    pub parts: u32,
    /// The last day that is closed in it, in days since 1970-01-01.
    pub last_day: Option<i32>,
    /// Impressions before this one are closed in it.
    pub first_open: u64,
}

/// The same, as it is written.
#[derive(Serialize, Deserialize)]
struct StoredHead {
    parts: u32,
    last_day: Option<i32>,
    first_open: u64,
}

/// A unit that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitRow {
    /// The unit with this number.
    pub hash: UnitHash,
    /// The number.
    pub number: u64,
}

/// An error for a row of an experiment with a checksum that is not its own.
fn checksum_error(experiment: u32, place: String) -> StoreError {
    StoreError::row(experiment, place, CHECKSUM_DIFFERS.to_owned())
}

/// An event, as a table has it.
#[derive(Debug)]
pub(super) struct EventRow {
    pub(super) n: i64,
    pub(super) kind: u8,
    pub(super) impression: Option<i64>,
    pub(super) body: Vec<u8>,
    pub(super) sum: i64,
}

/// Reads events in their order: the first may have any number, and then none is missing.
pub(super) struct EventsInOrder {
    experiment: u32,
    pub(super) last: u64,
    is_first: bool,
}

impl EventsInOrder {
    pub(super) fn new(experiment: u32, after: u64) -> Self {
        Self { experiment, last: after, is_first: true }
    }

    /// Where the next event is.
    pub(super) fn place(&self) -> String {
        format!("the event after number {}", self.last)
    }

    pub(super) fn next(&mut self, row: EventRow) -> Result<StoredEvent, StoreError> {
        let EventRow { n, kind, impression, body, sum } = row;
        let is_whole = sum == event_sum(self.experiment, n, kind, impression, &body);
        self.last = if std::mem::take(&mut self.is_first) { n as u64 } else { self.last + 1 };
        let place = || format!("event {}", self.last);
        if n as u64 != self.last {
            return Err(StoreError::row(self.experiment, place(), format!("the next number is {n}")));
        }
        if !is_whole {
            return Err(checksum_error(self.experiment, place()));
        }
        Ok(StoredEvent { n: n as u64, kind, impression: impression.map(|impression| impression as u64), body })
    }
}

pub(super) fn event_sum(experiment: u32, n: i64, kind: u8, impression: Option<i64>, body: &[u8]) -> i64 {
    sum(Table::Events, experiment, &[n.into(), i64::from(kind).into(), impression.into(), body.into()])
}

/// Documents of an impression, as a table has them.
#[derive(Debug, Clone, Default)]
pub(super) struct ShownRow {
    pub(super) ids: Option<String>,
    pub(super) displayed: Option<String>,
    pub(super) request: Option<i64>,
    pub(super) sum: i64,
}

impl ShownRow {
    /// The row of these documents, or of deleted ones.
    pub(super) fn of(experiment: u32, impression: u64, shown: Option<&StoredPage>) -> Result<Self, StoreError> {
        let failed = |error: serde_json::Error| StoreError::Io(error.to_string());
        let ids = shown.map(|shown| serde_json::to_string(&shown.mixed).map_err(failed)).transpose()?;
        let page = shown.and_then(|shown| shown.displayed.as_ref());
        let displayed = page.map(|page| serde_json::to_string(page).map_err(failed)).transpose()?;
        let request = shown.and_then(|shown| shown.request).map(|request| request as i64);
        let sum = shown_sum(experiment, impression, ids.as_deref(), displayed.as_deref(), request);
        Ok(Self { ids, displayed, request, sum })
    }

    /// The documents.
    pub(super) fn kept(self, experiment: u32, impression: u64) -> Result<ShownDocuments, StoreError> {
        let Self { ids, displayed, request, sum } = self;
        let place = || shown_place(impression);
        if sum != shown_sum(experiment, impression, ids.as_deref(), displayed.as_deref(), request) {
            return Err(checksum_error(experiment, place()));
        }
        let Some(ids) = ids else { return Ok(ShownDocuments::Deleted) };
        let damaged = |error: serde_json::Error| StoreError::row(experiment, place(), error.to_string());
        Ok(ShownDocuments::Shown(StoredPage {
            mixed: serde_json::from_str(&ids).map_err(damaged)?,
            displayed: displayed.map(|page| serde_json::from_str(&page).map_err(damaged)).transpose()?,
            request: request.map(|request| request as u64),
        }))
    }
}

/// Where the documents of an impression are.
pub(super) fn shown_place(impression: u64) -> String {
    format!("the documents of impression {impression}")
}

pub(super) fn shown_sum(
    experiment: u32,
    impression: u64,
    ids: Option<&str>,
    displayed: Option<&str>,
    request: Option<i64>,
) -> i64 {
    let columns = [(impression as i64).into(), ids.into(), displayed.into(), Column::from(request)];
    sum(Table::Shown, experiment, &columns)
}

/// The number of a unit, by its number and checksum as a table has them.
pub(super) fn unit_number(
    experiment: u32,
    hash: &UnitHash,
    row: Option<(i64, i64)>,
) -> Result<Option<u64>, StoreError> {
    match row {
        Some((number, known)) if known != unit_sum(experiment, hash, number) => {
            Err(checksum_error(experiment, "a unit".to_owned()))
        }
        found => Ok(found.map(|(number, _)| number as u64)),
    }
}

/// Reads units in the order of their hashes.
pub(super) struct UnitsInOrder {
    experiment: u32,
    before: Option<UnitHash>,
}

impl UnitsInOrder {
    pub(super) const PLACE: &str = "its units";

    pub(super) fn new(experiment: u32) -> Self {
        Self { experiment, before: None }
    }

    pub(super) fn next(&mut self, (hash, number, known): (Vec<u8>, i64, i64)) -> Result<UnitRow, StoreError> {
        let failed = |what: &str| StoreError::row(self.experiment, Self::PLACE.to_owned(), what.to_owned());
        let is_whole = known == unit_sum(self.experiment, &hash, number);
        let hash = UnitHash::try_from(hash.as_slice()).ok().filter(|_| is_whole);
        let hash = hash.ok_or_else(|| failed(CHECKSUM_DIFFERS))?;
        if self.before.is_some_and(|before| before >= hash) {
            return Err(failed("they are not in their order"));
        }
        self.before = Some(hash);
        Ok(UnitRow { hash, number: number as u64 })
    }
}

pub(super) fn unit_sum(experiment: u32, hash: &[u8], number: i64) -> i64 {
    sum(Table::Units, experiment, &[hash.into(), number.into()])
}

/// The marks by which an impression is found again, as columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarksRow {
    pub(super) impression: i64,
    pub(super) time: i64,
    /// Of the query, the key and the request.
    pub(super) hashes: [Option<i64>; 3],
    pub(super) sum: i64,
}

impl MarksRow {
    pub(super) const PLACE: &str = "the marks of its impressions";

    pub(super) fn of(experiment: u32, time: i64, impression: u64, marks: Marks) -> Self {
        let Marks { query, key, request } = marks;
        let hashes = [query, key, request].map(|hash| hash.map(|hash| hash as i64));
        let impression = impression as i64;
        Self { impression, time, hashes, sum: marks_sum(experiment, impression, time, hashes) }
    }

    /// When the impression was asked for, its number, and its marks.
    pub(super) fn read(self, experiment: u32) -> Result<(i64, u64, Marks), StoreError> {
        let Self { impression, time, hashes, sum } = self;
        if sum != marks_sum(experiment, impression, time, hashes) {
            return Err(checksum_error(experiment, Self::PLACE.to_owned()));
        }
        let [query, key, request] = hashes.map(|hash| hash.map(|hash| hash as u64));
        Ok((time, impression as u64, Marks { query, key, request }))
    }
}

fn marks_sum(experiment: u32, impression: i64, time: i64, hashes: [Option<i64>; 3]) -> i64 {
    let [query, key, request] = hashes.map(Column::from);
    sum(Table::Marks, experiment, &[impression.into(), time.into(), query, key, request])
}

impl SnapshotHead {
    pub(super) const PLACE: &str = "its snapshots";

    /// The head of the snapshot after event `n`, by its bytes and checksum as a table has them.
    pub(super) fn read(experiment: u32, (n, body, known): (i64, Vec<u8>, i64)) -> Result<Self, StoreError> {
        let read = (known == part_sum(experiment, n, 0, &body)).then(|| serde_json::from_slice(&body).ok());
        let StoredHead { parts, last_day, first_open } =
            read.flatten().ok_or_else(|| checksum_error(experiment, Self::PLACE.to_owned()))?;
        Ok(Self { n: n as u64, parts, last_day, first_open })
    }

    /// Its bytes.
    pub(super) fn body(&self) -> Result<Vec<u8>, StoreError> {
        let Self { parts, last_day, first_open, .. } = *self;
        serde_json::to_vec(&StoredHead { parts, last_day, first_open })
            .map_err(|error| StoreError::Io(error.to_string()))
    }

    /// Where the snapshot is.
    pub(super) fn place(&self) -> String {
        format!("its snapshot after event {}", self.n)
    }

    /// A part of the snapshot, by its bytes and checksum as a table has them.
    pub(super) fn part(&self, experiment: u32, part: i64, row: Option<(Vec<u8>, i64)>) -> Result<Vec<u8>, StoreError> {
        match row {
            Some((body, known)) if known == part_sum(experiment, self.n as i64, part, &body) => Ok(body),
            _ => Err(checksum_error(experiment, self.place())),
        }
    }
}

pub(super) fn part_sum(experiment: u32, n: i64, part: i64, body: &[u8]) -> i64 {
    sum(Table::Snapshots, experiment, &[n.into(), part.into(), body.into()])
}

/// The state of a unit, as a table has it.
#[derive(Debug)]
pub(super) struct StateRow {
    pub(super) number: i64,
    pub(super) n: i64,
    pub(super) seen: i32,
    pub(super) body: Vec<u8>,
    pub(super) sum: i64,
}

impl StateRow {
    /// The place of a unit's state.
    pub(super) fn place(number: u64) -> String {
        format!("the state of unit {number}")
    }

    pub(super) fn is_whole(&self, experiment: u32) -> bool {
        self.sum == state_sum(experiment, self.number, self.n, self.seen, &self.body)
    }

    pub(super) fn read(self, experiment: u32) -> Result<UnitState, StoreError> {
        let number = self.number as u64;
        if !self.is_whole(experiment) {
            return Err(checksum_error(experiment, Self::place(number)));
        }
        Ok(UnitState { unit: number, last_day: self.seen, bytes: self.body })
    }
}

/// Reads states of units in the order of their numbers and snapshots.
pub(super) struct StatesInOrder {
    experiment: u32,
    before: Option<(i64, i64)>,
}

impl StatesInOrder {
    pub(super) const PLACE: &str = "the states of its units";

    pub(super) fn new(experiment: u32) -> Self {
        Self { experiment, before: None }
    }

    pub(super) fn next(&mut self, row: &StateRow) -> Result<(), StoreError> {
        let at = Some((row.number, row.n));
        if !row.is_whole(self.experiment) || self.before >= at {
            return Err(checksum_error(self.experiment, Self::PLACE.to_owned()));
        }
        self.before = at;
        Ok(())
    }
}

pub(super) fn state_sum(experiment: u32, number: i64, n: i64, seen: i32, body: &[u8]) -> i64 {
    sum(Table::States, experiment, &[number.into(), n.into(), i64::from(seen).into(), body.into()])
}

/// Where names of a unit are.
pub(super) fn name_place(unit: u64) -> String {
    format!("a name of unit {unit}")
}

/// The number of a name, by its number and checksum as a table has them.
pub(super) fn name_number(
    experiment: u32,
    unit: u64,
    hash: &NameHash,
    row: Option<(i64, i64)>,
) -> Result<Option<u32>, StoreError> {
    match row {
        Some((number, known)) if known != name_sum(experiment, unit, hash, number) => {
            Err(checksum_error(experiment, name_place(unit)))
        }
        found => Ok(found.map(|(number, _)| number as u32)),
    }
}

/// Where the names of all units are.
pub(super) const NAMES_PLACE: &str = "the names of its orders";

/// Refuses a name with a checksum that is not its own: unit, hash, number, checksum.
pub(super) fn check_name(
    experiment: u32,
    (unit, hash, number, known): (i64, Vec<u8>, i64, i64),
) -> Result<(), StoreError> {
    if known != name_sum(experiment, unit as u64, &hash, number) {
        return Err(checksum_error(experiment, NAMES_PLACE.to_owned()));
    }
    Ok(())
}

pub(super) fn name_sum(experiment: u32, unit: u64, hash: &[u8], number: i64) -> i64 {
    sum(Table::Converted, experiment, &[(unit as i64).into(), hash.into(), number.into()])
}

/// Where the event is that asked for an impression.
pub(super) fn asker_place(impression: u64) -> String {
    format!("the event that asked for impression {impression}")
}

/// The unit that asked for an impression, by the number, bytes and checksum of that event.
pub(super) fn asker(experiment: u32, impression: u64, row: (i64, Vec<u8>, i64)) -> Result<u64, StoreError> {
    let (n, body, known) = row;
    if known != event_sum(experiment, n, ASKED_KIND, Some(impression as i64), &body) {
        return Err(checksum_error(experiment, asker_place(impression)));
    }
    let damaged = |what: String| StoreError::row(experiment, asker_place(impression), what);
    match RecordedEvent::read(body).map(RecordedEvent::into_event) {
        Ok(Event::Asked { unit, .. }) => Ok(unit),
        Ok(_) => Err(damaged("it is another event".to_owned())),
        Err(error) => Err(damaged(error.to_string())),
    }
}
