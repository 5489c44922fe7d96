//! Conversions: one line of JSON or CSV for a user's action on a document, on any page and at any later time. It names the
//! user, not the impression.

use super::fields::LineFields;
use super::lists::ListSeparator;
use super::names::{Field, LineKind};
use super::value::missing_field_error;
use super::{json, shape};
use crate::error::LineError;
use crate::model::{Conversion, Settings, UnitKind};

/// The conversion in a line: of JSON, or of CSV with the header given. `None` if it is an action of a `_bulk` request, with the
/// document in the next line.
///
/// # Errors
/// The fault in the line.
pub fn conversion<'a>(
    text: &'a str,
    header: Option<&super::Header>,
    settings: &Settings,
) -> Result<Option<Conversion<'a>>, LineError> {
    let fields = match header {
        None if shape::is_action(text) => return Ok(None),
        None => json::fields(text, LineKind::Conversions)?,
        Some(header) => header.fields(text, LineKind::Conversions, ListSeparator::in_csv(settings.list_separator))?,
    };
    conversion_of_fields(fields, settings).map(Some)
}

fn conversion_of_fields<'a>(mut fields: LineFields<'a>, settings: &Settings) -> Result<Conversion<'a>, LineError> {
    fields.check()?;
    let unit = match settings.unit {
        UnitKind::User => fields.take_text(Field::User).or_else(|| fields.take_text(Field::Client)),
        UnitKind::Session => fields.take_text(Field::Session),
        UnitKind::Impression => None,
    };
    Ok(Conversion {
        unit,
        document: fields
            .take_text(Field::Document)
            .ok_or_else(|| missing_field_error("`document` (or `event_attributes.object.object_id`)"))?,
        time: fields.take_time(settings.zone)?,
        action: fields.take_text(Field::Action),
        value: fields.value.take().map(|(_, value)| value),
        currency: fields.take_text(Field::Currency),
        order: fields.take_text(Field::Order),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Header;

    #[test]
    fn lines_of_json_and_csv_say_the_same() {
        let settings = Settings::default();
        let line = r#"{"client_id": "u", "object_id": 7, "timestamp": "2026-11-23T15:04:05Z", "action_name": "purchase",
            "value": -1250.0, "currency": "EUR", "order_id": "o"}"#;
        let expected = conversion(line, None, &settings).unwrap().unwrap();
        assert_eq!((expected.unit.as_deref(), &*expected.document, expected.value), (Some("u"), "7", Some(-1250)));
        let header = Header::from_line("user,document,time,action,value,currency,order", true).unwrap();
        let row = "u,7,2026-11-23T15:04:05Z,purchase,-1250,EUR,o";
        assert_eq!(conversion(row, Some(&header), &settings).unwrap().unwrap(), expected);
        let least = conversion("u,7,2026-11-23T15:04:05Z,,,,", Some(&header), &settings).unwrap().unwrap();
        assert_eq!((least.action, least.value, least.currency, least.order), (None, None, None, None));
        for (row, wrong) in [
            (
                "u,7,2026-11-23T15:04:05Z,,12.50,,",
                "`value` is the text `12.50`; expected a whole number of minor units",
            ),
            ("u,,2026-11-23T15:04:05Z,,,,", "no `document`"),
            ("u,7,yesterday,,,,", "yesterday"),
        ] {
            let found = conversion(row, Some(&header), &settings).unwrap_err().message;
            assert!(found.contains(wrong), "{found}");
        }
        assert!(Header::from_line("user,time,value", true).unwrap_err().message.contains("no column `document`"));
        assert!(Header::read("user,document,time,value").unwrap_err().message.contains("no column `impression`"));
    }
}
