//! Sessions that ask judges: people or models compare two answers, and a [`Session`] chooses the next pair.
//!
//! [`Session`] chooses pairs ([`ask`](Session::ask)), takes verdicts ([`tell`](Session::tell)) and ranks competitors. Its state is derived
//! from [events](Event): every call that changes it appends some, and a caller that keeps them can replay them to the same state and the
//! same next pairs. Nothing here reads a clock or a file, and all randomness follows from the seed.
//!
//! ```
//! use judges::{Config, Session, Answer};
//!
//! let mut live = Session::new(Config { seed: 7, ..Config::of(["a", "b", "c"]) })?;
//! let mut log = live.take_lines();
//! for _ in 0..20 {
//!     let pair = live.ask(None)?;
//!     // Write the log before you show the pair: then no ticket in use is ever lost.
//!     log += &live.take_lines();
//!     let verdict = if pair.first < pair.second { Answer::First } else { Answer::Second };
//!     live.tell(pair.ticket, verdict, None)?;
//!     log += &live.take_lines();
//! }
//! assert_eq!(live.recommend(), Some(0));
//!
//! let (mut again, read) = Session::replay(log.as_bytes())?;
//! assert_eq!((read.events, read.torn), (41, 0));
//! assert_eq!(again.ask(None)?, live.ask(None)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The log
//!
//! A log is a text of JSON lines, one per event, each with its number, the version of its form, and a checksum of its text and
//! all lines before it. A line that was edited, removed or repeated is refused by its number. A process that was
//! killed while it wrote leaves a last line without line feed: no ticket of it was given out, so it is passed over. Lines
//! removed from the end cannot be noticed by the log alone; their tickets are refused as never given out. Lines of an older
//! version are read for ever, and never rewritten.
//!
//! # Another program, another revision
//!
//! The log records the chooser: the policy with all parameters, its revision, and the revision of this crate's own rules. As long
//! as that is what this build has, a replay makes every choice again, and a line that records another choice is refused. A log
//! of another revision is not refused: its pairs and outcomes are taken as recorded. The first call that changes anything then
//! appends [`Event::Continued`]; from there on this build chooses. Its policy starts from scratch and learns the outcomes recorded
//! until then as it chooses their pairs.
//!
//! # Mistakes
//!
//! An answer, or that a question was passed over, can be [taken back](Session::take_back); [`undo`](Session::undo) takes back what a
//! judge did last. The question is open again, so that the last word counts. Policies cannot unlearn: the policy begins again, and learns the
//! other answers as it chooses their pairs.
//!
//! # A model beside people
//!
//! With [`Config::model`], a model answers each question first, and random draws decide which answers a person audits. [`Session::evidence`]
//! then has corrected points, which hold for people.
//!
//! # When to stop
//!
//! [`board`](Session::board) ranks competitors by all answers, and its claims hold at every look: you may stop when it names the best.
//! [`chances`](Session::chances) says how likely a number of further answers is enough.
//!
//! # What a policy learns
//!
//! Judges compare, so a question is never about an arm alone. A policy of the registry that plays an arm alone, or against
//! itself, chooses again for a few steps; if it does not change, the judge gets the arm with the least certain order against
//! that one. The outcome of such a question, like one recorded by another revision, waits until the policy chooses that pair, and is then its answer
//! immediately. So the policy learns from exactly the pairs that it chose, as its theory requires, and no judgement is wasted.

#![warn(clippy::self_named_module_files)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod choosers;
mod config;
mod event;
mod log;
mod model;
mod screen;
mod state;
mod status;
mod stop;
mod verdicts;

pub use board::Answer;

pub use config::{AUTO, AuditedModel, Config, ConfigError, Goal, check_name};
pub use event::{AnswerWeight, Event, Purpose};
pub use log::{LogError, ReplayedLog};
pub use state::{AuditCounts, CompetitorSummary, Counts, FoldError, JudgementRow, Pair, Session, SessionError, Ticket};
pub use stop::{Chances, Plays};
pub use verdicts::{verdict_from_word, verdict_word};
