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

use ranktypes::text::excerpt;

use super::fields::LineFields;
use super::lists::ListSeparator;
use super::mixed_list::{ListFields, MixedList};
use super::names::{Field, LineKind};
use super::shape::session::session;
use super::value::missing_field_error;
use super::{json, response, shape};
use crate::error::LineError;
use crate::model::{Impression, Settings, UnitKind};

/// The impression in a line: of JSON, or of CSV with the header given. `None` if it is an action of a `_bulk` request, with the
/// document in the next line.
///
/// # Errors
/// The fault in the line.
pub fn impression<'a>(
    line: &'a str,
    header: Option<&super::Header>,
    settings: &Settings,
) -> Result<Option<Impression<'a>>, LineError> {
    let Some(header) = header else {
        if shape::is_action(line) || settings.holds_both && super::event::is_event(line)? {
            return Ok(None);
        }
        if settings.holds_both
            && let Some(session) = session(line, settings)?
        {
            return Ok(Some(session.impression));
        }
        let found = impression_of_fields(json::fields(line, LineKind::Impressions)?, settings);
        return found.map(Some).map_err(|malformed| shape::explain_shape(line).unwrap_or(malformed));
    };
    let separated = ListSeparator::in_csv(settings.list_separator);
    impression_of_fields(header.fields(line, LineKind::Impressions, separated)?, settings).map(Some)
}

/// The impression with these fields.
pub(super) fn impression_of_fields<'a>(
    mut fields: LineFields<'a>,
    settings: &Settings,
) -> Result<Impression<'a>, LineError> {
    if fields.is_stored_ab_click() {
        return Err(super::event::stored_ab_click());
    }
    if fields.has_text(Field::Action) {
        return Err(LineError::new(
            "an event (`action_name`), not an impression; pass this file as --clicks, and one that holds queries too as --impressions and \
             as --clicks",
        ));
    }
    fields.check()?;
    let id = fields.take_text(Field::Impression).ok_or_else(|| missing_field_error("`impression` (or `query_id`)"))?;
    let time = fields.take_time(settings.zone)?;
    let unit = match settings.unit {
        UnitKind::User => fields.take_text(Field::User).or_else(|| fields.take_text(Field::Client)),
        UnitKind::Session => fields.take_text(Field::Session),
        UnitKind::Impression => Some(id.clone()),
    };
    let agent = fields.take_text(Field::Agent);
    let pairs = fields.take_text(Field::Pairs).map(|text| text.parse()).transpose().map_err(LineError::new)?;
    let stated_teams = fields.teams.take();
    let mut list = ListFields {
        shown: None,
        mixed: fields.take_list(Field::Mixed),
        pinned: fields.take_list(Field::Pinned),
        paged: fields.paged.take().map(|(_, places)| places),
        teams: None,
        receipt: fields.receipt.take().map(|(_, receipt)| receipt),
        rankers: fields.take_list(Field::Rankers),
        experiment: fields.take_text(Field::Experiment),
        version: fields.take_text(Field::Version),
    };
    let (listed, displayed_documents) = (fields.take_list(Field::Shown), fields.take_list(Field::Displayed));
    let hits = fields.hits.take().map(|(_, hits)| hits);
    (list.shown, list.teams) = match (listed, hits) {
        (Some(hit_ids), Some(hits)) if response::are_mixed(&hits) => {
            // The response has the drawn documents.
            let owners = match &list.mixed {
                Some(mixed) if displayed_documents.is_none() => response::owners(mixed, hits, &[])?,
                _ if displayed_documents.is_none() => {
                    response::owners(&hit_ids, hits, list.pinned.as_deref().unwrap_or_default())?
                }
                _ => response::owners(&hit_ids, hits, &[])?,
            };
            (Some(hit_ids), agreed_teams(stated_teams, Some(owners))?)
        }
        (Some(hit_ids), _) => (Some(hit_ids), stated_teams.map(|(_, teams)| teams)),
        (None, Some(hits)) => {
            let is_mixed = response::are_mixed(&hits);
            let hit_ids: Vec<_> = hits.iter().map(|hit| hit.id.clone()).collect();
            let owners = match &list.mixed {
                Some(mixed) if is_mixed => response::owners(mixed, hits, &[])?,
                _ => hits.into_iter().map(|hit| hit.team).collect(),
            };
            (Some(hit_ids), agreed_teams(stated_teams, is_mixed.then_some(owners))?)
        }
        // An empty field of CSV is an empty list. A query without logged hits, as UBI has many of them, is an empty list
        // that was not mixed.
        (None, None)
            if displayed_documents.is_none()
                && (fields.is_place(Field::Shown) && list.receipt.is_none()
                    || stated_teams.as_ref().is_none_or(|(_, teams)| teams.is_empty()) && list.receipt.is_none()) =>
        {
            (Some(Vec::new()), stated_teams.map(|(_, teams)| teams))
        }
        (None, None) => (None, stated_teams.map(|(_, teams)| teams)),
    };
    if let Some(displayed_documents) = displayed_documents {
        // Then the other list holds the returned documents.
        let returned_documents = list.shown.replace(displayed_documents);
        match (&list.mixed, returned_documents) {
            (Some(mixed), Some(returned_documents)) if *mixed != returned_documents => {
                return Err(LineError::new(
                    "`mixed` is another list than the one returned (`query_response_hit_ids`, or the response), which stands for the \
                     same beside `query_attributes.shown`; leave one of them out",
                ));
            }
            (None, returned_documents) => list.mixed = returned_documents,
            _ => {}
        }
    }
    let MixedList { shown: hit_ids, oddities, version, mixed } = list.mixed_list()?;
    Ok(Impression { id, time, unit, agent, pairs, version, shown: hit_ids, oddities, mixed })
}

type Teams<'a> = Vec<Option<Cow<'a, str>>>;

/// The teams that a line names, and those of the response in it.
fn agreed_teams<'a>(
    stated_teams: Option<(&'static str, Teams<'a>)>,
    owners: Option<Teams<'a>>,
) -> Result<Option<Teams<'a>>, LineError> {
    let (Some((name, stated_teams)), Some(owners)) = (&stated_teams, &owners) else {
        return Ok(stated_teams.map(|(_, teams)| teams).or(owners));
    };
    if let Some(at) = (0..stated_teams.len().min(owners.len())).find(|&at| stated_teams[at] != owners[at]) {
        let shown = |team: &Option<Cow<'_, str>>| team.as_deref().map_or_else(|| "nobody".to_owned(), excerpt);
        return Err(LineError::new(format!(
            "the owner of document {} is {} by `{name}`, but {} by the response; leave one of them out",
            at + 1,
            shown(&stated_teams[at]),
            shown(&owners[at])
        )));
    }
    Ok(Some(stated_teams.clone()))
}
