//! The environments that answer a policy's choices: the trait, preference matrices, utilities, and renumbered arms.
//! Arenas with documents and users belong to other crates.

mod matrix;
mod shuffled;
mod utility;

pub use matrix::MatrixArena;
pub use shuffled::ShuffledArena;
pub use utility::{UtilityArena, UtilityError};

use crate::{Arm, Generator, PairWins, Preference};

/// Compares the arms that a policy chooses, and has the gaps from which regret is computed.
pub trait Arena {
    /// The number of arms.
    fn arms(&self) -> usize;

    /// Compares two arms once. The run loop never calls it with the same arm twice.
    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> Preference;

    /// Called before every choice, with its first step. An arena with preferences that change over time switches to those of
    /// this step, and returns the last step for which they hold; a stretch alone is split so that the [`gaps`](Self::gaps)
    /// counted for it hold throughout.
    #[inline]
    fn reach(&mut self, _step: u64) -> u64 {
        u64::MAX
    }

    /// Called before every step that is played as a duel (of an arm with itself, too) or as a set, before
    /// [`prefetch`](Self::prefetch), with the generators of the arena and of the coins that break ties. An arena with
    /// draws that depend on the step number sets both here and returns true: coins tossed in advance are then void.
    #[inline]
    fn start_step(&mut self, _step: u64, _generator: &mut Generator, _coins: &mut Generator) -> bool {
        false
    }

    /// Announces that `first` and `second` meet at the next [duel](Self::duel), which will get the same
    /// generator, so that an arena can fetch their data into the cache. That duel does not repeat the draws made
    /// here, so its outcome is the same as without this call.
    fn prefetch(&mut self, _first: Arm, _second: Arm, _generator: &mut Generator) {}

    /// Compares all `arms` together and fills `wins` (reset to `arms.len()` first), ties as ties.
    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins);

    /// Each arm's gap to the best at the step that was [reached](Self::reach): the regret of one step with that arm alone
    /// (0 for the best). Where preferences change, regret is counted against the best arm of each step: dynamic regret.
    /// For a Condorcet winner *, p(*, j) - 1/2. If they are unknown, as with real users, zeros: regret
    /// then stays 0 and is meaningless.
    fn gaps(&self) -> &[f64];
}
