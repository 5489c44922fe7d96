//! Tests that compare their statistics with those of tables drawn from the fit.
//!
//! Each replicate draws all outcomes from the fitted probabilities and refits by one step of Newton's method; further
//! iterations are not worth their time. The cube root of each statistic, a sum of squares, is close to normal (Wilson and
//! Hilferty), so that a few hundred replicates give p-values far below their number's inverse.
//!
//! Drawn tables have independent units. Where a board speaks of judges or items in general, their preferences differ, and pairs deviate
//! more than those of drawn tables although one order explains all: so the misfit is also compared with tables in which the deviations of
//! each judge (item) are those observed or their negatives, by a coin, and the larger p-value counts. Few clusters give few such tables:
//! then only the clearest misfit is found.

use super::{Finding, LEVEL, Test, TestData};
use crate::fit_accuracy::dispersion;
use crate::populations::numbers_of;
use crate::units::Unit;
use rayon::prelude::*;
use statistics::bradley_terry::{Directions, Expectation, Point};
use statistics::matrix::Cholesky;
use statistics::{Normals, normal_above};

/// The number of tables drawn, and the number for large tables.
const REPLICATES: u64 = 300;
const REPLICATES_OF_LARGE: u64 = 100;

/// Tables with more units are large.
const MAX_ROWS_OF_SMALL: usize = 30_000;

/// A unit as the tests need it.
struct Row {
    first: usize,
    second: usize,
    /// The derivatives of its difference by the parameters.
    directions: Directions,
    weight: f64,
    copies: f64,
    /// The expected values of one copy under the fit.
    expected: Expectation,
    /// The derivatives of the expected half point and of P(tie) by the difference of strengths and by ln ν.
    sensitivity: [[f64; 2]; 2],
    pair: usize,
    item: Option<u32>,
    judge: Option<u32>,
}

impl Row {
    /// The variance of the half point of one copy.
    fn variance(&self) -> f64 {
        self.expected.covariance[0][0]
    }

    /// The variance of "one copy is a tie".
    fn tie_variance(&self) -> f64 {
        self.expected.covariance[1][1]
    }
}

/// Units that share an item or a judge, at least two.
struct Cluster {
    units: Vec<usize>,
    /// Competitors with a unit each, and the sign of its residual: all units of a competitor side by side.
    sides: Vec<(usize, usize, f64)>,
}

/// Half points and ties minus the expectations of the fit, unit by unit.
struct Residuals {
    half: Vec<f64>,
    tie: Vec<f64>,
}

/// The statistics of one table.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Statistics {
    misfit: f64,
    items: f64,
    judges: f64,
    ties: f64,
}

struct FittedTable<'a> {
    data: &'a TestData<'a>,
    rows: Vec<Row>,
    pairs: Vec<(usize, usize)>,
    pair_variance: Vec<f64>,
    arm_variance: Vec<f64>,
    arm_tie_variance: Vec<f64>,
    items: Vec<Cluster>,
    judges: Vec<Cluster>,
    information_factor: Cholesky,
    size: usize,
    tie: Option<usize>,
}

