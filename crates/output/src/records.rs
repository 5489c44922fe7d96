//! Numbered records, such as finished runs, kept in one file per subject with one line per record, so that an interrupted
//! command continues where it stopped.
//!
//! The first line names the subject of the records. Each other line is a checksum and a record as JSON. A line with a missing or wrong
//! checksum is damaged, and its record is never used. A line that was cut off, because the process was killed or the disk was full, is
//! ignored.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tracing::debug;

use crate::checksum::{sealed_line, unsealed_line};
use crate::files::{create_folder_of, path_error, write_atomic};
use crate::input;
use crate::interrupt::finish_writing;
use crate::messages::warn;
use crate::numbers::with_unit;

/// A larger file is not one of kept records.
const MOST_BYTES: u64 = 1 << 34;

/// A record, numbered among those of the same subject.
pub trait Record: Serialize + DeserializeOwned {
    /// The number.
    fn number(&self) -> u64;
}

/// The records of one subject.
#[derive(Debug)]
pub struct Records<R> {
    path: PathBuf,
    subject: String,
    /// The records by their numbers.
    pub by_number: BTreeMap<u64, R>,
}

impl<R: Record> Records<R> {
    /// The records of `subject`, a text of one line, in the file at `path`, which need not exist. Records that are not `sound` are ignored.
    /// If damaged ones are found, a warning announces that they will be made again.
    pub fn open(path: PathBuf, subject: String, sound: impl Fn(&R) -> bool) -> Self {
        let mut records = Self::empty(path, subject);
        records.find(sound);
        records
    }

    /// The same without reading the file, to append to it.
    #[must_use]
    pub fn empty(path: PathBuf, subject: String) -> Self {
        Self { path, subject, by_number: BTreeMap::new() }
    }

    /// Reads the file as [`open`](Self::open) does.
    pub fn find(&mut self, sound: impl Fn(&R) -> bool) {
        let bytes = match input::read_file(&self.path, MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => return warn(false, &format!("{} holds no kept runs: {error}", self.path.display())),
        };
        let read_records = self.read(&bytes, &sound);
        debug!("{:?}: {} kept, {} damaged", self.path, read_records.found.len(), read_records.damaged);
        self.by_number = read_records.found;
        if read_records.damaged > 0 {
            let damaged_text = with_unit(read_records.damaged, "kept run");
            let verb = if read_records.damaged == 1 { "is" } else { "are" };
            warn(false, &format!("{damaged_text} in {} {verb} damaged and will be played again", self.path.display()));
        }
        if read_records.damaged > 0 || read_records.misnamed {
            // Another process may append at the same time. A file that cannot be rewritten, for example because it belongs to another user,
            // is as good as before.
            let _ = self.rewrite_with(|bytes| self.read(bytes, &sound).found);
        }
    }

