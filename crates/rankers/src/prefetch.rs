//! Loads memory into the cache of the processor before it is needed.

/// Asks the processor to load the first `bytes` bytes of `slice` into its cache. Useful if they are not in the cache and
/// the program does something else before it reads them. Does nothing on processors other than x86-64.
#[inline]
pub fn prefetch<T>(slice: &[T], bytes: usize) {
    let bytes = bytes.min(size_of_val(slice));
    for line in (0..bytes).step_by(CACHE_LINE_BYTES) {
        prefetch_line(slice.as_ptr().wrapping_byte_add(line));
    }
}

/// The size of a cache line in bytes.
const CACHE_LINE_BYTES: usize = 64;

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the instruction takes a pointer but never dereferences it")]
#[inline]
fn prefetch_line<T>(at: *const T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 processor has this instruction, and it never faults.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn prefetch_line<T>(_at: *const T) {}
