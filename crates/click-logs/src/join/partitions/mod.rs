//! Logs in any order: partitions by the hash of the impression, each joined by itself.

pub(super) mod compact;

use std::ops::Range;

use rayon::prelude::*;

use super::credit::Watch;
use super::encode_blocks::LineKind;
use super::inputs::Inputs;
use super::join_state::{JoinState, MIN_MEMORY};
use super::record::{CLICK_BYTES, ClickRecord, ImpressionRecord, ORIGIN_BYTES};
use super::spill::Spill;
use super::table::{ImpressionTable, JoinedTable};
use super::tally::{Aside, Trace};
use crate::error::LogError;
use crate::model::Lineup;

/// The result of one pass over a partition: the join, and its outcomes by the partition of their units.
type PassResult = (JoinedTable, Vec<Vec<u8>>);

/// A log in partitions.
struct Partitions {
    impressions: Spill,
    clicks: Spill,
}

impl Partitions {
    fn size(&self) -> u64 {
        self.impressions.size() + self.clicks.size()
    }

    fn release(&mut self, partition: usize) {
        self.impressions.release(partition);
        self.clicks.release(partition);
    }
}

/// Lines that were set aside, as traced rows.
fn traces_of(asides: Vec<Aside>) -> Vec<Trace> {
    asides.into_iter().map(Trace::Aside).collect()
}

