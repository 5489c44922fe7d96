//! The fields of a line of JSON: an object with [`names`](super::names) as keys, nested or flat. An object may also be JSON in a
//! string, as exports and tables keep it.

use std::borrow::Cow;
use std::fmt;

use ranktypes::text::excerpt;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::fields::LineFields;
use super::lists::ListSeparator;
use super::names::{Container, Field, LineKind, Slot, slot};
use super::response::ResponseHit;
use super::text::ReceiptText;
use super::value::Value;
use crate::error::LineError;

/// The fields of a line.
///
/// # Errors
/// If it is not an object of JSON. Faults of fields are kept with the fields.
pub(super) fn fields(line: &str, kind: LineKind) -> Result<LineFields<'_>, LineError> {
    let mut fields = LineFields::new(kind, ListSeparator::Never);
    let Err(error) = read(line, Container::Line, "", &mut fields, Cow::Borrowed) else { return Ok(fields) };
    // Python writes missing values as `NaN`.
    let without_nan = letor_io::nan_as_null(line).ok_or_else(|| LineError::json(&error))?;
    let mut fields = LineFields::new(kind, ListSeparator::Never);
    read(&without_nan, Container::Line, "", &mut fields, |text| Cow::Owned(text.to_owned()))
        .map_err(|error| LineError::json(&error))?;
    Ok(fields.into_owned())
}

/// Adds the fields of an object in text, which is called `name`.
pub(super) fn add_object(text: Cow<'_, str>, container: Container, name: &'static str, target: &mut LineFields<'_>) {
    let trimmed_text = text.trim();
    if trimmed_text.is_empty() || super::lists::is_missing(trimmed_text) {
        return;
    }
    if !trimmed_text.starts_with('{') {
        if !may_be_other(container) || trimmed_text.starts_with('[') && container != Container::Document {
            target.wrong(not_an_object(name, &format!("the text {}", excerpt(trimmed_text))));
        }
        return;
    }
    let mut inner = LineFields::new(target.kind(), target.list_separator());
    match read(trimmed_text, container, name, &mut inner, |text| Cow::Owned(text.to_owned())) {
        Ok(()) => target.merge(inner.into_owned()),
        Err(error) => {
            let reason = LineError::json(&error).message;
            let reason = reason.split(';').next().unwrap_or(&reason).to_owned();
            target.wrong(LineError::new(format!("`{name}` is {}, which is not JSON: {reason}", excerpt(trimmed_text))));
        }
    }
}

/// Adds the value of one field in text of JSON.
pub(super) fn hits_of_text(text: &str, field: Field) -> Option<Value<'static>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let keep = |text: &str| Cow::Owned(text.to_owned());
    let value = FieldValueSeed { field, keep }.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    matches!(value, Value::Hits(_)).then_some(value)
}

fn read<'de, 'a>(
    text: &'de str,
    container: Container,
    name: &'static str,
    to: &mut LineFields<'a>,
    keep: fn(&'de str) -> Cow<'a, str>,
) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    ObjectSeed { to, within: container, name, keep }.deserialize(&mut deserializer)?;
    deserializer.end()
}

/// Whether other logs use an object's name for something else, such as the number of hits: then it is skipped.
pub(super) fn may_be_other(within: Container) -> bool {
    use Container as C;
    matches!(within, C::Document | C::Response | C::Hits | C::Extension | C::Ubi)
}

fn not_an_object(name: &str, found: &str) -> LineError {
    let expected = match name {
        "event_attributes.object" => "an object with `object_id`: one click is on one document",
        _ => "an object, or its JSON as text",
    };
    LineError::new(format!("`{name}` is {found}; expected {expected}"))
}

/// The name of a list in errors.
const LIST: &str = "a list";

/// An object with fields to be read.
struct ObjectSeed<'f, 'a, 'de> {
    to: &'f mut LineFields<'a>,
    within: Container,
    name: &'static str,
    keep: fn(&'de str) -> Cow<'a, str>,
}

impl ObjectSeed<'_, '_, '_> {
    /// Refuses a value that is not an object.
    fn refuse<E: Error>(self, value_found: &str) -> Result<(), E> {
        if self.name.is_empty() {
            return Err(E::custom(format_args!("expected an object, found {value_found}")));
        }
        let is_list = value_found == LIST && self.within != Container::Document;
        if is_list || !may_be_other(self.within) {
            self.to.wrong(not_an_object(self.name, value_found));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for ObjectSeed<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ObjectSeed<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { to, within, keep, .. } = self;
        while let Some(found) = map.next_key_seed(KeySeed { kind: to.kind(), within })? {
            match found {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(Slot::Object(within, name)) => {
                    map.next_value_seed(ObjectSeed { to: &mut *to, within, name, keep })?
                }
                Some(Slot::Field(field, name)) => {
                    let value = map.next_value_seed(FieldValueSeed { field, keep })?;
                    to.add(field, name, value);
                }
            }
        }
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        if self.name.is_empty() { self.refuse("null") } else { Ok(()) }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if self.name.is_empty() {
            return self.refuse(&format!("the text {}", excerpt(text)));
        }
        add_object(Cow::Borrowed(text), self.within, self.name, self.to);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        self.refuse(LIST)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.refuse(&value.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.refuse(&format!("the number {number}"))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.refuse(&format!("the number {number}"))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.refuse(&format!("the number {number}"))
    }
}

/// A key, as its meaning.
struct KeySeed {
    kind: LineKind,
    within: Container,
}

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Option<Slot>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = Option<Slot>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(slot(self.kind, self.within, key))
    }
}

