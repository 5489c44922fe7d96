//! The plays of a simulation of the same run, impression by impression: the server must choose the same.

use std::collections::BTreeMap;

use anyhow::Result;
use bandits::open::{AnswerTiming, Delay, play_open};
use bandits::registry::Spec;
use bandits::{Arm, Choice, Generator, Generators, Observer, Preference, play};
use rand::SeedableRng as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use simulation::live_arena::LiveArena;

use crate::export::choices_line;
use statistics::Counts;

use super::users::Users;

/// An experiment that can be compared with a simulation.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// A policy of the registry, or `fixed`.
    pub policy: String,
    /// The number of impressions.
    pub impressions: u64,
    /// The time for which the server keeps impressions.
    pub retain: Option<String>,
    /// The master seed.
    pub seed: u64,
    /// The run.
    pub run: u64,
}

impl Plan {
    /// The states of the policy's generator and of its coins.
    fn states(&self) -> [[u8; 32]; 2] {
        ["policy", "coins"].map(|purpose| {
            let mut hash = Sha256::new();
            hash.update(format!("drive {} {} {purpose}", self.seed, self.run));
            hash.finalize().into()
        })
    }

    /// The horizon, where the policy needs one.
    fn horizon(&self) -> Result<Option<u64>> {
        if self.policy == "fixed" || self.policy == "auto" {
            return Ok(None);
        }
        let spec: Spec = self.policy.parse()?;
        Ok(spec.uses_horizon().then_some(self.impressions))
    }

    /// The settings of the experiment, for `POST /v1/experiments`.
    ///
    /// # Errors
    /// If there is no such policy.
    pub fn settings(&self, users: &Users) -> Result<Value> {
        let hex = |state: [u8; 32]| state.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let [policy, coins] = self.states().map(hex);
        let methods = &users.site().methods;
        let mut settings = json!({
            "name": self.name,
            "rankers": users.names(),
            "policy": self.policy,
            "horizon": self.horizon()?.unwrap_or(0),
            "interleaving": methods.interleaving.to_string(),
            "multileaving": methods.multileaving.to_string(),
            "seed": self.seed,
            "run": self.run,
            "generators": {"policy": policy, "coins": coins},
            "simulated": true,
        });
        if let Some(retain) = &self.retain {
            settings["retain"] = retain.as_str().into();
        }
        Ok(settings)
    }

    /// The plays of a simulation and their outcomes. Outcomes come `late` impressions late.
    ///
    /// # Errors
    /// If the policy is not one of the registry.
    pub fn played(&self, users: &Users, late: u64) -> Result<ExpectedPlays> {
        let spec: Spec = self.policy.parse()?;
        let site = users.site();
        let [policy, coins] = self.states().map(Generator::from_seed);
        let mut generators = Generators { policy, arena: coins.clone(), coins };
        let gaps = vec![0.0; users.names().len()];
        let luck = generators.coins.clone();
        let mut arena = LiveArena::new(&site.site, &site.methods, &gaps, luck, Some(users.key()));
        let mut lines = Lines { names: users.names(), text: String::new(), counts: BTreeMap::new() };
        let (rankers, horizon) = (users.names().len(), self.horizon()?);
        if late == 0 {
            let mut player = spec.policy(rankers, horizon)?;
            play(&mut player, &mut arena, self.impressions, &mut generators, &mut lines);
        } else {
            let mut player = spec.open(rankers, horizon, &generators)?;
            let timing = AnswerTiming { delay: Delay::Fixed(late), ..AnswerTiming::default() };
            let Generators { arena: outcomes, coins: delays, .. } = &mut generators;
            play_open(&mut player, &mut arena, self.impressions, outcomes, delays, &timing, &mut lines);
        }
        Ok(lines.played())
    }
}

/// The plays of a simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedPlays {
    /// The rankers that met in each impression, a line for each.
    pub choices: String,
    /// Wins, losses and ties of the first of two rankers, as CSV; without larger sets.
    pub counts: String,
}

struct Lines<'a> {
    names: &'a [String],
    text: String,
    /// By pair, the lower number first.
    counts: BTreeMap<(usize, usize), Counts>,
}

impl Lines<'_> {
    fn played(self) -> ExpectedPlays {
        let mut counts = "first,second,wins,losses,ties\n".to_owned();
        for ((first, second), Counts { wins, losses, ties }) in self.counts {
            counts += &format!("{},{},{wins},{losses},{ties}\n", self.names[first], self.names[second]);
        }
        ExpectedPlays { choices: self.text, counts }
    }
}

impl Observer for Lines<'_> {
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, _gaps: &[f64]) {
        let arms: Vec<usize> = match choice {
            Choice::Duel(first, second) if first == second => vec![first.index()],
            Choice::Duel(first, second) => vec![first.index(), second.index()],
            Choice::Set(arms) => arms.iter().map(|arm| arm.index()).collect(),
            Choice::Alone { arm, .. } => vec![arm.index()],
        };
        for impression in from..=to {
            self.text += &choices_line(impression, arms.iter().map(|arm| self.names[*arm].as_str()));
        }
    }

    fn dueled(&mut self, first: Arm, second: Arm, outcome: Preference) {
        let (first, second) = (first.index(), second.index());
        let counts = self.counts.entry((first.min(second), first.max(second))).or_default();
        match (outcome, first < second) {
            (Preference::Tie, _) => counts.ties += 1,
            (Preference::First, true) | (Preference::Second, false) => counts.wins += 1,
            (Preference::First, false) | (Preference::Second, true) => counts.losses += 1,
        }
    }
}
