//! The reader of cache files, on any bytes: see `letor_io::fuzz::cache` for the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    letor_io::fuzz::cache(bytes);
});
