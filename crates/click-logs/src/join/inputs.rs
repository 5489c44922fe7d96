//! The files of a log, and the resources for joining them.

use std::path::PathBuf;

/// The files of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    /// Lists that were shown.
    pub impressions: Vec<PathBuf>,
    /// Clicks on them.
    pub clicks: Vec<PathBuf>,
}

/// What joining may use, and in which order it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resources {
    /// Bytes of memory for records and tables.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
    /// An existing empty folder for data that exceed the memory.
    pub scratch_folder: PathBuf,
    /// The most bytes of temporary files; as many as are needed if `None`. With less than a log in any order needs, its files
    /// are read several times.
    pub disk: Option<u64>,
    /// Partitions; by the size of the files if `None`. No result depends on them.
    pub partitions: Option<usize>,
    /// The order of lines. No result depends on it.
    pub order: Order,
    /// Bytes that are read at a time, for each thread several times; a megabyte if `None`. No result depends on them.
    pub block: Option<usize>,
}

/// The order of the lines of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// By time if the beginnings of the files are, and as long as nothing else turns up; then any, from the beginning.
    #[default]
    Auto,
    /// By time, apart from a minute: a log that is not is refused.
    Time,
    /// Any.
    Any,
}
