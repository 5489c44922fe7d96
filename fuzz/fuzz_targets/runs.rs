//! The reader of kept runs, on any bytes: see `sim::fuzz::runs` for the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sim::fuzz::runs(bytes);
});
