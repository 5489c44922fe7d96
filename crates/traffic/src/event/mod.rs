//! The events of an experiment, in the order in which they are stored. [`RecordedEvent`] adds the bytes of an event; `versions` has
//! their structs.
//!
//! # How events evolve
//!
//! A store is a log of events that every later program must be able to read. So a published struct of `versions` never changes:
//! to add, remove or redefine a field, make a new version of its kind. To add a field to, say, `Clicked`:
//!
//! 1. Add it to [`Event::Clicked`]. The compiler then names what writes an event (`versions`) and the export of the server, where
//!    patterns name every field, and all that makes the event, also beside `experiment/commands.rs`. Patterns elsewhere, also of the fold and of the server's writer, may end in `..`: search for
//!    `Event::Clicked`.
//! 2. In `versions/mod.rs`, copy `ClickedV1` to `ClickedV2`, add the field at its end, and set the second byte of its `TAG` to 2. In
//!    `ClickedV1::upgrade`, set the field for events that were written without it. `encode` writes `ClickedV2`; `decode` gains its
//!    name, and keeps that of `ClickedV1`. A value inside of events (`values`, `settings`) is copied likewise, as is every struct that holds
//!    it. `versions/scratch.rs` has a `ClickedV2` for tests: raise its version if yours takes it. If most events lack the field, `encode` writes the
//!    version before where it is absent, so that their bytes stay as they are; then the new struct has the field itself and not an `Option`, so that an event has one form
//!    (`AskedV3`).
//! 3. Fold it: `experiment/fold.rs` applies the event, `experiment/commands.rs` records it. Decide first whether the state keeps the field:
//!    what it does not keep stands in the export alone, and nothing of step 5 shows it. If the state keeps the field, snapshots
//!    change, and every type in `experiment/snapshot/mod.rs` (`Change`, `Choice`, `State` and so on) is as frozen as those of `versions`: copy
//!    it, add the next version of the snapshot to what is read and written, and a fixture and a test to `tests/all/evolve.rs`.
//! 4. Add an event with the field, and one without, to `samples` in `tests/all/evolve.rs`; without them no test pins the new version. Run
//!    `UPDATE=1 cargo test -p traffic --test traffic evolve`, which adds an event of the new version to `tests/fixtures`. Older events
//!    stay; a test fails if a byte of them changes.
//! 5. Fields from callers come through the server's `http/experiments.rs`, which refuses unknown fields, the form of `http/pages`, `jobs`,
//!    and, for a kill that cannot be written yet, `writer/directory.rs` and `writer/thread.rs`. It is shown by `jobs/status.rs`, `http/pages/overview.rs`,
//!    `notify/messages.rs` and `openapi.json`; the client in Python follows it. `bash server/ci.sh` tests all of that.
//!
//! Where a new version adds only fields that an event does not use, `encode` may write the version before: settings of `Created` that are
//! left out do not change its bytes, which snapshots have.
//!
//! Bytes of a version are read as that version, written again as that version, and compared; only then are they upgraded. Checksums are
//! over the bytes in the store. So a log may hold several versions of a kind, and none is ever rewritten. A new kind takes the next
//! number in [`Event::kind`]; numbers are never used again. A program that meets a kind or version of a later one says so
//! ([`EventError::Unknown`]). One exception: moving a store to tables that do not keep requests with users rewrites its events `Asked`
//! without the marks of their first version.

mod recorded_event;
mod version;
mod versions;

use interleave::Page;

use verdicts::conversions::ConversionCounts;

use super::config::{Config, Guard};

pub use recorded_event::RecordedEvent;
pub use verdicts::ledger::{DayRow, Outcome};
pub use version::EventError;

/// A time in milliseconds since 1970.
pub type Time = i64;

