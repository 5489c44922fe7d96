//! The state kept from run to run: a folder with a description, `state.json`, and the data file that it names.
//!
//! A run writes its data into a new file. Then the description, which names that file, is replaced in one step, and the data of
//! the run before are removed. So a killed process leaves either the old state or the new one.

use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use output::checksum::{self, sha256_hex, sha256_hex_of};
use output::difference::{Compare, first_difference};
use output::input;
use output::lock::Lock;
use output::usage::usage;
use times::duration_text;

use super::description::{Description, FORMAT_VERSION, InputFile};
use super::sections::{DayKey, Section, SectionWriter, head, read_day};
use crate::error::LogError;
use crate::join::encode_blocks::LineKind;
use crate::join::inputs::Inputs;
use crate::join::tally::Tally;
use crate::join::units::DayTotals;
use crate::model::{Lineups, LogEnd, Settings};

/// The name of the description.
pub(super) const DESCRIPTION: &str = "state.json";
/// A larger description is invalid.
const MAX_DESCRIPTION_BYTES: u64 = 1 << 30;
/// How late lines may come by default: three days, in milliseconds.
pub const DEFAULT_HORIZON: i64 = 3 * times::DAY;
/// A state, locked as long as this lives.
#[derive(Debug)]
pub struct State {
    pub(super) folder: PathBuf,
    pub(super) description: Description,
    _lock: Lock,
}

impl State {
    /// Opens the state in a folder, or begins one there, for these settings; `horizon` is how late lines may come, in
    /// milliseconds: that of the state, or [`DEFAULT_HORIZON`], if `None`.
    ///
    /// # Errors
    /// If another process uses it, it is damaged or of another analysis, or the settings lack what is needed before a day is
    /// over.
    pub fn open(folder: &Path, settings: &Settings, horizon: Option<i64>) -> Result<Self> {
        if settings.rankers.len() < 2 {
            bail!(usage("--append counts days before later ones are known: name all rankers, e.g. --rankers old,new"));
        }
        if settings.complete == LogEnd::LastImpression {
            bail!(usage("--append needs to know until when the files are complete: pass --until TIME, or --final"));
        }
        let is_new = !folder.exists();
        output::create_folder(folder)?;
        let state = Self::open_in_folder(folder, settings, horizon);
        if state.is_err() && is_new {
            // This removes only an empty folder.
            let _ = fs::remove_dir(folder);
        }
        state
    }

