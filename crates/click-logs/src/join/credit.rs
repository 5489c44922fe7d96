//! The way from files to counts.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::encode::{Encoded, Encoding, Kind, joined_times};
use super::outcome::{self, PairOutcome};
use super::record::{CLICK, ClickRecord, ImpressionRecord, ORIGIN};
use super::spill::Spill;
use super::table::{Joined, Table};
use super::tally::{Aside, Tally};
use super::units::{Counter, Day, Days, Pairs};
use crate::error::LogError;
use crate::model::{Complete, Lineup, Lineups, Settings};
use crate::read::{Block, LogFile};

/// The files of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    /// Lists that were shown.
    pub impressions: Vec<PathBuf>,
    /// Clicks on them.
    pub clicks: Vec<PathBuf>,
}

/// What the work may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory for records and tables.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
    /// A folder, which exists and is empty, for what exceeds the memory.
    pub scratch: PathBuf,
    /// Partitions; by the size of the files if `None`. No result depends on them.
    pub partitions: Option<usize>,
}

/// Less memory than this only makes many small files.
const LEAST_MEMORY: u64 = 1 << 16;

/// Learns how far the work is.
pub trait Watch: Sync {
    /// This number of bytes of the files was read.
    fn read(&self, bytes: u64);

    /// Reading has ended; the joining of this number of partitions begins.
    fn join(&self, partitions: usize);

    /// One more partition is joined.
    fn joined(&self);
}

/// Nobody wants to know.
impl Watch for () {
    fn read(&self, _: u64) {}

    fn join(&self, _: usize) {}

    fn joined(&self) {}
}

/// What a log says.
#[derive(Debug, Clone, PartialEq)]
pub struct Credited {
    /// The rankers, in the order of results.
    pub rankers: Vec<String>,
    /// By day and pair, in this order.
    pub days: Vec<Day>,
    /// What became of every line.
    pub tally: Tally,
    /// The times of the first and last impression; `None` without any.
    pub times: Option<(i64, i64)>,
    /// Whether simulated users are among those of the log.
    pub is_synthetic: bool,
    /// Bytes of temporary files.
    pub spilled: u64,
}

/// Joins and credits a log; passes every line that does not count to `aside`, if there is one.
///
/// # Errors
/// For a file that cannot be read, a line that is malformed (unless such lines are set aside), or a folder that is full.
pub fn credit(
    inputs: &Inputs,
    settings: &Settings,
    limits: &Limits,
    watch: &impl Watch,
    aside: Option<&mut (dyn FnMut(Aside) + Send)>,
) -> Result<Credited, LogError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(limits.threads.max(1)).build();
    let pool = pool
        .map_err(|error| LogError::new(format!("threads cannot be started: {error}; choose fewer with --threads")))?;
    pool.install(|| Work::new(inputs, settings, limits, aside.is_some()).run(inputs, watch, aside))
}

/// One pass over a partition: what was joined, and its outcomes by the partition of their units.
type Passed = (Joined, Vec<Vec<u8>>);
/// The units of one partition.
type Counted = (Days, Tally, Vec<Aside>);

struct Work<'a> {
    settings: &'a Settings,
    limits: &'a Limits,
    keeps_origins: bool,
    lineups: Lineups,
    impressions: Spill,
    clicks: Spill,
    tally: Tally,
    times: Option<(i64, i64)>,
    is_synthetic: bool,
}

impl<'a> Work<'a> {
    fn new(inputs: &Inputs, settings: &'a Settings, limits: &'a Limits, keeps_origins: bool) -> Self {
        let size = |paths: &[PathBuf]| paths.iter().map(|path| expanded_size(path)).sum::<u64>();
        let bytes = size(&inputs.impressions) + size(&inputs.clicks);
        // A table takes twice its partition, all threads have one, and half of the memory is for what is not flushed.
        let wanted = 4 * bytes * limits.threads as u64 / limits.memory.max(1);
        let parts = limits.partitions.unwrap_or(wanted.clamp(16, 512) as usize).max(1).next_power_of_two();
        let budget = |share: u64| (limits.memory.max(LEAST_MEMORY) / share) as usize;
        Self {
            settings,
            limits,
            keeps_origins,
            lineups: Lineups::default(),
            impressions: Spill::new(&limits.scratch, "impressions", parts, budget(4)),
            clicks: Spill::new(&limits.scratch, "clicks", parts, budget(8)),
            tally: Tally::default(),
            times: None,
            is_synthetic: false,
        }
    }

