//! Sessions: a list that was shown and the clicks on it, in one line of JSON, as living labs publish and keep them. TREC OpenSearch has
//! the list `ranking`; feedback of STELLA has the object `clicks` with an entry for each place.
//!
//! Clicks of TREC OpenSearch have no time of their own; they have that of the session.
//!
//! ## References
//!
//! R. Jagerman, K. Balog and M. de Rijke. OpenSearch: Lessons Learned from an Online Evaluation Campaign. Journal of Data and Information
//! Quality 10(3), 2018, <https://doi.org/10.1145/3239575>. Data: <https://github.com/living-labs/trec-os-data>. STELLA:
//! <https://github.com/stella-project/stella-server>.

use std::borrow::Cow;

use ranktypes::text::excerpt;
use serde_json::{Map, Value};

use super::super::lists::is_no_unit;
use super::super::mixed_list::{ListFields, MixedList};
use super::super::value::missing_field_error;
use crate::error::LineError;
use crate::model::{Click, Impression, Settings, UnitKind};

/// A list that was shown, and the clicks on it.
#[derive(Debug)]
pub struct Session {
    /// The list. Its `session` is the unit of the analysis: its user is not known.
    pub impression: Impression<'static>,
    /// The clicks, top down.
    pub clicks: Vec<Click<'static>>,
}

