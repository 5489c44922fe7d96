//! mergeRUCB with one matrix of all wins and batches as lists.

use super::upper;
use crate::counts::PairCounts;
use crate::policies::merge_rucb::{MergeRucbConfig, Variant};
use crate::random::{argmax, below, shuffle};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// mergeRUCB, everything recomputed.
#[derive(Debug, Clone)]
pub struct ReferenceMergeRucb {
    config: MergeRucbConfig,
    c: f64,
    wins: PairCounts,
    batches: Vec<Vec<usize>>,
    cursor: usize,
    stage: u32,
}

impl ReferenceMergeRucb {
    /// For valid parameters, at least one arm, and a C(delta) that is a number.
    #[must_use]
    pub fn new(config: &MergeRucbConfig, arms: usize) -> Self {
        let (alpha, k) = (config.alpha, arms as f64);
        let c = config.c.unwrap_or_else(|| {
            let ratio = (4.0 * alpha - 1.0) * k * k / ((2.0 * alpha - 1.0) * config.delta);
            ratio.powf(1.0 / (2.0 * alpha - 1.0))
        });
        let lerot = config.variant == Variant::Lerot;
        Self {
            config: config.clone(),
            c: if lerot { c.ceil() } else { c },
            wins: PairCounts::new(arms, u32::from(lerot)),
            batches: Vec::new(),
            cursor: 0,
            stage: 1,
        }
    }

    fn arms_left(&self) -> usize {
        self.batches.iter().map(Vec::len).sum()
    }

    fn merge(&mut self, generator: &mut Generator) {
        let p = self.config.batch;
        for round in 0..2 {
            let small = self.batches.iter().any(|batch| 2 * batch.len() <= p);
            if round == 1 && !(small && self.batches.len() > 1) {
                break;
            }
            let mut unpaired = std::mem::take(&mut self.batches);
            shuffle(generator, &mut unpaired);
            unpaired.sort_by_key(Vec::len);
            while unpaired.len() > 1 {
                let mut largest = unpaired.pop().unwrap_or_default();
                if 2 * (unpaired[0].len() + largest.len()) <= 3 * p {
                    largest.append(&mut unpaired.remove(0));
                }
                self.batches.push(largest);
            }
            self.batches.append(&mut unpaired);
        }
        self.cursor = 0;
        self.stage += 1;
    }
}

impl Policy for ReferenceMergeRucb {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let arms = self.wins.arms();
        let lerot = self.config.variant == Variant::Lerot;
        let time = self.config.alpha * libm::log(step as f64 + self.c);
        if self.batches.is_empty() {
            let mut order: Vec<usize> = (0..arms).collect();
            if lerot {
                shuffle(generator, &mut order);
            }
            self.batches = order.chunks(self.config.batch).map(<[usize]>::to_vec).collect();
        }
        let share = arms as f64 / 2_f64.powi(i32::try_from(self.stage).unwrap_or(i32::MAX));
        let few = if lerot { share.floor() + 1.0 } else { share };
        if self.batches.len() > 1 && self.arms_left() as f64 <= few {
            self.merge(generator);
        }
        loop {
            if self.batches.iter().all(|batch| batch.len() < 2) {
                if let [last] = self.batches.as_slice() {
                    return Choice::Alone { arm: Arm::at(last[0]), until: step };
                }
                self.merge(generator);
            }
            let batch = self.batches[self.cursor].clone();
            let u = |k: usize, l: usize| upper(&self.wins, k, l, time, 2.0);
            let survivors: Vec<usize> =
                batch.iter().copied().filter(|&k| batch.iter().all(|&l| u(k, l) >= 0.5)).collect();
            if !survivors.is_empty() {
                self.batches[self.cursor].clone_from(&survivors);
            }
            if survivors.len() > 1 {
                let champion = below(generator, survivors.len());
                let bounds = survivors
                    .iter()
                    .enumerate()
                    .map(|(place, &l)| if place == champion { -1.0 } else { u(l, survivors[champion]) });
                let challenger = argmax(generator, bounds).unwrap_or(champion);
                return Choice::Duel(Arm::at(survivors[champion]), Arm::at(survivors[challenger]));
            }
            self.cursor = (self.cursor + 1) % self.batches.len();
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.wins.record(winner.index(), loser.index());
            self.cursor = (self.cursor + 1) % self.batches.len();
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