/// An event of an experiment. Rankers are numbers here, by their places in [`Config::rankers`] from 0; impressions are
/// numbered from 1 as they are asked for; units are numbers that the caller gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The first event.
    Created {
        /// The time.
        time: Time,
        /// The resolved settings.
        config: Box<Config>,
        /// The chooser: the policy with its revision.
        chooser: String,
    },
    /// From here on another revision chooses, from scratch; outcomes that were counted stay counted.
    Continued {
        /// The time.
        time: Time,
        /// The new chooser.
        chooser: String,
    },
    /// A process has opened the store, or created the experiment.
    Started {
        /// The time.
        time: Time,
        /// How much open windows are extended, in milliseconds, because no process was running to take clicks.
        gap: i64,
        /// A random number, which is in the ids of the impressions that this process gives out.
        start: u64,
    },
    /// An impression was asked for. Its number is the number of such events until then.
    Asked {
        /// The time.
        time: Time,
        /// The unit.
        unit: u64,
        /// The rankers that provide the lists.
        choice: Choice,
        /// The receipt of the mixed list without the name of its method, if the lists came with the request; empty for the list
        /// of one ranker.
        receipt: Option<Vec<u8>>,
        /// The segment of its unit, by its place in the settings.
        segment: Option<u8>,
    },
    /// The lists of an impression came.
    Listed {
        /// The time.
        time: Time,
        /// The number of the impression.
        impression: u64,
        /// As in [`Asked`](Self::Asked).
        receipt: Vec<u8>,
    },
    /// A document was clicked for the first time.
    Clicked {
        /// The time.
        time: Time,
        /// The number of the impression.
        impression: u64,
        /// Its 0-based position in the mixed list.
        position: u32,
    },
    /// The user saw further.
    Paged {
        /// The time.
        time: Time,
        /// The number of the impression.
        impression: u64,
        /// The number of places of the list that the user has seen.
        seen: u32,
    },
    /// The page actually displayed.
    Shown {
        /// The time.
        time: Time,
        /// The number of the impression.
        impression: u64,
        /// Its places.
        page: Page,
    },
    /// An impression ended: nothing of it counts any more.
    Closed {
        /// The time.
        time: Time,
        /// The number of the impression.
        impression: u64,
        /// The reason.
        reason: Reason,
        /// The winner, if any.
        outcome: Outcome,
    },
    /// All impressions of a day are closed; the counts of the day are final.
    Day {
        /// The time.
        time: Time,
        /// Days since 1970-01-01.
        day: i32,
        /// The rows that `decide` reads.
        rows: Vec<DayRow>,
        /// Whether rows have their amounts; those of earlier programs do not.
        has_amounts: bool,
    },
    /// The state was changed.
    Changed {
        /// The time.
        time: Time,
        /// The new state.
        state: State,
        /// The name of the person or process that changed it.
        who: String,
        /// The reason.
        why: String,
    },
    /// A ranker broke a guardrail.
    Breached {
        /// The time.
        time: Time,
        /// The ranker.
        ranker: u32,
        /// The guardrail.
        guard: Guard,
        /// Of the ranker's impressions: how many, and how many of them were bad.
        ranker_counts: [u64; 2],
        /// The same of the champion.
        champion_counts: [u64; 2],
    },
    /// Something about an impression was odd, for the first time: its clicks may be lost, or its lists compare nothing.
    Noticed {
        /// The time.
        time: Time,
        /// The number of the impression.
        impression: u64,
        /// The oddity.
        what: Notice,
    },
    /// The beginning of the log was forgotten: a store may lack it from here on. A snapshot has the state that it led
    /// to.
    Forgotten {
        /// The time.
        time: Time,
        /// The first day that is kept, in days since 1970-01-01.
        before: i32,
        /// The number of forgotten events.
        events: u64,
    },
    /// The share of units that is in the experiment was raised.
    Raised {
        /// The time.
        time: Time,
        /// The new share, in (0, 1].
        share: f64,
        /// The name of the person that raised it, or `ramp`.
        who: String,
        /// The reason.
        why: String,
    },
    /// A unit did something with a document that it was shown before, such as ordering it.
    Converted {
        /// The time.
        time: Time,
        /// The conversion.
        conversion: Box<Conversion>,
    },
    /// Units have closed for conversions; their counts on the day are final.
    Matured {
        /// The time.
        time: Time,
        /// Days since 1970-01-01: the day on which they closed.
        day: i32,
        /// By pair.
        rows: Vec<ConversionRow>,
    },
}