    fn run(
        mut self,
        inputs: &Inputs,
        watch: &impl Watch,
        mut aside: Option<&mut (dyn FnMut(Aside) + Send)>,
    ) -> Result<Credited, LogError> {
        let mut take = |asides: Vec<Aside>| {
            if let Some(aside) = aside.as_mut() {
                asides.into_iter().for_each(aside);
            }
        };
        for (number, path) in (0..).zip(inputs.impressions.iter()) {
            self.read(path, number, Kind::Impressions, watch, &mut take)?;
        }
        for (number, path) in (0..).zip(inputs.clicks.iter()) {
            self.read(path, number, Kind::Clicks, watch, &mut take)?;
        }
        let lineups = self.lineups.all();
        let (complete_until, last_day) = self.complete();
        let outcomes = self.join(&lineups, complete_until, watch, &mut take)?;
        let pairs = Pairs::new(&lineups, &self.settings.rankers);
        let spilled = self.impressions.written() + self.clicks.written() + outcomes.written();
        let days = self.count(outcomes, &pairs, last_day, &mut take)?;
        let days = days.into_iter().map(|((day, pair), counts)| Day { day, pair, counts }).collect();
        Ok(Credited {
            rankers: pairs.names,
            days,
            tally: self.tally.settled(),
            times: self.times,
            is_synthetic: self.is_synthetic,
            spilled,
        })
    }

    /// Until when impressions are closed, and the last day on which all are.
    fn complete(&self) -> (i64, i32) {
        let until = match self.settings.complete {
            Complete::Final => return (i64::MAX, i32::MAX),
            Complete::Until(time) => time,
            Complete::LastImpression => self.times.map_or(0, |(_, last)| last),
        };
        let zone = self.settings.zone;
        (until, zone.day(until.saturating_sub(self.settings.window)) - 1)
    }

    /// Reads one file into partitions.
    fn read(
        &mut self,
        path: &Path,
        number: u32,
        kind: Kind,
        watch: &impl Watch,
        take: &mut impl FnMut(Vec<Aside>),
    ) -> Result<(), LogError> {
        let mut file = LogFile::open(path)?;
        loop {
            let mut blocks = Vec::new();
            while blocks.len() < 4 * self.limits.threads.max(1) {
                match file.next_block() {
                    Ok(Some(block)) => blocks.push(block),
                    Ok(None) => break,
                    // A file that is cut off in its compression has good lines in front.
                    Err(error) if blocks.is_empty() => return Err(error),
                    Err(error) => {
                        self.encode(&blocks, &file, number, kind, take)?;
                        return Err(error);
                    }
                }
            }
            if blocks.is_empty() {
                return Ok(());
            }
            self.encode(&blocks, &file, number, kind, take)?;
            watch.read(file.bytes_taken());
        }
    }

    fn encode(
        &mut self,
        blocks: &[Block],
        file: &LogFile,
        number: u32,
        kind: Kind,
        take: &mut impl FnMut(Vec<Aside>),
    ) -> Result<(), LogError> {
        let parts = self.impressions.parts();
        let context = Encoding {
            settings: self.settings,
            lineups: &self.lineups,
            keeps_origins: self.keeps_origins,
            parts,
            number,
            kind,
        };
        let format = file.format();
        let encoded: Vec<Result<Encoded, LogError>> =
            blocks.par_iter().map(|block| context.encode(block, format)).collect();
        for encoded in encoded {
            let encoded = encoded.map_err(|error| error.in_file(file.path()))?;
            let spill = match kind {
                Kind::Impressions => &mut self.impressions,
                Kind::Clicks => &mut self.clicks,
            };
            for (part, records) in encoded.records.iter().enumerate().filter(|(_, records)| !records.is_empty()) {
                spill.append(part, records)?;
            }
            self.tally += encoded.tally;
            self.times = joined_times(self.times, encoded.times);
            self.is_synthetic |= encoded.is_synthetic;
            take(encoded.asides);
        }
        Ok(())
    }

