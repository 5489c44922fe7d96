//! Clicks: one line of JSON (our own, or an event of UBI 1.3) or CSV. Clicks name their document; the ordinal of UBI counts
//! from 0 in some logs and from 1 in others, and is not read.

use std::borrow::Cow;

use super::fields::LineFields;
use super::lists::ListSeparator;
use super::names::{Field, LineKind};
use super::value::{dwell_error, missing_field_error};
use super::{json, shape};
use crate::error::LineError;
use crate::model::{Click, Settings};

/// The content of a line of a file of clicks.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// A click. One before any search is on the impression `""`, and one on nothing that was shown on the document `""`.
    Click(Click<'a>),
    /// Something else that the user did, by this name.
    Other(Cow<'a, str>),
}

/// The click or other event in a line: of JSON, or of CSV with the header given. `None` if it is an action of a `_bulk` request,
/// with the document in the next line, or, in a file of both, an impression; that may be a [`session`](super::session).
///
/// # Errors
/// The fault in the line.
pub fn click<'a>(
    text: &'a str,
    header: Option<&super::Header>,
    settings: &Settings,
) -> Result<Option<Event<'a>>, LineError> {
    let Some(header) = header else {
        if shape::is_action(text) || settings.holds_both && !is_event(text)? {
            return Ok(None);
        }
        let event = event_of_fields(json::fields(text, LineKind::Clicks)?, settings);
        return event.map(Some).map_err(|malformed| shape::explain_shape(text).unwrap_or(malformed));
    };
    let separated = ListSeparator::in_csv(settings.list_separator);
    event_of_fields(header.fields(text, LineKind::Clicks, separated)?, settings).map(Some)
}

/// Whether a line of JSON is a click or another event, and not an impression: in a file of both.
pub(super) fn is_event(line: &str) -> Result<bool, LineError> {
    let fields = json::fields(line, LineKind::Clicks)?;
    Ok(fields.has_text(Field::Action) || fields.has_text(Field::Document))
}

/// The click or other event with these fields.
pub(super) fn event_of_fields<'a>(mut fields: LineFields<'a>, settings: &Settings) -> Result<Event<'a>, LineError> {
    const NO_IMPRESSION: &str = "`impression` (or `query_id`)";
    const NO_DOCUMENT: &str = "`document` (or `event_attributes.object.object_id`)";
    const EMPTY_TEXT: Cow<'_, str> = Cow::Borrowed("");
    if fields.is_stored_ab_click() {
        return Err(stored_ab_click());
    }
    let action = fields.take_text(Field::Action);
    let is_event = action.is_some();
    if let Some(action) = action
        && !settings.actions.iter().any(|name| *name == action)
    {
        return Ok(Event::Other(action));
    }
    fields.check()?;
    if fields.has_shown() && !fields.has_text(Field::Document) {
        return Err(LineError::new(
            "a list that was shown, not a click; pass this file as --impressions, and one that holds clicks too as --impressions and as \
             --clicks",
        ));
    }
    // Events of UBI leave out what they do not have: the query before any search, the object of a click beside all.
    let is_nothing = |fields: &LineFields<'_>, field| is_event || fields.is_place(field);
    let impression = match fields.take_text(Field::Impression) {
        Some(id) => id,
        None if is_nothing(&fields, Field::Impression) => EMPTY_TEXT,
        None => return Err(missing_field_error(NO_IMPRESSION)),
    };
    let document = match fields.take_text(Field::Document) {
        Some(id) => id,
        None if is_nothing(&fields, Field::Document) => EMPTY_TEXT,
        None => return Err(missing_field_error(NO_DOCUMENT)),
    };
    let time = fields.take_time(settings.zone)?;
    let dwell = fields.dwell.take().map(|(_, seconds)| dwell(seconds)).transpose()?;
    Ok(Event::Click(Click { impression, document, time, dwell }))
}

/// Seconds as milliseconds.
pub(super) fn dwell(seconds: f64) -> Result<i64, LineError> {
    if (0.0..1e9).contains(&seconds) {
        Ok((seconds * 1e3).floor() as i64)
    } else {
        Err(dwell_error(&seconds.to_string()))
    }
}

/// The clicks that OpenSearch's A/B tests store have no impression.
pub(super) fn stored_ab_click() -> LineError {
    LineError::new(
        "a stored A/B click of OpenSearch (`search_configuration`, `count`): it does not say which list was clicked, so nobody \
         can credit it once or distinguish users; log the response with `_search_configuration` per hit and UBI events \
         with `query_id`",
    )
}
