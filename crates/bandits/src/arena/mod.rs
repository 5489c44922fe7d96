//! What answers a policy's choice.

mod matrix;
mod shuffled;
mod utility;

pub use matrix::{MatrixArena, RegretReference, RegretReferenceError};
pub use shuffled::Shuffled;
pub use utility::{UtilityArena, UtilityError};

use crate::{Arm, Generator, PairWins};

/// What an arena says of a duel, ties as ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DuelOutcome {
    /// The first arm won.
    First,
    /// The second arm won.
    Second,
    /// Neither.
    Tie,
}

/// Answers chosen arms with an outcome, and alone knows the regret.
pub trait Arena {
    /// How many arms.
    fn arms(&self) -> usize;

    /// Lets two arms meet once. The run loop never calls it with the same arm twice.
    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> DuelOutcome;

    /// Says that `first` and `second` meet at the next [duel](Self::duel), which will get the same
    /// generator: an arena whose data are far away can ask for them now. What it draws here, that duel
    /// does not draw again, so that its outcome is the same as without this.
    fn prefetch(&mut self, _first: Arm, _second: Arm, _generator: &mut Generator) {}

    /// Lets all `arms` meet at once; fills `wins` (reset to `arms.len()` first), ties as ties.
    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins);

    /// Each arm's gap to the best: what one step with that arm alone costs (0 for the best).
    /// For a Condorcet winner *, p(*, j) - 1/2. Where nobody knows them, as with real users, zeros: regret
    /// then stays 0 and says nothing.
    fn gaps(&self) -> &[f64];
}
