//! All integration tests of the crate in one binary: one file per subject, linked once.

mod gold;
mod measures;
mod mslr;
mod rankings;
mod selection;
