//! Every event, one object per line.

use std::collections::BTreeMap;
use std::io::Write;

use interleave::Preference;
use serde::Serialize;
use statistics::Counts;
use times::date;
use traffic::{
    Appearance, Choice, Config, Conversion, ConversionRow, DayRow, Event, Guard, Notice, Outcome, Reason, RecordedEvent,
};
use verdicts::amounts::Amounts;
use verdicts::conversions::ConversionCounts;

use super::ExportError;
use crate::ids;
use crate::store::Store;
use crate::writer::LoadError;

/// Writes all events of a log that are kept.
pub(super) fn write(store: &Store, id: u32, name: &str, out: &mut dyn Write) -> Result<(), ExportError> {
    store.events(id, 0, |stored| -> Result<(), ExportError> {
        let recorded = RecordedEvent::read(stored.body).map_err(|error| {
            ExportError::Load(LoadError::Event { experiment: name.to_owned(), n: stored.n, message: error.to_string() })
        })?;
        let impression = stored.impression.unwrap_or(0);
        let line = serde_json::to_string(&Line { n: stored.n, event: Details::of(recorded.event(), impression) });
        Ok(writeln!(out, "{}", line.map_err(std::io::Error::from)?)?)
    })
}

#[derive(Serialize)]
struct Line<'a> {
    n: u64,
    #[serde(flatten)]
    event: Details<'a>,
}

/// The content of an event. Receipts are base64url.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Details<'a> {
    Created {
        time: i64,
        settings: &'a Config,
        chooser: &'a str,
    },
    Continued {
        time: i64,
        chooser: &'a str,
    },
    Started {
        time: i64,
        gap: i64,
        /// As hexadecimal digits: numbers of JSON have 53 bits in many programs.
        start: String,
    },
    Asked {
        time: i64,
        impression: u64,
        unit: u64,
        choice: &'static str,
        rankers: &'a [u32],
        #[serde(skip_serializing_if = "Option::is_none")]
        receipt: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        segment: Option<u8>,
    },
    Listed {
        time: i64,
        impression: u64,
        receipt: String,
    },
    Clicked {
        time: i64,
        impression: u64,
        position: u32,
    },
    Paged {
        time: i64,
        impression: u64,
        seen: u32,
    },
    Shown {
        time: i64,
        impression: u64,
        places: Vec<Option<usize>>,
    },
    Closed {
        time: i64,
        impression: u64,
        reason: &'static str,
        /// The ranker without a list.
        #[serde(skip_serializing_if = "Option::is_none")]
        ranker: Option<u32>,
        #[serde(flatten)]
        outcome: Winners<'a>,
    },
    Day {
        time: i64,
        day: i32,
        rows: Vec<Pair>,
    },
    Changed {
        time: i64,
        state: &'static str,
        /// The ranker that was shipped.
        #[serde(skip_serializing_if = "Option::is_none")]
        ranker: Option<u32>,
        who: &'a str,
        why: &'a str,
    },
    Breached {
        time: i64,
        ranker: u32,
        guard: Guard,
        ranker_bad: [u64; 2],
        champion_bad: [u64; 2],
    },
    Noticed {
        time: i64,
        impression: u64,
        what: &'static str,
        /// The position of the clicked document.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<u32>,
    },
    Forgotten {
        time: i64,
        /// The first day that is kept.
        before: String,
        events: u64,
    },
    Raised {
        time: i64,
        share: f64,
        who: &'a str,
        why: &'a str,
    },
    Converted {
        time: i64,
        unit: u64,
        document: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        order: Option<u32>,
        action: u32,
        value: i64,
        appearances: &'a [Appearance],
    },
    Matured {
        time: i64,
        day: i32,
        rows: Vec<PairOutcomes>,
    },
}

/// The outcomes of closed units for a pair.
#[derive(Serialize)]
struct PairOutcomes {
    pair: (u32, u32),
    units: [u64; 3],
    conversions: [u64; 2],
    value: [u64; 2],
    cut_units: u64,
    cut_value: u64,
    value_squares: u128,
}

impl PairOutcomes {
    fn of(ConversionRow { pair, counts }: ConversionRow) -> Self {
        // No setting asks for the advantage that coins gave.
        let ConversionCounts { units, conversions, value, cut_units, cut, squares, draft: _ } = counts;
        let units = [units.wins, units.losses, units.ties];
        Self { pair, units, conversions, value, cut_units, cut_value: cut, value_squares: squares }
    }
}

