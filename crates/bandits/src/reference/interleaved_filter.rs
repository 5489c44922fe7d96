//! IF1 and IF2 from a log of all duels of the present candidate.

use crate::policies::interleaved_filter::{InterleavedFilterConfig, log_inverse_delta};
use crate::random::below;
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// IF1 or IF2, from a log of duels.
#[derive(Debug, Clone)]
pub struct ReferenceInterleavedFilter {
    prunes: bool,
    arms: usize,
    log_delta: f64,
    candidate: Option<usize>,
    others: Vec<usize>,
    /// The arm that the candidate met, and whether it won.
    log: Vec<(usize, bool)>,
    /// The arms still to come in this pass.
    pass: Vec<usize>,
}

impl ReferenceInterleavedFilter {
    /// For at least one arm and a horizon.
    #[must_use]
    pub fn new<const PRUNES: bool>(_: &InterleavedFilterConfig<PRUNES>, arms: usize, horizon: u64) -> Self {
        Self {
            prunes: PRUNES,
            arms,
            log_delta: log_inverse_delta(arms, horizon),
            candidate: None,
            others: Vec::new(),
            log: Vec::new(),
            pass: Vec::new(),
        }
    }

    fn mean(&self, arm: usize) -> f64 {
        let duels = self.log.iter().filter(|&&(other, _)| other == arm);
        let won = duels.clone().filter(|&&(_, won)| won).count();
        won as f64 / duels.count() as f64
    }

    fn radius(&self, arm: usize) -> f64 {
        let duels = self.log.iter().filter(|&&(other, _)| other == arm);
        (4.0 * self.log_delta / duels.count() as f64).sqrt()
    }

    fn end_pass(&mut self, generator: &mut Generator) {
        let others = self.others.clone();
        let kept = others.iter().filter(|&&k| self.mean(k) - self.radius(k) <= 0.5);
        self.others = kept.copied().collect();
        let better: Vec<usize> = self.others.iter().copied().filter(|&k| self.mean(k) + self.radius(k) < 0.5).collect();
        if better.is_empty() {
            return;
        }
        let successor = better[below(generator, better.len())];
        let prunes = self.prunes;
        let others = self.others.clone();
        let kept = others.iter().filter(|&&k| k != successor && !(prunes && self.mean(k) > 0.5));
        self.others = kept.copied().collect();
        self.candidate = Some(successor);
        self.log.clear();
    }
}

impl Policy for ReferenceInterleavedFilter {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.candidate.is_none() {
            let candidate = below(generator, self.arms);
            self.candidate = Some(candidate);
            self.others = (0..self.arms).filter(|&arm| arm != candidate).collect();
        } else if self.pass.is_empty() && !self.others.is_empty() {
            self.end_pass(generator);
        }
        if self.pass.is_empty() {
            self.pass = self.others.iter().rev().copied().collect();
        }
        let candidate = Arm::at(self.candidate.unwrap_or(0));
        match self.pass.last() {
            Some(&other) => Choice::Duel(candidate, Arm::at(other)),
            None => Choice::Alone { arm: candidate, until: step },
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let (Feedback::Duel { first_won, .. }, Some(other)) = (feedback, self.pass.pop()) {
            self.log.push((other, first_won));
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