/// A unit's action on a document. Documents and orders are numbers that the caller gives, for each unit from 1 on: a log that is kept
/// for ever must not reveal who ordered what, even to those who know the number of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversion {
    /// The unit.
    pub unit: u64,
    /// The document.
    pub document: u32,
    /// The order that it is a part of; 0 without one.
    pub order: u32,
    /// The action, by the place of its name among those of the settings.
    pub action: u32,
    /// In minor units; negative if it takes a conversion back, or a part of one. 1 where only the number counts.
    pub value: i64,
    /// The impressions before that mixed the document.
    pub appearances: Vec<Appearance>,
}

/// The place of a document in a mixed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Appearance {
    /// In which impression.
    pub impression: u64,
    /// Its 0-based position in the mixed list.
    pub position: u32,
}

/// The conversion counts of a pair of rankers, over units that closed on a day; wins are those of the first, which has the lower
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ConversionRow {
    /// The rankers.
    pub pair: (u32, u32),
    /// The counts.
    pub counts: ConversionCounts,
}

/// An oddity of an impression. Each is noticed once, so that a caller with an id adds a handful of events at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// A click on a document that is not in the list.
    NotShown,
    /// The same, but a document of the list has this id, if it were not for how it is written.
    NearId {
        /// Its 0-based position in the mixed list.
        position: u32,
    },
    /// An event that cannot be read.
    Malformed,
    /// Another action than a click.
    Ignored,
    /// A click on a document that was clicked before.
    Duplicate,
    /// An event of an impression that is closed.
    Late,
    /// All its rankers sent the same list.
    Identical,
    /// More events of it do not count than a page sends: they do not count as signs of lost clicks either.
    Noisy,
}

/// The rankers that provide the lists of an impression.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Choice {
    /// Two rankers, as the policy chose: it learns from the outcome.
    Duel([u32; 2]),
    /// Any number, likewise.
    Set(Vec<u32>),
    /// The rankers that the unit met before; the policy was not asked.
    Kept {
        /// The rankers.
        arms: Vec<u32>,
        /// Whether the policy had chosen a set instead of a duel.
        is_set: bool,
    },
    /// One alone, as the policy chose: nothing is mixed, and nothing is learnt.
    Alone(u32),
    /// The leader alone, because the unit has counted already; the policy was not asked.
    Leader(u32),
}

impl Choice {
    /// The rankers whose lists are needed, in the order of the lists.
    #[must_use]
    pub fn arms(&self) -> &[u32] {
        match self {
            Self::Duel(pair) => pair,
            Self::Set(arms) | Self::Kept { arms, .. } => arms,
            Self::Alone(arm) | Self::Leader(arm) => std::slice::from_ref(arm),
        }
    }

    /// Whether any number of lists are multileaved, not two interleaved.
    #[must_use]
    pub fn is_set(&self) -> bool {
        matches!(self, Self::Set(_) | Self::Kept { is_set: true, .. })
    }

    /// Whether lists are mixed.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        matches!(self, Self::Duel(_) | Self::Set(_) | Self::Kept { .. })
    }
}

/// Why an impression was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its window has passed.
    Window,
    /// The caller closed it.
    Asked,
    /// A judge answered.
    Judged,
    /// This ranker's list was not there.
    Missing(u32),
    /// No list, or no judgement, ever came.
    Unanswered,
    /// The answer did not reach the caller in time.
    AnsweredLate,
}

impl Reason {
    /// Whether it comes with an outcome.
    #[must_use]
    pub fn is_credited(self) -> bool {
        matches!(self, Self::Window | Self::Asked | Self::Judged)
    }
}

