//! Sorts more lines than fit in memory by a number such as their time: files hold one stretch of it each, and are sorted at the
//! end.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use output::input;

/// Milliseconds of an hour: the stretch of lines that are sorted by time.
pub const HOUR: i64 = 3_600_000;
/// Bytes that stay in memory.
const BUFFER_BYTES: usize = 1 << 28;

/// Lines, on their way to being sorted.
#[derive(Debug)]
pub struct LineSorter {
    folder: PathBuf,
    name: &'static str,
    /// The width of one stretch of the number.
    stretch: i64,
    stretches: BTreeMap<i64, Vec<u8>>,
    held: usize,
}

impl LineSorter {
    /// No lines yet; files are in `folder`, which exists, begin with `name`, and hold `stretch` of the number each, which is above 0.
    #[must_use]
    pub fn new(folder: &Path, name: &'static str, stretch: i64) -> Self {
        Self { folder: folder.to_path_buf(), name, stretch, stretches: BTreeMap::new(), held: 0 }
    }

    /// Adds a line with its end; `key` is the number.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn push(&mut self, key: i64, line: &[u8]) -> io::Result<()> {
        let part = self.stretches.entry(key.div_euclid(self.stretch)).or_default();
        part.extend_from_slice(&key.to_le_bytes());
        part.extend_from_slice(&(line.len() as u32).to_le_bytes());
        part.extend_from_slice(line);
        self.held += line.len() + 12;
        if self.held > BUFFER_BYTES {
            for (number, bytes) in &mut self.stretches {
                let path = path(&self.folder, self.name, *number);
                input::open_with(OpenOptions::new().create(true).append(true), &path)?.write_all(bytes)?;
                // Stretches take turns in being the longest: their memory is not kept.
                *bytes = Vec::new();
            }
            self.held = 0;
        }
        Ok(())
    }

    /// Writes all lines by their number, those with the same one in the order in which they were added, and removes the files.
    ///
    /// # Errors
    /// If a file cannot be read or `out` cannot be written.
    pub fn write(self, out: &mut impl Write) -> io::Result<()> {
        for (number, rest) in self.stretches {
            let path = path(&self.folder, self.name, number);
            let mut bytes = if path.exists() { input::read_file(&path, u64::MAX)? } else { Vec::new() };
            bytes.extend_from_slice(&rest);
            let mut lines = Vec::new();
            let mut offset = 0;
            while offset < bytes.len() {
                let key = i64::from_le_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"));
                let length =
                    u32::from_le_bytes(bytes[offset + 8..offset + 12].try_into().expect("four bytes")) as usize;
                offset += 12 + length;
                lines.push((key, offset - length, offset));
            }
            lines.sort_by_key(|&(key, ..)| key);
            lines.iter().try_for_each(|&(_, start, end)| out.write_all(&bytes[start..end]))?;
            if path.exists() {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }
}

fn path(folder: &Path, name: &str, number: i64) -> PathBuf {
    folder.join(format!("{name}-{number}"))
}
