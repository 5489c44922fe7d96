//! Events of a session. `line` writes and reads them as lines of JSON, `versions` has the structs of these, `state` their meaning.

mod line;
mod log_position;
mod versions;

use board::Answer;

pub(crate) use line::{LineError, from_line, to_line};
pub(crate) use log_position::LogPosition;

use crate::config::Config;

/// Why a question was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// It is new.
    New,
    /// The question of this ticket in the other order.
    Mirror(u64),
    /// The question of this ticket, to measure whether judges agree with themselves and each other.
    Repeat(u64),
    /// The question of this ticket, which a model answered, to correct the weight of that answer.
    Audit(u64),
}

/// The weight of an answer of a model, fixed before the coin decides whether a person audits it; in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerWeight {
    /// The points that people are expected to give the answer shown first, 0 to 1,000.
    pub guess: u16,
    /// The expected squared difference between these and the points that a person gives, 0 to 1,000.
    pub doubt: u16,
    /// The probability of an audit by a person, 50 to 1,000.
    pub chance: u16,
    /// Whether a person audits the answer.
    pub audit: bool,
}

impl AnswerWeight {
    /// The smallest [`chance`](Self::chance): a twentieth, so that points stay within [`Answer::FARTHEST`].
    pub(crate) const MIN_CHANCE: u16 = 50;

    pub(crate) fn checked(guess: u16, doubt: u16, chance: u16, audit: bool) -> Option<Self> {
        let is_fit = guess <= 1_000 && doubt <= 1_000 && (Self::MIN_CHANCE..=1_000).contains(&chance);
        // With chance 1 there is an audit.
        (is_fit && (audit || chance < 1_000)).then_some(Self { guess, doubt, chance, audit })
    }
}

/// What happened. Competitors, items and tickets are numbers here: the first two by their places in [`Config`], from 0;
/// tickets from 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The first event.
    Created {
        /// The settings.
        config: Config,
        /// The chooser: the policy with its revision.
        chooser: String,
    },
    /// From here on another revision chooses.
    Continued {
        /// The new chooser.
        chooser: String,
    },
    /// A pair for a judge. Its ticket is the number of such events until then.
    Asked {
        /// The competitor shown first.
        first: u32,
        /// The competitor shown second.
        second: u32,
        /// The item.
        item: Option<u32>,
        /// The judge, if known.
        judge: Option<String>,
        /// Why.
        purpose: Purpose,
    },
    /// An answer.
    Answered {
        /// The ticket.
        ticket: u64,
        /// The judge's answer.
        verdict: Answer,
        /// The judge who answered, if not known when the pair was asked.
        judge: Option<String>,
        /// The judge's note.
        note: Option<String>,
    },
    /// The weight of a model's answer, and whether a person audits it.
    Weighed {
        /// The ticket of the question that it answered.
        ticket: u64,
        /// Its weight.
        weighed: AnswerWeight,
    },
    /// No answer will come.
    Forgotten {
        /// The ticket.
        ticket: u64,
    },
    /// The answer, or that none will come, was a mistake: the question is open again.
    TakenBack {
        /// The ticket.
        ticket: u64,
    },
}
