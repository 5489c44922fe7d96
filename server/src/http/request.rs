//! The caller's part of an impression: its unit, and the lists of rankers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use axum::http::StatusCode;
use traffic::Config;
use traffic::lists::{ListError, Lists as NumberedEvent};

use super::Problem;
use super::problem::excerpt;
use crate::jobs::Lists;
use crate::json::{Node, ValueKind};

/// The most bytes of a name: of a ranker, a unit, a key or a document.
const NAME: usize = 256;
/// The most bytes of a user agent.
const AGENT: usize = 1024;
/// The most bytes of a query.
const QUERY: usize = 4096;
/// The most documents of a list.
const LIST: usize = 10_000;

/// The unit of the impression.
#[derive(Debug, Clone, Default)]
pub(super) struct Requester {
    pub(super) unit: String,
    pub(super) agent: Option<String>,
    pub(super) query: Option<String>,
    pub(super) key: Option<String>,
    pub(super) segment: Option<String>,
}

impl Requester {
    /// The fields, as far as a call has them. Without a unit, the impression is one of its own.
    pub(super) fn read(body: &Node<'_, '_>) -> Result<Self, Problem> {
        let text = |name: &str, what: &str, most: usize| -> Result<Option<String>, Problem> {
            let node = body.get(name)?;
            Ok(node.map(|node| node.text(what, most)).transpose()?.map(str::to_owned))
        };
        let id = |name: &str, what: &str| -> Result<Option<String>, Problem> {
            let node = body.get(name)?;
            Ok(node.map(|node| node.id(what, NAME)).transpose()?.map(Cow::into_owned))
        };
        Ok(Self {
            unit: id("unit", "a unit")?.unwrap_or_default(),
            agent: text("agent", "a user agent", AGENT)?,
            // Without a query, two requests of a unit are two impressions, not a reload.
            query: text("query", "a query", QUERY)?.filter(|query| !query.is_empty()),
            key: id("key", "an idempotency key")?,
            segment: id("segment", "the label of a segment")?,
        })
    }
}

/// The lists of a request, with documents as numbers.
#[derive(Debug)]
pub(super) struct SubmittedLists {
    pub(super) lists: Lists,
    /// The first page of the ranker that is shown where nothing is mixed.
    pub(super) fallback: Vec<String>,
}

impl SubmittedLists {
    /// Reads `lists` and `documents` of a body. With `all`, every ranker of the experiment must have a list, or, once one was shipped, that
    /// one. `fallback` is the ranker that is shown where nothing is mixed.
    pub(super) fn of(
        body: &Node<'_, '_>,
        config: &Config,
        all: bool,
        (fallback, is_shipped): (&str, bool),
    ) -> Result<Self, Problem> {
        let lists = body.need("lists", "the lists of rankers, such as {\"bm25\": [\"d1\", \"d2\"]}")?;
        let mut by_ranker = BTreeMap::new();
        for (name, node) in lists.entries()? {
            let Some(ranker) = config.rankers.iter().position(|ranker| ranker.name == name) else {
                return Err(unknown_ranker(&node, name, config));
            };
            by_ranker.insert(ranker, node);
        }
        let is_needed = |ranker: &usize| !is_shipped || config.rankers[*ranker].name == fallback;
        let missing = (0..config.rankers.len()).find(|ranker| is_needed(ranker) && !by_ranker.contains_key(ranker));
        if let Some(missing) = missing.filter(|_| all) {
            let name = excerpt(&config.rankers[missing].name);
            let expected = format!("a list of every ranker, also of {name}");
            return Err(Problem::at(StatusCode::UNPROCESSABLE_ENTITY, "lists", format!("no list of {name}"), expected)
                .advice("send an empty list where a ranker finds nothing, or ask first who meets: POST .../choose"));
        }
        let documents = body.get("documents")?;
        let first = match &documents {
            None => None,
            Some(node) => Some(node.items()?.map(|item| item.id("a document", NAME)).collect::<Result<Vec<_>, _>>()?),
        };
        let mut numbered = match &first {
            None => NumberedEvent::default(),
            Some(first) => {
                let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
                NumberedEvent::of(&first).map_err(|error| list_error(documents.as_ref().unwrap_or(&lists), &error))?
            }
        };
        let mut first_page = Vec::new();
        // In the order of the settings: the number of a document must not depend on the order of keys.
        let by_ranker: Vec<_> = by_ranker
            .into_iter()
            .map(|(ranker, node)| Ranked::read(&node).map(|ranked| (ranker, node, ranked)))
            .collect::<Result<_, _>>()?;
        for (ranker, node, ranked) in &by_ranker {
            ranked.add(*ranker as u32, &mut numbered).map_err(|error| list_error(node, &error))?;
            if config.rankers[*ranker].name == fallback {
                first_page = ranked.ids.iter().take(config.shown as usize).map(|id| id.clone().into_owned()).collect();
            }
        }
        let ids = numbered.documents().iter().copied().collect();
        let lists = numbered.into_lists(config.rankers.len());
        Ok(Self { lists: Lists { ids, lists }, fallback: first_page })
    }
}

