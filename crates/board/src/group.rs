//! The fit of one group of competitors that judgements connect.

use crate::posterior::Posterior;
use crate::settings::{Clusters, Settings, TieModel};
use crate::units::Unit;
use crate::{BoardError, Order};
use statistics::StatisticsError;
use statistics::bradley_terry::{
    Comparison, Fit, MaxT, Options, Sequential, Statements, Ties, cells, inflated, position_is_determined, two_way,
    unbeaten,
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
    pub(crate) clusters: Clusters,
    /// The number of clusters of the coarsest clustering.
    pub(crate) cluster_count: Option<u64>,
    pub(crate) position_error: Option<f64>,
    /// Members that nobody outside of them ever beat, if there are any.
    pub(crate) unbeaten: Vec<usize>,
    /// Whether the order of answers was known, but cannot be distinguished from names.
    pub(crate) confounded: bool,
    pub(crate) posterior: Posterior,
    pub(crate) max_t: MaxT,
    pub(crate) statements: Option<Statements>,
}

impl GroupFit {
    /// `alpha` is what this group may spend on statements.
    pub(crate) fn of(
        members: Vec<usize>,
        units: Vec<Unit>,
        order: Order,
        settings: &Settings,
        alpha: f64,
        unordered: bool,
    ) -> Result<Self, BoardError> {
        let comparisons: Vec<Comparison> = units.iter().map(|unit| unit.comparison).collect();
        let fit = fitted(members.len(), &comparisons, settings.ties.model())?;
        let (covariance, found, clusters, cluster_count, position_error) =
            covariances(&fit, &comparisons, &units, settings);
        let freedom = cluster_count.map(|count| count.saturating_sub(1).max(1));
        let posterior = Posterior::of(fit.strengths(), &covariance);
        let max_t = MaxT::new(fit.strengths(), &covariance, freedom, alpha)?.at_least(&found);
        let all = cells(&comparisons);
        let confounded = order == Order::Shown
            && all.iter().any(|cell| cell.position != 0.0)
            && !position_is_determined(members.len(), &all);
        let unbeaten = unbeaten(members.len(), &all).unwrap_or_default();
        let statements = settings.every_look.then(|| every_look(&fit, &comparisons, alpha, unordered)).flatten();
        Ok(Self {
            members,
            units,
            fit,
            ties: settings.ties,
            covariance,
            clusters,
            cluster_count,
            position_error,
            unbeaten,
            confounded,
            posterior,
            max_t,
            statements,
        })
    }

    /// The member with the largest probability of being the best.
    pub(crate) fn leader(&self) -> usize {
        leader(&self.posterior.best, self.fit.strengths())
    }
}

/// The competitor with the largest probability of being the best; of several, the strongest.
pub(crate) fn leader(best: &[f64], strengths: &[f64]) -> usize {
    let by = |a: &usize, b: &usize| {
        best[*a].total_cmp(&best[*b]).then(strengths[*a].total_cmp(&strengths[*b])).then(b.cmp(a))
    };
    (0..best.len()).max_by(by).expect("a group has members")
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

/// Numbers of clusters, and how many there are; what has no name is a cluster of its own.
fn numbered<K: Ord + Copy>(units: &[Unit], key: impl Fn(&Unit) -> Option<K>) -> (Vec<u32>, u64) {
    let mut known: Vec<K> = units.iter().filter_map(&key).collect();
    known.sort_unstable();
    known.dedup();
    let mut next = known.len() as u32;
    let numbers = units
        .iter()
        .map(|unit| match key(unit) {
            Some(key) => known.partition_point(|other| *other < key) as u32,
            None => {
                next += 1;
                next - 1
            }
        })
        .collect();
    (numbers, u64::from(next))
}

/// Covariances of the strengths, those that the clusters found, the clusters that were used and how many there are, and the position's standard error.
fn covariances(
    fit: &Fit,
    comparisons: &[Comparison],
    units: &[Unit],
    settings: &Settings,
) -> (Vec<f64>, Vec<f64>, Clusters, Option<u64>, Option<f64>) {
    let by_item = numbered(units, |unit| unit.item);
    let by_judge = numbered(units, |unit| unit.judge);
    let named = |key: fn(&Unit) -> Option<u32>| units.iter().any(|unit| key(unit).is_some());
    let enough = |there: bool, count: u64| there && count >= Clusters::ENOUGH as u64;
    let clusters = match settings.clusters {
        Clusters::Auto => {
            match (enough(named(|unit| unit.item), by_item.1), enough(named(|unit| unit.judge), by_judge.1)) {
                (true, true) => Clusters::Both,
                (true, false) => Clusters::Item,
                (false, true) => Clusters::Judge,
                (false, false) => Clusters::Units,
            }
        }
        asked => asked,
    };
    let by = |numbers: &[u32]| fit.sandwich(comparisons, Some(numbers), true);
    let (found, count) = match clusters {
        Clusters::Auto | Clusters::Units => (fit.sandwich(comparisons, None, true), None),
        Clusters::Item => (by(&by_item.0), Some(by_item.1)),
        Clusters::Judge => (by(&by_judge.0), Some(by_judge.1)),
        Clusters::Both => {
            let (both, _) = numbered(units, |unit| Some((unit.item?, unit.judge?)));
            (two_way(&by(&by_item.0), &by(&by_judge.0), &by(&both)), Some(by_item.1.min(by_judge.1)))
        }
    };
    let (arms, size) = (fit.arms(), fit.size());
    let strengths =
        |full: &[f64]| -> Vec<f64> { (0..arms * arms).map(|at| full[at / arms * size + at % arms]).collect() };
    let model = fit.model_covariance();
    let position_error =
        fit.position_place().map(|place| libm::sqrt(found[place * size + place].max(model[place * size + place])));
    let found = strengths(&found);
    (inflated(&strengths(model), &found, arms), found, clusters, count, position_error)
}

/// Judgements that count several times are put into an order by a shuffle, up to this many.
const MOST_SHUFFLED: u64 = 200_000;

/// What holds at every look; nothing if the order of judgements is unknown and they are too many to shuffle.
fn every_look(fit: &Fit, comparisons: &[Comparison], alpha: f64, unordered: bool) -> Option<Statements> {
    let arms = fit.arms();
    let mut sequential = Sequential::new(arms, fit.ties());
    if unordered {
        // Tables may be sorted by winner, and wins that stand together in a row of counts did not come together. If pairs were not
        // chosen by outcomes, every order of judgements is as good as any other, as long as it does not depend on them.
        if comparisons.iter().map(|comparison| comparison.copies).sum::<u64>() > MOST_SHUFFLED {
            return None;
        }
        let mut order: Vec<usize> = comparisons
            .iter()
            .enumerate()
            .flat_map(|(at, comparison)| std::iter::repeat_n(at, comparison.copies as usize))
            .collect();
        let mut draws = statistics::Normals::from_seed(0x73_6875_6666);
        for last in (1..order.len()).rev() {
            order.swap(last, draws.below(last + 1));
        }
        order.iter().for_each(|at| sequential.record(&Comparison { copies: 1, ..comparisons[*at] }));
    } else {
        comparisons.iter().for_each(|comparison| sequential.record(comparison));
    }
    // A fit costs about the number of pairs and the cube of that of arms.
    let cost = (comparisons.len().min(arms * arms) * 60 + arms * arms * arms / 2) as u64;
    Some(sequential.statements(alpha, (3_000_000_000 / cost.max(1)).max(200) as usize))
}
