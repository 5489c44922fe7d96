//! Rows that another library made: batches of Arrow columns where they are, and columns of Python's objects beside them.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::objects::{Column, Kind};
use super::open::{children, kind, values};
use super::values::Values;
use super::{Array, Schema, Stream, ended};

/// How many rows of objects are read at a time.
const PIECE: usize = 1 << 16;

/// A schema that another library made.
struct OwnSchema(Schema);

// SAFETY: a producer never changes what it gave away, and the interface lets consumers read and release it on any thread.
unsafe impl Send for OwnSchema {}
// SAFETY: as above; nothing is written.
unsafe impl Sync for OwnSchema {}

impl Drop for OwnSchema {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            // SAFETY: it was moved here, and nobody else releases it.
            unsafe { release(&mut self.0) }
        }
    }
}

impl OwnSchema {
    /// The names of its columns, and what they hold.
    fn columns(&self) -> impl Iterator<Item = (&str, &Schema)> {
        // SAFETY: the schema is not released, and neither are its children.
        let all = unsafe { children(self.0.children, self.0.n_children) };
        all.iter().map(|&child| {
            // SAFETY: as above; a name is text.
            let child = unsafe { &*child };
            // SAFETY: as above.
            let name = if child.name.is_null() { c"" } else { unsafe { CStr::from_ptr(child.name) } };
            (name.to_str().unwrap_or(""), child)
        })
    }

    fn is_of_columns(&self) -> bool {
        // SAFETY: the schema is not released.
        self.0.release.is_some() && unsafe { CStr::from_ptr(self.0.format) } == c"+s"
    }
}

/// An array that another library made.
struct OwnArray(Array);

// SAFETY: as for schemas.
unsafe impl Send for OwnArray {}
// SAFETY: as for schemas.
unsafe impl Sync for OwnArray {}

impl Drop for OwnArray {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            // SAFETY: it was moved here, and nobody else releases it.
            unsafe { release(&mut self.0) }
        }
    }
}

/// A batch of rows, or some of them. Its columns have the names that this package gives them.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Batch {
    arrow: Option<(Arc<OwnSchema>, Arc<OwnArray>)>,
    /// Columns by our names; those of Arrow by their places.
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

fn pointer(capsule: &Bound<'_, PyAny>, name: &'static CStr) -> PyResult<*mut c_void> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.as_ptr())
}

impl Batch {
    /// Takes the batch that an object exports by `__arrow_c_array__`.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let capsules = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
        let schema = pointer(&capsules.get_item(0)?, c"arrow_schema")?.cast::<Schema>();
        let array = pointer(&capsules.get_item(1)?, c"arrow_array")?.cast::<Array>();
        // SAFETY: capsules of these names hold these structures, which a consumer moves out by clearing `release`.
        let (schema, array) = unsafe {
            let taken = (OwnSchema(schema.read()), OwnArray(array.read()));
            (*schema).release = None;
            (*array).release = None;
            taken
        };
        if array.0.release.is_none() || !schema.is_of_columns() {
            return Err(PyTypeError::new_err("expected a batch of Arrow columns that nobody has consumed"));
        }
        let names = schema.columns().enumerate().map(|(at, (name, _))| (name.to_owned(), at)).collect();
        Self::checked(Arc::new(schema), array, Arc::new(names))
    }

    fn checked(schema: Arc<OwnSchema>, array: OwnArray, names: Arc<Vec<(String, usize)>>) -> PyResult<Self> {
        if array.0.length < 0 || array.0.offset < 0 {
            return Err(PyValueError::new_err("the Arrow batch has a negative length or offset"));
        }
        let rows = array.0.length as usize;
        Ok(Self { arrow: Some((schema, Arc::new(array))), names, objects: Vec::new(), first: 0, rows })
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
        // SAFETY: neither is released while the batch is there, and both have these many children.
        let (schemas, arrays) = unsafe {
            (children(schema.0.children, schema.0.n_children), children(array.0.children, array.0.n_children))
        };
        let (Some(&of), Some(&column)) = (schemas.get(*at), arrays.get(*at)) else {
            return Err(PyValueError::new_err(format!("the Arrow batch lacks its column {name}")));
        };
        // SAFETY: children are valid as long as their parent.
        let (of, column) = unsafe { (&*of, &*column) };
        values(name, of, column, array.0.offset as usize + self.first, self.rows).map(Some)
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
    schema: Arc<OwnSchema>,
}

