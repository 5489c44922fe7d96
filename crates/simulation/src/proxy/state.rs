//! The state of an estimation, and its file, which survives interruptions.
//!
//! A state file consists of a line with its format, a line of JSON (the identity of the matrix and the progress), the
//! counts as little-endian numbers, and the SHA-256 of all of this. It is written under a temporary name and renamed,
//! so that there is always one complete file. A file that is truncated or belongs to another matrix is an error and is
//! not changed.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use output::checksum::{self, seal, unseal};
use output::difference::{Compare, first_difference};
use serde::{Deserialize, Serialize};

use super::round::{Sampling, empty_sums};
use super::selection::pair_count;
use super::strata::Sums;

/// The first line. The number increases whenever the meaning of a file changes.
const MAGIC: &str = "rankduel proxy state 1\n";

/// Everything that identifies a matrix: a state file with another identity is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The master seed.
    pub seed: u64,
    /// The number of arms.
    pub arms: usize,
    /// The number of queries.
    pub queries: usize,
    /// How queries are drawn.
    pub sampling: Sampling,
    /// Whether all arms share one multileaved list; otherwise each pair is interleaved separately.
    pub multileaved: bool,
    /// The full description of the site: data with checksum, rankers, clicks and methods.
    pub site: serde_json::Value,
}

/// The impressions that one command requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Impressions per selected pair.
    pub impressions: u64,
    /// Whether they are added to those of earlier requests.
    pub more: bool,
    /// The selected pairs, in the text form of [`PairSelection`](super::PairSelection).
    pub pairs: String,
    /// If given, rounds are added until no selected pair has a larger standard error.
    pub until_standard_error: Option<f64>,
}

impl fmt::Display for Request {
    /// Writes the request as flags.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.more { "--more" } else { "--impressions-per-pair" }, self.impressions)?;
        if let Some((kind, list)) = self.pairs.split_once(':') {
            write!(f, " --{kind} {list}")?;
        }
        self.until_standard_error.map_or(Ok(()), |error| write!(f, " --until-se {error}"))
    }
}

/// A finished round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedRound {
    /// Impressions per pair.
    pub impressions: u64,
    /// The number of pairs.
    pub pairs: usize,
}

/// The state of an estimation: its requests, and the counts so far.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The identity of the matrix.
    pub identity: Identity,
    /// All requests; only the last may be unfinished.
    pub requests: Vec<Request>,
    /// Impressions per pair of the last request that no round has started yet.
    pub impressions_left: u64,
    /// Whether the last request is fulfilled.
    pub is_done: bool,
    /// All finished rounds.
    pub rounds: Vec<FinishedRound>,
    /// Counts of each pair over all finished rounds.
    pub(super) totals: Totals,
    /// The unfinished round, if any.
    pub(super) current: Option<OpenRound>,
}

/// Counts of each pair over all finished rounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) wins: Vec<u64>,
    pub(super) ties: Vec<u64>,
    pub(super) comparisons: Vec<u64>,
    /// With strata: the variance of 2 wins + ties, summed over rounds; otherwise empty.
    pub(super) variances: Vec<f64>,
}

/// An unfinished round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenRound {
    pub(super) impressions: u64,
    /// Indices of its pairs among all pairs.
    pub(super) pairs: Vec<u32>,
    /// The number of pieces with outcomes in `sums`: always the first ones.
    pub(super) pieces: u64,
    pub(super) sums: Vec<Sums>,
}

/// The line of JSON. The names of its fields are part of the file format.
#[derive(Serialize, Deserialize)]
struct Header {
    identity: Identity,
    requests: Vec<Request>,
    left: u64,
    done: bool,
    rounds: Vec<FinishedRound>,
    current: Option<OpenRoundHeader>,
}

#[derive(Serialize, Deserialize)]
struct OpenRoundHeader {
    impressions: u64,
    pairs: usize,
    pieces: u64,
}

