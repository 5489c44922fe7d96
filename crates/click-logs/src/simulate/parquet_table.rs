//! Lines of JSON as tables of Parquet.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Map, Value};

/// Rows of a row group. Row groups do not depend on how lines come, so the same lines give the same bytes.
const ROWS: usize = 1 << 17;

/// The type of a column; every value may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Text.
    Text,
    /// Milliseconds since 1970, in UTC.
    Time,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// A list of text, in which entries may be missing.
    List,
}

/// The columns of impressions.
pub const IMPRESSIONS: &[(&str, ColumnType)] = &[
    ("impression", ColumnType::Text),
    ("time", ColumnType::Time),
    ("user", ColumnType::Text),
    ("session", ColumnType::Text),
    ("agent", ColumnType::Text),
    ("pairs", ColumnType::Text),
    ("shown", ColumnType::List),
    ("teams", ColumnType::List),
    ("rankers", ColumnType::List),
    ("receipt", ColumnType::Text),
    ("mixed", ColumnType::List),
    ("pinned", ColumnType::List),
    ("paged", ColumnType::Whole),
    ("experiment", ColumnType::Text),
    ("version", ColumnType::Text),
];

/// The columns of clicks.
pub const CLICKS: &[(&str, ColumnType)] = &[
    ("impression", ColumnType::Text),
    ("document", ColumnType::Text),
    ("time", ColumnType::Time),
    ("dwell", ColumnType::Number),
];

/// The columns of conversions.
pub const CONVERSIONS: &[(&str, ColumnType)] = &[
    ("user", ColumnType::Text),
    ("document", ColumnType::Text),
    ("time", ColumnType::Time),
    ("action", ColumnType::Text),
    ("value", ColumnType::Whole),
    ("currency", ColumnType::Text),
    ("order", ColumnType::Text),
];

/// Writes lines of JSON as rows.
pub struct TableWriter {
    file: SerializedFileWriter<Box<dyn Write + Send>>,
    columns: &'static [(&'static str, ColumnType)],
    rows: Vec<Map<String, Value>>,
    /// The beginning of a line.
    pending: Vec<u8>,
}

impl TableWriter {
    /// A table with these columns.
    ///
    /// # Errors
    /// If its beginning cannot be written.
    pub fn new<W: Write + Send + 'static>(
        file: BufWriter<W>,
        columns: &'static [(&'static str, ColumnType)],
    ) -> io::Result<Self> {
        let field = |(name, kind): &(&str, ColumnType)| match kind {
            ColumnType::Text => format!("optional binary {name} (UTF8);"),
            ColumnType::Time => format!("optional int64 {name} (TIMESTAMP(MILLIS,true));"),
            ColumnType::Whole => format!("optional int64 {name};"),
            ColumnType::Number => format!("optional double {name};"),
            ColumnType::List => {
                format!("optional group {name} (LIST) {{ repeated group list {{ optional binary element (UTF8); }} }}")
            }
        };
        let fields: String = columns.iter().map(field).collect();
        let schema = parse_message_type(&format!("message log {{ {fields} }}")).map_err(io::Error::other)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file: Box<dyn Write + Send> = Box::new(file);
        let file = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)).map_err(io::Error::other)?;
        Ok(Self { file, columns, rows: Vec::new(), pending: Vec::new() })
    }

    /// Writes the remaining rows, and the end of the table.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.write_group()?;
        let mut file = self.file.into_inner().map_err(io::Error::other)?;
        file.flush()
    }

    fn write_group(&mut self) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.file.next_row_group().map_err(io::Error::other)?;
        for &(name, kind) in self.columns {
            let values: Vec<&Value> = rows.iter().map(|row| row.get(name).unwrap_or(&Value::Null)).collect();
            let mut column = group.next_column().map_err(io::Error::other)?.expect("as many columns as in the schema");
            write_column(column.untyped(), kind, &values).map_err(io::Error::other)?;
            column.close().map_err(io::Error::other)?;
        }
        group.close().map_err(io::Error::other)?;
        Ok(())
    }
}

impl Write for TableWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.pending.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let row = serde_json::from_slice(&self.pending).map_err(io::Error::other)?;
            self.pending.clear();
            self.rows.push(row);
            if self.rows.len() == ROWS {
                self.write_group()?;
            }
        }
        self.pending.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the values of a column, with levels that mark missing values and the beginnings of lists.
fn write_column(writer: &mut ColumnWriter<'_>, kind: ColumnType, values: &[&Value]) -> parquet::errors::Result<()> {
    let mut definitions: Vec<i16> = Vec::with_capacity(values.len());
    if kind == ColumnType::List {
        let (mut entries, mut repetitions): (Vec<ByteArray>, Vec<i16>) = Default::default();
        for value in values {
            let Some(list) = value.as_array().filter(|list| !list.is_empty()) else {
                definitions.push(i16::from(value.is_array()));
                repetitions.push(0);
                continue;
            };
            for (at, entry) in list.iter().enumerate() {
                let text = entry.as_str();
                definitions.push(if text.is_some() { 3 } else { 2 });
                repetitions.push(i16::from(at > 0));
                entries.extend(text.map(ByteArray::from));
            }
        }
        let ColumnWriter::ByteArrayColumnWriter(writer) = writer else { unreachable!("lists are of text") };
        return writer.write_batch(&entries, Some(&definitions), Some(&repetitions)).map(drop);
    }
    let mut there = |is_there: bool| definitions.push(i16::from(is_there));
    match writer {
        ColumnWriter::ByteArrayColumnWriter(writer) => {
            let text = |value: &&Value| value.as_str().map(ByteArray::from);
            let texts: Vec<ByteArray> =
                values.iter().map(text).inspect(|text| there(text.is_some())).flatten().collect();
            writer.write_batch(&texts, Some(&definitions), None).map(drop)
        }
        ColumnWriter::Int64ColumnWriter(writer) => {
            let whole = |value: &&Value| value.as_i64();
            let numbers: Vec<i64> =
                values.iter().map(whole).inspect(|whole| there(whole.is_some())).flatten().collect();
            writer.write_batch(&numbers, Some(&definitions), None).map(drop)
        }
        ColumnWriter::DoubleColumnWriter(writer) => {
            let number = |value: &&Value| value.as_f64();
            let numbers: Vec<f64> =
                values.iter().map(number).inspect(|number| there(number.is_some())).flatten().collect();
            writer.write_batch(&numbers, Some(&definitions), None).map(drop)
        }
        _ => unreachable!("a type that no column has"),
    }
}
