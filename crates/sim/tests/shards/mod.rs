//! Shards of every command that has `--shard`: in any order, twice, killed midway, merged; what merging refuses; and how they
//! are submitted.

mod commands;
mod merged;
mod refused;
mod submitted;
