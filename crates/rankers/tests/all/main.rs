//! All integration tests of the crate in one binary: one file per subject, linked once.

mod mslr;
mod rankings;
mod selection;
