//! Stands for `parquet` in a build that reads no Parquet: says how to get one that does.

use std::path::Path;

use super::file::block::Block;
use crate::error::LogError;

/// No file is one.
pub(super) enum Table {}

impl Table {
    /// # Errors
    /// Always.
    pub(super) fn open(path: &Path, _: bool) -> Result<Self, LogError> {
        Err(unsupported(path))
    }

    pub(super) fn next_block(&mut self, _: usize) -> Result<Option<(Block, u64)>, LogError> {
        match *self {}
    }
}

/// # Errors
/// Always.
pub(crate) fn rows_of_parquet(path: &Path) -> Result<(Vec<String>, Vec<Vec<String>>), LogError> {
    Err(unsupported(path))
}

fn unsupported(path: &Path) -> LogError {
    let message = "a Parquet file, which this build does not read (those of releases do); build it with `--features parquet`, convert the \
                   file, e.g. duckdb -c \"COPY (FROM 'log.parquet') TO 'log.jsonl'\", or in Python pass \
                   pyarrow.parquet.read_table to rankduel.credit_frame";
    LogError::new(message).in_file(path)
}
