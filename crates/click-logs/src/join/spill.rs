//! Partitions of records: in memory while there is room, in files beyond it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use output::input;

use crate::error::LogError;

/// Records in partitions.
pub(super) struct Spill {
    folder: PathBuf,
    name: &'static str,
    parts: Vec<Partition>,
    /// Bytes in memory, and the most there may be.
    held: usize,
    budget: usize,
    /// Makes fewer bytes of the records that go to a file together.
    compact: Option<fn(&mut Vec<u8>)>,
    /// Bytes written to files so far.
    written: u64,
}

#[derive(Default)]
struct Partition {
    memory: Vec<u8>,
    /// Bytes in its file.
    written: u64,
}

/// The bytes read from a file at a time; more if a record is longer.
const CHUNK: usize = 1 << 20;

impl Spill {
    /// `parts` partitions that keep at most `budget` bytes in memory; files are in `folder`, which must exist when they are
    /// written.
    pub(super) fn new(folder: &Path, name: &'static str, parts: usize, budget: usize) -> Self {
        let parts = (0..parts).map(|_| Partition::default()).collect();
        Self { folder: folder.to_path_buf(), name, parts, held: 0, budget, compact: None, written: 0 }
    }

    /// The same with a function that shrinks the records that go to a file together, without loss.
    pub(super) fn compacted(mut self, compact: Option<fn(&mut Vec<u8>)>) -> Self {
        self.compact = compact;
        self
    }

    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// All bytes of a partition.
    pub(super) fn bytes(&self, part: usize) -> u64 {
        self.parts[part].memory.len() as u64 + self.parts[part].written
    }

    /// Bytes that are in files now, or will be if all memory is flushed.
    pub(super) fn size(&self) -> u64 {
        self.held as u64 + self.parts.iter().map(|part| part.written).sum::<u64>()
    }

    /// All bytes that were written to files.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Adds whole records to a partition.
    pub(super) fn append(&mut self, part: usize, records: &[u8]) -> Result<(), LogError> {
        if self.held + records.len() > self.budget {
            self.flush()?;
        }
        self.parts[part].memory.extend_from_slice(records);
        self.held += records.len();
        Ok(())
    }

    /// Adds whole records to each partition.
    pub(super) fn append_all(&mut self, records: &[Vec<u8>]) -> Result<(), LogError> {
        self.append_some(records, 0..records.len())
    }

    /// Adds whole records to some of the partitions.
    pub(super) fn append_some(&mut self, records: &[Vec<u8>], parts: Range<usize>) -> Result<(), LogError> {
        let some = parts.filter(|&part| !records[part].is_empty());
        { some }.try_for_each(|part| self.append(part, &records[part]))
    }

    /// Moves everything to files.
    fn flush(&mut self) -> Result<(), LogError> {
        for part in 0..self.parts.len() {
            let path = self.path(part);
            let Partition { memory, written } = &mut self.parts[part];
            if !memory.is_empty() {
                if let Some(compact) = self.compact {
                    compact(memory);
                }
                let appended = input::open_with(OpenOptions::new().create(true).append(true), &path);
                let appended = appended.and_then(|mut file| file.write_all(memory));
                appended.map_err(|error| failed(&path, &error))?;
                *written += memory.len() as u64;
                self.written += memory.len() as u64;
                // The next ones will be as long.
                memory.clear();
            }
        }
        self.held = 0;
        Ok(())
    }

    fn path(&self, part: usize) -> PathBuf {
        self.folder.join(format!("{}-{part}", self.name))
    }

    /// Passes the bytes of a partition to `consume`, in pieces that begin with a whole record; it returns how many bytes of
    /// whole records it used, at least one record unless the piece holds none.
    pub(super) fn read(&self, part: usize, mut consume: impl FnMut(&[u8]) -> usize) -> Result<(), LogError> {
        if self.parts[part].written > 0 {
            let path = self.path(part);
            let mut file = input::open(&path).map_err(|error| failed(&path, &error))?;
            let mut held = Vec::new();
            loop {
                let before = held.len();
                held.resize(before + CHUNK, 0);
                let count = read_some(&mut file, &mut held[before..]).map_err(|error| failed(&path, &error))?;
                held.truncate(before + count);
                let used = consume(&held);
                held.drain(..used);
                if count == 0 {
                    break;
                }
            }
            if !held.is_empty() {
                return Err(LogError::new("cut off; is another program changing it?").in_file(&path));
            }
        }
        let mut rest = self.parts[part].memory.as_slice();
        while !rest.is_empty() {
            rest = &rest[consume(rest)..];
        }
        Ok(())
    }

    /// Forgets a partition that was read.
    pub(super) fn release(&mut self, part: usize) {
        if self.parts[part].written > 0 {
            // If it cannot be removed now, it is removed with the folder.
            let _ = fs::remove_file(self.path(part));
        }
        let part = std::mem::take(&mut self.parts[part]);
        self.held -= part.memory.len().min(self.held);
    }
}

/// An abandoned spill leaves no files.
impl Drop for Spill {
    fn drop(&mut self) {
        (0..self.parts.len()).for_each(|part| self.release(part));
    }
}

fn read_some(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

fn failed(path: &Path, error: &io::Error) -> LogError {
    let remedy = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; choose a folder with more room: --scratch FOLDER"
        }
        _ => "",
    };
    LogError::new(format!("temporary file: {error}{remedy}")).in_file(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_appended() {
        let folder = tempfile::tempdir().unwrap();
        for budget in [0, 1_000, 1 << 20] {
            let mut spill = Spill::new(folder.path(), "test", 3, budget);
            for number in 0..2_000_u64 {
                spill.append(number as usize % 3, &number.to_le_bytes()).unwrap();
            }
            assert_eq!(spill.written() == 0, budget == 1 << 20);
            for part in 0..3 {
                assert_eq!(spill.bytes(part), 8 * (part..2_000).step_by(3).count() as u64);
                let mut found = Vec::new();
                spill
                    .read(part, |bytes| {
                        let whole = bytes.chunks_exact(8);
                        whole.clone().for_each(|number| found.push(u64::from_le_bytes(number.try_into().unwrap())));
                        8 * whole.len()
                    })
                    .unwrap();
                assert_eq!(found, (part as u64..2_000).step_by(3).collect::<Vec<_>>());
                spill.release(part);
                assert_eq!(spill.bytes(part), 0);
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
