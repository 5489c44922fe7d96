//! The parts of a data set.

use serde::{Deserialize, Serialize};

/// A part of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// For training.
    Train,
    /// For validation.
    Vali,
    /// For testing.
    Test,
}

impl Split {
    /// The name: `train`, `vali` or `test`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Vali => "vali",
            Self::Test => "test",
        }
    }
}

impl std::fmt::Display for Split {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Split {
    type Err = ParseSplitError;

    fn from_str(name: &str) -> Result<Self, ParseSplitError> {
        match name {
            "train" => Ok(Self::Train),
            "vali" | "valid" | "validation" => Ok(Self::Vali),
            "test" => Ok(Self::Test),
            _ => Err(ParseSplitError { found: name.to_string() }),
        }
    }
}

/// A text that does not name a part of a data set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected train, vali or test, found `{found}`")]
#[non_exhaustive]
pub struct ParseSplitError {
    /// The text.
    pub found: String,
}
