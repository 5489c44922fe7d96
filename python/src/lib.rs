//! The compiled part of the Python package `rankduel`: the functions of this repository's crates, for objects of Python.
//!
//! | module | holds |
//! |---|---|
//! | [`call`] | long work beside the interpreter: its thread, progress, Ctrl-C, errors |
//! | [`frame`], [`arrow`] | tables of results, and their way to other libraries |
//! | [`site`], [`analyses`] | data, rankers and users; studies of them |
//! | [`matrix`] | preference matrices, and studies on them |
//! | [`settings`] | the caller's request for a study |
//! | [`study`] | finished runs of bandits |
//! | [`python_policy`], [`python_environment`] | policies and environments written in Python |
//! | [`clicks`] | click models written in Python, and users simulated alone |
//! | [`live`] | sessions of judges |
//! | [`rankings`] | rankings and judgements in tables, as files of TREC and by query |
//! | [`lists`] | lists mixed for real users, and the credit of their clicks |
//! | [`logs`] | impressions and clicks in tables, credited, and the verdict |
//! | [`board`](mod@board) | boards of judgements |
//! | [`command`] | the command line |
//!
//! The public interface and its documentation are written in Python, in `rankduel/`; here is the part behind it, with types that both
//! sides have: numbers, text, JSON, arrays.
//!
//! # Inside
//!
//! `python/` is a workspace of its own, so that `cargo test --workspace` needs no Python. `src/` turns objects of Python into the types of
//! the crates and back; the public interface, with its documentation and types, is written in Python in `rankduel/`. Work runs in a thread
//! of its own, on a pool of threads that belongs to the process (a child of a fork starts another), without the interpreter's lock; the
//! calling thread looks for signals every 50 ms. `output::progress::watched` reports progress to it, and stops the work by unwinding at its
//! next progress; work without progress, such as reading a file, is left to end unseen, and so owns all that it needs. Tables are read from
//! the very bytes of the CSV files that `rankduel` writes (`results::curves_csv` and others), so that both agree, and leave through the
//! Arrow C data interface, written out in `arrow`. Policies in Python are algorithms from outside (`bandits::registry::ExternalAlgorithm`); a thread
//! that plays one keeps the interpreter's lock for some milliseconds at a time. Click models in Python are asked once, when a site is
//! opened, for every state that its users can be in; the answers are a `clicks::FiniteStateModel`, so that impressions need no interpreter
//! and every number is part of seeds and keys. Settings of studies cross the border as JSON with the names of the arguments as flags, which
//! `studies::request` checks. Python carries out the same studies as the command line, so that `out=` gives the same folders, resumption
//! and shards. Commands without a function of their own run through `cli::run_captured`. `python/ci.sh` builds the wheel and tests it in clean
//! environments.
//!
//! `rankduel/client/` calls the live server and needs only the standard library; importing the package does not load it. One call is one
//! request with one idempotency key and one deadline: `transport` repeats the very same bytes until an answer is there, and its sockets get
//! the remaining time before each step, so that a server that sends a byte a second cannot hold a page. Errors are raised outside of the
//! frames that held the request, so that reports of errors never show the key. Tests run against `tests/live_double.py`, a server that
//! holds requests and its own answers to `server/openapi.json` (`tests/openapi.py`), breaks connections at every point, and counts its
//! records.

mod analyses;
mod arrow;
mod board;
mod call;
mod clicks;
mod command;
mod findings;
mod frame;
mod lists;
mod live;
mod logs;
mod matrix;
mod order;
mod python_environment;
mod python_policy;
mod rankings;
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
    use super::arrow::{Batch, Reader};
    #[pymodule_export]
    use super::board::Board;
    #[pymodule_export]
    use super::clicks::simulate_clicks;
    #[pymodule_export]
    use super::command::{captured, click_logs, main, set_program_path};
    #[pymodule_export]
    use super::frame::Columns;
    #[pymodule_export]
    use super::lists::{Impression, experiment_version, interleave, multileave, seed_of};
    #[pymodule_export]
    use super::live::Session;
    #[pymodule_export]
    use super::logs::{
        Counting, EventGathering, Log, Rows, credit_counts, decided, log_column, merge_surveys, outcomes_of,
        sealed_summary,
    };
    #[pymodule_export]
    use super::matrix::Matrix;
    #[pymodule_export]
    use super::order::in_order;
    #[pymodule_export]
    use super::python_environment::bandit_in;
    #[pymodule_export]
    use super::rankings::{QueryRanking, TrecText, trec_query};
    #[pymodule_export]
    use super::settings::keywords;
    #[pymodule_export]
    use super::site::Site;
    #[pymodule_export]
    use super::study::Study;
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        sim::cli::gets_data_as("rankduel");
        module.add("PAGE_COUNTS", super::logs::PAGE_COUNTS)?;
        module.add("AMOUNTS", super::logs::AMOUNTS)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
