//! One row: `label qid:id feature:value ... # comment`.

use super::number::{self, NotANumber, ends_token};
use super::options::{MAX_FEATURE, MAX_ID, MAX_LINE, Null, ReadOptions};
use crate::decimal::Decimal;
use crate::error::{ErrorKind, excerpt};

/// A value in its row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) mantissa: i64,
    pub(super) feature: u32,
    pub(super) scale: i16,
}

/// What a line is.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// Nothing, or a comment only.
    Blank,
    /// A row of data; its values went into the entries.
    Row {
        label: f32,
        /// What follows `qid:`, where the row has it.
        qid: Option<&'a [u8]>,
        /// What follows `#`, where the row has it.
        comment: Option<&'a [u8]>,
        /// Byte position behind the last value.
        end: usize,
    },
}

/// What is wrong with a row, and at which byte of the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowError {
    pub(super) at: usize,
    pub(super) kind: ErrorKind,
    pub(super) message: String,
}

impl RowError {
    pub(super) fn new(at: usize, kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            at,
            kind,
            message: message.into(),
        }
    }
}

/// Reads the line at `start`, appending its values to `entries`, and returns what it is and where the
/// next line starts.
///
/// `text` must go on for [`number::LOOKAHEAD`] line feeds after its last line.
pub(super) fn read<'a>(
    text: &'a [u8],
    start: usize,
    options: &ReadOptions,
    entries: &mut Vec<Entry>,
) -> Result<(Line<'a>, usize), RowError> {
    let mut at = skip_blanks(text, start);
    match text[at] {
        b'\n' => return Ok((Line::Blank, at + 1)),
        b'#' => return Ok((Line::Blank, comment(text, start, at)?.1)),
        _ => {}
    }
    let label;
    (label, at) = read_label(text, at, options)?;
    at = skip_blanks(text, at);
    let mut qid = None;
    if text[at..].starts_with(b"qid:") {
        let (id, end) = read_qid(text, at + 4)?;
        qid = Some(id);
        at = skip_blanks(text, end);
    }
    let mut last = 0;
    loop {
        match text[at] {
            b'\n' => {
                check_length(start, at)?;
                return Ok((
                    Line::Row {
                        label,
                        qid,
                        comment: None,
                        end: at,
                    },
                    at + 1,
                ));
            }
            b'#' => {
                let (comment, next) = comment(text, start, at)?;
                return Ok((
                    Line::Row {
                        label,
                        qid,
                        comment: Some(comment),
                        end: at,
                    },
                    next,
                ));
            }
            _ => {}
        }
        let feature;
        (feature, at) = read_feature(text, at, last)?;
        last = feature;
        match number::scan(text, at) {
            Some((Decimal { mantissa, scale }, end)) => {
                entries.push(Entry {
                    mantissa,
                    feature,
                    scale,
                });
                at = end;
            }
            None => {
                let (value, end) = read_value(text, at, feature, options)?;
                entries.push(Entry {
                    mantissa: value.mantissa,
                    feature,
                    scale: value.scale,
                });
                at = end;
            }
        }
        // Most often exactly one blank.
        if text[at] == b' ' {
            at += 1;
        }
        at = skip_blanks(text, at);
    }
}

/// Whether `byte` separates tokens within a line.
#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

#[inline]
pub(super) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while is_blank(text[at]) {
        at += 1;
    }
    at
}

/// The bytes from `at` to the end of the token.
pub(super) fn token(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..];
    &rest[..rest
        .iter()
        .position(|&byte| ends_token(byte))
        .unwrap_or(rest.len())]
}

/// What follows the `#` at `at`, and where the next line starts.
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

pub(super) fn line_too_long(start: usize) -> RowError {
    let message = format!(
        "the line has more than {} MiB, expected a row of `label qid:id feature:value ...`: is this a data file?",
        MAX_LINE >> 20,
    );
    RowError::new(start + MAX_LINE, ErrorKind::Limit, message)
}

