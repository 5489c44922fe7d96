//! Logs: every call that changes an open policy as a line of text, from which it can be made again.
//!
//! | line | meaning |
//! |---|---|
//! | `open POLICY COINS NAME` | begins the log: the states of both generators, and what the policy is |
//! | `since HISTORY` | begins the log of a policy restored from a snapshot |
//! | `a STEP TICKET ARM ARM ...` | asked: the arms to show |
//! | `a STEP - ARM` | asked: this arm alone |
//! | `a STEP - ARM ARM COIN` | asked: an arm against itself, and the coin that decided it |
//! | `s STEP` | an arm alone up to this step, without asking for each |
//! | `t TICKET first`, `second`, `tie:first` or `tie:second` | the outcome of a duel, and of the coin that broke a tie |
//! | `t TICKET set WINS TIES` | the outcome of a set: a bit per pair, in words of 64 |
//! | `f TICKET` | forgotten |
//!
//! A replay makes every call again and compares the line that it writes with the one that was logged: choices, tickets
//! and coins. The log is the audit of what a policy did.

use std::fmt::Write as _;

use super::snapshot::open_by_name;
use super::{OpenError, OpenPolicy, Outcome, Ticket};
use crate::state::{StateError, from_words, state_words};
use crate::{Choice, Generators, PackedWins, PairWins, Preference};

/// Why a log cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// A log that does not begin as one does.
    #[error("line 1 of the log: expected `open POLICY COINS NAME`, found `{found}`")]
    Head {
        /// The line, cut off after 80 characters.
        found: String,
    },
    /// A log of another policy.
    #[error("line 1 of the log: {0}")]
    Policy(#[from] StateError),
    /// The log of another state of the policy.
    #[error("line 1 of the log: it goes on from state {found}, the policy is in state {expected}; use its snapshot")]
    OtherState {
        /// The state that the policy is in.
        expected: String,
        /// The state in the log.
        found: String,
    },
    /// A line that no log has.
    #[error("line {line} of the log: expected a call (a, s, t, f), found `{found}`")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The line, cut off after 80 characters.
        found: String,
    },
    /// A ticket or an outcome that the policy refuses.
    #[error("line {line} of the log: {error}")]
    Refused {
        /// Its number, from 1.
        line: usize,
        /// The reason.
        error: OpenError,
    },
    /// The policy does something else than it did.
    #[error(
        "line {line} of the log is `{logged}`, the replay has `{replayed}`: the log was edited, or written by a build \
         whose algorithm differs"
    )]
    Differs {
        /// Its number, from 1.
        line: usize,
        /// The line, cut off after 80 characters.
        logged: String,
        /// The line of the replay.
        replayed: String,
    },
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

impl OpenPolicy {
    /// Writes every call from now on to a log, which [`take_log`](Self::take_log) returns.
    pub fn keep_log(&mut self) {
        let mut log = String::new();
        // Writing into a string cannot fail.
        let _ = if self.step == 0 {
            let hex = |words: [u64; 4]| words.map(|word| format!("{word:016x}")).concat();
            writeln!(
                log,
                "open {} {} {}",
                hex(state_words(&self.generator)),
                hex(state_words(&self.coin_generator)),
                self.name
            )
        } else {
            writeln!(log, "since {:016x}", self.history)
        };
        self.log = Some(log);
    }

