//! The reader of experiment files, on any bytes: see `sim::fuzz::experiment` for what must hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sim::fuzz::experiment(bytes);
});
