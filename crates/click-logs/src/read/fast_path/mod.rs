//! Reads lines in their usual form without copies: CSV without quotes, JSON without escapes and with our own names. For a line
//! of any other form, or a faulty one, the result is `None`: the complete readers of lines read it, and report faults. Where
//! both readers read a line, they agree; a test compares them.

mod bytes;
mod json;
mod row;

use self::bytes::{is_decimal, is_whole, split_text};
use self::json::{Object, Value};
pub use self::row::RowRef;
use super::csv::Header;
use super::event::{Event, dwell};
use super::lists::{ListSeparator, is_no_unit, is_plain};
use super::names::{Field, LineKind};
use super::text::read_bytes;
use crate::model::{
    Click, DisplayedPage, ImpressionRef, MAX_SHOWN, MixedRef, NamedDocuments, ReceiptRef, Receipts, Settings, UnitKind,
    stated_version,
};
use times::time_from_number;

/// Reads the lines of one block, or the rows of one batch; its buffers serve all of them.
#[derive(Default)]
pub(crate) struct FastPath<'a> {
    fields: Vec<&'a str>,
    row: RowRef<'a>,
    receipt: Vec<u8>,
    receipts: Receipts,
    /// The page displayed, and the version of its list.
    displayed: DisplayedPage,
    version: String,
}

