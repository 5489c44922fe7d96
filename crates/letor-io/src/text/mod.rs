//! SVMlight/LETOR text: read in parallel, written.
//!
//! A file is cut into pieces of whole queries ([`pieces`]); any thread reads any piece row by row
//! ([`row`], [`number`]), turns each query's rows into packed columns ([`assemble`]), and the pieces
//! are joined in order ([`read`]).

mod assemble;
mod files;
mod number;
mod options;
mod parse;
mod pieces;
mod read;
mod row;
mod shape;
mod side;
mod source;
mod write;

pub(crate) use options::MAX_ID;
pub use options::{Null, ReadOptions, SameQid};
pub use read::read_files;
pub use write::{WriteOptions, write};
