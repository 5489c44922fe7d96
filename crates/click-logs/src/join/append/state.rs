//! The state kept from run to run: a folder with a description, `state.json`, and the data file that it names.
//!
//! A run writes its data into a new file. Then the description, which names that file, is replaced in one step, and the data of
//! the run before are removed. So a killed process leaves either the old state or the new one.

use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use output::checksum::{self, sha256_hex, sha256_hex_of};
use output::difference::{Compare, first_difference};
use output::input;
use output::lock::Lock;
use output::sealed::{Seal, Sealed, unsealed};
use output::usage::usage;
use ranktypes::varint;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use times::duration_text;

use crate::error::LogError;
use crate::join::credit::Inputs;
use crate::join::encode_blocks::Kind;
use crate::join::tally::Tally;
use crate::join::units::{OfDay, unzigzag, zigzag};
use crate::model::{Alone, Complete, Lineup, Lineups, Settings};

/// The name of the description.
const DESCRIPTION: &str = "state.json";
/// The version of the form of both files.
const FORM: u32 = 1;
/// A larger description is invalid.
const MOST_BYTES: u64 = 1 << 30;
/// How late lines may come by default: three days, in milliseconds.
pub const HORIZON: i64 = 3 * times::DAY;
/// The number of parts of the records of impressions, and of those of units.
pub(super) const PARTS: usize = 64;

/// A section of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// Records of impressions that may change.
    Impressions(usize),
    /// Records of clicks that may find an impression.
    Clicks(usize),
    /// Units.
    Units(usize),
    /// Outcomes of impressions that are over, on days that are not.
    Ahead(usize),
    /// The days that are over.
    Days,
}

impl Section {
    /// Its place in the data.
    fn number(self) -> usize {
        match self {
            Self::Impressions(part) => 2 * part,
            Self::Clicks(part) => 2 * part + 1,
            Self::Units(part) => 2 * PARTS + 2 * part,
            Self::Ahead(part) => 2 * PARTS + 2 * part + 1,
            Self::Days => SECTIONS - 1,
        }
    }
}

const SECTIONS: usize = 4 * PARTS + 1;

/// The description of a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    form: u32,
    /// The rules of the analysis.
    settings: Value,
    /// How late lines may come, in milliseconds.
    pub(super) horizon: i64,
    /// Until when the log was complete at the last run, in milliseconds since 1970; `None` before the first.
    pub(super) until: Option<i64>,
    /// Whether the log is complete.
    is_final: bool,
    /// The number of runs so far.
    pub(super) runs: u64,
    files: Vec<Taken>,
    /// Final fates of lines: kind of line, fate, count.
    tally: Vec<(String, String, u64)>,
    /// The times of impressions by day.
    pub(super) times: Vec<(i32, i64, i64, u64)>,
    lineups: Vec<KeptLineup>,
    /// How pairs were chosen, by version, for versions with days that are over.
    pub(super) choices: Vec<(Option<String>, String)>,
    pub(super) is_synthetic: bool,
    pub(super) other_actions: Vec<String>,
    /// The bytes of each section of the data.
    sections: Vec<u64>,
}

/// A file that was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Taken {
    run: u64,
    is_clicks: bool,
    name: String,
    checksum: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptLineup {
    rankers: Vec<String>,
    method: String,
    is_of_two: bool,
    version: Option<String>,
    declared: Option<String>,
    alone: u8,
}

impl KeptLineup {
    fn of(lineup: &Lineup) -> Self {
        let Lineup { rankers, method, version, declared, alone, .. } = lineup;
        Self {
            rankers: rankers.clone(),
            method: method.clone(),
            is_of_two: lineup.is_of_two(),
            version: version.clone(),
            declared: declared.map(|choice| choice.name().to_owned()),
            alone: *alone as u8,
        }
    }

    fn add_to(&self, lineups: &Lineups) -> Result<bool, String> {
        let declared = self.declared.as_deref().map(str::parse).transpose()?;
        let alone = [Alone::No, Alone::Maybe, Alone::Yes].into_iter().find(|alone| *alone as u8 == self.alone);
        let names: Vec<&str> = self.rankers.iter().map(String::as_str).collect();
        let next = lineups.all().len();
        let (alone, version) = (alone.ok_or("an unknown kind of list")?, self.version.as_deref());
        let number = lineups.number(&names, &self.method, self.is_of_two, version, declared, alone)?;
        Ok(number as usize == next)
    }
}

