//! What a table of judgements says.
//!
//! A *judgement* compares the answers of two competitors (prompts, models, rankers, designs), often to one item, by one
//! judge. [`Table`] holds judgements.

pub mod read;
mod table;

pub use table::{Judgement, Order, Table, Verdict};