    /// The lines of the log since they were last taken; empty if none is kept. Append them to a file before you act on
    /// what the policy says, and a server that dies loses nothing.
    pub fn take_log(&mut self) -> String {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The policy of a log that begins with `open`: an algorithm of the registry. A last line without its end, which a
    /// server that dies may leave, is passed over.
    ///
    /// # Errors
    /// If a line cannot be read, or the policy does something else than it did.
    pub fn replay(log: &str) -> Result<Self, LogError> {
        let first = log.split_inclusive('\n').next().unwrap_or_default();
        let head = || LogError::Head { found: shortened(first.trim_end()) };
        let rest = first.strip_suffix('\n').and_then(|line| line.strip_prefix("open ")).ok_or_else(head)?;
        let (policy, rest) = rest.split_once(' ').ok_or_else(head)?;
        let (coins, name) = rest.split_once(' ').ok_or_else(head)?;
        let generator = |hex: &str| {
            let word = |place: usize| u64::from_str_radix(hex.get(16 * place..16 * (place + 1))?, 16).ok();
            let words = [word(0)?, word(1)?, word(2)?, word(3)?];
            from_words(words).filter(|_| hex.len() == 64)
        };
        let policy_generator = generator(policy).ok_or_else(head)?;
        let coins = generator(coins).ok_or_else(head)?;
        let generators = Generators { arena: coins.clone(), policy: policy_generator, coins };
        let mut policy = open_by_name(name, &generators)?;
        policy.follow_lines(log, 1)?;
        Ok(policy)
    }

    /// Goes on with a log that begins with `since`, of the policy that this one is a copy of.
    ///
    /// # Errors
    /// Those of [`replay`](Self::replay), or if the log begins at another state. Use the policy only if there is none.
    pub fn follow(&mut self, log: &str) -> Result<(), LogError> {
        let first = log.split_inclusive('\n').next().unwrap_or_default();
        let Some(found) = first.trim_end().strip_prefix("since ") else {
            return Err(LogError::Head { found: shortened(first.trim_end()) });
        };
        let expected = format!("{:016x}", self.history);
        if found != expected {
            return Err(LogError::OtherState { expected, found: shortened(found) });
        }
        self.follow_lines(log, 1)
    }

    /// Makes the calls of all lines but the first few.
    fn follow_lines(&mut self, log: &str, skipped: usize) -> Result<(), LogError> {
        let own_log = self.log.take();
        let mut wins = PairWins::default();
        for (index, line) in log.split_inclusive('\n').enumerate().skip(skipped) {
            let Some(logged) = line.strip_suffix('\n') else {
                break;
            };
            self.log = Some(String::new());
            let line = index + 1;
            self.repeat(logged, &mut wins)
                .ok_or_else(|| LogError::Line { line, found: shortened(logged) })?
                .map_err(|error| LogError::Refused { line, error })?;
            let replayed = self.log.take().unwrap_or_default();
            if replayed.trim_end() != logged {
                return Err(LogError::Differs {
                    line,
                    logged: shortened(logged),
                    replayed: shortened(replayed.trim_end()),
                });
            }
        }
        self.log = own_log;
        Ok(())
    }

    /// Makes the call of a line; `None` if it is none.
    fn repeat(&mut self, line: &str, wins: &mut PairWins) -> Option<Result<(), OpenError>> {
        let (call, rest) = line.split_once(' ')?;
        let (subject, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(match call {
            "a" => {
                self.ask();
                Ok(())
            }
            "s" => {
                self.stay(subject.parse().ok()?);
                Ok(())
            }
            "f" => subject.parse().and_then(|ticket| self.forget(ticket)),
            "t" => {
                let outcome = match rest {
                    "first" => Preference::First.into(),
                    "second" => Preference::Second.into(),
                    "tie:first" | "tie:second" => Preference::Tie.into(),
                    _ => {
                        let (arms, words) = rest.strip_prefix("set ")?.split_once(' ')?;
                        let (won, tied) = words.split_once(" ties")?;
                        let read = |words: &str| -> Option<Vec<u64>> {
                            words.split_whitespace().map(|word| u64::from_str_radix(word, 16).ok()).collect()
                        };
                        let arms = arms.parse().ok().filter(|&arms: &usize| arms <= self.arms())?;
                        PackedWins::from_words(arms, read(won)?, read(tied)?)?.unpack(wins);
                        Outcome::Set(&*wins)
                    }
                };
                subject.parse().and_then(|ticket| self.tell(ticket, outcome))
            }
            _ => return None,
        })
    }
}

/// Logs the choice for `step`, and the rest of its line.
#[cold]
pub(super) fn log_ask(log: &mut String, step: u64, ticket: Option<Ticket>, choice: Choice<'_>, end: &str) {
    // Writing into a string cannot fail.
    let _ = match ticket {
        Some(ticket) => write!(log, "a {step} {ticket}"),
        None => write!(log, "a {step} -"),
    };
    let arms = match &choice {
        Choice::Duel(first, second) => &[*first, *second][..],
        Choice::Set(arms) => arms,
        Choice::Alone { arm, .. } => std::slice::from_ref(arm),
    };
    arms.iter().for_each(|arm| {
        let _ = write!(log, " {}", arm.0);
    });
    log.extend([end, "\n"]);
}

/// Logs a stretch alone up to `step`.
#[cold]
pub(super) fn log_stay(log: &mut String, step: u64) {
    let _ = writeln!(log, "s {step}");
}

/// Logs an outcome; `first_won` of a duel, coin or not.
#[cold]
pub(super) fn log_outcome(log: &mut String, ticket: Ticket, outcome: Outcome<'_>, first_won: bool) {
    let side = if first_won { "first" } else { "second" };
    let _ = match outcome {
        Outcome::Duel(Preference::Tie) => writeln!(log, "t {ticket} tie:{side}"),
        Outcome::Duel(_) => writeln!(log, "t {ticket} {side}"),
        Outcome::Set(wins) => {
            let packed = PackedWins::from(wins);
            let [won, tied] = packed.words();
            let hex = |words: &[u64]| words.iter().map(|word| format!(" {word:x}")).collect::<String>();
            writeln!(log, "t {ticket} set {}{} ties{}", packed.arms(), hex(won), hex(tied))
        }
    };
}

/// Logs a ticket that was forgotten.
#[cold]
pub(super) fn log_forgotten(log: &mut String, ticket: Ticket) {
    let _ = writeln!(log, "f {ticket}");
}
