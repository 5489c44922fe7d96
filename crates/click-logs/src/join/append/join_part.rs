//! Joins one part of the records, old and new, and divides it into records that are final and records that may change.

use super::sections::Section;
use super::state::State;
use crate::error::LogError;
use crate::join::outcome::PairOutcome;
use crate::join::partitions::compact;
use crate::join::record::{CLICK_BYTES, ClickRecord, ImpressionRecord};
use crate::join::table::{ImpressionTable, for_each_group};
use crate::join::tally::Tally;
use crate::model::{Lineup, Settings};

/// The boundary between final and open records.
#[derive(Debug, Clone, Copy)]
pub(super) struct Boundary<'a> {
    pub(super) settings: &'a Settings,
    /// Impressions are open if their window ends later.
    pub(super) until: i64,
    /// The last day that cannot change any more.
    pub(super) last_day: i32,
}

impl Boundary<'_> {
    pub(super) fn is_final(self, time: i64) -> bool {
        self.settings.zone.day(time) <= self.last_day
    }
}

/// The result for one part.
pub(super) struct JoinedPart {
    /// Fates of lines: final ones, and those of the others if the log ended now.
    pub(super) tally: Tally,
    pub(super) tally_now: Tally,
    /// Outcomes of impressions that are over, and of the others, by the part of their units; and those of the first on days
    /// that are not over.
    pub(super) outcomes: Vec<Vec<u8>>,
    pub(super) outcomes_now: Vec<Vec<u8>>,
    pub(super) ahead: Vec<Vec<u8>>,
    /// Records that are kept.
    pub(super) impressions: Vec<u8>,
    pub(super) clicks: Vec<u8>,
}

/// Joins a part; `new` are the records of new lines.
pub(super) fn join_part(
    state: &State,
    boundary: Boundary<'_>,
    lineups: &[Lineup],
    part: usize,
    parts: usize,
    [new_impressions, new_clicks]: [Vec<u8>; 2],
) -> Result<JoinedPart, LogError> {
    let kept_impressions = state.section(Section::Impressions(part))?;
    let kept_clicks = state.section(Section::Clicks(part))?;
    let length: usize = ImpressionRecord::all(&kept_impressions, false).map(ImpressionRecord::length).sum();
    if length != kept_impressions.len() || !kept_clicks.len().is_multiple_of(CLICK_BYTES) {
        return Err(state.damaged_data());
    }
    let size = kept_impressions.len() + new_impressions.len();
    let all =
        || [&kept_impressions, &new_impressions].into_iter().flat_map(|bytes| ImpressionRecord::all(bytes, false));
    let mut closed_table = ImpressionTable::new(boundary.settings, boundary.until, false, size / 2);
    let mut open_table = ImpressionTable::new(boundary.settings, boundary.until, false, size);
    // An impression is over when its first line is, in any order of its lines.
    closed_table.insert_all(all().filter(|record| boundary.is_final(record.time())));
    let mut impressions = Vec::with_capacity(size);
    for_each_group(
        all().filter(|record| !boundary.is_final(record.time())),
        |record| record.id(),
        |group, ids| {
            closed_table.prefetch(ids);
            open_table.prefetch(ids);
            for &record in group {
                if closed_table.entry(record.id()).is_some() {
                    closed_table.insert(record);
                } else {
                    open_table.insert(record);
                    impressions.extend_from_slice(record.bytes());
                }
            }
        },
    );
    compact::impressions(&mut impressions);
    let mut clicks = Vec::with_capacity(kept_clicks.len() + new_clicks.len());
    let read = [&kept_clicks, &new_clicks].into_iter().flat_map(|bytes| bytes.chunks_exact(CLICK_BYTES));
    for_each_group(
        read.map(ClickRecord::read),
        |click| click.id,
        |group, ids| {
            closed_table.prefetch(ids);
            open_table.prefetch(ids);
            for &click in group {
                let is_over = || boundary.is_final(click.time) && open_table.entry(click.id).is_none();
                if closed_table.entry(click.id).is_some() || is_over() {
                    closed_table.click(click);
                } else {
                    open_table.click(click);
                    click.write(&mut clicks);
                }
            }
        },
    );
    compact::clicks(&mut clicks);
    let some = || vec![Vec::new(); parts];
    let (mut outcomes, mut outcomes_now, mut ahead) = (some(), some(), some());
    let to =
        |outcome: PairOutcome, bytes: &mut Vec<Vec<u8>>| outcome.write(&mut bytes[outcome.unit as usize & (parts - 1)]);
    let tally = closed_table.finish(
        lineups,
        |outcome| to(outcome, if outcome.day <= boundary.last_day { &mut outcomes } else { &mut ahead }),
        drop,
    );
    let tally_now = open_table.finish(lineups, |outcome| to(outcome, &mut outcomes_now), drop);
    let (tally, tally_now) = (tally.map_err(LogError::new)?.tally, tally_now.map_err(LogError::new)?.tally);
    Ok(JoinedPart { tally, tally_now, outcomes, outcomes_now, ahead, impressions, clicks })
}
