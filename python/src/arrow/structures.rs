//! The structures of the interface in C, and the data they point to.
//!
//! A structure is either empty, ours, or one that a producer filled in by the rules of the interface. That cannot be checked: if so, the
//! data it points to are valid, and do not change, until it is released, which happens when it is dropped.

use std::ffi::{CStr, c_char, c_int, c_void};

/// `struct ArrowSchema`.
#[derive(Default)]
#[repr(C)]
pub(super) struct Schema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *mut *mut Schema,
    pub(super) dictionary: *mut Schema,
    pub(super) release: Option<unsafe extern "C" fn(*mut Schema)>,
    pub(super) private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[derive(Default)]
#[repr(C)]
pub(super) struct Array {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *mut *const c_void,
    pub(super) children: *mut *mut Array,
    pub(super) dictionary: *mut Array,
    pub(super) release: Option<unsafe extern "C" fn(*mut Array)>,
    pub(super) private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[derive(Default)]
#[repr(C)]
pub(super) struct Stream {
    pub(super) get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    pub(super) get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    pub(super) get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    pub(super) release: Option<unsafe extern "C" fn(*mut Stream)>,
    pub(super) private_data: *mut c_void,
}

/// One of them.
pub(super) trait Structure: Default {
    /// Marks it as released; returns its private data.
    fn end(&mut self) -> *mut c_void;
}

macro_rules! structures {
    ($($structure:ty),*) => {$(
        // SAFETY: the interface lets consumers read, move and release it on any thread.
        unsafe impl Send for $structure {}

        impl Structure for $structure {
            fn end(&mut self) -> *mut c_void {
                self.release = None;
                self.private_data
            }
        }

        impl Drop for $structure {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: not released yet, since that clears `release`.
                    unsafe { release(self) };
                }
            }
        }
    )*};
}
structures!(Schema, Array, Stream);

// SAFETY: a producer never changes data that it gave away, and we only read them.
unsafe impl Sync for Schema {}
// SAFETY: as for schemas.
unsafe impl Sync for Array {}

impl Schema {
    /// The format of the column, as the interface spells it.
    pub(super) fn format(&self) -> &[u8] {
        // SAFETY: a text, or null in an empty schema.
        if self.format.is_null() { b"" } else { unsafe { CStr::from_ptr(self.format) }.to_bytes() }
    }

    pub(super) fn name(&self) -> &str {
        // SAFETY: a text, if it is given.
        let name = if self.name.is_null() { c"" } else { unsafe { CStr::from_ptr(self.name) } };
        name.to_str().unwrap_or("")
    }

    pub(super) fn children(&self) -> &[&Schema] {
        // SAFETY: there are as many, each valid as long as its parent.
        unsafe { slice(self.children.cast(), length(self.n_children)) }
    }

    pub(super) fn dictionary(&self) -> Option<&Schema> {
        // SAFETY: valid as long as its parent, if there is one.
        unsafe { self.dictionary.as_ref() }
    }
}

impl Array {
    pub(super) fn children(&self) -> &[&Array] {
        // SAFETY: as for schemas.
        unsafe { slice(self.children.cast(), length(self.n_children)) }
    }

    pub(super) fn dictionary(&self) -> Option<&Array> {
        // SAFETY: as for schemas.
        unsafe { self.dictionary.as_ref() }
    }

    pub(super) fn buffers(&self) -> &[*const c_void] {
        // SAFETY: there are as many.
        unsafe { slice(self.buffers, length(self.n_buffers)) }
    }
}

fn length(count: i64) -> usize {
    count.try_into().unwrap_or(0)
}

/// A slice; empty where a producer leaves out the buffer of no values.
///
/// # Safety
/// As for `slice::from_raw_parts`, if the pointer is not null.
pub(super) unsafe fn slice<'a, T>(pointer: *const T, length: usize) -> &'a [T] {
    if pointer.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(pointer, length) }
}

/// A number in a buffer: the interface asks for no alignment.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(crate) struct Unaligned<T>(T);

impl<T: Copy> Unaligned<T> {
    pub(super) fn of(values: &[T]) -> &[Self] {
        // SAFETY: both have one form, and this one asks for less.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
    }

    #[inline]
    pub(super) fn get(self) -> T {
        self.0
    }
}
