//! SVMlight/LETOR text, read in parallel and written; not how data sets are kept in memory
//! (`dataset`) or in a cache file (`cache`).
//!
//! A file is cut into pieces of whole queries ([`file`]); any thread reads any piece ([`parse`]) row by row
//! ([`row`]) and turns each query's rows into packed columns ([`assembler`]); the pieces are joined in order
//! ([`read`]).

mod assembler;
mod file;
mod options;
mod parse;
mod read;
mod row;
mod write;

pub(crate) use file::{ForeignFile, expand, foreign_format, lines, open_source, read_text, read_up_to};
pub use options::{Null, ReadOptions, SameQid};
pub use read::read_files;
pub(crate) use read::read_list;
#[cfg(feature = "fuzz")]
pub(crate) use read::read_source;
pub(crate) use row::{NumberError, parse_number};
pub use write::{WriteOptions, write};
