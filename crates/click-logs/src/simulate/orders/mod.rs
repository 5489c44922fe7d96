//! Orders of simulated users: orders after clicks, faults in their file, and the value of each order for the rankers that own
//! the document. The join is not used.

mod attribution;
mod buyer;
mod lines;
mod order;
mod settings;

pub use attribution::SimulatedFate;
pub use lines::CONVERSIONS;
pub use settings::{Amounts, OrderSettings};

pub(super) use attribution::{ConversionTally, UnitConversions};
pub(super) use buyer::play;
pub(super) use lines::ConversionLine;
pub(super) use order::ViewedPage;

/// The number of days after the last one that counts on which a unit closes for conversions.
pub const CONVERSION_DAYS: i32 = 7;
