//! Anonymous features, as Yahoo's and Yandex's are: families of near-duplicates around hidden
//! factors, some of which follow relevance, some of which oppose it, most of which hardly care.
//!
//! Which feature plays which part depends on the data set's name alone, so that every scale and seed
//! has the same features.

use super::maker::Model;
use super::noise::{Noise, decimal, logistic};

/// What the anonymous features of one data set are like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Features {
    /// Key of the parts that features play; sets that share it share features.
    pub roles: &'static str,
    /// How many features there are, those that are always 0 included.
    pub count: usize,
    /// Places, in the shuffled order of features, of those that are always 0.
    pub zero: [usize; 2],
    /// Mean and standard deviation, over families, of the correlation with relevance.
    pub strength: [f64; 2],
    /// Mean and standard deviation, over families, of the correlation with what all share.
    pub common: [f64; 2],
    /// Share of families that have nothing to do with relevance.
    pub indifferent: f64,
    /// Share of features that are the same for all documents of a query.
    pub of_query: f64,
    /// Share of families that are absent from no query as a whole.
    pub everywhere: f64,
    /// Exponent of the share of documents that lack a feature: above 1 fewer do.
    pub density: f64,
    /// Share of features with 1, 3, 10, 100 and a million levels above 0.
    pub levels: &'static [f64],
    /// Mean and standard deviation of labels within queries.
    pub label: [f64; 2],
}

/// Features a family, on average.
const FAMILY_SIZE: usize = 8;

/// The part one feature plays.
#[derive(Debug, Clone, Copy)]
struct Role {
    zero: bool,
    of_query: bool,
    family: usize,
    /// Correlation with its family's factor.
    loading: f64,
    /// Share of documents, and of whole queries, that lack it.
    absent: [f64; 2],
    levels: f64,
    skew: Skew,
}

/// How a feature's values crowd: towards high ones, nowhere, or towards low ones.
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

/// A hidden factor: its correlation with relevance and with what all factors share.
#[derive(Debug, Clone, Copy)]
struct Family {
    strength: f64,
    common: f64,
    /// Share of documents, and of whole queries, that lack its features.
    absent: [f64; 2],
}

/// All features of a data set, each with its part.
#[derive(Debug, Default)]
pub(crate) struct Cast {
    roles: Vec<Role>,
    families: Vec<Family>,
    label: [f64; 2],
}

impl Features {
    pub(crate) fn cast(&self) -> Cast {
        let mut noise = Noise::keyed(self.roles, 0, 0);
        let families: Vec<Family> = (0..self.count.div_ceil(FAMILY_SIZE))
            .map(|_| {
                let strength = self.strength[0] + self.strength[1] * noise.normal();
                let strength = if noise.chance(self.indifferent) { 0.0 } else { strength.clamp(-0.3, 0.4) };
                let common = (self.common[0] + self.common[1] * noise.normal()).clamp(-0.6, 0.8);
                let everywhere = noise.chance(self.everywhere);
                let share = libm::pow(noise.uniform(), self.density);
                // At most 95%: every feature that is not always 0 is to be seen even in small sets.
                let whole = 0.95 * noise.uniform();
                Family { strength, common, absent: [0.97 * share, if everywhere { 0.0 } else { whole }] }
            })
            .collect();
        let mut roles: Vec<Role> = (0..self.count)
            .map(|_| {
                let family = noise.below(families.len());
                let apart = noise.uniform();
                // Most of a family are absent together; the others go their own way.
                let (faithful, wander, other) = (noise.chance(0.7), noise.normal(), noise.uniform());
                let [share, whole] = families[family].absent;
                let share = if faithful { (share + 0.03 * wander).clamp(0.0, 0.99) } else { 0.97 * other };
                Role {
                    zero: false,
                    of_query: noise.chance(self.of_query),
                    family,
                    loading: 1.0 - 0.25 * apart * apart * apart,
                    absent: [share, whole],
                    levels: [1.0, 3.0, 10.0, 100.0, 1e6][noise.pick(self.levels)],
                    skew: [Skew::High, Skew::Even, Skew::Low][noise.below(3)],
                }
            })
            .collect();
        // A shuffle says which are zero: `zero` then picks disjoint sets for sets that share roles.
        let mut order: Vec<usize> = (0..self.count).collect();
        for last in (1..self.count).rev() {
            order.swap(last, noise.below(last + 1));
        }
        for &feature in &order[self.zero[0]..self.zero[1]] {
            roles[feature].zero = true;
        }
        Cast { roles, families, label: self.label }
    }
}

/// What one query brings to anonymous features.
#[derive(Debug)]
pub(crate) struct Query<'a> {
    cast: &'a Cast,
    /// The value of features of the query, and 0 or not of the others.
    present: Vec<f64>,
    factors: Vec<f64>,
}

impl Cast {
    pub(crate) fn query(&self, noise: &mut Noise) -> Query<'_> {
        let there: Vec<f64> = self.families.iter().map(|_| noise.uniform()).collect();
        let present = self.roles.iter().map(|role| {
            let (there, value) = (there[role.family] >= role.absent[1], noise.uniform());
            match (role.zero, there) {
                (true, _) | (_, false) => 0.0,
                _ if role.of_query => decimal((value * role.levels).ceil().max(1.0) / role.levels).max(1e-6),
                _ => 1.0,
            }
        });
        Query { cast: self, present: present.collect(), factors: vec![0.0; self.families.len()] }
    }
}

impl Model for Query<'_> {
    fn document(&mut self, grade: usize, noise: &mut Noise, out: &mut [f64]) {
        let relevance = (grade as f64 - self.cast.label[0]) / self.cast.label[1];
        let common = noise.normal();
        for (factor, family) in self.factors.iter_mut().zip(&self.cast.families) {
            let rest = 1.0 - family.strength * family.strength - family.common * family.common;
            *factor = family.strength * relevance + family.common * common + rest.max(0.05).sqrt() * noise.normal();
        }
        for ((value, role), &present) in out.iter_mut().zip(&self.cast.roles).zip(&self.present) {
            if present == 0.0 || role.of_query {
                *value = present;
                continue;
            }
            let own = (1.0 - role.loading * role.loading).sqrt() * noise.normal();
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
