//! Verdicts: which ranker won. Outcomes by unit and day ([`outcomes`]) become evidence that holds at every look, a decision, and its words
//! ([`decide::decide`]).
//!
//! | module | holds |
//! |---|---|
//! | [`outcomes`] | the input of verdicts: wins, losses and ties by version, day and pair |
//! | [`ledger`] | what a unit contributes, day by day |
//! | [`amounts`] | how many clicks each side has, beside the winner |
//! | [`conversions`] | orders and their value, by day and pair |
//! | [`draft`] | the advantage that the coins of a team draft gave by chance |
//! | [`integrity`] | broken pages, seen before the verdict |
//! | [`segments`] | verdicts of segments of the units, and which rankers harm one |
//! | [`decide`] | looks, evidence, contradictions; as sentences, CSV and JSON |
//!
//! Beside these: how pairs were chosen, which decides which impressions of a unit may be counted ([`PairChoice`]), the versions of an
//! experiment ([`Version`]), and rules for bots ([`Bots`]). Nothing here reads a file or a flag. `click-logs` reads and credits logs;
//! `traffic` counts experiments as they run.
//!
//! ```
//! use statistics::Counts;
//! use statistics::anytime::TestState;
//! use verdicts::decide::{CountUnit, decide};
//! use verdicts::outcomes::{Day, DayCounts, Outcomes};
//!
//! let counts = DayCounts::of(Counts::new(300, 180, 90), Counts::new(500, 320, 700));
//! let outcomes = Outcomes {
//!     rankers: vec!["new".to_owned(), "old".to_owned()],
//!     versions: vec![None],
//!     days: vec![Day { version: 0, day: 20_780, pair: (0, 1), counts }],
//! };
//! let verdicts = decide(&outcomes, 0.05, CountUnit::Units)?;
//! assert_eq!(verdicts.latest().pairs[0].last.verdict, TestState::FirstWins);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::self_named_module_files)]

pub mod amounts;
mod bots;
pub mod conversions;
pub mod decide;
pub mod draft;
pub mod integrity;
pub mod ledger;
pub mod outcomes;
mod pair_choice;
pub mod segments;
mod version;

pub use bots::{Bots, CRAWLERS};
pub use pair_choice::{PairChoice, PairChoices, SaidBy};
pub use version::{UNNAMED_VERSION, Version, VersionDeclarations, experiment_name, wrong_version};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