/// A state, locked as long as this lives.
#[derive(Debug)]
pub struct State {
    folder: PathBuf,
    pub(super) held: Description,
    _lock: Lock,
}

impl State {
    /// Opens the state in a folder, or begins one there, for these settings; `horizon` is how late lines may come, in
    /// milliseconds: that of the state, or [`HORIZON`], if `None`.
    ///
    /// # Errors
    /// If another process uses it, it is damaged or of another analysis, or the settings lack what is needed before a day is
    /// over.
    pub fn open(folder: &Path, settings: &Settings, horizon: Option<i64>) -> Result<Self> {
        if settings.rankers.len() < 2 {
            bail!(usage("--append counts days before later ones are known: name all rankers, e.g. --rankers old,new"));
        }
        if settings.complete == Complete::LastImpression {
            bail!(usage("--append needs to know until when the files are complete: pass --until TIME, or --final"));
        }
        let is_new = !folder.exists();
        output::create_folder(folder)?;
        let opened = Self::open_existing(folder, settings, horizon);
        if opened.is_err() && is_new {
            // Only an empty one is.
            let _ = fs::remove_dir(folder);
        }
        opened
    }

    fn open_existing(folder: &Path, settings: &Settings, horizon: Option<i64>) -> Result<Self> {
        let lock = Lock::of_folder(folder)?;
        let lock = lock.ok_or_else(|| {
            anyhow!("another command is working in {}; wait until it ends, or choose another folder", folder.display())
        })?;
        let held = match input::read_file(&folder.join(DESCRIPTION), MOST_BYTES) {
            Ok(bytes) => Some(Description::read(&bytes).map_err(|why| damaged(&folder.join(DESCRIPTION), &why))?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(LogError::io(&folder.join(DESCRIPTION), "cannot be read", &error).into()),
        };
        let least = settings.window.saturating_add(settings.skew);
        let described = settings.described();
        let held = match held {
            Some(held) => {
                let name = folder.display();
                if let Some(difference) = first_difference(&held.settings, &described, Compare::Everything) {
                    bail!(usage(format!(
                        "{name} is the state of another analysis: {difference}; pass the same settings, or begin with another folder"
                    )));
                }
                if let Some(horizon) = horizon.filter(|horizon| *horizon != held.horizon) {
                    let [held, wanted] = [held.horizon, horizon].map(duration_text);
                    bail!(usage(format!("{name} has the horizon {held}, not {wanted}; leave out --horizon")));
                }
                if held.is_final {
                    bail!(usage(format!("{name} was closed by --final; nothing can be added to it")));
                }
                held
            }
            None => {
                let is_other = |name: &str| !name.starts_with('.') && number_of_data(name).is_none();
                let mut names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
                if let Some(other) = names.find(|name| is_other(&name.to_string_lossy())) {
                    let (name, other) = (folder.display(), other.to_string_lossy().into_owned());
                    bail!(usage(format!("{name} holds {other} and no state; name a folder that is new")));
                }
                Description {
                    form: FORM,
                    settings: described,
                    horizon: horizon.unwrap_or(HORIZON.max(least)),
                    until: None,
                    is_final: false,
                    runs: 0,
                    files: Vec::new(),
                    tally: Vec::new(),
                    times: Vec::new(),
                    lineups: Vec::new(),
                    choices: Vec::new(),
                    is_synthetic: false,
                    other_actions: Vec::new(),
                    sections: Vec::new(),
                }
            }
        };
        if held.horizon < least {
            let [horizon, least] = [held.horizon, least].map(duration_text);
            bail!(usage(format!("--horizon {horizon} is less than the window of clicks and the skew, {least}")));
        }
        if let (Some(before), Complete::Until(until)) = (held.until, settings.complete)
            && until < before
        {
            let [before, until] = [before, until].map(times::text);
            bail!(usage(format!("--until {until} is before {before}, that of the last run of {}", folder.display())));
        }
        let state = Self { folder: folder.to_path_buf(), held, _lock: lock };
        state.remove_other_data();
        state.check_length()?;
        Ok(state)
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How late lines may come, in milliseconds.
    #[must_use]
    pub fn horizon(&self) -> i64 {
        self.held.horizon
    }

    /// Lines of earlier times are behind.
    #[must_use]
    pub fn behind(&self) -> i64 {
        self.held.until.map_or(i64::MIN, |until| until.saturating_sub(self.held.horizon))
    }

    /// The last day that is final when lines are complete until this time.
    ///
    /// Later lines are no older than a horizon, and a click on an impression comes within its window and skew.
    pub(super) fn last_day_over(&self, settings: &Settings, until: i64) -> i32 {
        if until == i64::MAX {
            return i32::MAX;
        }
        let reach = settings.window.saturating_add(settings.skew).saturating_add(self.held.horizon);
        settings.zone.day(until.saturating_sub(reach)) - 1
    }

    /// Files that this run takes, by the checksum of their bytes; calls `read` with numbers of bytes.
    ///
    /// # Errors
    /// If one was taken before, or cannot be read.
    pub(super) fn taken(&self, inputs: &Inputs, mut read: impl FnMut(usize)) -> Result<Vec<Taken>> {
        let mut taken: Vec<Taken> = Vec::new();
        for (kind, paths) in [(Kind::Impressions, &inputs.impressions), (Kind::Clicks, &inputs.clicks)] {
            for path in paths {
                if path == Path::new("-") {
                    bail!(usage("--append takes files, so that none counts twice; write standard input to a file"));
                }
                let file = input::open(path).and_then(|file| sha256_hex_of(file, &mut read));
                let checksum = file.map_err(|error| LogError::io(path, "cannot be read", &error))?;
                taken.push(self.take(kind == Kind::Clicks, path.display().to_string(), checksum)?);
            }
        }
        Ok(taken)
    }

    /// Something that this run takes, called `name`.
    ///
    /// # Errors
    /// If it was taken before.
    pub(super) fn take(&self, is_clicks: bool, name: String, checksum: String) -> Result<Taken> {
        let is_same = |other: &&Taken| other.is_clicks == is_clicks && other.checksum == checksum;
        if let Some(before) = self.held.files.iter().find(is_same) {
            let Taken { run, name: before, .. } = before;
            let by = if *before == name { String::new() } else { format!(" as {before}") };
            let state = self.folder.display();
            bail!(usage(format!("{name}: its lines were taken by {state} in run {run}{by}; leave it out")));
        }
        Ok(Taken { run: self.held.runs + 1, is_clicks, name, checksum })
    }

    /// Refuses files that have lines and are the same.
    pub(super) fn refuse_same(files: &[Taken]) -> Result<()> {
        for (at, file) in files.iter().enumerate() {
            let is_same = |other: &&Taken| (other.is_clicks, &other.checksum) == (file.is_clicks, &file.checksum);
            if let Some(before) = files[..at].iter().find(is_same) {
                bail!(usage(format!("{}: it has the same lines as {}; name one of them", file.name, before.name)));
            }
        }
        Ok(())
    }

    /// The lineups of all records.
    pub(in crate::join) fn lineups(&self) -> Result<Lineups, LogError> {
        let lineups = Lineups::default();
        for lineup in &self.held.lineups {
            let has_its_number = lineup.add_to(&lineups).map_err(|why| self.damaged(&why))?;
            if !has_its_number {
                return Err(self.damaged("it names a set of rankers twice"));
            }
        }
        Ok(lineups)
    }

    /// Final fates of lines.
    pub(super) fn tally(&self) -> Result<Tally, LogError> {
        let mut tally = Tally::default();
        for (what, fate, count) in &self.held.tally {
            if !tally.add_row(what, fate, *count) {
                return Err(self.damaged(&format!("the fate {fate} is unknown")));
            }
        }
        Ok(tally)
    }

    fn damaged(&self, why: &str) -> LogError {
        damaged(&self.folder.join(DESCRIPTION), why)
    }

    fn data(&self) -> PathBuf {
        self.folder.join(data_name(self.held.runs))
    }

    fn check_length(&self) -> Result<(), LogError> {
        if self.held.sections.is_empty() {
            return Ok(());
        }
        let path = self.data();
        let found = fs::metadata(&path).map_err(|error| LogError::io(&path, "cannot be read", &error))?.len();
        if found == self.held.sections.iter().sum::<u64>() {
            Ok(())
        } else {
            Err(damaged(&path, "its length is another"))
        }
    }

    /// The bytes of a section; none before the first run.
    pub(super) fn section(&self, section: Section) -> Result<Vec<u8>, LogError> {
        let number = section.number();
        let Some(&length) = self.held.sections.get(number) else { return Ok(Vec::new()) };
        let path = self.data();
        let from = self.held.sections[..number].iter().sum();
        let mut bytes = Vec::new();
        let read = input::open(&path).and_then(|mut file| {
            file.seek(SeekFrom::Start(from))?;
            bytes = input::buffer_for(length)?;
            file.take(length).read_to_end(&mut bytes)
        });
        read.map_err(|error| LogError::io(&path, "cannot be read", &error))?;
        let head = head(self.held.runs, number);
        let body = checksum::unseal(&bytes).and_then(|body| body.strip_prefix(&*head)).map(<[u8]>::len);
        let body = body.ok_or_else(|| damaged(&path, "its checksum does not fit"))?;
        bytes.truncate(head.len() + body);
        bytes.drain(..head.len());
        Ok(bytes)
    }

    /// The days that are over, by the number of their version.
    pub(super) fn days(&self) -> Result<Vec<(DayKey, OfDay)>, LogError> {
        let bytes = self.section(Section::Days)?;
        let (mut rest, mut days) = (bytes.as_slice(), Vec::new());
        while !rest.is_empty() {
            let day = read_day(&mut rest).ok_or_else(|| damaged(&self.data(), "a day is cut off"))?;
            days.push(day);
        }
        Ok(days)
    }

    /// The error for data with a wrong checksum.
    pub(super) fn damaged_data(&self) -> LogError {
        damaged(&self.data(), "a record is none")
    }

    /// Removes data that the description does not name, left by a killed run.
    fn remove_other_data(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let number = entry.file_name().to_str().and_then(number_of_data);
            if number.is_some_and(|number| number != self.held.runs || self.held.sections.is_empty()) {
                // The next run removes what cannot be removed now.
                let _ = fs::remove_file(entry.path());
            }
        }
        output::remove_leftovers(&self.folder.join(DESCRIPTION));
    }

    /// Begins to write the data of the next run.
    pub(super) fn write_next(&self) -> Result<Writer, LogError> {
        let run = self.held.runs + 1;
        let path = self.folder.join(data_name(run));
        let file = input::open_with(File::options().create(true).truncate(true).write(true), &path);
        let file = BufWriter::new(file.map_err(|error| LogError::io(&path, "cannot be written", &error))?);
        Ok(Writer { path, file, run, sections: Vec::new() })
    }
}

/// A folder that was created and got no state is removed.
impl Drop for State {
    fn drop(&mut self) {
        if self.held.runs == 0 {
            // Only an empty one is.
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// The version, the day and the pair of a row of counts.
pub(super) type DayKey = (usize, i32, (usize, usize));

fn write_day(((version, day, (i, j)), of): (DayKey, OfDay), bytes: &mut Vec<u8>) {
    [version as u64, zigzag(day.into()), i as u64, j as u64]
        .into_iter()
        .for_each(|number| varint::write(number, bytes));
    of.numbers().into_iter().for_each(|number| varint::write(zigzag(number), bytes));
}

fn read_day(rest: &mut &[u8]) -> Option<(DayKey, OfDay)> {
    let mut read = || {
        let (number, after) = varint::read(rest)?;
        *rest = after;
        Some(number)
    };
    let key = (read()? as usize, i32::try_from(unzigzag(read()?)).ok()?, (read()? as usize, read()? as usize));
    let mut numbers = [0; OfDay::NUMBERS];
    for number in &mut numbers {
        *number = unzigzag(read()?);
    }
    Some((key, OfDay::of_numbers(numbers)))
}

/// The data of a run that is not over.
pub(super) struct Writer {
    path: PathBuf,
    file: BufWriter<File>,
    run: u64,
    sections: Vec<u64>,
}

impl Writer {
    /// Writes the next section, which must be this one.
    pub(super) fn write(&mut self, section: Section, bytes: &[u8]) -> Result<(), LogError> {
        debug_assert_eq!(section.number(), self.sections.len());
        let mut body = head(self.run, section.number());
        body.extend_from_slice(bytes);
        let sealed = checksum::seal(body);
        self.file.write_all(&sealed).map_err(|error| self.failed(&error))?;
        self.sections.push(sealed.len() as u64);
        Ok(())
    }

    /// Writes the last section.
    pub(super) fn write_days(&mut self, days: impl Iterator<Item = (DayKey, OfDay)>) -> Result<(), LogError> {
        let mut bytes = Vec::new();
        days.for_each(|day| write_day(day, &mut bytes));
        self.write(Section::Days, &bytes)
    }

    fn failed(&self, error: &std::io::Error) -> LogError {
        LogError::io(&self.path, "cannot be written", error)
    }
}

/// The content of the next description, apart from the files and the data.
pub(super) struct Next {
    pub(super) tally: Tally,
    pub(super) times: Vec<(i32, i64, i64, u64)>,
    pub(super) lineups: Vec<Lineup>,
    pub(super) choices: Vec<(Option<String>, String)>,
    pub(super) is_synthetic: bool,
    pub(super) other_actions: Vec<String>,
    pub(super) files: Vec<Taken>,
}

/// A run whose results are known but not yet stored.
#[must_use = "the state stays as it was until this is kept"]
pub struct Unkept {
    state: State,
    next: Description,
    writer: Option<Writer>,
}

impl Unkept {
    pub(super) fn new(state: State, settings: &Settings, next: Next, writer: Writer) -> Self {
        let Next { tally, times, lineups, choices, is_synthetic, other_actions, files } = next;
        let (until, is_final) = match settings.complete {
            Complete::Until(until) => (Some(until), false),
            _ => (state.held.until, true),
        };
        let rows = tally.rows().into_iter();
        let next = Description {
            form: FORM,
            settings: state.held.settings.clone(),
            horizon: state.held.horizon,
            until,
            is_final,
            runs: writer.run,
            files: state.held.files.iter().cloned().chain(files).collect(),
            tally: rows.map(|(what, fate, count)| (what.to_owned(), fate.to_owned(), count)).collect(),
            times,
            lineups: lineups.iter().map(KeptLineup::of).collect(),
            choices,
            is_synthetic,
            other_actions,
            sections: writer.sections.clone(),
        };
        Self { state, next, writer: Some(writer) }
    }

    /// Makes it the state, in one step, to be called when its results are written.
    ///
    /// # Errors
    /// If it cannot be written; then the state is as it was.
    pub fn keep(mut self) -> Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let flushed = writer.file.flush().and_then(|()| writer.file.get_ref().sync_all());
        flushed.map_err(|error| writer.failed(&error))?;
        let path = self.state.folder.join(DESCRIPTION);
        let sealed = Sealed::new(&self.next).context("failed to describe the state")?;
        output::write_json_pretty(&path, &sealed)?;
        self.writer = None;
        self.state.held = self.next.clone();
        self.state.remove_other_data();
        Ok(())
    }
}

/// Removes the data of a run that was not kept.
impl Drop for Unkept {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            drop(writer.file);
            let _ = fs::remove_file(writer.path);
        }
    }
}

/// The checksum of records in memory.
pub(super) fn checksum_of<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Result<String> {
    let mut sums = String::new();
    for piece in pieces {
        sums += &sha256_hex_of(piece, drop)?;
    }
    Ok(sha256_hex(&sums))
}

impl Description {
    /// The one in the bytes of a file.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let (value, seal) = unsealed(bytes).ok_or("it is cut off, or not JSON")?;
        match seal {
            Seal::Intact => {}
            Seal::Missing => return Err("it has no checksum".to_owned()),
            Seal::Broken => return Err("its checksum does not fit".to_owned()),
        }
        if let Some(form) = value["form"].as_u64().filter(|form| *form != u64::from(FORM)) {
            return Err(format!("it has the form {form} of another version of this program, which reads {FORM}"));
        }
        let held: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        if held.sections.len() == SECTIONS { Ok(held) } else { Err("it describes other data".to_owned()) }
    }
}

fn damaged(path: &Path, why: &str) -> LogError {
    LogError::new(format!(
        "the state cannot be read: {why}; put back a copy of its folder, or begin with another one and all files"
    ))
    .in_file(path)
}

/// The beginning of a section, so that none is taken for another.
fn head(run: u64, number: usize) -> Vec<u8> {
    let mut head = Vec::new();
    varint::write(run, &mut head);
    varint::write(number as u64, &mut head);
    head
}

fn data_name(run: u64) -> String {
    format!("data-{run}.bin")
}

fn number_of_data(name: &str) -> Option<u64> {
    name.strip_prefix("data-")?.strip_suffix(".bin")?.parse().ok()
}
