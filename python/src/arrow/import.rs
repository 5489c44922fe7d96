//! Batches from other libraries, read where they are: text, whole numbers, floating point numbers, bytes and lists of text. What
//! else there is in tables is cast to these before, by the library that made it.
//!
//! Offsets and text are checked: a producer may be wrong. That buffers are as long as their offsets say cannot be seen.

use std::borrow::Cow;
use std::ffi::{CStr, c_void};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::{Array, Schema};

/// A batch of rows that another library made.
pub(crate) struct Batch {
    schema: Schema,
    array: Array,
}

// SAFETY: a producer never changes what it gave away, and the interface lets consumers read and release it on any thread.
unsafe impl Send for Batch {}
// SAFETY: as above; nothing is written.
unsafe impl Sync for Batch {}

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: both were moved out of their capsules, and nobody else releases them.
        unsafe {
            if let Some(release) = self.array.release {
                release(&mut self.array);
            }
            if let Some(release) = self.schema.release {
                release(&mut self.schema);
            }
        }
    }
}

/// The values of a column.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    Text(Bytes<'a>),
    Bytes(Bytes<'a>),
    Int(Valid<'a>, &'a [i64]),
    Float(Valid<'a>, &'a [f64]),
    Lists(Lists<'a>),
}

/// Which rows have values.
#[derive(Clone, Copy)]
pub(crate) struct Valid<'a> {
    bits: Option<&'a [u8]>,
    offset: usize,
}

impl Valid<'_> {
    pub(crate) fn has(self, row: usize) -> bool {
        let at = self.offset + row;
        self.bits.is_none_or(|bits| bits[at / 8] >> (at % 8) & 1 == 1)
    }
}

/// Bytes or text of varying length.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    valid: Valid<'a>,
    ends: &'a [i32],
    bytes: &'a [u8],
    /// The bytes from the first row on, if they are text.
    text: Option<&'a str>,
}

impl<'a> Bytes<'a> {
    pub(crate) fn bytes(self, row: usize) -> Option<&'a [u8]> {
        self.valid.has(row).then(|| &self.bytes[self.ends[row] as usize..self.ends[row + 1] as usize])
    }

    pub(crate) fn text(self, row: usize) -> Option<Cow<'a, str>> {
        if !self.valid.has(row) {
            return None;
        }
        self.whole(row).map(Cow::Borrowed).or_else(|| self.bytes(row).map(String::from_utf8_lossy))
    }

    /// The text of a row with a value, as it is; `None` where a part of the column is not in UTF-8.
    fn whole(self, row: usize) -> Option<&'a str> {
        let first = self.ends[0];
        self.text?.get((self.ends[row] - first) as usize..(self.ends[row + 1] - first) as usize)
    }

    /// Whether a row has no value, or one in UTF-8.
    fn is_text(self, row: usize) -> bool {
        !self.valid.has(row)
            || self.whole(row).is_some()
            || self.bytes(row).is_some_and(|bytes| str::from_utf8(bytes).is_ok())
    }

    /// The text of a row as it is, `Some(None)` without a value; `None` where a part of the column is not in UTF-8.
    #[expect(clippy::option_option, reason = "the outer one is about the column")]
    pub(crate) fn borrowed(self, row: usize) -> Option<Option<&'a str>> {
        if self.valid.has(row) { self.whole(row).map(Some) } else { Some(None) }
    }
}

/// Lists of text.
#[derive(Clone, Copy)]
pub(crate) struct Lists<'a> {
    valid: Valid<'a>,
    ends: &'a [i32],
    /// From the first item of the first row on.
    items: Bytes<'a>,
}

