//! Logs that grow: each run reads only new files, and counts the whole log so far.
//!
//! The rules and the result, byte for byte, are those of a log that is credited as a whole, however its lines are split into files, as
//! long as they come within a *horizon*. A line is *behind* if its time is more than a horizon before the highest `--until` of the
//! runs before; it has that fate and counts for nothing else. The lines of an impression come together: its copies, and clicks outside
//! its window, are given while `--until` is at most a horizon after the first of them. A click that comes later is unknown instead of
//! late, and a copy is an impression of its own; neither can be detected without keeping all impressions for ever. Clicks in the
//! window need no such rule.
//!
//! A day is *over* when no later line can change it: it is further back than a horizon, a window and a skew together. Counts of days
//! that are over are added to sums, and each unit keeps only what later days depend on ([`UnitPast`](super::units::UnitPast)). Records of
//! impressions and clicks on other days are kept, and joined again with the new ones.
//!
//! Here: the work (`append`, and its halves `join_part` and `count_part`), and the stored state (`state`). Not here: results
//! folders.

mod count_part;
mod description;
mod join_part;
mod pending_run;
mod sections;
mod state;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use output::threads;
use output::usage::usage;
use ranktypes::text::excerpt;
use rayon::prelude::*;
use verdicts::SaidBy;

use self::count_part::{NewOutcomes, VersionNumbers, count_part};
use self::description::InputFile;
use self::join_part::{Boundary, join_part};
use self::pending_run::NextDescription;
use self::sections::{PART_COUNT, Section};
use super::credit::Watch;
use super::credited_log::CreditedLog;
use super::encode_blocks::{LineKind, note_action};
use super::inputs::{Inputs, Resources};
use super::join_state::JoinState;
use super::record::Blocks;
use super::span::Span;
use super::spill::Spill;
use super::tally::Tally;
use super::units::{Days, LineupIndex};
use crate::error::LogError;
use crate::model::{Lineup, Settings, wrong_name};

pub use pending_run::PendingRun;
pub use state::{DEFAULT_HORIZON, State};

/// Credits the files of a log that were added since the last run; `settings` are those with which the state was opened. The state
/// stays as it is until the second result is [kept](PendingRun::keep).
///
/// # Errors
/// For a file that was taken before or cannot be read, a line that is malformed (unless such lines are set aside), rankers or a way of
/// choosing pairs that are not those of the state, or a folder that is full.
pub fn append(
    state: State,
    inputs: &Inputs,
    settings: &Settings,
    resources: &Resources,
    watch: &impl Watch,
) -> Result<(CreditedLog, PendingRun)> {
    if let Some(message) = settings.rankers.iter().find_map(|name| wrong_name(name)) {
        bail!(usage(message));
    }
    threads::run_in_pool(Some(resources.threads), || append_in_pool(state, inputs, settings, resources, watch))?
}

fn append_in_pool(
    state: State,
    inputs: &Inputs,
    settings: &Settings,
    resources: &Resources,
    watch: &impl Watch,
) -> Result<(CreditedLog, PendingRun)> {
    let files = state.input_files(inputs, |_| watch.read(0))?;
    let mut work = JoinState::new(inputs, settings, resources, false);
    work.partition_count = PART_COUNT;
    work.lineups = state.lineups()?;
    work.behind = state.behind_before();
    let (mut impressions, mut clicks) = (work.spill("impressions", 4), work.spill("clicks", 8));
    let mut input_files: Vec<InputFile> = Vec::new();
    let paths = inputs.impressions.iter().map(|path| (LineKind::Impressions, path));
    let paths = paths.chain(inputs.clicks.iter().map(|path| (LineKind::Clicks, path)));
    for ((kind, path), input_file) in paths.zip(files) {
        let mut file = work.open(path)?;
        let lines_before = work.tally.lines();
        let mut has_records = false;
        loop {
            let encoded_blocks = work.read(&mut file, 0, kind, PART_COUNT, false)?;
            if encoded_blocks.is_empty() {
                break;
            }
            for encoded_block in encoded_blocks {
                has_records |= encoded_block.records.iter().any(|records| !records.is_empty());
                let records = if kind == LineKind::Impressions { &mut impressions } else { &mut clicks };
                records.append_all(&encoded_block.records)?;
            }
            watch.read(file.take_bytes_read());
        }
        // A file without lines has no identity: the next one may be the same.
        if has_records || work.tally.lines() != lines_before {
            input_files.push(input_file);
        }
    }
    State::refuse_same(&input_files)?;
    add_records(state, work, [impressions, clicks], input_files, watch)
}

