//! Rows that another library made: batches of Arrow columns where they are, and columns of Python's objects beside them.

use std::ffi::CStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::objects::{Column, Kind};
use super::open::{kind, open_values};
use super::structures::{Array, Schema, Stream, Structure};
use super::values::Values;

/// The number of rows of objects read at a time.
const PIECE_ROWS: usize = 1 << 16;

/// A batch of rows, or some of them. Its columns have the names that this package gives them.
#[derive(Default)]
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Batch {
    arrow: Option<(Arc<Schema>, Arc<Array>)>,
    /// Columns by our names; Arrow's by their places.
    names: Arc<Vec<(String, usize)>>,
    objects: Vec<(String, Column)>,
    first: usize,
    rows: usize,
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.rows
    }
}

/// Takes the structure out of a capsule with the name of such structures.
fn take_structure<T: Structure>(capsule: &Bound<'_, PyAny>, name: &'static CStr) -> PyResult<T> {
    let held = capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast::<T>();
    // SAFETY: the name identifies the content. An empty structure is one that was moved out.
    Ok(unsafe { std::mem::take(&mut *held.as_ptr()) })
}

fn is_of_columns(schema: &Schema) -> bool {
    schema.release.is_some() && schema.format() == b"+s"
}

impl Batch {
    /// Takes the batch that an object exports by `__arrow_c_array__`.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let capsules = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
        let schema: Schema = take_structure(&capsules.get_item(0)?, c"arrow_schema")?;
        let array: Array = take_structure(&capsules.get_item(1)?, c"arrow_array")?;
        if array.release.is_none() || !is_of_columns(&schema) {
            return Err(PyTypeError::new_err("expected a batch of Arrow columns that has not been consumed"));
        }
        let names = schema.children().iter().enumerate().map(|(at, column)| (column.name().to_owned(), at)).collect();
        Self::checked(Arc::new(schema), array, Arc::new(names))
    }

    fn checked(schema: Arc<Schema>, array: Array, names: Arc<Vec<(String, usize)>>) -> PyResult<Self> {
        if array.length < 0 || array.offset < 0 {
            return Err(PyValueError::new_err("the Arrow batch has a negative length or offset"));
        }
        let rows = array.length as usize;
        Ok(Self { arrow: Some((schema, Arc::new(array))), names, rows, ..Self::default() })
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The column of this name, if there is one.
    pub(crate) fn column(&self, name: &str) -> PyResult<Option<Values<'_>>> {
        if let Some((_, column)) = self.objects.iter().find(|(own, _)| own == name) {
            return Ok(Some(column.values()));
        }
        let Some((schema, array)) = &self.arrow else { return Ok(None) };
        let Some((name, at)) = self.names.iter().find(|(own, _)| own == name) else { return Ok(None) };
        let (Some(of), Some(column)) = (schema.children().get(*at), array.children().get(*at)) else {
            return Err(PyValueError::new_err(format!("the Arrow batch lacks its column {name}")));
        };
        open_values(name, of, column, array.offset as usize + self.first, self.rows).map(Some)
    }

    /// Whether a column of objects has whole numbers as ids.
    pub(crate) fn has_whole(&self, name: &str) -> bool {
        self.objects.iter().any(|(own, column)| own == name && column.are_whole())
    }

    /// The column of this name, which must be of whole numbers.
    pub(crate) fn ints(&self, name: &str) -> PyResult<Values<'_>> {
        match self.column(name)? {
            Some(values @ Values::Int(..)) => Ok(values),
            _ => Err(PyValueError::new_err(format!("the batch has no column {name} of whole numbers"))),
        }
    }
}

/// A stream that another library makes.
struct Source {
    stream: Stream,
    schema: Arc<Schema>,
}

impl Source {
    fn open(mut stream: Stream) -> PyResult<Self> {
        let get = stream.get_schema.filter(|_| stream.release.is_some());
        let get = get.ok_or_else(|| PyTypeError::new_err("expected an Arrow stream that has not been consumed"))?;
        let mut schema = Schema::default();
        // SAFETY: the stream is not released, and there is room for a schema.
        let code = unsafe { get(&raw mut stream, &raw mut schema) };
        if code != 0 {
            return Err(failed(&mut stream, code));
        }
        if !is_of_columns(&schema) {
            return Err(PyTypeError::new_err("expected an Arrow stream of rows, found one of single values"));
        }
        Ok(Self { stream, schema: Arc::new(schema) })
    }

    fn next(&mut self) -> PyResult<Option<Array>> {
        let mut array = Array::default();
        let next = self.stream.get_next.ok_or_else(|| PyValueError::new_err("the Arrow stream has no batches"))?;
        // SAFETY: the stream is not released, and there is room for an array.
        let code = unsafe { next(&raw mut self.stream, &raw mut array) };
        if code != 0 {
            return Err(failed(&mut self.stream, code));
        }
        Ok(array.release.is_some().then_some(array))
    }
}

