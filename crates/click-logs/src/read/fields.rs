//! The fields of a line in any format and under any name; and what follows from them. Two names for one field must agree, or
//! the line is refused: it is unknown which of them is meant.

use std::borrow::Cow;

use ranktypes::text::excerpt;
use times::{Zone, check_plausible, not_a_time, time_from_number};

use super::lists::{self, ListSeparator};
use super::names::{Field, LineKind};
use super::response::ResponseHit;
use super::text::ReceiptText;
use super::value::{Moment, Value, dwell_error, missing_field_error, present, type_error};
use crate::error::LineError;

/// A value with the name of the field that had it.
pub(super) type NamedValue<T> = Option<(&'static str, T)>;

/// The number of fields with ids as values.
const TEXTS: usize = 12;

/// The fields of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LineFields<'a> {
    kind: LineKind,
    separated: ListSeparator,
    texts: [NamedValue<Cow<'a, str>>; TEXTS],
    /// Whether the line has a place for the id of an impression, for a document, and for the list: it may be empty.
    places: [bool; 3],
    times: [NamedValue<Moment<'a>>; 2],
    /// By [`list_place`].
    lists: [NamedValue<Vec<Cow<'a, str>>>; LISTS],
    /// The number of places that the user saw.
    pub(super) paged: NamedValue<u64>,
    pub(super) teams: NamedValue<Vec<Option<Cow<'a, str>>>>,
    pub(super) receipt: NamedValue<ReceiptText<'a>>,
    /// Seconds.
    pub(super) dwell: NamedValue<f64>,
    /// Minor units.
    pub(super) value: NamedValue<i64>,
    pub(super) hits: NamedValue<Vec<ResponseHit<'a>>>,
    has_configuration: bool,
    has_count: bool,
    /// The fault of the first faulty field.
    wrong: Option<LineError>,
}

/// The place of an id among [`LineFields::texts`].
fn text_place(field: Field) -> usize {
    match field {
        Field::Impression => 0,
        Field::Document => 1,
        Field::User => 2,
        Field::Client => 3,
        Field::Session => 4,
        Field::Agent => 5,
        Field::Pairs => 6,
        Field::Experiment => 7,
        Field::Version => 8,
        Field::Currency => 9,
        Field::Order => 10,
        _ => 11,
    }
}

/// The number of fields with lists of values, none of them missing.
const LISTS: usize = 5;

/// The place of a list among [`LineFields::lists`].
fn list_place(field: Field) -> usize {
    match field {
        Field::Shown => 0,
        Field::Displayed => 1,
        Field::Mixed => 2,
        Field::Pinned => 3,
        _ => 4,
    }
}

/// The place of a field among [`LineFields::places`].
fn field_index(field: Field) -> Option<usize> {
    [Field::Impression, Field::Document, Field::Shown].iter().position(|known| *known == field)
}

impl<'a> LineFields<'a> {
    pub(super) fn new(kind: LineKind, separated: ListSeparator) -> Self {
        Self {
            kind,
            separated,
            texts: Default::default(),
            places: [false; 3],
            times: [None, None],
            lists: Default::default(),
            paged: None,
            teams: None,
            receipt: None,
            dwell: None,
            value: None,
            hits: None,
            has_configuration: false,
            has_count: false,
            wrong: None,
        }
    }

    pub(super) fn kind(&self) -> LineKind {
        self.kind
    }

    pub(super) fn list_separator(&self) -> ListSeparator {
        self.separated
    }

    /// Notes the fault of a field, unless there is an earlier one.
    pub(super) fn wrong(&mut self, malformed: LineError) {
        self.wrong.get_or_insert(malformed);
    }

    /// Reports the first fault, if there is one.
    pub(super) fn check(&mut self) -> Result<(), LineError> {
        self.wrong.take().map_or(Ok(()), Err)
    }

    /// Adds the value of a field.
    pub(super) fn add(&mut self, field: Field, name: &'static str, value: Value<'a>) {
        if let Err(malformed) = self.try_add(field, name, value) {
            self.wrong(malformed);
        }
    }

    fn try_add(&mut self, field: Field, name: &'static str, value: Value<'a>) -> Result<(), LineError> {
        match field {
            Field::Impression
            | Field::Document
            | Field::User
            | Field::Client
            | Field::Session
            | Field::Agent
            | Field::Pairs
            | Field::Experiment
            | Field::Version
            | Field::Currency
            | Field::Order
            | Field::Action => {
                self.has_place(field);
                let slot_index = text_place(field);
                let text = match value {
                    Value::Null => return Ok(()),
                    Value::Text(text) => text,
                    Value::Whole(number) => Cow::Owned(number.to_string()),
                    other_value => return Err(type_error(name, &other_value, "text or a whole number")),
                };
                let names_a_unit = matches!(field, Field::User | Field::Client | Field::Session);
                if text.is_empty() || names_a_unit && lists::is_no_unit(&text) {
                    return Ok(());
                }
                set_field(&mut self.texts[slot_index], name, text, |text| excerpt(text))
            }
            Field::Time => {
                let moment = match value {
                    Value::Null => return Ok(()),
                    Value::Text(text) => Moment::Text(text),
                    Value::Whole(number) => Moment::Number(number as f64),
                    Value::Number(number) => Moment::Number(number),
                    other_value => {
                        let expected_time = "a time such as \"2026-11-22T15:04:05Z\", or a number since 1970";
                        return Err(type_error(name, &other_value, expected_time));
                    }
                };
                self.add_time(name, moment)
            }
            Field::Shown | Field::Displayed | Field::Mixed | Field::Pinned | Field::Rankers => {
                let Some(list) = self.list(name, value)? else { return Ok(()) };
                set_field(&mut self.lists[list_place(field)], name, complete(list, name)?, entries_text)
            }
            Field::Paged => {
                let list_slots = match value {
                    Value::Null => return Ok(()),
                    Value::Text(text) if text.trim().is_empty() || lists::is_missing(text.trim()) => return Ok(()),
                    Value::Text(text) => text.trim().parse().ok().and_then(whole_number).ok_or(Value::Text(text)),
                    Value::Whole(number) => u64::try_from(number).map_err(|_| Value::Whole(number)),
                    Value::Number(number) => whole_number(number).ok_or(Value::Number(number)),
                    other_value => Err(other_value),
                };
                let expected_time = "a whole number: how many places of the page the user saw";
                let list_slots = list_slots.map_err(|list_value| type_error(name, &list_value, expected_time))?;
                set_field(&mut self.paged, name, list_slots, u64::to_string)
            }
            Field::Teams => {
                let Some(list) = self.list(name, value)? else { return Ok(()) };
                let list = list.into_iter().map(present).collect();
                set_field(&mut self.teams, name, list, |list| teams_text(list))
            }
            Field::Receipt => {
                let receipt = match value {
                    Value::Null => return Ok(()),
                    Value::Text(text) if text.trim().is_empty() => return Ok(()),
                    Value::Text(text) if text.trim_start().starts_with('{') => {
                        let value = serde_json::from_str(&text).map_err(|error| {
                            LineError::new(format!("`{name}` is not JSON: {error}; expected a receipt"))
                        })?;
                        ReceiptText::Object(value)
                    }
                    Value::Text(text) => ReceiptText::Text(text),
                    Value::Receipt(receipt) => receipt,
                    other_value => {
                        let expected_time = "a receipt: an object, or its bytes in base64 or hexadecimal";
                        return Err(type_error(name, &other_value, expected_time));
                    }
                };
                set_field(&mut self.receipt, name, receipt, |_| "another receipt".to_owned())
            }
            Field::Dwell => {
                let seconds = match value {
                    Value::Null => return Ok(()),
                    Value::Whole(number) => number as f64,
                    Value::Number(number) => number,
                    Value::Text(text) if text.trim().is_empty() || lists::is_missing(text.trim()) => return Ok(()),
                    Value::Text(text) => {
                        let seconds = text.trim().parse().ok().filter(|seconds: &f64| seconds.is_finite());
                        seconds.ok_or_else(|| dwell_error(&excerpt(&text)))?
                    }
                    other_value => return Err(type_error(name, &other_value, "a number of seconds")),
                };
                set_field(&mut self.dwell, name, seconds, f64::to_string)
            }
            Field::Value => {
                let expected_time = "a whole number of minor units, such as cents: 1250 for 12.50";
                let list_value = match value {
                    Value::Null => return Ok(()),
                    Value::Text(text) if text.trim().is_empty() || lists::is_missing(text.trim()) => return Ok(()),
                    Value::Text(text) => text.trim().parse().ok().and_then(minor_units).ok_or(Value::Text(text)),
                    Value::Whole(number) => minor_units(number as f64).ok_or(Value::Whole(number)),
                    Value::Number(number) => minor_units(number).ok_or(Value::Number(number)),
                    other_value => Err(other_value),
                };
                let list_value = list_value.map_err(|list_value| type_error(name, &list_value, expected_time))?;
                set_field(&mut self.value, name, list_value, i64::to_string)
            }
            Field::Hits | Field::Documents => match value {
                Value::Null => Ok(()),
                Value::Hits(hits) => set_field(&mut self.hits, name, hits, |hits| format!("{} documents", hits.len())),
                other_value => Err(type_error(name, &other_value, "the list of hits of a response")),
            },
            Field::SearchConfiguration => {
                self.has_configuration |= value != Value::Null;
                Ok(())
            }
            Field::Count => {
                self.has_count |= value != Value::Null;
                Ok(())
            }
        }
    }

    /// Adds a time.
    pub(super) fn add_time(&mut self, name: &'static str, moment: Moment<'a>) -> Result<(), LineError> {
        let place = usize::from(self.times[0].as_ref().is_some_and(|(other, _)| *other != name));
        set_field(&mut self.times[place], name, moment, |moment| match moment {
            Moment::Text(text) => excerpt(text),
            Moment::Number(number) => number.to_string(),
            Moment::Known(time) => times::text(*time),
        })
    }

    /// Notes that the line has a place for this field, filled or not.
    pub(super) fn has_place(&mut self, field: Field) {
        if let Some(place) = field_index(field) {
            self.places[place] = true;
        }
    }

    fn list(&self, name: &'static str, value: Value<'a>) -> Result<Option<Vec<Option<Cow<'a, str>>>>, LineError> {
        match value {
            Value::Null => Ok(None),
            Value::List(list) => Ok(Some(list)),
            Value::Text(text) => lists::entries(text, name, self.separated, name.ends_with("teams")),
            other => Err(type_error(name, &other, "a list of text or whole numbers")),
        }
    }

    /// Adds the fields of another part of the line.
    pub(super) fn merge(&mut self, other: LineFields<'a>) {
        let added = self.try_merge(other);
        if let Err(malformed) = added {
            self.wrong(malformed);
        }
    }

    fn try_merge(&mut self, mut other_fields: LineFields<'a>) -> Result<(), LineError> {
        other_fields.check()?;
        for (place, is_there) in self.places.iter_mut().zip(other_fields.places) {
            *place |= is_there;
        }
        for (text, other_fields) in self.texts.iter_mut().zip(other_fields.texts) {
            if let Some((name, other_fields)) = other_fields {
                set_field(text, name, other_fields, |text| excerpt(text))?;
            }
        }
        for (name, time) in other_fields.times.into_iter().flatten() {
            self.add_time(name, time)?;
        }
        for (list, other_fields) in self.lists.iter_mut().zip(other_fields.lists) {
            if let Some((name, other_fields)) = other_fields {
                set_field(list, name, other_fields, entries_text)?;
            }
        }
        if let Some((name, places)) = other_fields.paged {
            set_field(&mut self.paged, name, places, u64::to_string)?;
        }
        if let Some((name, list)) = other_fields.teams {
            set_field(&mut self.teams, name, list, |list| teams_text(list))?;
        }
        if let Some((name, receipt)) = other_fields.receipt {
            set_field(&mut self.receipt, name, receipt, |_| "another receipt".to_owned())?;
        }
        if let Some((name, dwell)) = other_fields.dwell {
            set_field(&mut self.dwell, name, dwell, f64::to_string)?;
        }
        if let Some((name, value)) = other_fields.value {
            set_field(&mut self.value, name, value, i64::to_string)?;
        }
        if let Some((name, hits)) = other_fields.hits {
            set_field(&mut self.hits, name, hits, |hits| format!("{} documents", hits.len()))?;
        }
        self.has_configuration |= other_fields.has_configuration;
        self.has_count |= other_fields.has_count;
        Ok(())
    }

    /// The same fields, with copies of all text.
    pub(super) fn into_owned<'b>(self) -> LineFields<'b> {
        fn into_static<'b>(text: Cow<'_, str>) -> Cow<'b, str> {
            Cow::Owned(text.into_owned())
        }
        let owned_list = |list: Vec<Cow<'_, str>>| list.into_iter().map(into_static).collect();
        LineFields {
            kind: self.kind,
            separated: self.separated,
            texts: self.texts.map(|text| text.map(|(name, text)| (name, into_static(text)))),
            places: self.places,
            times: self.times.map(|time| {
                time.map(|(name, moment)| {
                    let moment = match moment {
                        Moment::Text(text) => Moment::Text(into_static(text)),
                        Moment::Number(number) => Moment::Number(number),
                        Moment::Known(time) => Moment::Known(time),
                    };
                    (name, moment)
                })
            }),
            lists: self.lists.map(|list| list.map(|(name, list)| (name, owned_list(list)))),
            paged: self.paged,
            teams: self.teams.map(|(name, list)| (name, list.into_iter().map(|team| team.map(into_static)).collect())),
            receipt: self.receipt.map(|(name, receipt)| (name, receipt.into_owned())),
            dwell: self.dwell,
            value: self.value,
            hits: self.hits.map(|(name, hits)| (name, hits.into_iter().map(ResponseHit::into_owned).collect())),
            has_configuration: self.has_configuration,
            has_count: self.has_count,
            wrong: self.wrong,
        }
    }

    /// Takes the id in this field; `None` if the line has none or an empty one.
    pub(super) fn take_text(&mut self, field: Field) -> Option<Cow<'a, str>> {
        self.texts[text_place(field)].take().map(|(_, text)| text)
    }

    /// Whether the line has an id in this field.
    pub(super) fn has_text(&self, field: Field) -> bool {
        self.texts[text_place(field)].is_some()
    }

    /// Whether the line has a place for the id of an impression, a document or (in CSV) the list, filled or not.
    pub(super) fn is_place(&self, field: Field) -> bool {
        field_index(field).is_some_and(|place| self.places[place])
    }

    /// The time, in milliseconds since 1970.
    pub(super) fn take_time(&mut self, zone: Zone) -> Result<i64, LineError> {
        let mut first_time: NamedValue<i64> = None;
        for (name, moment) in std::mem::take(&mut self.times).into_iter().flatten() {
            let time = match moment {
                Moment::Text(text) => zone.time(&text).map_err(LineError::new)?,
                Moment::Number(number) => {
                    time_from_number(number).ok_or_else(|| LineError::new(not_a_time(number, &number.to_string())))?
                }
                Moment::Known(time) => check_plausible(time).map_err(LineError::new)?,
            };
            set_field(&mut first_time, name, time, |time| times::text(*time))?;
        }
        first_time.map(|(_, time)| time).ok_or_else(|| missing_field_error("`time` (or `timestamp`)"))
    }

    /// A list with a value for every entry: not teams.
    pub(super) fn take_list(&mut self, field: Field) -> Option<Vec<Cow<'a, str>>> {
        self.lists[list_place(field)].take().map(|(_, list)| list)
    }

    pub(super) fn has_shown(&self) -> bool {
        self.lists[list_place(Field::Shown)].is_some()
    }

    /// Whether it is a click that an A/B test of OpenSearch stored.
    pub(super) fn is_stored_ab_click(&self) -> bool {
        self.has_configuration && self.has_count
    }
}

