//! Shapes in which search engines export logs: action lines of `_bulk`, answers to a search, objects over several lines.

pub(super) mod session;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::LineError;

/// The keys that `_bulk` actions may have for the document in the next line.
const ACTION_KEYS: [&str; 20] = [
    "_index",
    "_id",
    "_type",
    "_version",
    "_routing",
    "_parent",
    "_retry_on_conflict",
    "_source",
    "routing",
    "version",
    "version_type",
    "parent",
    "pipeline",
    "op_type",
    "require_alias",
    "require_data_stream",
    "dynamic_templates",
    "list_executed_pipelines",
    "retry_on_conflict",
    "if_seq_no",
];

/// Whether a line is an action of a `_bulk` request, such as `{"index": {"_id": "7"}}`: the document is in the next one.
pub(super) fn is_action(line: &str) -> bool {
    let Some(key) = line.trim_start().strip_prefix('{').map(str::trim_start) else { return false };
    if !["\"index\"", "\"create\"", "\"update\"", "\"delete\""].iter().any(|action| key.starts_with(action)) {
        return false;
    }
    let Ok(serde_json::Value::Object(line)) = serde_json::from_str(line) else { return false };
    let inner = line.values().next().and_then(serde_json::Value::as_object);
    line.len() == 1
        && inner.is_some_and(|inner| {
            inner.is_empty() || inner.keys().all(|key| ACTION_KEYS.contains(&&**key) || key == "if_primary_term")
        })
}

/// The answer to a search, or an object like it.
#[derive(Deserialize)]
struct Answer {
    hits: Hits,
    query_id: Option<IgnoredAny>,
    impression: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Hits {
    hits: Vec<StoredDocument>,
}

/// A document as it is stored.
#[derive(Deserialize)]
struct StoredDocument {
    #[serde(rename = "_source")]
    source: Option<IgnoredAny>,
}

const ANSWER: &str = "the answer to a search, with its documents in `hits.hits`; expected one document per line \
                      (`jq -c '.hits.hits[]'` writes them)";

const SESSION: &str = "a list with the clicks on it in one line; pass the file as --impressions and as --clicks";

/// The error for a line without an id, if its shape explains that.
pub(super) fn explain_shape(line: &str) -> Option<LineError> {
    if session::is_session(line) {
        return Some(LineError::new(SESSION));
    }
    let answer: Answer = serde_json::from_str(line).ok()?;
    let is_stored = answer.hits.hits.is_empty() || answer.hits.hits.iter().any(|hit| hit.source.is_some());
    (answer.query_id.is_none() && answer.impression.is_none() && is_stored).then(|| LineError::new(ANSWER))
}

/// The error for a file that begins with a brace and `text`, if it does not have one object per line.
pub(super) fn refusal(text: &str) -> Option<String> {
    let text = text.trim_start();
    let (first, rest) = text.split_once('\n')?;
    let next = rest.trim_start();
    let is_cut = serde_json::from_str::<IgnoredAny>(first).is_err_and(|error| error.is_eof());
    // Behind a line that is cut off, the next one is another object.
    let is_next = next.starts_with('{') && !first.trim_end().ends_with(['[', ',', ':']);
    if !is_cut || next.is_empty() || is_next {
        return None;
    }
    let command = if is_answer(text) { "jq -c '.hits.hits[]'" } else { "jq -c ." };
    Some(format!("an object of JSON over several lines; expected one object per line (`{command}` writes them)"))
}

/// Whether the object at the beginning of a text, which may be cut off, is an answer to a search.
fn is_answer(text: &str) -> bool {
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Answer>();
    match objects.next() {
        Some(Ok(answer)) => answer.query_id.is_none() && answer.impression.is_none(),
        Some(Err(error)) if error.is_eof() => {
            let before = text.find("\"hits\"").map_or("", |at| &text[..at]);
            before.contains("\"took\"") && !before.contains("\"query_id\"")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_recognised() {
        for line in [
            r#"{"index":{}}"#,
            r#"{"index": {"_index": "ubi_queries", "_id": "q0"}}"#,
            r#"{ "create" : { "_index" : "x", "routing": "u" } } "#,
            r#"{"update":{"_id":"1","_index":"x","retry_on_conflict":3}}"#,
            r#"{"delete":{"_index":"x","_id":"2","if_seq_no":1,"if_primary_term":1}}"#,
        ] {
            assert!(is_action(line), "{line}");
        }
        for line in [
            r#"{"index":7}"#,
            r#"{"index":{"_id":"1"},"query_id":"q"}"#,
            r#"{"index":{"query_id":"q"}}"#,
            r#"{"indexes":{}}"#,
            r#"{"query_id":"q","index":{}}"#,
            r#"{"index":{"#,
        ] {
            assert!(!is_action(line), "{line}");
        }
    }

    #[test]
    fn answers_and_long_objects_name_the_command() {
        let answer = r#"{"took":3,"hits":{"total":{"value":1},"hits":[{"_id":"1","_source":{"query_id":"q"}}]}}"#;
        assert!(explain_shape(answer).unwrap().message.contains("jq -c '.hits.hits[]'"));
        for line in [
            r#"{"query_id":"q","hits":{"hits":[{"_id":"1","_source":{}}]}}"#,
            r#"{"hits":{"hits":[{"_id":"1","_search_configuration":"A"}]}}"#,
            r#"{"hits":3}"#,
        ] {
            assert_eq!(explain_shape(line), None, "{line}");
        }
        for (text, command) in [
            ("{\n \"query_id\": \"q\"\n}", Some("jq -c .`")),
            ("{\n \"query_id\": \"q\"\n}\n{\n \"query_id\": \"r\"\n}", Some("jq -c .`")),
            ("{ \"query_id\": \"q\",\n  \"x\": 1 }", Some("jq -c .`")),
            ("{\"took\": 3,\n\"hits\": {\"hits\": [{\"_source\": {}}]}}", Some("jq -c '.hits.hits[]'")),
            ("{\n \"took\": 3,\n \"hits\": {\n \"hits\": [ {", Some("jq -c '.hits.hits[]'")),
            ("{\"query_id\": \"q\"}\n{\"query_id\": \"r\"}", None),
            ("{\"query_id\": \"q\"\n{\"query_id\": \"r\"}", None),
            ("{\"query_id\": \"q\"", None),
            ("{}\n", None),
        ] {
            let found = refusal(text);
            match command {
                Some(command) => {
                    assert!(found.as_deref().is_some_and(|found| found.contains(command)), "{text}: {found:?}")
                }
                None => assert_eq!(found, None, "{text}"),
            }
        }
    }
}
