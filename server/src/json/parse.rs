//! Text to values: no key twice in an object, and not deeper than allowed.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Why a text is not accepted as JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SyntaxError(String);

/// The deepest nesting of arrays and objects.
const MOST_DEPTH: usize = 32;

/// Reads a JSON text.
///
/// # Errors
/// If it is not JSON, nested more than 32 levels deep, or has an object with a key twice: line, column and what was expected.
pub fn parse(text: &[u8]) -> Result<Value, SyntaxError> {
    let text = std::str::from_utf8(text)
        .map_err(|error| SyntaxError(format!("not UTF-8 from byte {} on", error.valid_up_to() + 1)))?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = Level(MOST_DEPTH).deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    read.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
        SyntaxError(format!("line {line}, column {column}: {message}"))
    })
}

/// Reads a value that may have this number of levels.
#[derive(Clone, Copy)]
struct Level(usize);

impl Level {
    fn below<E: Error>(self) -> Result<Self, E> {
        let deeper = || E::custom(format!("nested more than {MOST_DEPTH} levels deep"));
        self.0.checked_sub(1).map(Self).ok_or_else(deeper)
    }
}

impl<'de> DeserializeSeed<'de> for Level {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number beyond all bounds"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let below = self.below()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(below)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let below = self.below()?;
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(below)?;
            if object.contains_key(&key) {
                let short: String = key.chars().take(60).collect();
                return Err(A::Error::custom(format!("the key {short:?} is there twice; expected each key once")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_serde_json() {
        let text = br#"{"a": [1, -2, 1.5, true, null, "\u00e9\n"], "b": {"c": 18446744073709551615}}"#;
        assert_eq!(parse(text).expect("JSON"), serde_json::from_slice::<Value>(text).expect("JSON"));
    }

    #[test]
    fn what_others_pass_over_is_refused() {
        let error = |text: &[u8]| parse(text).expect_err("refused").to_string();
        assert!(error(b"{\"a\": 1,\n \"a\": 2}").starts_with("line 2, column 8: the key \"a\" is there twice"));
        assert!(error(b"[1] x").starts_with("line 1, column 5: trailing characters"));
        assert!(error(b"\xff").starts_with("not UTF-8 from byte 1"));
        assert!(error(b"").starts_with("line 1, column 0: EOF"));
        assert!(error(b"[1e999]").contains("out of range"));
        assert!(error(br#"["\ud800"]"#).contains("column"));
        let nested = |depth| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(parse(nested(MOST_DEPTH).as_bytes()).is_ok());
        assert!(error(nested(MOST_DEPTH + 1).as_bytes()).contains("nested more than 32 levels"));
        assert!(error(nested(100_000).as_bytes()).contains("nested more than 32 levels"));
    }
}
