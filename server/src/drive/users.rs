//! The users of a data set: what engines return for their queries, and what they click.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use interleave::keyed::RunKey;
use interleave::{Doc, RankedList};
use serde_json::{Map, Value, json};
use simulation::prepared::PreparedSite;
use simulation::spec::SiteSpec;

use super::drawn;

/// More rankers than these send their lists only when they were chosen.
const FEW: usize = 10;

/// Users of a site. Their queries and clicks follow from the seed, the run and the number of an impression, as in a simulation
/// with keyed streams.
pub struct Users {
    site: PreparedSite,
    names: Vec<String>,
    key: RunKey,
    /// How many users there are; one for each impression if `None`.
    users: Option<u64>,
    /// How many documents engines return; all that match if `None`.
    top: Option<usize>,
    seed: u64,
}

impl std::fmt::Debug for Users {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Users").field("rankers", &self.names).field("users", &self.users).finish_non_exhaustive()
    }
}

impl Users {
    /// Those of a site; `folder` is where data sets known by name are.
    ///
    /// # Errors
    /// If the data set cannot be read, or the site's settings contradict it.
    pub fn new(spec: &SiteSpec, folder: Option<&Path>, users: Option<u64>, seed: u64, run: u64) -> Result<Self> {
        let dataset = Arc::new(spec.open(folder, None)?);
        let features = spec.features(&dataset, seed)?;
        let names = features.iter().map(|feature| format!("feature-{}", feature.0)).collect();
        let site = spec.prepare(dataset, seed)?;
        Ok(Self { site, names, key: RunKey::new(seed, run), users, top: None, seed })
    }

    /// The same, of engines that return at most `top` documents. Then lists are not those of a simulation.
    #[must_use]
    pub fn of_top(self, top: Option<usize>) -> Self {
        Self { top, ..self }
    }

    /// The same under other names of the rankers.
    #[must_use]
    pub fn named(self, names: &[&str]) -> Self {
        let given = names.iter().map(|name| (*name).to_owned());
        let names = given.chain(self.names.iter().skip(names.len()).cloned()).collect();
        Self { names, ..self }
    }

    /// The rankers.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The site.
    #[must_use]
    pub fn site(&self) -> &PreparedSite {
        &self.site
    }

    /// The key of the run.
    #[must_use]
    pub fn key(&self) -> RunKey {
        self.key
    }

    /// Whether all lists go with the request for an impression.
    pub(super) fn sends_all_lists(&self) -> bool {
        self.names.len() <= FEW
    }

    /// Whose impression it is.
    pub(super) fn unit(&self, n: u64) -> String {
        match self.users {
            None => format!("user-{n}"),
            Some(users) => format!("user-{}", drawn(&format!("user {} {n}", self.seed), users)),
        }
    }

    fn query(&self, n: u64) -> usize {
        self.key.impression(n).query(self.site.site.queries())
    }

    /// What all engines return.
    pub(crate) fn all_lists(&self, n: u64) -> Map<String, Value> {
        let lists = self.names.iter().enumerate().map(|(arm, name)| (name.clone(), self.list(n, arm)));
        self.with_documents(n, lists.collect())
    }

    /// What the engines of these rankers return.
    pub(super) fn lists(&self, n: u64, rankers: &[String]) -> Result<Map<String, Value>> {
        let list = |name: &String| {
            let arm = self.names.iter().position(|known| known == name);
            let arm =
                arm.with_context(|| format!("the server chose {name:?}, which is not a ranker of this data set"))?;
            Ok((name.clone(), self.list(n, arm)))
        };
        let lists = rankers.iter().map(list).collect::<Result<_>>()?;
        Ok(self.with_documents(n, lists))
    }

    /// Documents are numbered in the order of the data set, as a simulation numbers them.
    fn with_documents(&self, n: u64, lists: Map<String, Value>) -> Map<String, Value> {
        let documents = (0..self.list_of(n, 0).documents()).map(|doc| json!(format!("d{doc}"))).collect();
        [("lists".to_owned(), Value::Object(lists)), ("documents".to_owned(), Value::Array(documents))]
            .into_iter()
            .collect()
    }

    fn list_of(&self, n: u64, arm: usize) -> RankedList<'_> {
        self.site.site.rankings().list(self.query(n), arm)
    }

    /// A list with scores, of which equal ones are ties.
    fn list(&self, n: u64, arm: usize) -> Value {
        let list = self.list_of(n, arm);
        let scored = |doc: Doc| json!({"id": format!("d{}", doc.0), "score": -f64::from(list.start(doc).unwrap_or(0))});
        list.docs().take(self.top.unwrap_or(usize::MAX)).map(scored).collect()
    }

    /// The documents that the user of an impression clicks.
    pub(crate) fn clicks<'a>(&self, n: u64, shown: &'a [String]) -> Result<Vec<&'a str>> {
        let mut luck = self.key.impression(n).users();
        let mut user = self.site.site.user(self.query(n), &mut luck);
        let mut clicked = Vec::new();
        for id in shown {
            let doc = id.strip_prefix('d').and_then(|number| number.parse().ok());
            let seen = user(Doc(doc.with_context(|| format!("the server shows {id:?}, which no engine returned"))?));
            if seen.clicked {
                clicked.push(id.as_str());
            }
            if seen.abandons {
                break;
            }
        }
        Ok(clicked)
    }
}
