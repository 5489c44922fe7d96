//! Orders of simulated users: what is ordered after a click and what goes wrong in its file, and what each order is worth to the
//! rankers that own the document. The join has no part in it.

mod attributed;
mod buyer;
mod lines;
mod settings;

pub use attributed::ConversionFate;
pub use lines::CONVERSIONS;
pub use settings::{Amounts, Orders};

pub(super) use attributed::{ConversionTally, UnitConversions};
pub(super) use buyer::{ViewedPage, play};
pub(super) use lines::ConversionLine;

/// How many days after the last one that counts a unit closes for conversions.
pub const CONVERSION_DAYS: i32 = 7;
