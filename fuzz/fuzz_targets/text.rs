//! The reader of SVMlight text, on any bytes: see `letor_io::fuzz::text` for the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| letor_io::fuzz::text(bytes));
