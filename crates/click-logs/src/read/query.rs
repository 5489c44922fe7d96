//! Impressions: one line of JSON or CSV.
//!
//! The fields of our own logs and those of UBI 1.3 differ in names, so one reader serves both. Responses of OpenSearch (hits
//! with `_search_configuration`) and Solr (documents with `[interleaving]`) are read where a log keeps them: as the line
//! itself, or in its field `response`.
//!
//! ## References
//!
//! User Behavior Insights 1.3, query and event schemas, <https://o19s.github.io/ubi/>.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::csv::{Column, Row};
use super::fields::{check_shown, missing, mixed, present, time};
use super::text::{Moment, ReceiptText, Text};
use crate::error::Malformed;
use crate::model::{Impression, Settings, UnitKind};

/// The fields of an impression in JSON, under all their names.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow)]
    impression: Option<Text<'a>>,
    query_id: Option<Text<'a>>,
    time: Option<Moment<'a>>,
    timestamp: Option<Moment<'a>>,
    user: Option<Text<'a>>,
    user_id: Option<Text<'a>>,
    client_id: Option<Text<'a>>,
    session: Option<Text<'a>>,
    session_id: Option<Text<'a>>,
    agent: Option<Text<'a>>,
    shown: Option<Vec<Text<'a>>>,
    query_response_hit_ids: Option<Vec<Text<'a>>>,
    query_response_object_ids: Option<Vec<Text<'a>>>,
    query_response_objects_ids: Option<Vec<Text<'a>>>,
    teams: Option<Vec<Option<Text<'a>>>>,
    rankers: Option<Vec<Text<'a>>>,
    receipt: Option<ReceiptText<'a>>,
    query_attributes: Option<Attributes<'a>>,
    /// Of OpenSearch (`hits`) or Solr (`docs`).
    response: Option<Box<Response<'a>>>,
    hits: Option<Hits<'a>>,
    ext: Option<Extension<'a>>,
    ubi: Option<Ubi<'a>>,
    /// A document as search engines export it.
    #[serde(rename = "_source")]
    source: Option<Box<Line<'a>>>,
    action_name: Option<IgnoredAny>,
    search_configuration: Option<IgnoredAny>,
    count: Option<IgnoredAny>,
}

/// What a log of UBI says beyond its schema.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Attributes<'a> {
    #[serde(borrow)]
    user_id: Option<Text<'a>>,
    session_id: Option<Text<'a>>,
    agent: Option<Text<'a>>,
    teams: Option<Vec<Option<Text<'a>>>>,
    rankers: Option<Vec<Text<'a>>>,
    receipt: Option<ReceiptText<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    hits: Option<Hits<'a>>,
    docs: Option<Vec<Document<'a>>>,
    response: Option<Box<Response<'a>>>,
}

#[derive(Deserialize)]
struct Hits<'a> {
    #[serde(borrow)]
    hits: Vec<Hit<'a>>,
}

#[derive(Deserialize)]
struct Hit<'a> {
    #[serde(rename = "_id", borrow)]
    id: Text<'a>,
    #[serde(rename = "_search_configuration")]
    configuration: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(rename = "[interleaving]")]
    model: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Extension<'a> {
    #[serde(borrow)]
    ubi: Option<Ubi<'a>>,
}

#[derive(Deserialize)]
struct Ubi<'a> {
    #[serde(borrow)]
    query_id: Option<Text<'a>>,
}

type Owners<'a> = Vec<Option<Text<'a>>>;

/// The documents of a response, and who owns them if anybody does.
fn of_response<'a>(
    hits: Option<Hits<'a>>,
    response: Option<Box<Response<'a>>>,
) -> Option<(Vec<Text<'a>>, Option<Owners<'a>>)> {
    let (shown, teams): (Vec<_>, Owners<'a>) = match (hits, response) {
        (Some(hits), _) => hits.hits.into_iter().map(|hit| (hit.id, hit.configuration)).unzip(),
        (None, Some(response)) => match response.docs {
            Some(documents) => documents.into_iter().map(|document| (document.id, document.model)).unzip(),
            None => return of_response(response.hits, response.response),
        },
        (None, None) => return None,
    };
    let is_mixed = teams.iter().any(Option::is_some);
    Some((shown, is_mixed.then_some(teams)))
}

/// The impression in a line: of JSON, or of CSV with the header given.
///
/// # Errors
/// What is wrong with the line.
pub fn impression<'a>(
    line: &'a str,
    header: Option<&super::Header>,
    settings: &Settings,
) -> Result<Impression<'a>, Malformed> {
    match header {
        Some(header) => of_row(header.row(line)?, settings),
        None => of_json(line, settings),
    }
}

