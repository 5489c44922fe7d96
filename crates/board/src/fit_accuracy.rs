//! The accuracy of a fit: covariances of the strengths under the model and from clusters, and differences with their errors.

use statistics::bradley_terry::{Comparison, Contrasts, Fit, Point, inflated_covariances, two_way_covariances};

use crate::BoardError;
use crate::correction::Correction;
use crate::populations::{ClusterKind, Population, Populations, numbered, numbers_of};
use crate::settings::{Clusters, Settings};
use crate::units::Unit;

/// For clusters worth fewer than these, a board reports their cost.
const MIN_EFFECTIVE_CLUSTERS: f64 = 20.0;

/// The accuracy of a fit.
pub(crate) struct FitAccuracy {
    /// Covariances of the strengths that are positive semi-definite, for normal approximations.
    pub(crate) covariance: Vec<f64>,
    pub(crate) contrasts: Contrasts,
    pub(crate) populations: Populations,
    /// The standard errors of all parameters.
    pub(crate) errors: Vec<f64>,
}

/// Strengths, and the data for their errors.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) fit: &'a Fit,
    pub(crate) comparisons: &'a [Comparison],
    pub(crate) units: &'a [Unit],
    /// The contribution of a model to the units.
    pub(crate) correction: Option<&'a Correction<'a>>,
}

impl Source<'_> {
    /// Covariances of all parameters under Bradley-Terry: the lower bound.
    fn model_covariance(&self) -> Vec<f64> {
        let model_covariance = || {
            let dispersion = dispersion(self.fit, self.units).unwrap_or(1.0);
            self.fit.model_covariance().iter().map(|value| value * dispersion).collect()
        };
        self.correction.map_or_else(model_covariance, Correction::model_covariance)
    }

    /// Covariances by units, or by questions if a model contributes.
    fn covariance_by_unit(&self) -> Vec<f64> {
        let unit_sandwich = || self.fit.sandwich(self.comparisons, None, true);
        self.correction.map_or_else(unit_sandwich, Correction::by_question)
    }

    /// Covariances by clusters of a kind, given their numbers.
    fn covariance_by_kind(&self, kind: ClusterKind, numbers: &[u32]) -> Vec<f64> {
        match (self.correction, kind) {
            (None, _) => self.fit.sandwich(self.comparisons, Some(numbers), true),
            (Some(correction), ClusterKind::Item) => correction.by_item(),
            (Some(correction), ClusterKind::Judge) => correction.by_judge(numbers),
        }
    }

    /// Covariances by both kinds, from those by items and by judges, and the numbers of judges.
    fn covariance_by_both(&self, item: &[f64], judge: &[f64], judges: &[u32]) -> Vec<f64> {
        let (item_and_judge, _) = numbered(self.units, |unit| Some((unit.item, unit.judge)));
        match self.correction {
            None => two_way_covariances(item, judge, &self.fit.sandwich(self.comparisons, Some(&item_and_judge), true)),
            Some(correction) => correction.covariance_by_both(item, judges, &item_and_judge),
        }
    }
}

/// The ratio of the variance of corrected points to that of verdicts without ties: as found, or as expected of them, whichever is larger.
/// While few people were asked, hardly any disagreed with the model, so the variance found is too small. `None` without corrected points.
pub(crate) fn dispersion(fit: &Fit, units: &[Unit]) -> Option<f64> {
    let (mut observed, mut expected, mut bernoulli) = (0.0, 0.0, 0.0);
    for unit in units {
        let (expected_points, Point::Share(share)) = (unit.expected?, unit.comparison.point) else { return None };
        let n = unit.comparison.weight * unit.comparison.copies as f64;
        let half = fit.expected_of(&unit.comparison).half;
        observed += n * (share - 0.5 - half) * (share - 0.5 - half);
        expected += n * (expected_points.spread - half * half).max(0.0);
        bernoulli += n * (0.25 - half * half);
    }
    (bernoulli > 0.0).then(|| observed.max(expected) / bernoulli)
}

/// The covariances from clusters of one kind.
struct ClusterFit {
    kind: ClusterKind,
    /// Covariances of all parameters.
    covariance_of_all: Vec<f64>,
    /// Those of the strengths.
    covariance: Vec<f64>,
    effective: Vec<f64>,
}

/// The covariances from all clusters.
struct ClusterCovariances {
    /// The number of each kind that units name.
    cluster_kinds: Vec<(ClusterKind, u64)>,
    /// By kind, for kinds with statements about their population.
    fits: Vec<ClusterFit>,
    /// Covariances of all parameters, from all kinds together.
    joint: Vec<f64>,
    /// Those of the strengths.
    joint_of_strengths: Vec<f64>,
}

