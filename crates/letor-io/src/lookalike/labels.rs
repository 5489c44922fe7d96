//! Labels and numbers of documents, query by query.

use super::noise::Noise;

/// How many documents a query has.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Documents {
    /// Log-normal with this mean and spread (standard deviation of the logarithm), within bounds.
    LogNormal { mean: f64, spread: f64, bounds: [usize; 2] },
    /// Most queries have about eight, the others a long tail.
    ShortOrLong { short: f64, mean: f64, spread: f64, bounds: [usize; 2] },
    /// A pool cut at its limit; this share of queries falls short of it.
    Pool { limit: usize, short: f64 },
}

impl Documents {
    pub(crate) fn draw(&self, noise: &mut Noise) -> usize {
        let log_normal = |noise: &mut Noise, mean: f64, spread: f64, bounds: [usize; 2]| {
            let count = noise.log_normal(libm::log(mean) - spread * spread / 2.0, spread);
            (count.round() as usize).clamp(bounds[0], bounds[1])
        };
        match *self {
            Self::LogNormal { mean, spread, bounds } => log_normal(noise, mean, spread, bounds),
            Self::ShortOrLong { short, mean, spread, bounds } => {
                if noise.chance(short) {
                    6 + noise.pick(&[0.06, 0.27, 0.67])
                } else {
                    log_normal(noise, mean, spread, bounds)
                }
            }
            Self::Pool { limit, short } => {
                if noise.chance(short) {
                    (limit as f64 * (0.1 + 0.9 * noise.uniform())).round() as usize
                } else {
                    limit
                }
            }
        }
    }
}

/// How a query's documents are judged.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Labels {
    /// Grades by thresholds on a normal score, part of which all documents of a query share.
    Graded {
        /// Share of documents with label 0, 1, 2, ...
        shares: &'static [f64],
        /// Correlation of the scores of two documents of one query.
        shared: f64,
        /// Share of queries without a relevant document beyond those that the thresholds leave so.
        barren: f64,
        /// Share of labels that are means over assessors who disagreed.
        fractional: f64,
    },
    /// Known-item search: this share of queries has 0, 1, 2 documents of label 1.
    KnownItem { shares: &'static [f64] },
}

/// One document's judgement: the grade that drives its features, and the label it is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Judgement {
    pub grade: usize,
    pub label: f32,
}

impl Labels {
    /// Judgements of `count` documents of one query.
    pub(crate) fn draw(&self, count: usize, noise: &mut Noise) -> Vec<Judgement> {
        match *self {
            Self::Graded { shares, shared, barren, fractional } => {
                let thresholds = thresholds(shares);
                let common = shared.sqrt() * noise.normal();
                let barren = noise.chance(barren);
                let judge = |_| {
                    let score = common + (1.0 - shared).sqrt() * noise.normal();
                    let grade = thresholds.iter().filter(|&&threshold| score > threshold).count();
                    let grade = if barren { 0 } else { grade };
                    let label = if !barren && fractional > 0.0 && noise.chance(fractional) {
                        disagreement(grade, shares.len() - 1, noise)
                    } else {
                        grade as f32
                    };
                    Judgement { grade, label }
                };
                (0..count).map(judge).collect()
            }
            Self::KnownItem { shares } => {
                let mut judgements = vec![Judgement { grade: 0, label: 0.0 }; count];
                let relevant = noise.pick(shares);
                for _ in 0..relevant {
                    judgements[noise.below(count)] = Judgement { grade: 1, label: 1.0 };
                }
                judgements
            }
        }
    }
}

/// The mean label of two to four assessors, some of whom gave `grade` and some a neighbouring one,
/// to five decimals.
fn disagreement(grade: usize, highest: usize, noise: &mut Noise) -> f32 {
    let assessors = 2 + noise.pick(&[0.65, 0.15, 0.20]);
    let others = 1 + noise.below(assessors - 1);
    let part = others as f64 / assessors as f64;
    let up = grade == 0 || grade < highest && noise.chance(0.5);
    let mean = if up { grade as f64 + part } else { grade as f64 - part };
    ((mean * 1e5).round() / 1e5) as f32
}

/// Where a standard normal must be cut to give the shares.
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
    fn disagreeing_assessors_leave_fractions_between_grades() {
        let mut noise = Noise::keyed("test", 1, 0);
        for grade in 0..=4 {
            for _ in 0..100 {
                let label = disagreement(grade, 4, &mut noise);
                assert!((0.0..=4.0).contains(&label));
                assert!((label - grade as f32).abs() < 1.0 && label.fract() != 0.0);
            }
        }
    }
}
