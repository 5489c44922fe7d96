//! What a dueling bandit is: it chooses, it learns, it names its best arm.

mod pair_wins;

pub use pair_wins::PairWins;

use std::hint::select_unpredictable;

use crate::Generator;

/// An arm (a ranker), counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[repr(transparent)]
#[serde(transparent)]
pub struct Arm(pub u32);

impl Arm {
    /// The arm as an index.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The arm at `index`; indices past `u32::MAX` are no arms.
    #[inline]
    #[must_use]
    pub fn at(index: usize) -> Self {
        debug_assert!(u32::try_from(index).is_ok());
        #[expect(clippy::cast_possible_truncation, reason = "no problem has 2^32 arms; checked where arms are counted")]
        Self(index as u32)
    }
}

/// What a policy wants to see next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice<'a> {
    /// One step: these two arms against each other. They may be the same arm, where the policy
    /// learns from that too; the outcome then is a fair coin.
    Duel(Arm, Arm),
    /// One step: all these arms at once (two or more, no arm twice), in the policy's own buffer,
    /// which it must leave as it is until it has learnt.
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

/// What came of a choice, ties already broken by a fair coin.
#[derive(Debug, Clone, Copy)]
pub enum Feedback<'a> {
    /// Of a duel.
    Duel {
        /// Who won.
        winner: Arm,
        /// Who lost (the winner again, where an arm met itself).
        loser: Arm,
        /// Whether the winner is the arm that was chosen first: what tells a self-duel's sides
        /// apart.
        first_won: bool,
    },
    /// Of a set: who won each pair, indexed by position in the set as it was chosen. The arms are
    /// not repeated here: they still stand in the policy's buffer.
    Set {
        /// Every pair decided.
        wins: &'a PairWins,
    },
}

impl Feedback<'_> {
    /// Of a duel of `first` and `second`, in the order in which they were chosen.
    #[inline]
    #[must_use]
    pub fn of_duel(first: Arm, second: Arm, first_won: bool) -> Self {
        // Who wins is what no processor can predict.
        let winner = select_unpredictable(first_won, first, second);
        let loser = select_unpredictable(first_won, second, first);
        Self::Duel { winner, loser, first_won }
    }
}

/// A dueling bandit algorithm.
///
/// A step is one [`choose`](Self::choose), and after a duel or a set one [`learn`](Self::learn) that tells
/// what came of that very choice, before the next one: policies keep what they asked until they are told,
/// and may panic or count wrongly where they are told twice, or of something else. With real users the answer
/// may be long in coming; a choice that is never answered is best answered by a fair coin, as a user who
/// clicked nothing would be. Only choosing [`alone`](Choice::Alone) takes no answer.
pub trait Policy {
    /// How many arms it chooses among.
    fn arms(&self) -> usize;

    /// Chooses for `step` (1-based: the step about to be played). The run loop calls it with
    /// rising steps, each one past the end of the choice before.
    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_>;

    /// Learns what came of the choice made for `step`, once, with every tie decided. Not called after
    /// [`Choice::Alone`].
    fn learn(&mut self, step: u64, feedback: Feedback<'_>);

    /// The arm it would report if stopped now; `None` where its data single out none.
    fn recommend(&self, generator: &mut Generator) -> Option<Arm>;
}
