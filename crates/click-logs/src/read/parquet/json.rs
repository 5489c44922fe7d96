//! Rows as lines of JSON.

use std::io::Write as _;

use parquet::record::{Field, Row};
use times as time;

use super::types::{Clock, Column};
use crate::read::base64;

/// Appends a row as a line.
pub(super) fn line(row: &Row, columns: &[Column], out: &mut Vec<u8>) {
    out.push(b'{');
    let mut is_first = true;
    for ((name, field), column) in row.get_column_iter().zip(columns) {
        // Logs write what they do not know as null, and pandas as not a number.
        let is_unknown = matches!(field, Field::Null) || matches!(field, Field::Double(number) if number.is_nan());
        if is_unknown {
            continue;
        }
        if !is_first {
            out.push(b',');
        }
        is_first = false;
        text(name, out);
        out.push(b':');
        match column.clock {
            Clock::Moments { is_utc, per_millisecond } => moment(field, is_utc, per_millisecond, out),
            Clock::Plain => value(field, out),
        }
    }
    out.extend_from_slice(b"}\n");
}

/// A time, in text.
fn moment(field: &Field, is_utc: bool, per_millisecond: i64, out: &mut Vec<u8>) {
    let milliseconds = match *field {
        Field::TimestampMillis(time) => time,
        Field::TimestampMicros(time) => time.div_euclid(1_000),
        Field::Long(time) => time.div_euclid(per_millisecond),
        _ => return value(field, out),
    };
    let written = time::text(milliseconds);
    text(if is_utc { &written } else { written.trim_end_matches('Z') }, out);
}

fn text(text: &str, out: &mut Vec<u8>) {
    // A vector takes all that is written.
    let _ = serde_json::to_writer(out, text);
}

/// A value of any type.
fn value(field: &Field, out: &mut Vec<u8>) {
    let written = match field {
        Field::Null => out.write_all(b"null"),
        Field::Bool(_) | Field::Byte(_) | Field::Short(_) | Field::Int(_) | Field::Long(_) => write!(out, "{field}"),
        Field::UByte(_) | Field::UShort(_) | Field::UInt(_) | Field::ULong(_) => write!(out, "{field}"),
        Field::Float(number) => return real(f64::from(*number), out),
        Field::Double(number) => return real(*number, out),
        Field::Str(string) => return text(string, out),
        Field::Bytes(bytes) => match std::str::from_utf8(bytes.data()) {
            Ok(string) if !string.contains(|c: char| c.is_control()) => return text(string, out),
            _ => return text(&base64(bytes.data()), out),
        },
        Field::TimestampMillis(time) => return text(&time::text(*time), out),
        Field::TimestampMicros(time) => return text(&time::text(time.div_euclid(1_000)), out),
        Field::Group(row) => {
            out.push(b'{');
            for (at, (name, field)) in row.get_column_iter().enumerate() {
                entry(at, name, field, out);
            }
            out.write_all(b"}")
        }
        Field::ListInternal(list) => {
            out.push(b'[');
            for (at, element) in list.elements().iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                value(element, out);
            }
            out.write_all(b"]")
        }
        Field::MapInternal(map) => {
            out.push(b'{');
            for (at, (key, field)) in map.entries().iter().enumerate() {
                let name = match key {
                    Field::Str(name) => name.clone(),
                    Field::Bytes(name) => String::from_utf8_lossy(name.data()).into_owned(),
                    other => other.to_string(),
                };
                entry(at, &name, field, out);
            }
            out.write_all(b"}")
        }
        // No log has these where it is read: an object is refused there, and passed over elsewhere.
        Field::Float16(_) | Field::Decimal(_) | Field::Date(_) | Field::TimeMillis(_) | Field::TimeMicros(_) => {
            out.write_all(b"{}")
        }
    };
    // As above.
    let _ = written;
}

fn entry(at: usize, name: &str, field: &Field, out: &mut Vec<u8>) {
    if at > 0 {
        out.push(b',');
    }
    text(name, out);
    out.push(b':');
    value(field, out);
}

/// A number; those that JSON does not have are text, which is refused where a number is expected.
fn real(number: f64, out: &mut Vec<u8>) {
    if number.is_finite() {
        let _ = serde_json::to_writer(out, &number);
    } else {
        text(&number.to_string(), out);
    }
}
