//! Logs from files: blocks of lines, plain or gzip, and one line as an impression or a click. JSON Lines (our own fields,
//! those of UBI 1.3, responses of OpenSearch and Solr), CSV and, with the feature `parquet`, Parquet; and lines that are
//! rows of a table already. Most lines are of a plain form (`fast_path`), and read without copies. Not here: what the lines mean
//! together.

mod csv;
mod event;
mod fast_path;
mod fields;
mod file;
mod json;
mod lists;
mod mixed;
mod names;
#[cfg(feature = "parquet")]
mod parquet;
mod query;
mod response;
mod rows;
mod shape;
mod text;
mod value;

pub use csv::{Fields, Header};
pub use event::{Event, click};
pub(crate) use fast_path::FastPath;
pub use fast_path::RowRef;
pub use fields::complete;
pub use file::{Block, Format, LogFile, Place};
pub(crate) use mixed::strange_team;
pub use names::column;
pub use query::impression;
pub use rows::{ClickRow, ImpressionRow, RowReceipt, RowTime};
pub(crate) use text::base64;
