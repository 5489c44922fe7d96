//! The reader of experiment files, on any bytes: see `sim::fuzz::experiment` for the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sim::fuzz::experiment(bytes);
});
