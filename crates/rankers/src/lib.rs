//! Feature rankers over a data set: orders with their ties, selection of arms, nDCG.
//!
//! A *feature ranker* sorts a query's documents by one feature, highest value first; an absent
//! value is 0. Its list keeps its ties: [`interleave`]'s methods break them afresh, at random, in
//! every impression, and a constant feature is a ranker at random.
//!
//! | item | does |
//! |---|---|
//! | [`Selection`] | chooses features: all, some at random, the alphabetically first, or by number |
//! | [`Rankings`] | every chosen ranker's list for every query |
//! | [`TieBreaking`] | ties afresh in every impression, or fixed by a seed |
//! | [`Rankings::prefetch`], [`prefetch()`] | memory asked for before it is needed |
//! | [`Rankings::duplicates`] | which rankers are the same |
//! | [`Rankings::ndcg`], [`ndcg()`] | nDCG with either [`Gain`], in expectation over ties |
//!
//! # Rank, and look at a list
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
//! assert_eq!(rankings.list(0, 0).order(), [1, 2, 0].map(Doc));
//! assert_eq!(rankings.list(0, 1).group(Doc(1)).ranks(), 1..3);
//!
//! // The first feature has the best order there is.
//! let ndcg = rankings.ndcg(dataset.labels(), 10, Gain::Exponential)?;
//! assert!(ndcg[0] == 1.0 && ndcg[1] < 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How to add one
//!
//! Another kind of ranker (a linear model, say) is another way to get sort keys for a query's
//! documents; from there on the orders and tie groups of [`Rankings`] serve it as they are.

mod ndcg;
mod pages;
mod prefetch;
mod rankings;
mod selection;

pub use ndcg::{Gain, NdcgError, ndcg};
pub use prefetch::prefetch;
pub use rankings::{MemoryError, Rankings, TieBreaking};
pub use selection::{Selection, SelectionError};
