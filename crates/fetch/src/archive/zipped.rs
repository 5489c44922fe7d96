//! Zip archives.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use zip::ZipArchive;

use super::{Budget, Guard, refuse_kind, write_file};

/// The bits of a Unix mode for the type of an entry, and the type of a plain file.
const FILE_TYPE_MASK: u32 = 0o170_000;
const PLAIN_FILE: u32 = 0o100_000;

/// Records the files of the archive; inspects every entry.
pub(super) fn list(path: &Path, guard: &mut Guard) -> Result<()> {
    each_file(path, guard, |_, _, _| Ok(()))
}

/// Unpacks the files `wanted` into `folder`.
pub(super) fn unpack(path: &Path, guard: &mut Guard, wanted: &BTreeSet<PathBuf>, folder: &Path) -> Result<()> {
    let budget = Rc::clone(&guard.budget);
    each_file(path, guard, |archive, index, name| {
        if !wanted.contains(name) {
            return Ok(());
        }
        let file = archive.by_index(index).context("it is damaged")?;
        // Read to its end, where its checksum is compared.
        write_file(&folder.join(name), BudgetedReader { inner: file, budget: &budget })
    })
}

fn each_file(
    path: &Path,
    guard: &mut Guard,
    mut take: impl FnMut(&mut ZipArchive<BufReader<File>>, usize, &Path) -> Result<()>,
) -> Result<()> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(path)?)).context("it is damaged")?;
    let mut claimed = 0_u64;
    for index in 0..archive.len() {
        guard.count()?;
        let entry = archive.by_index_raw(index).context("it is damaged")?;
        let name = entry.name().context("it is damaged")?.into_owned();
        if entry.is_symlink() {
            return Err(refuse_kind(&name, "a symbolic link"));
        }
        if entry.is_dir() {
            guard.folder_name(&name)?;
            continue;
        }
        let kind = entry.unix_mode().map_or(0, |mode| mode & FILE_TYPE_MASK);
        if kind != 0 && kind != PLAIN_FILE {
            return Err(refuse_kind(&name, "which is not a regular file"));
        }
        // The sizes that the archive claims are checked first, the bytes unpacked as they come.
        claimed = claimed.saturating_add(entry.size());
        ensure!(claimed <= guard.budget.limit, "{}", guard.budget.refusal());
        ensure!(!entry.encrypted(), "{name:?} in it is encrypted: unpack it by hand");
        drop(entry);
        let name = guard.name(&name)?;
        take(&mut archive, index, &name)?;
    }
    Ok(())
}

/// Counts the bytes unpacked.
struct BudgetedReader<'a, R> {
    inner: R,
    budget: &'a Budget,
}

impl<R: Read> Read for BudgetedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.budget.spend(read as u64)?;
        Ok(read)
    }
}
