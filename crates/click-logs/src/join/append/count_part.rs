//! Counts the units of one part: their state so far, and the days that have ended since.

use std::collections::BTreeSet;

use super::join_part::Boundary;
use super::sections::Section;
use super::state::State;
use crate::error::LogError;
use crate::join::outcome::{self, PairOutcome};
use crate::join::record::{ID_BYTES, read_id, write_id};
use crate::join::tally::Tally;
use crate::join::units::{Counter, Days, LineupIndex, UnitPast};
use crate::model::UnitKind;

/// The numbers of versions in stored data, in the order of their first impressions; in results, versions are ordered by name.
pub(super) struct VersionNumbers {
    /// By the number that is kept: the one in results.
    pub(super) result_numbers: Vec<usize>,
}

impl VersionNumbers {
    pub(super) fn stored_number(&self, of_results: usize) -> usize {
        self.result_numbers.iter().position(|number| *number == of_results).unwrap_or_default()
    }

    pub(super) fn result_number(&self, kept: usize) -> Option<usize> {
        self.result_numbers.get(kept).copied()
    }
}

/// The counts of the units of a part.
pub(super) struct PartCounts {
    /// On days that are over, and on the others if the log ended now.
    pub(super) days: Days,
    pub(super) days_now: Days,
    pub(super) tally: Tally,
    pub(super) tally_now: Tally,
    /// The versions of outcomes that are over.
    pub(super) versions: BTreeSet<usize>,
    /// Units and outcomes that are kept.
    pub(super) units: Vec<u8>,
    pub(super) ahead: Vec<u8>,
}

/// New outcomes of a part, as records.
pub(super) struct NewOutcomes {
    pub(super) boundary: Vec<u8>,
    pub(super) outcomes_now: Vec<u8>,
    pub(super) ahead: Vec<u8>,
}

/// Counts a part. `last_day_now` is the last day on which all impressions are closed.
pub(super) fn count_part(
    state: &State,
    boundary: Boundary<'_>,
    last_day_now: i32,
    pairs: &LineupIndex,
    numbers: &VersionNumbers,
    part: usize,
    new_outcomes: &NewOutcomes,
) -> Result<PartCounts, LogError> {
    let length = outcome::length(false, false);
    let read = |bytes: &[u8]| bytes.chunks_exact(length).map(PairOutcome::read).collect::<Vec<_>>();
    let kept_ahead = state.section(Section::Ahead(part))?;
    let (mut closed_outcomes, mut open_outcomes) = (read(&new_outcomes.boundary), read(&new_outcomes.outcomes_now));
    let mut ahead = Vec::new();
    for outcome in read(&kept_ahead).into_iter().chain(read(&new_outcomes.ahead)) {
        if outcome.day <= boundary.last_day {
            closed_outcomes.push(outcome);
        } else {
            outcome.write(&mut ahead);
            open_outcomes.push(outcome);
        }
    }
    for outcomes in [&mut closed_outcomes, &mut open_outcomes] {
        outcomes.sort_unstable_by_key(|outcome| (outcome.unit, outcome.day));
    }
    let mut versions: BTreeSet<usize> = BTreeSet::new();
    for outcome in &closed_outcomes {
        let version = pairs.version(outcome);
        if !versions.contains(&version) {
            versions.insert(version);
        }
    }
    let counter = |last_day, says_open| Counter::new(boundary.settings, pairs, last_day, says_open);
    let (mut counter, mut counter_now) = (counter(boundary.last_day, false), counter(last_day_now, true));
    let known_units = state.section(Section::Units(part))?;
    let mut units = Vec::with_capacity(known_units.len() + known_units.len() / 8);
    let (mut units_left, mut closed_outcomes, mut open_outcomes) =
        (known_units.as_slice(), closed_outcomes.as_mut_slice(), open_outcomes.as_mut_slice());
    // An impression that is its own unit does not return.
    let are_kept = boundary.settings.unit != UnitKind::Impression;
    loop {
        let next = next_unit(state, units_left)?;
        let first =
            [closed_outcomes.first(), open_outcomes.first()].into_iter().flatten().map(|outcome| outcome.unit).min();
        let known_units = next.as_ref().map(|known_units| known_units.unit);
        let Some(unit) = [known_units, first].into_iter().flatten().min() else { break };
        let unit_closed = split_first_unit(&mut closed_outcomes, unit);
        let unit_open = split_first_unit(&mut open_outcomes, unit);
        let body = next.filter(|known_units| known_units.unit == unit).map(|known_units| {
            units_left = known_units.rest;
            known_units.body
        });
        if let Some(body) =
            body.filter(|body| unit_closed.is_empty() && unit_open.is_empty() && !UnitPast::is_written_open(body))
        {
            write_unit(unit, body, &mut units);
            continue;
        }
        let mut past = match body {
            Some(body) => {
                UnitPast::read(body, |kept| numbers.result_number(kept)).ok_or_else(|| state.damaged_data())?
            }
            None => UnitPast::default(),
        };
        if !unit_closed.is_empty() || past.has_open() {
            counter.count_unit(unit_closed, &mut past);
        }
        let is_known = !past.versions.is_empty() || past.bot_from != i32::MAX;
        if is_known && (are_kept || past.has_open()) {
            let mut body = Vec::new();
            past.write(&mut body, |version| numbers.stored_number(version));
            write_unit(unit, &body, &mut units);
        }
        if !unit_open.is_empty() || past.has_open() {
            counter_now.count_unit(unit_open, &mut past);
        }
    }
    Ok(PartCounts {
        days: counter.days,
        days_now: counter_now.days,
        tally: counter.tally,
        tally_now: counter_now.tally,
        versions,
        units,
        ahead,
    })
}

/// The outcomes of a unit, if they come next.
fn split_first_unit<'a>(outcomes: &mut &'a mut [PairOutcome], unit: u128) -> &'a mut [PairOutcome] {
    let count = outcomes.iter().take_while(|outcome| outcome.unit == unit).count();
    let (first, rest) = std::mem::take(outcomes).split_at_mut(count);
    *outcomes = rest;
    first
}

/// A unit is its id, the length of its past, and its past.
fn write_unit(unit: u128, body: &[u8], bytes: &mut Vec<u8>) {
    write_id(unit, bytes);
    ranktypes::varint::write(body.len() as u64, bytes);
    bytes.extend_from_slice(body);
}

/// A unit that is known, and the bytes behind it.
struct KnownUnit<'a> {
    unit: u128,
    body: &'a [u8],
    rest: &'a [u8],
}

/// The unit at the beginning of some bytes, if there are any.
fn next_unit<'a>(state: &State, bytes: &'a [u8]) -> Result<Option<KnownUnit<'a>>, LogError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let read = || {
        let (_, rest) = bytes.split_at_checked(ID_BYTES)?;
        let (length, rest) = ranktypes::varint::read(rest)?;
        let (body, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        Some(KnownUnit { unit: read_id(bytes), body, rest })
    };
    read().map(Some).ok_or_else(|| state.damaged_data())
}