pub(super) fn tests(data: &TestData<'_>) -> Vec<Test> {
    let table = FittedTable::of(data);
    let observed = table.observed_residuals();
    let observed_statistics = table.statistics(&observed);
    let replicate_count = if table.rows.len() > MAX_ROWS_OF_SMALL { REPLICATES_OF_LARGE } else { REPLICATES };
    // The gradient left at the fit: zero, or the pull of the prior, which refits of drawn tables leave as well.
    let pull = table.gradient(&observed);
    let replicates: Vec<Statistics> = (0..replicate_count)
        .into_par_iter()
        .map(|seed| table.statistics(&table.simulated_residuals(seed, &pull)))
        .collect();
    let compare = |statistic_of: fn(&Statistics) -> f64| {
        p_value_and_ratio(statistic_of(&observed_statistics), &replicates.iter().map(statistic_of).collect::<Vec<_>>())
    };
    let mut tests = Vec::new();
    if table.pairs.len() >= data.group.fit.arms() {
        // Corrected points vary in another way than those of drawn tables.
        let dispersion = dispersion(&data.group.fit, &data.group.units).unwrap_or(1.0);
        let misfits: Vec<f64> = replicates.iter().map(|statistics| dispersion * statistics.misfit).collect();
        let mut largest = p_value_and_ratio(observed_statistics.misfit, &misfits);
        for kind in data.group.populations.kinds() {
            if largest.0 > LEVEL {
                break;
            }
            let clusters = numbers_of(kind, &data.group.units);
            let misfit_of = |seed| table.statistics(&table.flipped_residuals(seed, &observed, &clusters, &pull)).misfit;
            let flipped: Vec<f64> = (0..replicate_count).into_par_iter().map(misfit_of).collect();
            let (p, ratio) = p_value_and_ratio(observed_statistics.misfit, &flipped);
            if p > largest.0 {
                largest = (p, ratio);
            }
        }
        tests.push((largest.0, table.misfit_finding(&observed, largest.1)));
    }
    if table.items.len() > 1 {
        let (p, design_effect) = compare(|statistics| statistics.items);
        tests.push((p, Finding::ItemsDiffer { design_effect, items: table.items.len() }));
    }
    if table.judges.len() > 1 {
        let (p, design_effect) = compare(|statistics| statistics.judges);
        let (judge, share) = table.most_deviant_judge(&observed);
        tests.push((p, Finding::JudgesDisagree { design_effect, judge, share }));
    }
    // Where nothing else was recorded, ties are as even as they can be, but unlikely under any fit.
    let is_decided = |unit: &Unit| matches!(unit.comparison.point, Point::Share(_));
    // Two competitors have the same ties.
    let may_differ = table.tie.is_some() && data.group.fit.arms() > 2;
    if may_differ && data.group.units.iter().any(is_decided) {
        let (p, _) = compare(|statistics| statistics.ties);
        tests.push((p, table.ties_finding(&observed)));
    }
    tests
}

/// The p-value of a sum of squares, and its ratio to the mean.
fn p_value_and_ratio(observed: f64, replicates: &[f64]) -> (f64, f64) {
    let n = replicates.len() as f64;
    let roots: Vec<f64> = replicates.iter().map(|value| libm::cbrt(*value)).collect();
    let mean = roots.iter().sum::<f64>() / n;
    let variance = roots.iter().map(|root| (root - mean) * (root - mean)).sum::<f64>() / (n - 1.0);
    let average = replicates.iter().sum::<f64>() / n;
    if variance <= 0.0 || average <= 0.0 {
        return (1.0, 1.0);
    }
    let z = (libm::cbrt(observed) - mean) / libm::sqrt(variance * (1.0 + 1.0 / n));
    (normal_above(z), observed / average)
}

