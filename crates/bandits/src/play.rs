//! The run loop: one policy in one arena.

use std::hint::select_unpredictable;

use rand::SeedableRng as _;

use crate::draw::Coins;
use crate::{Arena, Arm, Choice, Duel, Feedback, Generator, PairWins, Policy};

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

impl Generators {
    /// Three streams of one seed, 2^128 draws apart.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        let policy = Generator::seed_from_u64(seed);
        let mut arena = policy.clone();
        arena.jump();
        let mut coins = arena.clone();
        coins.jump();
        Self {
            policy,
            arena,
            coins,
        }
    }
}

/// Sees every step of a run.
pub trait Observer {
    /// Steps `from..=to` (1-based; one step but for [`Choice::Alone`]) were played as `choice`.
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, gaps: &[f64]);

    /// Whether to stop before the horizon (asked now and then).
    fn stop(&mut self) -> bool {
        false
    }

    /// The next step after which it wants to hear the policy's best arm (`u64::MAX`: none).
    fn next_report(&self) -> u64 {
        u64::MAX
    }

    /// The policy's best arm after step `step`, the first end of a choice at or past
    /// [`next_report`](Self::next_report). (Inside a stretch alone nothing is learnt, so that its
    /// end says what all its steps would.) Asking changes nothing of the run.
    fn report(&mut self, _step: u64, _best: Option<Arm>) {}
}

/// Watches nothing.
impl Observer for () {
    fn played(&mut self, _from: u64, _to: u64, _choice: Choice<'_>, _gaps: &[f64]) {}
}

/// Choices between two questions whether to stop.
const STOP_EVERY: u32 = 1 << 12;

/// Plays `policy` in `arena` for `horizon` steps and says how many were played: all, unless the
/// observer stopped the run.
///
/// Ties are broken here and nowhere else, by fair coins of their own generator. An arm that a
/// policy duels with itself meets no arena: that is a coin too.
pub fn play<P: Policy + ?Sized, A: Arena + ?Sized, O: Observer + ?Sized>(
    policy: &mut P,
    arena: &mut A,
    horizon: u64,
    generators: &mut Generators,
    observer: &mut O,
) -> u64 {
    let mut coins = Coins::default();
    let mut wins = PairWins::default();
    let mut played = 0;
    let mut until_asked = STOP_EVERY;
    while played < horizon {
        let step = played + 1;
        played = match policy.choose(step, &mut generators.policy) {
            Choice::Duel(first, second) => {
                let duel = if first == second {
                    Duel::Tie
                } else {
                    arena.duel(first, second, &mut generators.arena)
                };
                let first_won = match duel {
                    Duel::Tie => coins.toss(&mut generators.coins),
                    decided => decided == Duel::First,
                };
                // Who wins is what no processor can predict.
                let winner = select_unpredictable(first_won, first, second);
                let loser = select_unpredictable(first_won, second, first);
                policy.learn(
                    step,
                    Feedback::Duel {
                        winner,
                        loser,
                        first_won,
                    },
                );
                observer.played(step, step, Choice::Duel(first, second), arena.gaps());
                step
            }
            Choice::Set(arms) => {
                arena.contest(arms, &mut generators.arena, &mut wins);
                observer.played(step, step, Choice::Set(arms), arena.gaps());
                wins.resolve_ties(&mut generators.coins);
                policy.learn(step, Feedback::Set { wins: &wins });
                step
            }
            Choice::Alone { arm, until } => {
                let to = until.clamp(step, horizon);
                observer.played(step, to, Choice::Alone { arm, until: to }, arena.gaps());
                to
            }
        };
        if played >= observer.next_report() {
            // A stream of its own, so that asking shifts no later draw.
            let mut generator = generators.policy.clone();
            generator.long_jump();
            observer.report(played, policy.best(&mut generator));
        }
        until_asked -= 1;
        if until_asked == 0 {
            if observer.stop() {
                break;
            }
            until_asked = STOP_EVERY;
        }
    }
    played
}
