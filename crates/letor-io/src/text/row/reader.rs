//! Reads one row: `label qid:id feature:value ... # comment`.

use super::feature_value::FeatureValue;
use super::short_values;
use super::token::{RowError, read_feature, read_label, read_qid, read_value};
use crate::decimal::Decimal;
use crate::error::ErrorKind;
use crate::text::options::{MAX_LINE, ReadOptions};

/// The contents of a line.
#[derive(Debug, PartialEq)]
pub(in crate::text) enum Line<'a> {
    /// A blank line or a comment.
    Blank,
    /// A row of data; its values are in the entries.
    Row {
        label: f32,
        /// The text after `qid:`, if the row has it.
        qid: Option<&'a [u8]>,
        /// The text after `#`, if the row has it.
        comment: Option<&'a [u8]>,
        /// The byte position after the last value.
        end: usize,
    },
}

/// Reads the line at `start`, appends its values to `entries`, and returns its contents and the start of the next line.
///
/// [`LOOKAHEAD`](super::LOOKAHEAD) line feeds must follow the last line of `text`.
pub(in crate::text) fn read_row<'a>(
    text: &'a [u8],
    start: usize,
    options: &ReadOptions,
    entries: &mut Vec<FeatureValue>,
) -> Result<(Line<'a>, usize), RowError> {
    let mut cursor = skip_blanks(text, start);
    match text[cursor] {
        b'\n' => return Ok((Line::Blank, cursor + 1)),
        b'#' => return Ok((Line::Blank, comment(text, start, cursor)?.1)),
        _ => {}
    }
    let label;
    (label, cursor) = read_label(text, cursor, options)?;
    cursor = skip_blanks(text, cursor);
    let mut qid = None;
    if text[cursor..].starts_with(b"qid:") {
        let (id, end) = read_qid(text, cursor + 4)?;
        qid = Some(id);
        cursor = skip_blanks(text, end);
    }
    let cursor = read_values(text, start, cursor, options, entries)?;
    let (comment, next) = match text[cursor] {
        b'#' => {
            let (comment, next) = comment(text, start, cursor)?;
            (Some(comment), next)
        }
        _ => (None, cursor + 1),
    };
    check_length(start, next - 1)?;
    Ok((Line::Row { label, qid, comment, end: cursor }, next))
}

/// Reads `feature:value` pairs from `at` up to a comment or the end of the line and returns that position.
fn read_values(
    text: &[u8],
    start: usize,
    mut at: usize,
    options: &ReadOptions,
    entries: &mut Vec<FeatureValue>,
) -> Result<usize, RowError> {
    // Beyond the limit nothing is read; before it, there may be an error.
    let limit = start + MAX_LINE;
    let mut last = 0;
    loop {
        (at, last) = short_values::read(text, at, last, limit, entries);
        at = skip_blanks(text, at);
        if matches!(text[at], b'\n' | b'#') || at > limit {
            return Ok(at);
        }
        // Repeated spaces or an unusual value: the fast path may work again after it.
        let before = entries.len();
        (at, last) = short_values::read(text, at, last, limit, entries);
        if entries.len() == before {
            let (feature, value) = read_feature(text, at, last)?;
            let (Decimal { mantissa, scale }, end) = read_value(text, value, feature, options)?;
            entries.push(FeatureValue { mantissa, feature, scale });
            (at, last) = (end, feature);
        }
    }
}

/// Whether `byte` separates tokens in a line.
#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

#[inline]
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while is_blank(text[at]) {
        at += 1;
    }
    at
}

/// The text after the `#` at `at`, and the start of the next line.
fn comment(text: &[u8], start: usize, at: usize) -> Result<(&[u8], usize), RowError> {
    let length = memchr::memchr(b'\n', &text[at..]).unwrap_or(text.len() - at);
    check_length(start, at + length)?;
    Ok((text[at + 1..at + length].trim_ascii(), at + length + 1))
}

fn check_length(start: usize, end: usize) -> Result<(), RowError> {
    if end - start <= MAX_LINE {
        return Ok(());
    }
    Err(line_too_long(start))
}

pub(in crate::text) fn line_too_long(start: usize) -> RowError {
    let message = format!(
        "the line has more than {} MiB, expected a row of `label qid:id feature:value ...`: check that this is a data file",
        MAX_LINE >> 20,
    );
    RowError::new(start + MAX_LINE, ErrorKind::Limit, message)
}

#[cfg(test)]
mod tests {
    use super::super::LOOKAHEAD;
    use super::*;
    use crate::dataset::MAX_ID;
    use crate::text::options::Null;

    type Row = (f32, Option<String>, Option<String>, Vec<(u32, f64)>);

    fn row_with(line: &str, options: &ReadOptions) -> Result<Option<Row>, (usize, ErrorKind, String)> {
        let mut text = line.as_bytes().to_vec();
        text.resize(text.len() + LOOKAHEAD, b'\n');
        let mut entries = Vec::new();
        let string = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        match read_row(&text, 0, options, &mut entries) {
            Err(error) => Err((error.at + 1, error.kind, error.message)),
            Ok((Line::Blank, _)) => Ok(None),
            Ok((Line::Row { label, qid, comment, .. }, next)) => {
                assert_eq!(next, line.len() + 1);
                let value = |e: &FeatureValue| Decimal { mantissa: e.mantissa, scale: e.scale }.to_f64();
                let values = entries.iter().map(|entry| (entry.feature, value(entry))).collect();
                Ok(Some((label, qid.map(string), comment.map(string), values)))
            }
        }
    }

