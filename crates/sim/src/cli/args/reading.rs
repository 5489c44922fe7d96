//! Flags for reading a data set.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use letor_io::{Dataset, ErrorKind, Split, lookalike};
use output::numbers::parse_number;
use output::usage::usage;
use simulation::spec::{Reading, SiteSpec, SpecError};

/// The data set of a command that is about one, as an argument or as the flag of other commands.
///
/// The command says with a group whether it needs one.
#[derive(Debug, Args)]
pub(in crate::cli) struct DatasetArgs {
    /// A registered data set, a folder, files (comma separated), or a look-alike such as
    /// `mslr-lookalike:0.1`
    #[arg(value_name = "DATASET", value_delimiter = ',')]
    positional: Vec<String>,

    /// The same as DATASET, as other commands take it
    #[arg(long, value_name = "NAME|PATH,...", value_delimiter = ',', conflicts_with = "positional")]
    dataset: Vec<String>,
}

impl DatasetArgs {
    /// The data set as given: a name, or files.
    pub(in crate::cli) fn paths_or_names(&self) -> &[String] {
        if self.dataset.is_empty() { &self.positional } else { &self.dataset }
    }
}

/// How a data set is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data and impressions")]
pub(in crate::cli) struct ReadingArgs {
    /// The split of a registered data set to use
    #[arg(long, value_name = "train|vali|test")]
    split: Option<Split>,

    /// Highest valid label in files; higher labels are errors [default: 4]
    #[arg(long, value_name = "LABEL", value_parser = parse_number)]
    max_label: Option<f64>,

    /// What `NULL` means as a value in files: an error, the lowest value of the feature in the query (as in LETOR 4's MIN
    /// version; 0 if all are NULL), or 0 [default: error]
    ///
    /// Take `min`: no document without a value then outranks one with a value. With `zero` it does wherever values are
    /// negative; take it to reproduce numbers of tools that read NULL as 0.
    #[arg(long, value_name = "MEANING", value_enum)]
    null: Option<Null>,

    /// What a query id means that recurs later in the files: an error, a separate query, or more documents of the same
    /// query [default: error]
    #[arg(long, value_name = "MEANING", value_enum)]
    same_qid: Option<SameQid>,

    /// A file with the names of the features, which outputs call the rankers by: one per line, or lines of a feature's
    /// number, a tab and its name
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) names: Option<PathBuf>,

    /// Parse the text files again, and write no binary cache of them (`rankduel cache` lists the caches)
    #[arg(long)]
    pub(super) no_cache: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Null {
    /// Refuse
    Error,
    /// 0, like an absent value
    Zero,
    /// The lowest value of the feature in the query
    Min,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SameQid {
    /// Refuse
    Error,
    /// Another query
    Separate,
    /// The same query
    Merge,
}

impl ReadingArgs {
    /// The part of a folder name for the split. Other reading flags affect the content, which is part of the name.
    pub(in crate::cli) fn folder_suffix(&self) -> Option<String> {
        self.split.map(|split| split.name().to_owned())
    }

    /// The same as fields of a site.
    pub(in crate::cli) fn spec(&self) -> Reading {
        Reading {
            split: self.split,
            max_label: self.max_label,
            null: self.null.map(|null| match null {
                Null::Error => letor_io::Null::Error,
                Null::Zero => letor_io::Null::Zero,
                Null::Min => letor_io::Null::Min,
            }),
            same_qid: self.same_qid.map(|same_qid| match same_qid {
                SameQid::Error => letor_io::SameQid::Error,
                SameQid::Separate => letor_io::SameQid::Separate,
                SameQid::Merge => letor_io::SameQid::Merge,
            }),
            no_cache: self.no_cache,
        }
    }

    /// Opens the data set of `spec`; refuses flags about files for data that are generated.
    pub(in crate::cli) fn open(&self, spec: &SiteSpec) -> Result<Dataset> {
        let is_lookalike = |name: &&String| lookalike::names().any(|known| name.split(':').next() == Some(known));
        let generated = spec.dataset.first().filter(is_lookalike);
        if let Some(name) = generated {
            let flags = [
                ("--max-label", self.max_label.is_some()),
                ("--null", self.null.is_some()),
                ("--same-qid", self.same_qid.is_some()),
            ];
            for (flag, is_given) in flags {
                ensure!(!is_given, usage(format!("{flag} applies to files, but {name} is generated; leave it out")));
            }
        }
        let files = [
            ("--split", self.split.is_some()),
            ("--null", self.null.is_some()),
            ("--same-qid", self.same_qid.is_some()),
        ];
        for (flag, is_given) in files {
            let message = || usage(format!("{flag} applies to LETOR files, but the data are TREC runs; leave it out"));
            ensure!(!is_given || spec.trec_runs.is_empty(), message());
        }
        spec.open(None, letor_io::cache::folder().as_deref()).map_err(|error| {
            if let Some(spec_error) = error.downcast_ref::<SpecError>() {
                return usage(format!("--{spec_error}"));
            }
            match error.downcast_ref::<letor_io::Error>() {
                // An invalid scale or seed of a look-alike, or a split that the data set does not have.
                Some(spec_error)
                    if spec_error.kind() == ErrorKind::Unknown && (generated.is_some() || self.split.is_some()) =>
                {
                    usage(spec_error)
                }
                // Names are given as flags.
                Some(spec_error) if spec_error.kind() == ErrorKind::Name => usage(spec_error),
                _ => error,
            }
        })
    }
}
