//! The interface of a dueling bandit: it chooses, it learns, it recommends an arm. Arenas, which answer, are in
//! `arena`; the algorithms in `policies`.

mod duel;
mod owned;
mod packed_wins;
mod pair_wins;
mod set;

pub use duel::DuelPolicy;
pub use owned::OwnedPolicy;
pub use packed_wins::PackedWins;
pub use pair_wins::PairWins;
pub use set::{SetPolicy, Sets};

use std::hint::select_unpredictable;

use crate::state::{Plain, StateError, StateReader, StateWriter};
use crate::{Arm, Generator};

impl Plain for Arm {
    fn put(self, to: &mut StateWriter) {
        self.0.put(to);
    }

    fn get(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        u32::get(from).map(Self)
    }
}

/// The choice of a policy: what to compare next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice<'a> {
    /// One step: these two arms against each other. They may be the same arm if the policy
    /// learns from that too; the outcome is then a fair coin.
    Duel(Arm, Arm),
    /// One step: all these arms together (two or more, no arm twice), in the policy's own buffer,
    /// which must not change until it has learnt.
    Set(&'a [Arm]),
    /// This arm alone, from this step to step `until` inclusive (`u64::MAX`: for ever). Nothing is
    /// learnt and no randomness is used, so the stretch costs nothing to simulate.
    Alone {
        /// The arm.
        arm: Arm,
        /// The last step of the stretch, at least the current one.
        until: u64,
    },
}

/// The outcome of a choice, ties already broken by a fair coin.
#[derive(Debug, Clone, Copy)]
pub enum Feedback<'a> {
    /// The outcome of a duel.
    Duel {
        /// The arm that won.
        winner: Arm,
        /// The arm that lost (the winner again, if an arm met itself).
        loser: Arm,
        /// Whether the winner is the arm that was chosen first, which distinguishes the sides of a
        /// self-duel.
        first_won: bool,
    },
    /// Of a set: the winner of each pair, indexed by position in the set as it was chosen. The arms are
    /// not repeated here: they are still in the policy's buffer.
    Set {
        /// Every pair decided.
        wins: &'a PairWins,
    },
}

impl Feedback<'_> {
    /// The outcome of a duel of `first` and `second`, in the order in which they were chosen.
    #[inline]
    #[must_use]
    pub fn of_duel(first: Arm, second: Arm, first_won: bool) -> Self {
        // No branch: the winner cannot be predicted.
        let winner = select_unpredictable(first_won, first, second);
        let loser = select_unpredictable(first_won, second, first);
        Self::Duel { winner, loser, first_won }
    }
}

/// A dueling bandit algorithm, as run loops see it. An algorithm of your own is shorter as a [`DuelPolicy`].
///
/// A step is one [`choose`](Self::choose) and, after a duel or a set, one [`learn`](Self::learn) with the outcome of
/// that choice, before the next `choose`. A policy remembers its choice until then; it may panic or count wrongly if
/// it learns twice, or from another choice. Only [`Alone`](Choice::Alone) has no outcome. Where outcomes may come late, in
/// any order, or never, as with real users, an [`OpenPolicy`](crate::OpenPolicy) takes any policy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a dueling bandit",
    note = "implement `bandits::DuelPolicy` for it (`pair` and `outcome`), or `bandits::SetPolicy` and wrap it in `bandits::Sets`"
)]
pub trait Policy {
    /// How many arms it chooses among.
    fn arms(&self) -> usize;

    /// Chooses for `step` (1-based: the step about to be played). The run loop calls it with
    /// rising steps, each one past the end of the choice before.
    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_>;

    /// Learns from the outcome of the choice made for `step`, once, with every tie broken. Not called after
    /// [`Choice::Alone`].
    fn learn(&mut self, step: u64, feedback: Feedback<'_>);

    /// The arm it would recommend if stopped now; `None` if its data single out none.
    fn recommend(&self, generator: &mut Generator) -> Option<Arm>;

    /// Appends its state, all that has changed since it was built, so that [`load`](Self::load) restores it to the bit; `false` if
    /// it has no stored form, as by default.
    fn save(&self, to: &mut StateWriter) -> bool {
        let _ = to;
        false
    }

    /// Becomes what was [saved](Self::save) by a policy built from the same configuration.
    ///
    /// # Errors
    /// If it has no stored form, or the bytes are not those of one.
    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        let _ = from;
        Err(StateError::NotStored)
    }
}
