//! Scores from results: medians, worst problems, ranks with intervals, critical differences. Tables are in `table`.
//!
//! | in | is |
//! |---|---|
//! | this file | results of several files joined, and [`Scores`] |
//! | `ranks` | mean ranks and their intervals |
//!
//! Entries are ranked on each problem by each measure, equal ones share their ranks, and the rank of an entry in a track is the mean
//! over problems and measures. The interval is that of the runs: a bootstrap draws as many runs as there were, with the same ones for
//! all entries of a problem, because these met the same luck. The critical difference is that of the problems (Nemenyi's): had others
//! been chosen, entries that are closer could as well change places.

mod ranks;

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use output::usage::usage;
use statistics::fixed_sample::critical_difference;

use crate::entry::EntryInfo;
use crate::results::{EntryResults, ProblemInfo, Results, RunValues, TrackResults};
use crate::track::{Measure, Summary, Track};
use ranks::Ranking;

/// The scores of all entries.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// The edition of the benchmark.
    pub bench: String,
    /// The checksum of its definition.
    pub definition: String,
    /// The checksum of the key.
    pub key_sha256: String,
    /// Versions of the programs that played.
    pub programs: Vec<String>,
    /// Problems of matrices in all results.
    pub problems: Vec<ProblemInfo>,
    /// All entries.
    pub entries: Vec<EntryInfo>,
    /// By track.
    pub tracks: Vec<TrackScores>,
}

/// The scores of a track.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackScores {
    /// The track.
    pub track: Track,
    /// The problems that all entries played.
    pub problems: Vec<String>,
    /// Runs that all entries have.
    pub runs: u64,
    /// What was measured.
    pub measures: Vec<Measure>,
    /// Ranked entries, the best first.
    pub ranked: Vec<EntryScore>,
    /// Mean ranks that differ by less could change places on other problems; `None` for fewer than two entries or problems.
    pub critical_difference: Option<f64>,
    /// Entries without a rank, and why.
    pub unranked: Vec<(String, String)>,
    /// Whether an entry was disqualified, of `unranked`.
    pub disqualified: Vec<String>,
}

/// The results of an entry in a track.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryScore {
    /// Its name.
    pub name: String,
    /// The mean of its ranks over problems and measures.
    pub rank: f64,
    /// The interval with 95% of bootstrap samples of the runs.
    pub interval: (f64, f64),
    /// By measure, in their order; `None` where no problem has the measure.
    pub measures: Vec<Option<MeasureScore>>,
}

/// The result of an entry by a measure.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasureScore {
    /// The median over problems.
    pub median: f64,
    /// The worst value, and its problem.
    pub worst: (f64, String),
    /// The mean over problems.
    pub mean: f64,
    /// The mean rank.
    pub rank: f64,
    /// By problem, in the order of the track; `None` where the measure does not apply.
    pub values: Vec<Option<f64>>,
}

impl Scores {
    /// Joins results and scores them. Problems count that all results have, runs as many as the fewest.
    ///
    /// # Errors
    /// If results are of different editions or keys, disagree about a problem or about the values of an entry, or two entries have the
    /// same name.
    pub fn of(all_results: &[Results]) -> Result<Self> {
        let first_results = all_results.first().context("no results")?;
        let mut entries: Vec<EntryInfo> = Vec::new();
        for results in all_results {
            ensure!(
                (&results.bench, &results.definition, &results.key_sha256)
                    == (&first_results.bench, &first_results.definition, &first_results.key_sha256),
                usage(format!(
                    "results of {} and {} do not compare: their definitions or keys differ; play all entries with one program and key",
                    first_results.bench, results.bench
                ))
            );
            for problem in &results.problems {
                let conflicting_problem = all_results
                    .iter()
                    .flat_map(|results| &results.problems)
                    .find(|other| other.name == problem.name && *other != problem);
                ensure!(
                    conflicting_problem.is_none(),
                    "results disagree about the problem {}: one of the files was changed",
                    problem.name
                );
            }
            for info in &results.entries {
                match entries.iter().find(|known| known.name == info.name) {
                    None => entries.push(info.clone()),
                    Some(known) => ensure!(
                        known == info,
                        usage(format!("two different entries are called `{}`; rename one with --entry", info.name))
                    ),
                }
            }
        }
        let is_common = |problem: &&ProblemInfo| all_results.iter().all(|results| results.problems.contains(problem));
        let mut programs: Vec<String> = all_results.iter().map(|results| results.program.clone()).collect();
        programs.sort_unstable();
        programs.dedup();
        let tracks = Track::ALL.into_iter().filter_map(|track| {
            let of_track: Vec<&TrackResults> =
                all_results.iter().filter_map(|results| results.tracks.get(&track)).collect();
            (!of_track.is_empty()).then(|| TrackScores::of(track, &of_track))
        });
        Ok(Self {
            bench: first_results.bench.clone(),
            definition: first_results.definition.clone(),
            key_sha256: first_results.key_sha256.clone(),
            programs,
            problems: first_results.problems.iter().filter(is_common).cloned().collect(),
            tracks: tracks.collect::<Result<_>>()?,
            entries,
        })
    }

