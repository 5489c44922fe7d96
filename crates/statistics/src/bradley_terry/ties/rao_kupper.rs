//! Rao and Kupper's model of ties: judges see no difference below a threshold.
//!
//! With a threshold η = ln θ, P(win) = 1 / (1 + e^(η - d)) and P(loss) = 1 / (1 + e^(η + d)); the rest are ties. So
//! P(tie) = ν P(win) P(loss) with ν = θ² - 1. As a function of d and ln ν, the logarithm of the likelihood is concave: those of
//! P(win) and P(loss) are minus the softplus of a convex function, and that of P(tie) is their sum and ln ν.
//!
//! ## References
//!
//! * P. V. Rao, L. L. Kupper, "Ties in Paired-Comparison Experiments: A Generalization of the Bradley-Terry Model", Journal of
//!   the American Statistical Association 62(317), 1967, <https://doi.org/10.1080/01621459.1967.10482901>.
//!
//! ## Notes
//!
//! The paper's parameter is θ; ln ν is free, so that Newton's method needs no bounds. The family is not exponential: curvatures are
//! those observed, which depend on the outcomes.

use super::Terms;
use crate::bradley_terry::Cell;

/// The threshold η and its first two derivatives by ln ν.
fn threshold(ln_tie: f64) -> (f64, f64, f64) {
    let share = logistic(ln_tie);
    (0.5 * softplus(ln_tie), 0.5 * share, 0.5 * share * logistic(-ln_tie))
}

/// 1 / (1 + e^-x).
fn logistic(x: f64) -> f64 {
    let exponential = libm::exp(-x.abs());
    if x >= 0.0 { 1.0 / (1.0 + exponential) } else { exponential / (1.0 + exponential) }
}

/// ln(1 + e^x).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

/// P(win), P(loss) and P(tie) for a difference of strengths.
pub(super) fn probabilities(difference: f64, tie: f64) -> [f64; 3] {
    let (eta, ..) = threshold(libm::log(tie));
    let (win, loss) = (logistic(difference - eta), logistic(-difference - eta));
    [win, loss, tie * win * loss]
}

/// See [`Ties::score_factors`](super::Ties::score_factors).
pub(super) fn score_factors(difference: f64, tie: f64) -> [[f64; 2]; 2] {
    let (eta, slope, _) = threshold(libm::log(tie));
    let (not_win, not_loss) = (logistic(eta - difference), logistic(eta + difference));
    let (sum, difference) = (not_win + not_loss, not_win - not_loss);
    [[sum, 0.5 * difference], [-slope * difference, 1.0 - 0.5 * slope * sum]]
}

/// ln of the likelihood, and its derivatives.
pub(super) fn terms(cell: &Cell, difference: f64, ln_tie: f64) -> Terms {
    let (eta, slope, bend) = threshold(ln_tie);
    let (not_win, not_loss) = (logistic(eta - difference), logistic(eta + difference));
    // A tie is a factor P(win) P(loss) ν.
    let (wins, losses) = (cell.wins + cell.ties, cell.losses + cell.ties);
    let curved = (wins * not_win * (1.0 - not_win), losses * not_loss * (1.0 - not_loss));
    let tied = if cell.ties != 0.0 { cell.ties * ln_tie } else { 0.0 };
    Terms {
        ln: tied - wins * softplus(eta - difference) - losses * softplus(eta + difference),
        slope: wins * not_win - losses * not_loss,
        tie_slope: cell.ties - slope * (wins * not_win + losses * not_loss),
        curvature: curved.0 + curved.1,
        mixed_curvature: -slope * (curved.0 - curved.1),
        tie_curvature: bend * (wins * not_win + losses * not_loss) + slope * slope * (curved.0 + curved.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bradley_terry::Comparison;

    /// The paper's own form: π_i / (π_i + θ π_j).
    #[test]
    fn probabilities_are_those_of_the_paper() {
        let (one, other, theta) = (3.0_f64, 0.7_f64, 1.6_f64);
        let difference = libm::log(one / other);
        let [win, loss, tie] = probabilities(difference, theta * theta - 1.0);
        assert!((win - one / (one + theta * other)).abs() < 1e-14);
        assert!((loss - other / (other + theta * one)).abs() < 1e-14);
        let expected = one * other * (theta * theta - 1.0) / ((one + theta * other) * (theta * one + other));
        assert!((tie - expected).abs() < 1e-14 && (win + loss + tie - 1.0).abs() < 1e-14);
        // Without ties, Bradley and Terry's.
        let [win, loss, tie] = probabilities(difference, 0.0);
        assert!((win - one / (one + other)).abs() < 1e-14 && (win + loss - 1.0).abs() < 1e-14 && tie == 0.0);
    }

    /// Derivatives agree with differences of the likelihood, also far out.
    #[test]
    fn derivatives_are_those_of_the_likelihood() {
        let cell = Cell { losses: 1.5, wins: 3.0, ties: 2.0, ..Comparison::default().cell() };
        for (d, u) in [(0.3, -0.4), (-2.0, 1.5), (6.0, -3.0), (0.0, 4.0)] {
            let h = 1e-5;
            let at = |d: f64, u: f64| terms(&cell, d, u);
            let found = at(d, u);
            let close = |found: f64, expected: f64, what: &str| {
                assert!(
                    (found - expected).abs() < 1e-7 * (1.0 + expected.abs()),
                    "{what} at {d}, {u}: {found} {expected}"
                );
            };
            close(found.slope, (at(d + h, u).ln - at(d - h, u).ln) / (2.0 * h), "slope");
            close(found.tie_slope, (at(d, u + h).ln - at(d, u - h).ln) / (2.0 * h), "slope of ties");
            close(found.curvature, -(at(d + h, u).slope - at(d - h, u).slope) / (2.0 * h), "curvature");
            close(found.mixed_curvature, -(at(d, u + h).slope - at(d, u - h).slope) / (2.0 * h), "mixed");
            close(
                found.tie_curvature,
                -(at(d, u + h).tie_slope - at(d, u - h).tie_slope) / (2.0 * h),
                "curvature of ties",
            );
        }
    }

    /// The slopes of a win, a loss and a tie are their residuals times the factors, and vanish in expectation.
    #[test]
    fn scores_are_residuals_times_factors() {
        let (d, u) = (0.8, -0.3);
        let p = probabilities(d, libm::exp(u));
        let factors = score_factors(d, libm::exp(u));
        let mean = 0.5 * (p[0] - p[1]);
        let mut expected = [0.0; 2];
        for (outcome, (half, tied)) in [(0.5, 0.0), (-0.5, 0.0), (0.0, 1.0)].into_iter().enumerate() {
            let count = |other: usize| f64::from(u8::from(outcome == other));
            let cell = Cell { wins: count(0), losses: count(1), ties: count(2), ..Comparison::default().cell() };
            let found = terms(&cell, d, u);
            for (place, slope) in [found.slope, found.tie_slope].into_iter().enumerate() {
                let of_residuals = factors[place][0] * (half - mean) + factors[place][1] * (tied - p[2]);
                assert!((slope - of_residuals).abs() < 1e-14, "{outcome} {place}: {slope} {of_residuals}");
                expected[place] += p[outcome] * slope;
            }
        }
        assert!(expected.iter().all(|sum| sum.abs() < 1e-14), "{expected:?}");
    }
}
