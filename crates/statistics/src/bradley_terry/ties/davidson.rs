//! Davidson's model of ties: P(tie) is ν times the geometric mean of P(win) and P(loss).
//!
//! With a = e^(d / 2), a win, a loss and a tie have probabilities proportional to a, 1 / a and ν. The likelihood is that of an
//! exponential family in d and ln ν.
//!
//! ## References
//!
//! * R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments",
//!   Journal of the American Statistical Association 65(329), 1970, <https://doi.org/10.1080/01621459.1970.10481082>.

use super::Terms;
use crate::bradley_terry::Cell;

/// P(win), P(loss) and P(tie) for a difference of strengths.
pub(super) fn probabilities(difference: f64, tie: f64) -> [f64; 3] {
    // The larger of a and 1 / a is taken out, so that nothing overflows.
    let root = libm::exp(-0.5 * difference.abs());
    let (loss_weight, tie) = (root * root, tie * root);
    let sum = 1.0 + loss_weight + tie;
    let [win, loss, tie] = [1.0 / sum, loss_weight / sum, tie / sum];
    if difference >= 0.0 { [win, loss, tie] } else { [loss, win, tie] }
}

/// P(win) + P(tie) / 2 for a difference of at least 0.
pub(super) fn preference(difference: f64, tie: f64) -> f64 {
    // Divided by the larger of both, so that nothing overflows.
    let (loss_weight, tie) = (libm::exp(-difference), tie * libm::exp(-0.5 * difference));
    (1.0 + 0.5 * tie) / (1.0 + loss_weight + tie)
}

/// ln of the likelihood, and its derivatives.
pub(super) fn terms(cell: &Cell, difference: f64, ln_tie: f64) -> Terms {
    let root = libm::exp(-0.5 * difference.abs());
    let tie = if ln_tie == f64::NEG_INFINITY { 0.0 } else { libm::exp(ln_tie) };
    let sum = 1.0 + root * root + tie * root;
    let n = cell.total();
    let [win, loss, tie_share] = [1.0 / sum, root * root / sum, tie * root / sum];
    let [win, loss] = if difference >= 0.0 { [win, loss] } else { [loss, win] };
    let decided = win + loss;
    // The largest of the three terms is taken out, so that nothing cancels.
    let (upsets, favours) = if difference >= 0.0 { (cell.losses, cell.wins) } else { (cell.wins, cell.losses) };
    let ln = if tie * root > 1.0 {
        let top = ln_tie - 0.5 * difference.abs();
        let ln_normalizer = libm::log1p((1.0 + root * root) / (tie * root));
        -upsets * (difference.abs() + top) - favours * top - n * ln_normalizer
    } else {
        let tied = if cell.ties != 0.0 { cell.ties * (ln_tie - 0.5 * difference.abs()) } else { 0.0 };
        tied - upsets * difference.abs() - n * libm::log1p(root * root + tie * root)
    };
    Terms {
        ln,
        // In these forms nothing cancels, however large the counts or the difference.
        slope: 0.5
            * (cell.wins * (2.0 * loss + tie_share) - cell.losses * (2.0 * win + tie_share) - cell.ties * (win - loss)),
        tie_slope: cell.ties * decided - (cell.wins + cell.losses) * tie_share,
        curvature: n * (win * loss + 0.25 * tie_share * decided),
        mixed_curvature: -0.5 * n * (win - loss) * tie_share,
        tie_curvature: n * tie_share * decided,
    }
}