impl State {
    /// The most memory that the estimation of a matrix of `arms` rankers takes, its files included, in bytes.
    #[must_use]
    pub fn bytes(arms: usize, sampling: Sampling) -> u64 {
        let (counts, pair) = (2 * size_of::<u32>() as u64, size_of::<(u32, u32)>() as u64);
        let (totals, sums) = match sampling {
            Sampling::WithReplacement => (3 * 8, counts),
            // Also variances, and sums of squares for two kinds of queries.
            Sampling::Stratified => (4 * 8, 2 * (counts + 8)),
        };
        let threads = rayon::current_num_threads() as u64;
        // The places and pairs of the round, what it has counted, and the counts of each thread.
        let playing_bytes = 2 * 4 + 3 * pair + sums + threads * (sums + counts);
        // The bytes of the state file.
        let saving = 2 * 4 + sums + totals + 4 + sums;
        // All pairs, the matrix, and its text of twenty bytes per cell or the tables of all counts.
        let writing = pair + 16 + 5 * 16;
        (pair_count(arms) as u64).saturating_mul(totals + playing_bytes.max(saving).max(writing))
    }

    /// A state without requests and comparisons.
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
        Self {
            identity,
            requests: Vec::new(),
            impressions_left: 0,
            is_done: true,
            rounds: Vec::new(),
            totals,
            current: None,
        }
    }

    /// Writes the state to the file at `path` in one step.
    ///
    /// # Errors
    /// As for [`output::write_atomic`]; a previous file remains.
    pub fn save(&self, path: &Path) -> Result<()> {
        output::write_atomic(path, &self.encode()?)
    }

    /// Reads the state in the file at `path`, whatever its identity; `None` if there is no file.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let bytes = match output::input::read_file(path, u64::MAX) {
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
        let header = Header {
            identity: self.identity.clone(),
            requests: self.requests.clone(),
            left: self.impressions_left,
            done: self.is_done,
            rounds: self.rounds.clone(),
            current: self.current.as_ref().map(|current| OpenRoundHeader {
                impressions: current.impressions,
                pairs: current.pairs.len(),
                pieces: current.pieces,
            }),
        };
        let mut bytes = MAGIC.as_bytes().to_vec();
        serde_json::to_writer(&mut bytes, &header)?;
        bytes.push(b'\n');
        let Totals { wins, ties, comparisons, variances } = &self.totals;
        [wins, ties, comparisons].into_iter().flatten().for_each(|n| bytes.extend(n.to_le_bytes()));
        variances.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        if let Some(OpenRound { pairs, sums, .. }) = &self.current {
            pairs.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
            for Sums { counts, squares } in sums {
                counts.wins.iter().chain(&counts.ties).for_each(|n| bytes.extend(n.to_le_bytes()));
                squares.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
            }
        }
        Ok(seal(bytes))
    }

    fn decode(bytes: &[u8]) -> Result<Self> {
        let is_known = |what: &[u8]| what.starts_with(MAGIC.as_bytes());
        ensure!(
            is_known(bytes),
            match MAGIC.as_bytes().starts_with(bytes) {
                true => "it is truncated",
                false => "it is not the state of a proxy matrix, or it has another version",
            }
        );
        let body = unseal(bytes).filter(|body| is_known(body));
        let body = body.context("it is truncated or damaged: its checksum does not match")?;
        let body = &body[MAGIC.len()..];
        let end = body.iter().position(|&byte| byte == b'\n').context("the line of its header does not end")?;
        let header: Header = serde_json::from_slice(&body[..end]).context("its header is unreadable")?;
        let mut numbers = Numbers(&body[end + 1..]);
        // Checked first: memory is allocated for as many pairs as the header declares.
        let arms = u64::try_from(header.identity.arms)?;
        let declared = arms.checked_mul(arms.saturating_sub(1)).and_then(|twice| (twice / 2).checked_mul(24));
        ensure!(
            declared.is_some_and(|bytes| bytes <= numbers.0.len() as u64),
            "it holds fewer numbers than its header declares"
        );
        let mut state = Self::new(header.identity);
        let Totals { wins, ties, comparisons, variances } = &mut state.totals;
        [wins, ties, comparisons].into_iter().try_for_each(|totals| numbers.fill(totals, u64::from_le_bytes))?;
        numbers.fill(variances, f64::from_le_bytes)?;
        if let Some(current) = header.current {
            let mut pairs = vec![0; current.pairs.min(pair_count(state.identity.arms))];
            numbers.fill(&mut pairs, u32::from_le_bytes)?;
            let all_pairs = state.totals.wins.len();
            ensure!(pairs.iter().all(|&pair| (pair as usize) < all_pairs), "it holds a pair that does not exist");
            let mut sums = empty_sums(pairs.len(), state.identity.sampling == Sampling::Stratified);
            for Sums { counts, squares } in &mut sums {
                numbers.fill(&mut counts.wins, u32::from_le_bytes)?;
                numbers.fill(&mut counts.ties, u32::from_le_bytes)?;
                numbers.fill(squares, u64::from_le_bytes)?;
            }
            let OpenRoundHeader { impressions, pieces, .. } = current;
            state.current = Some(OpenRound { impressions, pairs, pieces, sums });
        }
        ensure!(numbers.0.is_empty(), "it holds more numbers than its header declares");
        Ok(Self {
            requests: header.requests,
            impressions_left: header.left,
            is_done: header.done,
            rounds: header.rounds,
            ..state
        })
    }
}