/// The stream's message on its last call, which returned `code`.
fn failed(stream: &mut Stream, code: i32) -> PyErr {
    // SAFETY: the stream is not released; its text is valid until the next call.
    let message = unsafe {
        let said = stream.get_last_error.map(|last| last(stream));
        said.filter(|text| !text.is_null()).map(|text| CStr::from_ptr(text).to_string_lossy().into_owned())
    };
    PyValueError::new_err(message.unwrap_or_else(|| format!("the Arrow stream failed with code {code}")))
}

/// A column of objects.
struct Objects {
    name: String,
    kind: Kind,
    values: Py<PyAny>,
    /// Whether its ids are whole numbers, as soon as that is known.
    are_whole: Option<bool>,
}

/// Rows of any library, batch by batch: a stream of Arrow, and columns of objects with as many rows.
#[derive(Default)]
#[pyclass(module = "rankduel._core")]
pub(crate) struct Reader {
    source: Mutex<Option<Source>>,
    names: Arc<Vec<(String, usize)>>,
    objects: Vec<Objects>,
    /// The rest of a batch.
    left: Option<Batch>,
    /// Rows passed.
    passed: usize,
    /// The rows of columns of objects, if there are such columns.
    rows: Option<usize>,
}

#[pymethods]
impl Reader {
    /// Reads what `stream` exports by `__arrow_c_stream__`, if it is given.
    #[new]
    fn new(stream: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(object) = stream else { return Ok(Self::default()) };
        let stream = take_structure(&object.call_method0("__arrow_c_stream__")?, c"arrow_array_stream")?;
        Ok(Self { source: Mutex::new(Some(Source::open(stream)?)), ..Self::default() })
    }

    /// The names of the columns of Arrow, and their kinds, if they are read here.
    fn columns(&self) -> Vec<(String, Option<&'static str>)> {
        let source = self.source();
        let columns = source.as_ref().map_or(&[][..], |source| source.schema.children());
        columns.iter().map(|column| (column.name().to_owned(), kind(column))).collect()
    }

    /// The stream for another consumer; nothing is left here then.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let source = self.source().take().ok_or_else(|| PyValueError::new_err("the stream was consumed"))?;
        PyCapsule::new_with_value(py, source.stream, c"arrow_array_stream")
    }

    /// Reads columns of Arrow under names of our own: pairs of our name and theirs.
    fn select(&mut self, columns: Vec<(String, String)>) -> PyResult<()> {
        let found = self.columns();
        let place = |(own, name): (String, String)| {
            let at = found.iter().position(|(column, _)| *column == name);
            at.map(|at| (own, at)).ok_or_else(|| PyValueError::new_err(format!("the stream has no column {name:?}")))
        };
        self.names = Arc::new(columns.into_iter().map(place).collect::<PyResult<_>>()?);
        Ok(())
    }

    /// Adds a column of objects of Python under a name of our own, to be read as the kind `read_as`.
    fn add(&mut self, name: String, read_as: &str, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = values.len()?;
        if let Some(others) = self.rows.filter(|others| *others != rows) {
            return Err(PyValueError::new_err(format!("the column {name:?} has {rows} rows, others have {others}")));
        }
        self.rows = Some(rows);
        self.objects.push(Objects { name, kind: read_as.parse()?, values: values.clone().unbind(), are_whole: None });
        Ok(())
    }

    /// The next rows, or `None` after the last.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Batch>> {
        if self.objects.is_empty() {
            return self.batch(py);
        }
        let batch = match self.left.take() {
            Some(left) => Some(left),
            None if self.source.get_mut().is_ok_and(|source| source.is_some()) => self.batch(py)?,
            None => {
                let rows = self.rows.unwrap_or(0) - self.passed;
                (rows > 0).then(|| Batch { rows, ..Batch::default() })
            }
        };
        let Some(batch) = batch else {
            return match self.rows {
                Some(rows) if rows != self.passed => {
                    Err(PyValueError::new_err(format!("a column has {rows} rows, others have {}", self.passed)))
                }
                _ => Ok(None),
            };
        };
        let rows = batch.rows.min(PIECE_ROWS);
        if batch.rows > rows {
            let (arrow, names) = (batch.arrow.clone(), Arc::clone(&batch.names));
            let (first, rows) = (batch.first + rows, batch.rows - rows);
            self.left = Some(Batch { arrow, names, first, rows, ..Batch::default() });
        }
        if self.rows.is_some_and(|all| all < self.passed + rows) {
            return Err(PyValueError::new_err("a column has fewer rows than others"));
        }
        let range = self.passed..self.passed + rows;
        let read = |Objects { name, kind, values, are_whole }: &mut Objects| {
            Ok((name.clone(), Column::read(values.bind(py), range.clone(), *kind, name, are_whole)?))
        };
        let objects = self.objects.iter_mut().map(read).collect::<PyResult<_>>()?;
        self.passed += rows;
        Ok(Some(Batch { objects, rows, ..batch }))
    }
}

impl Reader {
    fn source(&self) -> MutexGuard<'_, Option<Source>> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let (source, names) = (&self.source, Arc::clone(&self.names));
        // A producer may need the interpreter in a thread of its own.
        py.detach(|| {
            let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(source) = &mut *source else { return Ok(None) };
            let array = source.next()?;
            array.map(|array| Batch::checked(Arc::clone(&source.schema), array, names)).transpose()
        })
    }
}
