//! The reader of the states of `rankduel proxy`, on any bytes: see `sim::fuzz::state` for the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sim::fuzz::state(bytes);
});
