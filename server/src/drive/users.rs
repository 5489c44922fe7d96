//! The users of a data set: the lists of engines for their queries, and their clicks.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use interleave::keyed::RunKey;
use interleave::{Doc, RankedList};
use simulation::prepared_site::PreparedSite;
use simulation::spec::SiteSpec;

use super::draw_below;

/// More rankers than these send their lists only when they were chosen.
const MAX_RANKERS_SENT: usize = 10;

/// Users of a site. Their queries and clicks follow from the seed, the run and the number of an impression, as in a simulation
/// with keyed streams.
pub struct Users {
    site: PreparedSite,
    names: Vec<String>,
    key: RunKey,
    /// The number of users; one for each impression if `None`.
    users: Option<u64>,
    /// The length of the engines' lists; all that match if `None`.
    top: Option<usize>,
    seed: u64,
}

impl std::fmt::Debug for Users {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Users").field("rankers", &self.names).field("users", &self.users).finish_non_exhaustive()
    }
}

impl Users {
    /// The users of a site; `folder` is where data sets known by name are.
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

    /// The same users, with engines that return at most `top` documents. Then lists are not those of a simulation.
    #[must_use]
    pub fn with_list_length(self, top: Option<usize>) -> Self {
        Self { top, ..self }
    }

    /// The same users under other names of the rankers.
    #[must_use]
    pub fn with_ranker_names(self, names: &[&str]) -> Self {
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
        self.names.len() <= MAX_RANKERS_SENT
    }

    /// The user of impression `n`.
    pub(super) fn unit(&self, n: u64) -> String {
        match self.users {
            None => format!("user-{n}"),
            Some(users) => format!("user-{}", draw_below(&format!("user {} {n}", self.seed), users)),
        }
    }

    fn query(&self, n: u64) -> usize {
        self.key.impression(n).query(self.site.site.queries())
    }

    /// The lists of all engines: the fields `lists` and `documents` of a request, as text.
    pub(crate) fn all_lists(&self, n: u64) -> Result<String> {
        self.fields(n, 0..self.names.len())
    }

    /// The lists of these rankers' engines.
    pub(super) fn lists(&self, n: u64, rankers: &[String]) -> Result<String> {
        let arm = |name: &String| {
            let arm = self.names.iter().position(|known| known == name);
            arm.with_context(|| format!("the server chose {name:?}, which is not a ranker of this data set"))
        };
        let arms: Vec<usize> = rankers.iter().map(arm).collect::<Result<_>>()?;
        self.fields(n, arms)
    }

    /// Documents are numbered in the order of the data set, as a simulation numbers them. Equal scores are ties. Written as text:
    /// putting values together took most of the time of a request.
    fn fields(&self, n: u64, arms: impl IntoIterator<Item = usize>) -> Result<String> {
        let mut text = "\"lists\":{".to_owned();
        for (at, arm) in arms.into_iter().enumerate() {
            let list = self.engine_list(n, arm);
            write!(text, "{}{}:[", comma(at), serde_json::Value::from(&*self.names[arm]))?;
            for (at, doc) in list.docs().take(self.top.unwrap_or(usize::MAX)).enumerate() {
                let score = -i64::from(list.start(doc).unwrap_or(0));
                write!(text, "{}{{\"id\":\"d{}\",\"score\":{score}}}", comma(at), doc.0)?;
            }
            text.push(']');
        }
        text.push_str("},\"documents\":[");
        for doc in 0..self.engine_list(n, 0).documents() {
            write!(text, "{}\"d{doc}\"", comma(doc))?;
        }
        text.push(']');
        Ok(text)
    }

    fn engine_list(&self, n: u64, arm: usize) -> RankedList<'_> {
        self.site.site.rankings().list(self.query(n), arm)
    }

    /// The documents that the user of an impression clicks.
    pub(crate) fn clicks<'a>(&self, n: u64, shown: &'a [String]) -> Result<Vec<&'a str>> {
        let mut luck = self.key.impression(n).users();
        let mut user = self.site.site.user(self.query(n), &mut luck);
        let mut clicked_positions = Vec::new();
        for id in shown {
            let doc = id.strip_prefix('d').and_then(|number| number.parse().ok());
            let seen = user(Doc(doc.with_context(|| format!("the server shows {id:?}, which no engine returned"))?));
            if seen.clicked {
                clicked_positions.push(id.as_str());
            }
            if seen.abandons {
                break;
            }
        }
        Ok(clicked_positions)
    }
}

/// The separator before an item of an array.
fn comma(at: usize) -> &'static str {
    if at == 0 { "" } else { "," }
}
