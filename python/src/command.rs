//! The command line, as a program and as a function.

use std::ffi::OsString;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use sim::cli::{self, Failure};

use crate::call::{CallOptions, failure_exception, work};

/// Sets the path of the program `rankduel`, for the jobs of `submit`.
#[pyfunction]
pub(crate) fn set_program_path(program: std::path::PathBuf) {
    cli::set_program_path(program);
}

/// Runs the command line with these arguments, without the name of the program; returns the exit code. Ends the process on
/// Ctrl-C, as `rankduel` does.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| cli::main_with(std::iter::once("rankduel".into()).chain(arguments)))
}

/// Runs the program `click-logs` with these arguments; returns the exit code.
#[pyfunction]
pub(crate) fn click_logs(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| ::click_logs::cli::main_with(std::iter::once("click-logs".into()).chain(arguments)))
}

/// The standard output of the command with these arguments; its `notes` become warnings.
#[pyfunction]
#[pyo3(signature = (arguments, threads = None, report = None, notes = true))]
pub(crate) fn captured(
    py: Python<'_>,
    arguments: Vec<OsString>,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
    notes: bool,
) -> PyResult<String> {
    let arguments: Vec<OsString> = std::iter::once("rankduel".into()).chain(arguments).collect();
    let printed: Result<String, Failure> =
        work(py, CallOptions { threads, report, notes }, move || Ok(cli::run_captured(arguments)))?;
    printed.map_err(|failure| failure_exception(failure, PyRuntimeError::new_err))
}
