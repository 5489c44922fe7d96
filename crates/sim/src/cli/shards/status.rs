//! `rankduel status`: the progress of a command's shards.
#![expect(clippy::disallowed_types, reason = "shows how long ago shards saved; no result depends on it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;

use super::merge::parts_folder;
use desk::println;
use output::input;
use output::numbers::{with_separators, with_unit};
use output::shards::parts::{PartFile, most_common_header, part_files_in, range_list, work_difference};
use output::shards::{Header, Shard};
use output::text_table::{Align, TextTable};
use simulation::proxy::pieces_played;
use studies::runner::share::{COUNTS_FILE, WORK, WorkingShard};

/// Show how far the shards of a command are (--shard).
///
/// A table with a line per shard: finished, stopped or at work, damaged, of other work, or missing; then what is left, and
/// how long that may take. Reads only, also while shards are at work.
#[derive(Debug, Args)]
pub(in crate::cli) struct Status {
    /// The results, or the folder with their parts: results/x or results/x.shards
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// List every shard; otherwise finished ones are only counted if there are more than 32 shards
    #[arg(long)]
    all: bool,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Further shards are listed only if they need attention.
const MAX_LISTED: usize = 32;
/// The characters of a bar.
const BAR_WIDTH: usize = 20;

/// The condition of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Condition {
    FinishedExperiment,
    /// Stopped or at work: visible only on its machine.
    Begun,
    Missing,
    Damaged,
    OtherWork,
}

impl Condition {
    fn label(self) -> &'static str {
        match self {
            Self::FinishedExperiment => "finished",
            Self::Begun => "begun",
            Self::Missing => "missing",
            Self::Damaged => "damaged",
            Self::OtherWork => "other work",
        }
    }
}

/// A line of the table.
#[derive(Debug, Clone, Serialize)]
struct Line {
    shard: String,
    condition: Condition,
    done: u64,
    total: u64,
    /// Seconds it took, or since it was begun.
    seconds: Option<f64>,
    /// Seconds since it last saved, if it is begun.
    saved: Option<f64>,
    remark: Option<String>,
}

/// The content of the JSON output.
#[derive(Debug, Serialize)]
struct Report {
    folder: String,
    shards: u32,
    unit: String,
    done: u64,
    total: u64,
    missing: Vec<u32>,
    seconds_left: Option<f64>,
    lines: Vec<Line>,
}

impl Status {
    pub(in crate::cli) fn run(&self) -> Result<()> {
        let folder = parts_folder(&self.folder)?;
        let report = report(&folder)?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&report)?);
        } else {
            self.print(&report);
        }
        Ok(())
    }

    fn print(&self, report: &Report) {
        let right_aligned = |name| (name, Align::Right);
        let left_aligned = |name| (name, Align::Left);
        let mut table = TextTable::new([
            right_aligned("shard"),
            left_aligned("state"),
            right_aligned("done"),
            left_aligned(""),
            right_aligned("time"),
            left_aligned(""),
        ]);
        let lists_all = self.all || report.lines.len() <= MAX_LISTED;
        let listed_lines: Vec<&Line> =
            report.lines.iter().filter(|line| lists_all || matches!(line.condition, Condition::Begun)).collect();
        let listed_or_wrong = report.lines.iter().filter(|line| {
            listed_lines.iter().any(|listed_lines| std::ptr::eq(*listed_lines, *line))
                || matches!(line.condition, Condition::Damaged | Condition::OtherWork)
        });
        let mut rows = 0;
        for line in listed_or_wrong {
            rows += 1;
            let share = if line.total == 0 { 0.0 } else { line.done as f64 / line.total as f64 };
            let saved = line.saved.map(|seconds| format!("last saved {} ago", duration(seconds)));
            table.row([
                line.shard.clone(),
                line.condition.label().to_owned(),
                format!("{} of {}", with_separators(line.done), with_separators(line.total)),
                bar(share),
                line.seconds.map_or_else(String::new, duration),
                line.remark.clone().or(saved).unwrap_or_default(),
            ]);
        }
        if rows > 0 {
            println!("{table}\n");
        }
        let mut counts: BTreeMap<Condition, u32> = BTreeMap::new();
        report.lines.iter().for_each(|line| *counts.entry(line.condition).or_default() += 1);
        let counts: Vec<String> =
            counts.into_iter().map(|(condition, count)| format!("{count} {}", condition.label())).collect();
        println!(
            "{}: {}; {} of {} {}",
            with_unit(u64::from(report.shards), "shard"),
            counts.join(", "),
            with_separators(report.done),
            with_separators(report.total),
            bar(report.done as f64 / report.total.max(1) as f64)
        );
        if report.missing.is_empty() {
            println!("complete: `{} merge {}` unites them", output::program::name(), report.folder);
        } else {
            println!("not finished: {}", range_list(report.missing.iter().copied()));
            if let Some(seconds) = report.seconds_left {
                println!("about {} left if as many go on at a time as are begun", duration(seconds));
            }
        }
    }
}