/// Makes a value that of a field, if it has none or the same.
fn set_field<T: PartialEq>(
    slot: &mut NamedValue<T>,
    name: &'static str,
    value: T,
    shown: impl Fn(&T) -> String,
) -> Result<(), LineError> {
    match slot {
        None => {
            *slot = Some((name, value));
            Ok(())
        }
        Some((_, earlier)) if *earlier == value => Ok(()),
        Some((first, earlier)) if *first == name => {
            let message = format!("`{name}` is there twice: {}, and {}; write it once", shown(earlier), shown(&value));
            Err(LineError::new(message))
        }
        Some((first, earlier)) => Err(LineError::new(format!(
            "`{first}` is {}, but `{name}`, which stands for the same, is {}; leave one of them out",
            shown(earlier),
            shown(&value)
        ))),
    }
}

fn entries_text(list: &Vec<Cow<'_, str>>) -> String {
    excerpt(&list.join(" "))
}

fn teams_text(list: &[Option<Cow<'_, str>>]) -> String {
    excerpt(&list.iter().map(|team| team.as_deref().unwrap_or("null")).collect::<Vec<_>>().join(" "))
}

/// A whole number from 0 up. Tables keep such numbers with a point where some are missing.
fn whole_number(number: f64) -> Option<u64> {
    ((0.0..1e9).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

/// A whole number of minor units, of either sign. Tables keep such numbers with a point where some are missing.
fn minor_units(number: f64) -> Option<i64> {
    const MAX_AMOUNT: f64 = 1e12;
    (number.abs() <= MAX_AMOUNT && number.fract() == 0.0).then_some(number as i64)
}

/// A list with a value in every entry, as its column `name` must be; blanks are none.
///
/// # Errors
/// If an entry has none.
pub fn complete<'a>(list: Vec<Option<Cow<'a, str>>>, name: &str) -> Result<Vec<Cow<'a, str>>, LineError> {
    let value = |entry: Option<Cow<'a, str>>| entry.filter(|text| !text.trim_ascii().is_empty());
    let complete = list.into_iter().map(value).collect::<Option<Vec<_>>>();
    complete.ok_or_else(|| LineError::new(format!("`{name}` has an entry without a value; leave it out")))
}
