//! Joins logs in the order of time: memory holds only impressions whose window is not over.
//!
//! Each file is read as far as its time comes. Impressions enter the newest of a few tables (panes); a click finds its
//! impression there as soon as all impressions up to its time have been read. When the clicks have passed the window of all
//! impressions of the oldest pane, these are credited, and only their ids, times and whether they count remain. Clicks that
//! find no impression remain too. At the end the two are joined: such a click was late, early or on an unknown impression, or
//! a line was not in its place. So the order is not trusted but checked: a line out of place ends the work, and never changes
//! a count.
//!
//! Here: the loop, its end (`classify_strays`) and why it stops (`stop_reason`). Not here: the join of a log in any order
//! (`partitions`), and the choice between the two (`credit`).

mod classify_strays;
pub(super) mod stop_reason;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use self::classify_strays::{classify_partition, write_closed};
use self::stop_reason::StopReason;
use super::conversions::{Appearance, ConversionLog};
use super::credit::Watch;
use super::encode_blocks::{EncodedBlock, LineKind};
use super::inputs::Inputs;
use super::join_state::JoinState;
use super::record::{CLICK_BYTES, ClickRecord, ImpressionRecord, write_id, write_time};
use super::spill::Spill;
use super::table::{ImpressionTable, for_each_group};
use super::tally::Tally;
use crate::error::LogError;
use crate::model::{Lineup, Settings};
use crate::read::LogFile;

/// How far lines may be out of order, in milliseconds: servers flush what they did in the last seconds.
const MAX_DISORDER: i64 = 60_000;
/// Which part of the lines at the beginning of a file may be further away: clocks of users are wrong.
const STRAY_BYTES: usize = 20;

/// A file, read as far as its time comes.
pub(super) struct Source {
    path: PathBuf,
    number: u32,
    kind: LineKind,
    /// Later lines have (almost) only later times.
    frontier: i64,
    file: Option<LogFile>,
    has_ended: bool,
}

/// The positions up to which the impressions and the clicks have been read.
#[derive(Debug, Clone, Copy)]
struct Clock {
    impressions: i64,
    clicks: i64,
}

impl Clock {
    fn of(sources: &[Source]) -> Self {
        let of = |kind| {
            let open = sources.iter().filter(|source| source.kind == kind && !source.has_ended);
            open.map(|source| source.frontier).min().unwrap_or(i64::MAX)
        };
        Self { impressions: of(LineKind::Impressions), clicks: of(LineKind::Clicks) }
    }

    /// The time up to which clicks are safe to join: their impressions have been read if they are in the log.
    fn safe(self, settings: &Settings) -> i64 {
        if self.impressions == i64::MAX {
            i64::MAX
        } else {
            self.impressions.saturating_sub(settings.skew + MAX_DISORDER)
        }
    }
}

