//! Lines that are already rows of a table, such as those of a data frame or of Spark: the same fields, rules and errors as in
//! files.

use std::borrow::Cow;

use times as time;

use super::event::{Event, dwell, event_of_fields};
use super::fields::LineFields;
use super::impression::impression_of_fields;
use super::json::add_object;
use super::lists::ListSeparator;
use super::names::{Container, Field, LineKind};
use super::text::ReceiptText;
use super::value::{Moment, Value};
use crate::error::LineError;
use crate::model::{Click, Impression, Settings};

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

/// An impression as a row; fields that the table lacks are `None`.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(missing_docs, reason = "the columns of files, which the README lists")]
pub struct ImpressionRow<'a> {
    pub impression: Option<Cow<'a, str>>,
    pub time: Option<RowTime<'a>>,
    pub user: Option<Cow<'a, str>>,
    pub session: Option<Cow<'a, str>>,
    pub agent: Option<Cow<'a, str>>,
    pub pairs: Option<Cow<'a, str>>,
    pub experiment: Option<Cow<'a, str>>,
    pub version: Option<Cow<'a, str>>,
    pub shown: Option<Vec<Cow<'a, str>>>,
    pub mixed: Option<Vec<Cow<'a, str>>>,
    pub pinned: Option<Vec<Cow<'a, str>>>,
    /// A whole number, as tables with missing ones keep it.
    pub paged: Option<f64>,
    pub teams: Option<Vec<Option<Cow<'a, str>>>>,
    pub rankers: Option<Vec<Cow<'a, str>>>,
    pub receipt: Option<RowReceipt<'a>>,
    /// Other columns with names of logs, as a JSON object in text: nested fields, and second names of fields above.
    pub more: Option<Cow<'a, str>>,
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
    /// As [`ImpressionRow::more`].
    pub more: Option<Cow<'a, str>>,
}

impl<'a> ImpressionRow<'a> {
    /// The impression.
    ///
    /// # Errors
    /// The fault in the row.
    pub fn read(self, settings: &Settings) -> Result<Impression<'a>, LineError> {
        let mut fields = LineFields::new(LineKind::Impressions, ListSeparator::Never);
        let texts = [
            (Field::Impression, "impression", self.impression),
            (Field::User, "user", self.user),
            (Field::Session, "session", self.session),
            (Field::Agent, "agent", self.agent),
            (Field::Pairs, "pairs", self.pairs),
            (Field::Experiment, "experiment", self.experiment),
            (Field::Version, "version", self.version),
        ];
        add_texts(&mut fields, texts);
        add_time(&mut fields, self.time)?;
        let all = |list: Vec<Cow<'a, str>>| Value::List(list.into_iter().map(Some).collect());
        fields.add(Field::Shown, "shown", self.shown.map_or(Value::Null, all));
        fields.add(Field::Mixed, "mixed", self.mixed.map_or(Value::Null, all));
        fields.add(Field::Pinned, "pinned", self.pinned.map_or(Value::Null, all));
        // Many tables write unknown values as not a number.
        let paged = self.paged.filter(|places| !places.is_nan());
        fields.add(Field::Paged, "paged", paged.map_or(Value::Null, Value::Number));
        fields.add(Field::Teams, "teams", self.teams.map_or(Value::Null, Value::List));
        fields.add(Field::Rankers, "rankers", self.rankers.map_or(Value::Null, all));
        let receipt = match self.receipt {
            Some(RowReceipt::Bytes(bytes)) => Value::Receipt(ReceiptText::Bytes(bytes.to_vec())),
            Some(RowReceipt::Text(text)) => Value::Text(text),
            None => Value::Null,
        };
        fields.add(Field::Receipt, "receipt", receipt);
        add_more(&mut fields, self.more);
        impression_of_fields(fields, settings)
    }
}

