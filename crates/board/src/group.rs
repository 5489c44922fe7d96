//! The fit of one group of competitors that judgements connect.

use crate::correction::{Correction, Question};
use crate::populations::{self, Populations, Source};
use crate::posterior::Posterior;
use crate::proven_wins::ProvenWins;
use crate::settings::{Settings, TieModel};
use crate::units::Unit;
use crate::{BoardError, Order};
use statistics::StatisticsError;
use statistics::bradley_terry::{
    Comparison, Contrasts, Fit, Look, Options, Ties, cells, position_is_determined, unbeaten,
};

/// The standard deviation of the prior that is used where no finite strengths fit best: a competitor twice that far from
/// the average would win 399 of 400 times.
pub(crate) const WEAK_PRIOR: f64 = 3.0;

/// A group and what was fitted to it. Competitors and units are numbered within the group.
#[derive(Debug, Clone)]
pub(crate) struct GroupFit {
    /// The members, by their numbers in the table.
    pub(crate) members: Vec<usize>,
    pub(crate) units: Vec<Unit>,
    pub(crate) fit: Fit,
    pub(crate) ties: TieModel,
    /// Covariances of the strengths.
    pub(crate) covariance: Vec<f64>,
    /// What is independent, and what its differences are known to.
    pub(crate) populations: Populations,
    /// All differences with their errors: what is known at one look, and at every look.
    pub(crate) contrasts: Contrasts,
    /// What is known pair by pair, without a model.
    pub(crate) proven: ProvenWins,
    pub(crate) position_error: Option<f64>,
    /// Members that nobody outside of them ever beat, if there are any.
    pub(crate) unbeaten: Vec<usize>,
    /// Whether the order of answers was known, but cannot be distinguished from names.
    pub(crate) confounded: bool,
    pub(crate) posterior: Posterior,
}

impl GroupFit {
    /// `alpha` is what this group may spend on statements.
    pub(crate) fn of(
        members: Vec<usize>,
        units: Vec<Unit>,
        order: Order,
        settings: &Settings,
        alpha: f64,
    ) -> Result<Self, BoardError> {
        let comparisons: Vec<Comparison> = units.iter().map(|unit| unit.comparison).collect();
        let fit = fitted(members.len(), &comparisons, settings.ties.model())?;
        let source = Source { fit: &fit, comparisons: &comparisons, units: &units, correction: None };
        let estimated = populations::estimated(&source, settings, alpha)?;
        let posterior = Posterior::of(fit.strengths(), &estimated.covariance);
        let all = cells(&comparisons);
        let confounded = order == Order::Shown
            && all.iter().any(|cell| cell.position != 0.0)
            && !position_is_determined(members.len(), &all);
        let unbeaten = unbeaten(members.len(), &all).unwrap_or_default();
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
            position_error: estimated.position_error,
            unbeaten,
            confounded,
            posterior,
        })
    }

    /// The same with strengths that a model's verdicts on questions sharpen, and how much the model counts. What pairs say by themselves, and
    /// what misleads, stays what the units say alone.
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
        let estimated = populations::estimated(&source, settings, alpha)?;
        let corrected = Self {
            posterior: Posterior::of(fit.strengths(), &estimated.covariance),
            fit: fit.clone(),
            covariance: estimated.covariance,
            populations: estimated.populations,
            contrasts: estimated.contrasts,
            position_error: estimated.position_error,
            ..self.clone()
        };
        Ok((corrected, correction.lambda()))
    }

    /// Whether `first` is known to be stronger than `second`, all pairs together. Where no finite strengths fit best, estimates are not
    /// normal, and those of a prior say too little: what a pair proves by itself counts as well.
    pub(crate) fn is_stronger(&self, first: usize, second: usize, look: Look) -> bool {
        self.contrasts.is_stronger(first, second, look)
            || self.fit.prior().is_some() && self.proven.beats(first, second)
    }

    /// The member with the largest probability of being the best.
    pub(crate) fn leader(&self) -> usize {
        leader(&self.posterior.best, self.fit.strengths())
    }
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
pub(crate) fn leader(best: &[f64], strengths: &[f64]) -> usize {
    let by = |a: &usize, b: &usize| {
        best[*a].total_cmp(&best[*b]).then(strengths[*a].total_cmp(&strengths[*b])).then(b.cmp(a))
    };
    (0..best.len()).max_by(by).expect("a group has members")
}

/// The strongest competitor: the first in the table of the board.
pub(crate) fn strongest(strengths: &[f64]) -> usize {
    leader(&vec![0.0; strengths.len()], strengths)
}

/// The maximum of the likelihood, or of the posterior under a weak prior where there is none.
pub(crate) fn fitted(arms: usize, comparisons: &[Comparison], ties: Ties) -> Result<Fit, StatisticsError> {
    let all = cells(comparisons);
    let options = Options { position: true, prior: None, ties };
    match Fit::new(arms, &all, options) {
        Err(StatisticsError::Separated { .. } | StatisticsError::Unbounded | StatisticsError::NotConverged { .. }) => {
            Fit::new(arms, &all, Options { prior: Some(WEAK_PRIOR), ..options })
        }
        other => other,
    }
}
