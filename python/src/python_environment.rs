//! Environments written in Python: what decides duels instead of coin flips or simulated users.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use bandits::{Arm, Preference, PreferenceMatrix};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use simulation::runs::outside_duels::{OutsideDuels, OutsideDuelsFactory};
use studies::request::{MatrixRequest, StudyDefaults};
use studies::results::PreparedEnvironment;

use crate::call::{CallOptions, exception, value_error, work};
use crate::matrix::play;
use crate::python_policy::{FirstException, release_lock, with_lock};
use crate::settings::{DestinationArguments, StudyInputs};
use crate::study::Study;

/// A class of environments.
struct PythonEnvironment {
    class: Py<PyAny>,
    name: String,
    raised: FirstException,
}

impl fmt::Debug for PythonEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl OutsideDuelsFactory for PythonEnvironment {
    fn start(&self, seed: u64) -> Box<dyn OutsideDuels> {
        let duel = with_lock(|py| {
            let object = self.class.bind(py).call_method1("_start", (seed,))?;
            Ok(object.getattr("duel")?.unbind())
        });
        match duel {
            Ok(duel) => Box::new(PythonDuels { duel, raised: self.raised.clone() }),
            Err(error) => self.raised.stop(error),
        }
    }
}

/// The method `duel` of one object.
struct PythonDuels {
    duel: Py<PyAny>,
    raised: FirstException,
}

impl OutsideDuels for PythonDuels {
    fn duel(&mut self, first: Arm, second: Arm) -> Preference {
        let outcome = with_lock(|py| {
            let answer = self.duel.bind(py).call1((first.0, second.0))?;
            if answer.is_none() {
                return Ok(Preference::Tie);
            }
            // Also a truth value of NumPy.
            let word = answer.extract::<String>();
            match (answer.extract::<bool>(), word.as_deref()) {
                (Ok(true), _) | (_, Ok("first")) => Ok(Preference::First),
                (Ok(false), _) | (_, Ok("second")) => Ok(Preference::Second),
                (_, Ok("tie")) => Ok(Preference::Tie),
                _ => Err(PyValueError::new_err(format!(
                    "duel({}, {}) returned {answer:?}; expected True or \"first\", False or \"second\", None or \"tie\"",
                    first.0, second.0
                ))),
            }
        });
        outcome.unwrap_or_else(|error| self.raised.stop(error))
    }
}

impl Drop for PythonDuels {
    fn drop(&mut self) {
        release_lock();
    }
}

/// Plays algorithms in an environment of the caller's class; `preferences` are those that it states.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of one call of Python")]
pub(crate) fn bandit_in(
    py: Python<'_>,
    class_: Py<PyAny>,
    name: String,
    arms: usize,
    preferences: Option<PyReadonlyArray2<'_, f64>>,
    algorithms: Vec<Bound<'_, PyAny>>,
    settings: Vec<OsString>,
    placed: DestinationArguments,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<Option<Study>> {
    if placed.0.is_some() {
        return Err(value_error(format!(
            "{name}: what an environment of your own decides is not known by its name, so that a folder cannot continue it; leave \
             `out` away and call save(folder) on the study"
        )));
    }
    let preferences = preferences
        .map(|values| {
            let shape = values.shape();
            if shape[0] != shape[1] {
                return Err(value_error(format!("preferences are square, found {} x {}", shape[0], shape[1])));
            }
            let read = PreferenceMatrix::from_table(shape[0], values.as_array().iter().copied().collect())
                .map_err(value_error)?;
            Ok(read.matrix)
        })
        .transpose()?;
    let StudyInputs { request, seed, algorithms, execution, own } =
        StudyInputs::<MatrixRequest>::new(&algorithms, settings, placed)?;
    let settings =
        request.settings(&StudyDefaults::STUDY, seed, Some(algorithms)).map_err(|error| exception(&error))?;
    let outside = Arc::new(PythonEnvironment { class: class_, name: name.clone(), raised: own.clone() });
    let played = work(py, CallOptions { threads, report, notes: true }, move || {
        let prepared = PreparedEnvironment::of_outside_duels(outside, name, arms, preferences, settings.regret)?;
        play(prepared, settings, &execution)
    });
    own.raise(py, played)
}
