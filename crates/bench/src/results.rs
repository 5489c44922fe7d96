//! The results of a run of the benchmark, as one file of JSON: every value, and checksums of its inputs.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use output::usage::usage;
use ranktypes::text::check_name;
use serde::{Deserialize, Serialize, Serializer};

use crate::entry::EntryInfo;
use crate::problems::{BestNotion, Family, Problem};
use crate::track::{Measure, Track};

/// The form of the file.
pub(crate) const FORMAT: &str = "rankduel bench results 1";

/// The results of some entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// The form of this file.
    pub format: String,
    /// The edition of the benchmark.
    pub bench: String,
    /// The checksum of its definition.
    pub definition: String,
    /// The checksum of the key that everything was derived from.
    pub key_sha256: String,
    /// The version of the program.
    pub program: String,
    /// The version of the protocol.
    pub protocol: u32,
    /// The problems played.
    pub problems: Vec<ProblemInfo>,
    /// The entries.
    pub entries: Vec<EntryInfo>,
    /// What was measured.
    pub tracks: BTreeMap<Track, TrackResults>,
}

/// A problem, as results describe it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemInfo {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub family: Family,
    /// The number of arms.
    pub arms: usize,
    /// The checksum of its exact numbers.
    pub sha256: String,
    /// Whether an arm beats every other one, at the beginning.
    pub condorcet_winner: bool,
}

impl ProblemInfo {
    pub(crate) fn of(problem: &Problem) -> Self {
        Self {
            name: problem.name.clone(),
            family: problem.family,
            arms: problem.arms(),
            sha256: problem.checksum(),
            condorcet_winner: problem.truth(BestNotion::Condorcet).is_some(),
        }
    }
}

/// The results of a track.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrackResults {
    /// Sessions per entry and problem.
    pub runs: u64,
    /// The problems, in the order of values.
    pub problems: Vec<String>,
    /// What was measured, in the order of values.
    pub measures: Vec<Measure>,
    /// The entries.
    pub entries: BTreeMap<String, EntryResults>,
}

/// Values per problem, measure and run.
pub type RunValues = Vec<Vec<Option<Vec<f64>>>>;

/// Writes whole numbers without a decimal point, which makes most files half as long.
fn serialize_short<S: Serializer>(values: &RunValues, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Number {
        Whole(i64),
        Other(f64),
    }
    #[expect(clippy::cast_possible_truncation, reason = "compared with what it was")]
    let number = |value: &f64| match *value as i64 {
        whole if whole as f64 == *value => Number::Whole(whole),
        _ => Number::Other(*value),
    };
    let runs = |of: &Option<Vec<f64>>| of.as_ref().map(|of| of.iter().map(number).collect::<Vec<_>>());
    let all = values.iter().map(|problem| problem.iter().map(runs).collect::<Vec<_>>());
    serializer.collect_seq(all)
}

/// The results of an entry in a track.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryResults {
    /// Per problem and measure the value of each run; `None` where the measure does not apply to the problem.
    Values(#[serde(serialize_with = "serialize_short")] RunValues),
    /// It does not play all problems of the track, and why.
    DoesNotPlay(String),
    /// It broke a rule, and which.
    Disqualified(String),
}

impl Results {
    /// Reads results.
    ///
    /// # Errors
    /// If the text is something else, or of another form.
    pub fn from_json(text: &str) -> Result<Self> {
        // Results in another form have other fields.
        #[derive(Deserialize)]
        struct Form {
            format: String,
        }
        let Form { format } = serde_json::from_str(text).context("not the results of a benchmark")?;
        ensure!(
            format == FORMAT,
            usage(format!("the form of these results is `{format}`, this program reads `{FORMAT}`"))
        );
        let results: Self = serde_json::from_str(text).context("not the results of a benchmark")?;
        results.check()?;
        Ok(results)
    }

    /// Their JSON, with a line per entry of a track, so that differences can be read.
    ///
    /// # Errors
    /// If they have no JSON form.
    pub fn to_json(&self) -> Result<String> {
        let line = |text: serde_json::Result<String>| text.context("results have a JSON form");
        let members = |object: String| object.strip_prefix('{').and_then(|of| of.strip_suffix('}')).map(str::to_owned);
        let head = line(serde_json::to_string(&Self { tracks: BTreeMap::new(), ..self.clone() }))?;
        let mut text = head.strip_suffix("{}}").context("tracks come last")?.to_owned() + "{";
        for (place, (track, results)) in self.tracks.iter().enumerate() {
            let empty_results =
                line(serde_json::to_string(&TrackResults { entries: BTreeMap::new(), ..results.clone() }))?;
            let empty_results = empty_results.strip_suffix("{}}").context("entries come last")?;
            text += &format!("{}\n\"{}\":{empty_results}{{", if place == 0 { "" } else { "," }, track.name());
            let entries = results
                .entries
                .iter()
                .map(|entry| members(line(serde_json::to_string(&BTreeMap::from([entry])))?).context("an object"));
            text += &format!("\n{}\n}}}}", entries.collect::<Result<Vec<_>>>()?.join(",\n"));
        }
        Ok(text + "}}\n")
    }

    /// Whether every entry has as many values as there are problems, measures and runs, and texts can be printed.
    fn check(&self) -> Result<()> {
        let problem_names =
            self.entries.iter().map(|entry| &entry.name).chain(self.problems.iter().map(|problem| &problem.name));
        let played = self.tracks.values().flat_map(|of| of.problems.iter().chain(of.entries.keys()));
        for name in problem_names.chain(played) {
            check_name(name).map_err(|fault| anyhow::anyhow!("a name {fault}"))?;
        }
        for (track, results) in &self.tracks {
            ensure!(
                results.runs > 0 && !results.problems.is_empty(),
                "track {}: there are no runs or no problems",
                track.letter()
            );
            for entry in results.entries.values() {
                if let EntryResults::DoesNotPlay(text) | EntryResults::Disqualified(text) = entry {
                    check_name(text).map_err(|fault| anyhow::anyhow!("a reason {fault}"))?;
                }
            }
            for (name, entry) in &results.entries {
                let EntryResults::Values(values) = entry else { continue };
                let runs_fit =
                    |runs: &Option<Vec<f64>>| runs.as_ref().is_none_or(|runs| runs.len() as u64 == results.runs);
                let has_all_values = values.len() == results.problems.len()
                    && values.iter().all(|of| of.len() == results.measures.len() && of.iter().all(runs_fit));
                ensure!(
                    has_all_values,
                    "track {}: the values of {name} are not those of {} problems, {} measures and {} runs",
                    track.letter(),
                    results.problems.len(),
                    results.measures.len(),
                    results.runs
                );
            }
        }
        Ok(())
    }
}