/// The report on all shards in `folder`.
fn report(folder: &Path) -> Result<Report> {
    let part_files = part_files_in(folder)?;
    let begun = begun_shards_in(folder)?;
    let sound: Vec<Header> = part_files
        .iter()
        .filter_map(|part_files| part_files.part.as_ref().ok().map(|(header, _)| header.clone()))
        .collect();
    let headers: Vec<&Header> = sound.iter().chain(begun.iter().map(|begun| &begun.header)).collect();
    let work = most_common_header(&headers)
        .cloned()
        .with_context(|| format!("{} holds no parts, and no shard is begun", folder.display()))?;
    let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
    let mut other_lines = Vec::new();
    for PartFile { path, part } in &part_files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match part {
            Ok((header, made)) => {
                let share = header.range.end - header.range.start;
                let difference = work_difference(header, &work);
                let condition = if difference.is_some() { Condition::OtherWork } else { Condition::FinishedExperiment };
                let line = Line {
                    shard: header.shard.to_string(),
                    condition,
                    done: share,
                    total: share,
                    seconds: Some(made.seconds),
                    saved: None,
                    remark: difference,
                };
                match condition {
                    Condition::FinishedExperiment => drop(lines.insert(header.shard.index, line)),
                    _ => other_lines.push(line),
                }
            }
            Err(error) => {
                let shard = Shard::from_name(&name).filter(|shard| shard.of == work.shard.of);
                let line = Line {
                    shard: shard.map_or(name, |shard| shard.to_string()),
                    condition: Condition::Damaged,
                    done: 0,
                    total: shard.map_or(0, |shard| shard.length(work.total)),
                    seconds: None,
                    saved: None,
                    remark: Some(format!("{error:#}")),
                };
                match shard {
                    Some(shard) => drop(lines.entry(shard.index).or_insert(line)),
                    None => other_lines.push(line),
                }
            }
        }
    }
    for begun in begun.into_iter().filter(|begun| work_difference(&begun.header, &work).is_none()) {
        let shard = begun.header.shard;
        let line = Line {
            shard: shard.to_string(),
            condition: Condition::Begun,
            done: begun.units_done,
            total: shard.length(work.total),
            seconds: begun.age.map(|age| age.as_secs_f64()),
            saved: begun.saved.map(|saved| saved.as_secs_f64()),
            remark: None,
        };
        // A part of it is damaged, or there is none.
        let is_finished = lines.get(&shard.index).is_some_and(|line| line.condition == Condition::FinishedExperiment);
        if !is_finished {
            lines.insert(shard.index, line);
        }
    }
    for index in 0..work.shard.of {
        let shard = Shard { index, of: work.shard.of };
        lines.entry(index).or_insert_with(|| Line {
            shard: shard.to_string(),
            condition: Condition::Missing,
            done: 0,
            total: shard.length(work.total),
            seconds: None,
            saved: None,
            remark: None,
        });
    }
    let unfinished = |(index, line): (&u32, &Line)| (line.condition != Condition::FinishedExperiment).then_some(*index);
    Ok(Report {
        folder: folder.display().to_string(),
        shards: work.shard.of,
        unit: work.unit.clone(),
        done: lines.values().map(|line| line.done).sum(),
        total: work.total,
        missing: lines.iter().filter_map(unfinished).collect(),
        seconds_left: seconds_left(lines.values()),
        lines: lines.into_values().chain(other_lines).collect(),
    })
}

/// A shard that is at work, or was stopped.
struct BegunShard {
    header: Header,
    units_done: u64,
    age: Option<Duration>,
    saved: Option<Duration>,
}

fn begun_shards_in(folder: &Path) -> Result<Vec<BegunShard>> {
    let entries = fs::read_dir(folder).with_context(|| format!("failed to read {}", folder.display()))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    Ok(folders.iter().filter_map(|folder| begun_shard(folder)).collect())
}