    /// The subject of the records.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The numbers below `count` that have no record.
    pub fn missing_numbers(&self, count: u64) -> impl Iterator<Item = u64> + '_ {
        (0..count).filter(|number| !self.by_number.contains_key(number))
    }

    /// Appends a record to the file, in one write.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&self, record: &R) -> Result<()> {
        create_folder_of(&self.path)?;
        let _writing = finish_writing();
        let append = || -> Result<()> {
            let mut file = self.open_locked()?;
            let mut lines = String::new();
            if file.metadata()?.len() == 0 {
                lines = format!("{}\n", self.subject);
            }
            // A previous line that was cut off must not swallow this one.
            lines += &format!("\n{}\n", self.line(record)?);
            Ok(file.write_all(lines.as_bytes())?)
        };
        append().map_err(|error| self.explained(error))
    }

    /// Writes the file with these records in the order of their numbers, unless that is its content.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn rewrite(&self, records: impl IntoIterator<Item = R>) -> Result<()> {
        create_folder_of(&self.path)?;
        let records = records.into_iter().map(|record| (record.number(), record)).collect();
        self.rewrite_with(|_| records).map_err(|error| self.explained(error))
    }

    /// Rewrites the file with the records that `records_from` makes of its content.
    fn rewrite_with(&self, records_from: impl FnOnce(&[u8]) -> BTreeMap<u64, R>) -> Result<()> {
        let _locked = self.open_locked()?;
        let bytes = input::read_file(&self.path, MOST_BYTES)?;
        let mut text = format!("{}\n", self.subject);
        for record in records_from(&bytes).values() {
            text += &format!("{}\n", self.line(record)?);
        }
        if text.as_bytes() == bytes { Ok(()) } else { write_atomic(&self.path, text.as_bytes()) }
    }

    /// Opens the file and locks it against others that append or rewrite.
    fn open_locked(&self) -> Result<File> {
        loop {
            let file = input::open_with(OpenOptions::new().create(true).append(true), &self.path)?;
            // File systems without locks are used by one process at a time.
            let _ = file.lock();
            if super::lock::is_same(&file, &self.path) {
                return Ok(file);
            }
        }
    }

    fn line(&self, record: &R) -> Result<String> {
        Ok(sealed_line(&self.subject, &serde_json::to_string(record)?))
    }

    /// The number of records in `bytes`, the content of a file. For fuzzing.
    pub fn count_in(&self, bytes: &[u8]) -> usize {
        self.read(bytes, &|_| true).found.len()
    }

    fn read(&self, bytes: &[u8], sound: &impl Fn(&R) -> bool) -> ReadRecords<R> {
        let mut result = ReadRecords { found: BTreeMap::new(), damaged: 0, misnamed: false };
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let of_subject = lines.next() == Some(self.subject.as_bytes());
        for line in lines.filter(|line| !line.is_empty()) {
            let text = std::str::from_utf8(line).unwrap_or_default();
            if let Some(json) = unsealed_line(&self.subject, text) {
                let record = serde_json::from_str::<R>(json).ok().filter(sound);
                result.found.extend(record.map(|record| (record.number(), record)));
            } else if line.trim_ascii_end().ends_with(b"}") {
                result.damaged += 1;
            }
        }
        result.misnamed = !of_subject && !result.found.is_empty();
        result
    }

    fn explained(&self, error: anyhow::Error) -> anyhow::Error {
        match error.downcast() {
            Ok(error) => path_error(error, "keep a finished run in", &self.path),
            Err(error) => error,
        }
    }
}

/// The content of a file.
struct ReadRecords<R> {
    found: BTreeMap<u64, R>,
    /// Lines that were complete once.
    damaged: u64,
    /// Whether the line that names the subject was damaged: records of this subject follow it.
    misnamed: bool,
}