fn of_json<'a>(text: &'a str, settings: &Settings) -> Result<Impression<'a>, Malformed> {
    let mut line: Line<'a> = serde_json::from_str(text).map_err(|error| Malformed::json(&error))?;
    if let Some(source) = line.source.take() {
        line = *source;
    }
    if line.action_name.is_some() {
        return Err(Malformed::new("an event (`action_name`), not an impression; pass this file as --clicks"));
    }
    if line.search_configuration.is_some() && line.count.is_some() {
        return Err(super::event::stored_ab_click());
    }
    let attributes = line.query_attributes.unwrap_or_default();
    let ubi = line.ext.and_then(|ext| ext.ubi).or(line.ubi).and_then(|ubi| ubi.query_id);
    let id = line.impression.or(line.query_id).or(ubi).and_then(|id| present(Some(id.0)));
    let id = id.ok_or_else(|| missing("`impression` (or `query_id`)"))?;
    let time = time(line.time.or(line.timestamp), settings.zone, "`time` (or `timestamp`)")?;
    let user = [line.user, line.user_id, attributes.user_id, line.client_id];
    let session = [line.session, line.session_id, attributes.session_id];
    let unit = match settings.unit {
        UnitKind::User => first(user),
        UnitKind::Session => first(session),
        UnitKind::Impression => Some(id.clone()),
    };
    let agent = line.agent.or(attributes.agent).map(|agent| agent.0);
    let ids = line.query_response_hit_ids.or(line.query_response_object_ids).or(line.query_response_objects_ids);
    let of_response = of_response(line.hits, line.response);
    let given_teams = line.teams.or(attributes.teams);
    let (shown, teams) = match (line.shown.or(ids), of_response) {
        (Some(shown), Some((hits, teams))) => {
            // The response names hits as the engine does; the list of UBI names objects as clicks do.
            if hits.len() != shown.len() {
                let message = format!(
                    "{} documents, but a response with {}; log the response of this query",
                    shown.len(),
                    hits.len()
                );
                return Err(Malformed::new(message));
            }
            (shown, given_teams.or(teams))
        }
        (Some(shown), None) => (shown, given_teams),
        (None, Some((hits, teams))) => (hits, given_teams.or(teams)),
        (None, None) => return Err(missing("`shown` (or `query_response_hit_ids`, or a response)")),
    };
    let shown: Vec<Cow<'a, str>> = shown.into_iter().map(|document| document.0).collect();
    check_shown(&shown)?;
    let teams = teams.map(|teams| teams.into_iter().map(|team| team.map(|team| team.0)).collect());
    let rankers = line.rankers.or(attributes.rankers).map(|rankers| rankers.into_iter().map(|name| name.0).collect());
    let mixed = mixed(shown.len(), teams, line.receipt.or(attributes.receipt), rankers)?;
    Ok(Impression { id, time, unit, agent, shown, mixed })
}

fn of_row<'a>(mut row: Row<'a, '_>, settings: &Settings) -> Result<Impression<'a>, Malformed> {
    let id = row.take(Column::Impression).ok_or_else(|| missing("`impression` (or `query_id`)"))?;
    let moment = row.take(Column::Time).map(Moment::Text);
    let time = time(moment, settings.zone, "`time` (or `timestamp`)")?;
    let unit = match settings.unit {
        UnitKind::User => row.take(Column::User),
        UnitKind::Session => row.take(Column::Session),
        UnitKind::Impression => Some(id.clone()),
    };
    let mut list = |column| row.take(column).map(|list| split(list, settings.list_separator));
    let shown = list(Column::Shown).unwrap_or_default();
    check_shown(&shown)?;
    // A list has no empty entries, so nobody has a name.
    let owner = |team: Cow<'a, str>| (team != "-").then_some(team);
    let teams = list(Column::Teams).map(|teams| teams.into_iter().map(owner).collect());
    let rankers = list(Column::Rankers);
    let receipt = row.take(Column::Receipt).map(ReceiptText::Text);
    let mixed = mixed(shown.len(), teams, receipt, rankers)?;
    Ok(Impression { id, time, unit, agent: row.take(Column::Agent), shown, mixed })
}

/// The first id that says something.
fn first<'a>(ids: impl IntoIterator<Item = Option<Text<'a>>>) -> Option<Cow<'a, str>> {
    ids.into_iter().flatten().find_map(|id| present(Some(id.0)))
}

/// The entries of a list, without empty ones.
fn split(list: Cow<'_, str>, separator: char) -> Vec<Cow<'_, str>> {
    match list {
        Cow::Borrowed(list) => parts(list, separator, Cow::Borrowed),
        Cow::Owned(list) => parts(&list, separator, |part| Cow::Owned(part.to_owned())),
    }
}

fn parts<'a, T>(list: &'a str, separator: char, make: impl Fn(&'a str) -> T) -> Vec<T> {
    let mut found = Vec::with_capacity(16);
    if !separator.is_ascii() {
        found.extend(list.split(separator).filter(|part| !part.is_empty()).map(make));
        return found;
    }
    // Entries are short: looking at each byte is quicker than searching.
    let mut start = 0;
    for (at, byte) in list.bytes().enumerate() {
        if byte == separator as u8 {
            if at > start {
                found.push(make(&list[start..at]));
            }
            start = at + 1;
        }
    }
    if list.len() > start {
        found.push(make(&list[start..]));
    }
    found
}
