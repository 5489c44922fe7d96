//! Who challenges the leader: the arm with the largest of all logits against it, drawn together from the posterior.

use super::posterior::Posterior;
use super::square_matrix::{SquareMatrix, dot};
use crate::counts::PairCounts;
use crate::random::{Normals, geometric, positive_unit, uniform};
use crate::{Arm, Generator, state};

/// Arms with a mean more than this many standard deviations below 0 are left out: their probability is below 10^-15.
const MAX_DEVIATIONS: f64 = 8.0;

/// The arms that may beat the leader, and the joint distribution of their logits.
#[derive(Debug, Clone, Default)]
pub(super) struct LogitChallengers {
    arms: Vec<Arm>,
    mean: Vec<f64>,
    covariance: SquareMatrix,
    /// The factor of the covariance.
    factor: SquareMatrix,
    /// For each the probability that its logit is above 0, and their sum.
    above: Vec<f64>,
    sum: f64,
    /// The logits drawn last.
    drawn: Vec<f64>,
    normals: Vec<f64>,
}

state!(LogitChallengers { arms, mean, covariance, factor, above, sum } but { drawn, normals });

impl LogitChallengers {
    pub(super) fn of(leader: usize, posterior: &Posterior, covariance: &SquareMatrix, counts: &PairCounts) -> Self {
        let all = (0..counts.arms()).filter(|&arm| arm != leader);
        let (arms, logits): (Vec<usize>, Vec<_>) = all
            .map(|arm| (arm, posterior.logit(counts, covariance, arm, leader)))
            .filter(|(_, logit)| logit.mean > -MAX_DEVIATIONS * logit.variance.sqrt())
            .unzip();
        let mut joint = SquareMatrix::zero(arms.len());
        for (x, (&i, one)) in arms.iter().zip(&logits).enumerate() {
            for (y, (&j, other)) in arms.iter().zip(&logits).enumerate() {
                let differences = covariance.at(i, j) - covariance.at(i, leader) - covariance.at(j, leader)
                    + covariance.at(leader, leader);
                *joint.at_mut(x, y) = if x == y { one.variance } else { one.slope * other.slope * differences };
            }
        }
        let mut factor = joint.clone();
        factor.factor();
        let above: Vec<f64> =
            logits.iter().map(|logit| normal_upper_tail(-logit.mean / logit.variance.sqrt())).collect();
        Self {
            arms: arms.into_iter().map(Arm::at).collect(),
            mean: logits.iter().map(|logit| logit.mean).collect(),
            covariance: joint,
            factor,
            sum: above.iter().sum(),
            above,
            drawn: Vec::new(),
            normals: Vec::new(),
        }
    }

    /// Whether most steps have no challenger, so that the steps until one may come are drawn as one number.
    pub(super) fn are_rare(&self) -> bool {
        self.sum < 1.0
    }

    /// How many steps pass before one in which [`propose`](Self::propose) is called: each step is with probability `sum`.
    pub(super) fn pause(&self, generator: &mut Generator) -> u64 {
        if self.arms.is_empty() { u64::MAX } else { geometric(libm::log1p(-self.sum), generator) - 1 }
    }

    /// The challenger of a step: the arm with the largest logit, if that is above 0.
    pub(super) fn draw(&mut self, normals: Normals, generator: &mut Generator) -> Option<Arm> {
        self.draw_all(normals, generator);
        self.largest()
    }

    /// A draw of a step that comes after [`pause`](Self::pause), so that pause and proposal together are as likely as
    /// in steps of [`draw`](Self::draw).
    ///
    /// An arm is drawn by its probability to be above 0, and all logits given that it is. Such a draw with n logits above 0
    /// comes up in n ways, and is taken with probability 1 / n.
    pub(super) fn propose(&mut self, normals: Normals, generator: &mut Generator) -> Option<Arm> {
        let mut rest = uniform(generator) * self.sum;
        let last = self.arms.len() - 1;
        let drawn_arm = self.above.iter().position(|probability| {
            rest -= probability;
            rest < 0.0
        });
        let drawn_arm = drawn_arm.unwrap_or(last);
        self.draw_all(normals, generator);
        let variance = self.covariance.at(drawn_arm, drawn_arm);
        let deviation = variance.sqrt();
        let target =
            self.mean[drawn_arm] + deviation * draw_above(-self.mean[drawn_arm] / deviation, normals, generator);
        let shift = (target - self.drawn[drawn_arm]) / variance;
        for (logit, covariance) in self.drawn.iter_mut().zip(self.covariance.row(drawn_arm)) {
            *logit += shift * covariance;
        }
        let ways = self.drawn.iter().filter(|&&logit| logit > 0.0).count();
        if ways > 1 && uniform(generator) * ways as f64 >= 1.0 {
            return None;
        }
        self.largest()
    }

