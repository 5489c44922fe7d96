//! Plausible truths given a table: draws for simulations of further judgements.

use crate::board::best_by_strengths;
use crate::fit_accuracy::Source;
use crate::group::GroupFit;
use crate::posterior::{Posterior, SpreadPosterior};
use crate::settings::{Settings, TieModel};
use crate::units::Units;
use crate::{Answer, BoardError, Table};
use statistics::Normals;
use statistics::matrix::Cholesky;

/// The posterior of the strengths of all competitors of a table, from which truths are drawn.
///
/// Competitors of the same group have its posterior, under each standard deviation of strengths that the group leaves likely. Those of other
/// groups, and those never compared, are taken to have strengths of the same spread as the largest group, around the same average.
#[derive(Debug, Clone)]
pub struct Plausible {
    groups: Vec<Group>,
    competitors: usize,
    ties: TieModel,
    tie: f64,
    position: f64,
}

/// A group: its members, by their numbers in the table, and their possible strengths.
#[derive(Debug, Clone)]
struct Group {
    members: Vec<usize>,
    strengths: Vec<Strengths>,
}

/// Strengths under one standard deviation.
#[derive(Debug, Clone)]
struct Strengths {
    probability: f64,
    spread: f64,
    mean: Vec<f64>,
    /// The factor of the covariances.
    factor: Cholesky,
}

impl Group {
    fn of(fit: &GroupFit) -> Self {
        let size = fit.members.len();
        let strengths = |under: SpreadPosterior| {
            let covariance = Cholesky::semi_definite(&under.precision, size).inverse();
            let SpreadPosterior { spread, probability, mean, .. } = under;
            Strengths { probability, spread, mean, factor: Cholesky::semi_definite(&covariance, size) }
        };
        let posterior = Posterior::by_spread(fit.fit.strengths(), &fit.covariance);
        Self { members: fit.members.clone(), strengths: posterior.into_iter().map(strengths).collect() }
    }

    /// Strengths under one standard deviation, by their probabilities.
    fn draw(&self, draws: &mut Normals) -> &Strengths {
        let mut remaining = draws.uniform();
        let (last_spread, earlier_spreads) =
            self.strengths.split_last().expect("some standard deviation is the likeliest");
        let chosen = earlier_spreads.iter().find(|strengths| {
            remaining -= strengths.probability;
            remaining < 0.0
        });
        chosen.unwrap_or(last_spread)
    }
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
        let (_, fits) = crate::board::fitted_groups(table, settings, &|_| 1.0)?;
        let largest = &fits[0];
        Ok(Self {
            groups: fits.iter().map(Group::of).collect(),
            competitors: table.names.len(),
            ties: largest.ties,
            tie: largest.fit.tie(),
            position: largest.fit.position().unwrap_or(0.0),
        })
    }

    /// A truth.
    #[must_use]
    pub fn draw(&self, draws: &mut Normals) -> Truth {
        let strengths_of_groups: Vec<&Strengths> = self.groups.iter().map(|group| group.draw(draws)).collect();
        let mut strengths: Vec<f64> =
            draws.normals(self.competitors).iter().map(|z| strengths_of_groups[0].spread * z).collect();
        for (group, Strengths { mean, factor, .. }) in self.groups.iter().zip(strengths_of_groups) {
            let moved = factor.correlate(&draws.normals(group.members.len()));
            for ((member, mean), moved) in group.members.iter().zip(mean).zip(moved) {
                strengths[*member] = mean + moved;
            }
        }
        Truth { strengths, ties: self.ties, tie: self.tie, position: self.position }
    }
}

impl Truth {
    /// The simulated answer of a judge who is shown two competitors, by their numbers, in this order.
    ///
    /// # Panics
    /// If a competitor does not exist.
    #[must_use]
    pub fn answer(&self, first: usize, second: usize, draws: &mut Normals) -> Answer {
        let difference = self.strengths[first] - self.strengths[second] + self.position;
        let [win, loss, _] = self.ties.model().probabilities(difference, self.tie);
        let uniform = draws.uniform();
        if uniform < win {
            Answer::First
        } else if uniform < win + loss {
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
    let (groups, units_of_groups) = crate::board::units_by_group(table, &units);
    // In several groups, none is named.
    let ([members], [share]) = (&groups[..], &units_of_groups[..]) else { return Ok(None) };
    let comparisons: Vec<_> = share.iter().map(|unit| unit.comparison).collect();
    let fit = crate::group::fitted(members.len(), &comparisons, settings.ties.model())?;
    let source = Source { fit: &fit, comparisons: &comparisons, units: share, correction: None };
    let contrasts = crate::fit_accuracy::contrasts_of_best(&source, settings)?;
    Ok(best_by_strengths(&fit, &contrasts, settings.tolerance, settings).map(|member| members[member]))
}
