//! Policies behind a pointer: one type for all, so that code that takes longer than their steps is compiled once.

use super::{Arm, Choice, Feedback, Policy};
use crate::Generator;
use crate::state::{StateError, StateReader, StateWriter};

/// A policy that can be copied, whatever its type.
pub trait OwnedPolicy: Policy + Send {
    /// A policy in the same state.
    fn copied(&self) -> Box<dyn OwnedPolicy>;
}

impl<P: Policy + Clone + Send + 'static> OwnedPolicy for P {
    fn copied(&self) -> Box<dyn OwnedPolicy> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn OwnedPolicy> {
    fn clone(&self) -> Self {
        // `copied` of the boxed policy: the box is such a policy, too.
        (**self).copied()
    }
}

impl Policy for Box<dyn OwnedPolicy> {
    fn arms(&self) -> usize {
        (**self).arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        (**self).choose(step, generator)
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        (**self).learn(step, feedback);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        (**self).recommend(generator)
    }

    fn save(&self, to: &mut StateWriter) -> bool {
        (**self).save(to)
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        (**self).load(from)
    }
}
