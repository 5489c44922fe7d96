//! Reads a table in any format as columns of text.

use serde_json::Value;

use std::borrow::Cow;
use std::io::Read as _;

use letor_io::OtherFormat;
use unicode_normalization::UnicodeNormalization;

use super::error::{ReadError, quoted};

/// A table of text: a header, and rows of as many cells. An empty cell is one without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    /// The names of the columns, as written.
    pub header: Vec<String>,
    /// The rows, each with the number of its line in the file, or of its row in a frame, from 1.
    pub rows: Vec<(u64, Vec<String>)>,
    /// The rows that have fewer cells than the header in the file, with how many.
    pub short_rows: Vec<(u64, usize)>,
}

impl Cells {
    /// The same with letters composed (Unicode's normal form C): an `ö` may be written as one character or as two, which look the same.
    pub(super) fn composed(&self) -> Cow<'_, Self> {
        let is_composed = |text: &String| text.is_ascii() || unicode_normalization::is_nfc(text);
        if self.header.iter().chain(self.rows.iter().flat_map(|(_, cells)| cells)).all(is_composed) {
            return Cow::Borrowed(self);
        }
        let normalized = |cells: &[String]| cells.iter().map(|text| text.nfc().collect()).collect();
        Cow::Owned(Self {
            header: normalized(&self.header),
            rows: self.rows.iter().map(|(row, cells)| (*row, normalized(cells))).collect(),
            short_rows: self.short_rows.clone(),
        })
    }
}

/// Advice for users of spreadsheets.
const SAVE: &str = "save the table as CSV in UTF-8 (Excel: Save As, type \"CSV UTF-8\")";

/// Tables that unpack to more are refused.
const MOST_BYTES: u64 = 1 << 31;

/// The bytes, unpacked if they are gzip.
pub(super) fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ReadError> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes)
        .take(MOST_BYTES)
        .read_to_end(&mut unpacked)
        .map_err(|error| ReadError::of_table(format!("the gzip cannot be unpacked, it may be cut off: {error}")))?;
    if unpacked.len() as u64 == MOST_BYTES {
        return Err(ReadError::of_table("the gzip unpacks to more than 2 GiB; expected a table of judgements"));
    }
    Ok(Cow::Owned(unpacked))
}

/// Reads JSON Lines, an array of objects in JSON, or CSV: with commas, semicolons or tabs, as its first line has them.
pub(super) fn read(bytes: &[u8]) -> Result<Cells, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some(format) = OtherFormat::of(bytes) {
        return Err(ReadError::of_table(format!("this is {format}{}", remedy(format))));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        ReadError::in_row(line, format!("expected UTF-8, found other bytes; {SAVE}"))
    })?;
    match text.trim_start().chars().next() {
        None => Err(ReadError::of_table("the table is empty; expected a header and one row per judgement")),
        Some('{') => json_lines(text),
        Some('[') => json_array(text),
        Some(_) => csv(text),
    }
}

/// Advice for a file of another format.
fn remedy(format: OtherFormat) -> String {
    match format {
        OtherFormat::Zip => format!(", perhaps a spreadsheet; {SAVE}"),
        OtherFormat::Packed(_) => "; unpack it first".to_owned(),
        OtherFormat::Utf16 => format!("; {SAVE}"),
        OtherFormat::JsonSequence => {
            format!("; expected one JSON object per line ({})", OtherFormat::SEPARATOR_ADVICE)
        }
        OtherFormat::Npz | OtherFormat::TfRecord | OtherFormat::Table(_) => {
            "; read it in Python and give the frame to `rankduel.Board`, or write CSV".to_owned()
        }
    }
}