/// The first lines of all files of records in `folder`, with their paths.
pub fn subjects(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = entries.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    let first_line = |path: PathBuf| {
        let bytes = input::read_file(&path, MOST_BYTES).ok()?;
        let line = bytes.split(|byte| *byte == b'\n').next()?;
        Some((path, String::from_utf8_lossy(line).into_owned()))
    };
    files.filter_map(first_line).collect()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::mutations::Mutations;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Run {
        run: u64,
        regret: Vec<f64>,
    }

    impl Record for Run {
        fn number(&self) -> u64 {
            self.run
        }
    }

    fn run(run: u64) -> Run {
        Run { run, regret: vec![0.1 + run as f64] }
    }

    fn open(path: &Path) -> Records<Run> {
        Records::open(path.to_path_buf(), "a cell".to_owned(), |run: &Run| run.regret.len() == 1)
    }

    fn numbers(path: &Path) -> Vec<u64> {
        open(path).by_number.into_keys().collect()
    }

    #[test]
    fn records_are_found_again_even_after_a_line_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/cell.jsonl");
        let records = open(&path);
        assert_eq!(records.missing_numbers(2).collect::<Vec<_>>(), [0, 1]);
        records.append(&run(1)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}0123456789abcdef {{\"run\":0,\"reg")).unwrap();
        records.append(&run(2)).unwrap();
        let again = open(&path);
        assert_eq!(again.by_number.values().cloned().collect::<Vec<_>>(), [run(1), run(2)]);
        assert_eq!(again.missing_numbers(3).collect::<Vec<_>>(), [0]);
        let other = |subject: &str, length: usize| {
            Records::open(path.clone(), subject.to_owned(), |run: &Run| run.regret.len() == length).by_number.len()
        };
        assert_eq!((other("a cell", 1), other("a cell", 2), other("b cell", 1)), (2, 0, 0));
        again.rewrite(again.by_number.values().rev().cloned()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3);
        assert_eq!(numbers(&path), [1, 2]);
    }

    #[test]
    fn every_changed_byte_of_a_record_loses_that_record_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell.jsonl");
        open(&path).append(&run(0)).unwrap();
        open(&path).append(&run(1)).unwrap();
        open(&path).rewrite([run(0), run(1)]).unwrap();
        let whole = fs::read(&path).unwrap();
        let second = whole.len() / 2 + 4;
        assert_eq!(numbers(&path), [0, 1]);
        for at in second..whole.len() - 1 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            let found = open(&path).by_number;
            assert_eq!(found.get(&0), Some(&run(0)), "byte {at}");
            assert_eq!(found.get(&1), None, "byte {at}");
            assert_eq!(numbers(&path), [0]);
        }
        // In the line that names the subject: the records name their subject themselves.
        let mut damaged = whole.clone();
        damaged[2] ^= 1;
        fs::write(&path, &damaged).unwrap();
        assert_eq!(numbers(&path), [0, 1]);
        assert!(fs::read(&path).unwrap() == whole, "the file is mended");
    }

    #[test]
    fn records_without_checksums_are_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell.jsonl");
        let records = open(&path);
        records.rewrite([run(0), run(1)]).unwrap();
        let sealed = fs::read_to_string(&path).unwrap();
        let (checksum, json) = sealed.lines().nth(1).unwrap().split_once(' ').unwrap();
        let whole = format!("{checksum} {json}");
        let (first, rest) = checksum.split_at(7);
        for changed in [
            json.to_owned(),
            format!(" {json}"),
            format!("{json}\r"),
            format!("{checksum}\n{json}"),
            format!("{checksum}\n {json}"),
            format!("{first}\n{rest} {json}"),
            format!("{} {json}", checksum.to_uppercase()),
        ] {
            let text = sealed.replace(&whole, &changed);
            let read = records.read(text.as_bytes(), &|_| true);
            assert_eq!((read.found.keys().copied().collect::<Vec<_>>(), read.damaged), (vec![1], 1), "{changed:?}");
            fs::write(&path, &text).unwrap();
            assert_eq!(numbers(&path), [1]);
            let mended = fs::read_to_string(&path).unwrap();
            assert_eq!(mended, sealed.replace(&format!("{whole}\n"), ""), "its record gets no checksum: {changed:?}");
        }
    }

    #[test]
    fn no_mutated_record_is_believed() {
        let records = Records::<Run>::empty(PathBuf::new(), "a cell".to_owned());
        let originals: Vec<Run> =
            (0..6).map(|one| Run { run: one, regret: vec![0.25 * one as f64, 10.0 + one as f64] }).collect();
        let sealed: Vec<String> = originals.iter().map(|run| records.line(run).unwrap()).collect();
        let file = format!("a cell\n{}\n", sealed.join("\n")).into_bytes();
        let mut mutations = Mutations::new(1);
        let (mut believed, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let mutated = mutations.mutate(&file);
            let read = records.read(&mutated, &|_| true);
            let lines: Vec<&[u8]> = mutated.split(|byte| *byte == b'\n').skip(1).collect();
            let whole = originals.iter().zip(&sealed).filter(|(_, line)| lines.contains(&line.as_bytes()));
            let expected: BTreeMap<u64, Run> = whole.map(|(run, _)| (run.run, run.clone())).collect();
            assert_eq!(read.found, expected, "{}", String::from_utf8_lossy(&mutated));
            believed += read.found.len();
            refused += read.damaged;
        }
        assert!(believed > 20_000 && refused > 20_000, "{believed} believed, {refused} refused");
    }

    #[test]
    fn many_writers_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell.jsonl");
        // The damaged line makes the first reader rewrite the file.
        let kept = Records::empty(path.clone(), "a cell".to_owned()).line(&run(100)).unwrap();
        fs::write(&path, format!("a cell\n{kept}\n{{\"run\":101,\"regret\":[0.5]}}\n")).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let path = &path;
                scope.spawn(move || (0..10).for_each(|one| open(path).append(&run(thread * 10 + one)).unwrap()));
            }
        });
        assert_eq!(numbers(&path), (0..40).chain([100]).collect::<Vec<_>>());
    }
}