impl ClusterCovariances {
    fn of(source: &Source<'_>, settings: &Settings) -> Self {
        let Source { fit, comparisons, units, .. } = *source;
        let is_general = |kind: ClusterKind, count: u64| match settings.clusters {
            Clusters::Auto => count >= Clusters::MIN_COUNT as u64,
            Clusters::Units => false,
            Clusters::Item => kind == ClusterKind::Item,
            Clusters::Judge => kind == ClusterKind::Judge,
            Clusters::Both => true,
        };
        let (mut cluster_kinds, mut fits) = (Vec::new(), Vec::new());
        for kind in [ClusterKind::Item, ClusterKind::Judge] {
            if !units.iter().any(|unit| kind.of(unit).is_some()) {
                continue;
            }
            let (numbers, count) = numbered(units, |unit| kind.of(unit));
            cluster_kinds.push((kind, count));
            if is_general(kind, count) {
                let covariance = source.covariance_by_kind(kind, &numbers);
                // Units without a name are not one more known cluster.
                let mut effective = fit.effective_clusters(comparisons, &numbers);
                effective.iter_mut().for_each(|value| *value = value.min(count as f64));
                fits.push(ClusterFit {
                    kind,
                    covariance: strength_block(fit, &covariance),
                    covariance_of_all: covariance,
                    effective,
                });
            }
        }
        let joint = match &fits[..] {
            [] => source.covariance_by_unit(),
            [one] => one.covariance_of_all.clone(),
            [item, judge, ..] => source.covariance_by_both(
                &item.covariance_of_all,
                &judge.covariance_of_all,
                &numbers_of(ClusterKind::Judge, units),
            ),
        };
        Self { cluster_kinds, joint_of_strengths: strength_block(fit, &joint), joint, fits }
    }

    /// The differences with the errors that these estimates find.
    fn contrasts(&self, base: &Contrasts) -> Contrasts {
        // The difference of estimates may be too small, or negative: each kind by itself is a lower bound.
        let mut covariances: Vec<&[f64]> = self.fits.iter().map(|cluster_fit| &cluster_fit.covariance[..]).collect();
        covariances.push(&self.joint_of_strengths);
        let effective: Vec<&[f64]> = self.fits.iter().map(|cluster_fit| &cluster_fit.effective[..]).collect();
        base.clustered(&covariances, &effective)
    }
}

/// The block of the strengths of covariances of all parameters.
fn strength_block(fit: &Fit, covariance: &[f64]) -> Vec<f64> {
    let (arms, size) = (fit.arms(), fit.size());
    (0..arms * arms).map(|at| covariance[at / arms * size + at % arms]).collect()
}

/// Only the contrasts that are needed to name the best of one group.
pub(crate) fn contrasts_of_best(source: &Source<'_>, settings: &Settings) -> Result<Contrasts, BoardError> {
    let model = strength_block(source.fit, &source.model_covariance());
    let base = Contrasts::of_best(source.fit.strengths(), &model, settings.alpha())?;
    Ok(ClusterCovariances::of(source, settings).contrasts(&base))
}

pub(crate) fn fit_accuracy(source: &Source<'_>, settings: &Settings, alpha: f64) -> Result<FitAccuracy, BoardError> {
    let fit = source.fit;
    let (arms, size) = (fit.arms(), fit.size());
    let covariance = source.model_covariance();
    let model = strength_block(fit, &covariance);
    let base = Contrasts::new(fit.strengths(), &model, alpha)?;
    let estimates = ClusterCovariances::of(source, settings);
    let contrasts = estimates.contrasts(&base);
    let cluster_fits = &estimates.fits;
    let look = settings.looks.look();
    let mut populations = Vec::new();
    for &(kind, count) in &estimates.cluster_kinds {
        let fit_of_kind = cluster_fits.iter().find(|cluster_fit| cluster_fit.kind == kind);
        let effective = fit_of_kind.map_or(count as f64, |cluster_fit| median_of_pairs(&cluster_fit.effective, arms));
        let too_few = fit_of_kind.filter(|_| effective < MIN_EFFECTIVE_CLUSTERS).and_then(|fit_of_kind| {
            let known_pairs = contrasts.known_pairs(look);
            let otherwise = match cluster_fits.iter().find(|cluster_fit| cluster_fit.kind != fit_of_kind.kind) {
                Some(cluster_fit) => base.clustered(&[&cluster_fit.covariance], &[&cluster_fit.effective]),
                None => base.clustered(&[&strength_block(fit, &source.covariance_by_unit())], &[]),
            };
            let otherwise = otherwise.known_pairs(look);
            (2 * known_pairs < otherwise).then_some((known_pairs, otherwise))
        });
        populations.push(Population { kind, count, effective, general: fit_of_kind.is_some(), too_few });
    }
    let clusters = match cluster_fits.iter().map(|cluster_fit| cluster_fit.kind).collect::<Vec<_>>()[..] {
        [] => Clusters::Units,
        [ClusterKind::Item] => Clusters::Item,
        [ClusterKind::Judge] => Clusters::Judge,
        _ => Clusters::Both,
    };
    let largest = |place: usize| {
        let diagonal = place * size + place;
        let by_kind = cluster_fits.iter().map(|cluster_fit| cluster_fit.covariance_of_all[diagonal]);
        by_kind.fold(estimates.joint[diagonal].max(covariance[diagonal]), f64::max)
    };
    let mut variances = vec![0.0; arms * arms];
    (0..arms).for_each(|arm| variances[arm * arms + arm] = largest(arm));
    let covariance = inflated_covariances(&model, &variances, arms);
    // Strengths have those of the covariances that everything else is made of.
    let variance = |place: usize| if place < arms { covariance[place * arms + place] } else { largest(place) };
    Ok(FitAccuracy {
        errors: (0..size).map(|place| libm::sqrt(variance(place).max(0.0))).collect(),
        covariance,
        contrasts,
        populations: Populations { clusters, populations },
    })
}

fn median_of_pairs(effective: &[f64], arms: usize) -> f64 {
    let mut pair_values: Vec<f64> = (0..arms).flat_map(|i| (0..i).map(move |j| effective[i * arms + j])).collect();
    pair_values.sort_by(f64::total_cmp);
    pair_values[pair_values.len() / 2]
}
