//! The command line, as a program and as a function.

use std::ffi::OsString;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sim::cli::{self, Failure};

use crate::call::{How, work};

/// Runs the command line with these arguments, without the name of the program; returns the exit code. Ends the process on
/// Ctrl-C, as `sim` does.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| cli::main_with(std::iter::once("sim".into()).chain(arguments)))
}

/// Runs the program `click-logs` with these arguments; returns the exit code.
#[pyfunction]
pub(crate) fn click_logs(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| ::click_logs::cli::main_with(std::iter::once("click-logs".into()).chain(arguments)))
}

/// What the command with these arguments prints on standard output.
#[pyfunction]
#[pyo3(signature = (arguments, threads = None, report = None))]
pub(crate) fn captured(
    py: Python<'_>,
    arguments: Vec<OsString>,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let arguments: Vec<OsString> = std::iter::once("sim".into()).chain(arguments).collect();
    let printed: Result<String, Failure> = work(py, How { threads, report }, move || Ok(cli::captured(arguments)))?;
    printed.map_err(|Failure { exit_code, message }| match exit_code {
        2 => PyValueError::new_err(message),
        _ => PyRuntimeError::new_err(message),
    })
}
