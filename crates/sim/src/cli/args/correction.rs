//! The correction of p-values for their number.

use clap::ValueEnum;
use statistics::fixed_sample::PValueCorrection;

/// The names of the corrections as flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum CorrectionArg {
    /// Holm
    Holm,
    /// Benjamini-Hochberg
    Bh,
    /// None
    None,
}

impl From<CorrectionArg> for PValueCorrection {
    fn from(correction: CorrectionArg) -> Self {
        match correction {
            CorrectionArg::Holm => Self::Holm,
            CorrectionArg::Bh => Self::BenjaminiHochberg,
            CorrectionArg::None => Self::None,
        }
    }
}
