//! Properties that hold for arbitrary bytes: the bodies of fuzz targets in `fuzz/`. A test runs them on damaged copies of
//! valid files too.

use std::path::{Path, PathBuf};

use bandits::PreferenceMatrix;
use output::checksum::sealed_line;
use simulation::proxy::State;

use crate::experiment;
use crate::experiment::run_store::RunStore;
use studies::matrix_file;

/// Reads `bytes` as a preference matrix: text, `.npy` or `.npz`. Returns whether they are one.
///
/// # Panics
///
/// If reading panics, or if writing and reading the matrix changes it.
pub fn matrix(bytes: &[u8]) -> bool {
    let Ok(matrix) = matrix_file::parse(bytes) else { return false };
    let reread = [matrix.to_npy(), matrix.to_text().into_bytes()].map(|bytes| PreferenceMatrix::from_bytes(&bytes));
    for reread in reread {
        assert_eq!(reread.as_ref(), Ok(&matrix), "writing and reading changed the matrix");
    }
    true
}

/// Reads `bytes` as an experiment file. Returns whether they are one.
///
/// # Panics
///
/// If reading panics, or if the error has several lines.
pub fn experiment(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let error = match experiment::parse(text) {
        Err(error) => error.to_string(),
        Ok(parsed) => match experiment::check_names(&parsed, Path::new("file.toml")) {
            Ok(()) => return true,
            Err(error) => format!("{error:#}"),
        },
    };
    assert!(!error.contains('\n'), "{error}");
    false
}

/// Reads `bytes` as the state of `rankduel proxy`, unchanged and with a checksum that fits. Returns whether they are one
/// unchanged.
///
/// # Panics
///
/// If reading panics, or if writing and reading the state changes it.
pub fn state(bytes: &[u8]) -> bool {
    State::check_bytes(bytes, true);
    State::check_bytes(bytes, false)
}

/// Reads `bytes` as a file of kept runs with the subject of its first line, as it is and with checksums that fit. Returns whether it has
/// runs as it is.
///
/// # Panics
///
/// If reading panics.
pub fn runs(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let subject = lines.next().unwrap_or_default();
    let store = RunStore::empty(PathBuf::new(), subject.to_owned());
    let record = |line: &str| sealed_line(subject, line.split_once(' ').map_or(line, |(_, record)| record));
    let sealed: Vec<String> = std::iter::once(subject.to_owned()).chain(lines.map(record)).collect();
    store.count_in(sealed.join("\n").as_bytes());
    store.count_in(bytes) > 0
}
