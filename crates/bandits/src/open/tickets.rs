//! The tickets that are open, and the errors of those that are not.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::{Arm, Choice};

/// An open choice. Give it back once.
///
/// It belongs to the policy that gave it out and to its history until then: a policy that was started again from
/// scratch, or from a state before the ticket, does not accept it. [`Display`](fmt::Display) and [`FromStr`] write and
/// read it as `number-slot-check`, for a server's logs and cookies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Ticket {
    /// The number of tickets given out before it.
    pub(super) number: u64,
    /// Its slot among the open tickets.
    pub(super) slot: u32,
    /// A check value of the history until then.
    pub(super) check: u32,
}

impl Ticket {
    /// The number of tickets given out before it.
    #[must_use]
    pub fn number(self) -> u64 {
        self.number
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}-{:08x}", self.number, self.slot, self.check)
    }
}

impl FromStr for Ticket {
    type Err = OpenError;

    fn from_str(text: &str) -> Result<Self, OpenError> {
        let read = || {
            let (number, rest) = text.split_once('-')?;
            let (slot, check) = rest.split_once('-')?;
            let check = u32::from_str_radix(check, 16).ok()?;
            Some(Self { number: number.parse().ok()?, slot: slot.parse().ok()?, check })
        };
        // Only as they are written, so that a ticket has one text.
        let ticket = read().filter(|ticket| ticket.to_string() == text);
        ticket.ok_or_else(|| OpenError::NotATicket { found: text.chars().take(60).collect() })
    }
}

/// Why a ticket or an outcome was refused. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The text of a ticket that is none.
    #[error("expected a ticket (number-slot-check, e.g. 17-3-0a1b2c3d), found `{found}`")]
    NotATicket {
        /// The text, at most 60 characters of it.
        found: String,
    },
    /// The policy has not come that far.
    #[error(
        "ticket {ticket} was never given out here: there were {given} so far; give tickets back to the policy that gave \
         them out, restored from a state after it did"
    )]
    NeverGivenOut {
        /// The ticket.
        ticket: Ticket,
        /// The number of tickets given out.
        given: u64,
    },
    /// It is not open.
    #[error("ticket {ticket} is not open: it has come back already, or another policy gave it out; drop this outcome")]
    NotOpen {
        /// The ticket.
        ticket: Ticket,
    },
    /// Another policy, or another run of the same, gave it out.
    #[error("ticket {ticket} was given out by another policy, or before a restart from scratch; drop this outcome")]
    OtherHistory {
        /// The ticket.
        ticket: Ticket,
    },
    /// The outcome is not one of the choice.
    #[error("ticket {ticket} is for {expected}, found an outcome of {found} arms")]
    WrongOutcome {
        /// The ticket.
        ticket: Ticket,
        /// The kind of outcome that it is for.
        expected: String,
        /// The number of arms of the outcome.
        found: usize,
    },
    /// More outcomes than tickets.
    #[error("expected at most {tickets} outcomes, one per ticket of a pair, found {outcomes}")]
    TooManyOutcomes {
        /// How many outcomes there are.
        outcomes: u64,
        /// The number of tickets per pair.
        tickets: u64,
    },
    /// A pair of the set has no outcome.
    #[error("ticket {ticket}: positions {first} and {second} of the set have no outcome; a win or a tie is needed")]
    Undecided {
        /// The ticket.
        ticket: Ticket,
        /// The first position.
        first: usize,
        /// The second position.
        second: usize,
    },
}

impl OpenError {
    #[cold]
    pub(super) fn wrong_outcome(ticket: Ticket, arms: Arms<'_>, found: usize) -> Self {
        let expected = match arms {
            Arms::Duel(_) => "a duel".to_owned(),
            Arms::Set(arms) => format!("a set of {} arms", arms.len()),
        };
        Self::WrongOutcome { ticket, expected, found }
    }
}

/// The arms of an open choice.
#[derive(Debug, Clone, Copy)]
pub(super) enum Arms<'a> {
    Duel([Arm; 2]),
    Set(&'a Arc<[Arm]>),
}

/// An open choice, in as little room as it takes: there may be many thousands of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredChoice {
    /// [`NO_TICKET`] if nothing is kept here.
    pub(super) number: u64,
    pub(super) step: u64,
    pub(super) check: u32,
    /// The arms of a duel.
    pub(super) pair: [Arm; 2],
    /// The arms are those of a set, in `Tickets::sets`.
    pub(super) is_set: bool,
}

