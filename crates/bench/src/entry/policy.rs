//! Policies of `bandits` as players. Their open form takes prompt and late outcomes alike.

use std::collections::BTreeMap;

use bandits::open::Ticket;
use bandits::registry::Spec;
use bandits::{Arm, Choice, Generators, OpenPolicy};

use super::{Action, Answer, Arrived, Foul, Move, Player, Start};

/// A policy in one session.
pub(super) struct PolicyPlayer {
    policy: OpenPolicy,
    /// The last step played.
    step: u64,
    /// Tickets that are open, by step. Prompt outcomes leave at most one.
    open: BTreeMap<u64, Ticket>,
}

impl PolicyPlayer {
    /// The policy, with the horizon. All its draws come from the seed, as another program's would.
    pub(super) fn new(spec: &Spec, start: &Start) -> Result<Self, Foul> {
        let generators = Generators::from_seed(start.seed);
        let policy = spec.open(start.arms, Some(start.horizon), &generators);
        let policy = policy.map_err(|error| Foul::DoesNotPlay(error.to_string()))?;
        Ok(Self { policy, step: 0, open: BTreeMap::new() })
    }

    fn take(&mut self, arrived: &[Arrived]) -> Result<(), Foul> {
        for Arrived { step: of, outcome, .. } in arrived {
            let Some(ticket) = self.open.remove(of) else { continue };
            self.policy.tell(ticket, *outcome).map_err(|error| Foul::Broke(error.to_string()))?;
        }
        Ok(())
    }
}

impl Player for PolicyPlayer {
    fn choose(&mut self, step: u64, arrived: &[Arrived]) -> Result<Move, Foul> {
        if self.step + 1 < step {
            self.policy.stay(step - 1);
        }
        self.take(arrived)?;
        self.step = step;
        let choice = self.policy.ask();
        let action = match choice.choice {
            Choice::Duel(first, second) => {
                let pair = [first.index(), second.index()];
                self.open.extend(choice.ticket.map(|ticket| (step, ticket)));
                Action::Pair(pair)
            }
            Choice::Alone { arm, until } => Action::Alone { arm: arm.index(), until },
            Choice::Set(_) => {
                return Err(Foul::DoesNotPlay("it compares sets, and only pairs are answered".to_owned()));
            }
        };
        Ok(Move { action, winner: None })
    }

    fn answer(&mut self, arrived: &[Arrived]) -> Result<Answer, Foul> {
        self.take(arrived)?;
        Ok(Answer { best: self.policy.recommend().map(Arm::index), order: None })
    }
}
