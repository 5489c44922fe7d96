//! What logs say, whatever their format: impressions, clicks, times, rankers and how lists were mixed; and the rules by
//! which they are joined. Not here: files.

mod borrowed;
mod bots;
mod displayed;
mod lineup;
mod pair_choice;
mod receipts;
mod record;
mod settings;
mod version;

pub use ::times as time;
pub use borrowed::{ImpressionRef, MixedRef};
pub use bots::Bots;
pub use displayed::Oddities;
pub(crate) use displayed::{Displayed, Listed, write_credit};
pub use lineup::{Alone, Lineup, Lineups, Scheme};
pub(crate) use lineup::{NOBODY, wrong_name};
pub use pair_choice::{PairChoice, PairChoices, SaidBy};
pub(crate) use receipts::{ReceiptRef, Receipts};
pub use record::{Click, Impression, Mixed};
pub use settings::{Complete, Settings, UnitKind};
pub use version::{OfVersion, UNNAMED, Version};
pub(crate) use version::{experiment_of, version_of, wrong_version};

/// The most documents of a list.
pub(crate) const MOST_SHOWN: usize = 10_000;
