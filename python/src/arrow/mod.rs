//! Tables for other libraries without a copy, and theirs for us: the Arrow C data interface and its stream
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>).
//!
//! It is written out here: with `arrow-array` 60.1 instead, this folder and `frame` had 22% fewer lines of code (1,067 instead of
//! 1,365) and read large batches as fast, but a release build took 30 seconds of CPU more (of 530), and a batch of 200 columns
//! 2.8 times as long to pass, since all its columns are taken in and not only those that are read.
#![expect(
    unsafe_code,
    reason = "the interface is one of C: structures of pointers, whose consumer says when it is done"
)]

mod export;
mod import;
mod objects;
mod open;
mod structures;
mod values;

pub(crate) use export::capsule;
pub(crate) use import::{Batch, Reader};
pub(crate) use values::Values as Imported;
