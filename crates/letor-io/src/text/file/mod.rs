//! Files on their way to rows: which files a list of paths means, and each file as pieces of whole queries;
//! not what the rows hold ([`row`](super::row)).

mod group_sizes;
mod line_shape;
mod lines;
mod list;
mod pieces;
mod source;

pub(super) use group_sizes::GroupSizes;
pub(super) use line_shape::looks_like_id;
pub(crate) use list::expand;
pub(super) use list::{DataFile, FileList};
#[cfg(feature = "fuzz")]
pub(super) use pieces::Sizes;
pub(super) use pieces::{Failure, Ids, Piece, PieceReader, no_row};