impl JoinState<'_> {
    /// Joins a log in any order; returns the outcomes of impressions, scattered by unit.
    ///
    /// If temporary files may not take as much as they would, some partitions are joined first, and the files of the log are read
    /// again for the others.
    pub(super) fn join_in_partitions(
        &mut self,
        inputs: &Inputs,
        watch: &impl Watch,
        take: &mut impl FnMut(Vec<Trace>),
    ) -> Result<Spill, LogError> {
        let mut outcomes = self.spill("outcomes", 4);
        let mut start = 0;
        while start < self.partition_count {
            let is_first = start == 0;
            let tally = self.tally;
            let mut ignore = |_| {};
            let malformed: &mut dyn FnMut(Vec<Trace>) = if is_first { &mut *take } else { &mut ignore };
            let (mut log, end) =
                self.scatter(inputs, start..self.partition_count, outcomes.size(), watch, malformed)?;
            if !is_first {
                // Lines that are read again were counted.
                self.tally = tally;
            }
            self.join(&mut log, start..end, &mut outcomes, watch, take)?;
            if end < self.partition_count {
                let share = 100 * end / self.partition_count;
                watch.reading_again(&format!("{share}% is joined; reading again for the rest, because of --disk"));
            }
            start = end;
        }
        Ok(outcomes)
    }

    /// Reads all files, and keeps the records of some partitions: of those in `range`, or of as many of the first as there is room
    /// for, beside `bytes_on_disk` bytes; returns where these end.
    fn scatter(
        &mut self,
        inputs: &Inputs,
        range: Range<usize>,
        bytes_on_disk: u64,
        watch: &impl Watch,
        malformed: &mut dyn FnMut(Vec<Trace>),
    ) -> Result<(Partitions, usize), LogError> {
        // With traced places, every line has its own.
        let compacted =
            |spill: Spill, compact: fn(&mut Vec<u8>)| spill.with_compaction((!self.keeps_origins).then_some(compact));
        let mut log = Partitions {
            impressions: compacted(self.spill("impressions", 4), compact::impressions),
            clicks: compacted(self.spill("clicks", 8), compact::clicks),
        };
        let Range { start, mut end } = range;
        for (kind, paths) in [(LineKind::Impressions, &inputs.impressions), (LineKind::Clicks, &inputs.clicks)] {
            for (number, path) in (0..).zip(paths) {
                let mut file = self.open(path)?;
                loop {
                    let encoded_blocks = self.read(&mut file, number, kind, self.partition_count, false)?;
                    if encoded_blocks.is_empty() {
                        break;
                    }
                    for encoded_block in encoded_blocks {
                        match kind {
                            LineKind::Impressions => log.impressions.append_some(&encoded_block.records, start..end)?,
                            LineKind::Clicks => log.clicks.append_some(&encoded_block.records, start..end)?,
                        }
                        malformed(traces_of(encoded_block.asides));
                    }
                    while self.resources.disk.is_some_and(|most| bytes_on_disk + log.size() > most) {
                        let middle = start.midpoint(end);
                        if middle == start {
                            return Err(self.too_little_disk());
                        }
                        (middle..end).for_each(|partition| log.release(partition));
                        end = middle;
                    }
                    watch.read(file.take_bytes_read());
                }
            }
        }
        Ok((log, end))
    }

    /// The error for temporary files that need more than they may take.
    pub(super) fn too_little_disk(&self) -> LogError {
        let megabytes = self.resources.disk.unwrap_or_default() >> 20;
        LogError::new(format!("temporary files need more than {megabytes} MB; allow more with --disk, or leave it out"))
    }

    /// Joins some partitions.
    fn join(
        &mut self,
        log: &mut Partitions,
        range: Range<usize>,
        outcomes: &mut Spill,
        watch: &impl Watch,
        take: &mut impl FnMut(Vec<Trace>),
    ) -> Result<(), LogError> {
        let lineups = self.lineups.all();
        watch.join(range.len());
        let all: Vec<usize> = range.collect();
        for group in all.chunks(self.resources.threads.max(1)) {
            let partition_results: Vec<Result<Vec<PassResult>, LogError>> =
                group.par_iter().map(|&partition| self.join_partition(log, partition, &lineups)).collect();
            for (pass_results, &partition) in partition_results.into_iter().zip(group) {
                for (joined, records) in pass_results? {
                    self.tally += joined.tally;
                    self.appearances.extend(joined.appearances);
                    take(traces_of(joined.asides));
                    outcomes.append_all(&records)?;
                }
                log.release(partition);
                watch.partition_joined();
            }
        }
        self.spilled += log.impressions.written() + log.clicks.written();
        Ok(())
    }

    /// Joins one partition, in several passes over it if its table exceeds the memory.
    fn join_partition(
        &self,
        log: &Partitions,
        partition: usize,
        lineups: &[Lineup],
    ) -> Result<Vec<PassResult>, LogError> {
        let bytes = log.impressions.bytes(partition);
        let room = self.resources.memory.max(MIN_MEMORY) / 2 / self.resources.threads.max(1) as u64;
        let passes = ImpressionTable::memory(bytes).div_ceil(room).max(1);
        let mut pass_results = Vec::new();
        for pass in 0..passes {
            let is_here = |id: u128| passes == 1 || (id as u64 >> 32) % passes == pass;
            let size = (bytes / passes) as usize;
            let table = ImpressionTable::new(self.settings, self.complete_until(), self.keeps_origins, size);
            let mut table = table.with_conversions(self.conversions);
            self.each_impression(log, partition, |record| {
                if is_here(record.id()) {
                    table.insert(record);
                }
            })?;
            let length = if self.keeps_origins { CLICK_BYTES + ORIGIN_BYTES } else { CLICK_BYTES };
            log.clicks.read(partition, |bytes| {
                let clicks = bytes.chunks_exact(length).map(ClickRecord::read);
                table.click_all(clicks.filter(|click| is_here(click.id)));
                bytes.len() / length * length
            })?;
            if self.keeps_origins {
                self.each_impression(log, partition, |record| {
                    if is_here(record.id()) {
                        table.revisit(record);
                    }
                })?;
            }
            let mut records = vec![Vec::new(); self.partition_count];
            let mask = self.partition_count - 1;
            let taken =
                table.finish(lineups, |outcome| outcome.write(&mut records[outcome.unit as usize & mask]), drop);
            pass_results.push((taken.map_err(LogError::new)?, records));
        }
        Ok(pass_results)
    }

    fn each_impression(
        &self,
        log: &Partitions,
        partition: usize,
        mut take: impl FnMut(ImpressionRecord<'_>),
    ) -> Result<(), LogError> {
        log.impressions.read(partition, |bytes| {
            let mut used = 0;
            for record in ImpressionRecord::all(bytes, self.keeps_origins) {
                take(record);
                used += record.length();
            }
            used
        })
    }
}