fn begun_shard(folder: &Path) -> Option<BegunShard> {
    Shard::from_name(folder.file_name()?.to_str()?)?;
    let pieces_file = folder.join(COUNTS_FILE);
    let since = |time: SystemTime| SystemTime::now().duration_since(time).ok();
    let changed = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let age = changed(&folder.join(".unfinished.json")).and_then(since);
    if let Some((header, records_done)) = pieces_played(&pieces_file) {
        return Some(BegunShard {
            header,
            units_done: records_done,
            age,
            saved: changed(&pieces_file).and_then(since),
        });
    }
    let WorkingShard { header, records } =
        serde_json::from_slice(&input::read_file(&folder.join(WORK), 1 << 28).ok()?).ok()?;
    let files: Vec<PathBuf> =
        fs::read_dir(folder.join(".runs")).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let records_done = files.iter().map(|file| records_in(file)).sum::<u64>() / records.max(1);
    let saved = files.iter().filter_map(|path| changed(path)).max();
    Some(BegunShard { header, units_done: records_done, age, saved: saved.and_then(since) })
}

/// The number of complete records in a file of kept ones: each is a line after the first.
fn records_in(file: &Path) -> u64 {
    let bytes = input::read_file(file, 1 << 34).unwrap_or_default();
    bytes.split(|byte| *byte == b'\n').skip(1).filter(|line| line.ends_with(b"}")).count() as u64
}

/// The estimated time of the remaining shards, if as many work at a time as are begun now.
fn seconds_left<'a>(lines: impl Iterator<Item = &'a Line> + Clone) -> Option<f64> {
    let with_condition = |condition| lines.clone().filter(move |line| line.condition == condition);
    let mean = |all: Vec<f64>| (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64);
    // A begun shard at its speed so far.
    let estimated_seconds =
        |line: &Line| Some(line.seconds? * line.total as f64 / line.done as f64).filter(|_| line.done > 0);
    let mean_seconds = mean(with_condition(Condition::FinishedExperiment).filter_map(|line| line.seconds).collect())
        .or_else(|| mean(with_condition(Condition::Begun).filter_map(estimated_seconds).collect()))?;
    let begun_seconds: Vec<f64> = with_condition(Condition::Begun)
        .map(|line| (estimated_seconds(line).unwrap_or(mean_seconds) - line.seconds.unwrap_or(0.0)).max(0.0))
        .collect();
    let open_shards =
        lines.clone().filter(|line| matches!(line.condition, Condition::Missing | Condition::Damaged)).count();
    let waves = open_shards.div_ceil(begun_seconds.len().max(1)) as f64;
    Some(begun_seconds.into_iter().fold(0.0, f64::max) + waves * mean_seconds).filter(|seconds| *seconds > 0.0)
}

fn bar(share: f64) -> String {
    let filled = (share.clamp(0.0, 1.0) * BAR_WIDTH as f64).floor() as usize;
    format!("{}{}", "#".repeat(filled), ".".repeat(BAR_WIDTH - filled))
}

/// A time in words, e.g. `2 h 05 min`.
fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(condition: Condition, done: u64, seconds: Option<f64>) -> Line {
        Line { shard: String::new(), condition, done, total: 10, seconds, saved: None, remark: None }
    }

    #[test]
    fn the_time_left_is_that_of_the_begun_and_of_waves_of_the_others() {
        let finished = line(Condition::FinishedExperiment, 10, Some(100.0));
        let begun = line(Condition::Begun, 5, Some(60.0));
        let missing = line(Condition::Missing, 0, None);
        let left = |lines: &[&Line]| seconds_left(lines.iter().copied());
        assert_eq!(left(&[&finished, &begun]), Some(60.0));
        assert_eq!(left(&[&finished, &begun, &missing]), Some(160.0));
        assert_eq!(left(&[&finished, &begun, &begun, &missing, &missing]), Some(160.0));
        assert_eq!(left(&[&begun, &missing]), Some(180.0));
        assert_eq!((left(&[&missing]), left(&[&finished])), (None, None));
    }

    #[test]
    fn times_and_bars_are_short() {
        assert_eq!([0.4, 59.6, 3599.0, 7500.0].map(duration), ["0 s", "1 min 00 s", "59 min 59 s", "2 h 05 min"]);
        assert_eq!((bar(0.5), bar(1.0)), ("##########..........".to_owned(), "#".repeat(20)));
    }
}