impl<'a> FastPath<'a> {
    /// The impression in a line of the usual form.
    pub(crate) fn impression(
        &mut self,
        line: &'a str,
        header: Option<&Header>,
        settings: &Settings,
    ) -> Option<ImpressionRef<'_>> {
        if settings.holds_both {
            return None;
        }
        self.row.clear();
        match header {
            Some(header) => self.impression_of_row(line, header, settings)?,
            None => self.impression_of_json(line, settings)?,
        }
        self.finish_impression(settings)
    }

    /// The impression in a row that `fill` fills, if it has the usual form.
    pub(crate) fn row(
        &mut self,
        settings: &Settings,
        fill: impl FnOnce(&mut RowRef<'a>) -> bool,
    ) -> Option<ImpressionRef<'_>> {
        self.row.clear();
        if !fill(&mut self.row) {
            return None;
        }
        // Logs write unknown users as null or as nothing.
        let RowRef { impression, user, session, agent, pairs, experiment, version, teams, .. } = &mut self.row;
        for text in [impression, user, session, agent, pairs, experiment, version].into_iter().chain(teams) {
            *text = text.filter(|text| !text.is_empty());
        }
        self.finish_impression(settings)
    }

    fn finish_impression(&mut self, settings: &Settings) -> Option<ImpressionRef<'_>> {
        const MAX_SCANNED_RANKERS: usize = 32;
        let are_distinct = |names: &[&str]| (1..names.len()).all(|index| !names[..index].contains(&names[index]));
        let Self { row, receipt, receipts, displayed, version, .. } = self;
        let is_plain = row.has_shown
            && row.shown.len() <= MAX_SHOWN
            && row.rankers.len() <= MAX_SCANNED_RANKERS
            && are_distinct(&row.rankers)
            && !(row.has_teams && (row.receipt.is_some() || row.receipt_text.is_some()));
        if !is_plain {
            return None;
        }
        let unit = match settings.unit {
            UnitKind::User => row.user,
            UnitKind::Session => row.session,
            UnitKind::Impression => row.impression,
        };
        // The complete reader looks for another name of the unit.
        if settings.unit != UnitKind::Impression && unit.is_some_and(is_no_unit) {
            return None;
        }
        let bytes = match (row.receipt, row.receipt_text) {
            (Some(bytes), _) => Some(bytes),
            (None, Some(text)) => {
                read_bytes(text, receipt).then_some(())?;
                Some(receipt.as_slice())
            }
            (None, None) => None,
        };
        let named_documents = NamedDocuments {
            shown: &row.shown,
            mixed: row.has_mixed.then_some(row.mixed.as_slice()),
            pinned: &row.pinned,
            paged: row.paged,
        };
        let parsed_receipt = bytes.map(|bytes| receipts.read(bytes)).transpose().ok()?;
        *displayed = match &parsed_receipt {
            Some(parsed_receipt) => named_documents.page_of_receipt(parsed_receipt).ok()?,
            None if row.has_teams => named_documents.page_of_teams(row.teams.len()).ok()?,
            None => {
                named_documents.check().ok()?;
                DisplayedPage::default()
            }
        };
        let is_named = row.experiment.is_some() || row.version.is_some();
        let receipt_version = parsed_receipt.as_ref().and_then(|parsed_receipt| parsed_receipt.version);
        let version = if is_named || receipt_version.is_some() {
            let stated = stated_version(row.experiment, row.version, receipt_version).ok()?;
            version.clear();
            version.push_str(&stated?);
            Some(version.as_str())
        } else {
            None
        };
        if parsed_receipt.is_none()
            && let Some(page) = &displayed.page
        {
            row.teams = page.places().map(|place| place.and_then(|index| row.teams[index])).collect();
        }
        let rankers = row.has_rankers.then_some(row.rankers.as_slice());
        let mixed = match parsed_receipt {
            Some(ReceiptRef { body, method, is_two, .. }) => {
                if is_two && rankers.is_some_and(|names| names.len() != 2) {
                    return None;
                }
                let (page, paged) = (displayed.page.as_ref(), displayed.paged);
                Some(MixedRef::Receipt { body, method, is_two, page, paged, rankers })
            }
            None if row.has_teams => {
                // Teams of an impression with a unit are checked when they become places.
                let are_known = |names: &[&str]| row.teams.iter().flatten().all(|team| names.contains(team));
                if unit.is_none() && !rankers.is_none_or(are_known) {
                    return None;
                }
                Some(MixedRef::Teams { teams: &row.teams, rankers })
            }
            None => None,
        };
        Some(ImpressionRef {
            id: row.impression?,
            time: row.time?,
            unit,
            agent: row.agent,
            pairs: match row.pairs {
                Some(pairs) => Some(pairs.parse().ok()?),
                None => None,
            },
            version,
            shown: &row.shown,
            oddities: displayed.oddities,
            mixed,
        })
    }

    /// The click, or other event, in a line of the usual form.
    pub(crate) fn click(&mut self, line: &'a str, header: Option<&Header>, settings: &Settings) -> Option<Event<'a>> {
        if settings.holds_both {
            return None;
        }
        match header {
            Some(header) => self.click_of_row(line, header, settings),
            None => click_of_json(line, settings),
        }
    }

    /// Splits a line of CSV without quotes.
    fn split(&mut self, line: &'a str, header: &Header) -> Option<()> {
        if memchr::memchr(b'"', line.as_bytes()).is_some() {
            return None;
        }
        self.fields.clear();
        split_text(header.trim(line), header.separator(), |field| self.fields.push(field));
        (self.fields.len() == header.columns()).then_some(())
    }

    fn field(&self, header: &Header, kind: LineKind, field: Field) -> Option<&'a str> {
        header.place(kind, field).map(|place| self.fields[place]).filter(|text| !text.is_empty())
    }

    fn impression_of_row(&mut self, line: &'a str, header: &Header, settings: &Settings) -> Option<()> {
        let list_separator = ListSeparator::in_csv(settings.list_separator);
        let separator = settings.list_separator.unwrap_or(' ');
        let separator = u8::try_from(separator).ok().filter(u8::is_ascii)?;
        if !header.is_plain(LineKind::Impressions) {
            return None;
        }
        header.place(LineKind::Impressions, Field::Shown)?;
        self.split(line, header)?;
        let field = |field| self.field(header, LineKind::Impressions, field);
        let lists = [Field::Shown, Field::Rankers, Field::Mixed, Field::Pinned].map(field);
        let teams = field(Field::Teams);
        let (id, session) = (field(Field::Impression), field(Field::Session));
        let user = field(Field::User).or_else(|| field(Field::Client));
        let (agent, pairs, receipt) = (field(Field::Agent), field(Field::Pairs), field(Field::Receipt));
        let (experiment, version) = (field(Field::Experiment), field(Field::Version));
        let seen_places = match field(Field::Paged) {
            Some(text) => Some(text.parse().ok()?),
            None => None,
        };
        let time = settings.zone.time(field(Field::Time)?).ok();
        if receipt.is_some() && lists[0].is_none() {
            // The receipt may have the page.
            return None;
        }
        let row = &mut self.row;
        (row.impression, row.time, row.user, row.session) = (id, time, user, session);
        (row.agent, row.pairs, row.receipt_text) = (agent, pairs, receipt);
        (row.experiment, row.version, row.paged) = (experiment, version, seen_places);
        (row.has_shown, row.has_teams, row.has_rankers) = (true, teams.is_some(), lists[1].is_some());
        row.has_mixed = lists[2].is_some();
        // Spaces around entries are not part of them.
        let entry = |item: &'a str| if separator == b' ' { item } else { item.trim_ascii() };
        let mut are_usual = true;
        let fill = [&mut row.shown, &mut row.rankers, &mut row.mixed, &mut row.pinned];
        for (list, text) in fill.into_iter().zip(lists) {
            let Some(text) = text else { continue };
            split_text(text, separator, |item| {
                if !entry(item).is_empty() {
                    list.push(entry(item));
                }
            });
            // The complete reader takes a cell of blanks.
            are_usual &=
                !list.is_empty() && is_plain(list.first().copied(), list.get(1).copied(), list.len(), list_separator);
        }
        split_text(teams.unwrap_or_default(), separator, |item| {
            // A list has no empty entries, so no owner is written as `-`.
            if !entry(item).is_empty() {
                row.teams.push(Some(entry(item)).filter(|item| *item != "-"));
            }
        });
        let first_teams = [0, 1].map(|at| row.teams.get(at).map(|team| team.unwrap_or("-")));
        are_usual &= is_plain(first_teams[0], first_teams[1], row.teams.len(), list_separator);
        are_usual &= teams.is_none() || !row.teams.is_empty();
        are_usual.then_some(())
    }

    fn impression_of_json(&mut self, line: &'a str, settings: &Settings) -> Option<()> {
        let mut object = Object::new(line)?;
        let mut seen_fields = SeenFields::default();
        let row = &mut self.row;
        while let Some((key, value)) = object.next()? {
            match key {
                "impression" | "query_id" => row.impression = text(seen_fields.take_first(0, value)?)?,
                "time" | "timestamp" => row.time = Some(moment(seen_fields.take_first(1, value)?, settings)?),
                "user" | "user_id" | "client_id" => row.user = text(seen_fields.take_first(2, value)?)?,
                "session" | "session_id" => row.session = text(seen_fields.take_first(3, value)?)?,
                "agent" => row.agent = text(seen_fields.take_first(4, value)?)?,
                "pairs" => row.pairs = text(seen_fields.take_first(9, value)?)?,
                "experiment" => row.experiment = text(seen_fields.take_first(10, value)?)?,
                "version" => row.version = text(seen_fields.take_first(11, value)?)?,
                "paged" => {
                    row.paged = match seen_fields.take_first(12, value)? {
                        Value::Number(number) => Some(number.parse().ok()?),
                        Value::Null => None,
                        _ => return None,
                    };
                }
                "mixed" => {
                    row.has_mixed = is_list(&seen_fields.take_first(13, value)?)?;
                    if row.has_mixed {
                        texts(&mut object, &mut row.mixed)?;
                    }
                }
                "pinned" => {
                    if is_list(&seen_fields.take_first(14, value)?)? {
                        texts(&mut object, &mut row.pinned)?;
                    }
                }
                "shown" | "query_response_hit_ids" | "query_response_object_ids" | "query_response_objects_ids" => {
                    row.has_shown = is_list(&seen_fields.take_first(5, value)?)?;
                    if row.has_shown {
                        texts(&mut object, &mut row.shown)?;
                    }
                }
                "teams" => {
                    row.has_teams = is_list(&seen_fields.take_first(6, value)?)?;
                    if row.has_teams {
                        object.items(|item| row.teams.push(item.filter(|team| !team.is_empty())))?;
                    }
                }
                "rankers" => {
                    row.has_rankers = is_list(&seen_fields.take_first(7, value)?)?;
                    if row.has_rankers {
                        texts(&mut object, &mut row.rankers)?;
                    }
                }
                "receipt" => {
                    row.receipt_text = match seen_fields.take_first(8, value)? {
                        Value::Text(text) => Some(text),
                        Value::Null => None,
                        _ => return None,
                    };
                }
                "query_attributes"
                | "response"
                | "hits"
                | "ext"
                | "ubi"
                | "_source"
                | "doc"
                | "action_name"
                | "search_configuration"
                | "count" => return None,
                _ => pass_unread_field(&mut object, key, &value)?,
            }
        }
        Some(())
    }

    fn click_of_row(&mut self, line: &'a str, header: &Header, settings: &Settings) -> Option<Event<'a>> {
        if !header.is_plain(LineKind::Clicks) {
            return None;
        }
        self.split(line, header)?;
        let field = |field| self.field(header, LineKind::Clicks, field);
        if let Some(action) = field(Field::Action)
            && !settings.actions.iter().any(|name| name == action)
        {
            return Some(Event::Other(action.into()));
        }
        Some(Event::Click(Click {
            impression: field(Field::Impression)?.into(),
            document: field(Field::Document)?.into(),
            time: settings.zone.time(field(Field::Time)?).ok()?,
            dwell: match field(Field::Dwell) {
                Some(text) => Some(dwell_milliseconds(text, settings)?),
                None => None,
            },
        }))
    }
}

