//! MDB as printed, O(K^2) a step.

use super::upper;
use crate::counts::PairCounts;
use crate::policies::mdb::MdbConfig;
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// MDB as printed.
#[derive(Debug, Clone)]
pub struct ReferenceMdb {
    config: MdbConfig,
    wins: PairCounts,
    set: Vec<Arm>,
}

impl ReferenceMdb {
    /// For valid parameters and at least one arm.
    #[must_use]
    pub fn new(config: &MdbConfig, arms: usize) -> Self {
        Self { config: config.clone(), wins: PairCounts::new(arms, 0), set: Vec::new() }
    }

    fn contenders(&self, time: f64) -> Vec<Arm> {
        let all = 0..self.wins.arms();
        let u = |i: usize, j: usize| upper(&self.wins, i, j, time, 2.0);
        all.clone().filter(|&i| all.clone().all(|j| u(i, j) >= 0.5)).map(Arm::at).collect()
    }
}

impl Policy for ReferenceMdb {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, _generator: &mut Generator) -> Choice<'_> {
        let time = self.config.alpha * libm::log(step as f64);
        let everyone: Vec<Arm> = (0..self.wins.arms()).map(Arm::at).collect();
        let narrow = if step == 1 { Vec::new() } else { self.contenders(time) };
        self.set = match narrow.len() {
            0 => everyone,
            1 => narrow,
            _ => self.contenders(self.config.beta * time),
        };
        if let [arm] = self.set[..] {
            return Choice::Alone { arm, until: step };
        }
        Choice::Set(&self.set)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Set { wins } = feedback else {
            return;
        };
        for (i, &first) in self.set.iter().enumerate() {
            for (j, &second) in self.set.iter().enumerate() {
                if wins.beats(i, j) {
                    self.wins.record(first.index(), second.index());
                }
            }
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
