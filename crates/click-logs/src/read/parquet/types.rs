//! The columns that logs have, and whether a column's type fits its name.

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::{Type, TypePtr};

use crate::read::names::{Container, Field, LineKind, Slot, slot};

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnContent {
    /// Text or whole numbers.
    Ids,
    /// Lists of these.
    Lists,
    Times,
    /// Seconds.
    Numbers,
    /// A number of places of a page.
    Places,
    Receipts,
    /// Objects with fields that are looked up by name.
    Objects,
    /// Anything: its presence shows what the file is.
    Anything,
}

/// The content of the column with this name; `None` if no log has it. For impressions and clicks, the columns of both are read:
/// which kind a file has is unknown until its lines are read.
pub(super) fn column_content(name: &str, are_conversions: bool) -> Option<ColumnContent> {
    let of_kind = |kind| slot(kind, Container::Line, name);
    let fitting = if are_conversions {
        of_kind(LineKind::Conversions)
    } else {
        of_kind(LineKind::Impressions).or_else(|| of_kind(LineKind::Clicks))
    };
    Some(match fitting? {
        Slot::Object(..) => ColumnContent::Objects,
        Slot::Field(field, _) => match field {
            Field::Impression
            | Field::User
            | Field::Client
            | Field::Session
            | Field::Agent
            | Field::Pairs
            | Field::Experiment
            | Field::Version
            | Field::Document
            | Field::Currency
            | Field::Order
            | Field::Action => ColumnContent::Ids,
            Field::Time => ColumnContent::Times,
            Field::Shown | Field::Displayed | Field::Mixed | Field::Pinned | Field::Teams | Field::Rankers => {
                ColumnContent::Lists
            }
            Field::Paged => ColumnContent::Places,
            Field::Receipt => ColumnContent::Receipts,
            Field::Dwell | Field::Value => ColumnContent::Numbers,
            Field::Hits | Field::Documents | Field::SearchConfiguration | Field::Count => ColumnContent::Anything,
        },
    })
}

/// Whether the column with this name may identify the impression of a row, or show that the file is of another kind.
pub(super) fn is_telling(name: &str, are_conversions: bool) -> bool {
    use Container as C;
    if are_conversions {
        let found = slot(LineKind::Conversions, C::Line, name);
        return matches!(
            found,
            Some(Slot::Field(Field::Document, _) | Slot::Object(C::Line | C::EventAttributes | C::Object, _))
        );
    }
    matches!(
        slot(LineKind::Impressions, C::Line, name),
        Some(
            Slot::Field(Field::Impression | Field::SearchConfiguration, _)
                | Slot::Object(C::Line | C::Extension | C::Ubi, _)
        )
    )
}

/// Whether other logs have another thing under this name.
pub(super) fn may_be_other(name: &str) -> bool {
    matches!(
        slot(LineKind::Impressions, Container::Line, name),
        Some(Slot::Object(inner, _)) if crate::read::json::may_be_other(inner)
    )
}

/// How values are stored, and their form in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// Bytes, or numbers with a sign.
    Plain,
    Unsigned,
    /// Times as whole numbers, this many to a millisecond; without a zone unless `is_utc`.
    Moment {
        is_utc: bool,
        per_millisecond: i64,
    },
    /// A type that no log has.
    Other,
}

/// Checks that a column's type fits its name; the error is what it holds and what was expected.
pub(super) fn check(field: &TypePtr, content: ColumnContent) -> Result<(), (String, &'static str)> {
    let refused = |expected| Err((describe(field), expected));
    if !is_once(field) {
        return Err(("a repeated field".to_owned(), "a list as engines write them today"));
    }
    check_readable(field).map_err(|found| (found, "a type that logs have; leave the column out or cast it"))?;
    let is_fine = match content {
        ColumnContent::Ids => is_id(field),
        ColumnContent::Lists => element(field).is_some_and(is_id) || is_text(field),
        ColumnContent::Times => is_time(field),
        ColumnContent::Numbers | ColumnContent::Places => is_number(field) || is_text(field),
        ColumnContent::Receipts | ColumnContent::Objects => {
            is_text(field) || field.is_group() && element(field).is_none()
        }
        ColumnContent::Anything => true,
    };
    match content {
        _ if is_fine => Ok(()),
        ColumnContent::Ids => refused("text or whole numbers"),
        ColumnContent::Times => refused("timestamps, numbers since 1970 (not in single precision) or text"),
        ColumnContent::Lists => refused("lists of text or whole numbers"),
        ColumnContent::Numbers => refused("seconds as numbers or text"),
        ColumnContent::Places => refused("whole numbers or text"),
        ColumnContent::Receipts => refused("binary, text or a struct"),
        _ => refused("a struct, a map or text of JSON"),
    }
}

/// Describes the content of a column.
fn describe(field: &Type) -> String {
    if let Some(element) = element(field) {
        return format!("lists of {}", describe(element));
    }
    if field.is_group() {
        return "a struct".to_owned();
    }
    match field.get_basic_info().converted_type() {
        ConvertedType::NONE => format!("{:?}", field.get_physical_type()),
        converted => format!("{converted:?}"),
    }
    .to_lowercase()
}

fn is_text(field: &Type) -> bool {
    let converted = field.get_basic_info().converted_type();
    use ConvertedType::{BSON, ENUM, JSON, NONE, UTF8};
    field.is_primitive()
        && field.get_physical_type() == Physical::BYTE_ARRAY
        && matches!(converted, UTF8 | ENUM | JSON | BSON | NONE)
}

