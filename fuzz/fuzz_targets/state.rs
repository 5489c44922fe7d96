//! The reader of the states of `rankduel proxy`, on any bytes: see `sim::fuzz::state` for what must hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sim::fuzz::state(bytes);
});
