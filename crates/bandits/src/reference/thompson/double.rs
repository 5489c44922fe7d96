//! D-TS, D-TS+ and RTS as printed: every preference drawn from its Beta distribution, twice, at every step.

use crate::counts::{PairCounts, PairTable};
use crate::policies::{dts, rts};
use crate::random::argmax;
use crate::random::preference;
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// D-TS, D-TS+ or RTS as printed.
#[derive(Debug, Clone)]
pub struct ReferenceDoubleThompson {
    wins: PairCounts,
    /// The bounds' alpha and pseudo-counts; RTS has none.
    bounds: Option<(f64, f64)>,
    plus: bool,
}

impl ReferenceDoubleThompson {
    /// For valid parameters and at least one arm.
    #[must_use]
    pub fn new<const PLUS: bool>(config: &dts::DoubleThompsonConfig<PLUS>, arms: usize) -> Self {
        let prior = match config.variant {
            dts::Variant::Paper => 0.0,
            dts::Variant::MergeDts => 1.0,
        };
        Self { wins: PairCounts::new(arms, 0), bounds: Some((config.alpha, prior)), plus: PLUS }
    }

    /// RTS, for at least one arm.
    #[must_use]
    pub fn rts(_: &rts::RtsConfig, arms: usize) -> Self {
        Self { wins: PairCounts::new(arms, 0), bounds: None, plus: false }
    }

    /// u(i, j); l(i, j) = 1 - u(j, i).
    fn upper(&self, i: usize, j: usize, step: u64) -> f64 {
        let Some((alpha, prior)) = self.bounds else {
            return 2.0;
        };
        let (won, lost) = (f64::from(self.wins[(i, j)]) + prior, f64::from(self.wins[(j, i)]) + prior);
        if i == j {
            0.5
        } else if won + lost == 0.0 {
            2.0
        } else {
            let count = won + lost;
            won / count + (alpha * libm::log(step as f64) / count).sqrt()
        }
    }

    fn first(&self, step: u64, generator: &mut Generator) -> usize {
        let arms = self.wins.arms();
        let ahead = |i: usize| {
            let others = (0..arms).filter(|&j| j != i);
            others.filter(|&j| self.upper(i, j, step) >= 0.5).count()
        };
        let most = (0..arms).map(ahead).max().unwrap_or(0);
        let mut theta = PairTable::new(arms, 0.5);
        for i in 0..arms {
            for j in i + 1..arms {
                let (won, lost) = (self.wins[(i, j)], self.wins[(j, i)]);
                theta[(i, j)] = preference(generator, won, lost);
                theta[(j, i)] = 1.0 - theta[(i, j)];
            }
        }
        let scores: Vec<f64> = (0..arms).map(|i| (0..arms).filter(|&j| theta[(i, j)] > 0.5).count() as f64).collect();
        let candidates: Vec<usize> = (0..arms).filter(|&i| ahead(i) == most).collect();
        let top = candidates.iter().map(|&i| scores[i]).fold(0.0, f64::max);
        let tied: Vec<usize> = candidates.into_iter().filter(|&i| scores[i] == top).collect();
        let highest = scores.iter().copied().fold(0.0, f64::max);
        let promise = |&i: &usize| {
            if !self.plus {
                return 0.0;
            }
            let regrets = (0..arms).filter(|&j| j != i).map(|j| {
                let p = theta[(i, j)];
                let divergence = p * (2.0 * p).ln() + (1.0 - p) * (2.0 - 2.0 * p).ln();
                (highest - (scores[i] + scores[j]) / 2.0) / divergence
            });
            -regrets.sum::<f64>()
        };
        let promises: Vec<f64> = tied.iter().map(promise).collect();
        tied[argmax(generator, promises.into_iter()).unwrap_or(0)]
    }
}

impl Policy for ReferenceDoubleThompson {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let first = self.first(step, generator);
        let theta: Vec<f64> = (0..self.wins.arms())
            .map(|i| {
                let (won, lost) = (self.wins[(i, first)], self.wins[(first, i)]);
                if i == first {
                    0.5
                } else if self.upper(first, i, step) < 0.5 {
                    -1.0
                } else {
                    preference(generator, won, lost)
                }
            })
            .collect();
        let second = argmax(generator, theta.into_iter()).unwrap_or(first);
        if first == second {
            return Choice::Alone { arm: Arm::at(first), until: step };
        }
        Choice::Duel(Arm::at(first), Arm::at(second))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.wins.record(winner.index(), loser.index());
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
