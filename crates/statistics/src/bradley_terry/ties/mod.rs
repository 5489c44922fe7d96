//! Models of ties, and what they say of one comparison.

mod davidson;
mod rao_kupper;

use super::comparison::Cell;

/// How often pairs tie, given the difference d of their strengths. In both models d is ln(P(win) / P(loss)) where there are no
/// ties, and one parameter ν says how many there are: 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Ties {
    /// P(tie) = ν sqrt(P(win) P(loss)).
    #[default]
    Davidson,
    /// P(tie) = ν P(win) P(loss), ν = θ² - 1: a tie where a judge sees no difference above the threshold ln θ.
    RaoKupper,
}

impl Ties {
    /// P(win), P(loss) and P(tie) for a difference of strengths and ν.
    #[must_use]
    pub fn probabilities(self, difference: f64, tie: f64) -> [f64; 3] {
        match self {
            Self::Davidson => davidson::probabilities(difference, tie),
            Self::RaoKupper => rao_kupper::probabilities(difference, tie),
        }
    }

    /// P(win) + P(tie) / 2: with what probability the first of two gets a point if ties are halves. For -d, exactly 1 minus that.
    #[must_use]
    pub fn preference(self, difference: f64, tie: f64) -> f64 {
        let of_stronger = match self {
            Self::Davidson => davidson::preference(difference.abs(), tie),
            Self::RaoKupper => {
                let [win, _, tied] = rao_kupper::probabilities(difference.abs(), tie);
                win + 0.5 * tied
            }
        };
        if difference >= 0.0 { of_stronger } else { 1.0 - of_stronger }
    }

    /// ln of the likelihood of a cell, and its derivatives.
    pub(super) fn terms(self, cell: &Cell, difference: f64, ln_tie: f64) -> Terms {
        match self {
            Self::Davidson => davidson::terms(cell, difference, ln_tie),
            Self::RaoKupper => rao_kupper::terms(cell, difference, ln_tie),
        }
    }

    /// What the residuals of a comparison are multiplied by in the derivatives of ln of its likelihood. Rows are the derivatives by d
    /// and by ln ν. Columns are the residual of the half points (1/2, -1/2 or, for a tie, 0) and that of ties.
    pub(super) fn score_factors(self, difference: f64, tie: f64) -> [[f64; 2]; 2] {
        match self {
            Self::Davidson => [[1.0, 0.0], [0.0, 1.0]],
            Self::RaoKupper => rao_kupper::score_factors(difference, tie),
        }
    }
}

/// ln of a likelihood and its derivatives; curvatures are those of minus the logarithm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) ln: f64,
    pub(super) slope: f64,
    pub(super) tie_slope: f64,
    pub(super) curvature: f64,
    pub(super) mixed_curvature: f64,
    pub(super) tie_curvature: f64,
}

/// What a fit expects of one comparison. A *half point* is 1/2 for a win of the first arm, -1/2 for a loss, 0 for a tie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expectation {
    /// P(win), P(loss) and P(tie).
    pub p: [f64; 3],
    /// The expected half point.
    pub half: f64,
    /// Covariances of the half point and of "it is a tie".
    pub covariance: [[f64; 2]; 2],
    /// What the residuals of both are multiplied by in the derivatives of ln of the likelihood: by the difference of strengths
    /// (first row), and by ln ν.
    pub score_factors: [[f64; 2]; 2],
}

impl Expectation {
    pub(super) fn of(ties: Ties, difference: f64, tie: f64) -> Self {
        let p = ties.probabilities(difference, tie);
        let half = 0.5 * (p[0] - p[1]);
        let (variance, mixed) = (0.25 * (p[0] + p[1]) - half * half, -half * p[2]);
        let covariance = [[variance, mixed], [mixed, p[2] * (1.0 - p[2])]];
        Self { p, half, covariance, score_factors: ties.score_factors(difference, tie) }
    }

    /// How the expected half point (first row) and P(tie) change with the difference of strengths (first column) and with ln ν.
    #[must_use]
    pub fn sensitivity(&self) -> [[f64; 2]; 2] {
        let [d, tie] = self.score_factors;
        self.covariance.map(|row| [row[0] * d[0] + row[1] * d[1], row[0] * tie[0] + row[1] * tie[1]])
    }

    /// The information of one comparison on the difference of strengths and ln ν.
    #[must_use]
    pub fn information(&self) -> [[f64; 2]; 2] {
        let [half, tie] = self.sensitivity();
        self.score_factors.map(|row| [row[0] * half[0] + row[1] * tie[0], row[0] * half[1] + row[1] * tie[1]])
    }

    /// The derivatives of ln of the likelihood by the difference of strengths and by ln ν, for the residuals of the half point and
    /// of "it is a tie".
    #[must_use]
    pub fn score(&self, half: f64, tie: f64) -> [f64; 2] {
        self.score_factors.map(|row| row[0] * half + row[1] * tie)
    }
}