    fn row(line: &str) -> Result<Option<Row>, (usize, ErrorKind, String)> {
        row_with(line, &ReadOptions::default())
    }

    #[test]
    fn rows_of_all_dialects() {
        let s = |text: &str| Some(text.to_string());
        for (line, expected) in [
            ("2 qid:10 1:3 2:-0.5", (2.0, s("10"), None, vec![(1, 3.0), (2, -0.5)])),
            (
                "0 qid:WT04-182 1:0.5 #docid = G13 inc = 1",
                (0.0, s("WT04-182"), s("docid = G13 inc = 1"), vec![(1, 0.5)]),
            ),
            ("1.33333 7:0.704953 # 3382", (1.33333, None, s("3382"), vec![(7, 0.704953)])),
            ("-1 2:1.000000 # 4", (-1.0, None, s("4"), vec![(2, 1.0)])),
            (
                "4\tqid:1\t1:12.318474\t2:1 # 7555\trambo",
                (4.0, s("1"), s("7555\trambo"), vec![(1, 12.318474), (2, 1.0)]),
            ),
            ("1.0 qid:1 2:2.5     10:-5.2   \r", (1.0, s("1"), None, vec![(2, 2.5), (10, -5.2)])),
            ("  +1 qid:é 1:+1 1000000:6.5e-08", (1.0, s("é"), None, vec![(1, 1.0), (1_000_000, 6.5e-8)])),
            ("0 qid:7", (0.0, s("7"), None, vec![])),
            ("0", (0.0, None, None, vec![])),
            ("0 qid:7 1:2#tight", (0.0, s("7"), s("tight"), vec![(1, 2.0)])),
            ("0 qid:7 001:2 02:3", (0.0, s("7"), None, vec![(1, 2.0), (2, 3.0)])),
        ] {
            assert_eq!(row(line), Ok(Some(expected)), "{line}");
        }
        for blank in ["", "   \t\r", "# a comment", "  #"] {
            assert_eq!(row(blank), Ok(None), "{blank:?}");
        }
    }

    #[test]
    fn errors_give_place_and_cause() {
        use ErrorKind::*;
        for (line, column, kind, part) in [
            ("python 2:2.5", 1, Syntax, "found `python`, expected a label, as in `2 qid:10 1:0.5 2:3`"),
            ("qid:1 1:2", 1, Syntax, "expected a label"),
            ("7 qid:1 1:2", 1, Label, "label `7` is out of range, expected 0 to 4"),
            ("-2 qid:1 1:2", 1, Label, "out of range"),
            ("nan qid:1 1:2", 1, Label, "not finite"),
            ("\0\u{1}ELF 1:2", 1, Format, "found binary data `\\x00\\x01ELF`"),
            ("2 qid: 1:2", 7, QueryId, "found no query id after `qid:`"),
            ("2 qid:a\0b 1:2", 7, QueryId, "is not text"),
            ("2 qid:1 0:2", 9, Feature, "feature numbers start at 1"),
            ("2 qid:1 1:2 1:3", 13, Feature, "feature 1 occurs twice"),
            ("2 qid:1 5:2 3:3", 13, Feature, "feature 3 after feature 5, expected ascending"),
            ("2 qid:1 1000001:3", 9, Feature, "above 1000000"),
            ("2 qid:1 99999999999:3", 9, Feature, "above 1000000"),
            ("2 qid:1 -1:3", 9, Syntax, "found `-1:3`, expected `feature:value`, as in `3:0.5`"),
            ("2 qid:1 1:2 qid:3", 13, Syntax, "put the query id after the label, once"),
            ("2 qid:1 1", 9, Syntax, "expected `feature:value`"),
            ("2 qid:1 1:2 \u{7f}", 13, Syntax, "binary data"),
            ("2 qid:1 1:abc", 11, Syntax, "the value of feature 1 is `abc`, expected a number"),
            ("2 qid:1 1: 2", 11, Syntax, "found no value after `1:`"),
            ("2 qid:1 1:1:2", 11, Syntax, "is `1:2`"),
            ("2 qid:1 1:NaN", 11, Value, "feature 1 is `NaN`, expected a finite number"),
            ("2 qid:1 1:-inf", 11, Value, "finite"),
            ("2 qid:1 1:1e999", 11, Value, "finite"),
            ("2 qid:1 1:NULL", 11, Value, "--null zero"),
        ] {
            let (found_column, found_kind, message) = row(line).unwrap_err();
            assert_eq!((found_column, found_kind), (column, kind), "{line}: {message}");
            assert!(message.contains(part), "{line}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn options_are_respected() {
        let options = ReadOptions { max_label: 10.0, null: Null::Zero, ..ReadOptions::default() };
        let expected = (7.0, Some("1".into()), None, vec![(1, 0.0), (2, 1.0)]);
        assert_eq!(row_with("7 qid:1 1:NULL 2:1", &options), Ok(Some(expected)));
    }

    #[test]
    fn long_ids_and_lines_are_refused() {
        let long = format!("2 qid:{} 1:2", "x".repeat(MAX_ID + 1));
        assert_eq!(row(&long).unwrap_err().0, 7);
        let long = format!("2 qid:1 1:2 #{}", "x".repeat(MAX_LINE));
        let (column, kind, _) = row(&long).unwrap_err();
        assert_eq!((column, kind), (MAX_LINE + 1, ErrorKind::Limit));
    }
}