fn list_error(node: &Node<'_, '_>, error: &ListError) -> Problem {
    let path = error.position().map_or_else(|| node.path(), |position| format!("{}[{position}]", node.path()));
    let (found, expected, advice) = match error {
        ListError::Twice { first, document, .. } => {
            let found = format!("{}, which is {}[{first}] too", excerpt(document), node.path());
            (found, "each document once", "leave one of them out")
        }
        ListError::Unknown { document, .. } => {
            let advice = "name all documents in `documents`, or leave it out";
            (excerpt(document), "a document that `documents` names", advice)
        }
        error => (error.to_string(), "lists that can be mixed", "cut the lists"),
    };
    Problem::at(StatusCode::UNPROCESSABLE_ENTITY, &path, found, expected).advice(advice)
}

/// One ranker's list.
struct Ranked<'a> {
    ids: Vec<Cow<'a, str>>,
    /// Empty if the list has no scores.
    scores: Vec<f64>,
}

impl<'a> Ranked<'a> {
    fn read(node: &Node<'a, '_>) -> Result<Self, Problem> {
        let items = node.items()?;
        let refused = |path: &str, found: String, expected: String| {
            Problem::at(StatusCode::UNPROCESSABLE_ENTITY, path, found, expected)
        };
        if items.len() > LIST {
            let found = format!("{} documents", items.len());
            return Err(refused(&node.path(), found, format!("at most {LIST}")).advice("cut the list"));
        }
        let mut ranked = Self { ids: Vec::with_capacity(items.len()), scores: vec![] };
        for (at, item) in items.enumerate() {
            let (id, score) = document_name(&item)?;
            match score {
                None if ranked.scores.is_empty() => {}
                Some(score) if ranked.scores.len() == at => {
                    if let Some(above) = ranked.scores.last().filter(|above| score > **above) {
                        let expected = format!("at most {above}, the score of the document above");
                        let advice = "sort the list by its scores";
                        return Err(refused(&item.path(), format!("the score {score}"), expected).advice(advice));
                    }
                    ranked.scores.push(score);
                }
                _ => return Err(item.wrong("documents of one list all with scores, or all without").into()),
            }
            ranked.ids.push(id);
        }
        Ok(ranked)
    }

    fn add<'s>(&'s self, ranker: u32, numbered: &mut NumberedEvent<'s>) -> Result<(), ListError> {
        let ids = self.ids.iter().map(AsRef::as_ref);
        if self.scores.is_empty() {
            return numbered.add_ranked(ranker, &ids.collect::<Vec<&str>>());
        }
        numbered.add_scored(ranker, &ids.zip(self.scores.iter().copied()).collect::<Vec<(&str, f64)>>())
    }
}

/// A document of a list, and its score if it has one.
fn document_name<'a>(item: &Node<'a, '_>) -> Result<(Cow<'a, str>, Option<f64>), Problem> {
    if item.is_object() {
        item.only(&["id", "score"])?;
        let id = item.need("id", "a document")?.id("a document", NAME)?;
        let node = item.need("score", "a number")?;
        let score = node.value().as_f64().ok_or_else(|| node.wrong("a number"))?;
        return Ok((id, Some(score)));
    }
    match item.value().kind() {
        ValueKind::Text(_) | ValueKind::Number(_) => Ok((item.id("a document", NAME)?, None)),
        _ => Err(item.wrong("a document as text or a whole number, or {\"id\": \"...\", \"score\": ...}").into()),
    }
}

fn unknown_ranker(node: &Node<'_, '_>, name: &str, config: &Config) -> Problem {
    let found = format!("a list of {}", excerpt(name));
    Problem::at(StatusCode::UNPROCESSABLE_ENTITY, &node.path(), found, expected_rankers(config))
        .advice("leave the list out, or make an experiment with this ranker")
}

/// The description of the expected ranker names.
fn expected_rankers(config: &Config) -> String {
    let mut names: Vec<String> = config.rankers.iter().take(10).map(|ranker| excerpt(&ranker.name)).collect();
    if config.rankers.len() > names.len() {
        names.push("...".to_owned());
    }
    format!("a ranker of the experiment: {}", names.join(", "))
}

