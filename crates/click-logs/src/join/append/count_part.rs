//! Counts the units of one part: their state so far, and the days that have ended since.

use std::collections::BTreeSet;

use super::join_part::Over;
use super::sections::Section;
use super::state::State;
use crate::error::LogError;
use crate::join::outcome::{self, PairOutcome};
use crate::join::record::{ID, read_id, write_id};
use crate::join::tally::Tally;
use crate::join::units::{Counter, Days, Pairs, Past};
use crate::model::UnitKind;

/// The numbers of versions in stored data, in the order of their first impressions; in results, versions are ordered by name.
pub(super) struct Numbers {
    /// By the number that is kept: the one in results.
    pub(super) of_results: Vec<usize>,
}

impl Numbers {
    pub(super) fn kept(&self, of_results: usize) -> usize {
        self.of_results.iter().position(|number| *number == of_results).unwrap_or_default()
    }

    pub(super) fn of_results(&self, kept: usize) -> Option<usize> {
        self.of_results.get(kept).copied()
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
    pub(super) over: Vec<u8>,
    pub(super) now: Vec<u8>,
    pub(super) ahead: Vec<u8>,
}

/// Counts a part. `last_day_now` is the last day on which all impressions are closed.
pub(super) fn count_part(
    state: &State,
    over: Over<'_>,
    last_day_now: i32,
    pairs: &Pairs,
    numbers: &Numbers,
    part: usize,
    new: &NewOutcomes,
) -> Result<PartCounts, LogError> {
    let length = outcome::length(false, false);
    let read = |bytes: &[u8]| bytes.chunks_exact(length).map(PairOutcome::read).collect::<Vec<_>>();
    let kept_ahead = state.section(Section::Ahead(part))?;
    let (mut done, mut now) = (read(&new.over), read(&new.now));
    let mut ahead = Vec::new();
    for outcome in read(&kept_ahead).into_iter().chain(read(&new.ahead)) {
        if outcome.day <= over.last_day {
            done.push(outcome);
        } else {
            outcome.write(&mut ahead);
            now.push(outcome);
        }
    }
    for outcomes in [&mut done, &mut now] {
        outcomes.sort_unstable_by_key(|outcome| (outcome.unit, outcome.day));
    }
    let mut versions: BTreeSet<usize> = BTreeSet::new();
    for outcome in &done {
        let version = pairs.version(outcome);
        if !versions.contains(&version) {
            versions.insert(version);
        }
    }
    let counter = |last_day, says_open| Counter::new(over.settings, pairs, last_day, says_open);
    let (mut counter, mut counter_now) = (counter(over.last_day, false), counter(last_day_now, true));
    let known = state.section(Section::Units(part))?;
    let mut units = Vec::with_capacity(known.len() + known.len() / 8);
    let (mut rest, mut done, mut now) = (known.as_slice(), done.as_mut_slice(), now.as_mut_slice());
    // An impression that is its own unit does not return.
    let are_kept = over.settings.unit != UnitKind::Impression;
    loop {
        let next = next_unit(state, rest)?;
        let first = [done.first(), now.first()].into_iter().flatten().map(|outcome| outcome.unit).min();
        let known = next.as_ref().map(|known| known.unit);
        let Some(unit) = [known, first].into_iter().flatten().min() else { break };
        let of_done = split_first_unit(&mut done, unit);
        let of_now = split_first_unit(&mut now, unit);
        let body = next.filter(|known| known.unit == unit).map(|known| {
            rest = known.after;
            known.body
        });
        if let Some(body) = body.filter(|body| of_done.is_empty() && of_now.is_empty() && !Past::is_written_open(body))
        {
            write_unit(unit, body, &mut units);
            continue;
        }
        let mut past = match body {
            Some(body) => Past::read(body, |kept| numbers.of_results(kept)).ok_or_else(|| state.damaged_data())?,
            None => Past::default(),
        };
        if !of_done.is_empty() || past.has_open() {
            counter.count_unit(of_done, &mut past);
        }
        let is_known = !past.met.is_empty() || past.bot_from != i32::MAX;
        if is_known && (are_kept || past.has_open()) {
            let mut body = Vec::new();
            past.write(&mut body, |version| numbers.kept(version));
            write_unit(unit, &body, &mut units);
        }
        if !of_now.is_empty() || past.has_open() {
            counter_now.count_unit(of_now, &mut past);
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
    after: &'a [u8],
}

/// The unit at the beginning of some bytes, if there are any.
fn next_unit<'a>(state: &State, bytes: &'a [u8]) -> Result<Option<KnownUnit<'a>>, LogError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let read = || {
        let (_, rest) = bytes.split_at_checked(ID)?;
        let (length, rest) = ranktypes::varint::read(rest)?;
        let (body, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        Some(KnownUnit { unit: read_id(bytes), body, after })
    };
    read().map(Some).ok_or_else(|| state.damaged_data())
}
