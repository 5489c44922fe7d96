//! Files on their way to rows: which files a list of paths means, and each file as pieces of whole queries;
//! not what the rows hold ([`row`](super::row)).

mod foreign;
mod group_sizes;
mod line_shape;
mod lines;
mod list;
mod pieces;
mod source;

pub(crate) use foreign::{ForeignFile, foreign_format};
pub(super) use group_sizes::GroupSizes;
pub(super) use line_shape::may_be_query;
pub(crate) use lines::lines;
pub(crate) use list::expand;
pub(super) use list::{DataFile, FileList};
#[cfg(feature = "fuzz")]
pub(super) use pieces::Sizes;
pub(super) use pieces::{Failure, Piece, PieceReader, QueryIdPlace, no_row};
pub(crate) use source::{open as open_source, read_text, read_up_to};
