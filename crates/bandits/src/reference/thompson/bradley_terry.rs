//! Thompson sampling under a Bradley-Terry model as its rule is written: every utility drawn at every step.

use crate::policies::bradley_terry::BradleyTerryConfig;
use crate::random::{Normals, argmax, below};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// `bradley-terry`, with every utility drawn.
#[derive(Debug, Clone)]
pub struct ReferenceBradleyTerry {
    eta: f64,
    means: Vec<f64>,
    variances: Vec<f64>,
    duels: u64,
}

impl ReferenceBradleyTerry {
    /// For valid parameters and at least one arm.
    #[must_use]
    pub fn new(config: &BradleyTerryConfig, arms: usize) -> Self {
        Self { eta: config.eta, means: vec![0.0; arms], variances: vec![config.prior.unwrap_or(0.2) * config.prior.unwrap_or(0.2); arms], duels: 0 }
    }
}

impl Policy for ReferenceBradleyTerry {
    fn arms(&self) -> usize {
        self.means.len()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let arms = self.arms();
        let leader = if self.duels == 0 {
            below(generator, arms)
        } else {
            argmax(generator, self.means.iter().copied()).unwrap_or(0)
        };
        let normals = Normals::new();
        let theta: Vec<f64> =
            self.means.iter().zip(&self.variances).map(|(m, v)| m + v.sqrt() * normals.draw(generator)).collect();
        let challenger = argmax(generator, theta.into_iter()).unwrap_or(0);
        if leader == challenger {
            return Choice::Alone { arm: Arm::at(leader), until: step };
        }
        Choice::Duel(Arm::at(leader), Arm::at(challenger))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        self.duels += 1;
        let (i, j) = (winner.index(), loser.index());
        let p = 1.0 / (1.0 + libm::exp(self.means[j] - self.means[i]));
        let h = self.eta * p * (1.0 - p);
        let s = 1.0 + h * (self.variances[i] + self.variances[j]);
        self.means[i] += self.variances[i] * self.eta * (1.0 - p) / s;
        self.means[j] -= self.variances[j] * self.eta * (1.0 - p) / s;
        for arm in [i, j] {
            self.variances[arm] -= self.variances[arm] * self.variances[arm] * h / s;
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
