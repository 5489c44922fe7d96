//! Orders of simulated users: orders after clicks, faults in their file, and the value of each order for the rankers that own
//! the document. The join is not used.

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

/// The number of days after the last one that counts on which a unit closes for conversions.
pub const CONVERSION_DAYS: i32 = 7;