/// Credits records in memory, by part: those of impressions and of clicks.
pub(super) fn append_blocks(
    state: State,
    mut work: JoinState<'_>,
    blocks: [Vec<Blocks>; 2],
) -> Result<(CreditedLog, PendingRun)> {
    work.partition_count = PART_COUNT;
    let mut input_files = Vec::new();
    let mut spills = [work.spill("impressions", 4), work.spill("clicks", 8)];
    for ((blocks_of_kind, spill), is_clicks) in blocks.into_iter().zip(&mut spills).zip([false, true]) {
        let bytes = blocks_of_kind.iter().flat_map(Blocks::iter);
        let checksum = state::records_checksum(bytes)?;
        let name = if is_clicks { "the clicks" } else { "the impressions" };
        if blocks_of_kind.iter().any(|blocks| blocks.len() > 0) {
            input_files.push(state.input_file(is_clicks, name.to_owned(), checksum)?);
        }
        for (part, blocks) in blocks_of_kind.into_iter().enumerate() {
            blocks.iter().try_for_each(|records| spill.append(part, records))?;
        }
    }
    threads::run_in_pool(Some(work.resources.threads), || add_records(state, work, spills, input_files, &()))?
}

/// Adds new records to a state: `records` are those of impressions and of clicks.
fn add_records(
    state: State,
    mut work: JoinState<'_>,
    mut records: [Spill; 2],
    files: Vec<InputFile>,
    watch: &impl Watch,
) -> Result<(CreditedLog, PendingRun)> {
    let settings = work.settings;
    work.times.join(&Span::from_days(state.description.times.iter().copied()));
    work.is_synthetic |= state.description.is_synthetic;
    state.description.other_actions.iter().for_each(|action| note_action(&mut work.other_actions, action));
    let (lineups, pairs) = (work.lineups.all(), work.pairs());
    check_rankers(&pairs, settings)?;
    check_choices(&state, &pairs)?;
    let until = work.complete_until();
    let (last_day, last_day_now) = (state.last_day_over(settings, until), work.last_day());
    let boundary = Boundary { settings, until, last_day };
    let numbers = numbers(&lineups, &pairs);
    let mut tally = state.tally()?;
    tally += work.tally;
    let mut tally_now = Tally::default();
    let mut days: Days = Days::new();
    for ((version, day, pair), totals) in state.days()? {
        let version = numbers.result_number(version).ok_or_else(|| state.damaged_data())?;
        *days.entry((version, day, pair)).or_default() += totals;
    }
    let mut days_now = Days::new();
    let mut writer = state.next_writer()?;
    let mut outcomes = [work.spill("over", 6), work.spill("now", 6), work.spill("ahead", 24)];
    watch.join(2 * PART_COUNT);
    let part_numbers: Vec<usize> = (0..PART_COUNT).collect();
    for group in part_numbers.chunks(work.resources.threads.max(1)) {
        let joined_parts: Vec<_> = group
            .par_iter()
            .map(|&part| {
                let new_records = [read_part(&records[0], part)?, read_part(&records[1], part)?];
                join_part(&state, boundary, &lineups, part, PART_COUNT, new_records)
            })
            .collect();
        for (joined_part, &part) in joined_parts.into_iter().zip(group) {
            let joined_part = joined_part?;
            tally += joined_part.tally;
            tally_now += joined_part.tally_now;
            let scattered = [&joined_part.outcomes, &joined_part.outcomes_now, &joined_part.ahead];
            for (spill, records) in outcomes.iter_mut().zip(scattered) {
                spill.append_all(records)?;
            }
            writer.write(Section::Impressions(part), &joined_part.impressions)?;
            writer.write(Section::Clicks(part), &joined_part.clicks)?;
            records.iter_mut().for_each(|records| records.release(part));
            watch.partition_joined();
        }
    }
    let mut versions: BTreeSet<usize> = BTreeSet::new();
    for group in part_numbers.chunks(work.resources.threads.max(1)) {
        let counted_parts: Vec<_> = group
            .par_iter()
            .map(|&part| {
                let [over_now, now, ahead] = [0, 1, 2].map(|index| read_part(&outcomes[index], part));
                let new_records = NewOutcomes { boundary: over_now?, outcomes_now: now?, ahead: ahead? };
                count_part(&state, boundary, last_day_now, &pairs, &numbers, part, &new_records)
            })
            .collect();
        for (counted_part, &part) in counted_parts.into_iter().zip(group) {
            let counted_part = counted_part?;
            tally += counted_part.tally;
            tally_now += counted_part.tally_now;
            for (sum, more) in [(&mut days, counted_part.days), (&mut days_now, counted_part.days_now)] {
                more.into_iter().for_each(|(key, totals)| *sum.entry(key).or_default() += totals);
            }
            versions.extend(counted_part.versions);
            writer.write(Section::Units(part), &counted_part.units)?;
            writer.write(Section::Ahead(part), &counted_part.ahead)?;
            outcomes.iter_mut().for_each(|outcomes| outcomes.release(part));
            watch.partition_joined();
        }
    }
    let stored_days =
        days.iter().map(|(&(version, day, pair), &totals)| ((numbers.stored_number(version), day, pair), totals));
    writer.write_days(stored_days)?;
    let mut choices: BTreeMap<Option<String>, String> = state.description.choices.iter().cloned().collect();
    for version in versions.into_iter().filter_map(|version| pairs.versions.get(version)) {
        choices.insert(version.name.clone(), version.choice.name().to_owned());
    }
    let next = NextDescription {
        tally,
        times: work.times.days(),
        lineups,
        choices: choices.into_iter().collect(),
        is_synthetic: work.is_synthetic,
        other_actions: work.other_actions.iter().cloned().collect(),
        files,
    };
    let pending_run = PendingRun::new(state, settings, next, writer);
    for (key, totals) in days_now {
        *days.entry(key).or_default() += totals;
    }
    work.tally = tally;
    work.tally += tally_now;
    Ok((work.credited(pairs, days, last_day_now, false), pending_run))
}