pub(super) const NO_TICKET: u64 = u64::MAX;

/// The tickets that are open, each in a slot: as many slots as ever were open at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct Tickets {
    pub(super) slots: Vec<StoredChoice>,
    /// By slot, as far as there are sets.
    pub(super) sets: Vec<Option<Arc<[Arm]>>>,
    pub(super) free: Vec<u32>,
    pub(super) given: u64,
}

impl Tickets {
    pub(super) fn open(&self) -> u64 {
        (self.slots.len() - self.free.len()) as u64
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Ticket, u64, &[Arm])> {
        (0_u32..).zip(&self.slots).filter(|(_, open)| open.number != NO_TICKET).map(|(slot, open)| {
            let set = self.sets.get(slot as usize).and_then(Option::as_deref).filter(|_| open.is_set);
            (Ticket { number: open.number, slot, check: open.check }, open.step, set.unwrap_or(&open.pair))
        })
    }

    /// A ticket for a duel.
    #[inline]
    pub(super) fn give(&mut self, history: u64, step: u64, pair: [Arm; 2]) -> Ticket {
        let number = self.given;
        self.given += 1;
        let open = StoredChoice { number, step, check: history as u32, pair, is_set: false };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = open;
                slot
            }
            None => {
                self.slots.push(open);
                (self.slots.len() - 1) as u32
            }
        };
        Ticket { number, slot, check: open.check }
    }

    /// A ticket for a set.
    pub(super) fn give_set(&mut self, history: u64, step: u64, set: Arc<[Arm]>) -> Ticket {
        let ticket = self.give(history, step, [Arm(0); 2]);
        let slot = ticket.slot as usize;
        self.slots[slot].is_set = true;
        if self.sets.len() <= slot {
            self.sets.resize(slot + 1, None);
        }
        self.sets[slot] = Some(set);
        ticket
    }

    /// The choice of an open ticket.
    pub(super) fn choice(&self, ticket: Ticket) -> Choice<'_> {
        match self.arms_in(ticket.slot as usize) {
            Arms::Duel([first, second]) => Choice::Duel(first, second),
            Arms::Set(arms) => Choice::Set(arms),
        }
    }

    #[inline]
    pub(super) fn arms_in(&self, slot: usize) -> Arms<'_> {
        let open = &self.slots[slot];
        match self.sets.get(slot) {
            Some(Some(set)) if open.is_set => Arms::Set(set),
            _ => Arms::Duel(open.pair),
        }
    }

    /// The arms of a ticket, if it is open.
    #[inline]
    pub(super) fn arms(&self, ticket: Ticket) -> Result<Arms<'_>, OpenError> {
        let slot = ticket.slot as usize;
        match self.slots.get(slot) {
            Some(open) if open.number == ticket.number && open.check == ticket.check && ticket.number != NO_TICKET => {
                Ok(self.arms_in(slot))
            }
            _ => Err(self.refusal(ticket)),
        }
    }

    /// Closes the ticket of a duel, if it is open, and returns its step and arms. Other tickets stay as they are.
    #[inline]
    pub(super) fn close_duel(&mut self, ticket: Ticket) -> Option<(u64, [Arm; 2])> {
        let open = self.slots.get_mut(ticket.slot as usize)?;
        if open.number != ticket.number || open.check != ticket.check || ticket.number == NO_TICKET || open.is_set {
            return None;
        }
        open.number = NO_TICKET;
        self.free.push(ticket.slot);
        Some((open.step, open.pair))
    }

    /// What is wrong with a ticket that is not open.
    #[cold]
    fn refusal(&self, ticket: Ticket) -> OpenError {
        match self.slots.get(ticket.slot as usize) {
            Some(open) if open.number == ticket.number && ticket.number != NO_TICKET => {
                OpenError::OtherHistory { ticket }
            }
            _ if ticket.number >= self.given => OpenError::NeverGivenOut { ticket, given: self.given },
            _ => OpenError::NotOpen { ticket },
        }
    }

    /// Closes a ticket that [is open](Self::arms), and returns its step.
    #[inline]
    pub(super) fn close(&mut self, ticket: Ticket) -> u64 {
        let open = &mut self.slots[ticket.slot as usize];
        open.number = NO_TICKET;
        if open.is_set {
            self.sets[ticket.slot as usize] = None;
        }
        self.free.push(ticket.slot);
        open.step
    }
}
