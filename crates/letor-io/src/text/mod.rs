//! SVMlight/LETOR text: read in parallel, written.
//!
//! A file is cut into pieces of whole queries ([`pieces`]); any thread reads any piece row by row
//! ([`row`], [`short`], [`token`]), turns each query's rows into packed columns ([`assemble`]), and the pieces
//! are joined in order ([`read`]).

mod assemble;
mod files;
mod index;
mod number;
mod options;
mod parse;
mod pieces;
mod read;
mod row;
mod shape;
mod short;
mod side;
mod source;
mod token;
mod write;

pub(crate) use files::expand;
pub(crate) use options::MAX_ID;
pub use options::{Null, ReadOptions, SameQid};
pub use read::read_files;
pub(crate) use read::{read_list, read_source};
pub(crate) use side::path_of as side_file;
pub use write::{WriteOptions, write};
