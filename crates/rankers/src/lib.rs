//! Feature rankers over a data set: ranked lists with ties, selection of arms, measures of quality.
//!
//! A *feature ranker* sorts the documents of a query by one feature, highest value first; an absent value is 0. Its
//! lists keep their ties, which the methods of [`interleave`] break at random in every impression. A constant feature
//! is thus a random ranker.
//!
//! | item | purpose |
//! |---|---|
//! | [`Selection`] | chooses features: all, some at random, the first in alphabetical order, or by number |
//! | [`RankerRef`] | a ranker by the number of its feature or by name |
//! | [`Rankings`] | the list of every chosen ranker for every query |
//! | [`TieBreaking`] | breaks ties again in every impression, or once, by a seed |
//! | [`Rankings::prefetch`], [`prefetch_top`], [`prefetch()`] | loads memory before it is needed |
//! | [`Rankings::duplicates`] | finds identical rankers |
//! | [`Measure`], [`Rankings::measure`] | nDCG, AP, RR, P, R and RBP by the names and definitions of `ir_measures` |
//! | [`Rankings::ndcg`], [`ndcg()`] | nDCG with either [`Gain`], in expectation over ties |
//!
//! # Example
//!
//! ```
//! use interleave::Doc;
//! use letor_io::{DatasetBuilder, Provenance};
//! use rankers::{Gain, Rankings, Selection, TieBreaking};
//!
//! let provenance = Provenance::Files { files: vec![], skipped: vec![] };
//! let mut builder = DatasetBuilder::new("example", provenance);
//! // Three documents, two features; the second feature ties the last two documents.
//! builder.push_rows("1", &[0.0, 2.0, 1.0], &[[0.1, 5.0], [0.7, 3.0], [0.4, 3.0]])?;
//! let dataset = builder.build();
//!
//! let features = Selection::All.choose(dataset.features(), 0)?;
//! let rankings = Rankings::new(&dataset, &features, TieBreaking::Random)?;
//! assert!(rankings.list(0, 0).docs().eq([1, 2, 0].map(Doc)));
//! assert_eq!(rankings.list(0, 1).group(Doc(1)).ranks(), 1..3);
//!
//! // The first feature has an ideal order.
//! let ndcg = rankings.ndcg(dataset.labels(), 10, Gain::Exponential)?;
//! assert!(ndcg[0] == 1.0 && ndcg[1] < 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How to add a ranker
//!
//! Another kind of ranker (e.g. a linear model) is another way to compute sort keys for the documents of a query. The
//! orders and tie groups of [`Rankings`] need no change.

mod expectation;
mod measures;
mod ndcg;
mod pages;
mod prefetch;
mod ranker_ref;
mod ranking;
mod rankings;
mod selection;

pub use measures::{GoldValue, Measure, MeasureError, MeasureErrorKind, MeasureKind, Measurement};
pub use ndcg::{Gain, NdcgError, ndcg};
pub use prefetch::prefetch;
pub use ranker_ref::RankerRef;
pub use ranking::TieBreaking;
pub use rankings::{MemoryError, Rankings, prefetch_top};
pub use selection::{Selection, SelectionError, SelectionErrorKind};

/// The examples of the README, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
