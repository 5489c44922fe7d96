//! Values as people write them: counts such as `"1e7"`, one name or a list of names.

use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use output::numbers::{parse_positive, with_separators};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Reads a whole number from 1 to `MOST`.
pub(super) fn positive_up_to<'de, D: Deserializer<'de>, const MOST: u32>(
    deserializer: D,
) -> Result<Option<u32>, D::Error> {
    let Count(count) = Count::deserialize(deserializer)?;
    let number = u32::try_from(count).ok().filter(|&number| number <= MOST);
    let expected = || format!("expected 1 to {}, found {count}", with_separators(MOST.into()));
    number.map(Some).ok_or_else(|| serde::de::Error::custom(expected()))
}

/// Reads a count of at least 1.
pub(super) fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(Count::deserialize(deserializer)?.0)
}

/// Reads numbers of rankers, each at least `LEAST`.
pub(super) fn sizes<'de, D: Deserializer<'de>, const LEAST: usize>(deserializer: D) -> Result<Vec<usize>, D::Error> {
    let sizes = Vec::<usize>::deserialize(deserializer)?;
    for (index, size) in sizes.iter().enumerate() {
        if *size < LEAST {
            return Err(serde::de::Error::custom(format!("expected at least {LEAST} rankers, found {size}")));
        }
        if sizes[..index].contains(size) {
            return Err(serde::de::Error::custom(format!("{size} is given twice; give each size once")));
        }
    }
    Ok(sizes)
}

/// Reads a value with a text form, which may be a bare number.
pub(super) fn number_or_text<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct Visitor<T>(PhantomData<T>);
    impl<T: FromStr<Err: Display>> serde::de::Visitor<'_> for Visitor<T> {
        type Value = T;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a number or a text")
        }
        fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<T, E> {
            self.visit_str(&value.to_string())
        }
        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(serde::de::Error::custom)
        }
    }
    deserializer.deserialize_any(Visitor(PhantomData))
}

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
            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Count, E> {
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

impl<T: Serialize> Serialize for OneOrMany<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
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
                let mut values = Vec::new();
                while let Some(text) = list.next_element::<String>()? {
                    values.push(text.parse().map_err(serde::de::Error::custom)?);
                }
                Ok(OneOrMany(values))
            }
        }
        deserializer.deserialize_any(Visitor(PhantomData))
    }
}

/// The default of keys that are on unless switched off.
pub(super) fn default_true() -> bool {
    true
}

/// The default paper: none.
pub(super) fn default_paper() -> String {
    "own".to_owned()
}
