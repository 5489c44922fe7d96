//! Some lines of a file, with their numbers.

use ranktypes::text::excerpt;

/// Some lines of a file.
#[derive(Debug)]
pub struct Block {
    bytes: Vec<u8>,
    first_line: u64,
    line_unit: LineUnit,
    /// Whether it stands for one line that is too long to be read.
    is_too_long: bool,
}

/// What the lines of a block are in their file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineUnit {
    /// Lines.
    Line,
    /// Rows of a table.
    Row {
        /// The row group, from 1.
        group: u64,
    },
}

/// Lines are no longer than this.
pub(super) const MAX_LINE_BYTES: usize = 1 << 26;

impl Block {
    pub(in crate::read) fn new(bytes: Vec<u8>, first_line: u64, line_unit: LineUnit) -> Self {
        Self { bytes, first_line, line_unit, is_too_long: false }
    }

    /// Stands for one line that is too long to be read.
    pub(super) fn too_long_line(number: u64) -> Self {
        Self { is_too_long: true, ..Self::new(Vec::new(), number, LineUnit::Line) }
    }

    /// What its lines are in their file.
    #[must_use]
    pub fn line_unit(&self) -> LineUnit {
        self.line_unit
    }

    /// Its size.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The lines that are not empty, with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (u64, Result<&str, String>)> {
        // All at once is quicker than line by line.
        let text = std::str::from_utf8(&self.bytes).ok();
        let mut start = 0;
        let mut number = self.first_line;
        let too_long = self.is_too_long.then(|| {
            let message = format!(
                "a line longer than {} MiB; expected one record per line, or set such lines aside with --malformed set-aside",
                MAX_LINE_BYTES >> 20
            );
            (number, Err(message))
        });
        too_long.into_iter().chain(std::iter::from_fn(move || {
            while start < self.bytes.len() {
                let rest = &self.bytes[start..];
                let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let line = match text {
                    Some(text) => Ok(&text[start..start + length]),
                    None => std::str::from_utf8(&rest[..length]).map_err(|_| not_text(rest[..length].trim_ascii())),
                };
                start += length + 1;
                number += 1;
                // Tabs may separate columns, and the first and the last may be empty.
                let line = line.map(|line| line.trim_matches([' ', '\r', '\x0c']));
                let line = line.map(|line| line.strip_prefix('\u{feff}').unwrap_or(line));
                if line.as_ref().map_or(true, |line| !line.trim_ascii().is_empty()) {
                    return Some((number - 1, line));
                }
            }
            None
        }))
    }
}

fn not_text(line: &[u8]) -> String {
    let shown = excerpt(&String::from_utf8_lossy(line));
    format!("{shown} is not text in UTF-8; convert the file, e.g. with `iconv -t utf-8`")
}
