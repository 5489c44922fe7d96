//! The trait for algorithms that choose duels, and how an implementation becomes a [`Policy`].

use super::{Arm, Choice, Feedback, Policy};
use crate::Generator;
use crate::state::{StateError, StateReader, StateWriter};

/// An algorithm that compares two arms at a time: it names a pair, and gets the winner.
///
/// Every type that implements this trait is a [`Policy`], so that [`play`](crate::play), [`explore`](crate::explore()),
/// [`LatePolicy::queued`](crate::LatePolicy::queued), [`OpenPolicy`](crate::OpenPolicy) and studies take it. The crate's
/// front page has [a whole algorithm](crate#how-to-add-an-algorithm). The names of the methods differ from those of
/// `Policy`, so that both traits can be imported.
///
/// * **Calls alternate**: [`pair`](Self::pair), then [`outcome`](Self::outcome) of that pair. Where outcomes come late, a
///   queue keeps this order.
/// * **A pair of the same arm twice** means that this arm plays alone: its list is shown as it is, there is no duel, and
///   `outcome` is not called. An algorithm that learns from duels of an arm with itself implements `Policy`.
/// * **A single arm** needs no algorithm: neither `pair`, `outcome` nor [`best`](Self::best) is called. That arm plays alone
///   for ever and is recommended.
/// * **Ties** are broken by a fair coin before `outcome` is called.
/// * **Draw random numbers only from the generator given** (see [`random`](crate::random)): then the same seed gives the same
///   run.
///
/// A rule for sets of arms implements [`SetPolicy`](super::SetPolicy).
pub trait DuelPolicy {
    /// How many arms there are, at least 1; always the same number.
    fn arm_count(&self) -> usize;

    /// The two arms that meet in step `step` (from 1), or one arm twice if it plays alone.
    ///
    /// Steps rise by 1, unless [`alone_until`](Self::alone_until) skips some. A run panics if an arm is not below
    /// [`arm_count`](Self::arm_count).
    fn pair(&mut self, step: u64, generator: &mut Generator) -> (Arm, Arm);

    /// Learns that `winner` beat `loser`, the two different arms that [`pair`](Self::pair) returned last, in either order.
    fn outcome(&mut self, winner: Arm, loser: Arm);

    /// The arm to recommend now; `None` as long as nothing singles one out, as before the first duel.
    fn best(&self, generator: &mut Generator) -> Option<Arm>;

    /// The last step of a stretch in which the arm that `pair` returned twice for `step` plays alone; `u64::MAX` for ever.
    /// By default `step` itself: `pair` is called again for the next step. A longer stretch costs nothing to simulate.
    fn alone_until(&self, step: u64) -> u64 {
        step
    }

    /// [`Policy::save`], for snapshots. By default there are none, and logs restore the policy.
    fn save(&self, to: &mut StateWriter) -> bool {
        let _ = to;
        false
    }

    /// [`Policy::load`], for snapshots.
    ///
    /// # Errors
    /// If there is no stored form, as by default, or the bytes are not those of one.
    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        let _ = from;
        Err(StateError::NotStored)
    }
}

// One such impl is all that coherence allows: a second, for `SetPolicy`, would overlap with it, since a type could implement
// both. Sets need a buffer in any case, which `Sets` owns. `Box<dyn OwnedPolicy>` and the policies of this crate are no
// `DuelPolicy`, and only this crate could make them one, so that their own impls do not overlap.
impl<P: DuelPolicy> Policy for P {
    #[inline]
    fn arms(&self) -> usize {
        self.arm_count()
    }

    #[inline]
    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let arms = self.arm_count();
        if arms == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let (first, second) = self.pair(step, generator);
        check_arm(first.max(second), arms);
        if first == second {
            return Choice::Alone { arm: first, until: self.alone_until(step).max(step) };
        }
        Choice::Duel(first, second)
    }

    #[inline]
    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            debug_assert_ne!(winner, loser, "an arm that meets itself plays alone");
            self.outcome(winner, loser);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        if self.arm_count() == 1 { Some(Arm(0)) } else { self.best(generator) }
    }

    fn save(&self, to: &mut StateWriter) -> bool {
        DuelPolicy::save(self, to)
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        DuelPolicy::load(self, from)
    }
}

/// Stops an algorithm that chooses an arm that does not exist: tables of pairs would take it for another one.
#[inline]
pub(super) fn check_arm(arm: Arm, arms: usize) {
    #[cold]
    #[inline(never)]
    fn refuse(arm: Arm, arms: usize) -> ! {
        panic!("the algorithm chose arm {} of {arms}; arms are numbered from 0", arm.0);
    }
    if arm.index() >= arms {
        refuse(arm, arms);
    }
}
