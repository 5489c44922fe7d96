//! Logs of impressions and clicks, on any bytes: see `click_logs::fuzz::log` for the invariants.
#![no_main]

use std::sync::LazyLock;

use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    click_logs::fuzz::log(bytes, FOLDER.path());
});
