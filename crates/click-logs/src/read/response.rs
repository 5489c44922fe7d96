//! The response of a search engine: the owners of the documents that were shown.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ranktypes::text::excerpt;

use crate::error::LineError;

/// A document of a response.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ResponseHit<'a> {
    pub(super) id: Cow<'a, str>,
    /// The ranker that owns it.
    pub(super) team: Option<Cow<'a, str>>,
    /// The fault found in it, if any.
    pub(super) wrong: Option<String>,
}

impl ResponseHit<'_> {
    /// The same hit, with copies of all text.
    pub(super) fn into_owned<'b>(self) -> ResponseHit<'b> {
        ResponseHit {
            id: Cow::Owned(self.id.into_owned()),
            team: self.team.map(|team| Cow::Owned(team.into_owned())),
            wrong: self.wrong,
        }
    }
}

/// Whether any of them has an owner.
pub(super) fn are_mixed(hits: &[ResponseHit<'_>]) -> bool {
    hits.iter().any(|hit| hit.team.is_some())
}

/// The owner of each document shown, from the response that it came from.
///
/// A page may show documents in another order than the response has them, or fewer, so they are looked up by their ids. If the
/// response has none of the documents shown, the log has ids of its own (such as SKUs), and documents are matched by position.
/// Documents that others placed (`pinned`) may be missing.
///
/// # Errors
/// If another document is missing from the response though others are in it, or occurs twice with two owners; or if the ids are
/// different and the number of documents is different, too.
pub(super) fn owners<'a>(
    shown: &[Cow<'a, str>],
    hits: Vec<ResponseHit<'a>>,
    pinned: &[Cow<'a, str>],
) -> Result<Vec<Option<Cow<'a, str>>>, LineError> {
    let mut hits_by_id: BTreeMap<&str, &ResponseHit<'a>> = BTreeMap::new();
    let mut repeated_id = None;
    for hit in &hits {
        if let Some(other) = hits_by_id.insert(&hit.id, hit)
            && other.team != hit.team
        {
            repeated_id.get_or_insert(hit);
        }
    }
    let found = shown.iter().filter(|document| hits_by_id.contains_key(&***document)).count();
    if found == 0 {
        if shown.len() != hits.len() {
            let message = format!(
                "{} documents, but a response with {}, and none of the documents is an `_id` (or `id`) of it; log the response of this query",
                shown.len(),
                hits.len()
            );
            return Err(LineError::new(message));
        }
        return Ok(hits.into_iter().map(|hit| hit.team).collect());
    }
    let is_strange = |document: &&Cow<'a, str>| !hits_by_id.contains_key(&***document) && !pinned.contains(document);
    if let Some(document) = shown.iter().find(is_strange) {
        return Err(LineError::new(format!(
            "the document {} is not in the response, which has {found} of the {} documents shown; log the response of this \
             query, and name documents that others placed in `pinned`",
            excerpt(document),
            shown.len()
        )));
    }
    if let Some(hit) = repeated_id.filter(|hit| shown.contains(&hit.id)) {
        let message =
            format!("the response has the document {} twice, with two owners; log each once", excerpt(&hit.id));
        return Err(LineError::new(message));
    }
    Ok(shown.iter().map(|document| hits_by_id.get(&**document).and_then(|hit| hit.team.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(shown: &[&'static str], hits: &[(&'static str, &'static str)]) -> Result<Vec<Option<String>>, String> {
        let team = |team: &'static str| (team != "-").then_some(Cow::Borrowed(team));
        let hit =
            |&(id, owner): &(&'static str, &'static str)| ResponseHit { id: id.into(), team: team(owner), wrong: None };
        let shown: Vec<Cow<'static, str>> = shown.iter().map(|id| Cow::Borrowed(*id)).collect();
        let found = owners(&shown, hits.iter().map(hit).collect(), &[]);
        let owned =
            |teams: Vec<Option<Cow<'static, str>>>| teams.into_iter().map(|team| team.map(Cow::into_owned)).collect();
        found.map(owned).map_err(|error| error.message)
    }

    #[test]
    fn documents_are_found_by_their_ids() {
        let hits = [("a", "A"), ("b", "B"), ("c", "-")];
        let teams = |teams: &[&str]| Ok(teams.iter().map(|team| (*team != "-").then(|| (*team).to_owned())).collect());
        assert_eq!(of(&["a", "b", "c"], &hits), teams(&["A", "B", "-"]));
        assert_eq!(of(&["b", "a", "c"], &hits), teams(&["B", "A", "-"]));
        assert_eq!(of(&["c", "b"], &hits), teams(&["-", "B"]), "fewer were shown");
        assert_eq!(of(&["x", "y", "z"], &hits), teams(&["A", "B", "-"]), "ids of another kind");
        assert_eq!(of(&["a", "b"], &[("a", "A"), ("b", "B"), ("a", "A")]), teams(&["A", "B"]));
        assert_eq!(of(&["b"], &[("a", "A"), ("b", "B"), ("a", "B")]), teams(&["B"]), "the other was not shown");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let hits = [("a", "A"), ("b", "B")];
        for (shown, expected) in [
            (&["a", "x"][..], "the document `x` is not in the response, which has 1 of the 2 documents shown"),
            (&["a", "b", "pinned"], "the document `pinned` is not in the response"),
            (&["x", "y", "z"], "3 documents, but a response with 2, and none of the documents"),
            (&["x"], "1 documents, but a response with 2"),
        ] {
            let error = of(shown, &hits).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        let error = of(&["a"], &[("a", "A"), ("a", "B")]).unwrap_err();
        assert!(error.starts_with("the response has the document `a` twice"), "{error}");
    }
}