impl<'a> FittedTable<'a> {
    fn of(data: &'a TestData<'a>) -> Self {
        let group = data.group;
        let fit = &group.fit;
        let mut pairs: Vec<(usize, usize)> =
            group.units.iter().map(|unit| (unit.comparison.first, unit.comparison.second)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let (arms, size) = (fit.arms(), fit.size());
        let tie = (fit.tie() > 0.0).then_some(size - 1);
        let rows: Vec<Row> = group
            .units
            .iter()
            .map(|unit| {
                let comparison = unit.comparison;
                let (first_arm, second_arm) = (comparison.first, comparison.second);
                let expected = fit.expected_of(&comparison);
                Row {
                    first: first_arm,
                    second: second_arm,
                    directions: fit.directions(&comparison),
                    weight: comparison.weight,
                    copies: comparison.copies as f64,
                    expected,
                    sensitivity: expected.sensitivity(),
                    pair: pairs.partition_point(|pair| *pair < (first_arm, second_arm)),
                    item: unit.item,
                    judge: unit.judge,
                }
            })
            .collect();
        let mut table = Self {
            data,
            pair_variance: vec![0.0; pairs.len()],
            arm_variance: vec![0.0; arms],
            arm_tie_variance: vec![0.0; arms],
            items: clusters(&rows, |row| row.item),
            judges: clusters(&rows, |row| row.judge),
            information_factor: Cholesky::semi_definite(&[1.0], 1),
            rows,
            pairs,
            size,
            tie,
        };
        let mut information = vec![0.0; size * size];
        for row in &table.rows {
            let n = row.weight * row.copies;
            table.pair_variance[row.pair] += n * row.weight * row.variance();
            for arm in [row.first, row.second] {
                table.arm_variance[arm] += n * row.weight * row.variance();
                table.arm_tie_variance[arm] += n * row.weight * row.tie_variance();
            }
            let direction = row.directions.entries();
            let [[curvature, mixed], [_, tie_curvature]] = row.expected.information();
            for &(a, x) in direction {
                direction.iter().for_each(|&(b, y)| information[a * size + b] += n * x * y * curvature);
                if let Some(tie) = tie {
                    information[a * size + tie] += n * x * mixed;
                    information[tie * size + a] += n * x * mixed;
                }
            }
            if let Some(tie) = tie {
                information[tie * size + tie] += n * tie_curvature;
            }
        }
        for row in 0..arms {
            (0..arms).for_each(|column| information[row * size + column] += 1.0);
        }
        // A weak prior, where the fit needed one, also bounds the step.
        let ridge = fit.prior().map_or(1e-9, |sd| 1.0 / (sd * sd));
        let slopes = fit.slope_places();
        for index in 0..size {
            let precision = if slopes.contains(&index) { fit.prior_precision(index) } else { ridge };
            information[index * size + index] += precision;
        }
        table.information_factor = Cholesky::semi_definite(&information, size);
        table
    }

    fn observed_residuals(&self) -> Residuals {
        let outcome = |(unit, row): (&crate::units::Unit, &Row)| {
            let (half, tied) = match unit.comparison.point {
                Point::Share(share) => (share - 0.5, 0.0),
                Point::Tie => (0.0, 1.0),
            };
            let n = row.weight * row.copies;
            (n * (half - row.expected.half), n * (tied - row.expected.p[2]))
        };
        let (half, tie) = self.data.group.units.iter().zip(&self.rows).map(outcome).unzip();
        Residuals { half, tie }
    }

    /// Residuals of a table drawn from the fit, after one step of a refit; `pull` is the gradient that is left at a fit.
    fn simulated_residuals(&self, seed: u64, pull: &[f64]) -> Residuals {
        let mut draws = Normals::from_seed(0x7265_706c ^ seed << 32);
        let (half, tie) = self
            .rows
            .iter()
            .map(|row| {
                if row.copies > 1.0 {
                    let scale = row.weight * libm::sqrt(row.copies);
                    return (
                        scale * libm::sqrt(row.variance()) * draws.normal(),
                        scale * libm::sqrt(row.tie_variance()) * draws.normal(),
                    );
                }
                let uniform = draws.uniform();
                let [win, loss, tie] = row.expected.p;
                let (half, tied) = if uniform < win {
                    (0.5, 0.0)
                } else if uniform < win + loss {
                    (-0.5, 0.0)
                } else {
                    (0.0, 1.0)
                };
                (row.weight * (half - row.expected.half), row.weight * (tied - tie))
            })
            .unzip();
        let mut residuals = Residuals { half, tie };
        self.refit(&mut residuals, pull);
        residuals
    }

    /// The residuals with the signs of each cluster tossed, after the step of a refit.
    fn flipped_residuals(&self, seed: u64, observed: &Residuals, clusters: &[u32], pull: &[f64]) -> Residuals {
        let mut draws = Normals::from_seed(0x666c_6970 ^ seed << 32);
        let count = clusters.iter().max().map_or(0, |most| *most as usize + 1);
        let signs: Vec<f64> = (0..count).map(|_| if draws.uniform() < 0.5 { -1.0 } else { 1.0 }).collect();
        let tossed = |values: &[f64]| -> Vec<f64> {
            values.iter().zip(clusters).map(|(value, cluster)| value * signs[*cluster as usize]).collect()
        };
        let mut residuals = Residuals { half: tossed(&observed.half), tie: tossed(&observed.tie) };
        self.refit(&mut residuals, pull);
        residuals
    }

    /// The gradient of the likelihood with these residuals.
    fn gradient(&self, residuals: &Residuals) -> Vec<f64> {
        let mut gradient = vec![0.0; self.size];
        for (row_index, row) in self.rows.iter().enumerate() {
            let [slope, tie_slope] = row.expected.score(residuals.half[row_index], residuals.tie[row_index]);
            row.directions.entries().iter().for_each(|&(place, x)| gradient[place] += x * slope);
            if let Some(tie) = self.tie {
                gradient[tie] += tie_slope;
            }
        }
        gradient
    }

    fn refit(&self, residuals: &mut Residuals, pull: &[f64]) {
        let gradient: Vec<f64> = self.gradient(residuals).iter().zip(pull).map(|(found, pull)| found - pull).collect();
        let step = self.information_factor.solve(&gradient);
        for (row_index, row) in self.rows.iter().enumerate() {
            let n = row.weight * row.copies;
            let change: f64 = row.directions.entries().iter().map(|&(index, x)| x * step[index]).sum();
            let tie = self.tie.map_or(0.0, |tie| step[tie]);
            let [half_moves, tie_moves] = row.sensitivity;
            residuals.half[row_index] -= n * (half_moves[0] * change + half_moves[1] * tie);
            residuals.tie[row_index] -= n * (tie_moves[0] * change + tie_moves[1] * tie);
        }
    }

    fn statistics(&self, residuals: &Residuals) -> Statistics {
        let mut pairs = vec![0.0; self.pairs.len()];
        let mut ties = vec![0.0; self.arm_tie_variance.len()];
        for (row_index, row) in self.rows.iter().enumerate() {
            pairs[row.pair] += residuals.half[row_index];
            ties[row.first] += residuals.tie[row_index];
            ties[row.second] += residuals.tie[row_index];
        }
        let squares = |sums: &[f64], variances: &[f64]| -> f64 {
            sums.iter()
                .zip(variances)
                .filter(|(_, variance)| **variance > 0.0)
                .map(|(sum, variance)| sum * sum / variance)
                .sum()
        };
        let sum_over_clusters =
            |clusters: &[Cluster]| clusters.iter().map(|cluster| self.cluster_statistic(cluster, residuals)).sum();
        Statistics {
            misfit: squares(&pairs, &self.pair_variance),
            items: sum_over_clusters(&self.items),
            judges: sum_over_clusters(&self.judges),
            ties: squares(&ties, &self.arm_tie_variance),
        }
    }

    /// The squared sums of a cluster's residuals by competitor, each over the competitor's variance.
    fn cluster_statistic(&self, cluster: &Cluster, residuals: &Residuals) -> f64 {
        cluster
            .sides
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| (same[0].0, same.iter().map(|side| side.2 * residuals.half[side.1]).sum::<f64>()))
            .map(|(arm, sum)| sum * sum / self.arm_variance[arm].max(f64::MIN_POSITIVE))
            .sum()
    }

