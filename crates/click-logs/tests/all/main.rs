//! Tests of the crate, as modules of one binary.

mod against;
mod append;
mod cli;
mod common;
mod conversions;
mod damaged;
mod detail;
mod frame_join;
mod help;
mod hostile;
mod integrity;
mod lists;
mod malformed;
mod names;
mod oracle;
mod order;
mod orders;
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod published;
#[cfg(target_os = "linux")]
mod resources;
mod sessions;
mod shapes;
#[cfg(target_os = "linux")]
mod situations;
mod sliding;
mod sql;
mod steered;
mod truth;
mod warned;
#[cfg(feature = "zstd")]
mod zstd;
