//! Chooses the rankers of an impression: by a policy of `bandits`, or by a plan.

use bandits::open::Ticket;
use bandits::{Choice as Chosen, Generator, Generators, OpenPolicy, PairWins};
use interleave::keyed::{ImpressionKey, seed_of};
use rand::SeedableRng as _;

use super::config::{Config, FIXED_POLICY, Rules};
use super::event::{Choice, Outcome};
use crate::config::ConfigError;

/// The revision of this crate's part in choices. It changes when the same log would be continued differently.
const REVISION: u32 = 1;

/// Chooses rankers.
#[derive(Debug)]
pub(crate) enum Chooser {
    Policy(Box<OpenPolicy>),
    Fixed(Blocks),
}

/// All pairs in blocks, each pair once per block, in an order that is drawn for each block.
#[derive(Debug)]
pub(crate) struct Blocks {
    arms: u32,
    seed: [u64; 2],
    /// The number of pairs chosen.
    chosen: u64,
    block: Vec<[u32; 2]>,
}

impl Chooser {
    /// # Errors
    /// If the policy refuses the settings.
    pub(crate) fn new(config: &Config, rules: &Rules) -> Result<Self, ConfigError> {
        let arms = config.rankers.len();
        let Some(spec) = config.spec()? else {
            let block = (0..arms as u32).flat_map(|first| (first + 1..arms as u32).map(move |second| [first, second]));
            let (block, seed) = (block.collect(), [config.seed, config.run]);
            return Ok(Self::Fixed(Blocks { arms: arms as u32, seed, chosen: 0, block }));
        };
        let generators = match &rules.generators {
            Some([policy, coins]) => Generators { policy: policy.clone(), arena: coins.clone(), coins: coins.clone() },
            None => Generators::from_seed(seed_of(&format!("policy {} {}", config.seed, config.run))),
        };
        let policy = spec.open(arms, (config.horizon > 0).then_some(config.horizon), &generators);
        let policy = policy.map_err(|error| ConfigError { field: "policy", message: error.to_string() })?;
        Ok(Self::Policy(Box::new(policy)))
    }

    /// The name of the policy or plan, with its revision.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Policy(policy) => format!("{} traffic={REVISION}", policy.name()),
            Self::Fixed(blocks) => format!("{FIXED_POLICY} arms={} traffic={REVISION}", blocks.arms),
        }
    }

    /// The rankers of the impression with this key, and the ticket for reporting its outcome.
    pub(crate) fn choose(&mut self, key: ImpressionKey) -> (Choice, Option<Ticket>) {
        match self {
            Self::Fixed(blocks) => (Choice::Duel(blocks.next()), None),
            Self::Policy(policy) => {
                policy.use_coins(&key.coins());
                let ticket_and_arms = policy.ask();
                let choice = match ticket_and_arms.choice {
                    Chosen::Duel(first, second) if first == second => Choice::Alone(first.0),
                    Chosen::Duel(first, second) => Choice::Duel([first.0, second.0]),
                    Chosen::Set(arms) => Choice::Set(arms.iter().map(|arm| arm.0).collect()),
                    Chosen::Alone { arm, .. } => Choice::Alone(arm.0),
                };
                (choice, ticket_and_arms.ticket)
            }
        }
    }

    /// Reports the outcome of a choice.
    pub(crate) fn tell(&mut self, ticket: Ticket, key: ImpressionKey, outcome: &Outcome, arms: usize) {
        let Self::Policy(policy) = self else { return };
        policy.use_coins(&key.coins());
        // Only tickets that were given out and are open come here. Duels have pairs as outcomes, and nothing else has.
        let _ = match outcome {
            Outcome::Pair(preference) => policy.tell(ticket, *preference),
            outcome => policy.tell(ticket, &wins(outcome, arms)),
        };
    }

    /// Nothing will come of a choice.
    pub(crate) fn forget(&mut self, ticket: Ticket) {
        if let Self::Policy(policy) = self {
            // Only tickets that were given out and are open come here.
            let _ = policy.forget(ticket);
        }
    }

    /// The ranker that seems best.
    pub(crate) fn leader(&self) -> Option<u32> {
        match self {
            Self::Policy(policy) => policy.recommend().map(|arm| arm.0),
            Self::Fixed(_) => None,
        }
    }
}

impl Chooser {
    /// Its state as bytes.
    pub(crate) fn state(&self) -> Option<Vec<u8>> {
        match self {
            Self::Policy(policy) => policy.snapshot().ok(),
            Self::Fixed(blocks) => postcard::to_allocvec(&(blocks.chosen, &blocks.block)).ok(),
        }
    }

    /// Goes on with a state of [`state`](Self::state); whether that could be read. It must not be used otherwise.
    pub(crate) fn load(&mut self, state: &[u8]) -> bool {
        match self {
            Self::Policy(policy) => policy.load(state).is_ok(),
            Self::Fixed(blocks) => match postcard::from_bytes::<(u64, Vec<[u32; 2]>)>(state) {
                Ok((chosen, block)) if block.len() == blocks.block.len() => {
                    (blocks.chosen, blocks.block) = (chosen, block);
                    true
                }
                _ => false,
            },
        }
    }
}

impl Blocks {
    fn next(&mut self) -> [u32; 2] {
        let length = self.block.len() as u64;
        let pair_index = (self.chosen % length) as usize;
        if pair_index == 0 {
            let [seed, run] = self.seed;
            let mut generator =
                Generator::seed_from_u64(seed_of(&format!("fixed {seed} {run} {}", self.chosen / length)));
            for last in (1..self.block.len()).rev() {
                self.block.swap(last, bandits::random::below(&mut generator, last + 1));
            }
        }
        self.chosen += 1;
        self.block[pair_index]
    }
}

/// Which of the rankers that met beat which.
fn wins(outcome: &Outcome, arms: usize) -> PairWins {
    let mut wins = PairWins::default();
    if let Outcome::Scores(scores) = outcome {
        wins.set_scores(scores);
        return wins;
    }
    wins.reset(arms);
    for i in 0..arms {
        for j in i + 1..arms {
            wins.set(i, j, outcome.preference(i, j, arms));
        }
    }
    wins
}