impl<'a> Lists<'a> {
    pub(crate) fn list(self, row: usize) -> Option<impl ExactSizeIterator<Item = Option<Cow<'a, str>>>> {
        let items = self.items;
        let of_row = || self.places(row).map(move |item| items.text(item));
        self.valid.has(row).then(of_row)
    }

    fn places(self, row: usize) -> std::ops::Range<usize> {
        let first = self.ends[0];
        (self.ends[row] - first) as usize..(self.ends[row + 1] - first) as usize
    }

    /// Calls `take` with the items of a row as they are; returns whether it has a list, or `None` where a part of the column is
    /// not in UTF-8.
    pub(crate) fn borrowed(self, row: usize, mut take: impl FnMut(Option<&'a str>)) -> Option<bool> {
        if !self.valid.has(row) {
            return Some(false);
        }
        for item in self.places(row) {
            take(self.items.borrowed(item)?);
        }
        Some(true)
    }
}

impl Values<'_> {
    /// The number of a row, in a column of whole numbers.
    pub(crate) fn int(self, row: usize) -> Option<i64> {
        match self {
            Self::Int(valid, values) => valid.has(row).then(|| values[row]),
            _ => None,
        }
    }
}

impl Batch {
    /// Takes the batch that an object exports by `__arrow_c_array__`.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let capsules = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
        let pointer = |at: usize, name: &'static CStr| -> PyResult<*mut c_void> {
            let capsule = capsules.get_item(at)?.cast_into::<PyCapsule>()?;
            Ok(capsule.pointer_checked(Some(name))?.as_ptr())
        };
        let schema = pointer(0, c"arrow_schema")?.cast::<Schema>();
        let array = pointer(1, c"arrow_array")?.cast::<Array>();
        // SAFETY: capsules of these names hold these structures, which a consumer moves out by clearing `release`.
        let batch = unsafe {
            let batch = Self { schema: schema.read(), array: array.read() };
            (*schema).release = None;
            (*array).release = None;
            batch
        };
        if batch.array.release.is_none() || batch.format() != c"+s" {
            return Err(PyTypeError::new_err("expected a batch of Arrow columns that nobody has consumed"));
        }
        if batch.array.length < 0 || batch.array.offset < 0 {
            return Err(PyValueError::new_err("the Arrow batch has a negative length or offset"));
        }
        Ok(batch)
    }

    fn format(&self) -> &CStr {
        // SAFETY: the schema is not released.
        unsafe { CStr::from_ptr(self.schema.format) }
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.array.length as usize
    }

    /// The column of this name, if there is one.
    pub(crate) fn column(&self, name: &str) -> PyResult<Option<Values<'_>>> {
        // SAFETY: neither is released while the batch is there, and both have these many children.
        let (schemas, arrays) = unsafe {
            (
                children(self.schema.children, self.schema.n_children),
                children(self.array.children, self.array.n_children),
            )
        };
        for (&schema, &array) in schemas.iter().zip(arrays) {
            // SAFETY: children are valid as long as their parent, and so are their names.
            let (schema, array) = unsafe { (&*schema, &*array) };
            // SAFETY: as above.
            let is_it = !schema.name.is_null() && unsafe { CStr::from_ptr(schema.name) }.to_bytes() == name.as_bytes();
            if is_it {
                return values(name, schema, array, self.array.offset as usize, self.rows()).map(Some);
            }
        }
        Ok(None)
    }

    /// The column of this name, which must be of whole numbers.
    pub(crate) fn ints(&self, name: &str) -> PyResult<Values<'_>> {
        match self.column(name)? {
            Some(values @ Values::Int(..)) => Ok(values),
            _ => Err(PyValueError::new_err(format!("the batch has no column {name} of whole numbers"))),
        }
    }
}

/// The children of a structure.
///
/// # Safety
/// There must be `count` of them behind the pointer.
unsafe fn children<'a, T>(pointer: *mut *mut T, count: i64) -> &'a [*mut T] {
    if count <= 0 || pointer.is_null() {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(pointer, count as usize) }
}

