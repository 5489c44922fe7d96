//! What is known of a matrix so far, kept in a file that survives any interruption.
//!
//! A state file is a line that says what it is, a line of JSON (whose matrix, how far), the counts
//! as little-endian numbers, and a SHA-256 of all that. It is written aside and renamed, so that
//! there is always one whole file; one that was cut off elsewhere or belongs to another matrix is
//! refused and left alone.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::choice::pair_count;
use super::round::{Sampling, empty_sums};
use super::strata::Sums;
use crate::output;

/// The first line; the number is raised when the same file would mean something else.
const MAGIC: &str = "sim proxy state 1\n";
/// Bytes of the checksum at the end.
const CHECKSUM: usize = 32;

/// What makes a matrix this one and no other; files of another are foreign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The master seed.
    pub seed: u64,
    /// How many arms.
    pub arms: usize,
    /// How many queries.
    pub queries: usize,
    /// How queries are chosen.
    pub sampling: Sampling,
    /// Whether all arms share one list; else each pair is interleaved on its own.
    pub multileaved: bool,
    /// The site in full: data with checksum, rankers, clicks, methods.
    pub site: serde_json::Value,
}

/// What was asked for with one command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Impressions of each chosen pair.
    pub impressions: u64,
    /// Whether they are on top of those of earlier requests.
    pub more: bool,
    /// Which pairs, as [`Choice`](super::Choice) is displayed.
    pub pairs: String,
    /// Go on until no chosen pair has a larger standard error.
    pub until_standard_error: Option<f64>,
}

impl fmt::Display for Request {
    /// As its flags.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.more { "--more" } else { "--interleavings" }, self.impressions)?;
        if let Some((which, what)) = self.pairs.split_once(':') {
            write!(f, " --{which} {what}")?;
        }
        self.until_standard_error.map_or(Ok(()), |error| write!(f, " --until-se {error}"))
    }
}

/// A round that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// Impressions of each of its pairs.
    pub impressions: u64,
    /// How many pairs it had.
    pub pairs: usize,
}

/// Everything that is known of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Whose matrix.
    pub identity: Identity,
    /// What was asked for, the last one being worked on unless `left` is 0 and `done`.
    pub requests: Vec<Request>,
    /// Impressions of the last request for which no round has begun yet.
    pub left: u64,
    /// Whether the last request is fulfilled.
    pub done: bool,
    /// Rounds that are over.
    pub rounds: Vec<Played>,
    /// Of each pair, in rounds that are over.
    pub(super) totals: Totals,
    /// The round being played.
    pub(super) current: Option<Current>,
}

/// Counts of each pair over all rounds that are over.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) wins: Vec<u64>,
    pub(super) ties: Vec<u64>,
    pub(super) comparisons: Vec<u64>,
    /// With strata: variance of 2 wins + ties, added up over rounds.
    pub(super) variances: Vec<f64>,
}

/// A round that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Current {
    pub(super) impressions: u64,
    /// Places of its pairs among all.
    pub(super) places: Vec<u32>,
    /// How many of its pieces are in `sums`: the first so many.
    pub(super) pieces: u64,
    pub(super) sums: Vec<Sums>,
}

/// The line of JSON.
#[derive(Serialize, Deserialize)]
struct Head {
    identity: Identity,
    requests: Vec<Request>,
    left: u64,
    done: bool,
    rounds: Vec<Played>,
    current: Option<CurrentHead>,
}

#[derive(Serialize, Deserialize)]
struct CurrentHead {
    impressions: u64,
    pairs: usize,
    pieces: u64,
}

impl State {
    /// Nothing known, nothing asked for.
    #[must_use]
    pub fn new(identity: Identity) -> Self {
        let pairs = pair_count(identity.arms);
        let strata = identity.sampling == Sampling::Stratified;
        let totals = Totals {
            wins: vec![0; pairs],
            ties: vec![0; pairs],
            comparisons: vec![0; pairs],
            variances: vec![0.0; if strata { pairs } else { 0 }],
        };
        Self { identity, requests: Vec::new(), left: 0, done: true, rounds: Vec::new(), totals, current: None }
    }

