//! The fields of a line in any format and under any name; and what follows from them. Two names for one field must agree, or
//! the line is refused: it is unknown which of them is meant.

use std::borrow::Cow;

use ranktypes::text::excerpt;
use times::{Zone, check, not_a_time, time_from_number};

use super::lists::{self, Separated};
use super::names::{Field, Kind};
use super::response::Hit;
use super::text::ReceiptText;
use super::value::{Moment, Value, dwell_error, missing, present, unexpected};
use crate::error::Malformed;

/// A value with the name of the field that had it.
type Named<T> = Option<(&'static str, T)>;

/// The number of fields with ids as values.
const TEXTS: usize = 12;

/// The fields of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LineFields<'a> {
    kind: Kind,
    separated: Separated,
    texts: [Named<Cow<'a, str>>; TEXTS],
    /// Whether the line has a place for the id of an impression, for a document, and for the list: it may be empty.
    places: [bool; 3],
    times: [Named<Moment<'a>>; 2],
    /// By [`list_place`].
    lists: [Named<Vec<Cow<'a, str>>>; LISTS],
    paged: Named<u64>,
    teams: Named<Vec<Option<Cow<'a, str>>>>,
    receipt: Named<ReceiptText<'a>>,
    dwell: Named<f64>,
    value: Named<i64>,
    hits: Named<Vec<Hit<'a>>>,
    has_configuration: bool,
    has_count: bool,
    /// The fault of the first faulty field.
    wrong: Option<Malformed>,
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
fn place_of(field: Field) -> Option<usize> {
    [Field::Impression, Field::Document, Field::Shown].iter().position(|known| *known == field)
}

impl<'a> LineFields<'a> {
    pub(super) fn new(kind: Kind, separated: Separated) -> Self {
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

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn separated(&self) -> Separated {
        self.separated
    }

    /// Notes the fault of a field, unless there is an earlier one.
    pub(super) fn wrong(&mut self, malformed: Malformed) {
        self.wrong.get_or_insert(malformed);
    }

    /// Reports the first fault, if there is one.
    pub(super) fn check(&mut self) -> Result<(), Malformed> {
        self.wrong.take().map_or(Ok(()), Err)
    }

    /// Adds the value of a field.
    pub(super) fn add(&mut self, field: Field, name: &'static str, value: Value<'a>) {
        if let Err(malformed) = self.try_add(field, name, value) {
            self.wrong(malformed);
        }
    }

    fn try_add(&mut self, field: Field, name: &'static str, value: Value<'a>) -> Result<(), Malformed> {
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
                let place = text_place(field);
                let text = match value {
                    Value::Null => return Ok(()),
                    Value::Text(text) => text,
                    Value::Whole(number) => Cow::Owned(number.to_string()),
                    other => return Err(unexpected(name, &other, "text or a whole number")),
                };
                let names_a_unit = matches!(field, Field::User | Field::Client | Field::Session);
                if text.is_empty() || names_a_unit && lists::is_no_unit(&text) {
                    return Ok(());
                }
                set_field(&mut self.texts[place], name, text, |text| excerpt(text))
            }
            Field::Time => {
                let moment = match value {
                    Value::Null => return Ok(()),
                    Value::Text(text) => Moment::Text(text),
                    Value::Whole(number) => Moment::Number(number as f64),
                    Value::Number(number) => Moment::Number(number),
                    other => {
                        let expected = "a time such as \"2026-11-22T15:04:05Z\", or a number since 1970";
                        return Err(unexpected(name, &other, expected));
                    }
                };
                self.add_time(name, moment)
            }
            Field::Shown | Field::Displayed | Field::Mixed | Field::Pinned | Field::Rankers => {
                let Some(list) = self.list(name, value)? else { return Ok(()) };
                set_field(&mut self.lists[list_place(field)], name, complete(list, name)?, of_entries)
            }
            Field::Paged => {
                let places = match value {
                    Value::Null => return Ok(()),
                    Value::Text(text) if text.trim().is_empty() || lists::is_missing(text.trim()) => return Ok(()),
                    Value::Text(text) => text.trim().parse().ok().and_then(whole).ok_or(Value::Text(text)),
                    Value::Whole(number) => u64::try_from(number).map_err(|_| Value::Whole(number)),
                    Value::Number(number) => whole(number).ok_or(Value::Number(number)),
                    other => Err(other),
                };
                let expected = "a whole number: how many places of the page the user saw";
                let places = places.map_err(|found| unexpected(name, &found, expected))?;
                set_field(&mut self.paged, name, places, u64::to_string)
            }
            Field::Teams => {
                let Some(list) = self.list(name, value)? else { return Ok(()) };
                let list = list.into_iter().map(present).collect();
                set_field(&mut self.teams, name, list, |list| of_teams(list))
            }
            Field::Receipt => {
                let receipt = match value {
                    Value::Null => return Ok(()),
                    Value::Text(text) if text.trim().is_empty() => return Ok(()),
                    Value::Text(text) if text.trim_start().starts_with('{') => {
                        let value = serde_json::from_str(&text).map_err(|error| {
                            Malformed::new(format!("`{name}` is not JSON: {error}; expected a receipt"))
                        })?;
                        ReceiptText::Object(value)
                    }
                    Value::Text(text) => ReceiptText::Text(text),
                    Value::Receipt(receipt) => receipt,
                    other => {
                        let expected = "a receipt: an object, or its bytes in base64 or hexadecimal";
                        return Err(unexpected(name, &other, expected));
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
                    other => return Err(unexpected(name, &other, "a number of seconds")),
                };
                set_field(&mut self.dwell, name, seconds, f64::to_string)
            }
            Field::Value => {
                let expected = "a whole number of minor units, such as cents: 1250 for 12.50";
                let found = match value {
                    Value::Null => return Ok(()),
                    Value::Text(text) if text.trim().is_empty() || lists::is_missing(text.trim()) => return Ok(()),
                    Value::Text(text) => text.trim().parse().ok().and_then(minor_units).ok_or(Value::Text(text)),
                    Value::Whole(number) => minor_units(number as f64).ok_or(Value::Whole(number)),
                    Value::Number(number) => minor_units(number).ok_or(Value::Number(number)),
                    other => Err(other),
                };
                let found = found.map_err(|found| unexpected(name, &found, expected))?;
                set_field(&mut self.value, name, found, i64::to_string)
            }
            Field::Hits | Field::Documents => match value {
                Value::Null => Ok(()),
                Value::Hits(hits) => set_field(&mut self.hits, name, hits, |hits| format!("{} documents", hits.len())),
                other => Err(unexpected(name, &other, "the list of hits of a response")),
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
    pub(super) fn add_time(&mut self, name: &'static str, moment: Moment<'a>) -> Result<(), Malformed> {
        let place = usize::from(self.times[0].as_ref().is_some_and(|(other, _)| *other != name));
        set_field(&mut self.times[place], name, moment, |moment| match moment {
            Moment::Text(text) => excerpt(text),
            Moment::Number(number) => number.to_string(),
            Moment::Known(time) => times::text(*time),
        })
    }

    /// Notes that the line has a place for this field, filled or not.
    pub(super) fn has_place(&mut self, field: Field) {
        if let Some(place) = place_of(field) {
            self.places[place] = true;
        }
    }

    fn list(&self, name: &'static str, value: Value<'a>) -> Result<Option<Vec<Option<Cow<'a, str>>>>, Malformed> {
        match value {
            Value::Null => Ok(None),
            Value::List(list) => Ok(Some(list)),
            Value::Text(text) => lists::entries(text, name, self.separated, name.ends_with("teams")),
            other => Err(unexpected(name, &other, "a list of text or whole numbers")),
        }
    }

    /// Adds the fields of another part of the line.
    pub(super) fn merge(&mut self, other: LineFields<'a>) {
        let added = self.try_merge(other);
        if let Err(malformed) = added {
            self.wrong(malformed);
        }
    }

    fn try_merge(&mut self, mut other: LineFields<'a>) -> Result<(), Malformed> {
        other.check()?;
        for (place, is_there) in self.places.iter_mut().zip(other.places) {
            *place |= is_there;
        }
        for (text, other) in self.texts.iter_mut().zip(other.texts) {
            if let Some((name, other)) = other {
                set_field(text, name, other, |text| excerpt(text))?;
            }
        }
        for (name, time) in other.times.into_iter().flatten() {
            self.add_time(name, time)?;
        }
        for (list, other) in self.lists.iter_mut().zip(other.lists) {
            if let Some((name, other)) = other {
                set_field(list, name, other, of_entries)?;
            }
        }
        if let Some((name, places)) = other.paged {
            set_field(&mut self.paged, name, places, u64::to_string)?;
        }
        if let Some((name, list)) = other.teams {
            set_field(&mut self.teams, name, list, |list| of_teams(list))?;
        }
        if let Some((name, receipt)) = other.receipt {
            set_field(&mut self.receipt, name, receipt, |_| "another receipt".to_owned())?;
        }
        if let Some((name, dwell)) = other.dwell {
            set_field(&mut self.dwell, name, dwell, f64::to_string)?;
        }
        if let Some((name, value)) = other.value {
            set_field(&mut self.value, name, value, i64::to_string)?;
        }
        if let Some((name, hits)) = other.hits {
            set_field(&mut self.hits, name, hits, |hits| format!("{} documents", hits.len()))?;
        }
        self.has_configuration |= other.has_configuration;
        self.has_count |= other.has_count;
        Ok(())
    }

    /// The same fields, with copies of all text.
    pub(super) fn into_owned<'b>(self) -> LineFields<'b> {
        fn owned<'b>(text: Cow<'_, str>) -> Cow<'b, str> {
            Cow::Owned(text.into_owned())
        }
        let owned_list = |list: Vec<Cow<'_, str>>| list.into_iter().map(owned).collect();
        LineFields {
            kind: self.kind,
            separated: self.separated,
            texts: self.texts.map(|text| text.map(|(name, text)| (name, owned(text)))),
            places: self.places,
            times: self.times.map(|time| {
                time.map(|(name, moment)| {
                    let moment = match moment {
                        Moment::Text(text) => Moment::Text(owned(text)),
                        Moment::Number(number) => Moment::Number(number),
                        Moment::Known(time) => Moment::Known(time),
                    };
                    (name, moment)
                })
            }),
            lists: self.lists.map(|list| list.map(|(name, list)| (name, owned_list(list)))),
            paged: self.paged,
            teams: self.teams.map(|(name, list)| (name, list.into_iter().map(|team| team.map(owned)).collect())),
            receipt: self.receipt.map(|(name, receipt)| (name, receipt.into_owned())),
            dwell: self.dwell,
            value: self.value,
            hits: self.hits.map(|(name, hits)| (name, hits.into_iter().map(Hit::into_owned).collect())),
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
        place_of(field).is_some_and(|place| self.places[place])
    }

    /// The time, in milliseconds since 1970.
    pub(super) fn take_time(&mut self, zone: Zone) -> Result<i64, Malformed> {
        let mut found: Named<i64> = None;
        for (name, moment) in std::mem::take(&mut self.times).into_iter().flatten() {
            let time = match moment {
                Moment::Text(text) => zone.time(&text).map_err(Malformed::new)?,
                Moment::Number(number) => {
                    time_from_number(number).ok_or_else(|| Malformed::new(not_a_time(number, &number.to_string())))?
                }
                Moment::Known(time) => check(time).map_err(Malformed::new)?,
            };
            set_field(&mut found, name, time, |time| times::text(*time))?;
        }
        found.map(|(_, time)| time).ok_or_else(|| missing("`time` (or `timestamp`)"))
    }

    /// A list with a value for every entry: not teams.
    pub(super) fn take_list(&mut self, field: Field) -> Option<Vec<Cow<'a, str>>> {
        self.lists[list_place(field)].take().map(|(_, list)| list)
    }

    /// The number of places that the user saw.
    pub(super) fn take_paged(&mut self) -> Option<u64> {
        self.paged.take().map(|(_, places)| places)
    }

    pub(super) fn has_shown(&self) -> bool {
        self.lists[list_place(Field::Shown)].is_some()
    }

    pub(super) fn take_teams(&mut self) -> Named<Vec<Option<Cow<'a, str>>>> {
        self.teams.take()
    }

    pub(super) fn take_receipt(&mut self) -> Option<ReceiptText<'a>> {
        self.receipt.take().map(|(_, receipt)| receipt)
    }

    pub(super) fn take_hits(&mut self) -> Option<Vec<Hit<'a>>> {
        self.hits.take().map(|(_, hits)| hits)
    }

    /// Seconds.
    pub(super) fn take_dwell(&mut self) -> Option<f64> {
        self.dwell.take().map(|(_, seconds)| seconds)
    }

    /// Minor units.
    pub(super) fn take_value(&mut self) -> Option<i64> {
        self.value.take().map(|(_, value)| value)
    }

    /// Whether it is a click that an A/B test of OpenSearch stored.
    pub(super) fn is_stored_ab_click(&self) -> bool {
        self.has_configuration && self.has_count
    }
}

/// Makes a value that of a field, if it has none or the same.
fn set_field<T: PartialEq>(
    place: &mut Named<T>,
    name: &'static str,
    value: T,
    shown: impl Fn(&T) -> String,
) -> Result<(), Malformed> {
    match place {
        None => {
            *place = Some((name, value));
            Ok(())
        }
        Some((_, there)) if *there == value => Ok(()),
        Some((first, there)) if *first == name => {
            let message = format!("`{name}` is there twice: {}, and {}; write it once", shown(there), shown(&value));
            Err(Malformed::new(message))
        }
        Some((first, there)) => Err(Malformed::new(format!(
            "`{first}` is {}, but `{name}`, which stands for the same, is {}; leave one of them out",
            shown(there),
            shown(&value)
        ))),
    }
}

fn of_entries(list: &Vec<Cow<'_, str>>) -> String {
    excerpt(&list.join(" "))
}

fn of_teams(list: &[Option<Cow<'_, str>>]) -> String {
    excerpt(&list.iter().map(|team| team.as_deref().unwrap_or("null")).collect::<Vec<_>>().join(" "))
}

/// A whole number from 0 up. Tables keep such numbers with a point where some are missing.
fn whole(number: f64) -> Option<u64> {
    ((0.0..1e9).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

/// A whole number of minor units, of either sign. Tables keep such numbers with a point where some are missing.
fn minor_units(number: f64) -> Option<i64> {
    const MOST: f64 = 1e12;
    (number.abs() <= MOST && number.fract() == 0.0).then_some(number as i64)
}

/// A list with a value in every entry, as its column `name` must be; blanks are none.
///
/// # Errors
/// If an entry has none.
pub fn complete<'a>(list: Vec<Option<Cow<'a, str>>>, name: &str) -> Result<Vec<Cow<'a, str>>, Malformed> {
    let value = |entry: Option<Cow<'a, str>>| entry.filter(|text| !text.trim_ascii().is_empty());
    let complete = list.into_iter().map(value).collect::<Option<Vec<_>>>();
    complete.ok_or_else(|| Malformed::new(format!("`{name}` has an entry without a value; leave it out")))
}
