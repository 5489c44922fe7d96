//! Self-Sparring as printed: every arm drawn for every pick.

use crate::policies::self_sparring::SelfSparringConfig;
use crate::random::{Beta, Normals, argmax};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// Self-Sparring as printed, with two picks.
#[derive(Debug, Clone)]
pub struct ReferenceSelfSparring {
    eta: f64,
    /// S(i) and F(i).
    counts: Vec<[f64; 2]>,
}

impl ReferenceSelfSparring {
    /// For valid parameters and at least one arm.
    #[must_use]
    pub fn new(config: &SelfSparringConfig, arms: usize) -> Self {
        Self { eta: config.eta, counts: vec![[0.0; 2]; arms] }
    }

    fn pick(&self, generator: &mut Generator) -> Arm {
        let normals = Normals::new();
        let draw = |&[won, lost]: &[f64; 2]| Beta::new(won + 1.0, lost + 1.0).draw(normals, generator);
        let theta: Vec<f64> = self.counts.iter().map(draw).collect();
        Arm::at(argmax(generator, theta.into_iter()).unwrap_or(0))
    }
}

impl Policy for ReferenceSelfSparring {
    fn arms(&self) -> usize {
        self.counts.len()
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        Choice::Duel(self.pick(generator), self.pick(generator))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.counts[winner.index()][0] += self.eta;
            self.counts[loser.index()][1] += self.eta;
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
