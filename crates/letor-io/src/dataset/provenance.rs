//! The origin of a data set.

use std::path::PathBuf;

/// The origin of a data set, so that synthetic data are never mistaken for real data.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum Provenance {
    /// Read from files.
    Files {
        /// The files read, in order.
        files: Vec<PathBuf>,
        /// The files of folders that were skipped, each with the reason.
        skipped: Vec<(PathBuf, String)>,
    },
    /// Generated: a look-alike.
    LookAlike {
        /// The full name with scale and seed.
        name: String,
    },
}
