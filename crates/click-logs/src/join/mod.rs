//! Impressions and clicks brought together in bounded memory, each credited once.
//!
//! Lines become records of a few dozen bytes, scattered over partitions by the hash of the impression's id; partitions that
//! exceed the memory go to files. Then each partition is joined by itself: its impressions fill a table, its clicks pass
//! by. What an impression says about its rankers is scattered again, by the hash of its unit, and each unit is counted.
//!
//! Where lines are in the order of time, a window slides over them instead ([`Order`]): only impressions whose window is not over
//! are in memory. What leaves it is checked in the end: if a line was not where its time says, the log is joined again in
//! partitions.
//!
//! A log that grows is joined file by file (`append`), by the same rules.
//!
//! Nothing depends on the order of lines, files or partitions: clicks are a set per impression, every line has one fate, and
//! what comes out are sums.

mod append;
mod conversions;
mod credit;
mod credited;
mod encode_blocks;
mod frame_join;
mod line_encoder;
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

pub use append::{HORIZON, State, Unkept, append};
pub use conversions::ConversionLog;
pub use credit::{Inputs, Limits, Order, Watch, credit, credit_with_conversions};
pub use credited::{Credited, CreditedConversions};
pub use frame_join::{FrameJoin, UnitOutcome, Units};
pub use span::Span;
pub use survey::Survey;
pub use tally::{
    Aside, ClickFate, ConversionFate, ImpressionFate, Tally, Traced, TracedConversions, TracedPair, TracedUnit,
    UnitFate,
};
pub use units::{OfDay, Sum};
