//! Draws the number of documents of a query and their labels.

use super::keyed_rng::KeyedRng;

/// The distribution of the number of documents per query.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DocumentCount {
    /// Log-normal with the given mean and spread (standard deviation of the logarithm), clamped to the bounds.
    LogNormal { mean: f64, spread: f64, bounds: [usize; 2] },
    /// About eight for a share `short` of the queries, otherwise log-normal.
    ShortOrLong { short: f64, mean: f64, spread: f64, bounds: [usize; 2] },
    /// The limit of the pool, except for a share `short` of the queries, which have fewer.
    Pool { limit: usize, short: f64 },
}

impl DocumentCount {
    pub(crate) fn draw(&self, rng: &mut KeyedRng) -> usize {
        let log_normal = |rng: &mut KeyedRng, mean: f64, spread: f64, bounds: [usize; 2]| {
            let count = rng.log_normal(libm::log(mean) - spread * spread / 2.0, spread);
            (count.round() as usize).clamp(bounds[0], bounds[1])
        };
        match *self {
            Self::LogNormal { mean, spread, bounds } => log_normal(rng, mean, spread, bounds),
            Self::ShortOrLong { short, mean, spread, bounds } => {
                if rng.chance(short) {
                    6 + rng.pick(&[0.06, 0.27, 0.67])
                } else {
                    log_normal(rng, mean, spread, bounds)
                }
            }
            Self::Pool { limit, short } => {
                if rng.chance(short) {
                    (limit as f64 * (0.1 + 0.9 * rng.uniform())).round() as usize
                } else {
                    limit
                }
            }
        }
    }
}

/// The distribution of the labels of a query's documents.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Labels {
    /// Grades by thresholds on a normal score; part of it is common to all documents of a query.
    Graded {
        /// Share of documents with label 0, 1, 2, ...
        shares: &'static [f64],
        /// Correlation of the scores of two documents of one query.
        within_query: f64,
        /// Share of queries without a relevant document, in addition to those that have none by chance.
        without_relevant: f64,
        /// Share of labels that are means over disagreeing assessors.
        fractional: f64,
    },
    /// Known-item search: `shares` of the queries with 0, 1, 2 documents of label 1.
    KnownItem { shares: &'static [f64] },
}

/// The judgement of one document: the grade that determines its features, and its label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Judgement {
    pub grade: usize,
    pub label: f32,
}

impl Labels {
    /// Judgements of `count` documents of one query.
    pub(crate) fn draw(&self, count: usize, rng: &mut KeyedRng) -> Vec<Judgement> {
        match *self {
            Self::Graded { shares, within_query, without_relevant, fractional } => {
                let thresholds = thresholds(shares);
                let common = within_query.sqrt() * rng.normal();
                let is_without_relevant = rng.chance(without_relevant);
                let judge = |_| {
                    let score = common + (1.0 - within_query).sqrt() * rng.normal();
                    let grade = thresholds.iter().filter(|&&threshold| score > threshold).count();
                    let grade = if is_without_relevant { 0 } else { grade };
                    let label = if !is_without_relevant && fractional > 0.0 && rng.chance(fractional) {
                        disagreement(grade, shares.len() - 1, rng)
                    } else {
                        grade as f32
                    };
                    Judgement { grade, label }
                };
                (0..count).map(judge).collect()
            }
            Self::KnownItem { shares } => {
                let mut judgements = vec![Judgement { grade: 0, label: 0.0 }; count];
                let relevant = rng.pick(shares);
                for _ in 0..relevant {
                    judgements[rng.below(count)] = Judgement { grade: 1, label: 1.0 };
                }
                judgements
            }
        }
    }
}

/// The mean label of two to four assessors, rounded to five decimals: some chose `grade`, the others a neighbouring
/// grade.
fn disagreement(grade: usize, highest: usize, rng: &mut KeyedRng) -> f32 {
    let assessors = 2 + rng.pick(&[0.65, 0.15, 0.20]);
    let others = 1 + rng.below(assessors - 1);
    let part = others as f64 / assessors as f64;
    let up = grade == 0 || grade < highest && rng.chance(0.5);
    let mean = if up { grade as f64 + part } else { grade as f64 - part };
    ((mean * 1e5).round() / 1e5) as f32
}

/// The thresholds on a standard normal score that give the shares.
fn thresholds(shares: &[f64]) -> Vec<f64> {
    let mut below = 0.0;
    shares[..shares.len() - 1]
        .iter()
        .map(|share| {
            below += share;
            quantile(below)
        })
        .collect()
}

/// Quantile of the standard normal, by bisection.
fn quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if 0.5 * libm::erfc(-middle * std::f64::consts::FRAC_1_SQRT_2) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_give_the_shares() {
        let cuts = thresholds(&[0.5, 0.341_344_746, 0.158_655_254]);
        assert!(cuts[0].abs() < 1e-12);
        assert!((cuts[1] - 1.0).abs() < 1e-7);
    }

    #[test]
    fn disagreeing_assessors_give_fractional_labels() {
        let mut rng = KeyedRng::keyed("test", 1, 0);
        for grade in 0..=4 {
            for _ in 0..100 {
                let label = disagreement(grade, 4, &mut rng);
                assert!((0.0..=4.0).contains(&label));
                assert!((label - grade as f32).abs() < 1.0 && label.fract() != 0.0);
            }
        }
    }
}
