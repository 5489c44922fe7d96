//! The fit of one group of competitors that judgements connect.

mod regressors;

use crate::correction::{Correction, Question};
use crate::fit_accuracy::{Source, fit_accuracy};
use crate::populations::Populations;
use crate::posterior::{Posterior, exact_posterior};
use crate::proven_wins::ProvenWins;
use crate::settings::{Settings, TieModel};
use crate::units::Unit;
use crate::{BoardError, Order, Table};
use statistics::StatisticsError;
use statistics::bradley_terry::{
    Comparison, Contrasts, Covariates, Fit, Look, Options, Ties, cells, discriminating, position_is_determined,
    unbeaten_group, undetermined_covariate,
};

/// The standard deviation of the prior that is used where no finite strengths fit best: a competitor twice that far from
/// the average would win 399 of 400 times.
pub(crate) const WEAK_PRIOR: f64 = 3.0;

/// A group and its fit. Competitors and units are numbered within the group.
#[derive(Debug, Clone)]
pub(crate) struct GroupFit {
    /// The members, by their numbers in the table.
    pub(crate) members: Vec<usize>,
    pub(crate) units: Vec<Unit>,
    pub(crate) fit: Fit,
    pub(crate) ties: TieModel,
    /// Covariances of the strengths.
    pub(crate) covariance: Vec<f64>,
    /// The independent populations, and their effect on errors.
    pub(crate) populations: Populations,
    /// All differences with their errors: the statements at one look, and at every look.
    pub(crate) contrasts: Contrasts,
    /// Pairwise statements, without a model.
    pub(crate) proven: ProvenWins,
    /// The standard errors of all parameters.
    pub(crate) errors: Vec<f64>,
    /// The divisors of covariates.
    pub(crate) typical: Vec<f64>,
    /// The judges with slopes, by their numbers in the table.
    pub(crate) judges: Vec<u32>,
    /// Strengths of the fit without covariates and slopes, with their standard errors, if there are any.
    pub(crate) plain_estimates: Option<Vec<(f64, f64)>>,
    /// Members that no competitor outside of them ever beat, if there are any.
    pub(crate) unbeaten: Vec<usize>,
    /// Whether the order of answers was known, but cannot be distinguished from names.
    pub(crate) confounded: bool,
    pub(crate) posterior: Posterior,
}

impl GroupFit {
    /// `alpha` is the error that this group may spend on statements.
    pub(crate) fn of(
        table: &Table,
        members: Vec<usize>,
        mut units: Vec<Unit>,
        settings: &Settings,
        alpha: f64,
    ) -> Result<Self, BoardError> {
        let typical = regressors::standardise(&mut units);
        let names: Vec<String> = table.covariates.iter().map(|covariate| covariate.name.clone()).collect();
        regressors::check_determined(members.len(), &units, &names)?;
        let judges = if settings.discrimination {
            regressors::assign_slopes(table, members.len(), &mut units)?
        } else {
            Vec::new()
        };
        let comparisons: Vec<Comparison> = units.iter().map(|unit| unit.comparison).collect();
        let fit = fitted(members.len(), &comparisons, settings.ties.model())?;
        let source = Source { fit: &fit, comparisons: &comparisons, units: &units, correction: None };
        let estimated = fit_accuracy(&source, settings, alpha)?;
        let is_plain = typical.is_empty() && judges.is_empty();
        let plain_estimates = (!is_plain).then(|| plain_fit(members.len(), &units, settings, alpha)).transpose()?;
        let cells_of_units = cells(&comparisons);
        let mut posterior = Posterior::of(fit.strengths(), &estimated.covariance);
        if let Some(best) = exact_posterior::best(&fit, &cells_of_units, &estimated.covariance, WEAK_PRIOR) {
            posterior.best = best;
        }
        let confounded = table.order == Order::Shown
            && cells_of_units.iter().any(|cell| cell.position != 0.0)
            && !position_is_determined(members.len(), &cells_of_units);
        let unbeaten = unbeaten_group(members.len(), &cells_of_units).unwrap_or_default();
        let proven = ProvenWins::of(members.len(), &units, &estimated.populations, alpha)?;
        Ok(Self {
            members,
            units,
            fit,
            ties: settings.ties,
            covariance: estimated.covariance,
            populations: estimated.populations,
            contrasts: estimated.contrasts,
            proven,
            errors: estimated.errors,
            typical,
            judges,
            plain_estimates,
            unbeaten,
            confounded,
            posterior,
        })
    }

