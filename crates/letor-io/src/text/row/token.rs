//! The slow path: reads one token of a row at a time, accepts any number, and describes errors.

use super::number::{self, NumberError, ends_token};
use crate::dataset::{MAX_ID, exact_label, label_of_number, label_too_fine};
use crate::decimal::Decimal;
use crate::error::{ErrorKind, excerpt};
use crate::text::options::{MAX_FEATURE, Null, ReadOptions};

/// An error in a row.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::text) struct RowError {
    /// The byte of the text.
    pub(in crate::text) at: usize,
    pub(in crate::text) kind: ErrorKind,
    pub(in crate::text) message: String,
}

impl RowError {
    pub(in crate::text) fn new(at: usize, kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { at, kind, message: message.into() }
    }
}

/// The bytes from `at` to the end of the token.
fn token(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..];
    &rest[..rest.iter().position(|&byte| ends_token(byte)).unwrap_or(rest.len())]
}

/// The label at `at` and the position after it.
pub(super) fn read_label(text: &[u8], at: usize, options: &ReadOptions) -> Result<(f32, usize), RowError> {
    let token = token(text, at);
    let expected = "expected a label, as in `2 qid:10 1:0.5 2:3`";
    let fail = |kind, message| Err(RowError::new(at, kind, message));
    let label = match number::parse(token) {
        Ok(label) => match label_of_number(label.to_f64()) {
            Some(label) => label,
            // A label beyond the highest is reported as that.
            None if label.to_f64() <= f64::from(options.max_label) => {
                return fail(ErrorKind::Label, label_too_fine(token));
            }
            None => f32::INFINITY,
        },
        Err(NumberError::NotFinite) => {
            let found = excerpt(token);
            return fail(
                ErrorKind::Label,
                format!("label {found} is not finite, expected 0 to {}: correct it", exact_label(options.max_label)),
            );
        }
        Err(NumberError::Syntax) if !is_text(token) => {
            let found = excerpt(token);
            let message = format!("found binary data {found}, {expected}: check that this is a text file");
            return fail(ErrorKind::Format, message);
        }
        Err(NumberError::Syntax) => {
            return fail(ErrorKind::Syntax, format!("found {}, {expected}", excerpt(token)));
        }
    };
    if label == -1.0 || (0.0..=options.max_label).contains(&label) {
        Ok((label, at + token.len()))
    } else {
        let message = format!(
            "label {} is out of range, expected 0 to {} (or -1 for none): correct it, or raise the highest label (--max-label, `ReadOptions::max_label`)",
            excerpt(token),
            exact_label(options.max_label),
        );
        fail(ErrorKind::Label, message)
    }
}

/// The query id at `at` and the position after it.
pub(super) fn read_qid(text: &[u8], at: usize) -> Result<(&[u8], usize), RowError> {
    let id = token(text, at);
    check_id(id, at)?;
    Ok((id, at + id.len()))
}

/// Checks that `id`, found at `at`, is a valid query id.
pub(in crate::text) fn check_id(id: &[u8], at: usize) -> Result<(), RowError> {
    let fail = |message| Err(RowError::new(at, ErrorKind::QueryId, message));
    if id.is_empty() {
        return fail("found no query id after `qid:`, expected one, as in `qid:10`".to_string());
    }
    if id.len() > MAX_ID {
        return fail(format!(
            "query id {} has more than {MAX_ID} bytes, expected at most {MAX_ID}: check that this is a data file",
            excerpt(id)
        ));
    }
    if !is_text(id) {
        return fail(format!("query id {} is not text, expected UTF-8 without control characters", excerpt(id)));
    }
    Ok(())
}

fn is_text(token: &[u8]) -> bool {
    str::from_utf8(token).is_ok_and(|text| !text.chars().any(char::is_control))
}

/// The feature number at `at`, which must be above `last`, and the position after its colon.
#[inline]
pub(super) fn read_feature(text: &[u8], at: usize, last: u32) -> Result<(u32, usize), RowError> {
    let mut feature = 0u32;
    let mut next = at;
    // Seven digits suffice to exceed the limit.
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
            format!("found {found}, expected `feature:value`: put the query id after the label, once")
        } else if is_text(token) {
            format!("found {found}, expected `feature:value`, as in `3:0.5`")
        } else {
            format!("found binary data {found}, expected `feature:value`: check that this is a text file")
        };
        return RowError::new(at, ErrorKind::Syntax, message);
    }
    let number = token[..digits]
        .iter()
        .try_fold(0u32, |number, digit| number.checked_mul(10)?.checked_add(u32::from(digit - b'0')));
    let message = match number {
        Some(0) => format!("feature 0 in {found}, expected 1 or more: feature numbers start at 1, so add 1 to each"),
        Some(number) if number == last => {
            format!("feature {number} occurs twice in this row, expected once: remove one of them")
        }
        Some(number) if number < last => {
            format!("feature {number} after feature {last}, expected ascending numbers: sort each row by feature")
        }
        _ => {
            format!(
                "the feature number in {found} is above {MAX_FEATURE}, the highest supported: renumber the features"
            )
        }
    };
    RowError::new(at, ErrorKind::Feature, message)
}

/// The value at `at` and the position after it.
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
            // The query's assembler replaces it.
            Null::Min => Ok((Decimal::NULL, at + token.len())),
            Null::Error => fail(
                ErrorKind::Value,
                format!(
                    "feature {feature} is {found}, expected a number: to read NULL as the lowest value of the feature in the query, choose \
                     --null min (`Null::Min`), to read it as 0, --null zero (`Null::Zero`)"
                ),
            ),
        },
        Err(NumberError::NotFinite) => fail(
            ErrorKind::Value,
            format!(
                "feature {feature} is {found}, expected a finite number: correct it or omit it (an absent value is 0)"
            ),
        ),
        Err(NumberError::Syntax) if token.is_empty() => fail(
            ErrorKind::Syntax,
            format!("found no value after `{feature}:`, expected a number: omit the feature if it is absent"),
        ),
        Err(NumberError::Syntax) => fail(
            ErrorKind::Syntax,
            format!("the value of feature {feature} is {found}, expected a number: correct it or omit it"),
        ),
    }
}
