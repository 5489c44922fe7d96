//! The names of fields, for lines of JSON, headers of CSV, columns of Parquet and of data frames.
//!
//! A name is a path. Objects may be nested as UBI nests them, or flat with dots, as exports write them:
//! `event_attributes.object.object_id` is a key of a line, a column, or a field of an object in an object.

/// The meaning of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Impression,
    Time,
    User,
    /// The client that saw the list, for lines without a user.
    Client,
    Session,
    Agent,
    /// How its rankers were chosen.
    Pairs,
    /// The experiment, and which version of it.
    Experiment,
    Version,
    Shown,
    /// The displayed documents, for lines that use another name for the list.
    Displayed,
    /// The drawn documents, for pages that displayed something else.
    Mixed,
    /// Documents that others placed on the page.
    Pinned,
    /// The number of places that the user saw.
    Paged,
    Teams,
    Rankers,
    Receipt,
    Document,
    Dwell,
    Action,
    /// The value of a conversion, in minor units.
    Value,
    Currency,
    /// The order that a conversion is a part of.
    Order,
    /// The hits of a response of OpenSearch.
    Hits,
    /// The documents of a response of Solr.
    Documents,
    /// For the clicks that OpenSearch's A/B tests store.
    SearchConfiguration,
    Count,
}

/// An object that has fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    Line,
    QueryAttributes,
    EventAttributes,
    Object,
    Extension,
    Ubi,
    Response,
    Hits,
    /// A document in a line, which may also be something else.
    Document,
}

/// The meaning of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// A field, and its full name.
    Field(Field, &'static str),
    /// An object, and its full name.
    Object(Container, &'static str),
}

/// The kind of lines: fields that only the other kind has are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// Lists that were shown.
    Impressions,
    /// Clicks and other events.
    Clicks,
    /// Later actions of users: orders, carts, minutes.
    Conversions,
}

/// The meaning of an object's key; `None` for keys that are not read.
pub(crate) fn slot(kind: LineKind, container: Container, key: &str) -> Option<Slot> {
    match slot_of_alias(container, key) {
        Some(slot) => is_read(kind, slot).then_some(slot),
        None => {
            let (first, rest) = key.split_once('.')?;
            match slot(kind, container, first)? {
                Slot::Object(inner, _) => slot(kind, inner, rest),
                Slot::Field(..) => None,
            }
        }
    }
}

/// The field that a column of a table holds, by the column's name: our own name of the field, `client` for the client of a line
/// without a user, or `object` for nested fields; `None` for columns that are not read.
///
/// ```
/// use click_logs::read::column;
///
/// assert_eq!(column("query_response_hit_ids", false), Some("shown"));
/// assert_eq!(column("event_attributes.object.object_id", true), Some("document"));
/// assert_eq!((column("query_attributes", false), column("title", false)), (Some("object"), None));
/// ```
#[must_use]
pub fn column(name: &str, is_of_clicks: bool) -> Option<&'static str> {
    let kind = if is_of_clicks { LineKind::Clicks } else { LineKind::Impressions };
    let Slot::Field(field, _) = slot(kind, Container::Line, name)? else { return Some("object") };
    Some(match field {
        Field::Impression => "impression",
        Field::Time => "time",
        Field::User => "user",
        Field::Client => "client",
        Field::Session => "session",
        Field::Agent => "agent",
        Field::Pairs => "pairs",
        Field::Experiment => "experiment",
        Field::Version => "version",
        Field::Shown => "shown",
        Field::Mixed => "mixed",
        Field::Pinned => "pinned",
        Field::Paged => "paged",
        Field::Teams => "teams",
        Field::Rankers => "rankers",
        Field::Receipt => "receipt",
        Field::Document => "document",
        Field::Dwell => "dwell",
        Field::Action => "action_name",
        Field::Value => "value",
        Field::Currency => "currency",
        Field::Order => "order",
        // It is kept beside the list that it replaces, as nested fields are.
        Field::Displayed => "object",
        Field::Hits | Field::Documents | Field::SearchConfiguration | Field::Count => "object",
    })
}

