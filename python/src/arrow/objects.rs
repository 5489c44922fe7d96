//! Columns of Python's objects, some rows at a time, as what columns of Arrow hold.

use std::fmt::Write as _;
use std::ops::Range;
use std::str::FromStr;

use numpy::npyffi::NPY_TYPES;
use numpy::{PyArray1, PyArrayDescrMethods as _, PyArrayMethods as _, PyUntypedArray, PyUntypedArrayMethods as _};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::order::{NO_ORDER, is_unordered};

use super::structures::Unaligned;
use super::values::{Floats, Lists, Texts, ValidRows, Values};

/// The type to read a column as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Texts or whole numbers, not both.
    Ids,
    /// Lists of ids.
    Lists,
    Numbers,
}

impl FromStr for Kind {
    type Err = PyErr;

    fn from_str(text: &str) -> PyResult<Self> {
        match text {
            "ids" => Ok(Self::Ids),
            "lists" => Ok(Self::Lists),
            "numbers" => Ok(Self::Numbers),
            other => Err(PyValueError::new_err(format!("there is no kind {other:?} of columns"))),
        }
    }
}

/// Texts one after another.
#[derive(Default)]
struct LongTexts {
    valid: Vec<bool>,
    ends: Vec<i64>,
    text: String,
    /// Whether the first that is there, also in the rows before, was a whole number.
    are_whole: Option<bool>,
}

/// Some rows of a column.
pub(crate) struct Column(ColumnTexts);

enum ColumnTexts {
    Texts(LongTexts),
    Lists { valid: Vec<bool>, ends: Vec<i64>, items: LongTexts },
    Numbers { valid: Vec<bool>, values: Vec<f64> },
}

/// Whether an object stands for a missing value: `None`, NaN, and those of pandas.
fn is_gap(value: &Bound<'_, PyAny>) -> bool {
    if value.is_none() {
        return true;
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return number.value().is_nan();
    }
    value.get_type().name().is_ok_and(|name| name == "NAType" || name == "NaTType")
}

/// An object as an error shows it.
fn describe(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string_lossy().into_owned())
}

impl LongTexts {
    fn with_capacity(rows: usize, are_whole: Option<bool>) -> Self {
        let mut ends = Vec::with_capacity(rows + 1);
        ends.push(0);
        Self { valid: Vec::with_capacity(rows), ends, text: String::new(), are_whole }
    }

    fn end(&mut self, is_valid: bool) {
        self.valid.push(is_valid);
        self.ends.push(self.text.len() as i64);
    }

    /// Adds an id; returns the expected type if it is none.
    fn push(&mut self, value: &Bound<'_, PyAny>) -> PyResult<Result<(), &'static str>> {
        let whole = if let Ok(text) = value.cast::<PyString>() {
            self.text.push_str(text.to_str()?);
            if self.are_whole == Some(false) {
                self.end(true);
                return Ok(Ok(()));
            }
            false
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            let Ok(text) = str::from_utf8(bytes.as_bytes()) else { return Ok(Err("text in UTF-8")) };
            self.text.push_str(text);
            false
        } else if is_gap(value) {
            self.end(false);
            return Ok(Ok(()));
        } else if !value.is_instance_of::<PyBool>() {
            let index = if value.is_instance_of::<PyInt>() {
                Some(value.clone())
            } else {
                value.call_method0("__index__").ok()
            };
            let Some(index) = index else { return Ok(Err("text or a whole number")) };
            match index.extract::<i64>() {
                Ok(number) => write!(self.text, "{number}").map_err(|_| PyValueError::new_err("out of memory"))?,
                Err(_) => self.text.push_str(index.str()?.to_str()?),
            }
            true
        } else {
            return Ok(Err("text or a whole number"));
        };
        if *self.are_whole.get_or_insert(whole) != whole {
            return Ok(Err(if whole {
                "text, as in the rows before"
            } else {
                "a whole number, as in the rows before"
            }));
        }
        self.end(true);
        Ok(Ok(()))
    }

    fn texts(&self) -> Texts<'_> {
        Texts::of_owned(&self.valid, &self.ends, &self.text)
    }
}

/// Some objects of an array of numpy where they are, if all are texts, numbers or `None`, of no class of their own: looking at
/// these runs no code that could change the array.
fn plain_objects<'a>(values: &'a Bound<'_, PyAny>, range: &Range<usize>) -> Option<&'a [Py<PyAny>]> {
    let array = values.cast::<PyUntypedArray>().ok()?;
    if array.ndim() != 1 || !array.is_c_contiguous() || array.dtype().num() != NPY_TYPES::NPY_OBJECT as i32 {
        return None;
    }
    let py = values.py();
    let (length, array) = (array.len(), array.as_array_ptr());
    // SAFETY: a contiguous array of objects has that many pointers to them, which are null where it was never filled.
    let objects = unsafe {
        let data = (*array).fields.data.cast::<Option<Py<PyAny>>>();
        if length == 0 || data.is_null() { &[] } else { std::slice::from_raw_parts(data, length) }
    };
    let objects = objects.get(range.start.min(length)..range.end.min(length))?;
    let known = [py.get_type::<PyString>(), py.get_type::<PyFloat>(), py.get_type::<PyInt>()];
    let is_plain = |value: &Option<Py<PyAny>>| {
        value.as_ref().is_some_and(|value| {
            let class = value.bind(py).get_type_ptr();
            known.iter().any(|known| known.as_type_ptr() == class) || value.is_none(py)
        })
    };
    if !objects.iter().all(is_plain) {
        return None;
    }
    // SAFETY: none is null, and then both have one form.
    Some(unsafe { std::slice::from_raw_parts(objects.as_ptr().cast::<Py<PyAny>>(), objects.len()) })
}

