//! The values of one column that another library made, read where they are.

use std::ffi::c_void;
use std::ops::Range;

use super::structures::{Unaligned, slice};

/// The values of a column.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    /// No row has one.
    Null,
    Text(Texts<'a>),
    Bytes(Spans<'a>),
    Int(ValidRows<'a>, Ints<'a>),
    Float(ValidRows<'a>, Floats<'a>),
    Time(Times<'a>),
    Lists(Lists<'a>),
}

impl<'a> Values<'a> {
    /// The text of a row.
    #[inline]
    pub(crate) fn text(self, row: usize) -> Option<&'a str> {
        match self {
            Self::Text(texts) => texts.text(row),
            _ => None,
        }
    }

    /// The number of a row, in a column of whole numbers that fit.
    #[inline]
    pub(crate) fn int(self, row: usize) -> Option<i64> {
        match self {
            Self::Int(valid, values) if valid.has(row) => values.get(row).try_into().ok(),
            _ => None,
        }
    }

    /// The number of a row, in a column of numbers.
    #[inline]
    pub(crate) fn float(self, row: usize) -> Option<f64> {
        match self {
            Self::Float(valid, values) => valid.has(row).then(|| values.get(row)),
            Self::Int(valid, values) => valid.has(row).then(|| values.get(row) as f64),
            _ => None,
        }
    }
}

/// Which rows have values.
#[derive(Clone, Copy)]
pub(crate) enum ValidRows<'a> {
    All,
    Bits(&'a [u8], usize),
    Flags(&'a [bool]),
}

impl ValidRows<'_> {
    #[inline]
    pub(crate) fn has(self, row: usize) -> bool {
        match self {
            Self::All => true,
            Self::Bits(bits, offset) => bits[(offset + row) / 8] >> ((offset + row) % 8) & 1 == 1,
            Self::Flags(flags) => flags[row],
        }
    }
}

/// Whole numbers of any width.
#[derive(Clone, Copy)]
pub(crate) enum Ints<'a> {
    I8(&'a [Unaligned<i8>]),
    U8(&'a [Unaligned<u8>]),
    I16(&'a [Unaligned<i16>]),
    U16(&'a [Unaligned<u16>]),
    I32(&'a [Unaligned<i32>]),
    U32(&'a [Unaligned<u32>]),
    I64(&'a [Unaligned<i64>]),
    U64(&'a [Unaligned<u64>]),
}

impl Ints<'_> {
    #[inline]
    pub(crate) fn get(self, row: usize) -> i128 {
        match self {
            Self::I8(values) => values[row].get().into(),
            Self::U8(values) => values[row].get().into(),
            Self::I16(values) => values[row].get().into(),
            Self::U16(values) => values[row].get().into(),
            Self::I32(values) => values[row].get().into(),
            Self::U32(values) => values[row].get().into(),
            Self::I64(values) => values[row].get().into(),
            Self::U64(values) => values[row].get().into(),
        }
    }
}

/// Numbers with a point.
#[derive(Clone, Copy)]
pub(crate) enum Floats<'a> {
    F32(&'a [Unaligned<f32>]),
    F64(&'a [Unaligned<f64>]),
}

impl Floats<'_> {
    #[inline]
    pub(crate) fn get(self, row: usize) -> f64 {
        match self {
            Self::F32(values) => values[row].get().into(),
            Self::F64(values) => values[row].get(),
        }
    }
}

/// Points in time.
#[derive(Clone, Copy)]
pub(crate) struct Times<'a> {
    pub(super) valid: ValidRows<'a>,
    pub(super) values: &'a [Unaligned<i64>],
    /// The number of its units in a millisecond, and of milliseconds in a unit.
    pub(super) per: (i64, i64),
    /// Whether they are instants, and not times of an unknown zone.
    pub(crate) has_zone: bool,
}

impl Times<'_> {
    /// In milliseconds.
    #[inline]
    pub(crate) fn ms(self, row: usize) -> Option<i64> {
        self.valid.has(row).then(|| (self.values[row].get() / self.per.0).saturating_mul(self.per.1))
    }
}

/// Where each row ends and the next one begins: ascending numbers, one more than there are rows, or none for no rows.
#[derive(Clone, Copy)]
pub(super) enum RowEnds<'a> {
    Small(&'a [Unaligned<i32>]),
    Large(&'a [Unaligned<i64>]),
}

impl RowEnds<'_> {
    #[inline]
    fn row(self, row: usize) -> Range<usize> {
        match self {
            Self::Small(ends) => ends[row].get() as usize..ends[row + 1].get() as usize,
            Self::Large(ends) => ends[row].get() as usize..ends[row + 1].get() as usize,
        }
    }

    /// From the first row to the last.
    pub(super) fn whole(self) -> Range<usize> {
        match self {
            Self::Small(&[first, .., last]) => first.get() as usize..last.get() as usize,
            Self::Large(&[first, .., last]) => first.get() as usize..last.get() as usize,
            Self::Small(_) | Self::Large(_) => 0..0,
        }
    }
}

/// Where the bytes of each row are.
#[derive(Clone, Copy)]
pub(super) enum Layout<'a> {
    Ends(RowEnds<'a>, &'a [u8]),
    /// Short ones in the views, others in buffers, with the lengths in the numbers.
    Views(&'a [[u8; 16]], &'a [*const c_void], &'a [Unaligned<i64>]),
    Nothing,
}

/// Bytes of varying length.
#[derive(Clone, Copy)]
pub(crate) struct Spans<'a> {
    pub(super) valid: ValidRows<'a>,
    pub(super) layout: Layout<'a>,
}

impl<'a> Spans<'a> {
    #[inline]
    pub(crate) fn bytes(self, row: usize) -> Option<&'a [u8]> {
        if !self.valid.has(row) {
            return None;
        }
        match self.layout {
            Layout::Ends(ends, bytes) => Some(&bytes[ends.row(row)]),
            Layout::Views(views, buffers, lengths) => view_bytes(&views[row], buffers, lengths),
            Layout::Nothing => None,
        }
    }
}

/// The bytes of a view; `None` if they are beyond its buffer.
#[inline]
fn view_bytes<'a>(view: &'a [u8; 16], buffers: &'a [*const c_void], lengths: &'a [Unaligned<i64>]) -> Option<&'a [u8]> {
    let number = |at: usize| i32::from_ne_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]);
    let length = usize::try_from(number(0)).ok()?;
    if length <= 12 {
        return Some(&view[4..4 + length]);
    }
    let (buffer, start) = (usize::try_from(number(8)).ok()?, usize::try_from(number(12)).ok()?);
    let held = usize::try_from(lengths.get(buffer)?.get()).ok()?;
    // SAFETY: the buffer has the length that the producer states.
    unsafe { slice(buffers.get(buffer)?.cast::<u8>(), held) }.get(start..start.checked_add(length)?)
}

