//! Numbers of visits per user, from counts of real users: most come once, a few all the time.
//!
//! ## References
//!
//! A. Benedetti and A. Ruggero. Towards more credible ranking comparisons with long-tailed query logs: the repository
//! <https://github.com/SeaseLtd/statistical-interleaving> has counts of clicks by query and user, in this form.

use std::sync::Arc;

use interleave::Generator;
use rand::RngExt;
use serde::Deserialize;

/// The number of visits of each of many users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visits {
    /// One for each user, at least 1.
    counts: Arc<[u64]>,
}

/// The answer of Solr to a request for facets: queries, and the users of each.
#[derive(Deserialize)]
struct Facets {
    parent_buckets: Vec<Query>,
}

#[derive(Deserialize)]
struct Query {
    users: Vec<User>,
}

#[derive(Deserialize)]
struct User {
    count: u64,
}

impl Visits {
    /// From facets of Solr in JSON: `{"parent_buckets": [{"users": [{"count": 3}, ...]}, ...]}`. Each entry is as likely as any other.
    ///
    /// # Errors
    /// If the text is something else, or no count is above 0.
    pub fn from_facets(text: &str) -> Result<Self, String> {
        let facets: Facets = serde_json::from_str(text).map_err(|error| {
            format!("{error}; expected facets of Solr: {{\"parent_buckets\": [{{\"users\": [{{\"count\": 3}}, ...]}}, ...]}}")
        })?;
        let users = facets.parent_buckets.iter().flat_map(|query| &query.users);
        let counts: Arc<[u64]> = users.map(|user| user.count).filter(|count| *count > 0).collect();
        if counts.is_empty() { Err("no user has a count above 0".to_owned()) } else { Ok(Self { counts }) }
    }

    /// The most that a user sees.
    #[must_use]
    pub fn max_impressions(&self) -> u64 {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    /// Identifies these counts.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let bytes: Vec<u8> = self.counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        xxhash_rust::xxh3::xxh3_64(&bytes)
    }

    /// The number of users that it was taken from.
    #[must_use]
    pub fn users(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn draw(&self, generator: &mut Generator) -> u64 {
        self.counts[generator.random_range(0..self.counts.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facets_are_read() {
        let text = r#"{"parent_buckets":[{"val":4577,"count":7,"users":[{"val":"a","count":4},{"val":"b","count":0}]},{"val":1,"count":3,"users":[{"val":"a","count":3}]}]}"#;
        let visits = Visits::from_facets(text).unwrap();
        assert_eq!((visits.max_impressions(), visits.users()), (4, 2));
        for (text, expected) in [
            ("{}", "missing field `parent_buckets`"),
            (r#"{"parent_buckets":[]}"#, "no user has a count above 0"),
            (r#"{"parent_buckets":[{"users":[{"count":-1}]}]}"#, "expected facets of Solr"),
        ] {
            let error = Visits::from_facets(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