    fn misfit_finding(&self, residuals: &Residuals, ratio: f64) -> Finding {
        let arms = self.data.group.fit.arms();
        let (mut sums, mut points) = (vec![0.0; self.pairs.len()], vec![0.0; self.pairs.len()]);
        let mut pair_sums = vec![(0.0, 0.0); arms * arms];
        for (at, (row, unit)) in self.rows.iter().zip(&self.data.group.units).enumerate() {
            sums[row.pair] += residuals.half[at];
            let n = row.weight * row.copies;
            let half = match unit.comparison.point {
                Point::Share(share) => share - 0.5,
                Point::Tie => 0.0,
            };
            points[row.pair] += 2.0 * n * half;
            for (i, j, half) in [(row.first, row.second, half), (row.second, row.first, -half)] {
                pair_sums[i * arms + j].0 += n * half;
                pair_sums[i * arms + j].1 += n * half * half;
            }
        }
        let z = |pair: &usize| sums[*pair].abs() / libm::sqrt(self.pair_variance[*pair].max(f64::MIN_POSITIVE));
        let worst = (0..self.pairs.len()).max_by(|a, b| z(a).total_cmp(&z(b))).expect("a group has pairs");
        let (mut i, mut j) = self.pairs[worst];
        let (mut observed, mut excess_points) = (points[worst], 2.0 * sums[worst]);
        if excess_points < 0.0 {
            (i, j, observed, excess_points) = (j, i, -observed, -excess_points);
        }
        let cycle = cycle(&pair_sums, arms).map(|cycle| cycle.map(|member| self.data.name(member)).to_vec());
        Finding::Misfit {
            ratio,
            pair: (self.data.name(i), self.data.name(j)),
            found: observed,
            expected: observed - excess_points,
            cycle,
        }
    }

