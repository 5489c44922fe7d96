//! The fields of an object of JSON as most logs write them: text without escapes, numbers, lists of text. For anything else the
//! result is `None`, and the complete parser reads it.

use super::bytes::{end_of_string, is_decimal, is_whole};

/// A value.
pub(super) enum Value<'a> {
    Text(&'a str),
    /// A number without a sign or an exponent.
    Number(&'a str),
    Null,
    /// A list; [`Object::items`] reads its items.
    List,
    True,
    False,
}

/// An object, as far as it has been read.
pub(super) struct Object<'a> {
    text: &'a str,
    at: usize,
    is_first: bool,
}

impl<'a> Object<'a> {
    /// The object that `text` begins with.
    pub(super) fn new(text: &'a str) -> Option<Self> {
        let mut object = Self { text, at: 0, is_first: true };
        object.skip(b'{').then_some(object)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips this byte, behind space; whether it is there.
    #[inline]
    fn skip(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// The text behind a quote.
    #[inline]
    fn string(&mut self) -> Option<&'a str> {
        let end = end_of_string(self.text.as_bytes(), self.at);
        let text = &self.text[self.at..end];
        self.at = end + 1;
        (self.text.as_bytes().get(end) == Some(&b'"')).then_some(text)
    }

    /// Whether the text continues with a word.
    fn word(&mut self, word: &str) -> bool {
        let is_there = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        is_there
    }

    /// The next key and its value; `Some(None)` behind the last.
    pub(super) fn next(&mut self) -> Option<Option<(&'a str, Value<'a>)>> {
        if self.skip(b'}') {
            self.skip_space();
            return (self.at == self.text.len()).then_some(None);
        }
        if !std::mem::take(&mut self.is_first) && !self.skip(b',') {
            return None;
        }
        let key = if self.skip(b'"') { self.string()? } else { return None };
        if !self.skip(b':') {
            return None;
        }
        self.skip_space();
        Some(Some((key, self.value()?)))
    }

    fn value(&mut self) -> Option<Value<'a>> {
        let first = self.peek()?;
        match first {
            b'"' => {
                self.at += 1;
                self.string().map(Value::Text)
            }
            b'[' => {
                self.at += 1;
                Some(Value::List)
            }
            b'n' => self.word("null").then_some(Value::Null),
            b't' => self.word("true").then_some(Value::True),
            b'f' => self.word("false").then_some(Value::False),
            _ => {
                let rest = &self.text.as_bytes()[self.at..];
                let length = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.');
                let number = &self.text[self.at..self.at + length.unwrap_or(rest.len())];
                self.at += number.len();
                (is_whole(number) || is_decimal(number)).then_some(Value::Number(number))
            }
        }
    }

    /// Calls `item` with each item of a list, which are texts or, as `None`, null.
    pub(super) fn items(&mut self, mut item: impl FnMut(Option<&'a str>)) -> Option<()> {
        if self.skip(b']') {
            return Some(());
        }
        loop {
            self.skip_space();
            match self.value()? {
                Value::Text(text) => item(Some(text)),
                Value::Null => item(None),
                _ => return None,
            }
            if self.skip(b']') {
                return Some(());
            }
            if !self.skip(b',') {
                return None;
            }
        }
    }
}
