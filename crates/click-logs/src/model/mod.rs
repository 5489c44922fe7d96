//! What logs say, whatever their format: impressions, clicks, times, rankers and how lists were mixed; and the rules by
//! which they are joined. Not here: files.

mod borrowed;
mod bots;
mod lineup;
mod pair_choice;
mod record;
mod settings;
pub mod time;

pub(crate) use borrowed::Receipts;
pub use borrowed::{ImpressionRef, MixedRef};
pub use bots::Bots;
pub use lineup::{Alone, Lineup, Lineups, Scheme};
pub(crate) use lineup::{NOBODY, wrong_name};
pub use pair_choice::{PairChoice, PairChoices, SaidBy};
pub use record::{Click, Impression, Mixed, Receipt};
pub use settings::{Complete, Settings, UnitKind};

/// The most documents of a list.
pub(crate) const MOST_SHOWN: usize = 10_000;
