//! Logs in any order: partitions by the hash of the impression, each joined by itself.

pub(super) mod compact;

use std::ops::Range;

use rayon::prelude::*;

use super::credit::{Inputs, Watch};
use super::encode_blocks::Kind;
use super::join_state::{JoinState, MIN_MEMORY};
use super::record::{CLICK, ClickRecord, ImpressionRecord, ORIGIN};
use super::spill::Spill;
use super::table::{Joined, Table};
use super::tally::{Aside, Traced};
use crate::error::LogError;
use crate::model::Lineup;

/// The result of one pass over a partition: the join, and its outcomes by the partition of their units.
type Passed = (Joined, Vec<Vec<u8>>);

/// A log in partitions.
struct Partitions {
    impressions: Spill,
    clicks: Spill,
}

impl Partitions {
    fn size(&self) -> u64 {
        self.impressions.size() + self.clicks.size()
    }

    fn release(&mut self, part: usize) {
        self.impressions.release(part);
        self.clicks.release(part);
    }
}

/// Lines that were set aside, as traced rows.
fn traced(asides: Vec<Aside>) -> Vec<Traced> {
    asides.into_iter().map(Traced::Aside).collect()
}

impl JoinState<'_> {
    /// Joins a log in any order; returns the outcomes of impressions, scattered by unit.
    ///
    /// If temporary files may not take as much as they would, some partitions are joined first, and the files of the log are read
    /// again for the others.
    pub(super) fn partitions(
        &mut self,
        inputs: &Inputs,
        watch: &impl Watch,
        take: &mut impl FnMut(Vec<Traced>),
    ) -> Result<Spill, LogError> {
        let mut outcomes = self.spill("outcomes", 4);
        let mut start = 0;
        while start < self.parts {
            let is_first = start == 0;
            let tally = self.tally;
            let mut ignore = |_| {};
            let malformed: &mut dyn FnMut(Vec<Traced>) = if is_first { &mut *take } else { &mut ignore };
            let (mut log, end) = self.scatter(inputs, start..self.parts, outcomes.size(), watch, malformed)?;
            if !is_first {
                // Lines that are read again were counted.
                self.tally = tally;
            }
            self.join(&mut log, start..end, &mut outcomes, watch, take)?;
            if end < self.parts {
                let share = 100 * end / self.parts;
                watch.again(&format!("{share}% is joined; reading again for the rest, because of --disk"));
            }
            start = end;
        }
        Ok(outcomes)
    }

    /// Reads all files, and keeps the records of some partitions: of those in `range`, or of as many of the first as there is room
    /// for, beside `taken` bytes; returns where these end.
    fn scatter(
        &mut self,
        inputs: &Inputs,
        range: Range<usize>,
        taken: u64,
        watch: &impl Watch,
        malformed: &mut dyn FnMut(Vec<Traced>),
    ) -> Result<(Partitions, usize), LogError> {
        // With traced places, every line has its own.
        let compacted =
            |spill: Spill, compact: fn(&mut Vec<u8>)| spill.compacted((!self.keeps_origins).then_some(compact));
        let mut log = Partitions {
            impressions: compacted(self.spill("impressions", 4), compact::impressions),
            clicks: compacted(self.spill("clicks", 8), compact::clicks),
        };
        let Range { start, mut end } = range;
        for (kind, paths) in [(Kind::Impressions, &inputs.impressions), (Kind::Clicks, &inputs.clicks)] {
            for (number, path) in (0..).zip(paths) {
                let mut file = self.open(path)?;
                loop {
                    let encoded = self.read(&mut file, number, kind, self.parts, false)?;
                    if encoded.is_empty() {
                        break;
                    }
                    for encoded in encoded {
                        match kind {
                            Kind::Impressions => log.impressions.append_some(&encoded.records, start..end)?,
                            Kind::Clicks => log.clicks.append_some(&encoded.records, start..end)?,
                        }
                        malformed(traced(encoded.asides));
                    }
                    while self.limits.disk.is_some_and(|most| taken + log.size() > most) {
                        let middle = start.midpoint(end);
                        if middle == start {
                            return Err(self.too_little_disk());
                        }
                        (middle..end).for_each(|part| log.release(part));
                        end = middle;
                    }
                    watch.read(file.bytes_taken());
                }
            }
        }
        Ok((log, end))
    }

    /// The error for temporary files that need more than they may take.
    pub(super) fn too_little_disk(&self) -> LogError {
        let megabytes = self.limits.disk.unwrap_or_default() >> 20;
        LogError::new(format!("temporary files need more than {megabytes} MB; allow more with --disk, or leave it out"))
    }

    /// Joins some partitions.
    fn join(
        &mut self,
        log: &mut Partitions,
        range: Range<usize>,
        outcomes: &mut Spill,
        watch: &impl Watch,
        take: &mut impl FnMut(Vec<Traced>),
    ) -> Result<(), LogError> {
        let lineups = self.lineups.all();
        watch.join(range.len());
        let all: Vec<usize> = range.collect();
        for group in all.chunks(self.limits.threads.max(1)) {
            let joined: Vec<Result<Vec<Passed>, LogError>> =
                group.par_iter().map(|&part| self.join_part(log, part, &lineups)).collect();
            for (joined, &part) in joined.into_iter().zip(group) {
                for (joined, records) in joined? {
                    self.tally += joined.tally;
                    self.appearances.extend(joined.appearances);
                    take(traced(joined.asides));
                    outcomes.append_all(&records)?;
                }
                log.release(part);
                watch.joined();
            }
        }
        self.spilled += log.impressions.written() + log.clicks.written();
        Ok(())
    }

    /// Joins one partition, in several passes over it if its table exceeds the memory.
    fn join_part(&self, log: &Partitions, part: usize, lineups: &[Lineup]) -> Result<Vec<Passed>, LogError> {
        let bytes = log.impressions.bytes(part);
        let room = self.limits.memory.max(MIN_MEMORY) / 2 / self.limits.threads.max(1) as u64;
        let passes = Table::memory(bytes).div_ceil(room).max(1);
        let mut joined = Vec::new();
        for pass in 0..passes {
            let is_here = |id: u128| passes == 1 || (id as u64 >> 32) % passes == pass;
            let size = (bytes / passes) as usize;
            let table = Table::new(self.settings, self.complete_until(), self.keeps_origins, size);
            let mut table = table.noting(self.conversions);
            self.each_impression(log, part, |record| {
                if is_here(record.id()) {
                    table.insert(record);
                }
            })?;
            let length = if self.keeps_origins { CLICK + ORIGIN } else { CLICK };
            log.clicks.read(part, |bytes| {
                let clicks = bytes.chunks_exact(length).map(ClickRecord::read);
                table.click_all(clicks.filter(|click| is_here(click.id)));
                bytes.len() / length * length
            })?;
            if self.keeps_origins {
                self.each_impression(log, part, |record| {
                    if is_here(record.id()) {
                        table.revisit(record);
                    }
                })?;
            }
            let mut records = vec![Vec::new(); self.parts];
            let mask = self.parts - 1;
            let taken =
                table.finish(lineups, |outcome| outcome.write(&mut records[outcome.unit as usize & mask]), drop);
            joined.push((taken.map_err(LogError::new)?, records));
        }
        Ok(joined)
    }

    fn each_impression(
        &self,
        log: &Partitions,
        part: usize,
        mut take: impl FnMut(ImpressionRecord<'_>),
    ) -> Result<(), LogError> {
        log.impressions.read(part, |bytes| {
            let mut used = 0;
            for record in ImpressionRecord::all(bytes, self.keeps_origins) {
                take(record);
                used += record.length();
            }
            used
        })
    }
}
