//! Columns of other libraries, opened: their content, and checks of it.
//!
//! Offsets and text are checked, because a producer may be wrong. That buffers are as long as their offsets cannot be checked.

use std::ffi::c_void;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::structures::{Array, Schema, Unaligned, slice};
use super::values::{Floats, Ints, Items, Layout, Lists, RowEnds, Spans, Texts, Times, ValidRows, Values};

/// The kind of a format, as far as it is read here: `null`, `text`, `bytes`, `int`, `float`, `single` (in single precision), `time` or
/// `lists`.
pub(super) fn kind(schema: &Schema) -> Option<&'static str> {
    let format = schema.format();
    if let Some(dictionary) = schema.dictionary() {
        return kind(dictionary).filter(|kind| *kind == "text" && dictionary.dictionary().is_none());
    }
    match format {
        b"n" => Some("null"),
        b"u" | b"U" | b"vu" => Some("text"),
        b"z" | b"Z" | b"vz" => Some("bytes"),
        b"c" | b"C" | b"s" | b"S" | b"i" | b"I" | b"l" | b"L" => Some("int"),
        b"f" => Some("single"),
        b"g" => Some("float"),
        _ if format.starts_with(b"ts") => Some("time"),
        _ if matches!(format, b"+l" | b"+L") || format.starts_with(b"+w:") => {
            let [item] = schema.children() else { return None };
            kind(item).filter(|kind| matches!(*kind, "text" | "null")).map(|_| "lists")
        }
        _ => None,
    }
}

/// A column on its way to its values.
struct OpenedColumn<'a> {
    name: &'a str,
    array: &'a Array,
    /// Its first row in its buffers, and its rows.
    offset: usize,
    rows: usize,
}

/// The values of an array of the column `name` from its row `skipped` on, `rows` of them.
pub(super) fn open_values<'a>(
    name: &'a str,
    schema: &'a Schema,
    array: &'a Array,
    skipped: usize,
    rows: usize,
) -> PyResult<Values<'a>> {
    let wrong = |what: &str| PyValueError::new_err(format!("the Arrow column {name} {what}"));
    let length = usize::try_from(array.length).map_err(|_| wrong("has a negative length"))?;
    let own_offset = usize::try_from(array.offset).map_err(|_| wrong("has a negative offset"))?;
    if skipped.checked_add(rows).is_none_or(|needed| needed > length) {
        return Err(wrong(&format!("has {length} values, fewer than its rows or lists need")));
    }
    let opened = OpenedColumn { name, array, offset: own_offset + skipped, rows };
    let format = schema.format();
    if let Some(dictionary) = schema.dictionary() {
        let held = array.dictionary().ok_or_else(|| wrong("has a dictionary without values"))?;
        let count = usize::try_from(held.length).map_err(|_| wrong("has a dictionary of a negative length"))?;
        let (valid, keys) = (opened.valid(2)?, opened.ints(format)?);
        let Values::Text(Texts { spans, keys: None }) = open_values(name, dictionary, held, 0, count)? else {
            return Err(PyTypeError::new_err(format!("the Arrow column {name} has a dictionary of no texts")));
        };
        let is_outside = |&row: &usize| valid.has(row) && !(0..count as i128).contains(&keys.get(row));
        if let Some(row) = (0..rows).find(is_outside) {
            return Err(wrong(&format!("has the key {} in row {row}, and {count} texts", keys.get(row))));
        }
        return Ok(Values::Text(Texts { spans, keys: Some((valid, keys)) }));
    }
    match format {
        b"n" => Ok(Values::Null),
        b"u" | b"U" | b"vu" => opened.texts(format).map(Values::Text),
        b"z" | b"Z" | b"vz" => opened.spans(format).map(Values::Bytes),
        b"g" => Ok(Values::Float(opened.valid(2)?, Floats::F64(opened.fixed()))),
        b"f" => Ok(Values::Float(opened.valid(2)?, Floats::F32(opened.fixed()))),
        b"c" | b"C" | b"s" | b"S" | b"i" | b"I" | b"l" | b"L" => {
            Ok(Values::Int(opened.valid(2)?, opened.ints(format)?))
        }
        _ if format.starts_with(b"ts") => {
            let per = match format.get(2) {
                Some(b's') => (1, 1000),
                Some(b'm') => (1, 1),
                Some(b'u') => (1000, 1),
                _ => (1_000_000, 1),
            };
            let has_zone = format.len() > 4;
            Ok(Values::Time(Times { valid: opened.valid(2)?, values: opened.fixed(), per, has_zone }))
        }
        _ if format.starts_with(b"+") => opened.lists(schema, format).map(Values::Lists),
        other => Err(PyTypeError::new_err(format!(
            "the column {name} has the Arrow format {:?}, which is not read",
            String::from_utf8_lossy(other)
        ))),
    }
}

impl<'a> OpenedColumn<'a> {
    fn wrong(&self, what: &str) -> PyErr {
        PyValueError::new_err(format!("the Arrow column {} {what}", self.name))
    }

    fn buffer(&self, at: usize) -> *const c_void {
        // `valid` has seen that there are as many buffers, and it is called first.
        self.array.buffers()[at]
    }

