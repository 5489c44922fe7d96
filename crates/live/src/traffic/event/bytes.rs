//! Events as bytes: the format (1), the kind, the time, and what the kind has. Numbers are variable in length, seven bits per
//! byte, the lowest first; texts and bytes follow their length.

use interleave::receipt::{read_page, write_page};
use interleave::{Preference, RankedList};
use statistics::Counts;

use super::{Choice, Event, Guard, Marks, Outcome, Reason, Row, State};
use crate::bytes::{Bytes, EventError, FORMAT, put, put_bytes, put_text};

const DAMAGED: fn(&'static str) -> EventError = |what| EventError::Damaged { what };

/// Five preferences fit into a byte.
const PREFERENCES: usize = 5;

impl Event {
    /// The event as bytes; they are the same on every machine.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Vec::with_capacity(64);
        to.extend_from_slice(&[FORMAT, self.kind()]);
        put_signed(&mut to, self.time());
        if let Some(impression) = self.impression() {
            put(&mut to, impression);
        }
        match self {
            Self::Created { config, chooser, .. } => {
                // Text, numbers and finite shares: it cannot fail.
                put_text(&mut to, &serde_json::to_string(config).unwrap_or_default());
                put_text(&mut to, chooser);
            }
            Self::Continued { chooser, .. } => put_text(&mut to, chooser),
            Self::Started { gap, .. } => put_signed(&mut to, *gap),
            Self::Asked { unit, marks, choice, receipt, .. } => {
                put(&mut to, *unit);
                put_marks(&mut to, *marks, receipt.is_some());
                put_choice(&mut to, choice);
                receipt.iter().for_each(|receipt| put_bytes(&mut to, receipt));
            }
            Self::Listed { receipt, .. } => put_bytes(&mut to, receipt),
            Self::Clicked { position, .. } => put(&mut to, u64::from(*position)),
            Self::Paged { seen, .. } => put(&mut to, u64::from(*seen)),
            Self::Shown { page, .. } => {
                let mut bytes = Vec::new();
                write_page(page, &mut bytes);
                put_bytes(&mut to, &bytes);
            }
            Self::Closed { reason, outcome, .. } => {
                put_reason(&mut to, *reason);
                put_outcome(&mut to, outcome);
            }
            Self::Day { day, rows, .. } => {
                put_signed(&mut to, i64::from(*day));
                put(&mut to, rows.len() as u64);
                for Row { pair, units, impressions } in rows {
                    put(&mut to, u64::from(pair.0));
                    put(&mut to, u64::from(pair.1));
                    for Counts { wins, losses, ties } in [units, impressions] {
                        [wins, losses, ties].into_iter().for_each(|count| put(&mut to, *count));
                    }
                }
            }
            Self::Changed { state, who, why, .. } => {
                to.push(*state as u8);
                put_text(&mut to, who);
                put_text(&mut to, why);
            }
            Self::Breached { ranker, guard, ranker_bad, champion_bad, .. } => {
                put(&mut to, u64::from(*ranker));
                to.push(*guard as u8);
                ranker_bad.iter().chain(champion_bad).for_each(|count| put(&mut to, *count));
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
        let kind = from.byte()?;
        let event = read(kind, &mut from)?;
        if !from.is_empty() {
            return Err(DAMAGED("bytes after its end"));
        }
        if event.to_bytes() == bytes { Ok(event) } else { Err(DAMAGED("numbers in a longer form")) }
    }
}

fn read(kind: u8, from: &mut Bytes<'_>) -> Result<Event, EventError> {
    let time = signed(from)?;
    let mut impression = 0;
    if matches!(kind, 4..=8) {
        impression = from.number()?;
    }
    Ok(match kind {
        0 => {
            let config = serde_json::from_str(from.text()?.as_str());
            let config = config.map_err(|_| DAMAGED("settings that cannot be read"))?;
            Event::Created { time, config: Box::new(config), chooser: from.text()? }
        }
        1 => Event::Continued { time, chooser: from.text()? },
        2 => Event::Started { time, gap: signed(from)? },
        3 => {
            let unit = from.number()?;
            let (marks, has_receipt) = marks(from)?;
            let choice = choice(from)?;
            let receipt = if has_receipt { Some(from.bytes()?.to_vec()) } else { None };
            Event::Asked { time, unit, marks, choice, receipt }
        }
        4 => Event::Listed { time, impression, receipt: from.bytes()?.to_vec() },
        5 => Event::Clicked { time, impression, position: from.small()? },
        6 => Event::Paged { time, impression, seen: from.small()? },
        7 => match read_page(from.bytes()?) {
            Some((page, [])) => Event::Shown { time, impression, page },
            _ => return Err(DAMAGED("a page that cannot be read")),
        },
        8 => {
            let reason = reason(from)?;
            Event::Closed { time, impression, reason, outcome: outcome(from)? }
        }
        9 => {
            let day = i32::try_from(signed(from)?).map_err(|_| DAMAGED("a day out of range"))?;
            let rows = (0..from.count()?).map(|_| row(from)).collect::<Result<_, _>>()?;
            Event::Day { time, day, rows }
        }
        10 => {
            let state = match from.byte()? {
                0 => State::Running,
                1 => State::Paused,
                2 => State::Killed,
                3 => State::Ended,
                _ => return Err(DAMAGED("an unknown state")),
            };
            Event::Changed { time, state, who: from.text()?, why: from.text()? }
        }
        11 => {
            let ranker = from.small()?;
            let guard = usize::from(from.byte()?);
            let guard = *Guard::ALL.get(guard).ok_or(DAMAGED("an unknown guardrail"))?;
            let mut bad = || Ok([from.number()?, from.number()?]);
            Event::Breached { time, ranker, guard, ranker_bad: bad()?, champion_bad: bad()? }
        }
        _ => return Err(DAMAGED("an unknown kind")),
    })
}

/// Numbers that may be negative, small ones in few bytes.
fn put_signed(to: &mut Vec<u8>, number: i64) {
    put(to, (number << 1 ^ number >> 63) as u64);
}

fn signed(from: &mut Bytes<'_>) -> Result<i64, EventError> {
    let number = from.number()?;
    Ok((number >> 1) as i64 ^ -((number & 1) as i64))
}

fn put_marks(to: &mut Vec<u8>, Marks { query, key, request }: Marks, has_receipt: bool) {
    let all = [query, key, request];
    let flags = all.iter().zip(0..).fold(0, |flags, (mark, bit)| flags | u8::from(mark.is_some()) << bit);
    to.push(flags | u8::from(has_receipt) << 3);
    all.into_iter().flatten().for_each(|mark| to.extend_from_slice(&mark.to_le_bytes()));
}

fn marks(from: &mut Bytes<'_>) -> Result<(Marks, bool), EventError> {
    let flags = from.byte()?;
    let mut mark = |bit: u8| if flags & bit == 0 { Ok(None) } else { from.eight().map(Some) };
    let marks = Marks { query: mark(1)?, key: mark(2)?, request: mark(4)? };
    Ok((marks, flags & 8 != 0))
}

fn put_arms(to: &mut Vec<u8>, arms: &[u32]) {
    put(to, arms.len() as u64);
    arms.iter().for_each(|arm| put(to, u64::from(*arm)));
}

fn arms(from: &mut Bytes<'_>) -> Result<Vec<u32>, EventError> {
    (0..from.count()?).map(|_| from.small()).collect()
}

fn put_choice(to: &mut Vec<u8>, choice: &Choice) {
    match choice {
        Choice::Duel(pair) => {
            to.push(0);
            pair.iter().for_each(|arm| put(to, u64::from(*arm)));
        }
        Choice::Set(arms) => {
            to.push(1);
            put_arms(to, arms);
        }
        Choice::Kept { arms, is_set } => {
            to.push(if *is_set { 5 } else { 2 });
            put_arms(to, arms);
        }
        Choice::Alone(arm) => {
            to.push(3);
            put(to, u64::from(*arm));
        }
        Choice::Leader(arm) => {
            to.push(4);
            put(to, u64::from(*arm));
        }
    }
}

fn choice(from: &mut Bytes<'_>) -> Result<Choice, EventError> {
    Ok(match from.byte()? {
        0 => Choice::Duel([from.small()?, from.small()?]),
        1 => Choice::Set(arms(from)?),
        kind @ (2 | 5) => Choice::Kept { arms: arms(from)?, is_set: kind == 5 },
        3 => Choice::Alone(from.small()?),
        4 => Choice::Leader(from.small()?),
        _ => return Err(DAMAGED("an unknown choice")),
    })
}

fn put_reason(to: &mut Vec<u8>, reason: Reason) {
    match reason {
        Reason::Window => to.push(0),
        Reason::Asked => to.push(1),
        Reason::Judged => to.push(2),
        Reason::Missing(arm) => {
            to.push(3);
            put(to, u64::from(arm));
        }
        Reason::Unanswered => to.push(4),
        Reason::AnsweredLate => to.push(5),
    }
}

fn reason(from: &mut Bytes<'_>) -> Result<Reason, EventError> {
    Ok(match from.byte()? {
        0 => Reason::Window,
        1 => Reason::Asked,
        2 => Reason::Judged,
        3 => Reason::Missing(from.small()?),
        4 => Reason::Unanswered,
        5 => Reason::AnsweredLate,
        _ => return Err(DAMAGED("an unknown reason")),
    })
}

fn put_outcome(to: &mut Vec<u8>, outcome: &Outcome) {
    match outcome {
        Outcome::Nothing => to.push(0),
        Outcome::Pair(preference) => to.push(1 + digit(*preference)),
        Outcome::Scores(scores) => {
            to.push(4);
            put(to, scores.len() as u64);
            scores.iter().for_each(|score| put(to, *score));
        }
        Outcome::Pairs(preferences) => {
            to.push(5);
            put(to, preferences.len() as u64);
            for five in preferences.chunks(PREFERENCES) {
                to.push(five.iter().rev().fold(0, |packed, preference| 3 * packed + digit(*preference)));
            }
        }
    }
}

fn digit(preference: Preference) -> u8 {
    match preference {
        Preference::First => 0,
        Preference::Second => 1,
        Preference::Tie => 2,
    }
}

const PREFERENCE: [Preference; 3] = [Preference::First, Preference::Second, Preference::Tie];

fn outcome(from: &mut Bytes<'_>) -> Result<Outcome, EventError> {
    Ok(match from.byte()? {
        0 => Outcome::Nothing,
        kind @ 1..=3 => Outcome::Pair(PREFERENCE[usize::from(kind) - 1]),
        4 => Outcome::Scores((0..from.count()?).map(|_| from.number()).collect::<Result<_, _>>()?),
        5 => {
            let count = usize::try_from(from.number()?).unwrap_or(usize::MAX);
            if count > RankedList::MAX_LEN * RankedList::MAX_LEN {
                return Err(DAMAGED("more pairs than there can be"));
            }
            let mut preferences = Vec::new();
            while preferences.len() < count {
                let mut packed = from.byte()?;
                for _ in 0..PREFERENCES.min(count - preferences.len()) {
                    preferences.push(PREFERENCE[usize::from(packed % 3)]);
                    packed /= 3;
                }
            }
            Outcome::Pairs(preferences)
        }
        _ => return Err(DAMAGED("an unknown outcome")),
    })
}

fn row(from: &mut Bytes<'_>) -> Result<Row, EventError> {
    let pair = (from.small()?, from.small()?);
    let mut counts = || Ok(Counts::new(from.number()?, from.number()?, from.number()?));
    Ok(Row { pair, units: counts()?, impressions: counts()? })
}
