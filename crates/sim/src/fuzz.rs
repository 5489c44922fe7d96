//! Properties that hold for arbitrary bytes: the bodies of fuzz targets in `fuzz/`. A test runs them on damaged copies of
//! valid files too.

use std::path::Path;

use bandits::PreferenceMatrix;

use crate::cli::matrix_file;
use crate::experiment::{self, Experiment};
use crate::proxy::State;

/// Reads `bytes` as a preference matrix: text, `.npy` or `.npz`. Returns whether they are one.
///
/// # Panics
///
/// If reading panics, or if writing and reading the matrix changes it.
pub fn matrix(bytes: &[u8]) -> bool {
    let Ok(matrix) = matrix_file::parse(bytes) else { return false };
    let again = [matrix.to_npy(), matrix.to_text().into_bytes()].map(|bytes| PreferenceMatrix::from_bytes(&bytes));
    for again in again {
        assert_eq!(again.as_ref(), Ok(&matrix), "writing and reading changed the matrix");
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
    let error = match Experiment::parse(text) {
        Err(error) => error.to_string(),
        Ok(read) => match experiment::check_names(&read, Path::new("file.toml")) {
            Ok(()) => return true,
            Err(error) => format!("{error:#}"),
        },
    };
    assert!(!error.contains('\n'), "{error}");
    false
}

/// Reads `bytes` as the state of `sim proxy`, unchanged and with a checksum that fits. Returns whether they are one
/// unchanged.
///
/// # Panics
///
/// If reading panics, or if writing and reading the state changes it.
pub fn state(bytes: &[u8]) -> bool {
    State::check_bytes(bytes, true);
    State::check_bytes(bytes, false)
}