/// The values of an array of the column `name` from its row `skipped` on, `rows` of them.
fn values<'a>(name: &str, schema: &'a Schema, array: &'a Array, skipped: usize, rows: usize) -> PyResult<Values<'a>> {
    let wrong = |what: &str| PyValueError::new_err(format!("the Arrow column {name} {what}"));
    let length = usize::try_from(array.length).map_err(|_| wrong("has a negative length"))?;
    let own_offset = usize::try_from(array.offset).map_err(|_| wrong("has a negative offset"))?;
    if skipped.checked_add(rows).is_none_or(|needed| needed > length) {
        return Err(wrong(&format!("has {length} values, fewer than its rows or lists need")));
    }
    let offset = own_offset + skipped;
    // SAFETY: buffers are as long as the format says for the length of the array, which has the rows asked for.
    unsafe {
        let format = CStr::from_ptr(schema.format).to_bytes();
        let buffers = match format {
            b"u" | b"z" => 3,
            b"+l" | b"l" | b"g" => 2,
            other => {
                let format = String::from_utf8_lossy(other).into_owned();
                return Err(PyTypeError::new_err(format!(
                    "a column has the Arrow format {format:?}, which is not read"
                )));
            }
        };
        if array.n_buffers != buffers || array.buffers.is_null() {
            return Err(wrong(&format!("has {} buffers; expected {buffers}", array.n_buffers)));
        }
        let buffer = |at: usize| *array.buffers.add(at);
        if rows > 0 && buffer(1).is_null() {
            return Err(wrong("has rows and no buffer for them"));
        }
        let bits = buffer(0).cast::<u8>();
        let bits = (array.null_count != 0 && !bits.is_null()).then(|| slice(bits, (offset + rows).div_ceil(8)));
        let valid = Valid { bits, offset };
        let ends = || {
            let count = if buffer(1).is_null() { 0 } else { rows + 1 };
            let ends = slice(buffer(1).cast::<i32>().wrapping_add(offset), count);
            match (0..rows).find(|&row| ends[row] < 0 || ends[row + 1] < ends[row]) {
                None => Ok(ends),
                Some(row) => {
                    let (from, to) = (ends[row], ends[row + 1]);
                    Err(wrong(&format!(
                        "says that row {row} goes from {from} to {to}; expected ascending offsets from 0"
                    )))
                }
            }
        };
        let bytes = || -> PyResult<Bytes<'a>> {
            let ends = ends()?;
            let length = ends.last().map_or(0, |end| *end as usize);
            if length > 0 && buffer(2).is_null() {
                return Err(wrong("has text and no buffer for it"));
            }
            Ok(Bytes { valid, ends, bytes: slice(buffer(2).cast::<u8>(), length), text: None })
        };
        match format {
            b"u" => {
                let found = bytes()?;
                let first = found.ends.first().map_or(0, |first| *first as usize);
                // All at once is quicker than row by row.
                let text = str::from_utf8(&found.bytes[first.min(found.bytes.len())..]).ok();
                let found = Bytes { text, ..found };
                match (0..rows).find(|&row| !found.is_text(row)) {
                    None => Ok(Values::Text(found)),
                    Some(row) => Err(wrong(&format!("has a text in row {row} that is not valid UTF-8"))),
                }
            }
            b"z" => Ok(Values::Bytes(bytes()?)),
            b"l" => Ok(Values::Int(valid, slice(buffer(1).cast::<i64>().wrapping_add(offset), rows))),
            b"g" => Ok(Values::Float(valid, slice(buffer(1).cast::<f64>().wrapping_add(offset), rows))),
            _ => {
                let ends = ends()?;
                let first = ends.first().map_or(0, |first| *first as usize);
                let items = ends.last().map_or(0, |end| *end as usize) - first;
                let (schemas, arrays) =
                    (children(schema.children, schema.n_children), children(array.children, array.n_children));
                let ([schema], [array]) = (schemas, arrays) else {
                    return Err(wrong("has lists without one column of items"));
                };
                match values(name, &**schema, &**array, first, items)? {
                    Values::Text(items) => Ok(Values::Lists(Lists { valid, ends, items })),
                    _ => Err(PyTypeError::new_err("expected lists of text")),
                }
            }
        }
    }
}

/// A slice, which is empty where a producer leaves out the buffer of no values.
///
/// # Safety
/// That of `slice::from_raw_parts`, if the pointer is not null.
unsafe fn slice<'a, T>(pointer: *const T, length: usize) -> &'a [T] {
    if pointer.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(pointer, length) }
}
