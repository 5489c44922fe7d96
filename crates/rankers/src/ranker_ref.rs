//! A ranker as users write it: by the number of its feature or by its name.

use std::fmt;

use letor_io::{FeatureId, Names};
use serde::{Deserialize, Serialize};

/// A ranker in a list: the number of its feature, from 1, or its name; or several, by a range of numbers such as `3-5`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum RankerRef {
    /// By the number of its feature, unless another one is called so.
    Number(u32),
    /// By its name; or a range of numbers, unless a ranker is called so.
    Name(String),
}

impl fmt::Display for RankerRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl RankerRef {
    /// The features, where `names` are those of all features, if they have any: one, or those of a range.
    ///
    /// # Errors
    /// One line, if nothing has the name, or a range ends before it begins.
    pub fn resolve_all(&self, names: Option<&Names>) -> Result<Vec<FeatureId>, String> {
        match self {
            Self::Name(name) => match Names::range(name, names)? {
                Some(numbers) => Ok(numbers.map(FeatureId).collect()),
                None => Ok(vec![self.resolve(names)?]),
            },
            Self::Number(_) => Ok(vec![self.resolve(names)?]),
        }
    }

    /// The feature, where `names` are those of the features, if they have any.
    ///
    /// # Errors
    /// One line, if nothing has the name.
    fn resolve(&self, names: Option<&Names>) -> Result<FeatureId, String> {
        let found = names.and_then(|names| names.find(&self.to_string()));
        match (found, self, names) {
            (Some(number), ..) => Ok(FeatureId(number as u32 + 1)),
            (None, Self::Number(number), _) => Ok(FeatureId(*number)),
            (None, Self::Name(name), Some(names)) => Err(names.look_up(name).expect_err("it was looked for")),
            (None, Self::Name(name), None) => Err(format!(
                "expected whole numbers such as 1,5,110, found `{}`; the features have no names",
                name.escape_debug()
            )),
        }
    }
}
