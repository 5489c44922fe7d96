//! JSON of callers: read with limits, then taken apart with the path of each value, so that errors name their place. Not here: the meaning
//! of values.

mod node;
mod parse;
mod split;
mod value;

pub use node::{Node, ShapeError};
pub use parse::parse;
pub use split::items;
pub use value::{Document, Value, ValueKind};
