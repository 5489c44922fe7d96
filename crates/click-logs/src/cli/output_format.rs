//! The formats of what commands print.

use clap::ValueEnum;

/// A format of standard output.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum OutputFormat {
    Text,
    Json,
    Csv,
}