    /// The state kept at `path`, if there is one.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or is not of `identity`; the file is left as it is.
    pub fn load(path: &Path, identity: &Identity) -> Result<Option<Self>> {
        let Some(state) = Self::read(path)? else { return Ok(None) };
        if let Some(difference) = state.identity.difference(identity) {
            bail!(
                "{} belongs to another matrix: {difference}; use the flags it was started with, or choose another --out",
                path.display()
            );
        }
        Ok(Some(state))
    }

    /// Writes the state to `path` in one step.
    ///
    /// # Errors
    /// As [`output::write_atomic`]; what was there stays.
    pub fn save(&self, path: &Path) -> Result<()> {
        output::write_atomic(path, &self.encode()?)
    }

    /// The state kept at `path`, of whatever matrix, if there is one.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("failed to read {}", path.display())),
        };
        let state = Self::decode(&bytes).with_context(|| {
            format!("{} cannot be continued; restore a copy, or add --replace to start again", path.display())
        })?;
        Ok(Some(state))
    }

    fn encode(&self) -> Result<Vec<u8>> {
        let head = Head {
            identity: self.identity.clone(),
            requests: self.requests.clone(),
            left: self.left,
            done: self.done,
            rounds: self.rounds.clone(),
            current: self.current.as_ref().map(|current| CurrentHead {
                impressions: current.impressions,
                pairs: current.places.len(),
                pieces: current.pieces,
            }),
        };
        let mut bytes = MAGIC.as_bytes().to_vec();
        serde_json::to_writer(&mut bytes, &head)?;
        bytes.push(b'\n');
        let Totals { wins, ties, comparisons, variances } = &self.totals;
        [wins, ties, comparisons].into_iter().flatten().for_each(|n| bytes.extend(n.to_le_bytes()));
        variances.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        if let Some(Current { places, sums, .. }) = &self.current {
            places.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
            for Sums { counts, squares } in sums {
                counts.wins.iter().chain(&counts.ties).for_each(|n| bytes.extend(n.to_le_bytes()));
                squares.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
            }
        }
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum);
        Ok(bytes)
    }

    fn decode(bytes: &[u8]) -> Result<Self> {
        let (body, checksum) = bytes
            .strip_prefix(MAGIC.as_bytes())
            .filter(|rest| rest.len() >= CHECKSUM)
            .map(|_| bytes.split_at(bytes.len() - CHECKSUM))
            .with_context(|| match MAGIC.as_bytes().starts_with(bytes) {
                true => "it is truncated",
                false => "it is not the state of a proxy matrix, or it is of another version",
            })?;
        ensure!(Sha256::digest(body)[..] == *checksum, "it is truncated or damaged: its checksum does not match");
        let body = &body[MAGIC.len()..];
        let end = body.iter().position(|&byte| byte == b'\n').context("its description does not end")?;
        let head: Head = serde_json::from_slice(&body[..end]).context("its description is unreadable")?;
        let mut rest = Numbers(&body[end + 1..]);
        let mut state = Self::new(head.identity);
        let Totals { wins, ties, comparisons, variances } = &mut state.totals;
        [wins, ties, comparisons].into_iter().try_for_each(|numbers| rest.fill(numbers, u64::from_le_bytes))?;
        rest.fill(variances, f64::from_le_bytes)?;
        if let Some(current) = head.current {
            let mut places = vec![0; current.pairs.min(pair_count(state.identity.arms))];
            rest.fill(&mut places, u32::from_le_bytes)?;
            let mut sums = empty_sums(places.len(), state.identity.sampling == Sampling::Stratified);
            for Sums { counts, squares } in &mut sums {
                rest.fill(&mut counts.wins, u32::from_le_bytes)?;
                rest.fill(&mut counts.ties, u32::from_le_bytes)?;
                rest.fill(squares, u64::from_le_bytes)?;
            }
            let CurrentHead { impressions, pieces, .. } = current;
            state.current = Some(Current { impressions, places, pieces, sums });
        }
        ensure!(rest.0.is_empty(), "it holds more numbers than its header declares");
        Ok(Self { requests: head.requests, left: head.left, done: head.done, rounds: head.rounds, ..state })
    }
}

