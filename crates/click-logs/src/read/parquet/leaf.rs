//! One column of plain values, read some rows at a time.

use std::io::Write as _;

use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, FixedLenByteArray, Int96};
use parquet::errors::{ParquetError, Result};

use super::types::Form;
use crate::read::base64;

/// A column of a row group, and where in it the next value is.
pub(super) struct Leaf {
    reader: ColumnReader,
    form: Form,
    /// The definition level of a value that is there.
    most: i16,
    /// The definition and repetition levels of values; empty if they are the same for all.
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    /// The values that are not missing.
    values: Values,
    /// The number of levels read, and the positions of the next level and of the next value.
    levels: usize,
    level: usize,
    value: usize,
}

enum Values {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Int96(Vec<Int96>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<ByteArray>),
    Fixed(Vec<FixedLenByteArray>),
}

/// Runs the same code on the reader and the values of a column of any type.
macro_rules! of_each_type {
    ($leaf:ident, $reader:ident, $values:ident => $done:expr) => {
        match (&mut $leaf.reader, &mut $leaf.values) {
            (ColumnReader::BoolColumnReader($reader), Values::Bool($values)) => $done,
            (ColumnReader::Int32ColumnReader($reader), Values::Int32($values)) => $done,
            (ColumnReader::Int64ColumnReader($reader), Values::Int64($values)) => $done,
            (ColumnReader::Int96ColumnReader($reader), Values::Int96($values)) => $done,
            (ColumnReader::FloatColumnReader($reader), Values::Float($values)) => $done,
            (ColumnReader::DoubleColumnReader($reader), Values::Double($values)) => $done,
            (ColumnReader::ByteArrayColumnReader($reader), Values::Bytes($values)) => $done,
            (ColumnReader::FixedLenByteArrayColumnReader($reader), Values::Fixed($values)) => $done,
            _ => unreachable!("values are of the type of their reader"),
        }
    };
}

impl Leaf {
    /// A column of values of this form, there at this definition level.
    pub(super) fn new(reader: ColumnReader, form: Form, max_definition: i16) -> Self {
        let values = match &reader {
            ColumnReader::BoolColumnReader(_) => Values::Bool(Vec::new()),
            ColumnReader::Int32ColumnReader(_) => Values::Int32(Vec::new()),
            ColumnReader::Int64ColumnReader(_) => Values::Int64(Vec::new()),
            ColumnReader::Int96ColumnReader(_) => Values::Int96(Vec::new()),
            ColumnReader::FloatColumnReader(_) => Values::Float(Vec::new()),
            ColumnReader::DoubleColumnReader(_) => Values::Double(Vec::new()),
            ColumnReader::ByteArrayColumnReader(_) => Values::Bytes(Vec::new()),
            ColumnReader::FixedLenByteArrayColumnReader(_) => Values::Fixed(Vec::new()),
        };
        let (definitions, repetitions) = (Vec::new(), Vec::new());
        Self { reader, form, most: max_definition, definitions, repetitions, values, levels: 0, level: 0, value: 0 }
    }

    /// Reads this number of rows instead of those before.
    ///
    /// # Errors
    /// If those before were not done with, or the column has no more.
    pub(super) fn read(&mut self, rows: usize) -> Result<()> {
        let is_done = self.level == self.levels;
        self.definitions.clear();
        self.repetitions.clear();
        let (definitions, repetitions) = (&mut self.definitions, &mut self.repetitions);
        let (read, _, levels) = of_each_type!(self, reader, values => {
            values.clear();
            reader.read_records(rows, Some(definitions), Some(repetitions), values)?
        });
        (self.levels, self.level, self.value) = (levels, 0, 0);
        if is_done && read == rows { Ok(()) } else { Err(row_count_error()) }
    }

    /// The definition level of the next value.
    pub(super) fn definition(&self) -> Result<i16> {
        match self.definitions.get(self.level) {
            Some(definition) => Ok(*definition),
            None if self.level < self.levels => Ok(self.most),
            None => Err(row_count_error()),
        }
    }

    /// In which list the next value goes on: 0 if it begins a row; `None` at the end of the rows that were read.
    pub(super) fn repetition(&self) -> Option<i16> {
        (self.level < self.levels).then(|| self.repetitions.get(self.level).copied().unwrap_or(0))
    }

    /// Passes over the next value.
    pub(super) fn skip(&mut self) -> Result<()> {
        self.value += usize::from(self.definition()? == self.most);
        self.level += 1;
        Ok(())
    }

    /// Appends the next value, which is there, as JSON; whether it is a number.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        let value_index = self.value;
        self.skip()?;
        if self.value == value_index {
            return Err(row_count_error());
        }
        // A vector takes all that is written.
        let _ = match (&self.values, self.form) {
            // No log has these where it is read: an object is refused there, and passed over elsewhere.
            (_, Form::Other) => out.write_all(b"{}"),
            (Values::Bool(values), _) => write!(out, "{}", values[value_index]),
            (Values::Int32(values), Form::Unsigned) => write!(out, "{}", values[value_index].cast_unsigned()),
            (Values::Int32(values), _) => write!(out, "{}", values[value_index]),
            (Values::Int64(values), Form::Unsigned) => write!(out, "{}", values[value_index].cast_unsigned()),
            (Values::Int64(values), Form::Moment { is_utc, per_millisecond }) => {
                write_time(values[value_index].div_euclid(per_millisecond), is_utc, out);
                Ok(())
            }
            (Values::Int64(values), _) => write!(out, "{}", values[value_index]),
            (Values::Int96(values), _) => {
                write_time(values[value_index].to_millis(), true, out);
                Ok(())
            }
            (Values::Float(values), _) => return Ok(write_number(f64::from(values[value_index]), out)),
            (Values::Double(values), _) => return Ok(write_number(values[value_index], out)),
            (Values::Bytes(values), form) => return write_bytes(values[value_index].data(), form, out).map(|()| true),
            (Values::Fixed(values), form) => return write_bytes(values[value_index].data(), form, out).map(|()| true),
        };
        Ok(true)
    }
}

fn row_count_error() -> ParquetError {
    ParquetError::General("its columns have different numbers of rows".to_owned())
}

/// A time, in text.
fn write_time(milliseconds: i64, is_utc: bool, out: &mut Vec<u8>) {
    let written = times::text(milliseconds);
    write_string(if is_utc { &written } else { written.trim_end_matches('Z') }, out);
}

/// Text, or bytes that are text if they can be.
fn write_bytes(bytes: &[u8], form: Form, out: &mut Vec<u8>) -> Result<()> {
    // Most of it is the same in JSON.
    if bytes.iter().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')) {
        out.push(b'"');
        out.extend_from_slice(bytes);
        out.push(b'"');
        return Ok(());
    }
    match std::str::from_utf8(bytes) {
        Ok(string) if form == Form::Text || !string.contains(|c: char| c.is_control()) => write_string(string, out),
        Err(error) if form == Form::Text => return Err(ParquetError::General(format!("text is not UTF-8: {error}"))),
        _ => write_string(&base64(bytes), out),
    }
    Ok(())
}

/// A number; those that JSON does not have are text, which is refused where a number is expected. Whether it is a number at all.
fn write_number(number: f64, out: &mut Vec<u8>) -> bool {
    if number.is_finite() {
        let _ = serde_json::to_writer(out, &number);
    } else {
        write_string(&number.to_string(), out);
    }
    !number.is_nan()
}

/// A string of JSON.
pub(super) fn write_string(text: &str, out: &mut Vec<u8>) {
    // As above.
    let _ = serde_json::to_writer(out, text);
}
