//! A small, frozen benchmark of dueling bandits, interleaving and choosing judgements, which programs in any language enter.
//!
//! | module | holds |
//! |---|---|
//! | [`definition`] | what is played, how often, and the checksum of every problem |
//! | [`problems`] | the probability of each arm to beat each other, to the last bit |
//! | [`entry`] | the players: policies, and other programs over lines of JSON |
//! | `session` | one entry on one problem, once |
//! | [`track`] | the six tracks |
//! | `tracks` | what each plays and measures |
//! | [`study`] | all of it as a study, with results folders and shards |
//! | [`results`] | one JSON file |
//! | [`score`] | medians, worst problems, ranks with intervals |
//! | [`table`] | tables, a figure, a page |
//!
//! ```
//! use bench::{BenchStudy, Entry, Request, Track};
//! use studies::{Execution, StudyOutcome, run};
//!
//! let request = Request {
//!     tracks: vec![Track::Best],
//!     entries: vec![Entry::Policy("dts".parse()?), Entry::Policy("random".parse()?)],
//!     problems: Some(vec!["order-20".to_owned()]),
//!     runs: Some(3),
//!     key: None,
//! };
//! let StudyOutcome::Finished(finished) = run(BenchStudy::new(request)?, &Execution::default())? else { unreachable!() };
//! let scores = bench::Scores::of(&[finished.found])?;
//! assert_eq!(scores.track(Track::Best).expect("it was played").ranked.len(), 2);
//! # Ok::<(), anyhow::Error>(())
//! ```

mod counts;
pub mod definition;
pub mod entry;
pub mod problems;
pub mod results;
pub mod score;
mod session;
pub mod study;
pub mod table;
pub mod track;
mod tracks;

pub use definition::Definition;
pub use entry::{Entry, Program};
pub use results::Results;
pub use score::Scores;
pub use study::{BenchStudy, Request};
pub use track::Track;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
