//! Lines that are rows of a table already, such as those of a data frame or of Spark: the same fields, rules and errors as in
//! files.

use std::borrow::Cow;

use super::event::{Event, dwell};
use super::fields::{check_shown, missing, mixed, present, time};
use super::text::{Moment, ReceiptText};
use crate::error::Malformed;
use crate::model::{Click, Impression, Settings, UnitKind, time};

/// A time in a table.
#[derive(Debug, Clone, PartialEq)]
pub enum RowTime<'a> {
    /// Text, as in files.
    Text(Cow<'a, str>),
    /// Seconds, milliseconds, microseconds or nanoseconds since 1970, by its size.
    Number(f64),
    /// Milliseconds since 1970.
    Utc(i64),
    /// A time without a zone: the milliseconds since 1970 that a clock in UTC would have shown so.
    Local(i64),
}

/// A receipt in a table.
#[derive(Debug, Clone, PartialEq)]
pub enum RowReceipt<'a> {
    /// Base64, hexadecimal or JSON.
    Text(Cow<'a, str>),
    /// Its bytes.
    Bytes(&'a [u8]),
}

/// An impression as a row; what the table does not have is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(missing_docs, reason = "the columns of files, which the README lists")]
pub struct ImpressionRow<'a> {
    pub impression: Option<Cow<'a, str>>,
    pub time: Option<RowTime<'a>>,
    pub user: Option<Cow<'a, str>>,
    pub session: Option<Cow<'a, str>>,
    pub agent: Option<Cow<'a, str>>,
    pub shown: Option<Vec<Cow<'a, str>>>,
    pub teams: Option<Vec<Option<Cow<'a, str>>>>,
    pub rankers: Option<Vec<Cow<'a, str>>>,
    pub receipt: Option<RowReceipt<'a>>,
}

/// A click, or another event, as a row.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(missing_docs, reason = "the columns of files, which the README lists")]
pub struct ClickRow<'a> {
    pub impression: Option<Cow<'a, str>>,
    pub document: Option<Cow<'a, str>>,
    pub time: Option<RowTime<'a>>,
    /// Seconds.
    pub dwell: Option<f64>,
    pub action: Option<Cow<'a, str>>,
}

impl<'a> ImpressionRow<'a> {
    /// The impression.
    ///
    /// # Errors
    /// What is wrong with the row.
    pub fn read(self, settings: &Settings) -> Result<Impression<'a>, Malformed> {
        let id = present(self.impression).ok_or_else(|| missing("`impression`"))?;
        let time = moment(self.time, settings)?;
        let unit = match settings.unit {
            UnitKind::User => present(self.user),
            UnitKind::Session => present(self.session),
            UnitKind::Impression => Some(id.clone()),
        };
        let shown = self.shown.ok_or_else(|| missing("`shown`"))?;
        check_shown(&shown)?;
        let receipt = self.receipt.map(|receipt| match receipt {
            RowReceipt::Bytes(bytes) => Ok(ReceiptText::Bytes(bytes.to_vec())),
            RowReceipt::Text(text) if text.starts_with('{') => {
                serde_json::from_str(&text).map(ReceiptText::Object).map_err(|error| Malformed::json(&error))
            }
            RowReceipt::Text(text) => Ok(ReceiptText::Text(text)),
        });
        let mixed = mixed(shown.len(), self.teams, receipt.transpose()?, self.rankers)?;
        Ok(Impression { id, time, unit, agent: self.agent, shown, mixed })
    }
}

impl<'a> ClickRow<'a> {
    /// The click or other event.
    ///
    /// # Errors
    /// What is wrong with the row.
    pub fn read(self, settings: &Settings) -> Result<Event<'a>, Malformed> {
        if self.action.is_some_and(|action| !settings.actions.iter().any(|name| *name == action)) {
            return Ok(Event::Other);
        }
        let impression = present(self.impression).ok_or_else(|| missing("`impression`"))?;
        let document = present(self.document).ok_or_else(|| missing("`document`"))?;
        let time = moment(self.time, settings)?;
        Ok(Event::Click(Click { impression, document, time, dwell: self.dwell.map(dwell).transpose()? }))
    }
}

fn moment(found: Option<RowTime<'_>>, settings: &Settings) -> Result<i64, Malformed> {
    let found = match found {
        Some(RowTime::Utc(time)) => return Ok(time),
        // Without a zone, and so read or refused as text without one is.
        Some(RowTime::Local(local)) => Some(Moment::Text(time::text(local).trim_end_matches('Z').to_owned().into())),
        Some(RowTime::Text(text)) => Some(Moment::Text(text)),
        Some(RowTime::Number(number)) => Some(Moment::Number(number)),
        None => None,
    };
    time(found, settings.zone, "`time`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Zone;

    fn text(text: &str) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(text))
    }

    #[test]
    fn rows_are_read_as_lines_are() {
        let settings = Settings { zone: Zone::parse("+01:00").unwrap(), ..Settings::default() };
        let shown = ["d1", "d2"].map(Cow::Borrowed).to_vec();
        let line = r#"{"impression": "a", "time": "2026-11-23T16:04:05", "user": "u", "shown": ["d1", "d2"],
            "teams": ["A", null], "rankers": ["A", "B"]}"#;
        let expected = super::super::impression(line, None, &settings).unwrap();
        let milliseconds = 1_795_446_245_000;
        for time in [
            RowTime::Text("2026-11-23T16:04:05".into()),
            RowTime::Number(1_795_446_245.0),
            RowTime::Utc(milliseconds),
            RowTime::Local(milliseconds + 3_600_000),
        ] {
            let row = ImpressionRow {
                impression: text("a"),
                time: Some(time),
                user: text("u"),
                shown: Some(shown.clone()),
                teams: Some(vec![text("A"), None]),
                rankers: Some(["A", "B"].map(Cow::Borrowed).to_vec()),
                ..ImpressionRow::default()
            };
            assert_eq!(row.read(&settings).unwrap(), expected);
        }
    }

    #[test]
    fn what_a_row_lacks_is_named() {
        let settings = Settings::default();
        let row = ImpressionRow { impression: text(""), ..ImpressionRow::default() };
        assert!(row.read(&settings).unwrap_err().message.contains("`impression`"));
        let row = ImpressionRow { impression: text("a"), time: Some(RowTime::Local(0)), ..ImpressionRow::default() };
        assert!(row.read(&settings).unwrap_err().message.contains("--timezone"));
        let row = ClickRow { impression: text("a"), time: Some(RowTime::Utc(0)), ..ClickRow::default() };
        assert!(row.clone().read(&settings).unwrap_err().message.contains("`document`"));
        let other = ClickRow { action: text("scroll"), ..row };
        assert_eq!(other.read(&settings).unwrap(), Event::Other);
    }
}
