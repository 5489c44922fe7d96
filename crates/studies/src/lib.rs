//! What long commands compute, as values: a [`Study`] says what is asked for, and [`run`] carries it out, in memory, in a
//! results folder, or as one of many shards. The command line, Python and shards are ways of asking.
//!
//! | module | holds |
//! |---|---|
//! | [`live`] | dueling bandits live on a site |
//! | [`matrix`] | the same on a preference matrix or a problem |
//! | [`explore`] | the same until horizons: accuracy of the recommended arm |
//! | [`compare`] | the same live and on the proxy matrix, side by side |
//! | [`distortion`] | how often multileaving disagrees with pairs |
//! | [`sensitivity`] | how many impressions methods need to order rankers |
//! | [`proxy`] | the preference matrix of a site, with a state file of its own |
//! | [`power`], [`significance`] | analyses that need no folder |
//! | [`runner`] | folders, keys, shares, kept records, merging: the only place that knows them |
//! | [`results`] | tables, curves and figures of finished runs, and the bytes of their files |
//! | [`site`] | an open site with the ground truths that were estimated on it |
//! | [`notes`], [`matrix_file`] | what users should know of data, settings and matrices before they read results |

pub mod compare;
pub mod distortion;
pub mod explore;
pub mod live;
mod live_vs_proxy;
pub mod matrix;
pub mod matrix_file;
pub mod notes;
pub mod npz;
pub mod power;
pub mod proxy;
pub mod request;
pub mod results;
pub mod runner;
pub mod sensitivity;
pub mod significance;
pub mod site;
mod study;

pub use runner::{Finished, Order, Outcome, Place, run};
pub use study::{Content, OnSite, Report, ReportFile, Study, Units, UsualPlace, write_files};