fn click_of_json<'a>(line: &'a str, settings: &Settings) -> Option<Event<'a>> {
    let mut object = Object::new(line)?;
    let mut seen_fields = SeenFields::default();
    let (mut id, mut document, mut time, mut dwell, mut action) = (None, None, None, None, None);
    while let Some((key, value)) = object.next()? {
        match key {
            "impression" | "query_id" => id = text(seen_fields.take_first(0, value)?)?,
            "document" | "object_id" => document = text(seen_fields.take_first(1, value)?)?,
            "time" | "timestamp" => time = Some(moment(seen_fields.take_first(2, value)?, settings)?),
            "dwell" => {
                dwell = match seen_fields.take_first(3, value)? {
                    Value::Number(number) => Some(dwell_milliseconds(number, settings)?),
                    Value::Null => None,
                    _ => return None,
                };
            }
            "action_name" => action = text(seen_fields.take_first(4, value)?)?,
            "event_attributes"
            | "_source"
            | "doc"
            | "ext"
            | "ubi"
            | "search_configuration"
            | "count"
            | "query_response_hit_ids"
            | "query_response_object_ids"
            | "query_response_objects_ids"
            | "shown" => return None,
            _ => pass_unread_field(&mut object, key, &value)?,
        }
    }
    if let Some(action) = action
        && !settings.actions.iter().any(|name| name == action)
    {
        return Some(Event::Other(action.into()));
    }
    Some(Event::Click(Click { impression: id?.into(), document: document?.into(), time: time?, dwell }))
}

