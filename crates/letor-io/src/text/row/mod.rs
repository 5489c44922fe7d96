//! One row, `label qid:id feature:value ... # comment`, to its label, ids and values; not the columns that
//! the rows of a query become ([`assembler`](super::assembler)).

mod digits;
mod feature_value;
mod marks;
mod number;
mod reader;
mod short_values;
mod token;

pub(super) use digits::LOOKAHEAD;
pub(super) use feature_value::FeatureValue;
pub(crate) use number::{NumberError, parse as parse_number};
pub(super) use reader::{Line, line_too_long, read_row};
pub(super) use token::{RowError, check_id};