impl<'a> ClickRow<'a> {
    /// The click or other event.
    ///
    /// # Errors
    /// The fault in the row.
    pub fn read(self, settings: &Settings) -> Result<Event<'a>, LineError> {
        if let Some(click) = self.usual_click(settings) {
            return Ok(Event::Click(click));
        }
        let mut fields = LineFields::new(LineKind::Clicks, ListSeparator::Never);
        let texts = [
            (Field::Action, "action_name", self.action),
            (Field::Impression, "impression", self.impression),
            (Field::Document, "document", self.document),
        ];
        add_texts(&mut fields, texts);
        add_time(&mut fields, self.time)?;
        // Many tables write unknown values as not a number.
        let dwell = self.dwell.filter(|seconds| !seconds.is_nan());
        fields.add(Field::Dwell, "dwell", dwell.map_or(Value::Null, Value::Number));
        add_more(&mut fields, self.more);
        event_of_fields(fields, settings)
    }

    /// The click of a row that has all it needs and nothing else to be looked at, which most have.
    fn usual_click(&self, settings: &Settings) -> Option<Click<'a>> {
        if self.action.is_some() || self.more.is_some() {
            return None;
        }
        let named = |text: &Option<Cow<'a, str>>| text.clone().filter(|text| !text.is_empty());
        let time = match self.time.as_ref()? {
            RowTime::Utc(time) => time::check_plausible(*time).ok()?,
            RowTime::Number(number) => time::time_from_number(*number)?,
            RowTime::Text(text) => settings.zone.time(text).ok()?,
            RowTime::Local(_) => return None,
        };
        let dwell = match self.dwell.filter(|seconds| !seconds.is_nan()) {
            Some(seconds) => Some(dwell(seconds).ok()?),
            None => None,
        };
        Some(Click { impression: named(&self.impression)?, document: named(&self.document)?, time, dwell })
    }
}

fn add_texts<'a, const N: usize>(fields: &mut LineFields<'a>, texts: [(Field, &'static str, Option<Cow<'a, str>>); N]) {
    for (field, name, text) in texts {
        fields.add(field, name, text.map_or(Value::Null, Value::Text));
    }
}

fn add_time<'a>(fields: &mut LineFields<'a>, found: Option<RowTime<'a>>) -> Result<(), LineError> {
    let moment = match found {
        Some(RowTime::Utc(time)) => Moment::Known(time),
        // Without a zone, and so read or refused as text without one is.
        Some(RowTime::Local(local)) => Moment::Text(time::text(local).trim_end_matches('Z').to_owned().into()),
        Some(RowTime::Text(text)) => Moment::Text(text),
        Some(RowTime::Number(number)) => Moment::Number(number),
        None => return Ok(()),
    };
    fields.add_time("time", moment)
}

fn add_more(fields: &mut LineFields<'_>, more: Option<Cow<'_, str>>) {
    if let Some(more) = more {
        add_object(more, Container::Line, "the row", fields);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use times::Zone;

    fn text(text: &str) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(text))
    }

    #[test]
    fn rows_are_read_as_lines_are() {
        let settings = Settings { zone: Zone::parse("+01:00").unwrap(), ..Settings::default() };
        let shown = ["d1", "d2"].map(Cow::Borrowed).to_vec();
        let line = r#"{"impression": "a", "time": "2026-11-23T16:04:05", "user": "u", "shown": ["d1", "d2"],
            "teams": ["A", null], "rankers": ["A", "B"]}"#;
        let expected = super::super::impression(line, None, &settings).unwrap().unwrap();
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
        let row = ImpressionRow {
            impression: text("a"),
            time: Some(RowTime::Local(1_795_000_000_000)),
            ..ImpressionRow::default()
        };
        assert!(row.read(&settings).unwrap_err().message.contains("--timezone"));
        let row =
            ClickRow { impression: text("a"), time: Some(RowTime::Utc(1_795_000_000_000)), ..ClickRow::default() };
        // A click on no document is one: it has a fate.
        let Event::Click(click) = row.clone().read(&settings).unwrap() else { panic!("{row:?}") };
        assert_eq!((&*click.impression, &*click.document, click.time), ("a", "", 1_795_000_000_000));
        let other = ClickRow { action: text("scroll"), ..row };
        assert_eq!(other.read(&settings).unwrap(), Event::Other("scroll".into()));
    }
}