    fn draw_all(&mut self, normals: Normals, generator: &mut Generator) {
        self.normals.clear();
        self.normals.extend((0..self.arms.len()).map(|_| normals.draw(generator)));
        self.drawn.clear();
        for (place, mean) in self.mean.iter().enumerate() {
            self.drawn.push(mean + dot(&self.factor.row(place)[..=place], &self.normals[..=place]));
        }
    }

    fn largest(&self) -> Option<Arm> {
        let largest = (0..self.arms.len()).max_by(|&x, &y| self.drawn[x].total_cmp(&self.drawn[y]))?;
        (self.drawn[largest] > 0.0).then(|| self.arms[largest])
    }
}

/// The probability that N(0, 1) is above x.
fn normal_upper_tail(x: f64) -> f64 {
    0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2)
}

/// Draws from N(0, 1) above x: far out as C. P. Robert, "Simulation of Truncated Normal Variables", Statistics and Computing
/// 5, 1995, <https://doi.org/10.1007/BF00143942>.
fn draw_above(x: f64, normals: Normals, generator: &mut Generator) -> f64 {
    if x < 0.5 {
        loop {
            let draw = normals.draw(generator);
            if draw > x {
                return draw;
            }
        }
    }
    let rate = 0.5 * (x + (x * x + 4.0).sqrt());
    loop {
        let draw = x - libm::log(positive_unit(generator)) / rate;
        if libm::log(positive_unit(generator)) < -0.5 * (draw - rate) * (draw - rate) {
            return draw;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    /// Six arms: the more often they met, the further the first leads.
    fn challengers(met: u32) -> LogitChallengers {
        let mut counts = PairCounts::new(6, 0);
        for other in 1..6 {
            counts[(0, other)] = met + met / 10 * other as u32;
            counts[(other, 0)] = met - met / 10 * other as u32;
        }
        counts[(1, 2)] = met;
        counts[(2, 1)] = met;
        let mut posterior = Posterior::new(6, 0.5, 0.1);
        let covariance = (0..5).map(|_| posterior.fit(&counts)).last().expect("five fits");
        LogitChallengers::of(0, &posterior, &covariance, &counts)
    }

    /// How often each arm is the challenger of a step, none first, step by step.
    fn plainly(challengers: &mut LogitChallengers, steps: u64, generator: &mut Generator) -> [u64; 6] {
        let mut counts = [0; 6];
        for _ in 0..steps {
            counts[challengers.draw(Normals::new(), generator).map_or(0, Arm::index)] += 1;
        }
        counts
    }

    fn in_one_choice(challengers: &mut LogitChallengers, steps: u64, generator: &mut Generator) -> [u64; 6] {
        let (mut counts, mut step) = ([0; 6], challengers.pause(generator));
        while step < steps {
            counts[challengers.propose(Normals::new(), generator).map_or(0, Arm::index)] += 1;
            step += 1 + challengers.pause(generator);
        }
        counts[0] = steps - counts[1..].iter().sum::<u64>();
        counts
    }

    #[test]
    fn pauses_and_proposals_have_the_challengers_of_single_steps() {
        let mut rare = 0;
        for met in [20, 40, 100, 200] {
            let mut challengers = challengers(met);
            if !challengers.are_rare() {
                continue;
            }
            rare += 1;
            let mut generator = Generator::seed_from_u64(u64::from(met));
            let steps = 1_000_000;
            let plain = plainly(&mut challengers, steps, &mut generator);
            let fast = in_one_choice(&mut challengers, steps, &mut generator);
            for (arm, (&plain, &fast)) in plain.iter().zip(&fast).enumerate() {
                // Both are binomial: their difference has the variance of the two, at most 2 p (1 - p) n each way.
                let p = (plain + fast) as f64 / (2 * steps) as f64;
                let bound = 4.5 * (2.0 * p * (1.0 - p) * steps as f64).sqrt() + 1.0;
                assert!((plain as f64 - fast as f64).abs() < bound, "{met}, arm {arm}: {plain} and {fast}");
            }
            assert!(plain[1..].iter().sum::<u64>() > 100, "{met}: {plain:?} says little");
        }
        assert!(rare >= 2, "only {rare} of four are rare");
    }

    #[test]
    fn a_normal_above_a_bound_has_the_right_mean() {
        let mut generator = Generator::seed_from_u64(1);
        for bound in [-3.0, 0.0, 0.4, 0.6, 2.0, 6.0] {
            let draws = 100_000;
            let sum: f64 = (0..draws).map(|_| draw_above(bound, Normals::new(), &mut generator)).sum();
            let density = libm::exp(-0.5 * bound * bound) / (2.0 * std::f64::consts::PI).sqrt();
            let mean = density / normal_upper_tail(bound);
            let deviation = (1.0 + bound * mean - mean * mean).sqrt();
            let error = sum / f64::from(draws) - mean;
            assert!(error.abs() < 4.5 * deviation / f64::from(draws).sqrt(), "above {bound}: {error} off {mean}");
        }
    }
}