    /// The scores of a track.
    #[must_use]
    pub fn track(&self, track: Track) -> Option<&TrackScores> {
        self.tracks.iter().find(|scores| scores.track == track)
    }
}

impl TrackScores {
    fn of(track: Track, all_results: &[&TrackResults]) -> Result<Self> {
        let first_results = all_results[0];
        let problems: Vec<String> = { first_results.problems.iter() }
            .filter(|name| all_results.iter().all(|results| results.problems.contains(name)))
            .cloned()
            .collect();
        ensure!(!problems.is_empty(), usage(format!("track {}: no problem is in all results", track.letter())));
        let runs = all_results.iter().map(|results| results.runs).min().unwrap_or(0);
        let mut players: BTreeMap<String, RunValues> = BTreeMap::new();
        let (mut unranked, mut disqualified) = (BTreeMap::new(), Vec::new());
        for results in all_results {
            ensure!(
                results.measures == first_results.measures,
                "track {}: results have other measures",
                track.letter()
            );
            for (name, entry) in &results.entries {
                match entry {
                    EntryResults::Values(values) => {
                        let problem_index =
                            |problem: &String| results.problems.iter().position(|other| other == problem);
                        let values_of_problem = |problem: &String| {
                            let measures = problem_index(problem).map_or(&[][..], |index| &values[index]);
                            let first_runs = |run_values: &Vec<f64>| run_values[..runs as usize].to_vec();
                            measures.iter().map(|run_values| run_values.as_ref().map(first_runs)).collect()
                        };
                        let values: RunValues = problems.iter().map(values_of_problem).collect();
                        let is_same = players.get(name).is_none_or(|known| *known == values);
                        ensure!(
                            is_same,
                            usage(format!(
                                "track {}: two results have other values of {name}, which one program and key always give again; \
                                 leave one out",
                                track.letter()
                            ))
                        );
                        players.insert(name.clone(), values);
                    }
                    EntryResults::DoesNotPlay(why) => {
                        unranked.insert(name.clone(), format!("does not play: {why}"));
                    }
                    EntryResults::Disqualified(what) => {
                        disqualified.push(name.clone());
                        unranked.insert(name.clone(), format!("disqualified: {what}"));
                    }
                }
            }
        }
        // An entry that broke a rule once has no rank, whatever else was measured.
        players.retain(|name, _| !unranked.contains_key(name));
        disqualified.sort_unstable();
        disqualified.dedup();
        let names: Vec<String> = players.keys().cloned().collect();
        let values: Vec<&RunValues> = players.values().collect();
        let ranking = Ranking::of(&values, &first_results.measures, runs as usize);
        let summarised = |player: usize, problem: usize, measure: usize| {
            let runs = values[player][problem][measure].as_ref()?;
            Some(summary(first_results.measures[measure].summary, runs))
        };
        let score = |player: usize| {
            let of_measure = |measure: usize| {
                let values: Vec<Option<f64>> =
                    (0..problems.len()).map(|problem| summarised(player, problem, measure)).collect();
                MeasureScore::of(
                    &first_results.measures[measure],
                    &problems,
                    values,
                    ranking.of_measure(player, measure),
                )
            };
            EntryScore {
                name: names[player].clone(),
                rank: ranking.mean[player],
                interval: ranking.intervals[player],
                measures: (0..first_results.measures.len()).map(of_measure).collect(),
            }
        };
        let mut scores: Vec<EntryScore> = (0..names.len()).map(score).collect();
        scores.sort_by(|one, other| one.rank.total_cmp(&other.rank));
        let critical_difference = critical_difference(names.len(), problems.len());
        let measures = first_results.measures.clone();
        Ok(Self {
            track,
            problems,
            runs,
            measures,
            ranked: scores,
            critical_difference,
            unranked: unranked.into_iter().collect(),
            disqualified,
        })
    }

    /// The scores of an entry, if it has a rank.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&EntryScore> {
        self.ranked.iter().find(|entry| entry.name == name)
    }
}

/// The values of all runs as one.
fn summary(kind: Summary, runs: &[f64]) -> f64 {
    match kind {
        Summary::Mean => runs.iter().sum::<f64>() / runs.len() as f64,
        Summary::MostRuns => {
            let mut ascending = runs.to_vec();
            ascending.sort_by(f64::total_cmp);
            // The smallest value that at least 95% do not exceed.
            ascending[(ascending.len() * 19).div_ceil(20).max(1) - 1]
        }
    }
}

impl MeasureScore {
    fn of(measure: &Measure, problems: &[String], values: Vec<Option<f64>>, rank: Option<f64>) -> Option<Self> {
        let mut known: Vec<(f64, &String)> =
            values.iter().zip(problems).filter_map(|(value, problem)| Some(((*value)?, problem))).collect();
        known.sort_by(|one, other| one.0.total_cmp(&other.0));
        let count = known.len();
        let &(worst, problem) = if measure.more_is_better { known.first()? } else { known.last()? };
        Some(Self {
            median: f64::midpoint(known[(count - 1) / 2].0, known[count / 2].0),
            worst: (worst, problem.clone()),
            mean: known.iter().map(|(value, _)| value).sum::<f64>() / count as f64,
            rank: rank?,
            values,
        })
    }
}
