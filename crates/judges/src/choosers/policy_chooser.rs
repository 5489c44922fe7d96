//! A policy of `bandits` that chooses pairs for judges.

use std::collections::{BTreeMap, VecDeque};

use bandits::registry::Spec;
use bandits::{Choice, Generator, Generators, OpenPolicy, Preference};

use super::{Destination, Pairs, largest, most_informative};
use crate::config::{Config, ConfigError};
use crate::model::{Competitors, Posterior};
use crate::screen::stream;

/// How often a policy that plays an arm alone, or against itself, chooses again until it gets a challenger. With 1, the
/// recommendation of `self-sparring` took a fifth more judgements than with 4, 16 or 200, which were alike.
const PATIENCE: u32 = 4;

/// The policy, and outcomes of pairs that it did not choose.
#[derive(Debug, Clone)]
pub(crate) struct PolicyChooser {
    policy: OpenPolicy,
    /// By pair, the lower place first: outcomes as seen from that one, the oldest first.
    pool: BTreeMap<Competitors, VecDeque<Preference>>,
}

impl PolicyChooser {
    pub(super) fn new(config: &Config, spec: &Spec) -> Result<Self, ConfigError> {
        let generators = Generators::from_seed(stream(config.seed, "policy", [0; 3]));
        let policy = spec.open(config.names.len(), (config.horizon > 0).then_some(config.horizon), &generators);
        let policy = policy.map_err(|error| ConfigError { field: "policy", message: error.to_string() })?;
        Ok(Self { policy, pool: BTreeMap::new() })
    }

    pub(super) fn name(&self) -> &str {
        self.policy.name()
    }

    pub(super) fn choose(
        &mut self,
        model: &Posterior,
        pairs: Pairs<'_>,
        generator: &mut Generator,
    ) -> (Competitors, Destination) {
        let competitors = self.policy.arms();
        let mut without_opponent = 0;
        loop {
            let choice = self.policy.ask();
            let leader = match (choice.ticket, choice.choice) {
                (Some(ticket), Choice::Duel(first, second)) => {
                    let pair = (first.0, second.0);
                    match self.outcome_of_pair(pair) {
                        // Only tickets that the policy just gave out: it cannot fail.
                        Some(outcome) => drop(self.policy.tell(ticket, outcome)),
                        None if pairs.is_new(pair) => return (pair, Destination::Policy(ticket)),
                        // It is not new to this judge; another judge, or a later answer, may help.
                        None => {
                            drop(self.policy.forget(ticket));
                            return (most_informative(model, competitors, pairs, generator), Destination::Pool);
                        }
                    }
                    continue;
                }
                (_, Choice::Duel(arm, _) | Choice::Alone { arm, .. }) => arm.0,
                // Policies of sets are refused by the settings.
                (_, Choice::Set(arms)) => arms.first().map_or(0, |arm| arm.0),
            };
            without_opponent += 1;
            if without_opponent < PATIENCE {
                continue;
            }
            let rivals = (0..competitors as u32).filter(|&rival| rival != leader && pairs.is_new((leader, rival)));
            let uncertain = |rival: u32| {
                let open_questions = f64::from(1 + pairs.open((leader, rival)));
                -model.separation(leader as usize, rival as usize, 0.0) * open_questions.sqrt()
            };
            let pair = match largest(rivals, uncertain, generator) {
                Some(challenger) => (leader, challenger),
                None => most_informative(model, competitors, pairs, generator),
            };
            return (pair, Destination::Pool);
        }
    }

    /// The oldest kept outcome of a pair that the policy chooses only now.
    fn outcome_of_pair(&mut self, (first, second): Competitors) -> Option<Preference> {
        let key = (first.min(second), first.max(second));
        let queue = self.pool.get_mut(&key)?;
        let outcome = queue.pop_front();
        if queue.is_empty() {
            self.pool.remove(&key);
        }
        outcome.map(|outcome| outcome_for(outcome, first < second))
    }

    pub(super) fn learn(&mut self, (first, second): Competitors, destination: Destination, outcome: Preference) {
        match destination {
            // An open ticket of the policy's own: it cannot fail.
            Destination::Policy(ticket) => drop(self.policy.tell(ticket, outcome)),
            Destination::Pool | Destination::Model => {
                let key = (first.min(second), first.max(second));
                self.pool.entry(key).or_default().push_back(outcome_for(outcome, first < second));
            }
        }
    }

    pub(super) fn forget(&mut self, destination: Destination) {
        if let Destination::Policy(ticket) = destination {
            drop(self.policy.forget(ticket));
        }
    }

    pub(super) fn recommend(&self) -> Option<u32> {
        self.policy.recommend().map(|arm| arm.0)
    }
}

/// The outcome from the first side, or from the other.
fn outcome_for(outcome: Preference, first: bool) -> Preference {
    match outcome {
        Preference::First if !first => Preference::Second,
        Preference::Second if !first => Preference::First,
        outcome => outcome,
    }
}
