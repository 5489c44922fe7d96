//! One token of a row at a time, by the long road: any number there is, and what is wrong with those
//! that are none.

use super::number::{self, NotANumber, ends_token};
use super::options::{MAX_FEATURE, MAX_ID, Null, ReadOptions};
use crate::decimal::Decimal;
use crate::error::{ErrorKind, excerpt};

/// What is wrong with a row, and at which byte of the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowError {
    pub(super) at: usize,
    pub(super) kind: ErrorKind,
    pub(super) message: String,
}

impl RowError {
    pub(super) fn new(at: usize, kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { at, kind, message: message.into() }
    }
}

/// The bytes from `at` to the end of the token.
fn token(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..];
    &rest[..rest.iter().position(|&byte| ends_token(byte)).unwrap_or(rest.len())]
}

/// The label at `at` and the position behind it.
pub(super) fn read_label(text: &[u8], at: usize, options: &ReadOptions) -> Result<(f32, usize), RowError> {
    let token = token(text, at);
    let what = "expected a label, as in `2 qid:10 1:0.5 2:3`";
    let fail = |kind, message| Err(RowError::new(at, kind, message));
    let label = match number::parse(token) {
        Ok(label) => label.to_f64() as f32,
        Err(NotANumber::NotFinite) => {
            let found = excerpt(token);
            return fail(ErrorKind::Label, format!("label {found} is not finite, expected a number"));
        }
        Err(NotANumber::Syntax) if !is_text(token) => {
            let found = excerpt(token);
            let message = format!("binary data {found}, {what}: is this a text file?");
            return fail(ErrorKind::Format, message);
        }
        Err(NotANumber::Syntax) => {
            return fail(ErrorKind::Syntax, format!("{what}, found {}", excerpt(token)));
        }
    };
    if label == -1.0 || (0.0..=options.max_label).contains(&label) {
        Ok((label, at + token.len()))
    } else {
        let message = format!(
            "label {} is out of range, expected 0 to {} (or -1 for none): correct it, or raise the highest label allowed (--max-label, `ReadOptions::max_label`) if it is meant",
            excerpt(token),
            options.max_label,
        );
        fail(ErrorKind::Label, message)
    }
}

/// The id at `at` and the position behind it.
pub(super) fn read_qid(text: &[u8], at: usize) -> Result<(&[u8], usize), RowError> {
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
        return fail(format!("query id {} has more than {MAX_ID} bytes: is this a data file?", excerpt(id)));
    }
    if !is_text(id) {
        return fail(format!("query id {} is not text, expected UTF-8 without control characters", excerpt(id)));
    }
    Ok(())
}

fn is_text(token: &[u8]) -> bool {
    str::from_utf8(token).is_ok_and(|text| !text.chars().any(char::is_control))
}

/// The feature number at `at`, which must be above `last`, and the position behind its colon.
#[inline]
pub(super) fn read_feature(text: &[u8], at: usize, last: u32) -> Result<(u32, usize), RowError> {
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
    let digits = token.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || token.get(digits) != Some(&b':') {
        let message = if token.starts_with(b"qid:") {
            format!("expected `feature:value`, found {found}: the query id comes right after the label, once")
        } else if is_text(token) {
            format!("expected `feature:value`, as in `3:0.5`, found {found}")
        } else {
            format!("binary data {found}, expected `feature:value`: is this a text file?")
        };
        return RowError::new(at, ErrorKind::Syntax, message);
    }
    let significant = token[..digits].trim_ascii_start();
    let number =
        significant.iter().try_fold(0u32, |number, digit| number.checked_mul(10)?.checked_add(u32::from(digit - b'0')));
    let message = match number {
        Some(0) => format!("feature 0 in {found}: features count from 1, add one to each"),
        Some(number) if number == last => {
            format!("feature {number} is given twice in this row: keep one of them")
        }
        Some(number) if number < last => {
            format!("feature {number} after feature {last}, expected ascending numbers: sort each row by feature")
        }
        _ => {
            format!("the feature number in {found} is beyond {MAX_FEATURE}, the most that is read")
        }
    };
    RowError::new(at, ErrorKind::Feature, message)
}

/// The value at `at`, by the slow road, and the position behind it.
#[cold]
pub(super) fn read_value(
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
                    "feature {feature} is {found}, expected a number: ask for NULL as zero (--null zero) if that is meant"
                ),
            ),
        },
        Err(NotANumber::NotFinite) => fail(
            ErrorKind::Value,
            format!("feature {feature} is {found}, expected a finite number: correct it or leave it out (absent is 0)"),
        ),
        Err(NotANumber::Syntax) if token.is_empty() => fail(
            ErrorKind::Syntax,
            format!("expected a value after `{feature}:`, found none: leave the feature out if it is absent"),
        ),
        Err(NotANumber::Syntax) => {
            fail(ErrorKind::Syntax, format!("expected a number as the value of feature {feature}, found {found}"))
        }
    }
}
