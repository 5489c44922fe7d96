//! A file of lines, read in blocks: plain, gzip or zstd, JSON or CSV, or the rows of Parquet; recognised by its first
//! bytes.

pub(super) mod block;
mod unpack;

pub use block::{Block, LineUnit};
pub(crate) use unpack::unpacked_text;

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use letor_io::OtherFormat;
use output::input;

use self::block::MAX_LINE_BYTES;
use self::unpack::{CountingReader, open_unpacked};
use super::parquet::Table;
use super::{Header, shape};
use crate::error::LogError;

/// The format of the lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line.
    JsonLines,
    /// CSV with the names of columns in the first line.
    Csv(Header),
}

impl Format {
    /// The header, of CSV.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        match self {
            Self::JsonLines => None,
            Self::Csv(header) => Some(header),
        }
    }
}

/// An open file. The name `-` stands for standard input.
pub struct LogFile {
    path: PathBuf,
    reader: Box<dyn Read + Send>,
    format: Format,
    /// Bytes that were read but not returned: the beginning of a line.
    pending: Vec<u8>,
    /// Whether the next bytes are the rest of a line that is too long.
    skips_line: bool,
    ended: bool,
    next_line: u64,
    block_bytes: usize,
    /// Bytes of the file that were read, since the last call that asked.
    bytes_read: Arc<AtomicU64>,
    table: Option<Table>,
}

/// The bytes of a block; a longer line makes it longer.
const BLOCK_BYTES: usize = 1 << 20;

/// Advice for a file of another format.
fn remedy(format: OtherFormat) -> String {
    match format {
        OtherFormat::Zip | OtherFormat::Packed(_) => "unpack it first".to_owned(),
        OtherFormat::Utf16 => "write it as UTF-8".to_owned(),
        OtherFormat::JsonSequence => format!("expected one JSON object per line ({})", OtherFormat::SEPARATOR_ADVICE),
        OtherFormat::Npz | OtherFormat::TfRecord | OtherFormat::Table(_) => {
            "expected JSON Lines, CSV or Parquet: convert it, e.g. with pyarrow".to_owned()
        }
    }
}