    fn open_in_folder(folder: &Path, settings: &Settings, horizon: Option<i64>) -> Result<Self> {
        let lock = Lock::of_folder(folder)?;
        let lock = lock.ok_or_else(|| {
            anyhow!("another command is working in {}; wait until it ends, or choose another folder", folder.display())
        })?;
        let description = match input::read_file(&folder.join(DESCRIPTION), MAX_DESCRIPTION_BYTES) {
            Ok(bytes) => Some(Description::read(&bytes).map_err(|why| damaged(&folder.join(DESCRIPTION), &why))?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(LogError::io(&folder.join(DESCRIPTION), "cannot be read", &error).into()),
        };
        let min_horizon = settings.window.saturating_add(settings.skew);
        let settings_description = settings.description();
        let description = match description {
            Some(description) => {
                let name = folder.display();
                if let Some(difference) =
                    first_difference(&description.settings, &settings_description, Compare::Everything)
                {
                    bail!(usage(format!(
                        "{name} is the state of another analysis: {difference}; pass the same settings, or begin with another folder"
                    )));
                }
                if let Some(horizon) = horizon.filter(|horizon| *horizon != description.horizon) {
                    let [held, wanted] = [description.horizon, horizon].map(duration_text);
                    bail!(usage(format!("{name} has the horizon {held}, not {wanted}; leave out --horizon")));
                }
                if description.is_final {
                    bail!(usage(format!("{name} was closed by --final; nothing can be added to it")));
                }
                description
            }
            None => {
                let is_other = |name: &str| !name.starts_with('.') && run_of_data_name(name).is_none();
                let mut names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
                if let Some(other) = names.find(|name| is_other(&name.to_string_lossy())) {
                    let (name, other) = (folder.display(), other.to_string_lossy().into_owned());
                    bail!(usage(format!("{name} holds {other} and no state; name a folder that is new")));
                }
                Description {
                    form: FORMAT_VERSION,
                    settings: settings_description,
                    horizon: horizon.unwrap_or(DEFAULT_HORIZON.max(min_horizon)),
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
        if description.horizon < min_horizon {
            let [horizon, min_horizon] = [description.horizon, min_horizon].map(duration_text);
            bail!(usage(format!("--horizon {horizon} is less than the window of clicks and the skew, {min_horizon}")));
        }
        if let (Some(last_until), LogEnd::Until(until)) = (description.until, settings.complete)
            && until < last_until
        {
            let [last_until, until] = [last_until, until].map(times::text);
            bail!(usage(format!(
                "--until {until} is before {last_until}, that of the last run of {}",
                folder.display()
            )));
        }
        let state = Self { folder: folder.to_path_buf(), description, _lock: lock };
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
        self.description.horizon
    }

    /// Lines of earlier times are behind.
    #[must_use]
    pub fn behind_before(&self) -> i64 {
        self.description.until.map_or(i64::MIN, |until| until.saturating_sub(self.description.horizon))
    }

    /// The last day that is final when lines are complete until this time.
    ///
    /// Later lines are no older than a horizon, and a click on an impression comes within its window and skew.
    pub(super) fn last_day_over(&self, settings: &Settings, until: i64) -> i32 {
        if until == i64::MAX {
            return i32::MAX;
        }
        let reach = settings.window.saturating_add(settings.skew).saturating_add(self.description.horizon);
        settings.zone.day(until.saturating_sub(reach)) - 1
    }

    /// Files that this run takes, by the checksum of their bytes; calls `read` with numbers of bytes.
    ///
    /// # Errors
    /// If one was taken before, or cannot be read.
    pub(super) fn input_files(&self, inputs: &Inputs, mut read: impl FnMut(usize)) -> Result<Vec<InputFile>> {
        let mut files: Vec<InputFile> = Vec::new();
        for (kind, paths) in [(LineKind::Impressions, &inputs.impressions), (LineKind::Clicks, &inputs.clicks)] {
            for path in paths {
                if path == Path::new("-") {
                    bail!(usage("--append takes files, so that none counts twice; write standard input to a file"));
                }
                let file = input::open(path).and_then(|file| sha256_hex_of(file, &mut read));
                let checksum = file.map_err(|error| LogError::io(path, "cannot be read", &error))?;
                files.push(self.input_file(kind == LineKind::Clicks, path.display().to_string(), checksum)?);
            }
        }
        Ok(files)
    }

    /// Something that this run takes, called `name`.
    ///
    /// # Errors
    /// If it was taken before.
    pub(super) fn input_file(&self, is_clicks: bool, name: String, checksum: String) -> Result<InputFile> {
        let is_same = |other: &&InputFile| other.is_clicks == is_clicks && other.checksum == checksum;
        if let Some(earlier) = self.description.files.iter().find(is_same) {
            let InputFile { run, name: earlier, .. } = earlier;
            let alias = if *earlier == name { String::new() } else { format!(" as {earlier}") };
            let state = self.folder.display();
            bail!(usage(format!("{name}: its lines were taken by {state} in run {run}{alias}; leave it out")));
        }
        Ok(InputFile { run: self.description.runs + 1, is_clicks, name, checksum })
    }

    /// Refuses files that have lines and are the same.
    pub(super) fn refuse_same(files: &[InputFile]) -> Result<()> {
        for (index, file) in files.iter().enumerate() {
            let is_same = |other: &&InputFile| (other.is_clicks, &other.checksum) == (file.is_clicks, &file.checksum);
            if let Some(earlier) = files[..index].iter().find(is_same) {
                bail!(usage(format!("{}: it has the same lines as {}; name one of them", file.name, earlier.name)));
            }
        }
        Ok(())
    }

    /// The lineups of all records.
    pub(in crate::join) fn lineups(&self) -> Result<Lineups, LogError> {
        let lineups = Lineups::default();
        for lineup in &self.description.lineups {
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
        for (what, fate, count) in &self.description.tally {
            if !tally.add_row(what, fate, *count) {
                return Err(self.damaged(&format!("the fate {fate} is unknown")));
            }
        }
        Ok(tally)
    }

    fn damaged(&self, why: &str) -> LogError {
        damaged(&self.folder.join(DESCRIPTION), why)
    }

    fn data_path(&self) -> PathBuf {
        self.folder.join(data_name(self.description.runs))
    }

    fn check_length(&self) -> Result<(), LogError> {
        if self.description.sections.is_empty() {
            return Ok(());
        }
        let path = self.data_path();
        let length = fs::metadata(&path).map_err(|error| LogError::io(&path, "cannot be read", &error))?.len();
        if length == self.description.sections.iter().sum::<u64>() {
            Ok(())
        } else {
            Err(damaged(&path, "its length is another"))
        }
    }

    /// The bytes of a section; none before the first run.
    pub(super) fn section(&self, section: Section) -> Result<Vec<u8>, LogError> {
        let number = section.number();
        let Some(&length) = self.description.sections.get(number) else { return Ok(Vec::new()) };
        let path = self.data_path();
        let start = self.description.sections[..number].iter().sum();
        let mut bytes = Vec::new();
        let read_result = input::open(&path).and_then(|mut file| {
            file.seek(SeekFrom::Start(start))?;
            bytes = input::buffer_for(length)?;
            file.take(length).read_to_end(&mut bytes)
        });
        read_result.map_err(|error| LogError::io(&path, "cannot be read", &error))?;
        let head = head(self.description.runs, number);
        let body = checksum::unseal(&bytes).and_then(|body| body.strip_prefix(&*head)).map(<[u8]>::len);
        let body = body.ok_or_else(|| damaged(&path, "its checksum does not fit"))?;
        bytes.truncate(head.len() + body);
        bytes.drain(..head.len());
        Ok(bytes)
    }

    /// The days that are over, by the number of their version.
    pub(super) fn days(&self) -> Result<Vec<(DayKey, DayTotals)>, LogError> {
        let bytes = self.section(Section::Days)?;
        let (mut unread, mut days) = (bytes.as_slice(), Vec::new());
        while !unread.is_empty() {
            let day = read_day(&mut unread).ok_or_else(|| damaged(&self.data_path(), "a day is cut off"))?;
            days.push(day);
        }
        Ok(days)
    }

    /// The error for data with a record that cannot be read.
    pub(super) fn damaged_data(&self) -> LogError {
        damaged(&self.data_path(), "a record is none")
    }

    /// Removes data that the description does not name, left by a killed run.
    pub(super) fn remove_other_data(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let number = entry.file_name().to_str().and_then(run_of_data_name);
            if number.is_some_and(|number| number != self.description.runs || self.description.sections.is_empty()) {
                // The next run removes what cannot be removed now.
                let _ = fs::remove_file(entry.path());
            }
        }
        output::remove_leftovers(&self.folder.join(DESCRIPTION));
    }

    /// Begins to write the data of the next run.
    pub(super) fn next_writer(&self) -> Result<SectionWriter, LogError> {
        let run = self.description.runs + 1;
        let path = self.folder.join(data_name(run));
        let file = input::open_with(File::options().create(true).truncate(true).write(true), &path);
        let file = BufWriter::new(file.map_err(|error| LogError::io(&path, "cannot be written", &error))?);
        Ok(SectionWriter { path, file, run, sections: Vec::new() })
    }
}

/// A folder that was created and got no state is removed.
impl Drop for State {
    fn drop(&mut self) {
        if self.description.runs == 0 {
            // This removes only an empty folder.
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// The checksum of records in memory.
pub(super) fn records_checksum<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Result<String> {
    let mut sums = String::new();
    for piece in pieces {
        sums += &sha256_hex_of(piece, drop)?;
    }
    Ok(sha256_hex(&sums))
}

fn damaged(path: &Path, why: &str) -> LogError {
    LogError::new(format!(
        "the state cannot be read: {why}; put back a copy of its folder, or begin with another one and all files"
    ))
    .in_file(path)
}

fn data_name(run: u64) -> String {
    format!("data-{run}.bin")
}

fn run_of_data_name(name: &str) -> Option<u64> {
    name.strip_prefix("data-")?.strip_suffix(".bin")?.parse().ok()
}