fn csv(text: &str) -> Result<Cells, ReadError> {
    // Spreadsheets may state the separator that they wrote.
    let (separator_line, text, skipped) = match text.split_once('\n') {
        Some((first_line, rest)) if first_line.trim_end().to_ascii_lowercase().starts_with("sep=") => {
            (first_line.as_bytes().get(4).copied(), rest, 1)
        }
        _ => (None, text, 0),
    };
    let first_line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let separator = separator_line.unwrap_or_else(|| separator(first_line));
    let mut reader =
        csv::ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut header: Option<Vec<String>> = None;
    let (mut rows, mut short_rows) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(|error| ReadError::of_table(error.to_string()))?;
        let line = record.position().map_or(0, |at| at.line() + empty_lines(&text[at.byte() as usize..])) + skipped;
        let mut cells: Vec<String> = record.iter().map(|cell| cell.trim().to_owned()).collect();
        if cells.iter().all(String::is_empty) {
            continue;
        }
        let Some(header) = &header else {
            header = Some(cells);
            continue;
        };
        while cells.len() > header.len() && cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        if cells.len() > header.len() {
            return Err(ReadError::in_row(
                line,
                format!(
                    "expected {} columns as in the header, found {}; quote a cell that holds the separator {}",
                    header.len(),
                    cells.len(),
                    quoted(&char::from(separator).to_string())
                ),
            ));
        }
        if cells.len() < header.len() {
            short_rows.push((line, cells.len()));
        }
        cells.resize(header.len(), String::new());
        rows.push((line, cells));
    }
    Ok(Cells { header: header.unwrap_or_default(), rows, short_rows })
}

/// The empty lines before the record that begins here, which the reader skips.
fn empty_lines(text: &str) -> u64 {
    text.bytes().take_while(|byte| matches!(byte, b'\r' | b'\n')).filter(|byte| *byte == b'\n').count() as u64
}

/// The separator of a line's cells: comma, semicolon or tab, whichever occurs most outside of quotes.
fn separator(line: &str) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in line.bytes() {
        quoted ^= byte == b'"';
        if !quoted && let Some((_, count)) = counts.iter_mut().find(|(separator, _)| *separator == byte) {
            *count += 1;
        }
    }
    // The first of equals.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(separator, _)| *separator)
}

fn json_lines(text: &str) -> Result<Cells, ReadError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let objects = lines.map(|(index, line)| {
        let row = index as u64 + 1;
        let value = from_json(line).map_err(|error| {
            ReadError::in_row(row, format!("expected one object of JSON per line, found {} ({error})", quoted(line)))
        })?;
        Ok((row, value))
    });
    objects_as_cells(objects.collect::<Result<Vec<_>, ReadError>>()?)
}

fn json_array(text: &str) -> Result<Cells, ReadError> {
    let values: Vec<Value> = from_json(text).map_err(|error| {
        ReadError::in_row(error.line() as u64, format!("expected an array of objects in JSON ({error})"))
    })?;
    objects_as_cells(values.into_iter().enumerate().map(|(index, value)| (index as u64 + 1, value)).collect())
}

/// Reads JSON; `NaN`, which Python writes, is null.
fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|error| match letor_io::nan_as_null(text) {
        Some(text) => serde_json::from_str(&text),
        None => Err(error),
    })
}

fn objects_as_cells(objects: Vec<(u64, Value)>) -> Result<Cells, ReadError> {
    let mut header: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for (row, value) in objects {
        let Value::Object(fields) = value else {
            return Err(ReadError::in_row(row, format!("expected an object, found {}", quoted(&value.to_string()))));
        };
        let mut cells = vec![String::new(); header.len()];
        for (name, value) in fields {
            let column = header.iter().position(|known| *known == name).unwrap_or_else(|| {
                header.push(name);
                cells.push(String::new());
                header.len() - 1
            });
            cells[column] = match value {
                Value::Null => String::new(),
                Value::String(text) => text.trim().to_owned(),
                // Lists and objects are never names; they may be in columns that are not read.
                other => other.to_string(),
            };
        }
        rows.push((row, cells));
    }
    for (_, cells) in &mut rows {
        cells.resize(header.len(), String::new());
    }
    Ok(Cells { header, rows, short_rows: Vec::new() })
}
