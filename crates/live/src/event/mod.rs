//! Events: as bytes here, as lines of JSON in `line`. What they mean is in `state`.

mod line;

use board::Verdict;

pub(crate) use line::{LineError, from_line, to_line};

use crate::bytes::{Bytes, EventError, FORMAT, put, put_text};
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
        verdict: Verdict,
        /// Who answered, if this was not known when the pair was asked.
        judge: Option<String>,
    },
    /// No answer will come.
    Forgotten {
        /// The ticket.
        ticket: u64,
    },
}

impl Event {
    /// The event as bytes, the first of which is the format (1). Numbers are variable in length, seven bits per byte,
    /// the lowest first; texts follow their length.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = vec![FORMAT];
        match self {
            Self::Created { config, chooser } => {
                to.push(0);
                // Text, numbers and finite shares: it cannot fail.
                put_text(&mut to, &serde_json::to_string(config).unwrap_or_default());
                put_text(&mut to, chooser);
            }
            Self::Continued { chooser } => {
                to.push(1);
                put_text(&mut to, chooser);
            }
            Self::Asked { first, second, item, judge, purpose } => {
                to.push(2);
                put(&mut to, u64::from(*first));
                put(&mut to, u64::from(*second));
                put(&mut to, item.map_or(0, |item| u64::from(item) + 1));
                put_judge(&mut to, judge.as_deref());
                let (kind, of) = match purpose {
                    Purpose::New => (0, None),
                    Purpose::Mirror(of) => (1, Some(of)),
                    Purpose::Repeat(of) => (2, Some(of)),
                };
                to.push(kind);
                of.into_iter().for_each(|of| put(&mut to, *of));
            }
            Self::Answered { ticket, verdict, judge } => {
                to.push(3);
                put(&mut to, *ticket);
                to.push(match verdict {
                    Verdict::First => 0,
                    Verdict::Second => 1,
                    Verdict::Tie => 2,
                    Verdict::BothBad => 3,
                    // `Live` refuses scores before they are events.
                    Verdict::Score(_) => 4,
                });
                put_judge(&mut to, judge.as_deref());
            }
            Self::Forgotten { ticket } => {
                to.push(4);
                put(&mut to, *ticket);
            }
        }
        to
    }

    /// The event of [`to_bytes`](Self::to_bytes). Only those very bytes are accepted: an event has one form.
    ///
    /// # Errors
    /// If the bytes are of another format, or not an event.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EventError> {
        let mut from = Bytes::after_format(bytes)?;
        let event = read(&mut from)?;
        if !from.is_empty() {
            return Err(EventError::Damaged { what: "bytes after its end" });
        }
        if event.to_bytes() == bytes {
            Ok(event)
        } else {
            Err(EventError::Damaged { what: "numbers in a longer form" })
        }
    }

    /// The checksum of the event that follows one with the checksum `before`.
    pub(crate) fn sum(&self, before: u64) -> u64 {
        xxhash_rust::xxh3::xxh3_64_with_seed(&self.to_bytes(), before)
    }
}

/// Names of judges are never empty.
fn put_judge(to: &mut Vec<u8>, judge: Option<&str>) {
    put_text(to, judge.unwrap_or_default());
}

fn read_judge(from: &mut Bytes<'_>) -> Result<Option<String>, EventError> {
    Ok(Some(from.text()?).filter(|judge| !judge.is_empty()))
}

fn read(from: &mut Bytes<'_>) -> Result<Event, EventError> {
    Ok(match from.byte()? {
        0 => {
            let config = serde_json::from_str(&from.text()?);
            let config = config.map_err(|_| EventError::Damaged { what: "settings that cannot be read" })?;
            Event::Created { config, chooser: from.text()? }
        }
        1 => Event::Continued { chooser: from.text()? },
        2 => {
            let (first, second) = (from.small()?, from.small()?);
            let item = from.small()?.checked_sub(1);
            let judge = read_judge(from)?;
            let purpose = match from.byte()? {
                0 => Purpose::New,
                1 => Purpose::Mirror(from.number()?),
                2 => Purpose::Repeat(from.number()?),
                _ => return Err(EventError::Damaged { what: "an unknown purpose" }),
            };
            Event::Asked { first, second, item, judge, purpose }
        }
        3 => {
            let ticket = from.number()?;
            let verdict = match from.byte()? {
                0 => Verdict::First,
                1 => Verdict::Second,
                2 => Verdict::Tie,
                3 => Verdict::BothBad,
                _ => return Err(EventError::Damaged { what: "an unknown verdict" }),
            };
            Event::Answered { ticket, verdict, judge: read_judge(from)? }
        }
        4 => Event::Forgotten { ticket: from.number()? },
        _ => return Err(EventError::Damaged { what: "an unknown kind" }),
    })
}
