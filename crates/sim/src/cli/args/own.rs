//! Flags for rankers of the user's own: TREC runs, and scores beside a data set.

use std::path::Path;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use letor_io::trec::{TrecTies, Unjudged};
use letor_io::{Dataset, Names, Runs};
use output::numbers::{escaped, with_separators, with_unit};
use output::usage::usage;
use simulation::spec::SiteSpec;

/// Rankers that are lists or scores in files.
#[derive(Debug, Args)]
#[command(next_help_heading = "Your own rankers")]
pub(in crate::cli) struct OwnArgs {
    /// TREC runs as the rankers, instead of --dataset: files of `query Q0 document rank score tag` (gzip too), NAME=FILE,
    /// or folders of runs. `--runs` does as well, with files instead of a number
    ///
    /// A run is called after its file (of files with one name, by its tag). It ranks by score; the rank column is ignored.
    /// Documents that it did not retrieve follow everything it did retrieve. The data set has the queries that are judged and
    /// for which a run retrieved something, and their retrieved documents.
    #[arg(long, value_name = "[NAME=]FILE,...", value_delimiter = ',', requires = "qrels")]
    trec_runs: Vec<String>,

    /// The judgments of the runs, files of `query 0 document label` (gzip too). Documents without a judgment have label
    /// 0, and negative labels are read as 0
    #[arg(long, value_name = "FILE,...", value_delimiter = ',', requires = "trec_runs")]
    qrels: Vec<String>,

    /// How a run orders documents of equal score: as trec_eval does (the larger document number first, scores in single
    /// precision), so that measures agree with it, or tied, so that users see any of them first [default: docno]
    #[arg(long, value_name = "ORDER", value_enum, requires = "trec_runs")]
    trec_ties: Option<TiesArg>,

    /// What becomes of retrieved documents without a judgment [default: zero]
    #[arg(long, value_name = "RULE", value_enum, requires = "trec_runs")]
    unjudged: Option<UnjudgedArg>,

    /// Scores of models as further rankers, beside --dataset: files with a score per row (from `lightgbm predict`,
    /// `xgboost predict`, RankLib's -score; or .npy), or NAME=FILE. They are numbered after the features
    #[arg(long, value_name = "[NAME=]FILE,...", value_delimiter = ',', conflicts_with = "trec_runs")]
    scores: Vec<String>,

