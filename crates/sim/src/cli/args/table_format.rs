//! The formats of a table of findings.

use clap::ValueEnum;

/// The formats of a table with notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum TableFormat {
    /// For the terminal
    Text,
    /// A Markdown table
    Markdown,
    /// A LaTeX table with rules of booktabs
    Latex,
    /// All numbers in full
    Csv,
    /// The same for programs
    Json,
}
