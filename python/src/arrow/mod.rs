//! Tables for other libraries without a copy, and theirs for us: the Arrow C data interface and its stream
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>).
//!
//! It is written out here. `arrow-array` was tried instead: it reads large batches as fast, but lengthens each cold build by half a
//! minute, and wide batches take several times as long, since it takes in all columns and not only those that are read.
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