    /// Joins the partitions; the outcomes are scattered by unit.
    fn join(
        &mut self,
        lineups: &[Lineup],
        complete_until: i64,
        watch: &impl Watch,
        take: &mut impl FnMut(Vec<Aside>),
    ) -> Result<Spill, LogError> {
        let parts = self.impressions.parts();
        watch.join(parts);
        let mut outcomes =
            Spill::new(&self.limits.scratch, "outcomes", parts, (self.limits.memory.max(LEAST_MEMORY) / 4) as usize);
        let all: Vec<usize> = (0..parts).collect();
        for group in all.chunks(self.limits.threads.max(1)) {
            let joined: Vec<Result<Vec<Passed>, LogError>> =
                group.par_iter().map(|&part| self.join_part(part, lineups, complete_until)).collect();
            for (joined, &part) in joined.into_iter().zip(group) {
                for (joined, records) in joined? {
                    self.tally += joined.tally;
                    take(joined.asides);
                    for (part, records) in records.iter().enumerate().filter(|(_, records)| !records.is_empty()) {
                        outcomes.append(part, records)?;
                    }
                }
                self.impressions.release(part);
                self.clicks.release(part);
                watch.joined();
            }
        }
        Ok(outcomes)
    }

    /// Joins one partition, in several passes over it if its table exceeds the memory.
    fn join_part(&self, part: usize, lineups: &[Lineup], complete_until: i64) -> Result<Vec<Passed>, LogError> {
        let parts = self.impressions.parts();
        let bytes = self.impressions.bytes(part);
        let room = self.limits.memory.max(LEAST_MEMORY) / 2 / self.limits.threads.max(1) as u64;
        let passes = Table::memory(bytes).div_ceil(room).max(1);
        let mut joined = Vec::new();
        for pass in 0..passes {
            let is_here = |id: u128| passes == 1 || (id as u64 >> 32) % passes == pass;
            let mut table =
                Table::new(self.settings, lineups, complete_until, self.keeps_origins, (bytes / passes) as usize);
            self.each_impression(part, |record| {
                if is_here(record.id()) {
                    table.insert(record);
                }
            })?;
            let length = if self.keeps_origins { CLICK + ORIGIN } else { CLICK };
            self.clicks.read(part, |bytes| {
                for click in bytes.chunks_exact(length).map(ClickRecord::read) {
                    if is_here(click.id) {
                        table.click(click);
                    }
                }
                bytes.len() / length * length
            })?;
            if self.keeps_origins {
                self.each_impression(part, |record| {
                    if is_here(record.id()) {
                        table.revisit(record);
                    }
                })?;
            }
            let mut records = vec![Vec::new(); parts];
            let taken = table.finish(|outcome| outcome.write(&mut records[outcome.unit as usize & (parts - 1)]));
            joined.push((taken.map_err(LogError::new)?, records));
        }
        Ok(joined)
    }

    fn each_impression(&self, part: usize, mut take: impl FnMut(ImpressionRecord<'_>)) -> Result<(), LogError> {
        self.impressions.read(part, |bytes| {
            let mut used = 0;
            while let Some(record) = ImpressionRecord::first(&bytes[used..], self.keeps_origins) {
                take(record);
                used += record.length();
            }
            used
        })
    }

    /// Counts the units of each partition.
    fn count(
        &mut self,
        outcomes: Spill,
        pairs: &Pairs,
        last_day: i32,
        take: &mut impl FnMut(Vec<Aside>),
    ) -> Result<Days, LogError> {
        let length = outcome::length(self.keeps_origins);
        let settings = self.settings;
        let mut days = Days::new();
        let all: Vec<usize> = (0..outcomes.parts()).collect();
        let mut outcomes = outcomes;
        for group in all.chunks(self.limits.threads.max(1)) {
            let counted: Vec<Result<Counted, LogError>> = group
                .par_iter()
                .map(|&part| {
                    let mut read = Vec::with_capacity(outcomes.bytes(part) as usize / length);
                    outcomes.read(part, |bytes| {
                        read.extend(bytes.chunks_exact(length).map(PairOutcome::read));
                        bytes.len() / length * length
                    })?;
                    let (days, tally, asides) = (Days::new(), Tally::default(), Vec::new());
                    let mut counter = Counter { settings, pairs, last_day, days, tally, asides };
                    counter.count(read);
                    Ok((counter.days, counter.tally, counter.asides))
                })
                .collect();
            for (counted, &part) in counted.into_iter().zip(group) {
                let (more, tally, asides) = counted?;
                for (key, counts) in more {
                    let sum = days.entry(key).or_default();
                    sum.units += counts.units;
                    sum.impressions += counts.impressions;
                }
                self.tally += tally;
                take(asides);
                outcomes.release(part);
            }
        }
        Ok(days)
    }
}

/// The size of a file, roughly as large as what is in it.
fn expanded_size(path: &Path) -> u64 {
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    if is_packed { 8 * size } else { size }
}
