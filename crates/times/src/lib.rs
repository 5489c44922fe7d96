//! Times as logs and tables write them, read alike by every command.
//!
//! | item | what it is |
//! |---|---|
//! | [`Zone`] | how times without a zone are read, and where days begin |
//! | [`time_from_number`], [`check_plausible`] | numbers since 1970, and which times are plausible |
//! | [`date`], [`text`] | days and instants for readers |
//! | [`parse_duration`] | lengths such as `30m` |
//!
//! Instants are milliseconds since 1970 in UTC, and days are counted from 1970-01-01. The crate reads no clock and no
//! file: the rules of named zones are compiled in, so that days are the same on every machine.

mod calendar;
mod duration;
mod instant;
mod local_time;
mod unit;
mod zone;

pub use calendar::{DAY, date, text};
pub use duration::{duration_text, parse_duration};
pub use instant::{check_plausible, not_a_time, time_from_number};
pub use local_time::day_of_date;
pub use zone::Zone;

/// The example of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