fn slot_of_alias(container: Container, key: &str) -> Option<Slot> {
    use Container as C;
    use Field as F;
    let field = |field, name| Some(Slot::Field(field, name));
    let object = |container, name| Some(Slot::Object(container, name));
    match (container, key) {
        (C::Line | C::Document, "impression") => field(F::Impression, "impression"),
        (C::Line | C::Document, "query_id") => field(F::Impression, "query_id"),
        (C::Line | C::Document, "time") => field(F::Time, "time"),
        (C::Line | C::Document, "timestamp") => field(F::Time, "timestamp"),
        (C::Line | C::Document, "user") => field(F::User, "user"),
        (C::Line | C::Document, "user_id") => field(F::User, "user_id"),
        (C::Line | C::Document, "client_id") => field(F::Client, "client_id"),
        (C::Line | C::Document, "session") => field(F::Session, "session"),
        (C::Line | C::Document, "session_id") => field(F::Session, "session_id"),
        (C::Line | C::Document, "agent") => field(F::Agent, "agent"),
        (C::Line | C::Document, "pairs") => field(F::Pairs, "pairs"),
        (C::Line | C::Document, "experiment") => field(F::Experiment, "experiment"),
        (C::Line | C::Document, "version") => field(F::Version, "version"),
        (C::Line | C::Document, "mixed") => field(F::Mixed, "mixed"),
        (C::Line | C::Document, "pinned") => field(F::Pinned, "pinned"),
        (C::Line | C::Document, "paged") => field(F::Paged, "paged"),
        (C::Line | C::Document, "shown") => field(F::Shown, "shown"),
        (C::Line | C::Document, "query_response_hit_ids") => field(F::Shown, "query_response_hit_ids"),
        (C::Line | C::Document, "query_response_object_ids") => field(F::Shown, "query_response_object_ids"),
        (C::Line | C::Document, "query_response_objects_ids") => field(F::Shown, "query_response_objects_ids"),
        (C::Line | C::Document, "teams") => field(F::Teams, "teams"),
        (C::Line | C::Document, "rankers") => field(F::Rankers, "rankers"),
        (C::Line | C::Document, "receipt") => field(F::Receipt, "receipt"),
        (C::Line | C::Document, "document") => field(F::Document, "document"),
        (C::Line | C::Document, "object_id") => field(F::Document, "object_id"),
        (C::Line | C::Document, "dwell") => field(F::Dwell, "dwell"),
        (C::Line | C::Document, "action_name") => field(F::Action, "action_name"),
        (C::Line | C::Document, "action") => field(F::Action, ACTION),
        (C::Line | C::Document, "value") => field(F::Value, "value"),
        (C::Line | C::Document, "currency") => field(F::Currency, "currency"),
        (C::Line | C::Document, "order") => field(F::Order, "order"),
        (C::Line | C::Document, "order_id") => field(F::Order, "order_id"),
        (C::Line | C::Document, "search_configuration") => field(F::SearchConfiguration, "search_configuration"),
        (C::Line | C::Document, "count") => field(F::Count, "count"),
        (C::Line | C::Document, "query_attributes") => object(C::QueryAttributes, "query_attributes"),
        (C::Line | C::Document, "event_attributes") => object(C::EventAttributes, "event_attributes"),
        (C::Line | C::Document, "response") => object(C::Response, "response"),
        (C::Line | C::Document, "hits") => object(C::Hits, "hits"),
        (C::Line | C::Document, "ext") => object(C::Extension, "ext"),
        (C::Line | C::Document, "ubi") | (C::Extension, "ubi") => object(C::Ubi, "ext.ubi"),
        // As search engines export documents, and as requests of `_bulk` update them.
        (C::Line, "_source") => object(C::Line, "_source"),
        (C::Line, "doc") => object(C::Document, "doc"),
        (C::QueryAttributes, "user_id") => field(F::User, "query_attributes.user_id"),
        (C::QueryAttributes, "session_id") => field(F::Session, "query_attributes.session_id"),
        (C::QueryAttributes, "agent") => field(F::Agent, "query_attributes.agent"),
        (C::QueryAttributes, "pairs") => field(F::Pairs, "query_attributes.pairs"),
        (C::QueryAttributes, "experiment") => field(F::Experiment, "query_attributes.experiment"),
        (C::QueryAttributes, "version") => field(F::Version, "query_attributes.version"),
        (C::QueryAttributes, "shown") => field(F::Displayed, "query_attributes.shown"),
        (C::QueryAttributes, "mixed") => field(F::Mixed, "query_attributes.mixed"),
        (C::QueryAttributes, "pinned") => field(F::Pinned, "query_attributes.pinned"),
        (C::QueryAttributes, "paged") => field(F::Paged, "query_attributes.paged"),
        (C::QueryAttributes, "teams") => field(F::Teams, "query_attributes.teams"),
        (C::QueryAttributes, "rankers") => field(F::Rankers, "query_attributes.rankers"),
        (C::QueryAttributes, "receipt") => field(F::Receipt, "query_attributes.receipt"),
        (C::EventAttributes, "object") => object(C::Object, "event_attributes.object"),
        (C::EventAttributes, "dwell") => field(F::Dwell, "event_attributes.dwell"),
        (C::EventAttributes, "dwell_time") => field(F::Dwell, "event_attributes.dwell_time"),
        (C::Object, "object_id") => field(F::Document, "event_attributes.object.object_id"),
        (C::Ubi, "query_id") => field(F::Impression, "ext.ubi.query_id"),
        (C::Response, "response") => object(C::Response, "response.response"),
        (C::Response, "hits") => object(C::Hits, "response.hits"),
        (C::Response, "docs") => field(F::Documents, "response.docs"),
        (C::Hits, "hits") => field(F::Hits, "hits.hits"),
        _ => None,
    }
}