    fn ties_finding(&self, residuals: &Residuals) -> Finding {
        let arms = self.arm_tie_variance.len();
        let (mut excess, mut expected) = (vec![0.0; arms], vec![0.0; arms]);
        for (row_index, row) in self.rows.iter().enumerate() {
            for arm in [row.first, row.second] {
                excess[arm] += residuals.tie[row_index];
                expected[arm] += row.weight * row.copies * row.expected.p[2];
            }
        }
        let z = |arm: &usize| excess[*arm].abs() / libm::sqrt(self.arm_tie_variance[*arm].max(f64::MIN_POSITIVE));
        let worst = (0..arms).max_by(|a, b| z(a).total_cmp(&z(b))).expect("a group has members");
        Finding::TiesUneven {
            competitor: self.data.name(worst),
            found: expected[worst] + excess[worst],
            expected: expected[worst],
        }
    }

    fn most_deviant_judge(&self, residuals: &Residuals) -> (String, f64) {
        let value = |cluster: &Cluster| {
            // Against its expectation, which is about proportional to the number of units.
            let expected: f64 = cluster.units.iter().map(|at| self.rows[*at].variance() * self.rows[*at].copies).sum();
            self.cluster_statistic(cluster, residuals) / expected.max(f64::MIN_POSITIVE)
        };
        let worst = self.judges.iter().max_by(|a, b| value(a).total_cmp(&value(b))).expect("at least two judges");
        let judge = self.rows[worst.units[0]].judge.expect("a judge's units have a judge");
        let units = |rows: &mut dyn Iterator<Item = &Row>| rows.map(|row| row.copies).sum::<f64>();
        let share = units(&mut worst.units.iter().map(|at| &self.rows[*at])) / units(&mut self.rows.iter());
        (self.data.table.judges[judge as usize].clone(), share)
    }
}

/// The clearest cycle of three, if there is one, where each beats the next by at least 1.645 standard errors. `pairs`
/// has for each ordered pair the sum of half points and that of their squares.
fn cycle(pairs: &[(f64, f64)], arms: usize) -> Option<[usize; 3]> {
    const CLEAR_Z: f64 = 1.645;
    let z = |i: usize, j: usize| {
        let (sum, squares) = pairs[i * arms + j];
        if squares > 0.0 { sum / libm::sqrt(squares) } else { 0.0 }
    };
    let mut clearest = (CLEAR_Z, None);
    for i in 0..arms {
        for j in (i + 1..arms).filter(|j| z(i, *j) > CLEAR_Z) {
            // Each cycle once: from its first member.
            for k in (i + 1..arms).filter(|k| *k != j) {
                let smallest_z = z(i, j).min(z(j, k)).min(z(k, i));
                if smallest_z > clearest.0 {
                    clearest = (smallest_z, Some([i, j, k]));
                }
            }
        }
    }
    clearest.1
}

/// Clusters with at least two units; a single unit shows nothing.
fn clusters(rows: &[Row], key: impl Fn(&Row) -> Option<u32>) -> Vec<Cluster> {
    let mut keyed: Vec<(u32, usize)> =
        rows.iter().enumerate().filter_map(|(row_index, row)| Some((key(row)?, row_index))).collect();
    keyed.sort_unstable();
    let cluster = |same: &[(u32, usize)]| {
        let units: Vec<usize> = same.iter().map(|entry| entry.1).collect();
        let sides = |row_index: &usize| {
            [(rows[*row_index].first, *row_index, 1.0), (rows[*row_index].second, *row_index, -1.0)]
        };
        let mut sides: Vec<(usize, usize, f64)> = units.iter().flat_map(sides).collect();
        sides.sort_by_key(|side| (side.0, side.1));
        Cluster { units, sides }
    };
    keyed.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1).map(cluster).collect()
}
