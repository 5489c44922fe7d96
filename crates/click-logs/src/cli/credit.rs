//! `click-logs credit`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use desk::print::text;
use letor_io::NameList;
use output::messages::info;
use output::numbers::{parse_positive, parse_up_to};
use output::progress::Progress;
use output::results_folder::{ExistingResults, ResultsFolder};
use output::usage::usage;
use serde_json::Value;
use times::{duration_text, parse_duration};
use verdicts::integrity::PageSelection;

use super::conversions::ConversionFlags;
use super::rules::{Rules, Unit};
use super::set_aside::{AsideWriter, move_file};
use super::summary::{report, summary};
use super::{Scratch, detail, inputs};
use crate::join::{
    CreditedLog, ImpressionFate, Inputs, Order, PendingRun, Resources, State, Trace, Watch, append,
    credit_with_conversions,
};
use crate::model::{LogEnd, Settings, UnitKind};
use crate::outcomes::{CONVERSIONS_FILE, SUMMARY_FILE, fates_csv, pages_csv, sealed_summary, warnings};

/// Join clicks to the lists that were shown, and credit each impression once
///
/// Reads JSON Lines (own fields, UBI 1.3, responses of OpenSearch and Solr) and CSV, plain or gzip, and, where it was built with
/// them, Parquet and zstd, in any order; `-` is standard input. Writes outcomes by day and pair of rankers, and what became of every line. The README of the crate
/// lists fields, rules and files.
#[derive(Debug, Args)]
pub(super) struct Credit {
    /// Files of lists that were shown, folders of them, or patterns such as "log/**/*.parquet"; one that also holds the clicks is
    /// named by both flags
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    impressions: Vec<PathBuf>,
    /// Files of clicks, likewise
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    clicks: Vec<PathBuf>,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    conversions: ConversionFlags,
    /// Go on with the state in this folder, or begin one: only new files are read, and results are those of all files together.
    /// Needs --until (or --final), --rankers, and --pairs unless the log says it
    #[arg(long, value_name = "STATE", conflicts_with_all = ["set_aside", "detail", "disk", "order", "files"])]
    append: Option<PathBuf>,
    /// How late lines may come to a log that grows; later ones are behind, and do not count [default: 3d, or that of the state]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "append")]
    horizon: Option<i64>,
    /// The actions of UBI events that are clicks
    #[arg(long, value_name = "NAMES", default_value = "click,click_through")]
    actions: Vec<NameList>,
    /// Which pages the log keeps, for the check of their coins: only pages with clicks say nothing about coins
    #[arg(long, value_enum)]
    logged: Option<LoggedPages>,
    /// How often a list is drawn, for the same check: once for each user, each session or each impression
    #[arg(long, value_enum, default_value = "user")]
    coin: Unit,
    /// The clicks include those of pages outside the experiment, so that unknown impressions are expected
    #[arg(long)]
    other_pages: bool,
    /// What separates the entries of a list in CSV [default: spaces; lists in brackets are recognised]
    #[arg(long, value_name = "CHARACTER")]
    list_separator: Option<char>,
    /// What to do with lines that cannot be read
    #[arg(long, value_enum, default_value = "refuse")]
    malformed: MalformedLines,
    /// Write every line of impressions and clicks that does not count, with its reason, to set-aside.csv
    #[arg(long)]
    set_aside: bool,
    /// Write a row for each impression and each unit to detail-impressions.csv and detail-units.csv, in the order of the files, which
    /// are read twice; rows take some 100 bytes of memory each, beside --memory
    #[arg(long)]
    detail: bool,
    /// The folder to write to [default: results/credit-NAME, by the first file]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Move earlier results in the folder aside
    #[arg(long)]
    replace: bool,
    /// Memory in MB for records and tables; the rest goes to files
    #[arg(long, value_name = "MB", default_value = "1024", value_parser = parse_positive)]
    memory: u64,
    /// The order of lines; no count depends on it, but a log by time is joined in a third of the time
    #[arg(long, value_enum, default_value = "auto")]
    order: LineOrder,
    /// A folder for what exceeds the memory [default: in the results folder]
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
    /// MB that temporary files may take; a log in any order is read again where that is too little [default: no limit]
    #[arg(long, value_name = "MB", value_parser = parse_positive)]
    disk: Option<u64>,
    /// Threads [default: all processors]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<usize, 1024>)]
    threads: Option<usize>,
    /// Print no progress
    #[arg(long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LoggedPages {
    /// Every page that was shown
    Every,
    /// Only pages with clicks
    Clicked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LineOrder {
    /// By time if it seems so; if that proves wrong, the log is read again
    Auto,
    /// By time, apart from a minute: refuse a log that is not
    Time,
    /// Any
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MalformedLines {
    /// Stop at the first, with its place
    Refuse,
    /// Count them
    SetAside,
}

impl Credit {
    pub(super) fn run(mut self) -> Result<()> {
        let is_input = |path: &&PathBuf| path.as_os_str() == "-";
        let conversions = self.conversions.files();
        if self.impressions.iter().chain(&self.clicks).chain(conversions).filter(is_input).count() > 1 {
            bail!(usage("`-`, standard input, is named twice and can be read once; write one of the two to a file"));
        }
        let first = self.append.clone().unwrap_or_else(|| self.impressions[0].clone());
        self.impressions = inputs::files(&self.impressions)?;
        self.clicks = inputs::files(&self.clicks)?;
        let is_read_once = |path: &&PathBuf| !path.is_file() && (path.as_os_str() == "-" || path.exists());
        let mut twice = self.impressions.iter().chain(self.conversions.files());
        if let Some(path) = twice.find(is_read_once).filter(|_| self.detail) {
            bail!(usage(format!(
                "--detail reads impressions and orders twice, and {} can be read once; write it to a file",
                path.display()
            )));
        }
        let settings = self.settings()?;
        let conversions = self.conversions.read(&settings)?;
        let inputs = Inputs { impressions: self.impressions.clone(), clicks: self.clicks.clone() };
        let state = self.append.as_deref().map(|state| State::open(state, &settings, self.horizon)).transpose()?;
        let mut config = self.config(&settings, state.as_ref());
        if let Some(conversions) = &conversions {
            config["outcomes"] = conversions.description();
        }
        let path = self.out.clone().unwrap_or_else(|| default_folder(&first));
        let existing = ExistingResults::from_flag(self.replace);
        let folder = ResultsFolder::claim(&path, &config, existing)?;
        if let Some(aside) = folder.moves_to() {
            info(false, &format!("earlier results move to {} when the new ones are complete", aside.display()));
        }
        let scratch = Scratch::new(self.scratch.as_deref().unwrap_or(folder.path()))?;
        let order = match self.order {
            LineOrder::Time if self.set_aside || self.detail => {
                let flag = if self.set_aside { "--set-aside" } else { "--detail" };
                bail!(usage(format!("{flag} names lines that were read in any order; leave out --order time")))
            }
            LineOrder::Auto => Order::Auto,
            LineOrder::Time => Order::Time,
            LineOrder::Any => Order::Any,
        };
        let (memory, scratch_path) = (self.memory << 20, scratch.path.clone());
        let disk = self.disk.map(|mb| mb << 20);
        let threads = output::threads::count(self.threads);
        let resources =
            Resources { memory, threads, scratch_folder: scratch_path, disk, partitions: None, order, block: None };
        let watch = Bars::new(&inputs, self.quiet, super::Stop::new(vec![scratch.path.clone()]));
        let set_aside = scratch.path.join("set-aside.csv");
        let mut writer = self.set_aside.then(|| AsideWriter::new(&set_aside, &inputs)).transpose()?;
        let (mut details, traces) = (Vec::new(), self.set_aside || self.detail);
        let mut trace = |traced: Trace| {
            if let (Some(writer), Trace::Aside(aside)) = (&mut writer, &traced) {
                writer.write(aside);
            }
            if self.detail {
                details.push(traced);
            }
        };
        let credited_log = match state {
            Some(state) => append(state, &inputs, &settings, &resources, &watch)
                .map(|(credited_log, unkept)| (credited_log, Some(unkept))),
            None => {
                let trace: Option<&mut (dyn FnMut(Trace) + Send)> = if traces { Some(&mut trace) } else { None };
                let log = conversions.as_ref().map(|conversions| &conversions.log);
                let credited_log = credit_with_conversions(&inputs, log, &settings, &resources, &watch, trace);
                credited_log.map(|credited_log| (credited_log, None)).map_err(Into::into)
            }
        };
        watch.finish();
        drop(watch);
        let (credited_log, unkept) = credited_log?;
        writer.map(AsideWriter::finish).transpose()?;
        check(&credited_log, &settings, unkept.is_some())?;
        if self.detail {
            detail::write(&scratch.path, details, &credited_log, &inputs, &settings)?;
        }
        if let Some(conversions) = &conversions {
            conversions.check_cap_is_earlier(credited_log.times.map(|(first, _)| first))?;
        }
        if let (Some(of), Some(conversions), true) = (&credited_log.conversions, &conversions, self.detail) {
            detail::write_conversions(&scratch.path, of, &conversions.files, &settings)?;
        }
        let outcomes = crate::outcomes::outcomes_of_log(&credited_log);
        let conversions_csv = credited_log.conversions.as_ref().map(|of| of.conversions.to_csv());
        let summary = summary(&credited_log, &settings);
        folder.write(&config, || {
            let table = outcomes.to_csv();
            super::write(folder.path(), "outcomes.csv", &table)?;
            super::write(folder.path(), "fates.csv", &fates_csv(&credited_log))?;
            match &conversions_csv {
                Some(table) => super::write(folder.path(), CONVERSIONS_FILE, table)?,
                None => output::remove_stale(&folder.join(CONVERSIONS_FILE))?,
            }
            super::write(folder.path(), "pages.csv", &pages_csv(&credited_log))?;
            output::write_json_pretty(&folder.join(SUMMARY_FILE), &sealed_summary(&summary, &table)?)?;
            let has_conversion_detail = self.detail && conversions_csv.is_some();
            for (name, is_asked) in [
                ("set-aside.csv", self.set_aside),
                (detail::IMPRESSIONS, self.detail),
                (detail::UNITS, self.detail),
                (detail::CONVERSIONS, has_conversion_detail),
                (detail::CONVERSION_UNITS, has_conversion_detail),
            ] {
                output::remove_stale(&folder.join(name))?;
                if is_asked {
                    move_file(&scratch.path.join(name), &folder.join(name))?;
                }
            }
            // In the folder, which may be renamed in the end.
            drop(scratch);
            Ok(())
        })?;
        // Last: a process that is killed before has results that the same command writes again.
        unkept.map(PendingRun::keep).transpose()?;
        text(&report(&credited_log, &settings, &outcomes, &warnings(&summary), &path));
        Ok(())
    }

    fn settings(&self) -> Result<Settings> {
        Ok(Settings {
            actions: NameList::concat(&self.actions),
            list_separator: self.list_separator,
            logged: self.logged.map(|logged| match logged {
                LoggedPages::Every => PageSelection::Every,
                LoggedPages::Clicked => PageSelection::Clicked,
            }),
            coin: self.coin.into(),
            other_pages: self.other_pages,
            set_malformed_aside: self.malformed == MalformedLines::SetAside,
            holds_both: self.holds_both()?,
            ..self.rules.settings()?
        })
    }

    /// Whether each file is named as both: then it holds queries and events.
    fn holds_both(&self) -> Result<bool> {
        let shared_files = self.impressions.iter().filter(|path| self.clicks.contains(path)).count();
        if shared_files > 0 && (shared_files < self.impressions.len() || shared_files < self.clicks.len()) {
            bail!(usage(
                "a file is named by --impressions and by --clicks, and another by one of them alone; name files of both kinds of lines \
                 twice in a call of their own"
            ));
        }
        Ok(shared_files > 0)
    }

    /// All that results depend on.
    fn config(&self, settings: &Settings, state: Option<&State>) -> Value {
        if let Some(state) = state {
            // The same for every run: results of the next one take the place of these.
            let mut config = settings.description();
            config["command"] = "click-logs credit".into();
            config["append"] = state.folder().display().to_string().into();
            config["horizon"] = duration_text(state.horizon()).into();
            return config;
        }
        let names = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
        let complete = match settings.complete {
            LogEnd::LastImpression => "last impression".to_owned(),
            LogEnd::Until(time) => times::text(time),
            LogEnd::Final => "final".to_owned(),
        };
        let mut config = settings.description();
        config["command"] = "click-logs credit".into();
        config["impressions"] = names(&self.impressions).into();
        config["clicks"] = names(&self.clicks).into();
        config["complete_until"] = complete.into();
        config
    }
}

/// Refuses results that are meaningless because a setting does not fit the log. A log that `grows` may meet a ranker
/// later.
fn check(credited_log: &CreditedLog, settings: &Settings, grows: bool) -> Result<()> {
    let tally = &credited_log.tally;
    let [lines, _] = tally.lines();
    let all_are = |fate| lines > 0 && tally.of_impressions(fate) == lines;
    let missing_unit_error =
        |unit: &str, other: &str| usage(format!("no impression has a {unit}; choose another unit: --unit {other}"));
    if lines == 0 {
        bail!("the files of impressions have no lines; pass those with the lists that were shown");
    }
    if all_are(ImpressionFate::NoUnit) {
        bail!(if settings.unit == UnitKind::User {
            missing_unit_error("user", "session")
        } else {
            missing_unit_error("session", "user")
        });
    }
    let has_mixed = lines > tally.of_impressions(ImpressionFate::NotMixed);
    if let ([name, ..], true) = (&credited_log.never_met[..], has_mixed && !grows) {
        let met: Vec<&str> = credited_log
            .rankers
            .iter()
            .filter(|name| !credited_log.never_met.contains(name))
            .map(String::as_str)
            .collect();
        bail!(usage(format!("--rankers names {name}, which no impression does; the log has {}", met.join(", "))));
    }
    // Doubles of lists that were not mixed do not change that.
    let not_mixed = tally.of_impressions(ImpressionFate::NotMixed);
    if not_mixed > 0 && not_mixed + tally.of_impressions(ImpressionFate::Duplicate) == lines {
        bail!(usage(
            "no impression has teams or a receipt, so that no click can be credited to a ranker; log how lists were mixed"
        ));
    }
    if let (Some(dwell), true) = (settings.dwell, tally.lacks_dwell()) {
        bail!(usage(format!(
            "--dwell {}, but no click has a `dwell`, so none would count; log it (seconds), or leave out --dwell",
            duration_text(dwell)
        )));
    }
    Ok(())
}

fn default_folder(first: &Path) -> PathBuf {
    let name = first.file_name().map_or_else(|| "log".into(), |name| name.to_string_lossy());
    let stem = name.split('.').next().unwrap_or("log");
    let folder =
        first.parent().and_then(Path::file_name).map(|folder| folder.to_string_lossy() + "-").unwrap_or_default();
    let clean = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    let name: String = format!("credit-{folder}{stem}").chars().map(clean).collect();
    Path::new("results").join(name.trim_end_matches('-'))
}

/// Progress of reading, then of joining.
struct Bars {
    reading: Mutex<Progress>,
    joining: Mutex<Option<Progress>>,
    bytes: u64,
    quiet: bool,
    stop: super::Stop,
}

impl Bars {
    fn new(inputs: &Inputs, quiet: bool, stop: super::Stop) -> Self {
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let bytes = inputs.impressions.iter().chain(&inputs.clicks).map(size).sum();
        let reading = Mutex::new(Progress::new("bytes read", bytes, quiet));
        Self { reading, joining: Mutex::new(None), bytes, quiet, stop }
    }

    fn finish(&self) {
        locked(&self.reading).finish();
        if let Some(bar) = locked(&self.joining).take() {
            bar.finish();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch for Bars {
    fn read(&self, bytes: u64) {
        self.stop.if_asked();
        locked(&self.reading).advance(bytes);
    }

    fn join(&self, partitions: usize) {
        locked(&self.reading).finish();
        *locked(&self.joining) = Some(Progress::new("partitions joined", partitions as u64, self.quiet));
    }

    fn partition_joined(&self) {
        self.stop.if_asked();
        if let Some(bar) = &*locked(&self.joining) {
            bar.advance(1);
        }
    }

    fn reading_again(&self, why: &str) {
        let mut reading = locked(&self.reading);
        reading.finish();
        info(self.quiet, why);
        *reading = Progress::new("bytes read", self.bytes, self.quiet);
    }
}
