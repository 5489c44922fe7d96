//! Tables of outcomes in the forms that warehouses write: CSV, JSON Lines and Parquet, plain or compressed.

use std::io::Read as _;
use std::path::Path;

use output::input;
use ranktypes::text::excerpt;
use serde_json::Value;
use verdicts::outcomes::Outcomes;

use super::table::{self, parse_rows};
use crate::error::{LineError, LogError};

/// A larger table is invalid.
const MAX_BYTES: u64 = 1 << 30;

/// The content of a file, before it is interpreted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Table {
    /// The text of CSV.
    Csv(String),
    /// Rows of objects or of a table.
    Rows {
        /// The names of columns.
        names: Vec<String>,
        /// By row: its number, from 1, and its fields.
        rows: Vec<(u64, Vec<String>)>,
        /// Whether rows are rows of Parquet instead of lines.
        of_parquet: bool,
    },
}

impl Table {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read, is too large, or a line of JSON is not an object.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        if is_parquet(path) {
            let (names, rows) = crate::read::rows_of_parquet(path)?;
            return Ok(Self::Rows { names, rows: (1..).zip(rows).collect(), of_parquet: true });
        }
        let text = crate::read::unpacked_text(path, MAX_BYTES)?;
        if !text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            return Ok(Self::Csv(text));
        }
        let (mut names, mut rows): (Vec<String>, Vec<(u64, Vec<String>)>) = Default::default();
        for (number, line) in
            (1..).zip(text.trim_start_matches('\u{feff}').lines()).filter(|(_, line)| !line.trim().is_empty())
        {
            let failed = |message: String| LogError::at_line(LineError::new(message), number).in_file(path);
            rows.push((number, object(line, &mut names).map_err(failed)?));
        }
        rows.iter_mut().for_each(|(_, fields)| fields.resize(names.len(), String::new()));
        Ok(Self::Rows { names, rows, of_parquet: false })
    }

    /// The outcomes; the rankers are in this order if it names all of them.
    ///
    /// # Errors
    /// With the place and the fault, as [`read`](table::read).
    pub fn outcomes(&self, order: &[String]) -> Result<Outcomes, LogError> {
        match self {
            Self::Csv(text) => table::read(text, order),
            Self::Rows { names, rows, of_parquet } => {
                let what = if *of_parquet { "row" } else { "line" };
                parse_rows(names, rows, order, what, |message, number| match number {
                    Some(row) if *of_parquet => LogError::new(format!("row {row}: {message}")),
                    Some(line) => LogError::at_line(LineError::new(message), line),
                    None if *of_parquet => LogError::new(message),
                    None => LogError::at_line(LineError::new(message), rows.first().map_or(1, |(line, _)| *line)),
                })
            }
        }
    }

    /// Its text as `click-logs credit` would write it; a summary recognises its table by this text.
    #[must_use]
    pub fn text(&self, order: &[String]) -> String {
        match self {
            Self::Csv(text) => text.clone(),
            Self::Rows { .. } => self.outcomes(order).map_or_else(|_| String::new(), |outcomes| outcomes.to_csv()),
        }
    }
}

fn is_parquet(path: &Path) -> bool {
    let mut start = [0; 4];
    // A pipe can be read only once.
    path.is_file() && input::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok() && &start == b"PAR1")
}

/// The fields of an object in a line of JSON, by their places among the names, to which new ones are added.
fn object(line: &str, names: &mut Vec<String>) -> Result<Vec<String>, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(object) = value else {
        return Err(format!("{}, not an object; expected one JSON object per line", excerpt(line)));
    };
    let mut fields = vec![String::new(); names.len()];
    for (name, value) in object {
        let column = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name.clone());
            fields.push(String::new());
            names.len() - 1
        });
        fields[column] = match value {
            Value::Null => String::new(),
            Value::String(text) => text,
            Value::Number(number) => match number.as_f64() {
                // Engines without whole numbers write 12.0.
                Some(real)
                    if !number.is_i64() && !number.is_u64() && real.abs() < 1e15 && libm::trunc(real) == real =>
                {
                    format!("{real:.0}")
                }
                _ => number.to_string(),
            },
            // Columns that no table of outcomes has are passed over.
            other => other.to_string(),
        };
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: &str = "\
version,day,first,second,unit_wins,unit_losses,unit_ties
s@1,2026-11-22,A,B,1,2,3
s@1,2026-11-23,A,B,4,0,2
";

    fn read(name: &str, bytes: &[u8]) -> Result<Outcomes, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let table = Table::open(&path).map_err(|error| error.to_string())?;
        let found = table.outcomes(&[]).map_err(|error| error.to_string());
        if let Ok(outcomes) = &found {
            assert_eq!(table::read(&table.text(&[]), &[]).as_ref(), Ok(outcomes));
        }
        found
    }

    #[test]
    fn json_lines_in_any_order_of_columns_say_the_same_as_csv() {
        let expected = read("outcomes.csv", CSV.as_bytes()).unwrap();
        let lines = [
            r#"{"first":"A","second":"B","day":"2026-11-22","unit_wins":1,"unit_losses":2.0,"unit_ties":"3","version":"s@1","x":[1]}"#,
            r#"{"unit_ties":2,"day":"2026-11-23T00:00:00.000Z","version":"s@1","second":"B","first":"A","unit_wins":4,"unit_losses":0}"#,
        ];
        let text = lines.join("\n") + "\n";
        assert_eq!(read("outcomes.jsonl", text.as_bytes()).as_ref(), Ok(&expected));
        for (text, what) in [(text.as_str(), "jsonl"), (CSV, "csv")] {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut packer, text.as_bytes()).unwrap();
            let packed = packer.finish().unwrap();
            assert_eq!(read(&format!("outcomes.{what}.gz"), &packed).as_ref(), Ok(&expected), "{what}");
        }
        let twice = text.clone() + lines[1];
        assert!(read("twice", twice.as_bytes()).unwrap_err().contains("are in line 2 already"));
        for (line, expected) in [
            ("{\"day\": \"2026-11-22\"}", "no first, second, unit_wins"),
            (
                r#"{"day":"2026-11-22T01:00:00Z","first":"A","second":"B","unit_wins":1,"unit_losses":1,"unit_ties":1}"#,
                "not a date",
            ),
            (
                r#"{"day":"2026-11-22","first":"A","second":"B","unit_wins":1.5,"unit_losses":1,"unit_ties":1}"#,
                "not a count",
            ),
            ("{\"day\"", "not JSON"),
        ] {
            let found = read("wrong.jsonl", line.as_bytes()).unwrap_err();
            assert!(found.contains(expected), "{found}");
        }
    }
}
