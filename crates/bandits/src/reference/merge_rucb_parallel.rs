//! mergeRUCB in sweeps, with one matrix of all wins and batches as lists.

use crate::counts::PairCounts;
use crate::policies::merge_rucb::{MergeRucbConfig, Variant};
use crate::random::{argmax, below, shuffle};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// mergeRUCB in sweeps, everything recomputed.
#[derive(Debug, Clone)]
pub struct ReferenceMergeRucbParallel {
    config: MergeRucbConfig,
    c: f64,
    wins: PairCounts,
    batches: Vec<Vec<usize>>,
    stage: u32,
    sweep: Vec<(usize, usize)>,
    outcomes: Vec<(Arm, Arm)>,
}

impl ReferenceMergeRucbParallel {
    /// For valid parameters, at least one arm, and a given C(delta).
    #[must_use]
    pub fn new(config: &MergeRucbConfig, arms: usize) -> Self {
        let lerot = config.variant == Variant::Lerot;
        let c = config.c.unwrap_or(1.0);
        Self {
            config: config.clone(),
            c: if lerot { c.ceil() } else { c },
            wins: PairCounts::new(arms, u32::from(lerot)),
            batches: Vec::new(),
            stage: 1,
            sweep: Vec::new(),
            outcomes: Vec::new(),
        }
    }

    fn bound(&self, k: usize, l: usize, time: f64) -> f64 {
        let count = f64::from(self.wins[(k, l)]) + f64::from(self.wins[(l, k)]);
        if k == l || count == 0.0 {
            return if k == l { 0.5 } else { 2.0 };
        }
        // As the fast form has it, so that exact ties are ties in both.
        let share = 1.0 / count;
        f64::from(self.wins[(k, l)]) * share + time.sqrt() * share.sqrt()
    }

    fn drop_losers(&mut self, time: f64) {
        for index in 0..self.batches.len() {
            let batch = &self.batches[index];
            let kept: Vec<usize> =
                batch.iter().copied().filter(|&k| batch.iter().all(|&l| self.bound(k, l, time) >= 0.5)).collect();
            if !kept.is_empty() {
                self.batches[index] = kept;
            }
        }
    }

    fn stage_ends(&self) -> bool {
        let share = self.wins.arms() as f64 / 2_f64.powi(self.stage as i32);
        let few = if self.config.variant == Variant::Lerot { share.floor() + 1.0 } else { share };
        let left: usize = self.batches.iter().map(Vec::len).sum();
        left as f64 <= few || self.batches.iter().all(|batch| batch.len() < 2)
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
        self.stage += 1;
    }

    fn begin_sweep(&mut self, step: u64, generator: &mut Generator) {
        let time = self.config.alpha * libm::log(step as f64 + self.c);
        if self.batches.is_empty() {
            let mut order: Vec<usize> = (0..self.wins.arms()).collect();
            if self.config.variant == Variant::Lerot {
                shuffle(generator, &mut order);
            }
            let chunks = order.chunks(self.config.batch);
            self.batches = chunks.map(<[usize]>::to_vec).collect();
        }
        self.drop_losers(time);
        while self.batches.len() > 1 && self.stage_ends() {
            self.merge(generator);
            self.drop_losers(time);
        }
        for batch in self.batches.iter().filter(|batch| batch.len() > 1) {
            let champion = below(generator, batch.len());
            let bounds = batch
                .iter()
                .enumerate()
                .map(|(place, &l)| if place == champion { -1.0 } else { self.bound(l, batch[champion], time) });
            let challenger = argmax(generator, bounds).unwrap_or(champion);
            self.sweep.push((batch[champion], batch[challenger]));
        }
        self.sweep.reverse();
    }
}

impl Policy for ReferenceMergeRucbParallel {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.sweep.is_empty() {
            for (winner, loser) in std::mem::take(&mut self.outcomes) {
                self.wins.record(winner.index(), loser.index());
            }
            self.begin_sweep(step, generator);
        }
        match self.sweep.last() {
            Some(&(first, second)) => Choice::Duel(Arm::at(first), Arm::at(second)),
            None => Choice::Alone { arm: Arm::at(self.batches[0][0]), until: step },
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.sweep.pop();
            self.outcomes.push((winner, loser));
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
