//! The kinds of arenas that runs are played in.
//!
//! Run loops are compiled for every kind of arena, and where the arena is fast, for each policy with loops of its own. They
//! are all compiled here: crates that play runs, and their tests, only call them.

use std::iter::repeat_n;
use std::time::Instant;

use bandits::open::{OpenRunState, play_open_in_step};
use bandits::registry::{PolicyVisitor, Spec};
use bandits::{Arena, Generators, MatrixArena, ParameterError, Policy, RunState, UtilityArena, play_in_step};

use super::RunResult;
use super::observer::RunObserver;

/// A run before its first step.
pub(super) struct StartingRun<'a, A> {
    pub(super) arena: A,
    pub(super) generators: Generators,
    pub(super) observer: RunObserver<'a>,
}

/// Runs of one algorithm that a thread plays side by side.
pub struct RunsInStep<'a, A> {
    pub(super) algorithm: &'a Spec,
    pub(super) arms: usize,
    pub(super) steps: u64,
    pub(super) runs: Vec<StartingRun<'a, A>>,
}

/// The same with answers that come late.
pub struct LateRunsInStep<'a, A> {
    pub(super) steps: u64,
    pub(super) runs: Vec<OpenRunState<A, RunObserver<'a>>>,
}

/// An arena that runs are played in. A new kind of arena needs one line, `played_arena!(NewArena, play);`, or with
/// `play_boxed` where a step takes so long that a virtual call of the policy does not show.
pub trait PlayedArena: Arena + Sized {
    /// Plays the runs to their ends.
    ///
    /// # Errors
    /// If the algorithm does not accept this number of arms.
    fn play(runs: RunsInStep<'_, Self>) -> Result<Vec<RunResult>, ParameterError>;

    /// Plays runs with late answers to their ends.
    fn play_late(runs: &mut LateRunsInStep<'_, Self>);
}

/// Implements [`PlayedArena`] for a kind of arenas, in functions without type parameters, so that they are compiled here.
macro_rules! played_arena {
    ($arena:ty, $play:ident) => {
        impl $crate::runs::PlayedArena for $arena {
            fn play(
                runs: $crate::runs::RunsInStep<'_, Self>,
            ) -> Result<Vec<$crate::runs::RunResult>, ::bandits::ParameterError> {
                runs.$play()
            }

            fn play_late(runs: &mut $crate::runs::LateRunsInStep<'_, Self>) {
                runs.play();
            }
        }
    };
}

pub(crate) use played_arena;

played_arena!(MatrixArena, play);
played_arena!(UtilityArena, play_boxed);

impl<A: Arena> RunsInStep<'_, A> {
    pub(crate) fn play(self) -> Result<Vec<RunResult>, ParameterError> {
        self.algorithm.visit(self.arms, Some(self.steps), self)
    }

    /// The same with one loop for all policies.
    pub(crate) fn play_boxed(self) -> Result<Vec<RunResult>, ParameterError> {
        let policy = self.algorithm.policy(self.arms, Some(self.steps))?;
        Ok(self.visit(policy))
    }
}

impl<A: Arena> LateRunsInStep<'_, A> {
    pub(crate) fn play(&mut self) {
        play_open_in_step(&mut self.runs, self.steps);
    }
}

impl<A: Arena> PolicyVisitor for RunsInStep<'_, A> {
    type Output = Vec<RunResult>;

    fn visit<P: Policy + Clone + Send + 'static>(self, policy: P) -> Vec<RunResult> {
        let start = Instant::now();
        let policies = repeat_n(policy, self.runs.len());
        let state =
            |(StartingRun { arena, generators, observer }, policy)| RunState::new(policy, arena, generators, observer);
        let mut states: Vec<_> = self.runs.into_iter().zip(policies).map(state).collect();
        play_in_step(&mut states, self.steps);
        let seconds = start.elapsed().as_secs_f64() / states.len().max(1) as f64;
        let finish = |state: RunState<P, A, RunObserver<'_>>| {
            let played = state.played();
            state.observer.finish(played, self.steps, state.arena.gaps(), seconds)
        };
        states.into_iter().map(finish).collect()
    }
}
