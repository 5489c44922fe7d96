//! Tables of ours for other libraries: a stream of one batch; its columns are not copied.
//!
//! A structure that is handed out owns its data, through `private_data`, until its consumer releases it.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::frame::{Column, Table, Values};

use super::structures::{Array, Schema, Stream, Structure};

/// A value may be missing.
const NULLABLE: i64 = 2;

/// The state of a stream.
struct StreamState {
    table: Arc<Table>,
    /// Whether its only batch was handed out.
    done: bool,
}

/// The memory that a schema or an array owns: its children, and the other data it points to.
struct OwnedMemory<T, D> {
    children: Vec<*mut T>,
    data: D,
}

type OwnedSchema = OwnedMemory<Schema, CString>;
type OwnedArray = OwnedMemory<Array, (Arc<Table>, Vec<*const c_void>)>;

impl<T, D> OwnedMemory<T, D> {
    fn new(children: impl Iterator<Item = T>, data: D) -> Box<Self> {
        Box::new(Self { children: children.map(|child| Box::into_raw(Box::new(child))).collect(), data })
    }
}

impl<T, D> Drop for OwnedMemory<T, D> {
    fn drop(&mut self) {
        for &child in &self.children {
            // SAFETY: made above. One that a consumer moved out is marked as released.
            drop(unsafe { Box::from_raw(child) });
        }
    }
}

/// Releases a structure of ours.
///
/// # Safety
/// It is not released yet, and owns a box of `D`.
unsafe extern "C" fn release<T: Structure, D>(structure: *mut T) {
    // SAFETY: the caller's.
    drop(unsafe { Box::from_raw((*structure).end().cast::<D>()) });
}

/// The result of `__arrow_c_stream__` of a table. A producer may ignore the schema that a consumer asks for.
pub(crate) fn capsule<'py>(
    py: Python<'py>,
    table: &Arc<Table>,
    _wish: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let open = Box::new(StreamState { table: Arc::clone(table), done: false });
    let stream = Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(no_error),
        release: Some(release::<Stream, StreamState>),
        private_data: Box::into_raw(open).cast(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the consumer passes a stream of ours that is not released, and room for a schema.
    unsafe {
        let open = &*(*stream).private_data.cast::<StreamState>();
        let children = open.table.columns.iter().map(|column| schema(format(column), &column.name, [].into_iter()));
        out.write(schema(c"+s", "", children));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: as above.
    unsafe {
        let open = &mut *(*stream).private_data.cast::<StreamState>();
        // An empty structure means that there is no further batch.
        out.write(if open.done { Array::default() } else { batch(&open.table) });
        open.done = true;
    }
    0
}

unsafe extern "C" fn no_error(_: *mut Stream) -> *const c_char {
    null()
}

fn format(column: &Column) -> &'static CStr {
    match column.values {
        Values::Int(_) => c"l",
        Values::Float(_) => c"g",
        Values::Bool(_) => c"b",
        Values::Text(..) => c"u",
    }
}

fn schema(format: &'static CStr, name: &str, children: impl Iterator<Item = Schema>) -> Schema {
    let mut owned: Box<OwnedSchema> = OwnedMemory::new(children, CString::new(name).unwrap_or_default());
    Schema {
        format: format.as_ptr(),
        name: owned.data.as_ptr(),
        flags: NULLABLE,
        n_children: owned.children.len() as i64,
        children: owned.children.as_mut_ptr(),
        release: Some(release::<Schema, OwnedSchema>),
        private_data: Box::into_raw(owned).cast(),
        ..Schema::default()
    }
}

/// All rows.
fn batch(table: &Arc<Table>) -> Array {
    let child = |column: &Column| {
        let (valid, missing) = column.valid.as_ref().map_or((null(), 0), |(bits, missing)| (bits.as_ptr(), *missing));
        let mut buffers = vec![valid.cast()];
        match &column.values {
            Values::Int(values) => buffers.push(values.as_ptr().cast()),
            Values::Float(values) => buffers.push(values.as_ptr().cast()),
            Values::Bool(values) => buffers.push(values.as_ptr().cast()),
            Values::Text(ends, text) => buffers.extend([ends.as_ptr().cast(), text.as_ptr().cast()]),
        }
        array(table, missing, buffers, [].into_iter())
    };
    array(table, 0, vec![null()], table.columns.iter().map(child))
}

fn array(
    table: &Arc<Table>,
    missing: usize,
    buffers: Vec<*const c_void>,
    children: impl Iterator<Item = Array>,
) -> Array {
    let mut owned: Box<OwnedArray> = OwnedMemory::new(children, (Arc::clone(table), buffers));
    Array {
        length: table.rows as i64,
        null_count: missing as i64,
        n_buffers: owned.data.1.len() as i64,
        n_children: owned.children.len() as i64,
        buffers: owned.data.1.as_mut_ptr(),
        children: owned.children.as_mut_ptr(),
        release: Some(release::<Array, OwnedArray>),
        private_data: Box::into_raw(owned).cast(),
        ..Array::default()
    }
}
