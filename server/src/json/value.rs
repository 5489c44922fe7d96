//! Values as one sequence of tokens, with texts borrowed from the body: reading a body allocates once, whatever is in it.

use std::borrow::Cow;

use serde::ser::{Serialize, Serializer};
use serde_json::Number;

/// A JSON text, taken apart.
#[derive(Debug, Clone)]
pub struct Document<'b> {
    /// Values in order; a list or an object is followed by its content, where a key is a text before its value.
    pub(super) tokens: Vec<Token<'b>>,
}

/// A value without others inside, or the beginning of one with some.
#[derive(Debug, Clone)]
pub(super) enum Token<'b> {
    Null,
    Bool(bool),
    Number(Number),
    /// Borrowed where it has no escapes.
    Text(Cow<'b, str>),
    /// `next` is the index of the token after the last that is inside.
    List {
        len: usize,
        next: usize,
    },
    Object {
        next: usize,
    },
}

/// A value of a [`Document`].
#[derive(Debug, Clone, Copy)]
pub struct Value<'v> {
    tokens: &'v [Token<'v>],
    at: usize,
}

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub enum ValueKind<'v> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(&'v Number),
    /// A text.
    Text(&'v str),
    /// An array, with the number of its items.
    List(usize),
    /// An object.
    Object,
}

impl Document<'_> {
    /// The whole value.
    #[must_use]
    pub fn value(&self) -> Value<'_> {
        Value { tokens: &self.tokens, at: 0 }
    }
}

/// The index of the token after the value at `at`.
pub(super) fn next_token(tokens: &[Token<'_>], at: usize) -> usize {
    match tokens[at] {
        Token::List { next, .. } | Token::Object { next } => next,
        _ => at + 1,
    }
}

impl<'v> Value<'v> {
    /// The type of the value.
    #[must_use]
    pub fn kind(self) -> ValueKind<'v> {
        match &self.tokens[self.at] {
            Token::Null => ValueKind::Null,
            Token::Bool(value) => ValueKind::Bool(*value),
            Token::Number(number) => ValueKind::Number(number),
            Token::Text(text) => ValueKind::Text(text),
            Token::List { len, .. } => ValueKind::List(*len),
            Token::Object { .. } => ValueKind::Object,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_str(self) -> Option<&'v str> {
        match self.kind() {
            ValueKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self.kind() {
            ValueKind::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// The number, if it is whole and not negative.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        match self.kind() {
            ValueKind::Number(number) => number.as_u64(),
            _ => None,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        matches!(self.kind(), ValueKind::Null)
    }

    /// The items of an array; none of anything else.
    pub fn items(self) -> impl ExactSizeIterator<Item = Value<'v>> {
        let (mut at, len) = match self.tokens[self.at] {
            Token::List { len, .. } => (self.at + 1, len),
            _ => (self.at, 0),
        };
        (0..len).map(move |_| {
            let item = Value { at, ..self };
            at = item.next();
            item
        })
    }

    /// The keys and values of an object, as they stand there; none of anything else.
    pub fn entries(self) -> impl Iterator<Item = (&'v str, Value<'v>)> {
        let (mut at, end) = match self.tokens[self.at] {
            Token::Object { next } => (self.at + 1, next),
            _ => (self.at, self.at),
        };
        std::iter::from_fn(move || {
            let key = Value { at, ..self };
            let value = Value { at: at + 1, ..self };
            (at < end).then(|| {
                at = value.next();
                (key.as_str().unwrap_or_default(), value)
            })
        })
    }

    /// The index of the token after this value.
    fn next(self) -> usize {
        next_token(self.tokens, self.at)
    }

    /// The same value, which borrows nothing.
    #[must_use]
    pub fn to_owned(self) -> serde_json::Value {
        match self.kind() {
            ValueKind::Null => serde_json::Value::Null,
            ValueKind::Bool(value) => value.into(),
            ValueKind::Number(number) => number.clone().into(),
            ValueKind::Text(text) => text.into(),
            ValueKind::List(_) => self.items().map(Value::to_owned).collect(),
            ValueKind::Object => self.entries().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        }
    }
}

/// Keys are in one order: values that are equal have the same text.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind() {
            ValueKind::Null => serializer.serialize_unit(),
            ValueKind::Bool(value) => serializer.serialize_bool(value),
            ValueKind::Number(number) => number.serialize(serializer),
            ValueKind::Text(text) => serializer.serialize_str(text),
            ValueKind::List(_) => serializer.collect_seq(self.items()),
            ValueKind::Object if self.entries().is_sorted_by_key(|(key, _)| key) => {
                serializer.collect_map(self.entries())
            }
            ValueKind::Object => {
                let mut entries: Vec<_> = self.entries().collect();
                entries.sort_by_key(|(key, _)| *key);
                serializer.collect_map(entries)
            }
        }
    }
}

impl std::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| std::fmt::Error)?)
    }
}
