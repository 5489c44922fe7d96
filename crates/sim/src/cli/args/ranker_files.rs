//! Flags for rankers of the user's own: TREC runs, and scores beside a data set.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use letor_io::trec::{TrecTies, UnjudgedRule};
use letor_io::{Dataset, Names};
use output::numbers::with_unit;
use output::usage::usage;
use ranktypes::text::escaped;
use simulation::spec::SiteSpec;

/// The heading of flags about documents with equal scores.
pub(super) const TIES: &str = "Documents with equal scores";

/// The bytes of a file that are looked at for its first line.
const RUN_PREFIX_BYTES: u64 = 4096;

/// Rankers that are lists or scores in files.
#[derive(Debug, Args)]
#[command(next_help_heading = "Your own rankers")]
pub(in crate::cli) struct RankerFileArgs {
    /// TREC runs as the rankers, instead of --dataset: files of `query Q0 document rank score tag` (gzip too), NAME=FILE,
    /// or folders of runs
    ///
    /// A run is called after its file (of files with one name, by its tag). It ranks by score; the rank column is ignored.
    /// Documents that it did not retrieve follow everything it did retrieve. The data set has the queries that are judged and
    /// for which a run retrieved something, and their retrieved documents.
    #[arg(long, value_name = "[NAME=]FILE,...", value_delimiter = ',', requires = "qrels")]
    rankings: Vec<String>,

    /// The judgments of the runs, files of `query 0 document label` (gzip too). Documents without a judgment have label
    /// 0, and negative labels are read as 0
    #[arg(long, value_name = "FILE,...", value_delimiter = ',', requires = "rankings")]
    qrels: Vec<String>,

    /// How a run orders documents of equal score: as trec_eval does (the larger document number first, scores in single
    /// precision), so that measures agree with it, or tied, so that users see any of them first [default: docno]
    #[arg(long, value_name = "ORDER", value_enum, requires = "rankings", help_heading = TIES)]
    trec_ties: Option<TiesArg>,

    /// What becomes of retrieved documents without a judgment [default: zero]
    #[arg(long, value_name = "RULE", value_enum, requires = "rankings")]
    unjudged: Option<UnjudgedArg>,

    /// Scores of models as further rankers, beside --dataset: files with a score per row (from `lightgbm predict`,
    /// `xgboost predict`, RankLib's -score; or .npy), or NAME=FILE. They are numbered after the features
    #[arg(long, value_name = "[NAME=]FILE,...", value_delimiter = ',', conflicts_with = "rankings")]
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

impl RankerFileArgs {
    /// Whether runs replace the data set.
    pub(in crate::cli) fn has_runs(&self) -> bool {
        !self.rankings.is_empty()
    }

    /// `spec` with these rankers; `dataset_args` is its data set as given.
    ///
    /// # Errors
    /// If flags contradict each other.
    pub(in crate::cli) fn of_spec(&self, dataset_args: &[String], spec: SiteSpec) -> Result<SiteSpec> {
        if self.has_runs()
            && let Some(file) = dataset_args.iter().find(|file| looks_like_a_run(Path::new(file)))
        {
            anyhow::bail!(usage(format!(
                "found the file `{}` beside --rankings {}; commas separate runs: --rankings {},{}, or give their folder",
                escaped(file),
                escaped(&self.rankings.join(",")),
                escaped(&self.rankings.join(",")),
                escaped(file)
            )));
        }
        ensure!(
            !self.has_runs() || dataset_args.is_empty(),
            usage("--rankings and --dataset exclude each other: runs are the rankers, and their qrels the data")
        );
        ensure!(
            self.scores.is_empty() || !dataset_args.is_empty(),
            usage("--scores belong to the rows of a data set: add --dataset")
        );
        Ok(SiteSpec {
            dataset: if self.has_runs() { Vec::new() } else { spec.dataset },
            trec_runs: self.rankings.clone(),
            qrels: self.qrels.clone(),
            trec_ties: match self.trec_ties {
                Some(TiesArg::Keep) => TrecTies::Keep,
                None | Some(TiesArg::Docno) => TrecTies::Docno,
            },
            unjudged: match self.unjudged {
                Some(UnjudgedArg::Remove) => UnjudgedRule::Remove,
                None | Some(UnjudgedArg::Zero) => UnjudgedRule::Zero,
            },
            scores: self.scores.clone(),
            scores_only: self.scores_only,
            ..spec
        })
    }

    /// The given files, in addition to the data set `dataset_args`: their content is unknown, unlike a registered set's.
    pub(in crate::cli) fn files(&self, dataset_args: &[String]) -> Vec<String> {
        dataset_args.iter().chain(&self.rankings).chain(&self.scores).cloned().collect()
    }
}

/// Whether the first line of a file that is not a comment has the six columns of a run.
fn looks_like_a_run(path: &Path) -> bool {
    let Ok(file) = output::input::open(path) else { return false };
    let mut start = Vec::new();
    if file.take(RUN_PREFIX_BYTES).read_to_end(&mut start).is_err() {
        return false;
    }
    let text = String::from_utf8_lossy(&start);
    let first_line = text.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    first_line.is_some_and(|line| line.split_whitespace().count() == 6 && !line.contains("qid:"))
}

/// The rankers of a data set, e.g. `46 features` or `2 runs (bm25, ltr)`.
pub(super) fn rankers_of(dataset: &Dataset) -> String {
    const MAX_LISTED: usize = 8;
    let names: Vec<&str> = dataset.feature_names().into_iter().flat_map(Names::iter).flatten().collect();
    let names_text = names.iter().take(MAX_LISTED).map(|name| escaped(name)).collect::<Vec<_>>().join(", ");
    let listing = match names.len() {
        0 => String::new(),
        more if more > MAX_LISTED => format!(" ({names_text} and {} more)", more - MAX_LISTED),
        _ => format!(" ({names_text})"),
    };
    let noun = if dataset.runs().is_some() { "run" } else { "feature" };
    format!("{}{listing}", with_unit(dataset.features().into(), noun))
}