/// Passes the objects of a sequence from `range` to `take`, with their places. Returns whether it is one.
fn for_each_object<'py>(
    values: &Bound<'py, PyAny>,
    range: Range<usize>,
    mut take: impl FnMut(usize, &Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<bool> {
    let py = values.py();
    if let Some(array) = plain_objects(values, &range) {
        for (row, value) in (range.start..).zip(array) {
            take(row, value.bind(py))?;
        }
    } else if values.is_instance_of::<PyUntypedArray>() {
        for row in range.start..range.end.min(values.len()?) {
            take(row, &values.get_item(row)?)?;
        }
    } else if let Ok(list) = values.cast::<PyList>() {
        for row in range.start..range.end.min(list.len()) {
            take(row, &list.get_item(row)?)?;
        }
    } else if let Ok(tuple) = values.cast::<PyTuple>() {
        for row in range.start..range.end.min(tuple.len()) {
            take(row, tuple.get_borrowed_item(row)?.as_any())?;
        }
    } else if values.is_instance_of::<PyString>()
        || values.is_instance_of::<PyBytes>()
        || is_gap(values)
        || !values.hasattr("__len__")?
    {
        return Ok(false);
    } else {
        for (row, value) in values.try_iter()?.enumerate().take(range.end).skip(range.start) {
            take(row, &value?)?;
        }
    }
    Ok(true)
}

impl Column {
    /// Reads some rows; `are_whole`: whether the ids in the rows before are whole numbers.
    pub(super) fn read(
        values: &Bound<'_, PyAny>,
        range: Range<usize>,
        kind: Kind,
        name: &str,
        are_whole: &mut Option<bool>,
    ) -> PyResult<Self> {
        let rows = range.len();
        let wrong = |row: usize, what: &str, value: &Bound<'_, PyAny>| {
            PyValueError::new_err(format!("row {row}: the column {name:?} has {}; expected {what}", describe(value)))
        };
        let texts = match kind {
            Kind::Ids => {
                let mut texts = LongTexts::with_capacity(rows, *are_whole);
                for_each_object(values, range, |row, value| {
                    texts.push(value)?.map_err(|what| wrong(row, what, value))
                })?;
                *are_whole = texts.are_whole;
                ColumnTexts::Texts(texts)
            }
            Kind::Lists => {
                let (mut valid, mut ends) = (Vec::with_capacity(rows), Vec::with_capacity(rows + 1));
                let mut items = LongTexts::with_capacity(10 * rows, *are_whole);
                ends.push(0);
                for_each_object(values, range, |row, value| {
                    if is_unordered(value)? {
                        return Err(wrong(row, &format!("a list: {NO_ORDER}"), value));
                    }
                    let is_list = !value.is_instance_of::<PyDict>()
                        && for_each_object(value, 0..usize::MAX, |_, item| {
                            items.push(item)?.map_err(|what| wrong(row, &format!("a list of {what}"), value))
                        })?;
                    if !is_list && !is_gap(value) {
                        return Err(wrong(row, "a list of text or whole numbers", value));
                    }
                    valid.push(is_list);
                    ends.push(items.valid.len() as i64);
                    Ok(())
                })?;
                *are_whole = items.are_whole;
                ColumnTexts::Lists { valid, ends, items }
            }
            Kind::Numbers if values.is_instance_of::<PyArray1<f64>>() => {
                let array = values.cast::<PyArray1<f64>>()?.try_readonly();
                let array = array.map_err(|_| PyTypeError::new_err("the array is being written"))?;
                let numbers = array.as_array().slice(numpy::ndarray::s![range]).to_vec();
                ColumnTexts::Numbers { valid: vec![true; numbers.len()], values: numbers }
            }
            Kind::Numbers => {
                let (mut valid, mut numbers) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
                for_each_object(values, range, |row, value| {
                    // A NaN counts as a value here: the reader of the column reports the error.
                    if value.is_none() || !value.is_instance_of::<PyFloat>() && is_gap(value) {
                        valid.push(false);
                        numbers.push(f64::NAN);
                        return Ok(());
                    }
                    let number = value.extract::<f64>().map_err(|_| wrong(row, "a number", value))?;
                    valid.push(true);
                    numbers.push(number);
                    Ok(())
                })?;
                ColumnTexts::Numbers { valid, values: numbers }
            }
        };
        Ok(Self(texts))
    }

    /// Its values.
    pub(super) fn values(&self) -> Values<'_> {
        match &self.0 {
            ColumnTexts::Texts(texts) => Values::Text(texts.texts()),
            ColumnTexts::Lists { valid, ends, items } => Values::Lists(Lists::of_owned(valid, ends, items.texts())),
            ColumnTexts::Numbers { valid, values } => {
                Values::Float(ValidRows::Flags(valid), Floats::F64(Unaligned::of(values)))
            }
        }
    }

    /// Whether its ids are whole numbers, as far as one is there.
    pub(super) fn are_whole(&self) -> bool {
        matches!(&self.0, ColumnTexts::Texts(texts) if texts.are_whole == Some(true))
    }
}
