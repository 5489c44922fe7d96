//! Memory asked for before it is needed.

/// Asks the processor to bring the first `bytes` of `slice` nearer. Worth it where that memory is far and
/// something else is done before it is looked at; where the processor has no such request (only x86-64's
/// is known here), nothing happens.
#[inline]
pub fn prefetch<T>(slice: &[T], bytes: usize) {
    let bytes = bytes.min(size_of_val(slice));
    for line in (0..bytes).step_by(LINE) {
        ask(slice.as_ptr().wrapping_byte_add(line));
    }
}

/// What a processor fetches at once.
const LINE: usize = 64;

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the request is declared unsafe for its pointer, which it never reads through")]
#[inline]
fn ask<T>(at: *const T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 processor has this instruction, and it faults at no address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn ask<T>(_at: *const T) {}
