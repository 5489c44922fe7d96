//! Policies that take late outcomes themselves.

use std::sync::Arc;

use super::{DelayedFeedback, LateForm, share_arms};
use crate::state::{StateError, StateReader, StateWriter};
use crate::{Arm, Choice, Feedback, Generator};

#[derive(Clone)]
pub(super) struct NativeForm<P> {
    pub(super) policy: P,
}

impl<P: DelayedFeedback + Clone + Send + 'static> LateForm for NativeForm<P> {
    fn arms(&self) -> usize {
        self.policy.arms()
    }

    fn choose<'s>(&mut self, step: u64, generator: &mut Generator, set: &'s mut Arc<[Arm]>) -> Choice<'s> {
        match self.policy.choose(step, generator) {
            Choice::Alone { arm, until } => Choice::Alone { arm, until },
            Choice::Duel(first, second) => {
                self.policy.depart(&[first, second]);
                Choice::Duel(first, second)
            }
            Choice::Set(arms) => {
                let arms = share_arms(set, arms);
                self.policy.depart(arms);
                Choice::Set(arms)
            }
        }
    }

    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        self.policy.arrive(step, arms, feedback);
    }

    fn cut(&mut self, last: u64) -> bool {
        self.policy.cut(last);
        true
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.policy.recommend(generator)
    }

    fn is_native(&self) -> bool {
        true
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        self.policy.wins(i, j)
    }

    fn waiting(&self) -> u64 {
        0
    }

    fn copy(&self) -> Box<dyn LateForm> {
        Box::new(self.clone())
    }

    fn save(&self, to: &mut StateWriter) -> bool {
        self.policy.save(to)
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        self.policy.load(from)
    }
}
