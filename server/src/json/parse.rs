//! Text to values: no key twice in an object, and not deeper than allowed.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::value::{Document, Token, next_token};

/// Why a text is not accepted as JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SyntaxError(String);

/// The deepest nesting of arrays and objects.
const MAX_DEPTH: usize = 32;
/// Objects with more keys than these are searched in an index for a key that is there twice.
const FEW_KEYS: usize = 16;

/// Reads a JSON text.
///
/// # Errors
/// If it is not JSON, nested more than 32 levels deep, or has an object with a key twice: line, column and the expected syntax.
pub fn parse(text: &[u8]) -> Result<Document<'_>, SyntaxError> {
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        return Err(SyntaxError("it begins with the byte order mark of UTF-16; send UTF-8".to_owned()));
    }
    let text = std::str::from_utf8(without_mark(text))
        .map_err(|error| SyntaxError(format!("not UTF-8 from byte {} on", error.valid_up_to() + 1)))?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // A token has five bytes or more of a usual text; others grow.
    let mut tokens = Vec::with_capacity(text.len() / 8 + 1);
    let level = Level { tokens: &mut tokens, below: MAX_DEPTH };
    let read = level.deserialize(&mut deserializer).and_then(|()| deserializer.end());
    read.map(|()| Document { tokens }).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
        let message = foreign_literal(text, line, column).unwrap_or_else(|| message.to_owned());
        SyntaxError(format!("line {line}, column {column}: {message}"))
    })
}

/// A text without the byte order mark that editors and shells of Windows put before it.
pub(super) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// Literals of other languages, and their JSON forms. A word that ends as another one does comes before it.
const FOREIGN_LITERALS: [(&str, &str); 7] = [
    ("NaN", "null"),
    ("-Infinity", "null"),
    ("Infinity", "null"),
    ("undefined", "null"),
    ("None", "null"),
    ("True", "true"),
    ("False", "false"),
];

/// The error, if the text at this place is such a word.
fn foreign_literal(text: &str, line: usize, column: usize) -> Option<String> {
    let line = text.as_bytes().split(|byte| *byte == b'\n').nth(line.checked_sub(1)?)?;
    // The fault is found at the first byte of a word, or at the second, after one that could be the beginning of a number.
    let is_at = |word: &str| {
        let at = column.checked_sub(if word.starts_with('-') { 2 } else { 1 });
        at.and_then(|at| line.get(at..)).is_some_and(|rest| rest.starts_with(word.as_bytes()))
    };
    let (word, instead) = FOREIGN_LITERALS.into_iter().find(|(word, _)| is_at(word))?;
    Some(format!("{word} is not JSON; write {instead}"))
}

/// Reads a value that may have this number of levels.
struct Level<'t, 'b> {
    tokens: &'t mut Vec<Token<'b>>,
    below: usize,
}

