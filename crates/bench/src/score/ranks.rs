//! Mean ranks, and the intervals of their runs.

use bandits::Generator;
use bandits::random::below;
use rand::SeedableRng as _;
use statistics::fixed_sample::mid_ranks;

use super::summary;
use crate::results::RunValues;
use crate::track::Measure;

/// Bootstrap samples.
const SAMPLES: usize = 200;
/// The seed of the bootstrap.
const SEED: u64 = 1;

/// The ranks of all entries.
pub(super) struct Ranking {
    /// The mean rank of each entry.
    pub(super) mean: Vec<f64>,
    /// From the 2.5% to the 97.5% quantile of the bootstrap, moved and scaled so that they lie around the mean rank.
    pub(super) intervals: Vec<(f64, f64)>,
    by_measure: Vec<Vec<Option<f64>>>,
}

impl Ranking {
    pub(super) fn of(values: &[&RunValues], measures: &[Measure], runs: usize) -> Self {
        let all_runs: Vec<usize> = (0..runs).collect();
        let problems = values.first().map_or(0, |entry| entry.len());
        let draws: Vec<Vec<usize>> = vec![all_runs; problems];
        let exact = rank_sums(values, measures, &draws);
        let mut generator = Generator::seed_from_u64(SEED);
        let mut samples: Vec<Vec<f64>> = vec![Vec::with_capacity(SAMPLES); values.len()];
        for _ in 0..SAMPLES {
            let draw = |_: usize| (0..runs).map(|_| below(&mut generator, runs)).collect();
            let draws: Vec<Vec<usize>> = (0..problems).map(draw).collect();
            for (sample, rank) in samples.iter_mut().zip(overall(&rank_sums(values, measures, &draws))) {
                sample.push(rank);
            }
        }
        let mean = overall(&exact);
        // Noise moves ranks towards the middle, in samples more than in measurements: deviations count from the mean of the samples.
        // A sample of few runs deviates too little.
        let scale = if runs > 1 { (runs as f64 / (runs - 1) as f64).sqrt() } else { 1.0 };
        let interval = |(mut sample, mean): (Vec<f64>, &f64)| {
            let middle = sample.iter().sum::<f64>() / SAMPLES as f64;
            sample.sort_by(f64::total_cmp);
            let [low, high] =
                [SAMPLES / 40, SAMPLES - 1 - SAMPLES / 40].map(|place| mean + scale * (sample[place] - middle));
            (low.min(*mean), high.max(*mean))
        };
        Self {
            intervals: samples.into_iter().zip(&mean).map(interval).collect(),
            mean,
            by_measure: exact
                .into_iter()
                .map(|sums_of_entry| sums_of_entry.into_iter().map(RankTally::mean).collect())
                .collect(),
        }
    }

    /// The mean rank of an entry by a measure.
    pub(super) fn of_measure(&self, entry: usize, measure: usize) -> Option<f64> {
        self.by_measure[entry][measure]
    }
}

/// A sum of ranks.
#[derive(Debug, Clone, Copy, Default)]
struct RankTally {
    sum: f64,
    count: u32,
}

impl RankTally {
    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// Per entry and measure the ranks over problems, from these runs of each problem.
fn rank_sums(values: &[&RunValues], measures: &[Measure], draws: &[Vec<usize>]) -> Vec<Vec<RankTally>> {
    let mut sums = vec![vec![RankTally::default(); measures.len()]; values.len()];
    for (problem, draw) in draws.iter().enumerate() {
        for (measure_index, measure) in measures.iter().enumerate() {
            let value_of_entry = |entry: &&RunValues| {
                let runs = entry[problem][measure_index].as_ref()?;
                let drawn_runs: Vec<f64> = draw.iter().map(|&run| runs[run]).collect();
                let value = summary(measure.summary, &drawn_runs);
                Some(if measure.more_is_better { -value } else { value })
            };
            let Some(values_of_measure) = values.iter().map(value_of_entry).collect::<Option<Vec<f64>>>() else {
                continue;
            };
            for (entry, rank) in mid_ranks(&values_of_measure).into_iter().enumerate() {
                sums[entry][measure_index].sum += rank;
                sums[entry][measure_index].count += 1;
            }
        }
    }
    sums
}

/// The mean over problems and measures.
fn overall(sums: &[Vec<RankTally>]) -> Vec<f64> {
    let total = |sums_of_entry: &Vec<RankTally>| {
        let (sum, count) = sums_of_entry.iter().fold((0.0, 0), |(sum, count), one| (sum + one.sum, count + one.count));
        sum / f64::from(count.max(1))
    };
    sums.iter().map(total).collect()
}
