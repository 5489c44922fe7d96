//! Experiments on traffic: choose rankers for each impression, mix their lists, take clicks, count units, and give a verdict
//! that holds at every look.
//!
//! The state of an [`Experiment`] is derived from its [events](Event): every call that changes it appends some
//! ([`take_events`](Experiment::take_events)), and a caller that keeps them can rebuild the same experiment
//! ([`begin`](Experiment::begin), [`fold`](Experiment::fold)), with the same choices from there on. Nothing here reads a clock
//! or a file: callers pass the time.
//!
//! ```
//! use interleave::ListBuf;
//! use interleave::Doc;
//! use traffic::{RequestAnswer, Config, Experiment, Request};
//!
//! let mut experiment = Experiment::create(Config::of("search", ["old", "new"]), 0)?;
//! let lists = [ListBuf::strict([0, 1, 2].map(Doc))?, ListBuf::strict([2, 0, 3].map(Doc))?];
//! let of = |ranker: u32| lists.get(ranker as usize);
//!
//! let request = Request { unit: 1, ..Request::default() };
//! let RequestAnswer::New { impression, documents, .. } = experiment.choose(1_000, &request, Some(&of))? else { panic!() };
//! assert_eq!(documents.map(|documents| documents.len()), Some(4));
//! experiment.click(2_000, impression, 0);
//! experiment.close(3_000, impression);
//!
//! let events = experiment.take_events();
//! let mut again = Experiment::begin(&events[0].recorded)?;
//! for numbered in &events[1..] {
//!     again.fold(&numbered.recorded)?;
//! }
//! assert_eq!(again.position(), experiment.position());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Units in an experiment
//!
//! An experiment may begin with a [share](Config::share) of the units, which is only raised, by hand or by a [ramp](Config::ramp), and take
//! its units from a [lane](Config::lane) that other experiments leave alone. [`Experiment::admits`] says whether a unit is in. Nothing is
//! recorded for units outside.
//!
//! # When it runs
//!
//! An experiment may [end](Config::end_at) at a time, once the caller [advances](Experiment::advance) to it, and [begin
//! after](Config::begin_after) another one. Until then it is paused; the caller checks the other one and lets it
//! [begin](Experiment::stop_waiting).
//!
//! # Segments
//!
//! A unit belongs to the [segment](Config::segments) of its first impression. Each segment has a verdict of its own, and the experiment
//! reports rankers that harm one ([`verdicts::segments`]).
//!
//! # Units
//!
//! While the impressions of a unit count ([`Config::unit_days`]), it keeps the rankers that it met first ([`Keep::Unit`]):
//! otherwise a bandit would stop showing a pair *because of that very unit's outcomes*, and the sign of a sum that stops itself
//! is biased. The policy learns from a unit's first impression, as soon as that is closed; verdicts count the unit's sum over
//! its days. Afterwards a unit sees the list of the leader alone.

#![warn(clippy::self_named_module_files)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod chooser;
mod config;
mod conversion_verdicts;
mod event;
mod experiment;
mod guards;
mod harms;
mod headline;
pub mod lists;
mod measures;
mod refusals;
mod status;

pub use config::{
    Ask, BreachReaction, CLICKS, Config, ConfigError, Generators, Guard, Guardrails, Keep, Lane, OTHER_SEGMENT,
    OutcomeKind, Ranker, Step, UnitPosition,
};
pub use conversion_verdicts::ConversionVerdicts;
pub use event::{
    Appearance, Choice, Conversion, ConversionRow, DayRow, Event, EventError, Notice, Outcome, Reason, RecordedEvent,
    State, Time,
};
pub use experiment::{
    Alarm, Change, ClickFate, CommandError, ConversionFate, ConversionTally, Experiment, ExportedConversion,
    ExportedImpression, Fates, FoldError, ForgottenPart, HoldReason, Marks, NextStep, Notices, NumberedEvent, Raise,
    Request, RequestAnswer, RequestCounts, SCHEDULE, Snapshot, SnapshotError, UnitState,
};
pub use guards::WatchedRate;
pub use headline::{ExperimentStatus, Facts, Headline};
pub use status::{DecisionReport, Evidence, SIMULATED_REMARK};
pub use verdicts::integrity::{Fault, FaultKind, IntegrityReport};
pub use verdicts::ledger::UnitTally;
pub use verdicts::segments::{Harm, SegmentsDecision};
