//! The readers of TREC runs, qrels and scores, on any bytes: see `letor_io::fuzz::trec` for the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| letor_io::fuzz::trec(bytes));
