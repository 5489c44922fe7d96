//! What a join knows of its log so far, however it joins: shown lists, counts of lines, the time they span; and from there the result.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::conversions::{self, Appearance, ConversionLog};
use super::credited_log::{CreditedConversions, CreditedLog};
use super::encode_blocks::{BlockEncoder, EncodedBlock, LineKind, note_action};
use super::inputs::{Inputs, Resources};
use super::outcome::{self, PairOutcome};
use super::span::{Span, beyond_end};
use super::spill::Spill;
use super::survey::names;
use super::tally::{Tally, Trace};
use super::units::{Counter, Days, LineupIndex, most_careful_choice, split_days};
use crate::error::LogError;
use crate::model::{Lineups, LogEnd, Settings};
use crate::read::LogFile;

/// Less memory than this only makes many small files.
pub(super) const MIN_MEMORY: u64 = 1 << 16;

/// The units of one partition.
struct PartitionCounts {
    days: Days,
    tally: Tally,
    traced: Vec<Trace>,
    conversions: conversions::ConversionTotals,
}

/// A join in progress.
pub(super) struct JoinState<'a> {
    pub(super) settings: &'a Settings,
    pub(super) resources: &'a Resources,
    /// Conversions, and the impressions that show their documents.
    pub(super) conversions: Option<&'a ConversionLog>,
    pub(super) appearances: Vec<Appearance>,
    pub(super) keeps_origins: bool,
    /// Partitions.
    pub(super) partition_count: usize,
    pub(super) lineups: Lineups,
    pub(super) tally: Tally,
    pub(super) times: Span,
    pub(super) is_synthetic: bool,
    pub(super) other_actions: BTreeSet<String>,
    /// Lines of earlier times are behind: the days that they would change are over.
    pub(super) behind: i64,
    /// Bytes of temporary files.
    pub(super) spilled: u64,
}

impl<'a> JoinState<'a> {
    pub(super) fn new(inputs: &Inputs, settings: &'a Settings, resources: &'a Resources, keeps_origins: bool) -> Self {
        let size = |paths: &[PathBuf]| paths.iter().map(|path| expanded_size(path)).sum::<u64>();
        let bytes = size(&inputs.impressions) + size(&inputs.clicks);
        // A table takes twice its partition, each thread has one, and half of the memory is for unflushed data.
        let wanted = 4 * bytes * resources.threads as u64 / resources.memory.max(1);
        let partition_count = resources.partitions.unwrap_or(wanted.clamp(16, 512) as usize).max(1).next_power_of_two();
        Self {
            settings,
            resources,
            conversions: None,
            appearances: Vec::new(),
            keeps_origins,
            partition_count,
            lineups: Lineups::default(),
            tally: Tally::default(),
            times: Span::default(),
            is_synthetic: false,
            other_actions: BTreeSet::new(),
            behind: i64::MIN,
            spilled: 0,
        }
    }

    /// Partitions that keep this share of the memory.
    pub(super) fn spill(&self, name: &'static str, share: u64) -> Spill {
        let budget = self.resources.memory.max(MIN_MEMORY) / share;
        Spill::new(&self.resources.scratch_folder, name, self.partition_count, budget as usize)
    }

    /// The records of the next blocks of a file, scattered over `partition_count` partitions: as many blocks as keep all threads
    /// busy; none at its end.
    pub(super) fn read(
        &mut self,
        file: &mut LogFile,
        number: u32,
        kind: LineKind,
        partition_count: usize,
        keeps_times: bool,
    ) -> Result<Vec<EncodedBlock>, LogError> {
        let (mut blocks, mut first_error) = (Vec::new(), None);
        while blocks.len() < 4 * self.resources.threads.max(1) && first_error.is_none() {
            match file.next_block() {
                Ok(Some(block)) => blocks.push(block),
                Ok(None) => break,
                // A file with truncated compression has good lines before the fault, or other faults to report.
                Err(error) => first_error = Some(error),
            }
        }
        let context = self.block_encoder(number, kind, partition_count, keeps_times);
        let format = file.format();
        let encoded_blocks: Vec<Result<EncodedBlock, LogError>> =
            blocks.par_iter().map(|block| context.encode(block, format)).collect();
        let encoded_blocks =
            encoded_blocks.into_iter().map(|encoded_blocks| encoded_blocks.map_err(|error| error.in_file(file.path())));
        let encoded_blocks: Vec<EncodedBlock> = encoded_blocks.collect::<Result<_, _>>()?;
        if let Some(error) = first_error {
            return Err(error);
        }
        for encoded_blocks in &encoded_blocks {
            self.tally += encoded_blocks.tally;
            self.times.join(&encoded_blocks.times);
            self.is_synthetic |= encoded_blocks.is_synthetic;
            encoded_blocks.other_actions.iter().for_each(|action| note_action(&mut self.other_actions, action));
        }
        Ok(encoded_blocks)
    }

    /// Opens a file.
    pub(super) fn open(&self, path: &Path) -> Result<LogFile, LogError> {
        let file = LogFile::open(path)?;
        Ok(match self.resources.block {
            Some(bytes) => file.with_blocks_of(bytes),
            None => file,
        })
    }

