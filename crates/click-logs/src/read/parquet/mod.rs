//! Parquet: each row becomes a line of JSON, and is read as one. So tables may have the columns of our own logs or those of UBI
//! 1.3, nested or as JSON in strings; other columns are not read.
//!
//! The types of columns are checked when a file is opened. An error in a row gives its number in the file and its row
//! group, both from 1.

mod catch_panic;
mod leaf;
#[cfg(test)]
mod tests;
mod text_rows;
mod tree;
mod types;

use std::fs::File;
use std::path::{Path, PathBuf};

use catch_panic::catch_panic;
use output::input;
use parquet::file::reader::{FileReader, SerializedFileReader};
use tree::{Rows, Tree};
use types::{check, column_content, is_telling, may_be_other};

pub(crate) use text_rows::rows_of_parquet;

use super::file::block::{Block, LineUnit};
use crate::error::LogError;

/// An open file.
pub(super) struct Table {
    path: PathBuf,
    reader: SerializedFileReader<File>,
    tree: Tree,
    /// The row group that is read next, and the rows of the one before that are left.
    group: usize,
    rows: Option<Rows>,
    /// The number of the next row.
    next_row: u64,
}

impl Table {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read, or a column's type does not fit its name.
    pub(super) fn open(path: &Path, are_conversions: bool) -> Result<Self, LogError> {
        if path == Path::new("-") {
            return Err(LogError::new("Parquet is read from its end; pass the file by its name").in_file(path));
        }
        let file = input::open(path).map_err(|error| LogError::io(path, "cannot be opened", &error))?;
        let failed = |message: String| LogError::new(message).in_file(path);
        let reader = catch_panic(|| SerializedFileReader::new(file))
            .map_err(|error| failed(format!("cannot be read as Parquet: {error}; is it complete?")))?;
        let root = reader.metadata().file_metadata().schema_descr().root_schema();
        let mut are_read = vec![false; root.get_fields().len()];
        for (field, is_read) in root.get_fields().iter().zip(&mut are_read) {
            let name = field.name();
            let Some(content) = column_content(name, are_conversions) else { continue };
            match check(field, content) {
                Ok(()) => *is_read = true,
                // Other logs have another thing under a name of an object.
                Err(_) if may_be_other(name) => {}
                Err((found, expected)) => {
                    return Err(failed(format!("the column `{name}` holds {found}; expected {expected}")));
                }
            }
        }
        let mut read = root.get_fields().iter().zip(&are_read).filter(|(_, is_read)| **is_read);
        if !read.any(|(field, _)| is_telling(field.name(), are_conversions)) {
            let names: Vec<&str> = root.get_fields().iter().map(|field| field.name()).collect();
            let wanted = if are_conversions { "`document`" } else { "`impression` (or `query_id`)" };
            return Err(failed(format!(
                "no column {wanted} among {}; rename the one that holds it",
                ranktypes::text::excerpt(&names.join(", "))
            )));
        }
        let tree = catch_panic(|| Tree::new(root, |at| are_read[at])).map_err(failed)?;
        Ok(Self { path: path.to_path_buf(), reader, tree, group: 0, rows: None, next_row: 1 })
    }

    /// The next rows as lines, some `wanted` bytes of them; and how many bytes of the file were done with. `None` at the end.
    ///
    /// # Errors
    /// If the file is damaged.
    pub(super) fn next_block(&mut self, wanted: usize) -> Result<Option<(Block, u64)>, LogError> {
        let mut taken = 0;
        loop {
            let first_line = self.next_row;
            // The number of the row group, from 1.
            let group = self.group as u64;
            let failed = |what: &str, error: &str, group: u64| {
                LogError::new(format!("row group {group} {what}: {error}; is the file complete?")).in_file(&self.path)
            };
            let Some(rows) = &mut self.rows else {
                if self.group == self.reader.num_row_groups() {
                    return Ok(None);
                }
                let opened = catch_panic(|| Rows::new(&self.tree, &*self.reader.get_row_group(self.group)?));
                let rows = opened.map_err(|error| failed("cannot be read", &error, group + 1))?;
                self.rows = Some(rows);
                self.group += 1;
                continue;
            };
            let mut bytes = Vec::with_capacity(wanted + wanted / 8);
            let mut written = 0;
            let is_over = catch_panic(|| {
                while bytes.len() < wanted {
                    if !rows.write_next(&self.tree, &mut bytes)? {
                        return Ok(true);
                    }
                    written += 1;
                }
                Ok(false)
            });
            self.next_row += written;
            if is_over.map_err(|error| failed("is damaged", &error, group))? {
                self.rows = None;
                let done = self.reader.metadata().row_group(self.group - 1);
                taken += done.columns().iter().map(|column| column.compressed_size().max(0) as u64).sum::<u64>();
            }
            if !bytes.is_empty() {
                return Ok(Some((Block::new(bytes, first_line, LineUnit::Row { group }), taken)));
            }
        }
    }
}