impl LogFile {
    /// Opens the file at `path` and detects its format.
    ///
    /// # Errors
    /// If it cannot be read, or is none of JSON Lines, CSV and Parquet.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        Self::open_lines(path, false)
    }

    /// The same for a file of conversions.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_conversions(path: &Path) -> Result<Self, LogError> {
        Self::open_lines(path, true)
    }

    fn open_lines(path: &Path, are_conversions: bool) -> Result<Self, LogError> {
        let bytes_read = Arc::new(AtomicU64::new(0));
        let source: Box<dyn Read + Send> = if path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            if path.is_dir() {
                let message = "it is a folder; name its files, e.g. with a pattern of your shell: folder/*.jsonl";
                return Err(LogError::new(message).in_file(path));
            }
            Box::new(input::open_or_pipe(path).map_err(|error| LogError::io(path, "cannot be opened", &error))?)
        };
        let (other_format, reader) =
            open_unpacked(path, CountingReader { reader: source, bytes_read: Arc::clone(&bytes_read) })?;
        let mut file = Self {
            path: path.to_path_buf(),
            reader,
            format: Format::JsonLines,
            pending: Vec::new(),
            skips_line: false,
            ended: false,
            next_line: 1,
            block_bytes: BLOCK_BYTES,
            bytes_read,
            table: None,
        };
        if other_format == Some(OtherFormat::PARQUET) {
            // Its bytes are counted as its row groups are read.
            file.bytes_read.store(0, Ordering::Relaxed);
            file.reader = Box::new(io::empty());
            file.ended = true;
            file.table = Some(Table::open(path, are_conversions)?);
            return Ok(file);
        }
        file.fill(1)?;
        file.recognise(are_conversions)?;
        Ok(file)
    }

    /// Finds the format, and takes the header.
    fn recognise(&mut self, are_conversions: bool) -> Result<(), LogError> {
        let bytes = self.pending.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.pending);
        if let Some(format) = OtherFormat::of(bytes) {
            return Err(LogError::new(format!("{format}; {}", remedy(format))).in_file(&self.path));
        }
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => Ok(()),
            Some(b'{') => match shape::refusal(&String::from_utf8_lossy(bytes)) {
                Some(message) => Err(LogError::new(message).in_file(&self.path)),
                None => Ok(()),
            },
            Some(b'[') => {
                let message = "a JSON array; expected one JSON object per line (`jq -c '.[]'` writes them)";
                Err(LogError::new(message).in_file(&self.path))
            }
            Some(_) => {
                let end = memchr::memchr(b'\n', &self.pending).unwrap_or(self.pending.len());
                let line: Vec<u8> = self.pending[..end].to_vec();
                let not_text =
                    || LogError::new("neither JSON Lines nor CSV: it is not text in UTF-8").in_file(&self.path);
                let line = std::str::from_utf8(&line).map_err(|_| not_text())?.trim_end_matches('\r');
                let header = Header::from_line(line, are_conversions)
                    .map_err(|wrong| LogError::at_line(wrong, 1).in_file(&self.path))?;
                self.format = Format::Csv(header);
                self.pending.drain(..(end + 1).min(self.pending.len()));
                self.next_line = 2;
                Ok(())
            }
        }
    }

    /// Its name.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same file, read in blocks of this number of bytes.
    #[must_use]
    pub fn with_blocks_of(mut self, bytes: usize) -> Self {
        self.block_bytes = bytes.max(1);
        self
    }

    /// The format of its lines.
    #[must_use]
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// The number of bytes of the file read since the last call, compressed ones if it is compressed.
    pub fn take_bytes_read(&self) -> u64 {
        self.bytes_read.swap(0, Ordering::Relaxed)
    }

    /// The next complete lines, or all that is left; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn next_block(&mut self) -> Result<Option<Block>, LogError> {
        if let Some(table) = &mut self.table {
            let next = table.next_block(self.block_bytes)?;
            return Ok(next.map(|(block, taken)| {
                self.bytes_read.fetch_add(taken, Ordering::Relaxed);
                block
            }));
        }
        self.skip_line()?;
        let mut searched_bytes = 0;
        let mut wanted_bytes = self.block_bytes;
        let end = loop {
            self.fill(wanted_bytes)?;
            let available = wanted_bytes.min(self.pending.len());
            if let Some(line_end) = memchr::memrchr(b'\n', &self.pending[searched_bytes..available]) {
                break searched_bytes + line_end + 1;
            }
            if self.ended && available == self.pending.len() {
                break available;
            }
            searched_bytes = available;
            if searched_bytes >= MAX_LINE_BYTES {
                // The caller that sets lines aside decides whether this line ends the reading.
                self.pending.clear();
                self.skips_line = true;
                self.next_line += 1;
                return Ok(Some(Block::too_long_line(self.next_line - 1)));
            }
            wanted_bytes = (2 * wanted_bytes).min(MAX_LINE_BYTES + 1);
        };
        if end == 0 {
            return Ok(None);
        }
        let rest = self.pending.split_off(end);
        let bytes = std::mem::replace(&mut self.pending, rest);
        let first_line = self.next_line;
        self.next_line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        Ok(Some(Block::new(bytes, first_line, LineUnit::Line)))
    }

    /// Skips the rest of a line that is too long, without keeping it.
    fn skip_line(&mut self) -> Result<(), LogError> {
        while std::mem::take(&mut self.skips_line) {
            self.fill(BLOCK_BYTES)?;
            match memchr::memchr(b'\n', &self.pending) {
                Some(end) => drop(self.pending.drain(..=end)),
                None => {
                    self.pending.clear();
                    self.skips_line = !self.ended;
                }
            }
        }
        Ok(())
    }

    /// Reads until `wanted_bytes` bytes are pending or the file ends.
    fn fill(&mut self, wanted_bytes: usize) -> Result<(), LogError> {
        let before = self.pending.len();
        if self.ended || before >= wanted_bytes {
            return Ok(());
        }
        let more = wanted_bytes.max(BLOCK_BYTES) - before;
        self.pending.reserve_exact(more);
        (&mut self.reader).take(more as u64).read_to_end(&mut self.pending).map_err(|error| {
            let what = if error.kind() == io::ErrorKind::UnexpectedEof { "is cut off" } else { "cannot be read" };
            LogError::io(&self.path, what, &error)
        })?;
        self.ended = self.pending.len() < wanted_bytes.max(BLOCK_BYTES);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_by() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let long = vec![b'x'; MAX_LINE_BYTES + 3 * BLOCK_BYTES];
        for (text, expected) in [
            ([b"{\"a\": 1}\n", &long[..], b"\n{\"b\": 2}\n"].concat(), vec![(1, true), (2, false), (3, true)]),
            ([b"{\"a\": 1}\n", &long[..]].concat(), vec![(1, true), (2, false)]),
        ] {
            std::fs::write(&path, &text).unwrap();
            let mut file = LogFile::open(&path).unwrap();
            let mut found = Vec::new();
            while let Some(block) = file.next_block().unwrap() {
                found.extend(block.lines().map(|(number, line)| (number, line.is_ok())));
                // Half of the line is not kept while the other half passes by.
                assert!(file.pending.capacity() < 2 * MAX_LINE_BYTES);
            }
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn lines_have_their_numbers_whatever_the_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let lines: Vec<String> =
            (0..60_000).map(|n| if n % 7 == 3 { String::new() } else { format!("{{\"n\": {n}}}\r") }).collect();
        std::fs::write(&path, lines.join("\n")).unwrap();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(lines.join("\n").as_bytes()).unwrap();
        let packed_path = folder.path().join("packed");
        std::fs::write(&packed_path, packed.finish().unwrap()).unwrap();
        for path in [&path, &packed_path] {
            let mut file = LogFile::open(path).unwrap();
            let (mut found, mut blocks) = (0, 0);
            while let Some(block) = file.next_block().unwrap() {
                blocks += 1;
                for (number, line) in block.lines() {
                    assert_eq!(line.unwrap(), lines[number as usize - 1].trim_end());
                    found += 1;
                }
            }
            assert_eq!(found, lines.iter().filter(|line| !line.is_empty()).count());
            assert!(file.take_bytes_read() == std::fs::metadata(path).unwrap().len() && blocks > 0);
        }
    }

    #[test]
    fn lines_begin_and_end_with_the_tabs_of_empty_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, b"user\timpression\ttime\n\ta\t\r\n \t\t\n\nu\tb\t5 \n").unwrap();
        let block = LogFile::open(&path).unwrap().next_block().unwrap().unwrap();
        let lines: Vec<(u64, &str)> = block.lines().map(|(number, line)| (number, line.unwrap())).collect();
        assert_eq!(lines, [(2, "\ta\t"), (5, "u\tb\t5")]);
    }

    #[test]
    fn what_is_no_log_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for (bytes, expected) in [
            (&b"[{}]"[..], "a JSON array"),
            (b"PAR1....", "Parquet"),
            (b"ARROW1..", "Arrow"),
            (b"a,b\n", "no column `impression`"),
            (b"\xff\xfe", "UTF-8"),
            (b"\x28\xb5\x2f\xfd", "zstd"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = LogFile::open(&path).map(drop).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert!(LogFile::open(folder.path()).map(drop).unwrap_err().to_string().contains("a folder"));
        std::fs::write(&path, b"").unwrap();
        assert!(LogFile::open(&path).unwrap().next_block().unwrap().is_none());
        // Some programs write this for an empty file.
        std::fs::write(&path, "\u{feff}\r\n").unwrap();
        let block = LogFile::open(&path).unwrap().next_block().unwrap().unwrap();
        assert_eq!(block.lines().count(), 0);
    }
}
