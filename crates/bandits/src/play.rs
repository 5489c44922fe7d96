//! The run loop: one policy in one arena.

use crate::{Arena, Choice, Generator, Policy};

/// A run's generators, one a role, so that what one role draws never shifts another's draws.
#[derive(Debug, Clone)]
pub struct Generators {
    /// The policy's own.
    pub policy: Generator,
    /// The arena's.
    pub arena: Generator,
    /// The coins that break ties.
    pub coins: Generator,
}

/// Sees every step of a run.
pub trait Observer {
    /// Steps `from..=to` (1-based; one step but for [`Choice::Alone`]) were played as `choice`.
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, gaps: &[f64]);
    /// Whether to stop before the horizon (asked now and then).
    fn stop(&mut self) -> bool {
        false
    }
}

/// Plays `policy` in `arena` for `horizon` steps.
pub fn play<P: Policy + ?Sized, A: Arena + ?Sized, O: Observer>(
    policy: &mut P,
    arena: &mut A,
    horizon: u64,
    generators: &mut Generators,
    observer: &mut O,
) {
    todo!()
}