/// The winner: the first or second of two, or each of many.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Winners<'a> {
    /// `null` if nothing was compared.
    Outcome(Option<&'static str>),
    Scores(&'a [u64]),
    Pairs(Vec<&'static str>),
}

/// Wins and losses of the first ranker, and ties.
#[derive(Serialize)]
struct Pair {
    pair: (u32, u32),
    units: [u64; 3],
    impressions: [u64; 3],
    /// Keyed by the column names of outcomes; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    amounts: Option<BTreeMap<&'static str, i64>>,
}

impl<'a> Details<'a> {
    /// `asked` is the impression that it asks for, if it asks for one.
    fn of(event: &'a Event, asked: u64) -> Self {
        match event {
            Event::Created { time, config, chooser } => Self::Created { time: *time, settings: config, chooser },
            Event::Continued { time, chooser } => Self::Continued { time: *time, chooser },
            Event::Started { time, gap, start } => {
                Self::Started { time: *time, gap: *gap, start: format!("{start:016x}") }
            }
            Event::Asked { time, unit, choice, receipt, segment } => Self::Asked {
                time: *time,
                impression: asked,
                unit: *unit,
                choice: choice_name(choice),
                rankers: choice.arms(),
                receipt: receipt.as_deref().map(ids::encode),
                segment: *segment,
            },
            Event::Listed { time, impression, receipt } => {
                Self::Listed { time: *time, impression: *impression, receipt: ids::encode(receipt) }
            }
            Event::Clicked { time, impression, position } => {
                Self::Clicked { time: *time, impression: *impression, position: *position }
            }
            Event::Paged { time, impression, seen } => {
                Self::Paged { time: *time, impression: *impression, seen: *seen }
            }
            Event::Shown { time, impression, page } => {
                Self::Shown { time: *time, impression: *impression, places: page.places().collect() }
            }
            Event::Closed { time, impression, reason, outcome } => {
                let (reason, ranker) = reason_name(*reason);
                let outcome = match outcome {
                    Outcome::Nothing => Winners::Outcome(None),
                    Outcome::Pair(winner) => Winners::Outcome(Some(winner_name(*winner))),
                    Outcome::Scores(scores) => Winners::Scores(scores),
                    Outcome::Pairs(winners) => {
                        Winners::Pairs(winners.iter().map(|winner| winner_name(*winner)).collect())
                    }
                };
                Self::Closed { time: *time, impression: *impression, reason, ranker, outcome }
            }
            Event::Day { time, day, rows, has_amounts: _ } => {
                let counts = |Counts { wins, losses, ties }: Counts| [wins, losses, ties];
                let amounts = |amounts: Amounts| {
                    (!amounts.are_none()).then(|| Amounts::COLUMNS.into_iter().zip(amounts.numbers()).collect())
                };
                let pair = |&DayRow { pair, units, impressions, amounts: of }: &DayRow| Pair {
                    pair,
                    units: counts(units),
                    impressions: counts(impressions),
                    amounts: amounts(of),
                };
                Self::Day { time: *time, day: *day, rows: rows.iter().map(pair).collect() }
            }
            Event::Changed { time, state, who, why } => {
                Self::Changed { time: *time, state: state.name(), ranker: state.shipped(), who, why }
            }
            Event::Breached { time, ranker, guard, ranker_counts, champion_counts } => Self::Breached {
                time: *time,
                ranker: *ranker,
                guard: *guard,
                ranker_bad: *ranker_counts,
                champion_bad: *champion_counts,
            },
            Event::Noticed { time, impression, what } => {
                let (what, position) = notice_name(*what);
                Self::Noticed { time: *time, impression: *impression, what, position }
            }
            Event::Forgotten { time, before, events } => {
                Self::Forgotten { time: *time, before: date(*before), events: *events }
            }
            Event::Raised { time, share, who, why } => Self::Raised { time: *time, share: *share, who, why },
            Event::Converted { time, conversion } => {
                let Conversion { unit, document, order, action, value, appearances } = &**conversion;
                let order = (*order > 0).then_some(*order);
                let (unit, document, action, value) = (*unit, *document, *action, *value);
                Self::Converted { time: *time, unit, document, order, action, value, appearances }
            }
            Event::Matured { time, day, rows } => {
                Self::Matured { time: *time, day: *day, rows: rows.iter().copied().map(PairOutcomes::of).collect() }
            }
        }
    }
}

fn choice_name(choice: &Choice) -> &'static str {
    match choice {
        Choice::Duel(_) => "duel",
        Choice::Set(_) => "set",
        Choice::Kept { .. } => "kept",
        Choice::Alone(_) => "alone",
        Choice::Leader(_) => "leader",
    }
}

fn reason_name(reason: Reason) -> (&'static str, Option<u32>) {
    match reason {
        Reason::Window => ("window", None),
        Reason::Asked => ("asked", None),
        Reason::Judged => ("judged", None),
        Reason::Missing(ranker) => ("missing", Some(ranker)),
        Reason::Unanswered => ("unanswered", None),
        Reason::AnsweredLate => ("answered_late", None),
    }
}

fn notice_name(notice: Notice) -> (&'static str, Option<u32>) {
    match notice {
        Notice::NotShown => ("not_shown", None),
        Notice::NearId { position } => ("near_id", Some(position)),
        Notice::Malformed => ("malformed", None),
        Notice::Ignored => ("ignored", None),
        Notice::Duplicate => ("duplicate", None),
        Notice::Late => ("late", None),
        Notice::Identical => ("identical", None),
        Notice::Noisy => ("noisy", None),
    }
}

fn winner_name(winner: Preference) -> &'static str {
    match winner {
        Preference::First => "first",
        Preference::Second => "second",
        Preference::Tie => "tie",
    }
}