impl JoinState<'_> {
    /// The files of a log, if the beginnings of all are in the order of time. Standard input is not checked here.
    pub(super) fn sources(&mut self, inputs: &Inputs) -> Option<Vec<Source>> {
        let mut sources = Vec::new();
        for (kind, paths) in [(LineKind::Impressions, &inputs.impressions), (LineKind::Clicks, &inputs.clicks)] {
            for (number, path) in (0..).zip(paths) {
                let is_pipe = path == Path::new("-") || !path.is_file();
                // A file that cannot be read is reported when its turn comes.
                let first = if is_pipe { Ok(i64::MIN) } else { self.first_time(path, kind) };
                let frontier = first.ok()?;
                sources.push(Source { path: path.clone(), number, kind, frontier, file: None, has_ended: false });
            }
        }
        Some(sources)
    }

    /// The time at which a file begins.
    fn first_time(&self, path: &Path, kind: LineKind) -> Result<i64, ()> {
        let block = self.open(path).and_then(|mut file| Ok((file.next_block()?, file))).map_err(drop)?;
        let (Some(block), file) = block else { return Ok(i64::MIN) };
        let order = self.block_encoder(0, kind, 1, true).encode(&block, file.format()).map_err(drop)?.order;
        let mut latest = i64::MIN;
        let is_stray = |&&time: &&i64| {
            latest = latest.max(time);
            time < latest.saturating_sub(MAX_DISORDER)
        };
        let strays = order.iter().filter(is_stray).count();
        if strays * STRAY_BYTES > order.len() { Err(()) } else { Ok(order.first().copied().unwrap_or(i64::MIN)) }
    }

    /// Joins a log in the order of time; returns the outcomes of impressions, scattered by unit.
    pub(super) fn slide(&mut self, mut sources: Vec<Source>, watch: &impl Watch) -> Result<Spill, StopReason> {
        let count = (2 * self.resources.threads.max(1)).next_power_of_two();
        let mut lanes: Vec<Lane<'_>> =
            (0..count).map(|_| Lane::new(self.settings, self.conversions, self.partition_count)).collect();
        let mut left_impressions = LeftImpressions {
            outcomes: self.spill("outcomes", 4),
            closed: self.spill("closed", 8),
            strays: self.spill("strays", 8),
        };
        // Clicks wait for their impressions, so these are read a little further.
        let ahead = self.settings.skew + 2 * MAX_DISORDER;
        let time = |source: &Source| match source.kind {
            LineKind::Impressions => source.frontier,
            LineKind::Clicks => source.frontier.saturating_add(ahead),
        };
        loop {
            let open = sources.iter_mut().filter(|source| !source.has_ended);
            let Some(source) = open.min_by_key(|source| time(source)) else { break };
            let encoded = self.next(source, count, watch)?;
            let kind = source.kind;
            self.step(&mut lanes, &mut left_impressions, kind, &encoded, Clock::of(&sources))?;
            let size =
                left_impressions.outcomes.size() + left_impressions.closed.size() + left_impressions.strays.size();
            if self.resources.disk.is_some_and(|most| size > most) {
                return Err(self.too_little_disk().into());
            }
        }
        let LeftImpressions { outcomes, closed, strays } = left_impressions;
        self.spilled += closed.written() + strays.written();
        self.classify_strays(&closed, &strays)?;
        Ok(outcomes)
    }

    /// The next lines of a file.
    fn next(
        &mut self,
        source: &mut Source,
        partition_count: usize,
        watch: &impl Watch,
    ) -> Result<Vec<EncodedBlock>, LogError> {
        let file = match &mut source.file {
            Some(file) => file,
            none => none.insert(self.open(&source.path)?),
        };
        let mut encoded_blocks = self.read(file, source.number, source.kind, partition_count, true)?;
        watch.read(file.take_bytes_read());
        match encoded_blocks.last_mut() {
            None => {
                source.has_ended = true;
                source.file = None;
            }
            Some(last) if last.order.is_empty() => {}
            Some(last) => {
                // A clock that is wrong does not move the middle of a block.
                let middle = last.order.len() / 2;
                source.frontier = source.frontier.max(*last.order.select_nth_unstable(middle).1);
            }
        }
        Ok(encoded_blocks)
    }

    /// Lets all lanes process the lines read.
    fn step(
        &mut self,
        lanes: &mut [Lane<'_>],
        left_impressions: &mut LeftImpressions,
        kind: LineKind,
        encoded_blocks: &[EncodedBlock],
        clock: Clock,
    ) -> Result<(), StopReason> {
        let lineups = self.lineups.all();
        // A file that is not read yet begins with this impression: a gap between two files does not end the log.
        let complete_until = match clock.impressions {
            i64::MAX => self.complete_until(),
            time => self.complete_until_at_least(time),
        };
        let lane_results: Vec<Result<MovedRecords, String>> = lanes
            .par_iter_mut()
            .enumerate()
            .map(|(number, lane)| {
                let records = encoded_blocks.iter().map(|encoded_blocks| encoded_blocks.records[number].as_slice());
                lane.step(kind, records, clock, &lineups, complete_until)
            })
            .collect();
        for lane_results in lane_results {
            let lane_results = lane_results.map_err(LogError::new)?;
            if lane_results.is_out_of_order {
                let why = "an impression is logged again with an earlier time, behind clicks on it";
                return Err(StopReason::OutOfOrder(why.to_owned()));
            }
            self.tally += lane_results.tally;
            self.appearances.extend(lane_results.appearances);
            left_impressions.outcomes.append_all(&lane_results.outcomes)?;
            left_impressions.closed.append_all(&lane_results.closed)?;
            left_impressions.strays.append_all(&lane_results.strays)?;
        }
        let held: u64 = lanes.iter().map(Lane::memory).sum();
        if held > self.resources.memory / 2 {
            let (mb, window) = (self.resources.memory >> 20, times::duration_text(self.settings.window));
            return Err(StopReason::OutOfOrder(format!(
                "what is shown in {window} exceeds half of the {mb} MB of memory"
            )));
        }
        Ok(())
    }

    /// Determines the fates of clicks that met no impression.
    fn classify_strays(&mut self, closed: &Spill, strays: &Spill) -> Result<(), StopReason> {
        let settings = self.settings;
        let tallies: Vec<Result<Tally, StopReason>> = (0..self.partition_count)
            .into_par_iter()
            .map(|partition| classify_partition(settings, closed, strays, partition))
            .collect();
        for tally in tallies {
            self.tally += tally?;
        }
        Ok(())
    }
}

