//! Why calls of a session are refused.

use super::Ticket;
use crate::config::ConfigError;

/// Why a call was refused. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A setting is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The text is not a ticket.
    #[error("expected a ticket (number-check, e.g. 17-0a1b2c3d), found `{found}`")]
    NotATicket {
        /// The text, at most 60 characters of it.
        found: String,
    },
    /// There have not been that many questions.
    #[error(
        "ticket {ticket} was never given out here, where there were {asked} questions so far; is it of another file?"
    )]
    NeverGivenOut {
        /// The ticket.
        ticket: Ticket,
        /// How many questions were asked.
        asked: u64,
    },
    /// The question of this number has another check.
    #[error("ticket {ticket} is of another session; give it back to the one that asked")]
    OtherSession {
        /// The ticket.
        ticket: Ticket,
    },
    /// It has an answer.
    #[error("ticket {ticket} was already answered `{verdict}`; the first answer stays")]
    AlreadyAnswered {
        /// The ticket.
        ticket: Ticket,
        /// The answer.
        verdict: &'static str,
    },
    /// It was forgotten.
    #[error("ticket {ticket} was forgotten; ask for another pair")]
    AlreadyForgotten {
        /// The ticket.
        ticket: Ticket,
    },
    /// Another judge was asked.
    #[error("ticket {ticket} was given to judge `{expected}`, found an answer of `{found}`")]
    OtherJudge {
        /// The ticket.
        ticket: Ticket,
        /// The judge who was asked.
        expected: String,
        /// The judge who answered.
        found: String,
    },
    /// It can still be answered.
    #[error("ticket {ticket} is open: there is nothing to take back")]
    StillOpen {
        /// The ticket.
        ticket: Ticket,
    },
    /// A later question depends on it.
    #[error(
        "ticket {ticket} cannot be taken back: the same question was asked in the other order; take back ticket {other} first"
    )]
    OtherOrder {
        /// The ticket.
        ticket: Ticket,
        /// The ticket of the other order.
        other: Ticket,
    },
    /// Whether a person audits it was decided since, or others were asked.
    #[error("ticket {ticket} cannot be taken back: {since}")]
    Settled {
        /// The ticket.
        ticket: Ticket,
        /// What happened since.
        since: &'static str,
    },
    /// A judge who is neither the model of the session nor one of its people.
    #[error("judge `{found}` is neither the model `{model}` nor one of its people ({people})")]
    NotAJudge {
        /// The judge.
        found: String,
        /// The model.
        model: String,
        /// The people.
        people: String,
    },
    /// A note that is empty or too long.
    #[error("expected a note of at most 2,000 characters, found {length}")]
    Note {
        /// How many characters it has.
        length: usize,
    },
    /// A judge's name that cannot be one.
    #[error("the judge's name {fault}")]
    Judge {
        /// What is wrong.
        fault: String,
    },
    /// A score.
    #[error("expected the verdict first, second, tie or both bad, found a score")]
    Score,
}
