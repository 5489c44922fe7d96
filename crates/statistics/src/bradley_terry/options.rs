//! What is fitted.

use super::ties::Ties;

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Whether the arm shown first has an advantage, which is added to the difference of strengths. It is left out if
    /// the comparisons cannot determine it ([`position_is_determined`](super::position_is_determined)).
    pub position: bool,
    /// The standard deviation of a normal prior, with mean 0, of each strength, of the position effect, of coefficients and of ln ν.
    pub prior: Option<f64>,
    /// How often pairs tie.
    pub ties: Ties,
    /// The standard deviation of the normal prior of the logarithms of slopes, with mean 0. Without cells that have slopes it plays no part.
    pub slope_spread: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { position: false, prior: None, ties: Ties::Davidson, slope_spread: 0.5 }
    }
}
