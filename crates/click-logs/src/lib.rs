//! Who won, from logs of impressions and clicks.
//!
//! [`join::credit`] reads files ([`read`]), joins clicks to the lists that were shown, credits each impression once by the
//! method that mixed it, and counts the outcomes per pair of rankers and day, by impressions and by units: users or
//! sessions. Everything that does not count is counted by its reason.

pub mod cli;
pub mod decide;
pub mod error;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
pub mod join;
pub mod model;
mod number;
pub mod outcomes;
pub mod read;
pub mod simulate;

pub use error::LogError;
