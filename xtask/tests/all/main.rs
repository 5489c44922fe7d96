//! Integration tests of `cargo xtask`, in one binary, since each test binary links everything.

mod archives;
mod damaged_archives;
mod fetch_datasets;