/// How an experiment treats requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum State {
    /// Rankers are chosen and lists mixed.
    #[default]
    Running,
    /// Everybody gets the champion's list, for a while.
    Paused,
    /// The same, immediately, also where an impression is open.
    Killed,
    /// The same, for good.
    Ended,
    /// It is over, and everybody gets the list of this ranker, by its place.
    Shipped(u32),
}

impl State {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Killed => "killed",
            Self::Ended => "ended",
            Self::Shipped(_) => "shipped",
        }
    }

    /// Whether rankers will never be compared again.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Ended | Self::Shipped(_))
    }

    /// The ranker that was shipped, by its place.
    #[must_use]
    pub fn shipped(self) -> Option<u32> {
        match self {
            Self::Shipped(ranker) => Some(ranker),
            _ => None,
        }
    }
}

impl Event {
    /// When it happened.
    #[must_use]
    pub fn time(&self) -> Time {
        match self {
            Self::Created { time, .. }
            | Self::Continued { time, .. }
            | Self::Started { time, .. }
            | Self::Asked { time, .. }
            | Self::Listed { time, .. }
            | Self::Clicked { time, .. }
            | Self::Paged { time, .. }
            | Self::Shown { time, .. }
            | Self::Closed { time, .. }
            | Self::Day { time, .. }
            | Self::Changed { time, .. }
            | Self::Breached { time, .. }
            | Self::Noticed { time, .. }
            | Self::Forgotten { time, .. }
            | Self::Raised { time, .. }
            | Self::Converted { time, .. }
            | Self::Matured { time, .. } => *time,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Created { .. } => "created",
            Self::Continued { .. } => "continued",
            Self::Started { .. } => "started",
            Self::Asked { .. } => "asked",
            Self::Listed { .. } => "listed",
            Self::Clicked { .. } => "clicked",
            Self::Paged { .. } => "paged",
            Self::Shown { .. } => "shown",
            Self::Closed { .. } => "closed",
            Self::Day { .. } => "day",
            Self::Changed { .. } => "changed",
            Self::Breached { .. } => "breached",
            Self::Noticed { .. } => "noticed",
            Self::Forgotten { .. } => "forgotten",
            Self::Raised { .. } => "raised",
            Self::Converted { .. } => "converted",
            Self::Matured { .. } => "matured",
        }
    }

    /// The number of its kind, for the column of a store: it never changes.
    #[must_use]
    pub fn kind(&self) -> u8 {
        match self {
            Self::Created { .. } => 0,
            Self::Continued { .. } => 1,
            Self::Started { .. } => 2,
            Self::Asked { .. } => 3,
            Self::Listed { .. } => 4,
            Self::Clicked { .. } => 5,
            Self::Paged { .. } => 6,
            Self::Shown { .. } => 7,
            Self::Closed { .. } => 8,
            Self::Day { .. } => 9,
            Self::Changed { .. } => 10,
            Self::Breached { .. } => 11,
            Self::Noticed { .. } => 12,
            Self::Forgotten { .. } => 13,
            Self::Raised { .. } => 14,
            Self::Converted { .. } => 15,
            Self::Matured { .. } => 16,
        }
    }

    /// The unit that a fold must have to fold it, if it must have one.
    #[must_use]
    pub fn unit(&self) -> Option<u64> {
        match self {
            Self::Asked { unit, .. } => Some(*unit),
            Self::Converted { conversion, .. } => Some(conversion.unit),
            _ => None,
        }
    }

    /// The impression it is about; for [`Asked`](Self::Asked), the caller counts.
    #[must_use]
    pub fn impression(&self) -> Option<u64> {
        match self {
            Self::Listed { impression, .. }
            | Self::Clicked { impression, .. }
            | Self::Paged { impression, .. }
            | Self::Shown { impression, .. }
            | Self::Closed { impression, .. }
            | Self::Noticed { impression, .. } => Some(*impression),
            _ => None,
        }
    }
}
