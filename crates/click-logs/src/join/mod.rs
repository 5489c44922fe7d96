//! Joins impressions and clicks in bounded memory, and credits each once.
//!
//! Lines become records of a few dozen bytes, scattered over partitions by the hash of the impression's id; partitions that
//! exceed the memory go to files. Then each partition is joined by itself: its impressions fill a table, and its clicks are
//! looked up in it. The outcomes of impressions are scattered again, by the hash of their unit, and each unit is counted.
//!
//! Where lines are in the order of time, a window slides over them instead ([`Order`]): memory holds only impressions whose
//! window is not over. The order is checked at the end: if a line was out of place, the log is joined again in partitions.
//!
//! A log that grows is joined file by file (`append`), by the same rules.
//!
//! The order of lines, files or partitions does not matter: clicks are a set per impression, every line has one fate, and
//! results are sums.

mod append;
mod conversions;
mod credit;
mod credited_log;
mod encode_blocks;
mod frame_join;
mod inputs;
mod join_state;
mod outcome;
mod page_reader;
mod partitions;
mod record;
mod sliding;
mod span;
mod spill;
mod survey;
mod table;
mod tally;
mod units;

pub use append::{DEFAULT_HORIZON, PendingRun, State, append};
pub use conversions::ConversionLog;
pub use credit::{Watch, credit, credit_with_conversions};
pub use credited_log::{CreditedConversions, CreditedLog};
pub use frame_join::{FrameJoin, UnitOutcome, Units};
pub use inputs::{Inputs, Order, Resources};
pub use span::Span;
pub use survey::Survey;
pub use tally::{
    Aside, ClickFate, ConversionFate, ImpressionFate, Tally, Trace, TracedConversions, TracedPair, TracedUnit, UnitFate,
};
pub use units::{DayTotals, LogTotals};
