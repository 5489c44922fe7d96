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
    partitions: Vec<Partition>,
    /// Bytes in memory, and the most there may be.
    bytes_held: usize,
    budget: usize,
    /// Makes fewer bytes of the records that go to a file together.
    compact: Option<fn(&mut Vec<u8>)>,
    /// Bytes written to files so far.
    bytes_written: u64,
}

#[derive(Default)]
struct Partition {
    memory: Vec<u8>,
    /// Bytes in its file.
    bytes_written: u64,
}

/// The bytes read from a file at a time; more if a record is longer.
const CHUNK_BYTES: usize = 1 << 20;

impl Spill {
    /// `parts` partitions that keep at most `budget` bytes in memory; files are in `folder`, which must exist when they are
    /// written.
    pub(super) fn new(folder: &Path, name: &'static str, parts: usize, budget: usize) -> Self {
        let parts = (0..parts).map(|_| Partition::default()).collect();
        Self {
            folder: folder.to_path_buf(),
            name,
            partitions: parts,
            bytes_held: 0,
            budget,
            compact: None,
            bytes_written: 0,
        }
    }

    /// The same with a function that shrinks the records that go to a file together, without loss.
    pub(super) fn with_compaction(mut self, compact: Option<fn(&mut Vec<u8>)>) -> Self {
        self.compact = compact;
        self
    }

    pub(super) fn partition_count(&self) -> usize {
        self.partitions.len()
    }

    /// All bytes of a partition.
    pub(super) fn bytes(&self, partition: usize) -> u64 {
        self.partitions[partition].memory.len() as u64 + self.partitions[partition].bytes_written
    }

    /// Bytes that are in files now, or will be if all memory is flushed.
    pub(super) fn size(&self) -> u64 {
        self.bytes_held as u64 + self.partitions.iter().map(|partition| partition.bytes_written).sum::<u64>()
    }

    /// All bytes that were written to files.
    pub(super) fn written(&self) -> u64 {
        self.bytes_written
    }

    /// Adds whole records to a partition.
    pub(super) fn append(&mut self, partition: usize, records: &[u8]) -> Result<(), LogError> {
        if self.bytes_held + records.len() > self.budget {
            self.flush()?;
        }
        self.partitions[partition].memory.extend_from_slice(records);
        self.bytes_held += records.len();
        Ok(())
    }

    /// Adds whole records to each partition.
    pub(super) fn append_all(&mut self, records: &[Vec<u8>]) -> Result<(), LogError> {
        self.append_some(records, 0..records.len())
    }

    /// Adds whole records to some of the partitions.
    pub(super) fn append_some(&mut self, records: &[Vec<u8>], parts: Range<usize>) -> Result<(), LogError> {
        let some = parts.filter(|&partition| !records[partition].is_empty());
        { some }.try_for_each(|partition| self.append(partition, &records[partition]))
    }

    /// Moves everything to files.
    fn flush(&mut self) -> Result<(), LogError> {
        for partition in 0..self.partitions.len() {
            let path = self.path(partition);
            let Partition { memory, bytes_written: written } = &mut self.partitions[partition];
            if !memory.is_empty() {
                if let Some(compact) = self.compact {
                    compact(memory);
                }
                let appended = input::open_with(OpenOptions::new().create(true).append(true), &path);
                let appended = appended.and_then(|mut file| file.write_all(memory));
                appended.map_err(|error| spill_error(&path, &error))?;
                *written += memory.len() as u64;
                self.bytes_written += memory.len() as u64;
                // The next ones will be as long.
                memory.clear();
            }
        }
        self.bytes_held = 0;
        Ok(())
    }

    fn path(&self, partition: usize) -> PathBuf {
        self.folder.join(format!("{}-{partition}", self.name))
    }

    /// Passes the bytes of a partition to `consume`, in pieces that begin with a whole record; it returns how many bytes of
    /// whole records it used, at least one record unless the piece holds none.
    pub(super) fn read(&self, partition: usize, mut consume: impl FnMut(&[u8]) -> usize) -> Result<(), LogError> {
        if self.partitions[partition].bytes_written > 0 {
            let path = self.path(partition);
            let mut file = input::open(&path).map_err(|error| spill_error(&path, &error))?;
            let mut buffered = Vec::new();
            loop {
                let before = buffered.len();
                buffered.resize(before + CHUNK_BYTES, 0);
                let count =
                    read_some(&mut file, &mut buffered[before..]).map_err(|error| spill_error(&path, &error))?;
                buffered.truncate(before + count);
                let used = consume(&buffered);
                buffered.drain(..used);
                if count == 0 {
                    break;
                }
            }
            if !buffered.is_empty() {
                return Err(LogError::new("cut off; is another program changing it?").in_file(&path));
            }
        }
        let mut rest = self.partitions[partition].memory.as_slice();
        while !rest.is_empty() {
            rest = &rest[consume(rest)..];
        }
        Ok(())
    }

    /// Forgets a partition that was read.
    pub(super) fn release(&mut self, partition: usize) {
        if self.partitions[partition].bytes_written > 0 {
            // If it cannot be removed now, it is removed with the folder.
            let _ = fs::remove_file(self.path(partition));
        }
        let partition = std::mem::take(&mut self.partitions[partition]);
        self.bytes_held -= partition.memory.len().min(self.bytes_held);
    }
}

/// An abandoned spill leaves no files.
impl Drop for Spill {
    fn drop(&mut self) {
        (0..self.partitions.len()).for_each(|partition| self.release(partition));
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

fn spill_error(path: &Path, error: &io::Error) -> LogError {
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
            for partition in 0..3 {
                assert_eq!(spill.bytes(partition), 8 * (partition..2_000).step_by(3).count() as u64);
                let mut found = Vec::new();
                spill
                    .read(partition, |bytes| {
                        let whole = bytes.chunks_exact(8);
                        whole.clone().for_each(|number| found.push(u64::from_le_bytes(number.try_into().unwrap())));
                        8 * whole.len()
                    })
                    .unwrap();
                assert_eq!(found, (partition as u64..2_000).step_by(3).collect::<Vec<_>>());
                spill.release(partition);
                assert_eq!(spill.bytes(partition), 0);
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
