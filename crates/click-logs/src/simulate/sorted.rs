//! Lines in the order of time, more than memory holds: by hour in files, each hour sorted in the end.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use output::input;

/// Milliseconds of an hour.
const HOUR: i64 = 3_600_000;
/// Bytes that stay in memory.
const BUDGET: usize = 1 << 28;

/// Lines, on their way to being sorted.
#[derive(Debug)]
pub struct Sorted {
    folder: PathBuf,
    name: &'static str,
    /// By hour.
    hours: BTreeMap<i64, Vec<u8>>,
    held: usize,
}

impl Sorted {
    /// No lines yet; files are in `folder`, which exists, and begin with `name`.
    #[must_use]
    pub fn new(folder: &Path, name: &'static str) -> Self {
        Self { folder: folder.to_path_buf(), name, hours: BTreeMap::new(), held: 0 }
    }

    /// Adds a line with its end.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn push(&mut self, time: i64, line: &[u8]) -> io::Result<()> {
        let hour = self.hours.entry(time.div_euclid(HOUR)).or_default();
        hour.extend_from_slice(&time.to_le_bytes());
        hour.extend_from_slice(&(line.len() as u32).to_le_bytes());
        hour.extend_from_slice(line);
        self.held += line.len() + 12;
        if self.held > BUDGET {
            for (hour, bytes) in &mut self.hours {
                let path = path(&self.folder, self.name, *hour);
                input::open_with(OpenOptions::new().create(true).append(true), &path)?.write_all(bytes)?;
                // Hours take turns in being the longest: their memory is not kept.
                *bytes = Vec::new();
            }
            self.held = 0;
        }
        Ok(())
    }

    /// Writes all lines by time, those of one time in the order in which they were added, and removes the files.
    ///
    /// # Errors
    /// If a file cannot be read or `out` cannot be written.
    pub fn write(self, out: &mut impl Write) -> io::Result<()> {
        for (hour, rest) in self.hours {
            let path = path(&self.folder, self.name, hour);
            let mut bytes = if path.exists() { input::read_file(&path, u64::MAX)? } else { Vec::new() };
            bytes.extend_from_slice(&rest);
            let mut lines = Vec::new();
            let mut at = 0;
            while at < bytes.len() {
                let time = i64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
                let length = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().expect("four bytes")) as usize;
                at += 12 + length;
                lines.push((time, at - length, at));
            }
            lines.sort_by_key(|&(time, ..)| time);
            lines.iter().try_for_each(|&(_, start, end)| out.write_all(&bytes[start..end]))?;
            if path.exists() {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }
}

fn path(folder: &Path, name: &str, hour: i64) -> PathBuf {
    folder.join(format!("{name}-{hour}"))
}
