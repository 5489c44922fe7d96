//! Players: policies of this program, sessions of judges, and other programs. `session` plays them.
//!
//! | in | is |
//! |---|---|
//! | this file | [`Player`], its inputs and outputs, and [`Foul`] |
//! | `policy` | policies of `bandits` |
//! | `judging` | sessions of `judges` |
//! | `program` | other programs, over lines of JSON on their standard input and output |
//! | `protocol` | these lines |
//! | `stated` | players that state a winner, with the evidence for it |

mod judging;
mod policy;
mod program;
mod protocol;
mod winner_player;

use std::fmt;

use anyhow::Result;
use bandits::ActionKind;
use bandits::registry::{Spec, entries};
use judges::Goal;
use ranktypes::Preference;
use serde::{Deserialize, Serialize};

pub use program::Program;
pub(crate) use protocol::PROTOCOL;

use crate::track::Track;

/// The input of a player before its first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// Its task.
    pub task: Track,
    /// The number of arms.
    pub arms: usize,
    /// The number of steps.
    pub horizon: u64,
    /// A seed for its own draws; outcomes do not depend on it.
    pub seed: u64,
}

/// An outcome that has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrived {
    /// The step that it belongs to, from 1.
    pub step: u64,
    /// The pair that was compared.
    pub pair: [usize; 2],
    /// The outcome.
    pub outcome: Preference,
}

/// The action of a player in a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// It compares two arms. An arm with itself is that arm alone: nothing is learnt.
    Pair([usize; 2]),
    /// It shows an arm alone up to a step.
    Alone {
        /// The arm.
        arm: usize,
        /// The last step.
        until: u64,
    },
    /// It has chosen enough. For the rest of the session its best arm is shown alone.
    Enough(Answer),
}

/// An action, and a statement beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The action.
    pub action: Action,
    /// The arm that it states to be the best, if it states one now.
    pub winner: Option<usize>,
}

/// The answer of a player at the end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The best arm, if it names one.
    pub best: Option<usize>,
    /// All arms, the best first, if it orders them.
    pub order: Option<Vec<usize>>,
}

/// A player in one session.
pub trait Player {
    /// Its action in `step`. `arrived` are the outcomes since its last step, in the order of their steps if several came
    /// together.
    ///
    /// # Errors
    /// If it breaks a rule.
    fn choose(&mut self, step: u64, arrived: &[Arrived]) -> Result<Move, Foul>;

    /// Its answer after the last step.
    ///
    /// # Errors
    /// If it breaks a rule.
    fn answer(&mut self, arrived: &[Arrived]) -> Result<Answer, Foul>;
}

/// Why a session ended before its time: the rule that was broken, as what follows the player's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Foul {
    /// It declares that it cannot play such a problem.
    DoesNotPlay(String),
    /// It broke a rule: it is disqualified.
    Broke(String),
}

impl fmt::Display for Foul {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotPlay(why) => write!(f, "does not play: {why}"),
            Self::Broke(what) => f.write_str(what),
        }
    }
}

/// An entry of the benchmark.
#[derive(Debug, Clone)]
pub enum Entry {
    /// A policy of this program.
    Policy(Spec),
    /// A session of `judges`, for few answers.
    Judges(Goal),
    /// Uniform pairs, and a winner as soon as a test says so that is valid for one look: what honesty is measured against.
    Naive,
    /// Another program.
    Program(Program),
}

/// The description of an entry in results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryInfo {
    /// Its name.
    pub name: String,
    /// `policy`, `judges`, `baseline` or `program`.
    pub kind: String,
    /// The policy with all parameters and its revision, or the command.
    pub what: String,
    /// A checksum of the files that the command names; of a policy, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
}

impl Entry {
    /// Everything of this program that enters: every policy of the registry that compares pairs, sessions of judges, the naive test.
    /// Beside it the names of the policies that compare sets, which do not.
    #[must_use]
    pub fn all() -> (Vec<Self>, Vec<&'static str>) {
        let (pairs, sets): (Vec<_>, Vec<_>) =
            entries().into_iter().partition(|entry| entry.action_kind == ActionKind::Duels);
        let policies = pairs.iter().filter_map(|entry| entry.name.parse().ok()).map(Self::Policy);
        let further_entries = [Self::Judges(Goal::Best), Self::Judges(Goal::Order), Self::Naive];
        (policies.chain(further_entries).collect(), sets.iter().map(|entry| entry.name).collect())
    }

    /// Its description in results.
    ///
    /// # Errors
    /// If a file of its command cannot be read.
    pub fn info(&self) -> Result<EntryInfo> {
        Ok(match self {
            Self::Policy(spec) => EntryInfo {
                name: studies::results::label(spec),
                kind: "policy".to_owned(),
                what: format!("{} revision={}", spec.canonical(), spec.entry().revision),
                checksum: None,
            },
            Self::Judges(goal) => EntryInfo {
                name: format!("judges:{}", goal.name()),
                kind: "judges".to_owned(),
                what: format!("what `rankduel next --goal {}` asks", goal.name()),
                checksum: None,
            },
            Self::Naive => EntryInfo {
                name: "naive test".to_owned(),
                kind: "baseline".to_owned(),
                what: "random pairs; a winner is stated at the first look at which it beats every other arm by a normal test of one look"
                    .to_owned(),
                checksum: None,
            },
            Self::Program(program) => program.info()?,
        })
    }

    /// Whether it plays for this task.
    #[must_use]
    pub fn plays(&self, task: Track) -> bool {
        match self {
            Self::Policy(_) | Self::Program(_) => true,
            // A hundred thousand questions are beyond what people answer.
            Self::Judges(_) => matches!(task, Track::Best | Track::Order),
            Self::Naive => task == Track::Winner,
        }
    }

    /// It, in one session.
    ///
    /// # Errors
    /// If it cannot play this, or cannot be started.
    pub(crate) fn player(&self, start: &Start) -> Result<Box<dyn Player>, Foul> {
        match self {
            Self::Policy(spec) => {
                let player = policy::PolicyPlayer::new(spec, start)?;
                if start.task == Track::Winner {
                    return Ok(Box::new(winner_player::WinnerStatingPlayer::with_evidence(player, start.arms)?));
                }
                Ok(Box::new(player))
            }
            Self::Judges(goal) => Ok(Box::new(judging::JudgesPlayer::new(*goal, start)?)),
            Self::Naive => {
                let random: Spec = "random".parse().map_err(|error| Foul::DoesNotPlay(format!("{error}")))?;
                let player = policy::PolicyPlayer::new(&random, start)?;
                Ok(Box::new(winner_player::WinnerStatingPlayer::naive(player, start.arms)))
            }
            Self::Program(program) => Ok(Box::new(program.begin(start)?)),
        }
    }
}
