//! Strengths under a Bradley-Terry model: a normal posterior with all correlations, updated judgement by judgement.
//!
//! Competitor i has a strength u(i), N(0, 1) at first, and beats j with probability 1 / (1 + exp(u(j) - u(i))). Each judgement is
//! one step of an extended Kalman filter: with p at the means, h = p (1 - p) and v the variance of u(i) - u(j), the means move
//! by C (e(i) - e(j)) (y - p) / (1 + h v), and C shrinks by the rank-one matrix that belongs to h. A tie is y = 1/2.

/// Two competitors, by their places in the settings.
pub(crate) type Competitors = (u32, u32);

/// The posterior.
#[derive(Debug, Clone)]
pub(crate) struct Posterior {
    means: Vec<f64>,
    /// Row by row.
    covariance: Vec<f64>,
    /// Covariances of all with the difference of the last pair: room.
    covariance_with: Vec<f64>,
}

impl Posterior {
    pub(crate) fn new(competitors: usize) -> Self {
        let mut covariance = vec![0.0; competitors * competitors];
        covariance.iter_mut().step_by(competitors + 1).for_each(|variance| *variance = 1.0);
        Self { means: vec![0.0; competitors], covariance, covariance_with: vec![0.0; competitors] }
    }

    fn row(&self, i: usize) -> &[f64] {
        let size = self.means.len();
        &self.covariance[i * size..(i + 1) * size]
    }

    pub(crate) fn mean(&self, i: usize) -> f64 {
        self.means[i]
    }

    /// The standard deviation of a strength.
    pub(crate) fn deviation(&self, i: usize) -> f64 {
        self.row(i)[i].max(0.0).sqrt()
    }

    /// The variance of the difference of two strengths.
    fn variance_between(&self, i: usize, j: usize) -> f64 {
        (self.row(i)[i] + self.row(j)[j] - 2.0 * self.row(i)[j]).max(0.0)
    }

    /// How many standard deviations the strengths of two, and a tolerance of at least 0, are apart: small where their order is uncertain.
    pub(crate) fn separation(&self, i: usize, j: usize, tolerance: f64) -> f64 {
        ((self.means[i] - self.means[j]).abs() + tolerance) / self.variance_between(i, j).max(f64::MIN_POSITIVE).sqrt()
    }

    /// How much a judgement of the pair would shrink the posterior: the Fisher information of its outcome times the
    /// variance of the difference, with `open_questions` judgements of the pair under way.
    pub(crate) fn gain(&self, i: usize, j: usize, open_questions: u32) -> f64 {
        let p = chance(self.means[i] - self.means[j]);
        let information = p * (1.0 - p) * self.variance_between(i, j);
        information / (1.0 + f64::from(open_questions) * information)
    }

    /// Learns that `i` got the share `score` of the point against `j`: 1, 0, or 1/2 for a tie.
    pub(crate) fn learn(&mut self, i: usize, j: usize, score: f64) {
        let size = self.means.len();
        let p = chance(self.means[i] - self.means[j]);
        let h = p * (1.0 - p);
        for k in 0..size {
            self.covariance_with[k] = self.covariance[i * size + k] - self.covariance[j * size + k];
        }
        let scale = 1.0 / (1.0 + h * (self.covariance_with[i] - self.covariance_with[j]).max(0.0));
        let step = (score - p) * scale;
        for (mean, covariance_entry) in self.means.iter_mut().zip(&self.covariance_with) {
            *mean += covariance_entry * step;
        }
        let shrink = h * scale;
        for (row, covariance_entry) in self.covariance.chunks_exact_mut(size).zip(&self.covariance_with) {
            let factor = covariance_entry * shrink;
            for (entry, other_entry) in row.iter_mut().zip(&self.covariance_with) {
                *entry -= factor * other_entry;
            }
        }
    }

    /// The competitors from the strongest mean down; of equal means, in their own order.
    pub(crate) fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.means.len()).collect();
        order.sort_by(|&i, &j| self.means[j].total_cmp(&self.means[i]));
        order
    }
}

fn chance(difference: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-difference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judgement_moves_both_and_shrinks_what_is_unknown() {
        let mut model = Posterior::new(3);
        assert!((model.gain(0, 1, 0) - 0.5).abs() < 1e-12, "a quarter of a variance of 2");
        model.learn(0, 1, 1.0);
        // With p = 1/2 and v = 2: the means move by (1/2) / (1 + 1/2), and the variance of the difference is 2 / 1.5.
        assert!((model.mean(0) - 1.0 / 3.0).abs() < 1e-12 && (model.mean(1) + 1.0 / 3.0).abs() < 1e-12);
        assert!((model.variance_between(0, 1) - 2.0 / 1.5).abs() < 1e-12);
        assert!(model.mean(2).abs() < 1e-12 && (model.deviation(2) - 1.0).abs() < 1e-12);
        assert!(model.gain(0, 1, 0) < model.gain(0, 2, 0));
        assert!(model.gain(0, 2, 1) < model.gain(0, 2, 0));
        assert_eq!(model.ranking(), [0, 2, 1]);
    }

    /// Against the exact posterior mode of many judgements of three, found by Newton's method in one dimension at a time.
    #[test]
    fn many_judgements_agree_with_the_exact_mode() {
        let wins = [[0.0, 40.0, 45.0], [20.0, 0.0, 33.0], [15.0, 27.0, 0.0]];
        let mut model = Posterior::new(3);
        for round in 0..60_u32 {
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                // Spread evenly: the filter's result depends a little on the order.
                let won = |round: u32| (f64::from(round) * wins[i][j] / 60.0).floor();
                model.learn(i, j, won(round + 1) - won(round));
            }
        }
        let mut mode = [0.0_f64; 3];
        for _ in 0..200 {
            for i in 0..3 {
                let (mut slope, mut bend) = (-mode[i], -1.0);
                for j in (0..3).filter(|&j| j != i) {
                    let p = chance(mode[i] - mode[j]);
                    slope += wins[i][j] - 60.0 * p;
                    bend -= 60.0 * p * (1.0 - p);
                }
                mode[i] -= slope / bend;
            }
        }
        for (i, mode) in mode.iter().enumerate() {
            assert!((model.mean(i) - mode).abs() < 0.05, "{i}: {} against {mode}", model.mean(i));
        }
    }
}