    /// Only the --scores are rankers, numbered from 1; leave the features out
    #[arg(long, requires = "scores")]
    scores_only: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TiesArg {
    /// By document number, as trec_eval
    Docno,
    /// Tied; --ties says how users see them
    Keep,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UnjudgedArg {
    /// Label 0
    Zero,
    /// Leave them out of all lists
    Remove,
}

impl OwnArgs {
    /// Whether runs replace the data set.
    pub(in crate::cli) fn has_runs(&self) -> bool {
        !self.trec_runs.is_empty()
    }

    /// `spec`, whose data set is `asked`, with these rankers.
    ///
    /// # Errors
    /// If flags contradict each other.
    pub(in crate::cli) fn of_spec(&self, asked: &[String], spec: SiteSpec) -> Result<SiteSpec> {
        ensure!(
            !self.has_runs() || asked.is_empty(),
            usage("--trec-runs and --dataset exclude each other: runs are the rankers, and their qrels the data")
        );
        ensure!(
            self.scores.is_empty() || !asked.is_empty(),
            usage("--scores belong to the rows of a data set: add --dataset")
        );
        Ok(SiteSpec {
            dataset: if self.has_runs() { Vec::new() } else { spec.dataset },
            trec_runs: self.trec_runs.clone(),
            qrels: self.qrels.clone(),
            trec_ties: match self.trec_ties {
                Some(TiesArg::Keep) => TrecTies::Keep,
                None | Some(TiesArg::Docno) => TrecTies::Docno,
            },
            unjudged: match self.unjudged {
                Some(UnjudgedArg::Remove) => Unjudged::Remove,
                None | Some(UnjudgedArg::Zero) => Unjudged::Zero,
            },
            scores: self.scores.clone(),
            scores_only: self.scores_only,
            ..spec
        })
    }

    /// The files asked for, in addition to the data set `asked`: what is in them is unknown, unlike a registered set.
    pub(in crate::cli) fn files(&self, asked: &[String]) -> Vec<String> {
        asked.iter().chain(&self.trec_runs).chain(&self.scores).cloned().collect()
    }
}

/// `arguments` with `--trec-runs` instead of `--runs` where its value is not a number of runs but files.
pub(in crate::cli) fn runs_of_files(arguments: Vec<std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let has_qrels =
        arguments.iter().filter_map(|word| word.to_str()).any(|word| word == "--qrels" || word.starts_with("--qrels="));
    let is_files = |value: &str| {
        let numeric = |c: char| c.is_ascii_digit() || matches!(c, 'e' | 'E' | '.' | '-' | '+' | '_');
        !value.is_empty()
            && !value.chars().all(numeric)
            && (has_qrels || value.contains(['/', ',', '=', '.']) || Path::new(value).exists())
    };
    let mut changed = arguments.clone();
    for (at, word) in arguments.iter().enumerate() {
        let Some(word) = word.to_str() else { continue };
        if let Some(value) = word.strip_prefix("--runs=").filter(|value| is_files(value)) {
            changed[at] = format!("--trec-runs={value}").into();
        } else if word == "--runs" && arguments.get(at + 1).and_then(|value| value.to_str()).is_some_and(is_files) {
            changed[at] = "--trec-runs".into();
        }
    }
    changed
}

/// What a data set has as rankers, e.g. `46 features` or `2 runs (bm25, ltr)`.
pub(super) fn rankers_of(dataset: &Dataset) -> String {
    const MOST: usize = 8;
    let names: Vec<&str> = dataset.feature_names().into_iter().flat_map(Names::iter).flatten().collect();
    let shown = names.iter().take(MOST).map(|name| escaped(name)).collect::<Vec<_>>().join(", ");
    let listed = match names.len() {
        0 => String::new(),
        more if more > MOST => format!(" ({shown} and {} more)", more - MOST),
        _ => format!(" ({shown})"),
    };
    let what = if dataset.runs().is_some() { "run" } else { "feature" };
    format!("{}{listed}", with_unit(dataset.features().into(), what))
}

/// Notes on what was left out of a data set of runs, or filled in.
pub(super) fn notes(dataset: &Dataset, runs: &Runs) -> Vec<String> {
    let counts = runs.counts();
    let name = |run: usize| match dataset.feature_names().and_then(|names| names.get(run)) {
        Some(name) => escaped(name).into_owned(),
        None => format!("run {}", run + 1),
    };
    let mut notes = Vec::new();
    if !counts.unjudged_queries.is_empty() {
        let queries = with_unit(counts.unjudged_queries.len() as u64, "query");
        notes.push(format!("left out {queries} of the runs without judgments: {}", listed(&counts.unjudged_queries)));
    }
    let without = runs.without_documents();
    if !without.is_empty() {
        let queries = with_unit(without.len() as u64, "judged query");
        let judged = if counts.removed { " that are judged" } else { "" };
        let each = if without.len() == 1 { "it" } else { "each" };
        let zero = format!("means of measures count 0 for {each}");
        notes.push(format!("left out {queries} without retrieved documents{judged} ({zero}): {}", listed(without)));
    }
    let empty: Vec<String> = counts
        .empty_lists
        .iter()
        .enumerate()
        .filter(|(_, queries)| **queries > 0)
        .map(|(run, queries)| format!("{} for {}", name(run), with_unit(*queries as u64, "query")))
        .collect();
    if !empty.is_empty() {
        notes.push(format!("nothing was retrieved by {}, where it shows documents in random order", listed(&empty)));
    }
    if counts.unjudged > 0 {
        let of = match counts.removed {
            true => dataset.documents() + counts.unjudged,
            false => dataset.documents(),
        };
        let share = percent(counts.unjudged, of);
        notes.push(match counts.removed {
            true => format!("removed the {share} of the retrieved documents that are not judged"),
            false => format!(
                "{share} of the retrieved documents are not judged: label 0 (--unjudged remove leaves them out)"
            ),
        });
    }
    let tied: Vec<String> = counts
        .tied
        .iter()
        .zip(&counts.retrieved)
        .enumerate()
        .filter(|(_, (tied, _))| **tied > 0)
        .map(|(run, (tied, retrieved))| format!("{} of {}", percent(*tied, *retrieved), name(run)))
        .collect();
    if !tied.is_empty() {
        let rule = match counts.ties_kept {
            true => "they stay tied",
            false => "ordered by document number, as trec_eval does (--trec-ties keep leaves them tied)",
        };
        notes.push(format!("equal scores in {}: {rule}", listed(&tied)));
    }
    if counts.comments > 0 {
        notes.push(format!("skipped {}, as trec_eval does", with_unit(counts.comments as u64, "comment line")));
    }
    if counts.negative > 0 {
        notes.push(format!("{} read as 0", with_unit(counts.negative as u64, "negative label")));
    }
    if counts.repeated > 0 {
        notes.push(format!("{} more than once, with the same label", with_unit(counts.repeated as u64, "judgment")));
    }
    notes
}

/// The first few of a list.
fn listed(all: &[String]) -> String {
    const MOST: usize = 5;
    let shown = all.iter().take(MOST).map(|one| escaped(one)).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {} more", with_separators(more as u64)),
    }
}

fn percent(part: usize, of: usize) -> String {
    let share = 100.0 * part as f64 / of.max(1) as f64;
    if share > 0.0 && share < 0.95 { format!("{share:.1}%") } else { format!("{share:.0}%") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_runs_stays_one() {
        let rewritten = |words: &str| {
            let words = words.split(' ').map(Into::into).collect();
            let words = runs_of_files(words).into_iter().map(|word| word.into_string().expect("text"));
            words.collect::<Vec<_>>().join(" ")
        };
        for same in ["sim --runs 5", "sim --runs=1e3", "sim --runs -3", "sim --runs many", "sim --runs", "sim --runs="]
        {
            assert_eq!(rewritten(same), same);
        }
        for files in ["a.run", "a,b", "x=a", "runs/a", "src", "./5"] {
            assert_eq!(rewritten(&format!("sim --runs {files}")), format!("sim --trec-runs {files}"));
            assert_eq!(rewritten(&format!("sim --runs={files} --runs 3")), format!("sim --trec-runs={files} --runs 3"));
        }
        assert_eq!(rewritten("sim --runs bm25 --qrels q --runs 7"), "sim --trec-runs bm25 --qrels q --runs 7");
    }
}
