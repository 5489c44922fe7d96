//! The columns of plain values of a table, as text.

use std::path::Path;

use output::input;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use super::catch_panic::catch_panic;
use crate::error::LogError;

/// The names of the columns of a table, and its rows as text; empty where there is none.
pub(crate) type TextRows = (Vec<String>, Vec<Vec<String>>);

/// The rows of the table at `path`.
///
/// # Errors
/// If it cannot be read or is damaged.
pub(crate) fn rows_of_parquet(path: &Path) -> Result<TextRows, LogError> {
    let file = input::open(path).map_err(|error| LogError::io(path, "cannot be opened", &error))?;
    let failed =
        |error: String| LogError::new(format!("cannot be read as Parquet: {error}; is it complete?")).in_file(path);
    let reader = catch_panic(|| SerializedFileReader::new(file)).map_err(failed)?;
    let schema = reader.metadata().file_metadata().schema_descr().root_schema().clone();
    let names: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let mut rows = Vec::new();
    let mut each = catch_panic(|| reader.get_row_iter(None)).map_err(failed)?;
    while let Some(row) = catch_panic(|| each.next().transpose()).map_err(failed)? {
        rows.push(row.get_column_iter().map(|(_, field)| text(field)).collect());
    }
    Ok((names, rows))
}

fn text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::Bytes(bytes) => bytes.as_utf8().unwrap_or_default().to_owned(),
        // Engines without whole numbers write 12.0.
        Field::Double(real) if real.abs() < 1e15 && libm::trunc(*real) == *real => format!("{real:.0}"),
        Field::Date(day) => times::date(*day),
        Field::TimestampMillis(time) => times::text(*time),
        Field::TimestampMicros(time) => times::text(time.div_euclid(1000)),
        other => other.to_string(),
    }
}
