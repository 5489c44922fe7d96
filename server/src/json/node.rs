//! A value with its place in the body.

use std::borrow::Cow;

use super::value::{Value, ValueKind};

/// A value of the wrong shape: its place, the value, and the expected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeError {
    /// Such as `lists.bm25[3]`; empty for the whole body.
    pub path: String,
    /// The value that was found.
    pub found: String,
    /// The description of the expected value.
    pub expected: String,
}

/// A value, and how it is reached.
#[derive(Debug, Clone, Copy)]
pub struct Node<'v, 'p> {
    value: Value<'v>,
    place: PathStep<'v, 'p>,
}

/// The way to a value: paths are put together only for messages.
#[derive(Debug, Clone, Copy)]
enum PathStep<'v, 'p> {
    Top,
    Key(&'p Node<'v, 'p>, &'v str),
    Item(&'p Node<'v, 'p>, usize),
}

impl<'v> Node<'v, '_> {
    /// The whole body.
    #[must_use]
    pub fn top(value: Value<'v>) -> Self {
        Self { value, place: PathStep::Top }
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> Value<'v> {
        self.value
    }

    /// Its place in the body.
    #[must_use]
    pub fn path(&self) -> String {
        match self.place {
            PathStep::Top => String::new(),
            PathStep::Item(list, at) => format!("{}[{at}]", list.path()),
            PathStep::Key(object, key) => object.path_of(key),
        }
    }

    /// The place of a key of this object.
    fn path_of(&self, key: &str) -> String {
        let path = self.path();
        let is_plain =
            !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        let short: String = key.chars().take(60).collect();
        match (path.is_empty(), is_plain) {
            (true, true) => short,
            (false, true) => format!("{path}.{short}"),
            (_, false) => format!("{path}[{short:?}]"),
        }
    }

    /// The error that this value is not the expected one.
    pub fn wrong(&self, expected: impl Into<String>) -> ShapeError {
        ShapeError { path: self.path(), found: describe(self.value), expected: expected.into() }
    }

    /// Whether this is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self.value.kind(), ValueKind::Object)
    }

    /// The keys and values, if this is an object.
    fn object(&self) -> Result<impl Iterator<Item = (&'v str, Value<'v>)> + use<'v>, ShapeError> {
        if self.is_object() { Ok(self.value.entries()) } else { Err(self.wrong("an object")) }
    }

    /// Refuses keys other than these.
    ///
    /// # Errors
    /// Names the first key that is not known.
    pub fn only(&self, known: &[&str]) -> Result<(), ShapeError> {
        match self.object()?.map(|(key, _)| key).find(|key| !known.contains(key)) {
            None => Ok(()),
            Some(key) => {
                let place = self.path_of(key);
                let expected =
                    if known.is_empty() { "no fields".to_owned() } else { format!("only {}", known.join(", ")) };
                Err(ShapeError { path: place, found: "a field that this call does not know".to_owned(), expected })
            }
        }
    }

    /// The value of a key; `None` also for `null`.
    ///
    /// # Errors
    /// If this is not an object.
    pub fn get(&self, key: &str) -> Result<Option<Node<'v, '_>>, ShapeError> {
        let entry = self.object()?.find(|(known, _)| *known == key).filter(|(_, value)| !value.is_null());
        Ok(entry.map(|(key, value)| Node { value, place: PathStep::Key(self, key) }))
    }

    /// The value of a key.
    ///
    /// # Errors
    /// If this is not an object, or has no such key.
    pub fn need(&self, key: &str, expected: &str) -> Result<Node<'v, '_>, ShapeError> {
        let missing =
            || ShapeError { path: self.path_of(key), found: "nothing".to_owned(), expected: expected.to_owned() };
        self.get(key)?.ok_or_else(missing)
    }

    /// The entries of an object.
    ///
    /// # Errors
    /// If it is something else.
    pub fn entries<'b>(&'b self) -> Result<impl Iterator<Item = (&'v str, Node<'v, 'b>)>, ShapeError> {
        Ok(self.object()?.map(move |(key, value)| (key, Node { value, place: PathStep::Key(self, key) })))
    }

    /// The items of an array.
    ///
    /// # Errors
    /// If it is something else.
    pub fn items<'b>(&'b self) -> Result<impl ExactSizeIterator<Item = Node<'v, 'b>>, ShapeError> {
        if !matches!(self.value.kind(), ValueKind::List(_)) {
            return Err(self.wrong("an array"));
        }
        Ok(self.value.items().enumerate().map(move |(at, value)| Node { value, place: PathStep::Item(self, at) }))
    }

    /// A text of one to `most` bytes.
    ///
    /// # Errors
    /// If it is something else, empty or longer.
    pub fn name(&self, what: &str, most: usize) -> Result<&'v str, ShapeError> {
        match self.value.as_str() {
            Some(text) if (1..=most).contains(&text.len()) => Ok(text),
            Some(text) if text.len() > most => Err(ShapeError {
                found: format!("a text of {} bytes", text.len()),
                ..self.wrong(format!("{what} of at most {most} bytes"))
            }),
            Some(_) => Err(self.wrong(format!("{what} of 1 to {most} bytes"))),
            None => Err(self.wrong(format!("{what} as text of 1 to {most} bytes"))),
        }
    }

    /// An id: a text of one to `most` bytes, or a whole number, which is its digits, as `click-logs` reads ids. A number with a point
    /// or an exponent is refused: programs write it in several ways, and ids are compared as text. So are blanks, which `click-logs` reads
    /// as a missing value.
    ///
    /// # Errors
    /// If it is something else, blank or longer.
    pub fn id(&self, what: &str, most: usize) -> Result<Cow<'v, str>, ShapeError> {
        match self.value.kind() {
            ValueKind::Number(number) if !number.is_f64() => Ok(Cow::Owned(number.to_string())),
            ValueKind::Text(text) if !text.is_empty() && text.trim().is_empty() => {
                Err(self.wrong(format!("{what} that is not blank")))
            }
            ValueKind::Text(_) => self.name(what, most).map(Cow::Borrowed),
            _ => Err(self.wrong(format!("{what} as text or a whole number"))),
        }
    }

    /// A text of at most `most` bytes.
    ///
    /// # Errors
    /// If it is something else or longer.
    pub fn text(&self, what: &str, most: usize) -> Result<&'v str, ShapeError> {
        if self.value.as_str() == Some("") { Ok("") } else { self.name(what, most) }
    }

    /// A whole number in a range.
    ///
    /// # Errors
    /// If it is something else or outside.
    pub fn whole(&self, least: u64, most: u64) -> Result<u64, ShapeError> {
        let number = self.value.as_u64().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| self.wrong(format!("a whole number from {least} to {most}")))
    }
}

