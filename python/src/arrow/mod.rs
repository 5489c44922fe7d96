//! Tables for other libraries without a copy, and theirs for us: the Arrow C data interface and its stream
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>), written out here because the crates for it take longer to
//! compile than the rest of this package.
//!
//! A structure that is handed out owns what it points to, through `private_data`, until its consumer calls `release`.
#![expect(
    unsafe_code,
    reason = "the interface is one of C: structures of pointers, whose consumer says when it is done"
)]

mod import;
mod objects;
mod open;
mod values;

pub(crate) use import::{Batch, Reader};
pub(crate) use values::Values as Imported;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::frame::{Column, Table, Values};

/// `struct ArrowSchema`.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

// SAFETY: what it points to belongs to it and is never changed; the interface lets consumers move it between threads.
unsafe impl Send for Stream {}

/// A stream is released once: by a capsule that nobody consumed, or by us, who consumed another library's.
impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: not released yet, since that clears `release`.
            unsafe { release(self) };
        }
    }
}

/// A value may be missing.
const NULLABLE: i64 = 2;

/// What a stream owns.
struct Open {
    table: Arc<Table>,
    /// Whether its only batch was handed out.
    done: bool,
}

/// What a schema owns.
struct OfSchema {
    _name: CString,
    children: Vec<*mut Schema>,
}

/// What an array owns.
struct OfArray {
    _table: Arc<Table>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
}

/// What `__arrow_c_stream__` of a table returns. The schema that a consumer may ask for is a wish, which a producer may leave
/// unfulfilled.
pub(crate) fn capsule<'py>(
    py: Python<'py>,
    table: &Arc<Table>,
    _wish: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, stream(Arc::clone(table)), c"arrow_array_stream")
}

/// The rows of `table` as a stream of one batch.
fn stream(table: Arc<Table>) -> Stream {
    let open = Box::new(Open { table, done: false });
    Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(no_error),
        release: Some(release_stream),
        private_data: Box::into_raw(open).cast(),
    }
}

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the consumer passes a stream of ours that is not released, and room for a schema.
    unsafe {
        let open = &*(*stream).private_data.cast::<Open>();
        let children = open.table.columns.iter().map(|column| schema(format(column), &column.name, Vec::new()));
        out.write(schema(c"+s", "", children.map(|child| Box::into_raw(Box::new(child))).collect()));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: as above.
    unsafe {
        let open = &mut *(*stream).private_data.cast::<Open>();
        out.write(if open.done { ended() } else { batch(&open.table) });
        open.done = true;
    }
    0
}

unsafe extern "C" fn no_error(_: *mut Stream) -> *const c_char {
    null()
}

unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: called once, with a stream of ours.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Open>()));
        (*stream).release = None;
    }
}

fn format(column: &Column) -> &'static CStr {
    match column.values {
        Values::Int(_) => c"l",
        Values::Float(_) => c"g",
        Values::Bool(_) => c"b",
        Values::Text(..) => c"u",
    }
}

fn schema(format: &'static CStr, name: &str, children: Vec<*mut Schema>) -> Schema {
    let name = CString::new(name).unwrap_or_default();
    let mut owned = Box::new(OfSchema { _name: name, children });
    Schema {
        format: format.as_ptr(),
        name: owned._name.as_ptr(),
        metadata: null(),
        flags: NULLABLE,
        n_children: owned.children.len() as i64,
        children: owned.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(owned).cast(),
    }
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: called once, with a schema of ours; a child that was moved out has no `release` any more.
    unsafe {
        let owned = Box::from_raw((*schema).private_data.cast::<OfSchema>());
        for &child in &owned.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*schema).release = None;
    }
}

/// What says that there is no further batch.
fn ended() -> Array {
    Array {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: null_mut(),
        children: null_mut(),
        dictionary: null_mut(),
        release: None,
        private_data: null_mut(),
    }
}

/// No schema yet.
fn no_schema() -> Schema {
    Schema {
        format: c"".as_ptr(),
        name: null(),
        metadata: null(),
        flags: 0,
        n_children: 0,
        children: null_mut(),
        dictionary: null_mut(),
        release: None,
        private_data: null_mut(),
    }
}

/// All rows.
fn batch(table: &Arc<Table>) -> Array {
    let child = |column: &Column| {
        let valid = column.valid.as_ref().map_or(null(), |(bits, _)| bits.as_ptr().cast());
        let buffers: Vec<*const c_void> = match &column.values {
            Values::Int(values) => vec![valid, values.as_ptr().cast()],
            Values::Float(values) => vec![valid, values.as_ptr().cast()],
            Values::Bool(values) => vec![valid, values.as_ptr().cast()],
            Values::Text(ends, text) => vec![valid, ends.as_ptr().cast(), text.as_ptr().cast()],
        };
        let missing = column.valid.as_ref().map_or(0, |(_, missing)| *missing);
        Box::into_raw(Box::new(array(table, missing, buffers, Vec::new())))
    };
    array(table, 0, vec![null()], table.columns.iter().map(child).collect())
}

fn array(table: &Arc<Table>, missing: usize, buffers: Vec<*const c_void>, children: Vec<*mut Array>) -> Array {
    let mut owned = Box::new(OfArray { _table: Arc::clone(table), buffers, children });
    Array {
        length: table.rows as i64,
        null_count: missing as i64,
        offset: 0,
        n_buffers: owned.buffers.len() as i64,
        n_children: owned.children.len() as i64,
        buffers: owned.buffers.as_mut_ptr(),
        children: owned.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(owned).cast(),
    }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: as for a schema.
    unsafe {
        let owned = Box::from_raw((*array).private_data.cast::<OfArray>());
        for &child in &owned.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*array).release = None;
    }
}