    /// The same with strengths that a model's verdicts on questions make more precise, and the weight of the model. Pairwise statements and
    /// findings still come from the units alone.
    pub(crate) fn corrected(
        &self,
        questions: &[Question],
        settings: &Settings,
        alpha: f64,
    ) -> Result<(Self, f64), BoardError> {
        let comparisons: Vec<Comparison> = self.units.iter().map(|unit| unit.comparison).collect();
        let labels = Correction::labels(&self.units, questions);
        let correction = Correction::of(&self.fit, &comparisons, &labels, questions, WEAK_PRIOR)?;
        let fit = correction.fit();
        let source = Source { fit, comparisons: &comparisons, units: &self.units, correction: Some(&correction) };
        let estimated = fit_accuracy(&source, settings, alpha)?;
        let corrected = Self {
            posterior: Posterior::of(fit.strengths(), &estimated.covariance),
            fit: fit.clone(),
            covariance: estimated.covariance,
            populations: estimated.populations,
            contrasts: estimated.contrasts,
            errors: estimated.errors,
            ..self.clone()
        };
        Ok((corrected, correction.lambda()))
    }

    /// Whether `first` is known to be stronger than `second`, all pairs together. Where no finite strengths fit best, estimates are not
    /// normal, and those of a prior say too little: the proof from a pair by itself counts as well, unless all pairs together show the
    /// reverse.
    pub(crate) fn is_stronger(&self, first: usize, second: usize, look: Look) -> bool {
        let proven = || self.fit.prior().is_some() && self.pairs_count() && self.proven.beats(first, second);
        self.contrasts.is_stronger(first, second, look) || proven() && !self.contrasts.is_stronger(second, first, look)
    }

    /// Whether proofs from single pairs also count for strengths: not if these are adjusted for covariates.
    pub(crate) fn pairs_count(&self) -> bool {
        self.typical.is_empty()
    }

    /// The position effect with its standard error.
    pub(crate) fn position(&self) -> Option<(f64, f64)> {
        let index = self.fit.position_place()?;
        Some((self.fit.parameters()[index], self.errors[index]))
    }

    /// The member with the largest probability of being the best.
    pub(crate) fn strongest_member(&self) -> usize {
        strongest_member(&self.posterior.best, self.fit.strengths())
    }
}

/// Strengths with standard errors of the fit without covariates and slopes.
fn plain_fit(arms: usize, units: &[Unit], settings: &Settings, alpha: f64) -> Result<Vec<(f64, f64)>, BoardError> {
    let comparisons: Vec<Comparison> = units
        .iter()
        .map(|unit| Comparison { covariates: Covariates::default(), slope: None, ..unit.comparison })
        .collect();
    let fit = fitted(arms, &comparisons, settings.ties.model())?;
    let source = Source { fit: &fit, comparisons: &comparisons, units, correction: None };
    let estimated = fit_accuracy(&source, settings, alpha)?;
    Ok(fit.strengths().iter().copied().zip(estimated.errors).collect())
}

/// The difference of strengths at which the stronger of two gets `share` of the points more than a half, in expectation.
pub(crate) fn difference_of(fit: &Fit, share: f64) -> f64 {
    if share <= 0.0 {
        return 0.0;
    }
    let expected = |difference: f64| fit.ties().preference(difference, fit.tie()) - 0.5;
    let (mut low, mut high) = (0.0, 1.0);
    while expected(high) < share && high < 1e3 {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if expected(middle) < share { low = middle } else { high = middle }
    }
    low
}

/// The competitor with the largest probability of being the best; of several, the strongest.
pub(crate) fn strongest_member(best: &[f64], strengths: &[f64]) -> usize {
    let by_strength = |a: &usize, b: &usize| {
        best[*a].total_cmp(&best[*b]).then(strengths[*a].total_cmp(&strengths[*b])).then(b.cmp(a))
    };
    (0..best.len()).max_by(by_strength).expect("a group has members")
}

/// The strongest competitor: the first in the table of the board.
pub(crate) fn strongest(strengths: &[f64]) -> usize {
    strongest_member(&vec![0.0; strengths.len()], strengths)
}

/// The maximum of the likelihood, or of the posterior under a weak prior if it has none.
pub(crate) fn fitted(arms: usize, comparisons: &[Comparison], ties: Ties) -> Result<Fit, StatisticsError> {
    let cells_of_comparisons = cells(comparisons);
    let options = Options { position: true, ties, ..Options::default() };
    let fit = |options| {
        let has_slopes = cells_of_comparisons.iter().any(|cell| cell.slope.is_some());
        if has_slopes {
            discriminating(arms, &cells_of_comparisons, options)
        } else {
            Fit::new(arms, &cells_of_comparisons, options)
        }
    };
    // Those of a part of the table may not be determined although those of the whole are.
    if undetermined_covariate(arms, &cells_of_comparisons).is_some() {
        return fit(Options { prior: Some(WEAK_PRIOR), ..options });
    }
    match fit(options) {
        Err(StatisticsError::Separated { .. } | StatisticsError::Unbounded | StatisticsError::NotConverged { .. }) => {
            fit(Options { prior: Some(WEAK_PRIOR), ..options })
        }
        other => other,
    }
}
