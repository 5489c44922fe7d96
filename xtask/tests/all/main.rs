//! Integration tests of `cargo xtask`, in one binary, since each test binary links everything.

mod archives;
mod damaged_archives;
mod download;
mod fetch_datasets;
mod support;
