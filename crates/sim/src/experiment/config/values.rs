//! Values as people write them: counts such as `"1e7"`, one name or a list of names.

use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use crate::output::numbers::parse_positive;

/// A count: `10` or `"1e7"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Count;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a count such as 1000 or \"1e7\"")
            }
            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Count, E> {
                self.visit_str(&value.to_string())
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Count, E> {
                parse_positive(text).map(Count).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// One value or a list of them, each as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<'de, T: FromStr<Err: Display>> serde::de::Visitor<'de> for Visitor<T> {
            type Value = OneOrMany<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a name or a list of names")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<OneOrMany<T>, E> {
                Ok(OneOrMany(vec![text.parse().map_err(E::custom)?]))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<OneOrMany<T>, A::Error> {
                let mut all = Vec::new();
                while let Some(one) = list.next_element::<String>()? {
                    all.push(one.parse().map_err(serde::de::Error::custom)?);
                }
                Ok(OneOrMany(all))
            }
        }
        deserializer.deserialize_any(Visitor(PhantomData))
    }
}

/// The default of keys that are on unless switched off.
pub(super) fn yes() -> bool {
    true
}

/// The default paper: none.
pub(super) fn own() -> String {
    "own".to_owned()
}
