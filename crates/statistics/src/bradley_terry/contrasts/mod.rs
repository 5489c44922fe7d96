//! Which differences of strengths are known, from one covariance: at one look, and at every look.
//!
//! The variance v of each difference is the largest of the model's and of those found by clusters, and its degrees of
//! freedom are the [effective number of clusters](super::Fit::effective_clusters) less one. A difference is known if it exceeds a
//! multiple of its standard error that has, under Student's distribution, the tail that z has under the normal one:
//!
//! * *One look*: z is the simultaneous quantile of all differences ([`MaxT`]).
//! * *Every look*: z = sqrt((V + τ) (2 ln(1 / a) + ln((V + τ) / τ)) v), with V = 1 / v, a = alpha / (number of pairs) and τ = 5:
//!   the boundary of a normal mixture. The difference over v is approximately Brownian motion at time V, and with probability
//!   1 - a that never leaves the boundary. It is never below the z of one look.
//!
//! Naming the best takes less than knowing all pairs: an arm that is named falsely beats one arm in particular, the best one. So a
//! row of one-sided statements with alpha / K each is wrong with probability at most alpha.
//!
//! Both are asymptotic: they assume that estimates are normal. Clusters are a sample of a population (of judges, of items), and the
//! statements are about it. With few of them nothing becomes known, however many comparisons each of them makes.
//!
//! ## References
//!
//! * H. Robbins, "Statistical Methods Related to the Law of the Iterated Logarithm", Annals of Mathematical Statistics 41(5),
//!   1970, <https://doi.org/10.1214/aoms/1177696786>: normal mixtures.
//! * I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas, "Time-Uniform Central Limit Theory and Asymptotic Confidence
//!   Sequences", Annals of Statistics 52(6), 2024, <https://doi.org/10.1214/24-AOS2408>: with estimated variances.

mod max_t;

pub use max_t::MaxT;

use crate::StatisticsError;
use crate::special_functions::{normal_above, normal_quantile, student_outside, student_quantile};

/// When a statement is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Once, at a time that outcomes did not choose, of pairs that outcomes did not choose.
    Once,
    /// At any time and again, of pairs chosen in any way.
    Every,
}

/// The time at which the boundary of every look is narrowest, in units of the inverse variance of a difference: that of 20
/// comparisons of equal arms.
const TAU: f64 = 5.0;

/// From these degrees of freedom on, Student's distribution is the normal one.
const MANY_DEGREES: f64 = 1e7;

/// All differences of strengths with their standard errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrasts {
    strengths: Vec<f64>,
    /// Row by row: the variance of each difference.
    variances: Vec<f64>,
    /// Row by row: its degrees of freedom; empty if these are infinite.
    freedom: Vec<f64>,
    alpha: f64,
    /// The simultaneous quantile of one look.
    single_look: f64,
}

impl Contrasts {
    /// From strengths and the model's covariances, row by row.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1), or there are fewer than two strengths.
    ///
    /// # Panics
    /// If the covariances do not have one row and column per strength.
    pub fn new(strengths: &[f64], model: &[f64], alpha: f64) -> Result<Self, StatisticsError> {
        let single_look = MaxT::new(strengths, model, None, alpha)?.quantile();
        Ok(Self { single_look, ..Self::of_best(strengths, model, alpha)? })
    }

    /// The same if only the best matters: instead of simulating the quantile of all differences, it takes that of Bonferroni's
    /// inequality.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1), or there are fewer than two strengths.
    ///
    /// # Panics
    /// If the covariances do not have one row and column per strength.
    pub fn of_best(strengths: &[f64], model: &[f64], alpha: f64) -> Result<Self, StatisticsError> {
        crate::error::check_level(alpha)?;
        let arms = strengths.len();
        if arms < 2 {
            return Err(StatisticsError::TooFew { what: "strengths", found: arms, needed: 2 });
        }
        assert_eq!(model.len(), arms * arms, "one row and column per strength");
        let variances = (0..arms * arms).map(|at| variance(model, arms, at).max(0.0)).collect();
        let single_look = -normal_quantile(alpha / (arms * (arms - 1)) as f64);
        Ok(Self { strengths: strengths.to_vec(), variances, freedom: Vec::new(), alpha, single_look })
    }

