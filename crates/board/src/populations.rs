//! The populations that statements of a board are about: judges and items in general, or those of the table alone.
//!
//! Judgements of one judge resemble each other, and so do those on one item. If judges are a sample of those who might have judged, errors
//! are clustered by judge, and statements hold for the population. A few judges show hardly anything about judges in general, however much
//! they judge. Fewer than [`Clusters::MIN_COUNT`] are taken as given, unless requested: then statements are about them alone.

use crate::correction::Correction;
use crate::settings::{Clusters, Settings};
use crate::text::count;
use crate::units::Unit;
use crate::{BoardError, Judgement, Table};
use ranktypes::text::with_separators;
use serde::Serialize;
use statistics::bradley_terry::{Comparison, Contrasts, Fit, Point, inflated, two_way};

/// The kind of a cluster: what its judgements share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterKind {
    /// An item: a prompt, a query.
    Item,
    /// A judge.
    Judge,
}

impl ClusterKind {
    pub(crate) fn of(self, unit: &Unit) -> Option<u32> {
        match self {
            Self::Item => unit.item,
            Self::Judge => unit.judge,
        }
    }

    fn named_by(self, judgement: &Judgement) -> Option<u32> {
        match self {
            Self::Item => judgement.item,
            Self::Judge => judgement.judge,
        }
    }

    /// `item` and `items`, or `judge` and `judges`.
    pub(crate) fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Item => ("item", "items"),
            Self::Judge => ("judge", "judges"),
        }
    }
}

/// The judges, or the items, of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Population {
    /// The kind.
    pub kind: ClusterKind,
    /// The number of named ones; judgements that name none share one more, which is not counted.
    pub count: u64,
    /// The effective number at equal weights, 1 to `count`: the median over pairs of competitors.
    pub effective: f64,
    /// Whether statements are about the population they come from; otherwise they are about these alone.
    pub general: bool,
    /// If `general`, and there are too few: how many pairs are known, at the look of the headline, and how many would be if statements were
    /// about these alone.
    pub too_few: Option<(usize, usize)>,
}

/// The populations that statements of a board are about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Populations {
    /// The clusters in use; never `Auto`.
    pub(crate) clusters: Clusters,
    /// The population of each kind that the table names.
    pub(crate) populations: Vec<Population>,
}

impl Populations {
    /// The kinds of clusters that are taken as independent.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = ClusterKind> {
        self.populations.iter().filter(|population| population.general).map(|population| population.kind)
    }

    /// Which judgements of `table` name no item or no judge although others do, in sentences.
    pub(crate) fn missing_names_note(&self, table: &Table) -> Vec<String> {
        let sentence = |population: &Population| {
            let (noun, _) = population.kind.nouns();
            let which = match table.judgements.iter().filter(|row| population.kind.named_by(row).is_none()).count() {
                0 => return None,
                1 => format!("1 judgement names no {noun}: it counts as that of"),
                several => {
                    format!("{} judgements name no {noun}: they count as those of", with_separators(several as u64))
                }
            };
            Some(format!("{which} one unknown {noun}, who is not among the {}.", population.count))
        };
        self.populations.iter().filter_map(sentence).collect()
    }

    /// The populations with too few members to generalise, in sentences.
    pub(crate) fn too_few_note(&self, look: &str) -> Vec<String> {
        let other_kind_text = |kind: ClusterKind| {
            let other_kind = self.kinds().find(|other_kind| *other_kind != kind);
            other_kind.map_or_else(
                || format!("for these {} alone", kind.nouns().1),
                |other_kind| format!("by {}", other_kind.nouns().0),
            )
        };
        let sentence = |population: &Population| {
            let (singular, plural) = population.kind.nouns();
            let (known_pairs, otherwise_known) = population.too_few?;
            let worth = if population.effective < 0.8 * population.count as f64 {
                format!(", worth {:.0} of equal weight,", population.effective)
            } else {
                String::new()
            };
            let are = if population.count == 1 { "is" } else { "are" };
            Some(format!(
                "{}{worth} {are} too few to speak of {plural} in general (pairs in a known order at {look}: {known_pairs}; {}: {otherwise_known}).",
                count(population.count, singular, plural),
                other_kind_text(population.kind)
            ))
        };
        self.populations.iter().filter_map(sentence).collect()
    }

    /// The population that statements are about, in words.
    pub(crate) fn generality_note(&self) -> String {
        let populations_of = |general: bool| {
            let of_generality = self.populations.iter().filter(|population| population.general == general);
            of_generality.map(|population| (population.count, population.kind.nouns())).collect::<Vec<_>>()
        };
        let sample: Vec<String> = populations_of(true).iter().map(|(_, nouns)| nouns.1.to_owned()).collect();
        let fixed: Vec<String> =
            populations_of(false).iter().map(|(number, nouns)| count(*number, nouns.0, nouns.1)).collect();
        let mut text = if sample.is_empty() {
            "Statements are about further units like these".to_owned()
        } else {
            format!("Statements are about {} in general, of whom those of the table are a sample", sample.join(" and "))
        };
        if !fixed.is_empty() {
            text += &format!(
                ", {} the {} of the table alone",
                if sample.is_empty() { "of" } else { "and about" },
                fixed.join(" and ")
            );
        }
        text + "."
    }
}

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
    fn by_unit(&self) -> Vec<f64> {
        let unit_sandwich = || self.fit.sandwich(self.comparisons, None, true);
        self.correction.map_or_else(unit_sandwich, Correction::by_question)
    }

    /// Covariances by clusters of a kind, given their numbers.
    fn by_kind(&self, kind: ClusterKind, numbers: &[u32]) -> Vec<f64> {
        match (self.correction, kind) {
            (None, _) => self.fit.sandwich(self.comparisons, Some(numbers), true),
            (Some(correction), ClusterKind::Item) => correction.by_item(),
            (Some(correction), ClusterKind::Judge) => correction.by_judge(numbers),
        }
    }

    /// Covariances by both kinds, from those by items and by judges, and the numbers of judges.
    fn by_both(&self, item: &[f64], judge: &[f64], judges: &[u32]) -> Vec<f64> {
        let (item_and_judge, _) = numbered(self.units, |unit| Some((unit.item, unit.judge)));
        match self.correction {
            None => two_way(item, judge, &self.fit.sandwich(self.comparisons, Some(&item_and_judge), true)),
            Some(correction) => correction.by_both(item, judges, &item_and_judge),
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
                let covariance = source.by_kind(kind, &numbers);
                // Units without a name are not one more known cluster.
                let mut effective = fit.effective_clusters(comparisons, &numbers);
                effective.iter_mut().for_each(|value| *value = value.min(count as f64));
                fits.push(ClusterFit {
                    kind,
                    covariance: of_strengths(fit, &covariance),
                    covariance_of_all: covariance,
                    effective,
                });
            }
        }
        let joint = match &fits[..] {
            [] => source.by_unit(),
            [one] => one.covariance_of_all.clone(),
            [item, judge, ..] => source.by_both(
                &item.covariance_of_all,
                &judge.covariance_of_all,
                &numbers_of(ClusterKind::Judge, units),
            ),
        };
        Self { cluster_kinds, joint_of_strengths: of_strengths(fit, &joint), joint, fits }
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
fn of_strengths(fit: &Fit, covariance: &[f64]) -> Vec<f64> {
    let (arms, size) = (fit.arms(), fit.size());
    (0..arms * arms).map(|at| covariance[at / arms * size + at % arms]).collect()
}

