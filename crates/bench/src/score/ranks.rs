//! Mean ranks, the intervals of their runs, and critical differences.

use bandits::Generator;
use bandits::random::below;
use rand::SeedableRng as _;

use super::summary;
use crate::results::RunValues;
use crate::track::Measure;

/// Bootstrap samples.
const SAMPLES: usize = 200;
/// The seed of the bootstrap.
const SEED: u64 = 1;

/// The ranks of all entries.
pub(super) struct Ranked {
    /// The mean rank of each entry.
    pub(super) mean: Vec<f64>,
    /// Between the 2.5% and the 97.5% quantile of the bootstrap, around the mean rank.
    pub(super) intervals: Vec<(f64, f64)>,
    by_measure: Vec<Vec<Option<f64>>>,
}

impl Ranked {
    pub(super) fn of(values: &[&RunValues], measures: &[Measure], runs: usize) -> Self {
        let all: Vec<usize> = (0..runs).collect();
        let problems = values.first().map_or(0, |of| of.len());
        let draws: Vec<Vec<usize>> = vec![all; problems];
        let exact = mean_ranks(values, measures, &draws);
        let mut generator = Generator::seed_from_u64(SEED);
        let mut samples: Vec<Vec<f64>> = vec![Vec::with_capacity(SAMPLES); values.len()];
        for _ in 0..SAMPLES {
            let draw = |_: usize| (0..runs).map(|_| below(&mut generator, runs)).collect();
            let draws: Vec<Vec<usize>> = (0..problems).map(draw).collect();
            for (sample, rank) in samples.iter_mut().zip(overall(&mean_ranks(values, measures, &draws))) {
                sample.push(rank);
            }
        }
        let mean = overall(&exact);
        // Noise moves ranks towards the middle, in samples more than in what was measured: deviations count from the mean of the samples.
        // A sample of few runs deviates too little.
        let scale = if runs > 1 { (runs as f64 / (runs - 1) as f64).sqrt() } else { 1.0 };
        let interval = |(mut sample, at): (Vec<f64>, &f64)| {
            let middle = sample.iter().sum::<f64>() / SAMPLES as f64;
            sample.sort_by(f64::total_cmp);
            let [low, high] =
                [SAMPLES / 40, SAMPLES - 1 - SAMPLES / 40].map(|place| at + scale * (sample[place] - middle));
            (low.min(*at), high.max(*at))
        };
        Self {
            intervals: samples.into_iter().zip(&mean).map(interval).collect(),
            mean,
            by_measure: exact.into_iter().map(|of| of.into_iter().map(Sum::mean).collect()).collect(),
        }
    }

    /// The mean rank of an entry by a measure.
    pub(super) fn of_measure(&self, entry: usize, measure: usize) -> Option<f64> {
        self.by_measure[entry][measure]
    }
}

/// A sum of ranks.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    sum: f64,
    count: u32,
}

impl Sum {
    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// Per entry and measure the ranks over problems, from these runs of each problem.
fn mean_ranks(values: &[&RunValues], measures: &[Measure], draws: &[Vec<usize>]) -> Vec<Vec<Sum>> {
    let mut sums = vec![vec![Sum::default(); measures.len()]; values.len()];
    for (problem, draw) in draws.iter().enumerate() {
        for (place, measure) in measures.iter().enumerate() {
            let of = |entry: &&RunValues| {
                let runs = entry[problem][place].as_ref()?;
                let drawn: Vec<f64> = draw.iter().map(|&run| runs[run]).collect();
                let value = summary(measure.summary, &drawn);
                Some(if measure.more_is_better { -value } else { value })
            };
            let Some(found) = values.iter().map(of).collect::<Option<Vec<f64>>>() else { continue };
            for (entry, rank) in ranks(&found).into_iter().enumerate() {
                sums[entry][place].sum += rank;
                sums[entry][place].count += 1;
            }
        }
    }
    sums
}

/// The mean over problems and measures.
fn overall(sums: &[Vec<Sum>]) -> Vec<f64> {
    let total = |of: &Vec<Sum>| {
        let (sum, count) = of.iter().fold((0.0, 0), |(sum, count), one| (sum + one.sum, count + one.count));
        sum / f64::from(count.max(1))
    };
    sums.iter().map(total).collect()
}

/// The rank of each value, from 1 for the smallest; equal ones share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    let mut ranks = vec![0.0; values.len()];
    let mut at = 0;
    for equal in order.chunk_by(|&one, &other| values[one] == values[other]) {
        let rank = at as f64 + (equal.len() + 1) as f64 / 2.0;
        equal.iter().for_each(|&place| ranks[place] = rank);
        at += equal.len();
    }
    ranks
}

/// Nemenyi's critical difference at 5% of mean ranks of `entries` over `problems`.
///
/// P. B. Nemenyi, "Distribution-free Multiple Comparisons", 1963; J. Demšar (above), section 3.2.2.
pub(super) fn critical_difference(entries: usize, problems: usize) -> Option<f64> {
    let (k, n) = (entries as f64, problems as f64);
    (entries > 1 && problems > 1)
        .then(|| studentized_range(entries, 0.95) / std::f64::consts::SQRT_2 * (k * (k + 1.0) / (6.0 * n)).sqrt())
}

/// The quantile of the range of `count` independent standard normal variables.
fn studentized_range(count: usize, level: f64) -> f64 {
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if range_probability(count, middle) < level { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The probability that a range is at most `width`: by Simpson's rule over the smallest variable.
fn range_probability(count: usize, width: f64) -> f64 {
    const PIECES: u32 = 2_000;
    const FROM: f64 = -9.0;
    let step = 18.0 / f64::from(PIECES);
    let normal = |x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
    let at = |x: f64| {
        let density = libm::exp(-x * x / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        density * libm::pow(normal(x + width) - normal(x), count as f64 - 1.0)
    };
    let weight = |piece: u32| match piece {
        0 | PIECES => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=PIECES).map(|piece| weight(piece) * at(FROM + step * f64::from(piece))).sum();
    count as f64 * sum * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(ranks(&[0.3, 0.1, 0.3, 0.2]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(ranks(&[1.0, 1.0, 1.0]), [2.0; 3]);
    }

    #[test]
    fn critical_differences_are_those_of_tables() {
        // Demšar's table 5(a): q at 5% divided by the square root of 2.
        for (entries, q) in [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)] {
            let found = studentized_range(entries, 0.95) / std::f64::consts::SQRT_2;
            assert!((found - q).abs() < 1e-3, "{entries}: {found}");
        }
        // His section 3.2.3: 4 classifiers, 14 data sets.
        let found = critical_difference(4, 14).expect("more than one of each");
        assert!((found - 1.25).abs() < 5e-3, "{found}");
        assert_eq!(critical_difference(1, 14), None);
    }
}