fn read_label(text: &[u8], at: usize, options: &ReadOptions) -> Result<(f32, usize), RowError> {
    let token = token(text, at);
    let what = "expected a label, as in `2 qid:10 1:0.5 2:3`";
    let fail = |kind, message| Err(RowError::new(at, kind, message));
    let label = match number::parse(token) {
        Ok(label) => label.to_f64() as f32,
        Err(NotANumber::NotFinite) => {
            let found = excerpt(token);
            return fail(
                ErrorKind::Label,
                format!("label {found} is not finite, expected a number"),
            );
        }
        Err(NotANumber::Syntax) if !is_text(token) => {
            let found = excerpt(token);
            let message = format!("binary data {found}, {what}: is this a text file?");
            return fail(ErrorKind::Format, message);
        }
        Err(NotANumber::Syntax) => {
            return fail(
                ErrorKind::Syntax,
                format!("{what}, found {}", excerpt(token)),
            );
        }
    };
    if label == -1.0 || (0.0..=options.max_label).contains(&label) {
        Ok((label, at + token.len()))
    } else {
        let message = format!(
            "label {} is out of range, expected 0 to {} (or -1 for none): correct it, or raise `max_label` if it is meant",
            excerpt(token),
            options.max_label,
        );
        fail(ErrorKind::Label, message)
    }
}

/// The id at `at` and the position behind it.
fn read_qid(text: &[u8], at: usize) -> Result<(&[u8], usize), RowError> {
    let id = token(text, at);
    check_id(id, at)?;
    Ok((id, at + id.len()))
}

/// That `id`, found at `at`, may be a query's id.
pub(super) fn check_id(id: &[u8], at: usize) -> Result<(), RowError> {
    let fail = |message| Err(RowError::new(at, ErrorKind::QueryId, message));
    if id.is_empty() {
        return fail("expected a query id after `qid:`, as in `qid:10`, found none".to_string());
    }
    if id.len() > MAX_ID {
        return fail(format!(
            "query id {} has more than {MAX_ID} bytes: is this a data file?",
            excerpt(id)
        ));
    }
    if !is_text(id) {
        return fail(format!(
            "query id {} is not text, expected UTF-8 without control characters",
            excerpt(id)
        ));
    }
    Ok(())
}

fn is_text(token: &[u8]) -> bool {
    str::from_utf8(token).is_ok_and(|text| !text.chars().any(char::is_control))
}

/// The feature number at `at`, which must be above `last`, and the position behind its colon.
#[inline]
fn read_feature(text: &[u8], at: usize, last: u32) -> Result<(u32, usize), RowError> {
    let mut feature = 0u32;
    let mut next = at;
    // Seven digits pass the limit already.
    while next < at + 7 && text[next].is_ascii_digit() {
        feature = feature * 10 + u32::from(text[next] - b'0');
        next += 1;
    }
    if text[next] == b':' && next > at && last < feature && feature <= MAX_FEATURE {
        Ok((feature, next + 1))
    } else {
        Err(bad_feature(text, at, last))
    }
}

#[cold]
fn bad_feature(text: &[u8], at: usize, last: u32) -> RowError {
    let token = token(text, at);
    let found = excerpt(token);
    let digits = token
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if digits == 0 || token.get(digits) != Some(&b':') {
        let message = if token.starts_with(b"qid:") {
            format!(
                "expected `feature:value`, found {found}: the query id comes right after the label, once"
            )
        } else if is_text(token) {
            format!("expected `feature:value`, as in `3:0.5`, found {found}")
        } else {
            format!("binary data {found}, expected `feature:value`: is this a text file?")
        };
        return RowError::new(at, ErrorKind::Syntax, message);
    }
    let significant = token[..digits].trim_ascii_start();
    let number = significant.iter().try_fold(0u32, |number, digit| {
        number.checked_mul(10)?.checked_add(u32::from(digit - b'0'))
    });
    let message = match number {
        Some(0) => format!("feature 0 in {found}: features count from 1, add one to each"),
        Some(number) if number == last => {
            format!("feature {number} is given twice in this row: keep one of them")
        }
        Some(number) if number < last => format!(
            "feature {number} after feature {last}, expected ascending numbers: sort each row by feature"
        ),
        _ => {
            format!("the feature number in {found} is beyond {MAX_FEATURE}, the most that is read")
        }
    };
    RowError::new(at, ErrorKind::Feature, message)
}