    /// The same with variances at least as large as those of the covariances that clusters found, and with as many degrees of
    /// freedom as the smallest of the effective numbers of clusters, less one; infinite without any. All are matrices, row by row.
    ///
    /// # Panics
    /// If a matrix does not have one row and column per strength.
    #[must_use]
    pub fn clustered(&self, covariances: &[&[f64]], effective: &[&[f64]]) -> Self {
        let arms = self.arms();
        assert!(
            covariances.iter().chain(effective).all(|matrix| matrix.len() == arms * arms),
            "matrices of {arms} arms"
        );
        let largest =
            |at: usize| covariances.iter().map(|matrix| variance(matrix, arms, at)).fold(self.variances[at], f64::max);
        let smallest = |at: usize| effective.iter().map(|matrix| matrix[at] - 1.0).fold(f64::INFINITY, f64::min);
        Self {
            variances: (0..arms * arms).map(largest).collect(),
            freedom: if effective.is_empty() { Vec::new() } else { (0..arms * arms).map(smallest).collect() },
            ..self.clone()
        }
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.strengths.len()
    }

    /// The difference of two strengths, first minus second, and its standard error.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn difference(&self, first: usize, second: usize) -> (f64, f64) {
        let variance = self.variances[first * self.arms() + second];
        (self.strengths[first] - self.strengths[second], libm::sqrt(variance))
    }

    /// The degrees of freedom of a difference; infinite without clusters.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn freedom(&self, first: usize, second: usize) -> f64 {
        assert!(first < self.arms() && second < self.arms(), "{first}, {second} of {} arms", self.arms());
        self.freedom.get(first * self.arms() + second).copied().unwrap_or(f64::INFINITY)
    }

    /// The simultaneous quantile of one look, of the normal distribution.
    #[must_use]
    pub fn quantile(&self) -> f64 {
        self.single_look
    }

    /// How many standard errors a difference must exceed to be known together with all others. Infinite where clusters are
    /// too few for any difference.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn multiplier(&self, first: usize, second: usize, look: Look) -> f64 {
        let variance = self.variances[first * self.arms() + second];
        student(self.needed_z(variance, look), self.freedom(first, second))
    }

    /// How many standard errors `is_best` needs of the difference of two arms if its variance is, or comes to be, this one.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn multiplier_of_best(&self, first: usize, second: usize, variance: f64, look: Look) -> f64 {
        student(self.needed_z_of_best(variance, look), self.freedom(first, second))
    }

    /// Whether `first` is known to be stronger than `second`, all such statements together.
    ///
    /// # Panics
    /// If an arm does not exist.
    #[must_use]
    pub fn is_stronger(&self, first: usize, second: usize, look: Look) -> bool {
        self.exceeds(first, second, 0.0, |variance| self.needed_z(variance, look))
    }

    /// Whether `arm` is known to be weaker than no other by more than `tolerance`, a difference of at least 0. With 0 it is known to be
    /// stronger than all others: the best. The probability that any arm is named falsely is at most alpha.
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn is_best(&self, arm: usize, tolerance: f64, look: Look) -> bool {
        (0..self.arms())
            .filter(|other| *other != arm)
            .all(|other| self.exceeds(arm, other, tolerance, |variance| self.needed_z_of_best(variance, look)))
    }

    /// The best and the worst rank, from 1, that the differences allow `arm`: simultaneous for all arms.
    ///
    /// # Panics
    /// If the arm does not exist.
    #[must_use]
    pub fn ranks(&self, arm: usize, look: Look) -> (usize, usize) {
        let stronger = (0..self.arms()).filter(|other| self.is_stronger(*other, arm, look)).count();
        let weaker = (0..self.arms()).filter(|other| self.is_stronger(arm, *other, look)).count();
        (1 + stronger, self.arms() - weaker)
    }

    /// How many pairs have a known order.
    #[must_use]
    pub fn known_pairs(&self, look: Look) -> usize {
        let is_known = |i: usize, j: usize| self.is_stronger(i, j, look) || self.is_stronger(j, i, look);
        (0..self.arms()).map(|i| (0..i).filter(|j| is_known(i, *j)).count()).sum()
    }

    /// The z that `is_stronger` needs of a difference with this variance.
    fn needed_z(&self, variance: f64, look: Look) -> f64 {
        let pairs = self.arms() * (self.arms() - 1) / 2;
        match look {
            Look::Once => self.single_look,
            Look::Every => boundary(variance, self.alpha / pairs as f64).max(self.single_look),
        }
    }

    /// The z that `is_best` needs of a difference with this variance: never more than `is_stronger`.
    fn needed_z_of_best(&self, variance: f64, look: Look) -> f64 {
        let one_sided = self.alpha / self.arms() as f64;
        let quantile = (-normal_quantile(one_sided)).clamp(0.0, self.single_look);
        match look {
            Look::Once => quantile,
            // Both sides of the boundary together have twice the probability of one.
            Look::Every => {
                boundary(variance, (2.0 * one_sided).min(1.0)).max(quantile).min(self.needed_z(variance, look))
            }
        }
    }

    fn exceeds(&self, first: usize, second: usize, tolerance: f64, needed_z: impl Fn(f64) -> f64) -> bool {
        let (difference, error) = self.difference(first, second);
        let (difference, needed_z) = (difference + tolerance, needed_z(error * error));
        // Student's quantile is never below the normal one.
        let reach = needed_z * error;
        if difference <= reach || reach.is_nan() {
            return false;
        }
        let freedom = self.freedom(first, second);
        freedom >= MANY_DEGREES
            || freedom > 0.0 && student_outside(difference / error, freedom) <= 2.0 * normal_above(needed_z)
    }
}

