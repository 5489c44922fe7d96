//! The live server: chooses the rankers that meet, mixes their lists, takes clicks, and determines the winner.
//!
//! The log of an experiment is the truth, and its state is the fold of the log (`traffic`). This crate keeps logs in SQLite or PostgreSQL
//! ([`store`]), owns the folds in one thread ([`writer`]), and speaks HTTP ([`running`]). Acknowledged requests are on the disk; a request
//! that could not be written was not acknowledged.

#![warn(clippy::self_named_module_files)]

pub mod cli;
#[cfg(feature = "drive")]
pub mod demo;
#[cfg(feature = "drive")]
pub mod drive;
pub mod export;
pub mod http;
pub mod ids;
mod in_order;
pub mod jobs;
pub mod json;
pub mod judge;
pub mod metrics;
pub mod notify;
pub mod running;
pub mod settings;
pub mod store;
pub mod writer;
