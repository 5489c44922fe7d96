//! Algorithms that choose both arms by Thompson sampling (RTS, D-TS): the posterior, late outcomes and the recommendation. A
//! rule determines which arms may take part.

use super::{Field, Posterior, Preferences as _, Sampler, Ties};
use crate::{Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, State, state, stored};

/// Determines which arms may take part in a step, and how duels are counted.
pub(crate) trait ThompsonRule {
    /// Whether all duels are remembered.
    const KEEPS_ALL_DUELS: bool = true;

    /// The arms that may take part in `step`, once outcomes past by then are forgotten.
    fn field(&mut self, step: u64, posterior: &mut Posterior) -> Field<'_>;

    /// Counts the duel of `step`, perhaps an earlier one than the last.
    fn record(&mut self, step: u64, winner: Arm, loser: Arm, posterior: &mut Posterior);
}

/// The policy of such a rule.
#[derive(Debug, Clone)]
pub struct ThompsonSampling<R> {
    pub(crate) rule: R,
    pub(crate) posterior: Posterior,
    sampler: Sampler,
}

state!(bounded R: State => ThompsonSampling<R> { rule, posterior, sampler });

impl<R> ThompsonSampling<R> {
    pub(crate) fn new(arms: usize, ties: Ties, rule: R) -> Self {
        Self { rule, posterior: Posterior::new(arms), sampler: Sampler::new(arms, ties) }
    }
}

impl<R: ThompsonRule + State> Policy for ThompsonSampling<R> {
    fn arms(&self) -> usize {
        self.posterior.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let field = self.rule.field(step, &mut self.posterior);
        self.sampler.choose(&self.posterior, field, step, generator)
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.rule.record(step, winner, loser, &mut self.posterior);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.posterior.wins().copeland_best(generator)
    }

    stored!();
}

impl<R: ThompsonRule + State> DelayedFeedback for ThompsonSampling<R> {
    fn arrive(&mut self, step: u64, _arms: &[Arm], feedback: Option<Feedback<'_>>) {
        self.sampler.draw_again();
        if let Some(feedback) = feedback {
            self.learn(step, feedback);
        }
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        R::KEEPS_ALL_DUELS.then(|| self.posterior.wins().between(i.index(), j.index()))
    }
}
