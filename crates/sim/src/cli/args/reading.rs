//! Flags that say how a data set is read.

use std::path::Path;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use letor_io::{Cache, Dataset, ErrorKind, OpenOptions, ReadOptions, Split, lookalike};

use crate::output::numbers::parse_number;
use crate::output::usage::usage;

/// How a data set is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data and impressions")]
pub(in crate::cli) struct ReadingOptions {
    /// The split of a registered data set to use
    #[arg(long, value_name = "train|vali|test")]
    split: Option<Split>,

    /// The highest label that files may hold; higher ones are taken for errors [default: 4]
    #[arg(long, value_name = "LABEL", value_parser = parse_number)]
    max_label: Option<f64>,

    /// What `NULL` in place of a value means in files: an error, or 0 [default: error]
    #[arg(long, value_name = "MEANING", value_enum)]
    null: Option<Null>,

    /// What to do when a query id comes up again in another place of the files: an error, or another
    /// query, or the same query continued [default: error]
    #[arg(long, value_name = "MEANING", value_enum)]
    same_qid: Option<SameQid>,

    /// Read the data anew, and leave no binary cache beside them (ORE_CACHE_DIR names another folder
    /// for caches)
    #[arg(long)]
    no_cache: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Null {
    /// Refuse
    Error,
    /// An absent value
    Zero,
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

impl ReadingOptions {
    /// Which part is read, for the name of a folder. How files are read shows in their content.
    pub(in crate::cli) fn part(&self) -> Option<String> {
        self.split.map(|split| split.name().to_owned())
    }

    /// Opens what a person named.
    pub(in crate::cli) fn open(&self, dataset: &[String]) -> Result<Dataset> {
        let generated =
            dataset.first().filter(|name| lookalike::names().any(|known| name.split(':').next() == Some(known)));
        if let Some(name) = generated {
            let flags = [
                ("--max-label", self.max_label.is_some()),
                ("--null", self.null.is_some()),
                ("--same-qid", self.same_qid.is_some()),
            ];
            for (flag, given) in flags {
                ensure!(
                    !given,
                    usage(format!("{flag} says how files are read, but {name} is generated; leave it out"))
                );
            }
        }
        self.open_below(dataset, None).map_err(|error| match error.downcast_ref::<letor_io::Error>() {
            // A look-alike's scale or seed, or a part that a data set does not have.
            Some(wrong) if wrong.kind() == ErrorKind::Unknown && (generated.is_some() || self.split.is_some()) => {
                usage(wrong)
            }
            _ => error,
        })
    }

    /// The same, registered data being looked for below `root`.
    pub(in crate::cli) fn open_below(&self, dataset: &[String], root: Option<&Path>) -> Result<Dataset> {
        let usual = ReadOptions::default();
        let read = ReadOptions {
            same_qid: match self.same_qid.unwrap_or(SameQid::Error) {
                SameQid::Error => letor_io::SameQid::Error,
                SameQid::Separate => letor_io::SameQid::Separate,
                SameQid::Merge => letor_io::SameQid::Merge,
            },
            null: match self.null.unwrap_or(Null::Error) {
                Null::Error => letor_io::Null::Error,
                Null::Zero => letor_io::Null::Zero,
            },
            max_label: self.max_label.map_or(usual.max_label, |label| label as f32),
            ..usual
        };
        let cache = if self.no_cache { Cache::Off } else { Cache::default() };
        Ok(letor_io::open(dataset, &OpenOptions { read, split: self.split, root: root.map(Path::to_path_buf), cache })?)
    }
}