impl Source {
    fn failed(&mut self, code: i32) -> PyErr {
        // SAFETY: the stream is not released; its text is valid until the next call.
        let message = unsafe {
            let said = self.stream.get_last_error.map(|last| last(&raw mut self.stream));
            said.filter(|text| !text.is_null()).map(|text| CStr::from_ptr(text).to_string_lossy().into_owned())
        };
        PyValueError::new_err(message.unwrap_or_else(|| format!("the Arrow stream failed with code {code}")))
    }

    fn next(&mut self) -> PyResult<Option<OwnArray>> {
        let mut array = OwnArray(ended());
        let next = self.stream.get_next.ok_or_else(|| PyValueError::new_err("the Arrow stream has no batches"))?;
        // SAFETY: the stream is not released, and there is room for an array.
        let code = unsafe { next(&raw mut self.stream, &raw mut array.0) };
        if code != 0 {
            return Err(self.failed(code));
        }
        Ok(array.0.release.is_some().then_some(array))
    }
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
#[pyclass(module = "rankduel._core")]
pub(crate) struct Reader {
    source: Mutex<Option<Source>>,
    names: Arc<Vec<(String, usize)>>,
    objects: Vec<Objects>,
    /// What is left of a batch.
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
        let empty = Self {
            source: Mutex::new(None),
            names: Arc::default(),
            objects: Vec::new(),
            left: None,
            passed: 0,
            rows: None,
        };
        let Some(object) = stream else { return Ok(empty) };
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let held = pointer(&capsule, c"arrow_array_stream")?.cast::<Stream>();
        // SAFETY: a capsule of this name holds a stream, which a consumer moves out by clearing `release`.
        let stream = unsafe {
            let stream = held.read();
            (*held).release = None;
            stream
        };
        let mut source = Source { stream, schema: Arc::new(OwnSchema(super::no_schema())) };
        let get = source.stream.get_schema.filter(|_| source.stream.release.is_some());
        let get = get.ok_or_else(|| PyTypeError::new_err("expected an Arrow stream that nobody has consumed"))?;
        let mut schema = OwnSchema(super::no_schema());
        // SAFETY: the stream is not released, and there is room for a schema.
        let code = unsafe { get(&raw mut source.stream, &raw mut schema.0) };
        if code != 0 {
            return Err(source.failed(code));
        }
        if !schema.is_of_columns() {
            return Err(PyTypeError::new_err("expected an Arrow stream of rows, found one of single values"));
        }
        source.schema = Arc::new(schema);
        Ok(Self { source: Mutex::new(Some(source)), ..empty })
    }

    /// The names of the columns of Arrow, and what they hold, if that is read here.
    fn columns(&self) -> Vec<(String, Option<&'static str>)> {
        let source = self.source.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(source) = &*source else { return Vec::new() };
        source.schema.columns().map(|(name, schema)| (name.to_owned(), kind(schema))).collect()
    }

    /// The stream for another consumer; here there is nothing more then.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let source = self.source.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let source = source.ok_or_else(|| PyValueError::new_err("the stream was consumed"))?;
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

    /// Adds a column of objects of Python under a name of our own, to be read as what `read_as` says.
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
        let mut batch = match self.left.take() {
            Some(left) => Some(left),
            None if self.source.get_mut().is_ok_and(|source| source.is_some()) => self.batch(py)?,
            None => {
                let rows = self.rows.unwrap_or(0) - self.passed;
                let all = Batch { arrow: None, names: Arc::default(), objects: Vec::new(), first: 0, rows };
                (rows > 0).then_some(all)
            }
        };
        let Some(batch) = &mut batch else {
            return match self.rows {
                Some(rows) if rows != self.passed => {
                    Err(PyValueError::new_err(format!("a column has {rows} rows, others have {}", self.passed)))
                }
                _ => Ok(None),
            };
        };
        let rows = batch.rows.min(PIECE);
        if batch.rows > rows {
            let (arrow, names) = (batch.arrow.clone(), Arc::clone(&batch.names));
            let (first, more) = (batch.first + rows, batch.rows - rows);
            self.left = Some(Batch { arrow, names, objects: Vec::new(), first, rows: more });
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
        let (arrow, names) = (batch.arrow.take(), Arc::clone(&batch.names));
        Ok(Some(Batch { arrow, names, objects, first: batch.first, rows }))
    }
}

impl Reader {
    fn batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let (source, names) = (&self.source, Arc::clone(&self.names));
        // A producer may need the interpreter in a thread of its own.
        py.detach(|| {
            let mut source = source.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let Some(source) = &mut *source else { return Ok(None) };
            let Some(array) = source.next()? else { return Ok(None) };
            Batch::checked(Arc::clone(&source.schema), array, names).map(Some)
        })
    }
}