/// All records of a part.
fn read_part(records: &Spill, part: usize) -> Result<Vec<u8>, LogError> {
    let mut records_read = Vec::with_capacity(records.bytes(part) as usize);
    records.read(part, |bytes| {
        records_read.extend_from_slice(bytes);
        bytes.len()
    })?;
    Ok(records_read)
}

/// Refuses undeclared rankers: the pair of a list of one team depends on the full set.
fn check_rankers(pairs: &LineupIndex, settings: &Settings) -> Result<()> {
    match pairs.names.iter().find(|name| !settings.rankers.contains(name)) {
        Some(name) => bail!(usage(format!(
            "the log has the ranker {}, which is none of --rankers {}; a log that grows needs all of them from the beginning",
            excerpt(name),
            settings.rankers.join(",")
        ))),
        None => Ok(()),
    }
}

/// Refuses versions that do not declare how their pairs were chosen, and those that contradict an earlier declaration.
fn check_choices(state: &State, pairs: &LineupIndex) -> Result<()> {
    let choices_before: BTreeMap<&Option<String>, &String> =
        state.description.choices.iter().map(|(version, choice)| (version, choice)).collect();
    for version in &pairs.versions {
        let version_text =
            version.name.as_ref().map_or(String::new(), |name| format!(" of the version {}", excerpt(name)));
        if version.said_by == SaidBy::Rankers {
            bail!(usage(format!(
                "nothing says how the pairs{version_text} were chosen, and a log that grows must know before later lines do: pass --pairs chance, \
                 --pairs kept or --pairs steered"
            )));
        }
        if let Some(choice_before) =
            choices_before.get(&version.name).filter(|choices_before| **choices_before != version.choice.name())
        {
            return Err(LogError::new(format!(
                "the pairs{version_text} were counted as {choice_before}, and now the log declares {}; days that are over cannot be counted again: \
                 begin with another folder and all files, or correct the field `pairs` of the new lines",
                version.choice.name()
            ))
            .into());
        }
    }
    Ok(())
}

/// The numbers of versions.
fn numbers(lineups: &[Lineup], pairs: &LineupIndex) -> VersionNumbers {
    let mut result_numbers: Vec<usize> = Vec::new();
    for lineup in lineups {
        let number = pairs.versions.iter().position(|version| version.name == lineup.version).unwrap_or_default();
        if !result_numbers.contains(&number) {
            result_numbers.push(number);
        }
    }
    VersionNumbers { result_numbers }
}
