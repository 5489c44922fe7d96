//! The reader of preference matrices, on any bytes: see `sim::fuzz::matrix` for the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sim::fuzz::matrix(bytes);
});
