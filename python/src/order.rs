//! Objects without order, and so not lists: sets, and views of dictionaries.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString, PyTuple};

/// The end of an error about an object without order: the same words as for files.
pub(crate) const NO_ORDER: &str = "a set has no order";

/// The classes of objects without order, and the class of sequences.
static CLASSES: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();

/// Whether a value has no order. A set that keeps one, and is a sequence as well, has it.
pub(crate) fn is_unordered(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyString>() {
        return Ok(false);
    }
    let py = value.py();
    let (unordered, sequence) = CLASSES.get_or_try_init(py, || -> PyResult<_> {
        let abc = py.import("collections.abc")?;
        let unordered = PyTuple::new(py, [abc.getattr("Set")?, abc.getattr("MappingView")?])?;
        Ok((unordered.into_any().unbind(), abc.getattr("Sequence")?.unbind()))
    })?;
    Ok(value.is_instance(unordered.bind(py))? && !value.is_instance(sequence.bind(py))?)
}

/// The error about an object without order; `expected` describes the right type.
pub(crate) fn unordered_error(expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    match value.repr() {
        Ok(found) => {
            let found = found.to_string_lossy();
            let cut = found.char_indices().nth(60).map_or(found.to_string(), |(end, _)| format!("{}…", &found[..end]));
            PyTypeError::new_err(format!("{expected}, found {cut}: {NO_ORDER}"))
        }
        Err(error) => error,
    }
}

/// Returns the value, unless it has no order; `what` names it in errors.
#[pyfunction]
pub(crate) fn in_order<'py>(value: Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    if is_unordered(&value)? { Err(unordered_error(&format!("{what}: expected a list"), &value)) } else { Ok(value) }
}
