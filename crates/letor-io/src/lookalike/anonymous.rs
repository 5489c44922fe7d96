//! Anonymous features, like Yahoo's and Yandex's: families of near-duplicates of hidden factors. Some factors follow
//! relevance, some oppose it, and most hardly depend on it.
//!
//! The role of each feature depends only on the name of the data set, so that every scale and seed has the same
//! features.

use super::keyed_rng::{KeyedRng, decimal, logistic};
use super::model::Model;

/// The properties of the anonymous features of one data set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnonymousFeatures {
    /// The key of the features' roles; sets with the same key share their features.
    pub role_key: &'static str,
    /// The number of features, including those that are always 0.
    pub count: usize,
    /// The range, in the shuffled order of features, of those that are always 0.
    pub zero: [usize; 2],
    /// Mean and standard deviation, over families, of the correlation with relevance.
    pub strength: [f64; 2],
    /// Mean and standard deviation, over families, of the correlation with the common factor.
    pub common: [f64; 2],
    /// Share of families that do not depend on relevance.
    pub indifferent: f64,
    /// Share of features that are the same for all documents of a query.
    pub of_query: f64,
    /// Share of families that are not absent from any whole query.
    pub everywhere: f64,
    /// Exponent of the share of documents without a feature: above 1, fewer documents lack features.
    pub density: f64,
    /// Share of features with 1, 3, 10, 100 and a million levels above 0.
    pub levels: &'static [f64],
    /// Mean and standard deviation of labels within queries.
    pub label: [f64; 2],
}

/// The mean number of features per family.
const FAMILY_SIZE: usize = 8;

/// The role of one feature.
#[derive(Debug, Clone, Copy)]
struct Role {
    zero: bool,
    of_query: bool,
    family: usize,
    /// Correlation with the factor of its family.
    loading: f64,
    /// Share of documents, and of whole queries, without it.
    absent: [f64; 2],
    levels: f64,
    skew: Skew,
}

/// Whether the values of a feature concentrate at high values, nowhere, or at low values.
#[derive(Debug, Clone, Copy)]
enum Skew {
    High,
    Even,
    Low,
}

impl Skew {
    fn apply(self, x: f64) -> f64 {
        match self {
            Self::High => x.sqrt(),
            Self::Even => x,
            Self::Low => x * x * x,
        }
    }
}

/// A hidden factor, with its correlations with relevance and with the common factor.
#[derive(Debug, Clone, Copy)]
struct Family {
    strength: f64,
    common: f64,
    /// Share of documents, and of whole queries, without its features.
    absent: [f64; 2],
}

/// The roles of all features of a data set.
#[derive(Debug, Default)]
pub(crate) struct FeatureRoles {
    roles: Vec<Role>,
    families: Vec<Family>,
    label: [f64; 2],
}

impl AnonymousFeatures {
    pub(crate) fn roles(&self) -> FeatureRoles {
        let mut rng = KeyedRng::keyed(self.role_key, 0, 0);
        let families: Vec<Family> = (0..self.count.div_ceil(FAMILY_SIZE))
            .map(|_| {
                let strength = self.strength[0] + self.strength[1] * rng.normal();
                let strength = if rng.chance(self.indifferent) { 0.0 } else { strength.clamp(-0.3, 0.4) };
                let common = (self.common[0] + self.common[1] * rng.normal()).clamp(-0.6, 0.8);
                let everywhere = rng.chance(self.everywhere);
                let share = libm::pow(rng.uniform(), self.density);
                // At most 95%, so that every feature that is not always 0 occurs even in small sets.
                let whole = 0.95 * rng.uniform();
                Family { strength, common, absent: [0.97 * share, if everywhere { 0.0 } else { whole }] }
            })
            .collect();
        let mut roles: Vec<Role> = (0..self.count)
            .map(|_| {
                let family = rng.below(families.len());
                let apart = rng.uniform();
                // Most features of a family are absent together; the others are independent.
                let (faithful, wander, other) = (rng.chance(0.7), rng.normal(), rng.uniform());
                let [share, whole] = families[family].absent;
                let share = if faithful { (share + 0.03 * wander).clamp(0.0, 0.99) } else { 0.97 * other };
                Role {
                    zero: false,
                    of_query: rng.chance(self.of_query),
                    family,
                    loading: 1.0 - 0.25 * apart * apart * apart,
                    absent: [share, whole],
                    levels: [1.0, 3.0, 10.0, 100.0, 1e6][rng.pick(self.levels)],
                    skew: [Skew::High, Skew::Even, Skew::Low][rng.below(3)],
                }
            })
            .collect();
        // `zero` is a range of a shuffled order, so that sets with the same roles can have disjoint zeros.
        let mut order: Vec<usize> = (0..self.count).collect();
        for last in (1..self.count).rev() {
            order.swap(last, rng.below(last + 1));
        }
        for &feature in &order[self.zero[0]..self.zero[1]] {
            roles[feature].zero = true;
        }
        FeatureRoles { roles, families, label: self.label }
    }
}

/// The properties of one query that anonymous features depend on.
#[derive(Debug)]
pub(crate) struct Query<'a> {
    roles: &'a FeatureRoles,
    /// For features of the query: the value. For other features: not 0 if they are present.
    present: Vec<f64>,
    factors: Vec<f64>,
}

impl FeatureRoles {
    pub(crate) fn query(&self, rng: &mut KeyedRng) -> Query<'_> {
        let present: Vec<f64> = self.families.iter().map(|_| rng.uniform()).collect();
        let values = self.roles.iter().map(|role| {
            let (present, value) = (present[role.family] >= role.absent[1], rng.uniform());
            match (role.zero, present) {
                (true, _) | (_, false) => 0.0,
                _ if role.of_query => decimal((value * role.levels).ceil().max(1.0) / role.levels).max(1e-6),
                _ => 1.0,
            }
        });
        Query { roles: self, present: values.collect(), factors: vec![0.0; self.families.len()] }
    }
}

impl Model for Query<'_> {
    fn document(&mut self, grade: usize, rng: &mut KeyedRng, out: &mut [f64]) {
        let relevance = (grade as f64 - self.roles.label[0]) / self.roles.label[1];
        let common = rng.normal();
        for (factor, family) in self.factors.iter_mut().zip(&self.roles.families) {
            let rest = 1.0 - family.strength * family.strength - family.common * family.common;
            *factor = family.strength * relevance + family.common * common + rest.max(0.05).sqrt() * rng.normal();
        }
        for ((value, role), &present) in out.iter_mut().zip(&self.roles.roles).zip(&self.present) {
            if present == 0.0 || role.of_query {
                *value = present;
                continue;
            }
            let own = (1.0 - role.loading * role.loading).sqrt() * rng.normal();
            let rank = logistic(1.702 * (role.loading * self.factors[role.family] + own));
            let absent = role.absent[0];
            *value = if rank <= absent {
                0.0
            } else {
                let level = ((rank - absent) / (1.0 - absent) * role.levels).ceil() / role.levels;
                decimal(role.skew.apply(level)).max(1e-6)
            };
        }
    }
}