/// Impressions that left the window.
struct LeftImpressions {
    outcomes: Spill,
    closed: Spill,
    strays: Spill,
}

/// Records that left the window of one lane in one step, by partition.
struct MovedRecords {
    /// A line was out of place: a click may have met an incomplete impression.
    is_out_of_order: bool,
    tally: Tally,
    appearances: Vec<Appearance>,
    outcomes: Vec<Vec<u8>>,
    closed: Vec<Vec<u8>>,
    strays: Vec<Vec<u8>>,
}

/// The impressions of some ids, as long as their window is not over.
struct Lane<'a> {
    settings: &'a Settings,
    conversions: Option<&'a ConversionLog>,
    partition_count: usize,
    /// Oldest first.
    panes: VecDeque<Pane<'a>>,
    /// Clicks that are ahead of the impressions.
    waiting: Vec<ClickRecord>,
    /// Bytes of the largest pane so far.
    largest: usize,
}

/// Impressions that leave together.
struct Pane<'a> {
    table: ImpressionTable<'a>,
    /// The time when it began.
    since: i64,
    /// The time of its newest impression.
    newest: i64,
}

impl<'a> Lane<'a> {
    fn new(settings: &'a Settings, conversions: Option<&'a ConversionLog>, partition_count: usize) -> Self {
        Self { settings, conversions, partition_count, panes: VecDeque::new(), waiting: Vec::new(), largest: 0 }
    }

    /// Bytes that it holds.
    fn memory(&self) -> u64 {
        let records: usize = self.panes.iter().map(|pane| pane.table.bytes()).sum();
        ImpressionTable::memory(records as u64) + (self.waiting.len() * size_of::<ClickRecord>()) as u64
    }

