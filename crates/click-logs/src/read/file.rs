//! A file of lines, read in blocks: plain, gzip or zstd, JSON or CSV, or the rows of Parquet; recognised by its first
//! bytes.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use letor_io::OtherFormat;
use output::input;
use ranktypes::text::excerpt;

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
    passes_by: bool,
    ended: bool,
    next_line: u64,
    block: usize,
    taken: Arc<AtomicU64>,
    #[cfg(feature = "parquet")]
    table: Option<super::parquet::Table>,
}

/// Some lines of a file.
#[derive(Debug)]
pub struct Block {
    bytes: Vec<u8>,
    first_line: u64,
    place: LineUnit,
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

/// The bytes of a block; a longer line makes it longer.
const BLOCK: usize = 1 << 20;
/// Lines are no longer than this.
const LONGEST: usize = 1 << 26;

/// Advice for a file of another format.
fn remedy(format: OtherFormat) -> String {
    match format {
        OtherFormat::Zip | OtherFormat::Packed(_) => "unpack it first".to_owned(),
        OtherFormat::Utf16 => "write it as UTF-8".to_owned(),
        OtherFormat::JsonSequence => format!("expected one JSON object per line ({})", OtherFormat::WITHOUT_SEPARATORS),
        OtherFormat::Npz | OtherFormat::TfRecord | OtherFormat::Table(_) => {
            "expected JSON Lines, CSV or Parquet: convert it, e.g. with pyarrow".to_owned()
        }
    }
}

/// The text of the file at `path`, which may be packed, of `most` bytes unpacked.
///
/// # Errors
/// If it cannot be read, is too long, or not text.
pub(crate) fn unpacked_text(path: &Path, most: u64) -> Result<String, LogError> {
    let failed = |error: io::Error| LogError::io(path, "cannot be read", &error);
    let mut raw = input::open_or_pipe(path).map_err(|error| LogError::io(path, "cannot be opened", &error))?;
    let mut first = vec![0; OtherFormat::HEAD];
    let length = read_fully(&mut raw, &mut first).map_err(failed)?;
    first.truncate(length);
    let rest = io::Cursor::new(first.clone()).chain(raw);
    let reader: Box<dyn Read> = match OtherFormat::of(&first) {
        Some(OtherFormat::ZSTD) => unpacked_zstd(path, rest)?,
        None if first.starts_with(&[0x1f, 0x8b]) => Box::new(MultiGzDecoder::new(rest)),
        _ => Box::new(rest),
    };
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(LogError::new(format!("it has more than {most} bytes")).in_file(path));
    }
    let not_text = |_| LogError::new("it is not text in UTF-8").in_file(path);
    String::from_utf8(bytes).map_err(not_text)
}

#[cfg(not(feature = "parquet"))]
fn without_parquet(path: &Path) -> LogError {
    let message = "a Parquet file, which this build does not read (those of releases do); build it with `--features parquet`, convert the \
                   file, e.g. duckdb -c \"COPY (FROM 'log.parquet') TO 'log.jsonl'\", or in Python pass \
                   pyarrow.parquet.read_table to rankduel.credit_frame";
    LogError::new(message).in_file(path)
}

/// The names of the columns of a table, and its rows as text.
///
/// # Errors
/// Always: this build reads no Parquet.
#[cfg(not(feature = "parquet"))]
pub(crate) fn rows_of_parquet(path: &Path) -> Result<(Vec<String>, Vec<Vec<String>>), LogError> {
    Err(without_parquet(path))
}

/// The content of a file compressed by zstd.
#[cfg(feature = "zstd")]
fn unpacked_zstd(path: &Path, packed: impl Read + Send + 'static) -> Result<Box<dyn Read + Send>, LogError> {
    let decoder = zstd::stream::read::Decoder::new(packed);
    Ok(Box::new(decoder.map_err(|error| LogError::io(path, "cannot be read", &error))?))
}

#[cfg(not(feature = "zstd"))]
fn unpacked_zstd(path: &Path, _: impl Read + Send + 'static) -> Result<Box<dyn Read + Send>, LogError> {
    let message = "zstd; this build does not unpack it (those of releases do): build it with `--features zstd`, or pass it through a \
                   pipe: zstd -dc FILE | ... -";
    Err(LogError::new(message).in_file(path))
}