/// Numbers one after another.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn fill<T, const N: usize>(&mut self, numbers: &mut [T], read: fn([u8; N]) -> T) -> Result<()> {
        for number in numbers {
            let (bytes, rest) =
                self.0.split_first_chunk().context("it holds fewer numbers than its header declares")?;
            (*number, self.0) = (read(*bytes), rest);
        }
        Ok(())
    }
}

impl Identity {
    /// The first thing in which `wanted` differs, in words.
    pub(super) fn difference(&self, wanted: &Self) -> Option<String> {
        let value = |identity| serde_json::to_value(identity).unwrap_or_default();
        first_difference("", &value(self), &value(wanted))
    }
}

/// Where `kept` and `wanted` differ first, and how.
fn first_difference(name: &str, kept: &serde_json::Value, wanted: &serde_json::Value) -> Option<String> {
    use serde_json::Value::Object;
    match (kept, wanted) {
        (Object(a), Object(b)) => {
            let names = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let null = serde_json::Value::Null;
            names.into_iter().find_map(|key| {
                let path = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                first_difference(&path, a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null))
            })
        }
        _ if kept == wanted => None,
        _ => {
            let short = |value: &serde_json::Value| {
                let text = value.to_string();
                if text.chars().count() > 60 {
                    format!("{}...", text.chars().take(57).collect::<String>())
                } else {
                    text
                }
            };
            Some(format!("its {name} is {}, not {}", short(kept), short(wanted)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(sampling: Sampling) -> State {
        let site = serde_json::json!({"dataset": {"checksum": "abc"}, "click": "perfect"});
        let mut state = State::new(Identity { seed: 7, arms: 4, queries: 3, sampling, multileaved: false, site });
        let pairs = "all".to_owned();
        state.requests.push(Request { impressions: 50, more: false, pairs, until_standard_error: Some(0.1) });
        state.totals.wins = (0..6).collect();
        state.totals.comparisons = vec![u64::MAX; 6];
        state.rounds.push(Played { impressions: 20, pairs: 6 });
        (state.left, state.done) = (10, false);
        let mut sums = empty_sums(2, sampling == Sampling::Stratified);
        sums[0].counts.wins = vec![3, 4];
        state.current = Some(Current { impressions: 20, places: vec![1, 5], pieces: 2, sums });
        state
    }

    #[test]
    fn kept_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("P.state");
        for sampling in [Sampling::WithReplacement, Sampling::Stratified] {
            let state = state(sampling);
            assert_eq!(State::load(&folder.path().join("none"), &state.identity).unwrap(), None);
            state.save(&path).unwrap();
            assert_eq!(State::load(&path, &state.identity).unwrap(), Some(state));
        }
    }

    #[test]
    fn every_cut_and_every_wrong_byte_is_an_error() {
        let whole = state(Sampling::Stratified).encode().unwrap();
        for end in 0..whole.len() {
            assert!(State::decode(&whole[..end]).is_err(), "cut at {end}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(State::decode(&damaged).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_foreign_file_is_named_with_its_difference_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("P.state");
        let state = state(Sampling::WithReplacement);
        state.save(&path).unwrap();
        let before = std::fs::read(&path).unwrap();
        let message = |change: &dyn Fn(&mut Identity)| {
            let mut identity = state.identity.clone();
            change(&mut identity);
            format!("{:#}", State::load(&path, &identity).unwrap_err())
        };
        assert!(message(&|id| id.seed = 8).contains("its seed is 7, not 8"));
        assert!(message(&|id| id.sampling = Sampling::Stratified).contains("its sampling is"));
        let other = message(&|id| id.site["dataset"]["checksum"] = "abd".into());
        assert!(other.contains("its site.dataset.checksum is \"abc\", not \"abd\""), "{other}");
        assert!(!other.contains('\n'));
        std::fs::write(&path, &before[..before.len() - 1]).unwrap();
        let cut = format!("{:#}", State::load(&path, &state.identity).unwrap_err());
        assert!(cut.contains("cut off") && cut.contains("P.state"), "{cut}");
        assert_eq!(std::fs::read(&path).unwrap(), before[..before.len() - 1]);
    }
}