/// The value at `at`, by the slow road, and the position behind it.
#[cold]
fn read_value(
    text: &[u8],
    at: usize,
    feature: u32,
    options: &ReadOptions,
) -> Result<(Decimal, usize), RowError> {
    let token = token(text, at);
    let found = excerpt(token);
    let fail = |kind, message| Err(RowError::new(at, kind, message));
    match number::parse(token) {
        Ok(value) => Ok((value, at + token.len())),
        Err(_) if token.eq_ignore_ascii_case(b"null") => match options.null {
            Null::Zero => Ok((Decimal::ZERO, at + token.len())),
            Null::Error => fail(
                ErrorKind::Value,
                format!(
                    "feature {feature} is {found}, expected a number: ask for NULL as zero if that is meant"
                ),
            ),
        },
        Err(NotANumber::NotFinite) => fail(
            ErrorKind::Value,
            format!(
                "feature {feature} is {found}, expected a finite number: correct it or leave it out (absent is 0)"
            ),
        ),
        Err(NotANumber::Syntax) if token.is_empty() => fail(
            ErrorKind::Syntax,
            format!(
                "expected a value after `{feature}:`, found none: leave the feature out if it is absent"
            ),
        ),
        Err(NotANumber::Syntax) => fail(
            ErrorKind::Syntax,
            format!("expected a number as the value of feature {feature}, found {found}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::LOOKAHEAD;
    use super::*;

    type Row = (f32, Option<String>, Option<String>, Vec<(u32, f64)>);

    fn row_with(
        line: &str,
        options: &ReadOptions,
    ) -> Result<Option<Row>, (usize, ErrorKind, String)> {
        let mut text = line.as_bytes().to_vec();
        text.resize(text.len() + LOOKAHEAD, b'\n');
        let mut entries = Vec::new();
        let string = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        match read(&text, 0, options, &mut entries) {
            Err(error) => Err((error.at + 1, error.kind, error.message)),
            Ok((Line::Blank, _)) => Ok(None),
            Ok((
                Line::Row {
                    label,
                    qid,
                    comment,
                    ..
                },
                next,
            )) => {
                assert_eq!(next, line.len() + 1);
                let value = |e: &Entry| {
                    Decimal {
                        mantissa: e.mantissa,
                        scale: e.scale,
                    }
                    .to_f64()
                };
                let values = entries
                    .iter()
                    .map(|entry| (entry.feature, value(entry)))
                    .collect();
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
            (
                "2 qid:10 1:3 2:-0.5",
                (2.0, s("10"), None, vec![(1, 3.0), (2, -0.5)]),
            ),
            (
                "0 qid:WT04-182 1:0.5 #docid = G13 inc = 1",
                (0.0, s("WT04-182"), s("docid = G13 inc = 1"), vec![(1, 0.5)]),
            ),
            (
                "1.33333 7:0.704953 # 3382",
                (1.33333, None, s("3382"), vec![(7, 0.704953)]),
            ),
            ("-1 2:1.000000 # 4", (-1.0, None, s("4"), vec![(2, 1.0)])),
            (
                "4\tqid:1\t1:12.318474\t2:1 # 7555\trambo",
                (
                    4.0,
                    s("1"),
                    s("7555\trambo"),
                    vec![(1, 12.318474), (2, 1.0)],
                ),
            ),
            (
                "1.0 qid:1 2:2.5     10:-5.2   \r",
                (1.0, s("1"), None, vec![(2, 2.5), (10, -5.2)]),
            ),
            (
                "  +1 qid:é 1:+1 1000000:6.5e-08",
                (1.0, s("é"), None, vec![(1, 1.0), (1_000_000, 6.5e-8)]),
            ),
            ("0 qid:7", (0.0, s("7"), None, vec![])),
            ("0", (0.0, None, None, vec![])),
            (
                "0 qid:7 1:2#tight",
                (0.0, s("7"), s("tight"), vec![(1, 2.0)]),
            ),
            (
                "0 qid:7 001:2 02:3",
                (0.0, s("7"), None, vec![(1, 2.0), (2, 3.0)]),
            ),
        ] {
            assert_eq!(row(line), Ok(Some(expected)), "{line}");
        }
        for blank in ["", "   \t\r", "# a comment", "  #"] {
            assert_eq!(row(blank), Ok(None), "{blank:?}");
        }
    }

    #[test]
    fn bad_rows_say_where_and_what() {
        use ErrorKind::*;
        for (line, column, kind, part) in [
            (
                "python 2:2.5",
                1,
                Syntax,
                "expected a label, as in `2 qid:10 1:0.5 2:3`, found `python`",
            ),
            ("qid:1 1:2", 1, Syntax, "expected a label"),
            (
                "7 qid:1 1:2",
                1,
                Label,
                "label `7` is out of range, expected 0 to 4",
            ),
            ("-2 qid:1 1:2", 1, Label, "out of range"),
            ("nan qid:1 1:2", 1, Label, "not finite"),
            ("\0\u{1}ELF 1:2", 1, Format, "binary data `\\x00\\x01ELF`"),
            ("2 qid: 1:2", 7, QueryId, "expected a query id after `qid:`"),
            ("2 qid:a\0b 1:2", 7, QueryId, "is not text"),
            ("2 qid:1 0:2", 9, Feature, "features count from 1"),
            ("2 qid:1 1:2 1:3", 13, Feature, "feature 1 is given twice"),
            (
                "2 qid:1 5:2 3:3",
                13,
                Feature,
                "feature 3 after feature 5, expected ascending",
            ),
            ("2 qid:1 1000001:3", 9, Feature, "beyond 1000000"),
            ("2 qid:1 99999999999:3", 9, Feature, "beyond 1000000"),
            (
                "2 qid:1 -1:3",
                9,
                Syntax,
                "expected `feature:value`, as in `3:0.5`, found `-1:3`",
            ),
            (
                "2 qid:1 1:2 qid:3",
                13,
                Syntax,
                "the query id comes right after the label",
            ),
            ("2 qid:1 1", 9, Syntax, "expected `feature:value`"),
            ("2 qid:1 1:2 \u{7f}", 13, Syntax, "binary data"),
            (
                "2 qid:1 1:abc",
                11,
                Syntax,
                "expected a number as the value of feature 1, found `abc`",
            ),
            (
                "2 qid:1 1: 2",
                11,
                Syntax,
                "expected a value after `1:`, found none",
            ),
            ("2 qid:1 1:1:2", 11, Syntax, "found `1:2`"),
            (
                "2 qid:1 1:NaN",
                11,
                Value,
                "feature 1 is `NaN`, expected a finite number",
            ),
            ("2 qid:1 1:-inf", 11, Value, "finite"),
            ("2 qid:1 1:1e999", 11, Value, "finite"),
            ("2 qid:1 1:NULL", 11, Value, "ask for NULL as zero"),
        ] {
            let (found_column, found_kind, message) = row(line).unwrap_err();
            assert_eq!(
                (found_column, found_kind),
                (column, kind),
                "{line}: {message}"
            );
            assert!(message.contains(part), "{line}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn what_is_asked_for_is_accepted() {
        let options = ReadOptions {
            max_label: 10.0,
            null: Null::Zero,
            ..ReadOptions::default()
        };
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
