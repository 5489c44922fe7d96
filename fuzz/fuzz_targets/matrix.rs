//! The reader of preference matrices, on any bytes: see `sim::fuzz::matrix` for what must hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sim::fuzz::matrix(bytes);
});
