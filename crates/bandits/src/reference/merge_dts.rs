//! MergeDTS with one matrix of all wins, batches as lists, and every preference from its Beta distribution.

use crate::counts::PairCounts;
use crate::policies::merge_dts::{MergeDtsConfig, Variant};
use crate::random::preference;
use crate::random::{argmax, below, shuffle};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// MergeDTS, everything recomputed.
#[derive(Debug, Clone)]
pub struct ReferenceMergeDts {
    config: MergeDtsConfig,
    authors: bool,
    c: f64,
    wins: PairCounts,
    batches: Vec<Vec<usize>>,
    cursor: usize,
    stage: i32,
    since: u64,
}

impl ReferenceMergeDts {
    /// For valid parameters, at least one arm, and a C(delta) that is a number.
    #[must_use]
    pub fn new(config: &MergeDtsConfig, arms: usize) -> Self {
        let authors = config.variant == Variant::Authors;
        let c = config.merging_parameters().ln_c(arms).exp();
        Self {
            config: config.clone(),
            authors,
            c: if authors { (c * (1.0 + 1e-12)).floor() } else { c },
            wins: PairCounts::new(arms, 0),
            batches: Vec::new(),
            cursor: 0,
            stage: 1,
            since: 0,
        }
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

    /// u(k, l) < 1/2.
    fn has_lost(&self, k: usize, l: usize, step: u64) -> bool {
        let prior = if self.authors { 1.0 } else { 0.0 };
        let (won, lost) = (f64::from(self.wins[(k, l)]) + prior, f64::from(self.wins[(l, k)]) + prior);
        let count = won + lost;
        let time = self.config.alpha * ((step - self.since) as f64 + self.c).ln();
        k != l && count > 0.0 && won / count + (time / count).sqrt() < 0.5
    }

    /// Drops the arms that the current batch has ruled out: one, or all. Returns whether there was one.
    fn drop_losers(&mut self, step: u64, generator: &mut Generator) -> bool {
        let batch = self.batches[self.cursor].clone();
        let losers: Vec<usize> = batch
            .iter()
            .flat_map(|&k| batch.iter().map(move |&l| (k, l)))
            .filter(|&(k, l)| self.has_lost(k, l, step))
            .map(|(k, _)| k)
            .collect();
        if losers.is_empty() {
            return false;
        }
        let chosen = [losers[below(generator, losers.len())]];
        let gone: &[usize] = if self.authors { &chosen } else { &losers };
        let kept: Vec<usize> = batch.iter().copied().filter(|k| !gone.contains(k)).collect();
        if kept.is_empty() {
            return false;
        }
        self.batches[self.cursor] = kept;
        true
    }
}

impl Policy for ReferenceMergeDts {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let arms = self.wins.arms();
        if self.batches.is_empty() {
            let mut order: Vec<usize> = (0..arms).collect();
            if self.authors {
                shuffle(generator, &mut order);
            }
            let batches = order.chunks(self.config.batch).map(<[usize]>::to_vec);
            self.batches = batches.collect();
        }
        let left: usize = self.batches.iter().map(Vec::len).sum();
        let share = arms as f64 / 2_f64.powi(self.stage);
        let few = if self.authors { share.floor() + 1.0 } else { share };
        if self.batches.len() > 1 && left as f64 <= few {
            self.merge(generator);
            self.since = if self.authors { step - 1 } else { 0 };
        }
        loop {
            while self.batches[self.cursor].len() == 1 && self.batches.len() > 1 {
                let mut lone = self.batches.remove(self.cursor);
                self.cursor %= self.batches.len();
                self.batches[self.cursor].append(&mut lone);
            }
            if !self.drop_losers(step, generator) {
                break;
            }
        }
        let batch = self.batches[self.cursor].clone();
        if let [last] = batch[..] {
            return Choice::Alone { arm: Arm::at(last), until: step };
        }
        let theta =
            |k: usize, l: usize, generator: &mut Generator| preference(generator, self.wins[(k, l)], self.wins[(l, k)]);
        let mut scores = vec![0; batch.len()];
        for k in 0..batch.len() {
            for l in k + 1..batch.len() {
                let forth = theta(batch[k], batch[l], generator);
                let back = if self.authors { theta(batch[l], batch[k], generator) } else { 1.0 - forth };
                scores[k] += u32::from(forth > 0.5);
                scores[l] += u32::from(back > 0.5);
            }
        }
        let champion = argmax(generator, scores.iter()).unwrap_or(0);
        let worst: Vec<f64> = (0..batch.len())
            .map(|l| if l == champion { f64::NEG_INFINITY } else { -theta(batch[l], batch[champion], generator) })
            .collect();
        let challenger = argmax(generator, worst.into_iter()).unwrap_or(champion);
        Choice::Duel(Arm::at(batch[champion]), Arm::at(batch[challenger]))
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
