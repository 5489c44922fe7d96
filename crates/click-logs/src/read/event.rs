//! Clicks: one line of JSON (our own, or an event of UBI 1.3) or CSV. Clicks name their document; the ordinal of UBI counts
//! from 0 in some logs and from 1 in others, and is not read.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::csv::Column;
use super::fields::{missing, present, time};
use super::text::{Moment, Text};
use crate::error::{Malformed, excerpt};
use crate::model::{Click, Settings};

/// What a line of a file of clicks holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// A click.
    Click(Click<'a>),
    /// Something else that the user did.
    Other,
}

/// The fields of a click in JSON, under all their names.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow)]
    impression: Option<Text<'a>>,
    query_id: Option<Text<'a>>,
    document: Option<Text<'a>>,
    object_id: Option<Text<'a>>,
    time: Option<Moment<'a>>,
    timestamp: Option<Moment<'a>>,
    dwell: Option<f64>,
    action_name: Option<Text<'a>>,
    event_attributes: Option<Attributes<'a>>,
    #[serde(rename = "_source")]
    source: Option<Box<Line<'a>>>,
    search_configuration: Option<IgnoredAny>,
    count: Option<IgnoredAny>,
    query_response_hit_ids: Option<IgnoredAny>,
    shown: Option<IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Attributes<'a> {
    #[serde(borrow)]
    object: Option<Object<'a>>,
    dwell: Option<f64>,
    dwell_time: Option<f64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Object<'a> {
    #[serde(borrow)]
    object_id: Option<Text<'a>>,
}

/// The click or other event in a line: of JSON, or of CSV with the header given.
///
/// # Errors
/// What is wrong with the line.
pub fn click<'a>(text: &'a str, header: Option<&super::Header>, settings: &Settings) -> Result<Event<'a>, Malformed> {
    const TIME: &str = "`time` (or `timestamp`)";
    if let Some(header) = header {
        let mut row = header.row(text)?;
        if row.take(Column::Action).is_some_and(|action| !settings.actions.iter().any(|name| *name == action)) {
            return Ok(Event::Other);
        }
        let impression = row.take(Column::Impression).ok_or_else(|| missing("`impression` (or `query_id`)"))?;
        let document = row.take(Column::Document).ok_or_else(|| missing("`document` (or `object_id`)"))?;
        let time = time(row.take(Column::Time).map(Moment::Text), settings.zone, TIME)?;
        let seconds = |text: &str| text.parse().map_err(|_| dwell_error(&excerpt(text)));
        let dwell = row.take(Column::Dwell).map(|text| seconds(&text).and_then(dwell)).transpose()?;
        return Ok(Event::Click(Click { impression, document, time, dwell }));
    }
    let mut line: Line<'a> = serde_json::from_str(text).map_err(|error| Malformed::json(&error))?;
    if let Some(source) = line.source.take() {
        line = *source;
    }
    if line.search_configuration.is_some() && line.count.is_some() {
        return Err(stored_ab_click());
    }
    if line.action_name.is_some_and(|action| !settings.actions.iter().any(|name| *name == action.0)) {
        return Ok(Event::Other);
    }
    if line.query_response_hit_ids.is_some() || line.shown.is_some() {
        return Err(Malformed::new("a list that was shown, not a click; pass this file as --impressions"));
    }
    let id = line.impression.or(line.query_id).and_then(|id| present(Some(id.0)));
    let impression = id.ok_or_else(|| missing("`impression` (or `query_id`)"))?;
    let attributes = line.event_attributes.unwrap_or_default();
    let object = attributes.object.and_then(|object| object.object_id);
    let document = line.document.or(object).or(line.object_id).and_then(|id| present(Some(id.0)));
    let document = document.ok_or_else(|| missing("`document` (or `event_attributes.object.object_id`)"))?;
    let time = time(line.time.or(line.timestamp), settings.zone, TIME)?;
    let dwell = line.dwell.or(attributes.dwell).or(attributes.dwell_time).map(dwell).transpose()?;
    Ok(Event::Click(Click { impression, document, time, dwell }))
}

/// Seconds as milliseconds.
pub(super) fn dwell(seconds: f64) -> Result<i64, Malformed> {
    if (0.0..1e9).contains(&seconds) {
        Ok((seconds * 1e3).floor() as i64)
    } else {
        Err(dwell_error(&seconds.to_string()))
    }
}

fn dwell_error(found: &str) -> Malformed {
    Malformed::new(format!(
        "the dwell time {found} is not a number of seconds from 0 up; leave it out where it is unknown"
    ))
}

/// The clicks that OpenSearch's A/B tests store have no impression.
pub(super) fn stored_ab_click() -> Malformed {
    Malformed::new(
        "a stored A/B click of OpenSearch (`search_configuration`, `count`): it does not say which list was clicked, so nobody \
         can credit it once or distinguish users; log the response with `_search_configuration` per hit and UBI events \
         with `query_id`",
    )
}
