//! What may be true, given a table: draws for simulations of judgements to come.

use crate::board::best_by_strengths;
use crate::group::GroupFit;
use crate::settings::{Settings, TieModel};
use crate::units::Units;
use crate::{Answer, BoardError, Table};
use statistics::Normals;
use statistics::matrix::Cholesky;

/// The posterior of the strengths of all competitors of a table, from which truths are drawn.
///
/// Competitors of the same group have its posterior. Those of other groups, and those never compared, are taken to have strengths of the
/// same spread around the same average.
#[derive(Debug, Clone)]
pub struct Plausible {
    /// By group: members by their numbers in the table, means, and a factor of the covariances.
    groups: Vec<(Vec<usize>, Vec<f64>, Cholesky)>,
    competitors: usize,
    spread: f64,
    ties: TieModel,
    tie: f64,
    position: f64,
}

/// A truth: strengths, how often judges tie, and the advantage of the answer shown first.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// By the numbers of competitors in the table.
    pub strengths: Vec<f64>,
    ties: TieModel,
    tie: f64,
    position: f64,
}

impl Plausible {
    /// The posterior of a table.
    ///
    /// # Errors
    /// As for [`Board::new`](crate::Board::new).
    pub fn of(table: &Table, settings: &Settings) -> Result<Self, BoardError> {
        let (_, fits) = crate::board::fitted_groups(table, settings)?;
        let largest = &fits[0];
        let group = |fit: &GroupFit| {
            let size = fit.members.len();
            let covariance = Cholesky::semi_definite(&fit.posterior.precision, size).inverse();
            (fit.members.clone(), fit.posterior.mean.clone(), Cholesky::semi_definite(&covariance, size))
        };
        Ok(Self {
            groups: fits.iter().map(group).collect(),
            competitors: table.names.len(),
            spread: largest.posterior.spread,
            ties: largest.ties,
            tie: largest.fit.tie(),
            position: largest.fit.position().unwrap_or(0.0),
        })
    }

    /// A truth.
    #[must_use]
    pub fn draw(&self, draws: &mut Normals) -> Truth {
        let mut strengths: Vec<f64> = draws.normals(self.competitors).iter().map(|z| self.spread * z).collect();
        for (members, means, factor) in &self.groups {
            let moved = factor.correlate(&draws.normals(members.len()));
            for ((member, mean), moved) in members.iter().zip(means).zip(moved) {
                strengths[*member] = mean + moved;
            }
        }
        Truth { strengths, ties: self.ties, tie: self.tie, position: self.position }
    }
}

impl Truth {
    /// What a judge says who is shown two competitors, by their numbers, in this order.
    ///
    /// # Panics
    /// If a competitor does not exist.
    #[must_use]
    pub fn answer(&self, first: usize, second: usize, draws: &mut Normals) -> Answer {
        let difference = self.strengths[first] - self.strengths[second] + self.position;
        let [win, loss, _] = self.ties.model().probabilities(difference, self.tie);
        let at = draws.uniform();
        if at < win {
            Answer::First
        } else if at < win + loss {
            Answer::Second
        } else {
            Answer::Tie
        }
    }
}

/// The number of the competitor that a board of the table would name by strengths, the best or one within the tolerance, if Bradley-Terry
/// holds: all that a simulated session asks of a board.
///
/// # Errors
/// As for [`Board::new`](crate::Board::new).
pub fn named_by_strengths(table: &Table, settings: &Settings) -> Result<Option<usize>, BoardError> {
    settings.check(table)?;
    let units = Units::of(table)?;
    let (groups, shares) = crate::board::shares(table, &units);
    // In several groups, none is named.
    let ([members], [share]) = (&groups[..], &shares[..]) else { return Ok(None) };
    let comparisons: Vec<_> = share.iter().map(|unit| unit.comparison).collect();
    let fit = crate::group::fitted(members.len(), &comparisons, settings.ties.model())?;
    let contrasts = crate::populations::contrasts_of_best(&fit, &comparisons, share, settings)?;
    Ok(best_by_strengths(&fit, &contrasts, settings.tolerance, settings).map(|member| members[member]))
}
