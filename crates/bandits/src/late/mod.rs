//! Policies with late outcomes: natively for algorithms that keep counts, and through queues for all others. Tickets, logs
//! and simulated delays are in `open`.

mod native;
mod queued;

use std::sync::Arc;

use native::NativeForm;
use queued::QueuedForm;

use crate::state::{StateError, StateReader, StateWriter};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// A policy with any number of open choices; their outcomes arrive in any order, or never.
///
/// [`Policy::choose`] is called once per choice, with rising steps, whether or not the outcomes of earlier ones are
/// known; [`depart`](Self::depart) announces each duel or set immediately after it, and [`arrive`](Self::arrive)
/// returns it once. The rules that the algorithms of this crate follow:
///
/// * A rule that follows upper confidence bounds counts open duels at their pair's present mean (1/2 if nothing is known
///   of it) in the bounds that *choose*, so that it does not choose the same pair a thousand times while the first
///   outcome is under way.
/// * What cannot be undone (eliminations, merges, stages) depends on known outcomes only, and so does the decision to
///   start a stretch [alone](Choice::Alone) of more than one step.
/// * A rule that samples draws again at each choice, which spreads its choices: it counts nothing that is open.
///
/// If each outcome arrives before the next choice, the choices must be those of the plain [`Policy`] calls.
pub trait DelayedFeedback: Policy {
    /// The choice just made of these arms (two, or those of the set) is open from now on.
    fn depart(&mut self, arms: &[Arm]) {
        let _ = arms;
    }

    /// A choice of these arms, made for `step`, is open no longer: with its outcome, or forgotten.
    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        let _ = arms;
        if let Some(feedback) = feedback {
            self.learn(step, feedback);
        }
    }

    /// How often `i` beat `j` and `j` beat `i`, as far as outcomes have arrived; `None` if it does not keep the wins of
    /// every pair.
    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        let _ = (i, j);
        None
    }

    /// The last stretch alone ends early, after step `last`: an outcome arrives, and the policy then chooses again.
    fn cut(&mut self, last: u64) {
        let _ = last;
    }
}

/// A policy in the form in which it takes late outcomes.
pub struct LatePolicy {
    form: Box<dyn LateForm>,
}

impl LatePolicy {
    /// One that takes late outcomes itself.
    #[must_use]
    pub fn native<P: DelayedFeedback + Clone + Send + 'static>(policy: P) -> Self {
        Self { form: Box::new(NativeForm { policy }) }
    }

    /// Any other policy: outcomes wait in a queue per pair until it chooses that pair, and while the queue of its choice
    /// is empty, users see that pair.
    ///
    /// This is QPM-D of P. Joulani, A. György, C. Szepesvári, "Online Learning under Delayed Feedback", ICML 2013,
    /// <https://proceedings.mlr.press/v28/joulani13.html>. It costs at most the delay times the number of pairs, which
    /// is much for many arms.
    ///
    /// The steps that the policy sees are those that it learns from, and those of its stretches alone.
    #[must_use]
    pub fn queued<P: Policy + Clone + Send + 'static>(policy: P) -> Self {
        Self { form: Box::new(QueuedForm::new(Box::new(policy))) }
    }

    /// Whether it takes late outcomes itself.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.form.is_native()
    }

    /// The number of outcomes that wait in queues.
    pub(crate) fn waiting(&self) -> u64 {
        self.form.waiting()
    }

    pub(crate) fn arms(&self) -> usize {
        self.form.arms()
    }

    /// The choice for an impression, which is open from now on. `set` keeps the arms of the last set.
    pub(crate) fn choose<'s>(&mut self, step: u64, generator: &mut Generator, set: &'s mut Arc<[Arm]>) -> Choice<'s> {
        self.form.choose(step, generator, set)
    }

    pub(crate) fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        self.form.arrive(step, arms, feedback);
    }

    pub(crate) fn cut(&mut self, last: u64) -> bool {
        self.form.cut(last)
    }

    pub(crate) fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        self.form.wins(i, j)
    }

    pub(crate) fn save(&self, to: &mut StateWriter) -> bool {
        self.form.save(to)
    }

    pub(crate) fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        self.form.load(from)
    }

    pub(crate) fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.form.recommend(generator)
    }
}

impl Clone for LatePolicy {
    fn clone(&self) -> Self {
        Self { form: self.form.copy() }
    }
}

impl std::fmt::Debug for LatePolicy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (arms, native) = (self.arms(), self.is_native());
        formatter.debug_struct("LatePolicy").field("arms", &arms).field("native", &native).finish_non_exhaustive()
    }
}

/// The interface of both forms, with their types erased.
trait LateForm: Send {
    fn arms(&self) -> usize;
    /// The choice is open from now on: one virtual call for both. `set` keeps the arms of the last set.
    fn choose<'s>(&mut self, step: u64, generator: &mut Generator, set: &'s mut Arc<[Arm]>) -> Choice<'s>;
    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>);
    /// Ends the stretch alone after step `last`, where outcomes that arrive end it: returns whether they do.
    fn cut(&mut self, last: u64) -> bool;
    fn recommend(&self, generator: &mut Generator) -> Option<Arm>;
    fn is_native(&self) -> bool;
    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)>;
    fn waiting(&self) -> u64;
    fn copy(&self) -> Box<dyn LateForm>;
    fn save(&self, to: &mut StateWriter) -> bool;
    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError>;
}

/// Writes the arms of a set where they are shared as long as it stays the same.
fn share_arms<'s>(set: &'s mut Arc<[Arm]>, arms: &[Arm]) -> &'s [Arm] {
    if **set != *arms {
        *set = arms.into();
    }
    set
}