/// The names of one form's fields.
struct Form {
    /// Under the first of these names that the line has.
    ids: [&'static str; 2],
    session: &'static str,
    time: &'static str,
    list: &'static str,
    team: &'static str,
    /// The names that it has for the rankers.
    rankers: [&'static str; 2],
}

const TREC_OPENSEARCH: Form = Form {
    ids: ["sid", "sid"],
    session: "sid",
    time: "time",
    list: "ranking",
    team: "team",
    rankers: ["participant", "site"],
};

const STELLA: Form = Form {
    ids: ["id", "feedback_id"],
    session: "session_id",
    time: "start",
    list: "clicks",
    team: "type",
    rankers: ["EXP", "BASE"],
};

/// The session in a line of JSON; `None` if the line is something else.
///
/// # Errors
/// The fault in the session.
pub fn session(line: &str, settings: &Settings) -> Result<Option<Session>, LineError> {
    let Some((form, line)) = recognise(line) else { return Ok(None) };
    form.read(&line, settings).map(Some)
}

/// Whether a line is a session.
pub(super) fn is_session(line: &str) -> bool {
    recognise(line).is_some()
}

fn recognise(line: &str) -> Option<(Form, Map<String, Value>)> {
    // Most lines are something else, and this is known before they are read a second time.
    let may_have = |name: &[u8]| memchr::memmem::find(line.as_bytes(), name).is_some();
    if !may_have(b"\"ranking\"") && !may_have(b"\"clicks\"") {
        return None;
    }
    let read = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    let line = read(line).or_else(|| read(&letor_io::nan_as_null(line)?))?;
    let has = |key: &str| line.contains_key(key);
    if has(TREC_OPENSEARCH.list) && !has("impression") && !has("query_id") {
        return Some((TREC_OPENSEARCH, line));
    }
    (has(STELLA.list) && has(STELLA.time) && !has("impression") && !has("query_id")).then_some((STELLA, line))
}

impl Form {
    fn read(&self, line: &Map<String, Value>, settings: &Settings) -> Result<Session, LineError> {
        let [id, other_ids] = self.ids;
        let id = text(line, id)?.or(text(line, other_ids)?).ok_or_else(|| missing_field_error(&quote(id)))?;
        let unit = match settings.unit {
            UnitKind::User => None,
            UnitKind::Session => text(line, self.session)?.filter(|id| !is_no_unit(id)),
            UnitKind::Impression => Some(id.clone()),
        };
        let of = |name: &str, value: &Value| time(name, value, settings);
        let time = of(self.time, line.get(self.time).unwrap_or(&Value::Null))?
            .ok_or_else(|| missing_field_error(&quote(self.time)))?;
        let agent = text(line, "agent")?;
        let entries = self.entries(line)?;
        let (mut shown_documents, mut teams, mut clicks) = (Vec::new(), Vec::new(), Vec::new());
        for (number, entry) in entries.iter().enumerate() {
            let wrong = |malformed: LineError| {
                LineError::new(format!("document {} of `{}`: {}", number + 1, self.list, malformed.message))
            };
            let document = text(entry, "docid")
                .map_err(wrong)?
                .ok_or_else(|| wrong(LineError::new("no `docid`, which names it")))?;
            let is_clicked = match entry.get("clicked") {
                None | Some(Value::Null | Value::Bool(false)) => false,
                Some(Value::Bool(true)) => true,
                Some(other_ids) => {
                    return Err(wrong(LineError::new(format!(
                        "`clicked` is {}; expected true or false",
                        value_excerpt(other_ids)
                    ))));
                }
            };
            if is_clicked {
                let moment = entry.get("date").map(|date| of("date", date)).transpose().map_err(wrong)?.flatten();
                let (impression, document) = (id.clone(), document.clone());
                clicks.push(Click { impression, document, time: moment.unwrap_or(time), dwell: None });
            }
            shown_documents.push(document);
            teams.push(text(entry, self.team).map_err(wrong)?);
        }
        // A list of one ranker alone has teams in some logs.
        let is_interleaved = match line.get("interleave") {
            None | Some(Value::Null | Value::Bool(true)) => true,
            Some(Value::Bool(false)) => false,
            Some(Value::String(text)) if text.eq_ignore_ascii_case("true") => true,
            Some(Value::String(text)) if text.eq_ignore_ascii_case("false") => false,
            Some(other_ids) => {
                return Err(LineError::new(format!(
                    "`interleave` is {}; expected true or false",
                    value_excerpt(other_ids)
                )));
            }
        };
        let is_mixed = is_interleaved && teams.iter().any(Option::is_some);
        let knows = |team: &Cow<'static, str>| self.rankers.contains(&&**team);
        let rankers = (is_mixed && teams.iter().flatten().all(knows)).then(|| self.rankers.map(Cow::Borrowed).to_vec());
        let list = ListFields {
            shown: Some(shown_documents),
            mixed: None,
            pinned: None,
            paged: None,
            teams: is_mixed.then_some(teams),
            receipt: None,
            rankers,
            experiment: None,
            version: None,
        };
        let MixedList { shown: shown_documents, oddities, version, mixed } = list.mixed_list()?;
        let impression =
            Impression { id, time, unit, agent, pairs: None, version, shown: shown_documents, oddities, mixed };
        Ok(Session { impression, clicks })
    }

    /// The documents, top down.
    fn entries(&self, line: &Map<String, Value>) -> Result<Vec<Map<String, Value>>, LineError> {
        let wrong = |found: &str| {
            LineError::new(format!(
                "`{}` is {}; expected a list of objects with `docid`, `clicked` and `{}`, or an object of them by place",
                self.list,
                excerpt(found),
                self.team
            ))
        };
        let list = line.get(self.list).unwrap_or(&Value::Null);
        // Some programs send the object as text.
        let unpacked =
            list.as_str().map(serde_json::from_str::<Value>).transpose().map_err(|_| wrong(&list.to_string()))?;
        let entries: Vec<&Value> = match unpacked.as_ref().unwrap_or(list) {
            Value::Array(list) => list.iter().collect(),
            Value::Object(by_place) => {
                let place = |(place, entry): (&String, _)| Some((place.parse::<u32>().ok()?, entry));
                let places: Option<Vec<_>> = by_place.iter().map(|(key, entry)| place((key, entry))).collect();
                let mut places = places.ok_or_else(|| wrong(&list.to_string()))?;
                places.sort_by_key(|(place, _)| *place);
                places.into_iter().map(|(_, entry)| entry).collect()
            }
            other => return Err(wrong(&other.to_string())),
        };
        let object = |entry: &&Value| entry.as_object().cloned().ok_or_else(|| wrong(&list.to_string()));
        entries.iter().map(object).collect()
    }
}

/// A value as an error shows it.
fn value_excerpt(value: &Value) -> String {
    value.as_str().map_or_else(|| excerpt(&value.to_string()), excerpt)
}

fn quote(name: &str) -> String {
    format!("`{name}`")
}

/// An id: text, or a whole number.
fn text(object: &Map<String, Value>, key: &str) -> Result<Option<Cow<'static, str>>, LineError> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok((!text.is_empty()).then(|| Cow::Owned(text.clone()))),
        Some(Value::Number(number)) if !number.is_f64() => Ok(Some(Cow::Owned(number.to_string()))),
        Some(other) => {
            Err(LineError::new(format!("`{key}` is {}; expected text or a whole number", value_excerpt(other))))
        }
    }
}

/// A moment, in milliseconds since 1970.
fn time(name: &str, value: &Value, settings: &Settings) -> Result<Option<i64>, LineError> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text.is_empty() => Ok(None),
        Value::String(text) => settings.zone.time(text).map(Some).map_err(LineError::new),
        Value::Number(number) => {
            let seconds = number.as_f64().unwrap_or(f64::NAN);
            let known = times::time_from_number(seconds);
            known.map(Some).ok_or_else(|| LineError::new(times::not_a_time(seconds, &number.to_string())))
        }
        other => Err(LineError::new(format!("`{name}` is {}; expected a time", value_excerpt(other)))),
    }
}