/// The name of the field for the action, which only conversions have.
const ACTION: &str = "action";

fn is_read(kind: LineKind, slot: Slot) -> bool {
    use Container as C;
    use Field as F;
    let kinds: &[LineKind] = match slot {
        Slot::Field(F::Action, ACTION) | Slot::Field(F::Value | F::Currency | F::Order, _) => &[LineKind::Conversions],
        Slot::Object(C::EventAttributes | C::Object, _) | Slot::Field(F::Document, _) => {
            &[LineKind::Clicks, LineKind::Conversions]
        }
        Slot::Field(F::Dwell, _) => &[LineKind::Clicks],
        Slot::Field(F::User | F::Client | F::Session, _) => &[LineKind::Impressions, LineKind::Conversions],
        Slot::Object(C::QueryAttributes | C::Response | C::Hits, _) => &[LineKind::Impressions],
        Slot::Field(F::Agent | F::Pairs, _) => &[LineKind::Impressions],
        Slot::Field(F::Experiment | F::Version | F::Displayed | F::Mixed | F::Pinned | F::Paged, _) => {
            &[LineKind::Impressions]
        }
        Slot::Field(F::Teams | F::Rankers | F::Receipt | F::Hits | F::Documents, _) => &[LineKind::Impressions],
        _ => return true,
    };
    kinds.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_fields_nested_or_flat() {
        let of = |key| slot(LineKind::Clicks, Container::Line, key);
        let document = Some(Slot::Field(Field::Document, "event_attributes.object.object_id"));
        assert_eq!(of("event_attributes.object.object_id"), document);
        assert_eq!(of("_source.event_attributes.object.object_id"), document);
        assert_eq!(slot(LineKind::Clicks, Container::EventAttributes, "object.object_id"), document);
        assert_eq!(slot(LineKind::Clicks, Container::Object, "object_id"), document);
        assert_eq!(of("event_attributes.position.ordinal"), None);
        assert_eq!(of("document.title"), None);
        assert_eq!(of("query_attributes.teams"), None, "clicks have no teams");
        assert_eq!(of("doc"), Some(Slot::Object(Container::Document, "doc")));
    }
}