impl<'b> Level<'_, 'b> {
    fn push<E>(self, token: Token<'b>) -> Result<(), E> {
        self.tokens.push(token);
        Ok(())
    }

    /// The reader of the values inside.
    fn inside(&mut self) -> Level<'_, 'b> {
        Level { tokens: self.tokens, below: self.below - 1 }
    }

    /// Begins a value with others inside: pushes a token that is put right at its end, and returns its place.
    fn begin<E: Error>(&mut self) -> Result<usize, E> {
        if self.below == 0 {
            return Err(E::custom(format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.tokens.push(Token::Null);
        Ok(self.tokens.len() - 1)
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.push(Token::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.push(Token::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.push(Token::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.push(Token::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number beyond all bounds"))?;
        self.push(Token::Number(number))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<(), E> {
        self.push(Token::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.push(Token::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let (at, mut len) = (self.begin()?, 0);
        while items.next_element_seed(self.inside())?.is_some() {
            len += 1;
        }
        self.tokens[at] = Token::List { len, next: self.tokens.len() };
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let (at, mut keys) = (self.begin()?, Keys::default());
        while let Some(key) = map.next_key_seed(Key)? {
            self.tokens.push(Token::Text(key.clone()));
            map.next_value_seed(self.inside())?;
            if !keys.insert(key.clone(), self.tokens, at + 1) {
                let short: String = key.chars().take(60).collect();
                return Err(A::Error::custom(format!("the key {short:?} is there twice; expected each key once")));
            }
        }
        self.tokens[at] = Token::Object { next: self.tokens.len() };
        Ok(())
    }
}

/// The keys of an object, to find one that is there twice.
#[derive(Default)]
struct Keys<'b> {
    count: usize,
    /// All, once there are many.
    index: BTreeSet<Cow<'b, str>>,
}

impl<'b> Keys<'b> {
    /// Adds the key of the entry that was just read; `false` if it is among those before. Entries begin at token `first`.
    fn insert(&mut self, key: Cow<'b, str>, tokens: &[Token<'b>], first: usize) -> bool {
        let mut at = first;
        let before = (0..self.count).map(|_| {
            let known = &tokens[at];
            at = next_token(tokens, at + 1);
            match known {
                Token::Text(known) => known,
                _ => unreachable!("a key is a text"),
            }
        });
        self.count += 1;
        if self.count <= FEW_KEYS {
            return before.into_iter().all(|known| *known != key);
        }
        if self.index.is_empty() {
            self.index.extend(before.cloned());
        }
        self.index.insert(key)
    }
}

/// Reads the key of an entry.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(value.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_serde_json() {
        let text = br#"{"a": [1, -2, 1.5, true, null, "\u00e9\n"], "b": {"c": 18446744073709551615}}"#;
        let read = parse(text).expect("JSON");
        let value = read.value();
        assert_eq!(value.to_owned(), serde_json::from_slice::<serde_json::Value>(text).expect("JSON"));
        assert_eq!(value.to_string(), value.to_owned().to_string());
    }

    #[test]
    fn equal_values_have_one_text() {
        let text = |text: &str| parse(text.as_bytes()).expect("JSON").value().to_string();
        assert_eq!(text(r#"{"b": [1.50, "\u0061"], "a": {"d": 1, "c": 2}}"#), r#"{"a":{"c":2,"d":1},"b":[1.5,"a"]}"#);
        assert_eq!(text(r#" {"a":{"c":2,"d":1},"b":[1.5,"a"]} "#), r#"{"a":{"c":2,"d":1},"b":[1.5,"a"]}"#);
    }

    #[test]
    fn large_objects_have_each_key_once() {
        let object = |keys: &[usize]| {
            let entries: Vec<String> = keys.iter().map(|key| format!("\"k{key}\":{key}")).collect();
            format!("{{{}}}", entries.join(","))
        };
        for last in [0, 7, FEW_KEYS - 1, FEW_KEYS, 98] {
            let keys: Vec<usize> = (0..99).rev().chain([last]).collect();
            let error = parse(object(&keys).as_bytes()).expect_err("twice").to_string();
            assert!(error.contains(&format!("the key \"k{last}\" is there twice")), "{error}");
        }
        let keys: Vec<usize> = (0..99).rev().collect();
        let text = object(&keys);
        let read = parse(text.as_bytes()).expect("JSON");
        let found: Vec<_> = read.value().entries().map(|(key, value)| (key.to_owned(), value.as_u64())).collect();
        let expected: Vec<_> = keys.iter().map(|&key| (format!("k{key}"), Some(key as u64))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        let text = "\u{feff}{\"a\": 1}";
        assert_eq!(parse(text.as_bytes()).expect("JSON").value().to_string(), r#"{"a":1}"#);
        assert!(parse("\u{feff}\u{feff}1".as_bytes()).is_err(), "one, at the beginning");
    }

    #[test]
    fn words_of_other_languages_are_named() {
        for (word, instead) in FOREIGN_LITERALS {
            let expected = format!("{word} is not JSON; write {instead}");
            for text in [word.to_owned(), format!("[1,\n {word}]"), format!(r#"{{"é": {word}, "b": 1}}"#)] {
                let error = parse(text.as_bytes()).expect_err("refused").to_string();
                assert!(error.ends_with(&expected), "{text}: {error}");
            }
        }
    }

    #[test]
    fn what_others_pass_over_is_refused() {
        let error = |text: &[u8]| parse(text).expect_err("refused").to_string();
        assert!(error(b"{\"a\": 1,\n \"a\": 2}").starts_with("line 2, column 8: the key \"a\" is there twice"));
        assert!(error(b"[1] x").starts_with("line 1, column 5: trailing characters"));
        assert!(error(b"\xff").starts_with("not UTF-8 from byte 1"));
        assert_eq!(error(b"\xff\xfe{\0}\0"), "it begins with the byte order mark of UTF-16; send UTF-8");
        assert!(error(b"").starts_with("line 1, column 0: EOF"));
        assert!(error(b"[1e999]").contains("out of range"));
        assert!(error(br#"["\ud800"]"#).contains("column"));
        let nested = |depth| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        assert!(error(nested(MAX_DEPTH + 1).as_bytes()).contains("nested more than 32 levels"));
        assert!(error(nested(100_000).as_bytes()).contains("nested more than 32 levels"));
    }
}