fn is_whole(field: &Type) -> bool {
    use ConvertedType::{INT_8, INT_16, INT_32, INT_64, NONE, UINT_8, UINT_16, UINT_32, UINT_64};
    field.is_primitive()
        && matches!(field.get_physical_type(), Physical::INT32 | Physical::INT64)
        && matches!(
            field.get_basic_info().converted_type(),
            NONE | INT_8 | INT_16 | INT_32 | INT_64 | UINT_8 | UINT_16 | UINT_32 | UINT_64
        )
        && !matches!(
            field.get_basic_info().logical_type_ref(),
            Some(LogicalType::Timestamp(_) | LogicalType::Time(_) | LogicalType::Date | LogicalType::Decimal(_))
        )
}

fn is_number(field: &Type) -> bool {
    let is_real = || matches!(field.get_physical_type(), Physical::FLOAT | Physical::DOUBLE);
    is_whole(field) || field.is_primitive() && is_real()
}

fn is_id(field: &Type) -> bool {
    is_text(field) || is_whole(field)
}

/// Whether a field has one value per row: old lists are fields that are repeated.
fn is_once(field: &Type) -> bool {
    !field.get_basic_info().has_repetition() || field.get_basic_info().repetition() != Repetition::REPEATED
}

/// The type of the elements, of lists.
fn element(field: &Type) -> Option<&Type> {
    if field.is_group() && field.get_basic_info().converted_type() == ConvertedType::LIST {
        let repeated = field.get_fields().first()?;
        return Some(entries(repeated).unwrap_or(repeated));
    }
    None
}

/// The entries inside the repeated field of a list; `None` in older lists, where the repeated field is the entry itself (the
/// rules for reading older files: <https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists>).
pub(super) fn entries(repeated: &Type) -> Option<&Type> {
    let is_wrapper = repeated.is_group()
        && repeated.get_fields().len() == 1
        && is_once(&repeated.get_fields()[0])
        && repeated.name() != "array"
        && !repeated.name().ends_with("_tuple");
    is_wrapper.then(|| &*repeated.get_fields()[0])
}

/// Whether a column can hold times: single precision holds seconds of our time to two minutes.
fn is_time(field: &Type) -> bool {
    let is_moment = || matches!(form(field), Form::Moment { .. });
    let physical = field.is_primitive().then(|| field.get_physical_type());
    physical == Some(Physical::INT96)
        || physical.is_some_and(|physical| physical != Physical::FLOAT)
            && (is_moment() || is_text(field) || is_number(field))
}

/// How a column of plain values stores them.
pub(super) fn form(field: &Type) -> Form {
    let info = field.get_basic_info();
    if let Some(LogicalType::Timestamp(stamp)) = info.logical_type_ref() {
        let per_millisecond = match stamp.unit {
            TimeUnit::MILLIS => 1,
            TimeUnit::MICROS => 1_000,
            TimeUnit::NANOS => 1_000_000,
        };
        return Form::Moment { is_utc: stamp.is_adjusted_to_u_t_c, per_millisecond };
    }
    if matches!(
        info.logical_type_ref(),
        Some(LogicalType::Time(_) | LogicalType::Date | LogicalType::Decimal(_) | LogicalType::Float16)
    ) {
        return Form::Other;
    }
    use ConvertedType as C;
    match info.converted_type() {
        C::UTF8 | C::ENUM | C::JSON => Form::Text,
        C::TIMESTAMP_MILLIS => Form::Moment { is_utc: true, per_millisecond: 1 },
        C::TIMESTAMP_MICROS => Form::Moment { is_utc: true, per_millisecond: 1_000 },
        C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64 => Form::Unsigned,
        C::DATE | C::TIME_MILLIS | C::TIME_MICROS | C::DECIMAL => Form::Other,
        _ => Form::Plain,
    }
}

/// Checks that the reader can read a column: it would panic on some others.
fn check_readable(field: &Type) -> Result<(), String> {
    use ConvertedType as C;
    let converted_type = field.get_basic_info().converted_type();
    if field.is_group() {
        let inner = field.get_fields();
        let one = inner.len() == 1 && !is_once(&inner[0]);
        let is_fine = match converted_type {
            C::LIST => one,
            C::MAP | C::MAP_KEY_VALUE => one && inner[0].is_group() && (1..=2).contains(&inner[0].get_fields().len()),
            _ => true,
        };
        if !is_fine {
            return Err(format!("a {converted_type:?} of an unknown form").to_lowercase());
        }
        return inner.iter().try_for_each(|field| check_readable(field));
    }
    let is_fine = match field.get_physical_type() {
        Physical::BOOLEAN | Physical::INT96 | Physical::FLOAT | Physical::DOUBLE => true,
        Physical::INT32 => !matches!(
            converted_type,
            C::TIMESTAMP_MILLIS | C::TIMESTAMP_MICROS | C::TIME_MICROS | C::INT_64 | C::UINT_64
        ),
        Physical::INT64 => matches!(
            converted_type,
            C::NONE | C::INT_64 | C::UINT_64 | C::TIME_MICROS | C::TIMESTAMP_MILLIS | C::TIMESTAMP_MICROS | C::DECIMAL
        ),
        Physical::BYTE_ARRAY => {
            matches!(converted_type, C::UTF8 | C::ENUM | C::JSON | C::BSON | C::NONE | C::DECIMAL)
        }
        Physical::FIXED_LEN_BYTE_ARRAY => matches!(converted_type, C::NONE | C::DECIMAL),
    };
    if is_fine { Ok(()) } else { Err(describe(field)) }
}
