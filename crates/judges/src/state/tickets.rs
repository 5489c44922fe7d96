//! Tickets.

use std::fmt;
use std::str::FromStr;

use super::SessionError;

/// An open question. Give it back once, with an answer or without.
///
/// It belongs to one session: the check covers everything that happened before. [`Display`](fmt::Display) and [`FromStr`] write
/// and read it as `number-check`, e.g. `17-0a1b2c3d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket {
    /// The number of the question, from 1.
    pub number: u64,
    /// A checksum of the session until then.
    pub check: u32,
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:08x}", self.number, self.check)
    }
}

impl FromStr for Ticket {
    type Err = SessionError;

    fn from_str(text: &str) -> Result<Self, SessionError> {
        let read = || {
            let (number, check) = text.split_once('-')?;
            Some(Self { number: number.parse().ok()?, check: u32::from_str_radix(check, 16).ok()? })
        };
        // Only as they are written, so that a ticket has one text.
        let ticket = read().filter(|ticket| ticket.to_string() == text);
        ticket.ok_or_else(|| SessionError::NotATicket { found: text.chars().take(60).collect() })
    }
}
