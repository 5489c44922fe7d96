//! Events of a session; as lines of JSON in `line`, whose structs are in `stored`. What they mean is in `state`.

mod line;
mod stored;

use board::Answer;

pub(crate) use line::{LineError, Log, from_line, to_line};

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
    /// The question of this ticket, which a model answered, to correct what that is worth.
    Audit(u64),
}

/// What was fixed of an answer of a model before it was known whether a person would be asked: whole thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weighed {
    /// The points that people are expected to give the answer shown first, 0 to 1,000.
    pub guess: u16,
    /// The expected squared difference between these and the points that a person gives, 0 to 1,000.
    pub doubt: u16,
    /// The probability with which a person is asked, 50 to 1,000.
    pub chance: u16,
    /// Whether a person is asked.
    pub audit: bool,
}

impl Weighed {
    /// The smallest [`chance`](Self::chance): a twentieth, so that points stay within [`Answer::FARTHEST`].
    pub(crate) const LEAST: u16 = 50;

    pub(crate) fn checked(guess: u16, doubt: u16, chance: u16, audit: bool) -> Option<Self> {
        let is_fit = guess <= 1_000 && doubt <= 1_000 && (Self::LEAST..=1_000).contains(&chance);
        // What is certain happens.
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
        /// Who chooses: the policy with its revision.
        chooser: String,
    },
    /// From here on another revision chooses.
    Continued {
        /// Who chooses now.
        chooser: String,
    },
    /// A pair for a judge. Its ticket is the number of such events until then.
    Asked {
        /// Who is shown first.
        first: u32,
        /// Who is shown second.
        second: u32,
        /// On which item.
        item: Option<u32>,
        /// Who was asked, if known.
        judge: Option<String>,
        /// Why.
        purpose: Purpose,
    },
    /// An answer.
    Answered {
        /// The ticket.
        ticket: u64,
        /// What the judge said.
        verdict: Answer,
        /// Who answered, if this was not known when the pair was asked.
        judge: Option<String>,
        /// What the judge noted beside it.
        note: Option<String>,
    },
    /// What the answer of a model is worth, and whether a person is asked as well.
    Weighed {
        /// The ticket of the question that it answered.
        ticket: u64,
        /// That.
        weighed: Weighed,
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