impl State {
    /// Reads `bytes` as they are, or with a checksum that fits; whether they are a state. For fuzzing.
    ///
    /// # Panics
    /// If reading panics, or if writing and reading the state changes it.
    pub fn check_bytes(bytes: &[u8], repair: bool) -> bool {
        let mut bytes = bytes.to_vec();
        if repair {
            bytes.truncate(bytes.len().saturating_sub(checksum::LENGTH));
            bytes = seal(bytes);
        }
        let Ok(state) = Self::decode(&bytes) else { return false };
        let encoded = state.encode().expect("a state that was read can be written");
        let decoded = Self::decode(&encoded).expect("a state that was written can be read");
        assert_eq!(decoded.encode().expect("as before"), encoded, "writing and reading changed the state");
        true
    }
}

/// Bytes from which numbers are read one after another.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn fill<T, const N: usize>(&mut self, numbers: &mut [T], read: fn([u8; N]) -> T) -> Result<()> {
        for number in numbers {
            let (bytes, remaining) =
                self.0.split_first_chunk().context("it holds fewer numbers than its header declares")?;
            (*number, self.0) = (read(*bytes), remaining);
        }
        Ok(())
    }
}

impl Identity {
    /// Describes the first difference between this identity and `expected`; `None` if they are equal.
    pub(super) fn difference(&self, expected: &Self) -> Option<String> {
        let value = |identity| serde_json::to_value(identity).unwrap_or_default();
        first_difference(&value(self), &value(expected), Compare::Everything)
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
        state.rounds.push(FinishedRound { impressions: 20, pairs: 6 });
        (state.impressions_left, state.is_done) = (10, false);
        let mut sums = empty_sums(2, sampling == Sampling::Stratified);
        sums[0].counts.wins = vec![3, 4];
        state.current = Some(OpenRound { impressions: 20, pairs: vec![1, 5], pieces: 2, sums });
        state
    }

    #[test]
    fn a_saved_state_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("P.state");
        for sampling in [Sampling::WithReplacement, Sampling::Stratified] {
            let state = state(sampling);
            assert_eq!(State::read(&folder.path().join("none")).unwrap(), None);
            state.save(&path).unwrap();
            assert_eq!(State::read(&path).unwrap(), Some(state));
        }
    }

    #[test]
    fn every_truncation_and_every_wrong_byte_is_an_error() {
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
    fn differences_of_matrices_and_damaged_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("P.state");
        let state = state(Sampling::WithReplacement);
        state.save(&path).unwrap();
        let before = std::fs::read(&path).unwrap();
        let message = |change: &dyn Fn(&mut Identity)| {
            let mut identity = state.identity.clone();
            change(&mut identity);
            state.identity.difference(&identity).expect("another matrix")
        };
        assert!(message(&|id| id.seed = 8).contains("its seed is 7, not 8"));
        assert!(message(&|id| id.sampling = Sampling::Stratified).contains("its sampling is"));
        let other = message(&|id| id.site["dataset"]["checksum"] = "abd".into());
        assert!(other.contains("its site.dataset.checksum is \"abc\", not \"abd\""), "{other}");
        assert!(!other.contains('\n'));
        std::fs::write(&path, &before[..before.len() - 1]).unwrap();
        let truncated = format!("{:#}", State::read(&path).unwrap_err());
        assert!(truncated.contains("truncated") && truncated.contains("P.state"), "{truncated}");
        assert_eq!(std::fs::read(&path).unwrap(), before[..before.len() - 1]);
    }
}
