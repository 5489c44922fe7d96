//! A ranker as users write it: by the number of its feature or by its name.

use std::fmt;

use letor_io::{FeatureId, Names};
use serde::{Deserialize, Serialize};

/// A ranker in a list: the number of its feature, from 1, or its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum RankerRef {
    /// By the number of its feature, unless another one is called so.
    Number(u32),
    /// By its name.
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
    /// The feature, where `names` are those of the features, if they have any.
    ///
    /// # Errors
    /// One line, if nothing has the name.
    pub fn resolve(&self, names: Option<&Names>) -> Result<FeatureId, String> {
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
