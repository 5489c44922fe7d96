//! The earlier form of `--confidence`.

use clap::Args;
use output::numbers::{complement, parse_probability};

/// A flag that commands with `--confidence` accept in its place: before there was one word, some asked for what is left to 1.
#[derive(Debug, Args)]
pub(in crate::cli) struct ErrorRateArgs {
    /// 1 minus the confidence
    #[arg(
        long,
        alias = "level",
        hide = true,
        value_name = "P",
        value_parser = parse_probability,
        conflicts_with = "confidence"
    )]
    error_rate: Option<f64>,
}

impl ErrorRateArgs {
    /// The error rate: as given, or what the confidence of the command leaves.
    pub(in crate::cli) fn with(&self, confidence: f64) -> f64 {
        self.error_rate.unwrap_or_else(|| complement(confidence))
    }

    /// The confidence: that of the command, unless an error rate is given.
    pub(in crate::cli) fn confidence(&self, given: f64) -> f64 {
        self.error_rate.map_or(given, complement)
    }
}
