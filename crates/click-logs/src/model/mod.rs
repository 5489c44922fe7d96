//! The contents of logs in any format: impressions, clicks, times, rankers and how lists were mixed; and the rules by
//! which they are joined. Not here: files.

mod borrowed;
mod conversion;
mod displayed;
mod lineup;
mod receipts;
mod record;
mod settings;
mod version_of;

pub use borrowed::{ImpressionRef, MixedRef};
pub use conversion::{Attribution, Conversion, ConversionRules, Primary};
pub use displayed::Oddities;
pub(crate) use displayed::{Displayed, Listed, read_credit, write_credit};
pub use lineup::{Alone, Lineup, Lineups, Scheme};
pub(crate) use lineup::{NO_TEAM, wrong_name};
pub(crate) use receipts::{ReceiptRef, Receipts};
pub use record::{Click, Impression, Mixed};
pub use settings::{Complete, Settings, UnitKind};
pub(crate) use version_of::version_of;

/// The most documents of a list.
pub(crate) const MOST_SHOWN: usize = 10_000;