    /// Which rows have values, of an array with that many buffers.
    fn valid(&self, buffers: i64) -> PyResult<ValidRows<'a>> {
        if self.array.n_buffers != buffers || self.array.buffers().is_empty() {
            return Err(self.wrong(&format!("has {} buffers; expected {buffers}", self.array.n_buffers)));
        }
        if buffers > 1 && self.rows > 0 && self.buffer(1).is_null() {
            return Err(self.wrong("has rows and no buffer for them"));
        }
        let bits = self.buffer(0).cast::<u8>();
        if self.array.null_count == 0 || bits.is_null() {
            return Ok(ValidRows::All);
        }
        // SAFETY: a bit for each row.
        Ok(ValidRows::Bits(unsafe { slice(bits, (self.offset + self.rows).div_ceil(8)) }, self.offset))
    }

    /// Values of one size.
    fn fixed<T>(&self) -> &'a [T] {
        // SAFETY: the format is `T`'s, which asks for no alignment.
        unsafe { slice(self.buffer(1).cast::<T>().wrapping_add(self.offset), self.rows) }
    }

    fn ints(&self, format: &[u8]) -> PyResult<Ints<'a>> {
        Ok(match format {
            b"c" => Ints::I8(self.fixed()),
            b"C" => Ints::U8(self.fixed()),
            b"s" => Ints::I16(self.fixed()),
            b"S" => Ints::U16(self.fixed()),
            b"i" => Ints::I32(self.fixed()),
            b"I" => Ints::U32(self.fixed()),
            b"l" => Ints::I64(self.fixed()),
            b"L" => Ints::U64(self.fixed()),
            _ => return Err(self.wrong("has keys that are not whole numbers")),
        })
    }

    /// Where rows end, by numbers of 32 or 64 bits.
    fn ends(&self, is_large: bool) -> PyResult<RowEnds<'a>> {
        Ok(if is_large { RowEnds::Large(self.ascending()?) } else { RowEnds::Small(self.ascending()?) })
    }

    fn ascending<T: Copy + PartialOrd + Default + std::fmt::Display>(&self) -> PyResult<&'a [Unaligned<T>]> {
        let count = if self.buffer(1).is_null() { 0 } else { self.rows + 1 };
        // SAFETY: one more than there are rows.
        let ends = unsafe { slice(self.buffer(1).cast::<Unaligned<T>>().wrapping_add(self.offset), count) };
        match ends.windows(2).position(|pair| pair[0].get() < T::default() || pair[1].get() < pair[0].get()) {
            None => Ok(ends),
            Some(row) => Err(self.wrong(&format!(
                "says that row {row} goes from {} to {}; expected ascending offsets from 0",
                ends[row].get(),
                ends[row + 1].get()
            ))),
        }
    }

    fn spans(&self, format: &[u8]) -> PyResult<Spans<'a>> {
        if format.starts_with(b"v") {
            let buffers = self.array.n_buffers;
            if buffers < 3 {
                return Err(self.wrong(&format!("has {buffers} buffers; expected at least 3")));
            }
            let valid = self.valid(buffers)?;
            // The first two are the bits and the views, the last has the lengths of those between.
            let [_, _, between @ .., lengths] = self.array.buffers() else { unreachable!("at least 3") };
            // SAFETY: as many as there are between.
            let lengths = unsafe { slice(lengths.cast::<Unaligned<i64>>(), between.len()) };
            let spans = Spans { valid, layout: Layout::Views(self.fixed(), between, lengths) };
            return match (0..self.rows).find(|&row| valid.has(row) && spans.bytes(row).is_none()) {
                None => Ok(spans),
                Some(row) => Err(self.wrong(&format!("has a view in row {row} that is beyond its buffer"))),
            };
        }
        let (valid, ends) = (self.valid(3)?, self.ends(matches!(format, b"U" | b"Z"))?);
        let end = ends.whole().end;
        if end > 0 && self.buffer(2).is_null() {
            return Err(self.wrong("has text and no buffer for it"));
        }
        // SAFETY: they have the length that the producer states.
        let bytes = unsafe { slice(self.buffer(2).cast::<u8>(), end) };
        Ok(Spans { valid, layout: Layout::Ends(ends, bytes) })
    }

    fn texts(&self, format: &[u8]) -> PyResult<Texts<'a>> {
        let spans = self.spans(format)?;
        // All at once is quicker than row by row.
        let used = match spans.layout {
            Layout::Ends(ends, bytes) => Some(&bytes[ends.whole()]),
            _ => None,
        };
        let is_text = |row: usize| spans.bytes(row).is_none_or(|bytes| str::from_utf8(bytes).is_ok());
        if used.is_some_and(<[u8]>::is_ascii) {
            return Ok(Texts { spans, keys: None });
        }
        match (0..self.rows).find(|&row| !is_text(row)) {
            None => Ok(Texts { spans, keys: None }),
            Some(row) => Err(self.wrong(&format!("has a text in row {row} that is not valid UTF-8"))),
        }
    }

    fn lists(&self, schema: &'a Schema, format: &[u8]) -> PyResult<Lists<'a>> {
        let (valid, places, first, items) = match format {
            b"+l" | b"+L" => {
                let (valid, ends) = (self.valid(2)?, self.ends(format == b"+L")?);
                (valid, Items::Ends(ends), ends.whole().start, ends.whole().len())
            }
            _ => {
                let each = str::from_utf8(&format[3..]).ok().and_then(|count| count.parse::<usize>().ok());
                let each = each.ok_or_else(|| self.wrong("has lists of an unknown length"))?;
                (self.valid(1)?, Items::Each(each), self.offset * each, self.rows * each)
            }
        };
        let ([schema], [array]) = (schema.children(), self.array.children()) else {
            return Err(self.wrong("has lists without one column of items"));
        };
        let items = match open_values(self.name, schema, array, first, items)? {
            Values::Text(items) => items,
            Values::Null => Texts { spans: Spans { valid: ValidRows::All, layout: Layout::Nothing }, keys: None },
            _ => return Err(PyTypeError::new_err("expected lists of text")),
        };
        Ok(Lists { valid, places, items })
    }
}