impl LogFile {
    /// Opens the file at `path` and detects its format.
    ///
    /// # Errors
    /// If it cannot be read, or is neither JSON Lines nor CSV.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        Self::of_kinds(path, false)
    }

    /// The same for a file of conversions.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_conversions(path: &Path) -> Result<Self, LogError> {
        Self::of_kinds(path, true)
    }

    fn of_kinds(path: &Path, are_conversions: bool) -> Result<Self, LogError> {
        let taken = Arc::new(AtomicU64::new(0));
        let raw: Box<dyn Read + Send> = if path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            if path.is_dir() {
                let message = "it is a folder; name its files, e.g. with a pattern of your shell: folder/*.jsonl";
                return Err(LogError::new(message).in_file(path));
            }
            Box::new(input::open_or_pipe(path).map_err(|error| LogError::io(path, "cannot be opened", &error))?)
        };
        let mut raw = CountingReader { reader: raw, taken: Arc::clone(&taken) };
        let failed = |error: io::Error| LogError::io(path, "cannot be read", &error);
        let mut first = vec![0; OtherFormat::HEAD];
        let length = read_fully(&mut raw, &mut first).map_err(failed)?;
        first.truncate(length);
        let rest = io::Cursor::new(first.clone()).chain(raw);
        let reader: Box<dyn Read + Send> = match OtherFormat::of(&first) {
            Some(OtherFormat::PARQUET) => return Self::of_parquet(path, are_conversions, taken),
            Some(OtherFormat::ZSTD) => unpacked_zstd(path, rest)?,
            None if first.starts_with(&[0x1f, 0x8b]) => Box::new(MultiGzDecoder::new(rest)),
            _ => Box::new(rest),
        };
        let path = path.to_path_buf();
        let mut file = Self {
            path,
            reader,
            format: Format::JsonLines,
            pending: Vec::new(),
            passes_by: false,
            ended: false,
            next_line: 1,
            block: BLOCK,
            taken,
            #[cfg(feature = "parquet")]
            table: None,
        };
        file.fill(1)?;
        file.recognise(are_conversions)?;
        Ok(file)
    }

    #[cfg(feature = "parquet")]
    fn of_parquet(path: &Path, are_conversions: bool, taken: Arc<AtomicU64>) -> Result<Self, LogError> {
        if path == Path::new("-") {
            return Err(LogError::new("Parquet is read from its end; pass the file by its name").in_file(path));
        }
        taken.store(0, Ordering::Relaxed);
        let file = input::open(path).map_err(|error| LogError::io(path, "cannot be opened", &error))?;
        Ok(Self {
            path: path.to_path_buf(),
            reader: Box::new(io::empty()),
            format: Format::JsonLines,
            pending: Vec::new(),
            passes_by: false,
            ended: true,
            next_line: 1,
            block: BLOCK,
            taken,
            table: Some(super::parquet::Table::open(path, file, are_conversions)?),
        })
    }

    #[cfg(not(feature = "parquet"))]
    fn of_parquet(path: &Path, _: bool, _: Arc<AtomicU64>) -> Result<Self, LogError> {
        Err(without_parquet(path))
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
                let header = Header::of_kinds(line, are_conversions)
                    .map_err(|wrong| LogError::of_line(wrong, 1).in_file(&self.path))?;
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
        self.block = bytes.max(1);
        self
    }

    /// The format of its lines.
    #[must_use]
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// The number of bytes of the file read since the last call, compressed ones if it is compressed.
    pub fn bytes_taken(&self) -> u64 {
        self.taken.swap(0, Ordering::Relaxed)
    }

    /// The next complete lines, or all that is left; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn next_block(&mut self) -> Result<Option<Block>, LogError> {
        #[cfg(feature = "parquet")]
        if let Some(table) = &mut self.table {
            let next = table.next_block(self.block)?;
            return Ok(next.map(|(block, taken)| {
                self.taken.fetch_add(taken, Ordering::Relaxed);
                block
            }));
        }
        self.pass_by()?;
        let mut searched = 0;
        let mut wanted = self.block;
        let end = loop {
            self.fill(wanted)?;
            let there = wanted.min(self.pending.len());
            if let Some(at) = memchr::memrchr(b'\n', &self.pending[searched..there]) {
                break searched + at + 1;
            }
            if self.ended && there == self.pending.len() {
                break there;
            }
            searched = there;
            if searched >= LONGEST {
                // The caller that sets lines aside decides whether this line ends the reading.
                self.pending.clear();
                self.passes_by = true;
                self.next_line += 1;
                return Ok(Some(Block {
                    is_too_long: true,
                    ..Block::new(Vec::new(), self.next_line - 1, LineUnit::Line)
                }));
            }
            wanted = (2 * wanted).min(LONGEST + 1);
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

    /// Passes by the rest of a line that is too long, without keeping it.
    fn pass_by(&mut self) -> Result<(), LogError> {
        while std::mem::take(&mut self.passes_by) {
            self.fill(BLOCK)?;
            match memchr::memchr(b'\n', &self.pending) {
                Some(end) => drop(self.pending.drain(..=end)),
                None => {
                    self.pending.clear();
                    self.passes_by = !self.ended;
                }
            }
        }
        Ok(())
    }

    /// Reads until `wanted` bytes are pending or the file ends.
    fn fill(&mut self, wanted: usize) -> Result<(), LogError> {
        let before = self.pending.len();
        if self.ended || before >= wanted {
            return Ok(());
        }
        let more = wanted.max(BLOCK) - before;
        self.pending.reserve_exact(more);
        (&mut self.reader).take(more as u64).read_to_end(&mut self.pending).map_err(|error| {
            let what = if error.kind() == io::ErrorKind::UnexpectedEof { "is cut off" } else { "cannot be read" };
            LogError::io(&self.path, what, &error)
        })?;
        self.ended = self.pending.len() < wanted.max(BLOCK);
        Ok(())
    }
}

impl Block {
    pub(super) fn new(bytes: Vec<u8>, first_line: u64, place: LineUnit) -> Self {
        Self { bytes, first_line, place, is_too_long: false }
    }

    /// What its lines are in their file.
    #[must_use]
    pub fn place(&self) -> LineUnit {
        self.place
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
                LONGEST >> 20
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

/// Fills `buffer` as far as there is something to read.
fn read_fully(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Counts the bytes read.
struct CountingReader {
    reader: Box<dyn Read + Send>,
    taken: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
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
        let long = vec![b'x'; LONGEST + 3 * BLOCK];
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
                assert!(file.pending.capacity() < 2 * LONGEST);
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
            assert!(file.bytes_taken() == std::fs::metadata(path).unwrap().len() && blocks > 0);
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
