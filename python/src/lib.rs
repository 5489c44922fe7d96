//! The compiled part of the Python package `rankduel`: what the crates of this repository do, for objects of Python.
//!
//! | module | holds |
//! |---|---|
//! | [`call`] | long work beside the interpreter: its thread, progress, Ctrl-C, errors |
//! | [`frame`], [`arrow`] | tables of results, and their way to other libraries |
//! | [`site`], [`analyses`] | data, rankers and users; what is found out about them |
//! | [`matrix`] | preference matrices, and studies on them |
//! | [`settings`] | what a caller asks of a study |
//! | [`study`] | finished runs of bandits |
//! | [`own`], [`own_environment`] | policies and environments written in Python |
//! | [`clicks`] | click models written in Python, and users simulated alone |
//! | [`live`] | sessions of judges |
//! | [`lists`] | lists mixed for real users, and the credit of their clicks |
//! | [`logs`] | impressions and clicks in tables, credited, and who won |
//! | [`board`](mod@board) | boards of judgements |
//! | [`command`] | the command line |
//!
//! What a user sees, with its documentation, is written in Python, in `rankduel/`; here is what that needs, with types that
//! both sides have: numbers, text, JSON, arrays.

mod analyses;
mod arrow;
mod board;
mod call;
mod clicks;
mod command;
mod frame;
mod lists;
mod live;
mod logs;
mod matrix;
mod own;
mod own_environment;
mod settings;
mod site;
mod study;

use pyo3::prelude::*;

/// An allocation that fails ends the process with one line, as on the command line.
#[global_allocator]
static ALLOCATOR: output::memory::OneLineAllocator = output::memory::OneLineAllocator;

/// The compiled part of `rankduel`.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::analyses::{compare, study_of_site};
    #[pymodule_export]
    use super::board::Board;
    #[pymodule_export]
    use super::clicks::simulate_clicks;
    #[pymodule_export]
    use super::command::{called_as, captured, click_logs, main};
    #[pymodule_export]
    use super::frame::Columns;
    #[pymodule_export]
    use super::lists::{Impression, experiment_version, interleave, multileave, seed_of};
    #[pymodule_export]
    use super::live::Session;
    #[pymodule_export]
    use super::logs::{Counting, Gathering, Log, Rows, added_up, decided, log_column, sealed_summary, surveyed};
    #[pymodule_export]
    use super::matrix::Matrix;
    #[pymodule_export]
    use super::own_environment::bandit_in;
    #[pymodule_export]
    use super::site::Site;
    #[pymodule_export]
    use super::study::Study;
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        sim::cli::gets_data_as("rankduel");
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
