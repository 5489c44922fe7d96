//! Outcomes of comparisons of two arms, one by one and counted.

use super::covariates::Covariates;
use std::cmp::Ordering;

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
    /// The weight of the wins of the first arm. Of corrected points, either wins or losses may be negative; their sum never is.
    pub wins: f64,
    /// The weight of its losses.
    pub losses: f64,
    /// The weight of the ties.
    pub ties: f64,
    /// How both differ otherwise; all cells have as many.
    pub covariates: Covariates,
    /// The number of the slope that multiplies the difference of strengths, e.g. the judge's; `None` for a slope of 1.
    pub slope: Option<u32>,
}

impl Cell {
    /// The weight of all comparisons.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.wins + self.losses + self.ties
    }
}

/// The outcome of one comparison for its first arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Point {
    /// The share of the point that the first arm gets, in [0, 1]: 1 for a win, 0 for a loss. A fraction s enters the
    /// likelihood as s of a win and 1 - s of a loss. That is a quasi-likelihood: estimates are consistent if the
    /// expected share follows the model; of the standard errors only sandwich estimators hold. Corrected points, which are a share in
    /// expectation alone, may lie outside.
    Share(f64),
    /// A tie.
    Tie,
}

impl Point {
    /// The shares of a win, a loss and a tie of the first arm.
    #[must_use]
    pub fn shares(self) -> [f64; 3] {
        match self {
            Self::Share(share) => [share, 1.0 - share, 0.0],
            Self::Tie => [0.0, 0.0, 1.0],
        }
    }
}

/// One comparison, or several independent ones with the same outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The first arm.
    pub first: usize,
    /// The second arm.
    pub second: usize,
    /// As in [`Cell::position`].
    pub position: f64,
    /// The outcome for the first arm.
    pub point: Point,
    /// What it counts in the likelihood, positive.
    pub weight: f64,
    /// How many independent comparisons this is, at least 1; each has the weight.
    pub copies: u64,
    /// As in [`Cell::covariates`].
    pub covariates: Covariates,
    /// As in [`Cell::slope`].
    pub slope: Option<u32>,
}

impl Default for Comparison {
    /// A win of arm 0 over arm 1 that counts once, without further data.
    fn default() -> Self {
        Self {
            first: 0,
            second: 1,
            position: 0.0,
            point: Point::Share(1.0),
            weight: 1.0,
            copies: 1,
            covariates: Covariates::default(),
            slope: None,
        }
    }
}

impl Comparison {
    /// The same as a cell, with weight times copies.
    #[must_use]
    pub fn cell(&self) -> Cell {
        let n = self.weight * self.copies as f64;
        let [wins, losses, ties] = self.point.shares().map(|share| n * share);
        let Self { first, second, position, covariates, slope, .. } = *self;
        Cell { first, second, position, wins, losses, ties, covariates, slope }
    }
}

/// Comparisons counted by pair, position, covariates and slope. The first arm of each cell is the one with the smaller number.
#[must_use]
pub fn cells<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> Vec<Cell> {
    let mut cells: Vec<Cell> = comparisons
        .into_iter()
        .map(|comparison| {
            let cell = comparison.cell();
            if cell.first < cell.second {
                return cell;
            }
            let (first, second, position) = (cell.second, cell.first, -cell.position);
            let (wins, losses, covariates) = (cell.losses, cell.wins, cell.covariates.reversed());
            Cell { first, second, position, wins, losses, covariates, ..cell }
        })
        .collect();
    let key = |cell: &Cell| (cell.first, cell.second, cell.slope);
    let by_values = |a: &Cell, b: &Cell| {
        let pairs = a.covariates.values().iter().zip(b.covariates.values());
        // 0 is one number, whatever its sign.
        let in_order = |(a, b): (&f64, &f64)| (a + 0.0).total_cmp(&(b + 0.0));
        std::iter::once((&a.position, &b.position)).chain(pairs).map(in_order).fold(Ordering::Equal, Ordering::then)
    };
    cells.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| by_values(a, b)));
    cells.dedup_by(|next, kept| {
        let is_same = key(next) == key(kept) && next.position == kept.position && next.covariates == kept.covariates;
        if is_same {
            kept.wins += next.wins;
            kept.losses += next.losses;
            kept.ties += next.ties;
        }
        is_same
    });
    cells
}