/// Texts, all in UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'a> {
    pub(super) spans: Spans<'a>,
    /// If texts are kept once each: which of them a row has.
    pub(super) keys: Option<(ValidRows<'a>, Ints<'a>)>,
}

impl<'a> Texts<'a> {
    /// Texts that are known to be UTF-8, from the first to the last.
    pub(crate) fn of_owned(valid: &'a [bool], ends: &'a [i64], text: &'a str) -> Self {
        let spans = Spans {
            valid: ValidRows::Flags(valid),
            layout: Layout::Ends(RowEnds::Large(Unaligned::of(ends)), text.as_bytes()),
        };
        Self { spans, keys: None }
    }

    #[inline]
    pub(crate) fn text(self, row: usize) -> Option<&'a str> {
        let row = match self.keys {
            None => row,
            Some((valid, keys)) => {
                if !valid.has(row) {
                    return None;
                }
                keys.get(row) as usize
            }
        };
        // SAFETY: every row that has bytes was checked when the column was opened.
        self.spans.bytes(row).map(|bytes| unsafe { str::from_utf8_unchecked(bytes) })
    }
}

/// Where the items of each row are.
#[derive(Clone, Copy)]
pub(super) enum Items<'a> {
    Ends(RowEnds<'a>),
    Each(usize),
}

/// Lists of text.
#[derive(Clone, Copy)]
pub(crate) struct Lists<'a> {
    pub(super) valid: ValidRows<'a>,
    pub(super) places: Items<'a>,
    /// From the first item of the first row on.
    pub(super) items: Texts<'a>,
}

impl<'a> Lists<'a> {
    /// Lists with items from `items`, one after another.
    pub(crate) fn of_owned(valid: &'a [bool], ends: &'a [i64], items: Texts<'a>) -> Self {
        Self { valid: ValidRows::Flags(valid), places: Items::Ends(RowEnds::Large(Unaligned::of(ends))), items }
    }

    #[inline]
    fn places(self, row: usize) -> Range<usize> {
        match self.places {
            Items::Ends(ends) => {
                let (first, Range { start, end }) = (ends.whole().start, ends.row(row));
                start - first..end - first
            }
            Items::Each(count) => row * count..(row + 1) * count,
        }
    }

    /// The items of a row.
    pub(crate) fn list(self, row: usize) -> Option<impl ExactSizeIterator<Item = Option<&'a str>>> {
        self.valid.has(row).then(|| self.places(row).map(move |place| self.items.text(place)))
    }

    /// Passes the items of a row to `take`; returns whether it has a list.
    #[inline]
    pub(crate) fn each(self, row: usize, mut take: impl FnMut(Option<&'a str>)) -> bool {
        if !self.valid.has(row) {
            return false;
        }
        // Most lists are in one of these forms, which is found out once per list.
        match (self.items.keys, self.items.spans) {
            (None, Spans { valid: ValidRows::All, layout: Layout::Ends(RowEnds::Small(ends), bytes) }) => {
                for place in self.places(row) {
                    let item = &bytes[ends[place].get() as usize..ends[place + 1].get() as usize];
                    // SAFETY: every row was checked when the column was opened.
                    take(Some(unsafe { str::from_utf8_unchecked(item) }));
                }
            }
            (None, Spans { valid: ValidRows::All, layout: Layout::Views(views, buffers, lengths) }) => {
                for view in &views[self.places(row)] {
                    // SAFETY: as above.
                    take(view_bytes(view, buffers, lengths).map(|item| unsafe { str::from_utf8_unchecked(item) }));
                }
            }
            _ => self.places(row).for_each(|place| take(self.items.text(place))),
        }
        true
    }
}