/// Only the contrasts that are needed to name the best of one group.
pub(crate) fn contrasts_of_best(source: &Source<'_>, settings: &Settings) -> Result<Contrasts, BoardError> {
    let model = of_strengths(source.fit, &source.model_covariance());
    let base = Contrasts::of_best(source.fit.strengths(), &model, settings.alpha())?;
    Ok(ClusterCovariances::of(source, settings).contrasts(&base))
}

pub(crate) fn fit_accuracy(source: &Source<'_>, settings: &Settings, alpha: f64) -> Result<FitAccuracy, BoardError> {
    let fit = source.fit;
    let (arms, size) = (fit.arms(), fit.size());
    let covariance = source.model_covariance();
    let model = of_strengths(fit, &covariance);
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
                None => base.clustered(&[&of_strengths(fit, &source.by_unit())], &[]),
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
    let covariance = inflated(&model, &variances, arms);
    // Strengths have those of the covariances that everything else is made of.
    let variance = |place: usize| if place < arms { covariance[place * arms + place] } else { largest(place) };
    Ok(FitAccuracy {
        errors: (0..size).map(|place| libm::sqrt(variance(place).max(0.0))).collect(),
        covariance,
        contrasts,
        populations: Populations { clusters, populations },
    })
}

/// Numbers of clusters, and how many have a name. Units without a name form one more cluster, the last: it may be one or
/// several.
fn numbered<K: Ord + Copy>(units: &[Unit], key: impl Fn(&Unit) -> Option<K>) -> (Vec<u32>, u64) {
    let mut keys: Vec<K> = units.iter().filter_map(&key).collect();
    keys.sort_unstable();
    keys.dedup();
    let number = |unit| key(unit).map_or(keys.len(), |key| keys.partition_point(|other| *other < key)) as u32;
    (units.iter().map(number).collect(), keys.len() as u64)
}

/// By kind, the numbers of the clusters of all units.
pub(crate) fn numbers_of(kind: ClusterKind, units: &[Unit]) -> Vec<u32> {
    numbered(units, |unit| kind.of(unit)).0
}

fn median_of_pairs(effective: &[f64], arms: usize) -> f64 {
    let mut pair_values: Vec<f64> = (0..arms).flat_map(|i| (0..i).map(move |j| effective[i * arms + j])).collect();
    pair_values.sort_by(f64::total_cmp);
    pair_values[pair_values.len() / 2]
}