/// A value in a message.
fn describe(value: Value<'_>) -> String {
    match value.kind() {
        ValueKind::Null => "null".to_owned(),
        ValueKind::Bool(value) => value.to_string(),
        ValueKind::Number(value) => value.to_string(),
        ValueKind::Text(text) => {
            let short: String = text.chars().take(60).collect();
            if short.len() < text.len() { format!("{short:?}...") } else { format!("{short:?}") }
        }
        ValueKind::List(len) => format!("an array of {len}"),
        ValueKind::Object => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn errors_name_their_place() {
        let body = format!(r#"{{"lists": {{"bm25": ["a", 3], "a\"b": []}}, "n": 1.5, "t": "{}"}}"#, "é".repeat(100));
        let body = parse(body.as_bytes()).expect("JSON");
        let top = Node::top(body.value());
        let lists = top.need("lists", "lists").expect("there");
        let bm25 = lists.need("bm25", "a list").expect("there");
        let second = bm25.items().expect("an array").nth(1).expect("two");
        let error = second.name("a document", 256).expect_err("a number");
        assert_eq!((error.path.as_str(), error.found.as_str()), ("lists.bm25[1]", "3"));
        assert_eq!(error.expected, "a document as text of 1 to 256 bytes");
        let blank = parse(b"\" \"").expect("JSON");
        assert_eq!(
            Node::top(blank.value()).id("a unit", 256).expect_err("a blank").expected,
            "a unit that is not blank"
        );
        assert_eq!(lists.need("a\"b", "").expect("there").path(), "lists[\"a\\\"b\"]");
        assert_eq!(top.need("unit", "a unit").expect_err("missing").path, "unit");
        assert_eq!(top.only(&["lists", "n"]).expect_err("one more").path, "t");
        assert!(top.need("n", "").expect("there").whole(0, 9).is_err());
        assert_eq!(second.id("a document", 256).as_deref(), Ok("3"));
        assert_eq!(top.need("n", "").expect("there").id("a document", 9).expect_err("a point").found, "1.5");
        let long = top.need("t", "").expect("there").name("a name", 100).expect_err("200 bytes");
        assert_eq!(long.found, "a text of 200 bytes");
    }
}
