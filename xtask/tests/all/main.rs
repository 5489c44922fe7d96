//! `cargo xtask` from the outside: one binary, since each links everything.

mod archives;
mod download;
mod fetch_datasets;
mod support;
