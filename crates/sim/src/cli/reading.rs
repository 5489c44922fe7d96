//! Flags that say how a data set is read.

use std::path::Path;

use anyhow::Result;
use clap::{Args, ValueEnum};
use letor_io::{Cache, Dataset, OpenOptions, ReadOptions, Split};

/// How a data set is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data and impressions")]
pub(super) struct ReadingOptions {
    /// The split of a registered data set to use
    #[arg(long, value_name = "train|vali|test")]
    split: Option<Split>,

    /// The highest label that the data may hold; higher ones are taken for errors
    #[arg(long, value_name = "LABEL", default_value_t = 4.0)]
    max_label: f32,

    /// What `NULL` in place of a value means: an error, or 0
    #[arg(long, value_enum, default_value_t = Null::Error)]
    null: Null,

    /// What to do when a query id comes up again in another place: an error, or another query, or
    /// the same query continued
    #[arg(long, value_enum, default_value_t = SameQid::Error)]
    same_qid: SameQid,

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
    /// Opens what a person named.
    pub(super) fn open(&self, dataset: &[String]) -> Result<Dataset> {
        self.open_below(dataset, None)
    }

    /// The same, registered data being looked for below `root`.
    pub(super) fn open_below(&self, dataset: &[String], root: Option<&Path>) -> Result<Dataset> {
        let read = ReadOptions {
            same_qid: match self.same_qid {
                SameQid::Error => letor_io::SameQid::Error,
                SameQid::Separate => letor_io::SameQid::Separate,
                SameQid::Merge => letor_io::SameQid::Merge,
            },
            null: match self.null {
                Null::Error => letor_io::Null::Error,
                Null::Zero => letor_io::Null::Zero,
            },
            max_label: self.max_label,
            ..ReadOptions::default()
        };
        let cache = if self.no_cache { Cache::Off } else { Cache::default() };
        Ok(letor_io::open(dataset, &OpenOptions { read, split: self.split, root: root.map(Path::to_path_buf), cache })?)
    }
}