    fn step<'b>(
        &mut self,
        kind: LineKind,
        records: impl Iterator<Item = &'b [u8]>,
        clock: Clock,
        lineups: &[Lineup],
        complete_until: i64,
    ) -> Result<MovedRecords, String> {
        let some = || vec![Vec::new(); self.partition_count];
        let (outcomes, closed, strays) = (some(), some(), some());
        let (tally, appearances) = Default::default();
        let mut moved_records = MovedRecords { is_out_of_order: false, tally, appearances, outcomes, closed, strays };
        let safe = clock.safe(self.settings);
        match kind {
            LineKind::Impressions => {
                self.begin_pane(clock);
                let records = records.flat_map(|records| ImpressionRecord::all(records, false));
                for_each_group(
                    records,
                    |record| record.id(),
                    |group, ids| {
                        self.panes.iter().for_each(|pane| pane.table.prefetch(ids));
                        for &record in group {
                            moved_records.is_out_of_order |= self.insert(record);
                        }
                    },
                );
            }
            LineKind::Clicks => {
                let clicks = records.flat_map(|records| records.chunks_exact(CLICK_BYTES)).map(ClickRecord::read);
                for_each_group(
                    clicks,
                    |click| click.id,
                    |group, ids| {
                        self.panes.iter().for_each(|pane| pane.table.prefetch(ids));
                        for &click in group {
                            if click.time <= safe {
                                self.click(click, &mut moved_records)
                            } else {
                                self.waiting.push(click)
                            }
                        }
                    },
                );
            }
        }
        let mut waiting_clicks = std::mem::take(&mut self.waiting);
        waiting_clicks.retain(|click| {
            let waits = click.time > safe;
            if !waits {
                self.click(*click, &mut moved_records);
            }
            waits
        });
        self.waiting = waiting_clicks;
        let passed = clock.clicks.min(safe);
        while let Some(pane) = self.panes.front() {
            let ends = pane.newest.saturating_add(self.settings.window);
            // Before that time, the same impression may come again, and the log may end.
            let is_closed =
                ends.saturating_add(MAX_DISORDER) < passed && ends.saturating_add(MAX_DISORDER) <= clock.impressions;
            let is_over = clock.impressions == i64::MAX && clock.clicks == i64::MAX;
            if !is_closed && !is_over {
                break;
            }
            let pane = self.panes.pop_front().expect("it is there");
            self.close(pane, lineups, complete_until, &mut moved_records)?;
        }
        Ok(moved_records)
    }

    /// Begins another pane if the newest one has lasted as long as a window.
    fn begin_pane(&mut self, clock: Clock) {
        let lasts = self.settings.window.saturating_add(self.settings.skew + MAX_DISORDER);
        let is_full = self.panes.back().is_none_or(|pane| pane.since.saturating_add(lasts) < clock.impressions);
        if is_full {
            let table =
                ImpressionTable::new(self.settings, i64::MAX, false, self.largest).with_conversions(self.conversions);
            self.panes.push_back(Pane { table, since: clock.impressions, newest: i64::MIN });
        }
    }

    /// Adds an impression; whether clicks that were noted on it before might have another fate now.
    fn insert(&mut self, record: ImpressionRecord<'_>) -> bool {
        let (newest, older) = self.panes.make_contiguous().split_last_mut().expect("a pane has begun");
        match older.iter_mut().find(|pane| pane.table.entry(record.id()).is_some()) {
            Some(pane) => pane.table.insert(record),
            None => {
                newest.newest = newest.newest.max(record.time());
                newest.table.insert(record)
            }
        }
    }

    fn click(&mut self, click: ClickRecord, moved_records: &mut MovedRecords) {
        for pane in self.panes.iter_mut().rev() {
            if let Some(entry) = pane.table.entry(click.id) {
                pane.table.add_click(entry, click);
                return;
            }
        }
        let bytes = &mut moved_records.strays[partition_of(click.id, self.partition_count)];
        write_id(click.id, bytes);
        write_time(click.time, bytes);
    }

    fn close(
        &mut self,
        pane: Pane<'a>,
        lineups: &[Lineup],
        complete_until: i64,
        moved_records: &mut MovedRecords,
    ) -> Result<(), String> {
        let Pane { mut table, .. } = pane;
        self.largest = self.largest.max(table.bytes());
        table.set_complete_until(complete_until);
        let MovedRecords { tally, appearances, outcomes, closed, .. } = moved_records;
        let joined_table = table.finish(
            lineups,
            |outcome| outcome.write(&mut outcomes[outcome.unit as usize & (self.partition_count - 1)]),
            |impression| write_closed(impression, &mut closed[partition_of(impression.id, self.partition_count)]),
        )?;
        *tally += joined_table.tally;
        appearances.extend(joined_table.appearances);
        Ok(())
    }
}

/// The partition of an id; its lower bits chose the lane.
fn partition_of(id: u128, partition_count: usize) -> usize {
    (id >> 80) as usize & (partition_count - 1)
}