/// Which fields were there.
#[derive(Default)]
struct SeenFields(u32);

impl SeenFields {
    /// The value of a field, unless it was there before, under this name or another.
    fn take_first<'a>(&mut self, field: u32, value: Value<'a>) -> Option<Value<'a>> {
        let is_first = self.0 >> field & 1 == 0;
        self.0 |= 1 << field;
        is_first.then_some(value)
    }
}

/// An id or the name of an action, if it is not empty.
#[expect(clippy::option_option, reason = "the outer one is about the form of the line")]
fn text(value: Value<'_>) -> Option<Option<&str>> {
    match value {
        Value::Text(text) => Some(Some(text).filter(|text| !text.is_empty())),
        Value::Number(number) => is_whole(number).then_some(Some(number)),
        Value::Null => Some(None),
        _ => None,
    }
}

fn moment(value: Value<'_>, settings: &Settings) -> Option<i64> {
    match value {
        Value::Text(text) => settings.zone.time(text).ok(),
        Value::Number(number) => number.parse().ok().and_then(time_from_number),
        _ => None,
    }
}

/// Whether the value is a list or null.
fn is_list(value: &Value<'_>) -> Option<bool> {
    match value {
        Value::List => Some(true),
        Value::Null => Some(false),
        _ => None,
    }
}

/// Appends the items of a list if all are text that is not blank.
fn texts<'a>(object: &mut Object<'a>, texts: &mut Vec<&'a str>) -> Option<()> {
    let mut is_complete = true;
    object.items(|item| match item {
        Some(item) if !item.trim_ascii().is_empty() => texts.push(item),
        _ => is_complete = false,
    })?;
    is_complete.then_some(())
}

/// Passes a field that is not read. A name with dots may be a path to one that is.
fn pass_unread_field(object: &mut Object<'_>, key: &str, value: &Value<'_>) -> Option<()> {
    if key.contains('.') {
        return None;
    }
    match value {
        Value::List => object.items(drop),
        _ => Some(()),
    }
}

/// Dwell time in milliseconds; 0 if nothing depends on it.
fn dwell_milliseconds(text: &str, settings: &Settings) -> Option<i64> {
    if !is_decimal(text) {
        return None;
    }
    if settings.dwell.is_none() {
        return Some(0);
    }
    text.parse().ok().and_then(|seconds| dwell(seconds).ok())
}

#[cfg(test)]
mod tests;
