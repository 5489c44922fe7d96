//! The value of a field as written, before it is interpreted, and the errors for one that is missing or of another type.

use std::borrow::Cow;

use ranktypes::text::excerpt;

use super::response::ResponseHit;
use super::text::ReceiptText;
use crate::error::LineError;

/// The value of a field, as it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Text(Cow<'a, str>),
    Whole(i128),
    /// Any other number.
    Number(f64),
    List(Vec<Option<Cow<'a, str>>>),
    Receipt(ReceiptText<'a>),
    Hits(Vec<ResponseHit<'a>>),
    /// Something of another type, which these words describe.
    Other(String),
}

/// A time as it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Moment<'a> {
    Text(Cow<'a, str>),
    /// Since 1970.
    Number(f64),
    /// Milliseconds since 1970.
    Known(i64),
}

/// The error for a value of another type.
pub(super) fn type_error(name: &str, value: &Value<'_>, expected: &str) -> LineError {
    let found = match value {
        Value::Null => "null".to_owned(),
        Value::Text(text) => format!("the text {}", excerpt(text)),
        Value::Whole(number) => format!("the number {number}"),
        // As JSON has it: a number that is written with a point cannot be an id.
        Value::Number(number) => format!("the number {number:?}"),
        Value::List(_) | Value::Hits(_) => "a list".to_owned(),
        Value::Receipt(_) => "an object".to_owned(),
        Value::Other(what) => what.clone(),
    };
    LineError::new(format!("`{name}` is {found}; expected {expected}"))
}

/// The error for an invalid dwell time, as it was found.
pub(super) fn dwell_error(found: &str) -> LineError {
    LineError::new(format!(
        "the dwell time {found} is not a number of seconds from 0 up; leave it out where it is unknown"
    ))
}

/// The error for a field that is not there.
pub(super) fn missing_field_error(names: &str) -> LineError {
    LineError::new(format!("no {names}; every line needs it"))
}

/// Text that is not empty: logs write unknown users as null or as empty text.
pub(super) fn present(text: Option<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    text.filter(|text| !text.is_empty())
}