    /// How the lines of a file are turned into records.
    pub(super) fn block_encoder(
        &self,
        number: u32,
        kind: LineKind,
        partition_count: usize,
        keeps_times: bool,
    ) -> BlockEncoder<'_> {
        BlockEncoder {
            settings: self.settings,
            lineups: &self.lineups,
            keeps_origins: self.keeps_origins,
            keeps_times,
            behind: self.behind,
            partition_count,
            number,
            kind,
        }
    }

    /// The time until which impressions are closed, by the lines read so far.
    pub(super) fn complete_until(&self) -> i64 {
        match self.settings.complete {
            LogEnd::Final => i64::MAX,
            LogEnd::Until(time) => time,
            LogEnd::LastImpression => self.times.end(self.settings.window).map_or(0, |(end, _)| end),
        }
    }

    /// The same, where the log is known to have an impression at this time, read or not.
    pub(super) fn complete_until_at_least(&self, known: i64) -> i64 {
        match self.settings.complete {
            LogEnd::LastImpression => self.times.ends().map_or(known, |(_, last)| last.max(known)),
            LogEnd::Final | LogEnd::Until(_) => self.complete_until(),
        }
    }

    /// The last day on which all impressions are closed.
    pub(super) fn last_day(&self) -> i32 {
        match self.complete_until() {
            i64::MAX => i32::MAX,
            until => self.settings.zone.day(until.saturating_sub(self.settings.window)) - 1,
        }
    }

    /// Counts the outcomes of all pairs of all impressions.
    pub(super) fn finish(
        mut self,
        outcomes: Spill,
        in_order: bool,
        take: &mut impl FnMut(Vec<Trace>),
    ) -> Result<CreditedLog, LogError> {
        let pairs = self.pairs();
        self.spilled += outcomes.written();
        let last_day = self.last_day();
        let appearances = std::mem::take(&mut self.appearances);
        let Settings { zone, skew, .. } = *self.settings;
        let credit = self.conversions.map(|log| conversions::ConversionCredit::new(log, appearances, zone, skew));
        let (days, counted) = self.count(outcomes, &pairs, credit.as_ref(), last_day, take)?;
        let conversions =
            credit.map(|credit| CreditedConversions::new(credit.log(), counted, &pairs.names, &pairs.versions));
        Ok(CreditedLog { conversions, ..self.credited(pairs, days, last_day, in_order) })
    }

    /// The versions and pairs of all impressions that were read.
    pub(super) fn pairs(&self) -> LineupIndex {
        let versions = self.lineups.versions();
        let names = names(&self.settings.rankers, versions.values().flat_map(|of| &of.rankers));
        LineupIndex::new(&self.lineups.all(), names, &versions, self.settings)
    }

    /// The result, once these days are counted.
    pub(super) fn credited(self, pairs: LineupIndex, days: Days, last_day: i32, in_order: bool) -> CreditedLog {
        let versions = self.lineups.versions();
        let is_met = |name: &String| versions.values().any(|of| of.rankers.contains(name));
        let never_met = self.settings.rankers.iter().filter(|name| !is_met(name)).cloned().collect();
        let strictest = most_careful_choice(&pairs.versions);
        let (days, pages) = split_days(days.into_iter());
        CreditedLog {
            rankers: pairs.names,
            versions: pairs.versions,
            days,
            pages,
            tally: self.tally.settled(),
            times: self.times.ends(),
            beyond_end: beyond_end(&self.times, self.settings),
            is_synthetic: self.is_synthetic,
            spilled: self.spilled,
            last_closed_day: (last_day != i32::MAX).then_some(last_day),
            in_order,
            choice: strictest.choice,
            said_by: strictest.said_by,
            declared: strictest.declared,
            other_actions: self.other_actions,
            never_met,
            conversions: None,
        }
    }

    /// Counts the units of each partition.
    fn count(
        &mut self,
        outcomes: Spill,
        pairs: &LineupIndex,
        credit: Option<&conversions::ConversionCredit<'_>>,
        last_day: i32,
        take: &mut impl FnMut(Vec<Trace>),
    ) -> Result<(Days, conversions::ConversionTotals), LogError> {
        let has_advantage = credit.is_some_and(|credit| credit.log().rules().draft_places.is_some());
        let length = outcome::length(self.keeps_origins, has_advantage);
        let settings = self.settings;
        let (mut days, mut conversion_totals) = (Days::new(), conversions::ConversionTotals::default());
        let partition_numbers: Vec<usize> = (0..outcomes.partition_count()).collect();
        let mut outcomes = outcomes;
        for group in partition_numbers.chunks(self.resources.threads.max(1)) {
            let partition_counts: Vec<Result<PartitionCounts, LogError>> = group
                .par_iter()
                .map(|&partition| {
                    let mut pair_outcomes = Vec::with_capacity(outcomes.bytes(partition) as usize / length);
                    outcomes.read(partition, |bytes| {
                        pair_outcomes.extend(bytes.chunks_exact(length).map(PairOutcome::read));
                        bytes.len() / length * length
                    })?;
                    let mut counter = Counter::new(settings, pairs, last_day, true).with_credit(credit);
                    counter.count(&pair_outcomes);
                    let Counter { days, tally, traced, conversions, .. } = counter;
                    Ok(PartitionCounts { days, tally, traced, conversions })
                })
                .collect();
            for (partition_counts, &partition) in partition_counts.into_iter().zip(group) {
                let PartitionCounts { days: more, tally, traced, conversions } = partition_counts?;
                conversion_totals.add(conversions);
                for (key, of) in more {
                    *days.entry(key).or_default() += of;
                }
                self.tally += tally;
                take(traced);
                outcomes.release(partition);
            }
        }
        Ok((days, conversion_totals))
    }
}

/// The size of a file, roughly that of its uncompressed content.
fn expanded_size(path: &Path) -> u64 {
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let is_packed = path.extension().is_some_and(|extension| extension == "gz" || extension == "zst");
    if is_packed { 8 * size } else { size }
}
