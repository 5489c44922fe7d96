//! The likelihood of a comparison of two arms, as a function of the difference d of their strengths and of ln ν.

/// P(win), P(loss) and P(tie) for a difference of strengths.
pub(super) fn probabilities(difference: f64, tie: f64) -> [f64; 3] {
    // The larger of a and 1 / a is taken out, so that nothing overflows.
    let root = libm::exp(-0.5 * difference.abs());
    let (small, tie) = (root * root, tie * root);
    let sum = 1.0 + small + tie;
    let [more, less, tie] = [1.0 / sum, small / sum, tie / sum];
    if difference >= 0.0 { [more, less, tie] } else { [less, more, tie] }
}

/// The outcomes of comparisons that share both arms and the position: possibly fractions, with weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The first arm.
    pub first: usize,
    /// The second arm, another one.
    pub second: usize,
    /// What the position effect is multiplied by: 1 if the first arm was shown first, -1 if it was shown second, 0 if
    /// that is unknown, or if both orders count the same.
    pub position: f64,
    /// The weight of the wins of the first arm.
    pub wins: f64,
    /// The weight of its losses.
    pub losses: f64,
    /// The weight of the ties.
    pub ties: f64,
}

impl Cell {
    /// The weight of all comparisons.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.wins + self.losses + self.ties
    }

    /// ln of the likelihood, and its derivatives.
    pub(super) fn terms(&self, difference: f64, ln_tie: f64) -> Terms {
        let root = libm::exp(-0.5 * difference.abs());
        let tie = if ln_tie == f64::NEG_INFINITY { 0.0 } else { libm::exp(ln_tie) };
        let sum = 1.0 + root * root + tie * root;
        let n = self.total();
        let [more, less, even] = [1.0 / sum, root * root / sum, tie * root / sum];
        let [win, loss] = if difference >= 0.0 { [more, less] } else { [less, more] };
        let decided = win + loss;
        // The largest of the three terms is taken out, so that nothing cancels.
        let (upsets, favours) = if difference >= 0.0 { (self.losses, self.wins) } else { (self.wins, self.losses) };
        let ln = if tie * root > 1.0 {
            let top = ln_tie - 0.5 * difference.abs();
            let rest = libm::log1p((1.0 + root * root) / (tie * root));
            -upsets * (difference.abs() + top) - favours * top - n * rest
        } else {
            let tied = if self.ties > 0.0 { self.ties * (ln_tie - 0.5 * difference.abs()) } else { 0.0 };
            tied - upsets * difference.abs() - n * libm::log1p(root * root + tie * root)
        };
        Terms {
            ln,
            // In these forms nothing cancels, however large the counts or the difference.
            slope: 0.5
                * (self.wins * (2.0 * loss + even) - self.losses * (2.0 * win + even) - self.ties * (win - loss)),
            tie_slope: self.ties * decided - (self.wins + self.losses) * even,
            curvature: n * (win * loss + 0.25 * even * decided),
            mixed: -0.5 * n * (win - loss) * even,
            tie_curvature: n * even * decided,
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
    pub(super) mixed: f64,
    pub(super) tie_curvature: f64,
}

/// What one comparison came to for its first arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Point {
    /// The share of the point that the first arm gets, in [0, 1]: 1 for a win, 0 for a loss. A fraction s enters the
    /// likelihood as s of a win and 1 - s of a loss. That is a quasi-likelihood: estimates are consistent if the
    /// expected share follows the model; of the standard errors only sandwich estimators hold.
    Share(f64),
    /// A tie.
    Tie,
}

/// One comparison, or several that came to the same and are independent of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The first arm.
    pub first: usize,
    /// The second arm.
    pub second: usize,
    /// As in [`Cell::position`].
    pub position: f64,
    /// What it came to.
    pub point: Point,
    /// What it counts in the likelihood, positive.
    pub weight: f64,
    /// How many independent comparisons this is, at least 1; each has the weight.
    pub copies: u64,
}

impl Comparison {
    /// The same as a cell, with weight times copies.
    #[must_use]
    pub fn cell(&self) -> Cell {
        let n = self.weight * self.copies as f64;
        let (wins, losses, ties) = match self.point {
            Point::Share(share) => (n * share, n * (1.0 - share), 0.0),
            Point::Tie => (0.0, 0.0, n),
        };
        Cell { first: self.first, second: self.second, position: self.position, wins, losses, ties }
    }
}

/// Comparisons counted by pair and position. The first arm of each cell is the one with the smaller number.
#[must_use]
pub fn cells<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> Vec<Cell> {
    let mut all: Vec<Cell> = comparisons
        .into_iter()
        .map(|comparison| {
            let cell = comparison.cell();
            if cell.first < cell.second {
                return cell;
            }
            let (first, second, position) = (cell.second, cell.first, -cell.position);
            Cell { first, second, position, wins: cell.losses, losses: cell.wins, ties: cell.ties }
        })
        .collect();
    let key = |cell: &Cell| (cell.first, cell.second);
    all.sort_by(|a, b| key(a).cmp(&key(b)).then((a.position + 0.0).total_cmp(&(b.position + 0.0))));
    all.dedup_by(|next, kept| {
        let same = key(next) == key(kept) && next.position == kept.position;
        if same {
            kept.wins += next.wins;
            kept.losses += next.losses;
            kept.ties += next.ties;
        }
        same
    });
    all
}
