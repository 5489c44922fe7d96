//! Shards of every command that has `--shard`: in any order, twice, killed midway, merged; what merging refuses; and how they
//! are submitted.
//!
//! `SIM_ALL_SHARDS=1 cargo test --workspace --test command_line shards_in_any_order` runs each command in seven shards,
//! two of them killed midway and three run twice; otherwise there are three to seven, and one of each.

mod commands;
mod merged;
mod refused;
mod submitted;