/// The place of a ranker that a request names.
pub(super) fn ranker_named(name: &str, config: &Config) -> Result<u32, Problem> {
    let place = config.rankers.iter().zip(0..).find(|(ranker, _)| ranker.name == name).map(|(_, place)| place);
    place
        .ok_or_else(|| Problem::at(StatusCode::UNPROCESSABLE_ENTITY, "ranker", excerpt(name), expected_rankers(config)))
}

#[cfg(test)]
mod tests {
    use interleave::Doc;
    use serde_json::json;

    use super::*;
    use crate::json::parse;

    fn read(body: &serde_json::Value) -> Result<SubmittedLists, Problem> {
        let config = Config::of("e", ["a", "b"]);
        let text = body.to_string();
        SubmittedLists::of(&Node::top(parse(text.as_bytes()).expect("JSON").value()), &config, true, ("b", false))
    }

    #[test]
    fn numbers_follow_the_settings_or_documents() {
        let lists = read(&json!({"lists": {"b": ["x", "y"], "a": [{"id": "y", "score": 2}, {"id": "z", "score": 2}]}}))
            .expect("lists");
        assert_eq!(lists.fallback, ["x", "y"]);
        let lists = lists.lists;
        assert_eq!(lists.ids.iter().collect::<Vec<_>>(), ["y", "z", "x"]);
        let [a, b] = [0, 1].map(|ranker: usize| lists.lists[ranker].as_ref().expect("a list"));
        assert_eq!(b.as_list().docs().collect::<Vec<_>>(), [Doc(2), Doc(0)]);
        assert_eq!(a.as_list().group_at(0).size(), 2);
        // Numbers are their digits, wherever documents are named.
        let body =
            json!({"lists": {"a": [7, "x"], "b": [{"id": -3, "score": 1}]}, "documents": [7, "-3", u64::MAX, "x"]});
        let read_ids = read(&body).expect("lists");
        assert_eq!(read_ids.lists.ids.iter().collect::<Vec<_>>(), ["7", "-3", "18446744073709551615", "x"]);
        assert_eq!(read_ids.fallback, ["-3"]);
        let body = json!({"lists": {"a": ["y"], "b": []}, "documents": ["x", "y"]});
        assert_eq!(read(&body).expect("lists").lists.ids.iter().collect::<Vec<_>>(), ["x", "y"]);
    }

    #[test]
    fn only_the_list_of_a_shipped_ranker_is_needed() {
        let config = Config::of("e", ["a", "b"]);
        let text = json!({"lists": {"a": ["x"]}}).to_string();
        let read = |shipped| {
            SubmittedLists::of(
                &Node::top(parse(text.as_bytes()).expect("JSON").value()),
                &config,
                true,
                (shipped, true),
            )
        };
        assert_eq!(read("a").expect("lists").fallback, ["x"]);
        assert!(read("b").expect_err("refused").detail.contains("no list of"));
    }

    #[test]
    fn faults_name_their_place() {
        let refused = |body: serde_json::Value| read(&body).expect_err("refused").detail;
        for (body, place) in [
            (json!({"lists": {"a": ["x", "x"], "b": []}}), "lists.a[1]: found \"x\", which is lists.a[0] too"),
            (json!({"lists": {"a": []}}), "lists: found no list of \"b\""),
            (json!({"lists": {"a": [], "b": [], "c": []}}), "lists.c: found a list of \"c\""),
            (json!({"lists": {"a": ["x", {"id": "y", "score": 1}], "b": []}}), "lists.a[1]: found an object"),
            (
                json!({"lists": {"a": [{"id": "x", "score": 1}, {"id": "y", "score": 2}], "b": []}}),
                "lists.a[1]: found the score 2",
            ),
            (json!({"lists": {"a": [{"id": "x"}], "b": []}}), "lists.a[0].score: found nothing"),
            (
                json!({"lists": {"a": [1.0], "b": []}}),
                "lists.a[0]: found 1.0; expected a document as text or a whole number",
            ),
            (json!({"lists": {"a": ["1", 1], "b": []}}), "lists.a[1]: found \"1\", which is lists.a[0] too"),
            (json!({"lists": {"a": [""], "b": []}}), "lists.a[0]: found \"\""),
            (json!({"lists": {"a": ["x"], "b": []}, "documents": []}), "lists.a[0]: found \"x\""),
            (json!({"lists": {"a": [], "b": []}, "documents": ["x", "x"]}), "documents[1]: found \"x\""),
            (json!({"lists": []}), "lists: found an array of 0"),
            (json!({}), "lists: found nothing"),
        ] {
            assert!(refused(body).starts_with(place), "{place}");
        }
    }
}