/// The value of a field.
struct FieldValueSeed<'a, 'de> {
    field: Field,
    keep: fn(&'de str) -> Cow<'a, str>,
}

impl<'de, 'a> DeserializeSeed<'de> for FieldValueSeed<'a, 'de> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'a>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, 'a> Visitor<'de> for FieldValueSeed<'a, 'de> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value<'a>, E> {
        Ok(Value::Null)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Value<'a>, E> {
        match self.field {
            Field::Hits | Field::Documents => self.visit_str(text),
            _ => Ok(Value::Text((self.keep)(text))),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value<'a>, E> {
        let hits = match self.field {
            Field::Hits | Field::Documents => hits_of_text(text, self.field),
            _ => None,
        };
        Ok(hits.unwrap_or_else(|| Value::Text(Cow::Owned(text.to_owned()))))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value<'a>, E> {
        Ok(Value::Other(value.to_string()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value<'a>, E> {
        Ok(Value::Whole(number.into()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value<'a>, E> {
        Ok(Value::Whole(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value<'a>, E> {
        Ok(Value::Number(number))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value<'a>, A::Error> {
        let Self { field, keep } = self;
        match field {
            Field::Shown | Field::Displayed | Field::Mixed | Field::Pinned | Field::Teams | Field::Rankers => {
                let mut entries = Vec::with_capacity(list.size_hint().unwrap_or(16));
                let mut strange = None;
                while let Some(entry) = list.next_element_seed(FieldValueSeed { field: Field::Impression, keep })? {
                    match entry {
                        Value::Null => entries.push(None),
                        Value::Text(text) => entries.push(Some(text)),
                        Value::Whole(number) => entries.push(Some(Cow::Owned(number.to_string()))),
                        Value::Number(number) => {
                            strange.get_or_insert(format!("a list with the number {number:?}"));
                        }
                        Value::Other(what) => {
                            strange.get_or_insert(format!("a list with {what}"));
                        }
                        _ => {
                            strange.get_or_insert("a list of other lists".to_owned());
                        }
                    }
                }
                Ok(strange.map_or(Value::List(entries), Value::Other))
            }
            Field::Hits | Field::Documents => {
                let mut hits = Vec::with_capacity(16);
                while let Some(hit) = list.next_element_seed(HitSeed { field, keep, number: hits.len() + 1 })? {
                    hits.push(hit);
                }
                let strange = hits.iter_mut().find_map(|hit: &mut ResponseHit<'_>| hit.wrong.take());
                Ok(strange.map_or_else(|| Value::Hits(hits), Value::Other))
            }
            _ => {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Value::Other(LIST.to_owned()))
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value<'a>, A::Error> {
        if self.field == Field::Receipt {
            let value = serde_json::Value::deserialize(MapAccessDeserializer::new(map))?;
            return Ok(Value::Receipt(ReceiptText::Object(value)));
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an object".to_owned()))
    }
}

/// A hit of a response.
struct HitSeed<'a, 'de> {
    field: Field,
    keep: fn(&'de str) -> Cow<'a, str>,
    /// Its place, from 1.
    number: usize,
}

/// The meaning of a key of a hit.
#[derive(Clone, Copy)]
enum HitKey {
    Id,
    Team,
    Other,
}

struct HitKeySeed(Field);

impl<'de> DeserializeSeed<'de> for HitKeySeed {
    type Value = HitKey;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<HitKey, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for HitKeySeed {
    type Value = HitKey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<HitKey, E> {
        Ok(match (self.0, key) {
            (Field::Hits, "_id") | (Field::Documents, "id") => HitKey::Id,
            (Field::Hits, "_search_configuration" | "search_config") | (Field::Documents, "[interleaving]") => {
                HitKey::Team
            }
            _ => HitKey::Other,
        })
    }
}

impl<'de, 'a> DeserializeSeed<'de> for HitSeed<'a, 'de> {
    type Value = ResponseHit<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ResponseHit<'a>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, 'a> Visitor<'de> for HitSeed<'a, 'de> {
    type Value = ResponseHit<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a hit of a response: an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ResponseHit<'a>, A::Error> {
        let Self { field, keep, number } = self;
        let (id_name, mut hit) = (if field == Field::Hits { "_id" } else { "id" }, ResponseHit::default());
        let mut id = None;
        let text = |value| match value {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            Value::Whole(number) => Ok(Some(Cow::Owned(number.to_string()))),
            Value::Number(number) => Err(format!("the number {number:?}")),
            _ => Err("no text".to_owned()),
        };
        while let Some(key) = map.next_key_seed(HitKeySeed(field))? {
            let of_text = FieldValueSeed { field: Field::Impression, keep };
            let read = match key {
                HitKey::Other => map.next_value::<IgnoredAny>().map(|_| Ok(()))?,
                HitKey::Id => text(map.next_value_seed(of_text)?).map(|text| id = text),
                HitKey::Team => text(map.next_value_seed(of_text)?).and_then(|team| match (&hit.team, team) {
                    (_, None) => Ok(()),
                    (Some(there), Some(team)) if *there != team => Err(format!("two owners, {there} and {team}")),
                    (_, team) => {
                        hit.team = team;
                        Ok(())
                    }
                }),
            };
            if let Err(found) = read {
                hit.wrong.get_or_insert(format!("a list whose hit {number} has {found}"));
            }
        }
        match id {
            Some(id) => hit.id = id,
            None => {
                hit.wrong.get_or_insert(format!("a list whose hit {number} has no `{id_name}`"));
            }
        }
        Ok(hit)
    }
}