/// The variance of the difference at a place of the matrix of differences.
fn variance(covariance: &[f64], arms: usize, cell: usize) -> f64 {
    let (i, j) = (cell / arms, cell % arms);
    covariance[i * arms + i] + covariance[j * arms + j] - 2.0 * covariance[cell]
}

/// Student's quantile with the tail of z.
fn student(z: f64, freedom: f64) -> f64 {
    let outside = 2.0 * normal_above(z);
    if freedom >= MANY_DEGREES {
        z
    } else if freedom > 0.0 && outside > 0.0 {
        student_quantile(outside, freedom)
    } else {
        f64::INFINITY
    }
}

/// The boundary that an estimate with this variance crosses with probability at most `a` at any time, in standard errors.
fn boundary(variance: f64, a: f64) -> f64 {
    let share = TAU * variance;
    if share > 0.0 {
        libm::sqrt((1.0 + share) * (2.0 * -libm::log(a) + libm::log1p(1.0 / share)))
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Normals;

    fn diagonal(arms: usize, variance: f64) -> Vec<f64> {
        (0..arms * arms).map(|at| if at / arms == at % arms { variance } else { 0.0 }).collect()
    }

    /// Independent strengths with the same variance, in this many effective clusters.
    fn clustered(strengths: &[f64], variance: f64, effective: Option<f64>) -> Contrasts {
        let arms = strengths.len();
        let all = Contrasts::new(strengths, &diagonal(arms, variance), 0.05).unwrap();
        effective.map_or(all.clone(), |number| all.clustered(&[], &[&vec![number; arms * arms]]))
    }

    #[test]
    fn every_look_is_never_narrower_than_one_and_the_best_needs_no_more_than_a_pair() {
        for arms in [2, 3, 8, 30] {
            for freedom in [None, Some(2.3), Some(11.0), Some(200.0)] {
                for variance in [1e-7, 0.01, 0.3, 40.0] {
                    let strengths: Vec<f64> = (0..arms).map(|k| -0.01 * f64::from(k as u8)).collect();
                    let effective = freedom.map(|freedom| freedom + 1.0);
                    let all = clustered(&strengths, variance, effective);
                    let [once, every] = [Look::Once, Look::Every].map(|look| all.multiplier(0, 1, look));
                    assert!(once <= every && once >= all.quantile(), "{arms} {freedom:?} {variance}: {once} {every}");
                    for look in [Look::Once, Look::Every] {
                        assert!(all.needed_z_of_best(2.0 * variance, look) <= all.needed_z(2.0 * variance, look));
                        // Claims about all pairs hold for the best, too.
                        assert!(all.ranks(0, look) != (1, 1) || all.is_best(0, 0.0, look));
                    }
                    assert!(all.known_pairs(Look::Every) <= all.known_pairs(Look::Once));
                }
            }
        }
    }

    #[test]
    fn decisions_are_those_of_the_multipliers() {
        let mut draws = Normals::from_seed(4);
        let arms = 6;
        for round in 0..50 {
            let strengths = draws.normals(arms);
            let all = clustered(&strengths, 0.03, Some(3.0 + f64::from(round)));
            for (i, j) in (0..arms).flat_map(|i| (0..arms).map(move |j| (i, j))).filter(|(i, j)| i != j) {
                for look in [Look::Once, Look::Every] {
                    let (difference, error) = all.difference(i, j);
                    assert_eq!(all.is_stronger(i, j, look), difference > all.multiplier(i, j, look) * error);
                }
            }
        }
    }

    #[test]
    fn two_arms_have_the_usual_quantile_and_few_clusters_know_nothing() {
        let all = clustered(&[1.0, -1.0], 0.01, None);
        assert!((all.quantile() - 1.959_963_984_540_054).abs() < 1e-12);
        assert!(all.is_best(0, 0.0, Look::Every) && !all.is_best(1, 0.0, Look::Every));
        assert!(all.is_best(1, 3.0, Look::Once) && !all.is_best(1, 2.0, Look::Once));
        // One cluster, and little more than one.
        for effective in [1.0, 1.2] {
            assert_eq!(clustered(&[1.0, -1.0], 0.01, Some(effective)).known_pairs(Look::Once), 0);
        }
        // The variance between clusters counts where it exceeds that of the model.
        let (less, more) = (diagonal(2, 0.0004), diagonal(2, 1.0));
        let all = all.clustered(&[&less, &more], &[]);
        assert!((all.difference(0, 1).1 - libm::sqrt(2.0)).abs() < 1e-12);
    }

    /// Brownian motion leaves the boundary at any of many looks with probability at most alpha.
    #[test]
    fn a_walk_seldom_leaves_the_boundary_of_every_look() {
        let (paths, alpha) = (600, 0.2);
        let mut draws = Normals::from_seed(9);
        let mut left = 0;
        for _ in 0..paths {
            let (mut sum, mut time) = (0.0_f64, 0.0_f64);
            for _ in 0..1_500 {
                // Looks are dense at first, and ever rarer in absolute time.
                let step = 0.05 + 0.01 * time;
                sum += libm::sqrt(step) * draws.normal();
                time += step;
                // The difference is the sum over the time, and its variance the inverse of that.
                if sum.abs() / libm::sqrt(time) > boundary(1.0 / time, alpha) {
                    left += 1;
                    break;
                }
            }
        }
        // Alpha and three standard errors; it is an infinite horizon that has all of alpha.
        let n = f64::from(paths);
        assert!(f64::from(left) < alpha * n + 3.0 * (n * alpha * (1.0 - alpha)).sqrt(), "{left} of {paths}");
        assert!(f64::from(left) > 0.4 * alpha * n, "{left} of {paths}: far from what is allowed");
    }
}
