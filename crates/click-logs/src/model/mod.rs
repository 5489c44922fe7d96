//! The contents of logs in any format: impressions, clicks, times, rankers and how lists were mixed; and the rules by
//! which they are joined. Not here: files.

mod conversion;
mod displayed_page;
mod impression_ref;
mod lineup;
mod receipts;
mod record;
mod settings;
mod version;

pub use conversion::{Attribution, Conversion, ConversionRules, Primary};
pub use displayed_page::Oddities;
pub(crate) use displayed_page::{DisplayedPage, NamedDocuments, read_credit, write_credit};
pub use impression_ref::{ImpressionRef, MixedRef};
pub use lineup::{Lineup, Lineups, Scheme, SingleRanker};
pub(crate) use lineup::{NO_TEAM, wrong_name};
pub(crate) use receipts::{ReceiptRef, Receipts};
pub use record::{Click, Impression, Mixed};
pub use settings::{LogEnd, Settings, UnitKind};
pub(crate) use version::stated_version;

/// The most documents of a list.
pub(crate) const MAX_SHOWN: usize = 10_000;
