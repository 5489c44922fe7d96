//! Tables for other libraries without a copy, and theirs for us: the Arrow C data interface and its stream
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>), written out here because the crates for it take longer to
//! compile than the rest of this package.
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
