//! Reads logs from files: blocks of lines, plain, gzip or zstd, and each line as an impression or a click. The formats are JSON Lines (our
//! own fields, those of UBI 1.3, responses of OpenSearch and Solr, sessions of living labs), CSV and, with the feature `parquet`, Parquet;
//! rows of tables are read likewise. Most lines have a plain form (`fast_path`), and are read without copies. Not here: what the lines mean
//! together.

mod conversion;
mod csv;
mod event;
mod fast_path;
mod fields;
mod file;
mod impression;
mod json;
mod lists;
mod mixed_list;
mod names;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "file/no_parquet.rs"]
mod parquet;
mod response;
mod rows;
mod shape;
mod text;
mod value;

pub use conversion::conversion;
pub use csv::{Fields, Header};
pub use event::{Event, click};
pub(crate) use fast_path::FastPath;
pub use fast_path::RowRef;
pub use fields::complete;
pub(crate) use file::unpacked_text;
pub use file::{Block, Format, LineUnit, LogFile};
pub use impression::impression;
pub(crate) use mixed_list::{as_strs, unknown_team_message};
pub use names::column;
pub(crate) use parquet::rows_of_parquet;
pub use rows::{ClickRow, ImpressionRow, RowReceipt, RowTime};
pub use shape::session::{Session, session};
pub(crate) use text::base64;
