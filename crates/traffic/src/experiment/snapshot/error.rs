//! Why bytes cannot be restored.

use crate::config::ConfigError;
use crate::event::EventError;

/// Why bytes cannot be restored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Another program wrote it.
    #[error("the snapshot has the version {0}, which this program does not read; use the program that wrote it")]
    Version(u8),
    /// No program writes such bytes.
    #[error("the snapshot is damaged: {0}")]
    Damaged(&'static str),
    /// Its settings cannot be read.
    #[error("the settings of the snapshot: {0}")]
    Settings(#[from] EventError),
    /// Its settings are not accepted.
    #[error("the settings of the snapshot: {0}")]
    Config(#[from] ConfigError),
}
