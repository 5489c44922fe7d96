//! Finding the files of a data set in a folder, a file or an archive.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use letor_io::registry::{self, Entry, Located, Split};

use super::super::Watch;
use super::super::archive::{self, ArchiveKind, Limits};
use super::super::check::Report;
use super::super::folder::UNPACKED_FOLDER;
use super::super::verify::{self, ExpectedFile};

/// The files found.
pub(super) struct LocatedFiles {
    pub(super) located: Located,
    /// Whether they were unpacked here and may be moved.
    pub(super) ours: bool,
    /// The name and SHA-256 of the archive, if no checksum of it is published.
    pub(super) archive: Option<(String, String)>,
    /// Where they were unpacked; removed when dropped.
    _unpacked: Option<UnpackedFolder>,
}

/// A folder that is removed when dropped.
struct UnpackedFolder(PathBuf);

impl Drop for UnpackedFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Finds the files of `entry` at `from`; files of an archive are unpacked below `root`, where data have room.
pub(super) fn find(
    entry: &Entry,
    from: &Path,
    root: &Path,
    limits: Limits,
    report: &mut Report,
    watch: &mut dyn Watch,
) -> Result<LocatedFiles> {
    if from.is_dir() {
        let located = registry::locate(entry, from);
        let located = located.with_context(|| nothing_of(entry, &format!("{} holds", from.display())))?;
        return Ok(LocatedFiles { located, ours: false, archive: None, _unpacked: None });
    }
    // Reading a device or a pipe may never end.
    ensure!(
        from.is_file(),
        "{} is neither a folder nor a file: expected a folder, a file or an archive",
        from.display()
    );
    let kind = archive::archive_kind(from)?;
    if kind != ArchiveKind::Plain {
        let archive = verify_archive(entry, from, root, report)?;
        return Ok(LocatedFiles { archive, ..from_archive(entry, from, kind, root, limits, watch)? });
    }
    let (split, base) = split_of_file(entry, from)?;
    let mut located = registry::locate(entry, &base).context("the file is gone")?;
    located.splits.retain(|(name, _)| *name == split);
    Ok(LocatedFiles { located, ours: false, archive: None, _unpacked: None })
}

fn from_archive(
    entry: &Entry,
    from: &Path,
    kind: ArchiveKind,
    root: &Path,
    limits: Limits,
    watch: &mut dyn Watch,
) -> Result<LocatedFiles> {
    let names = archive::list(from, kind, limits)?;
    let located = registry::locate_among(entry, &names);
    let mut located = located.with_context(|| nothing_of(entry, &format!("{} holds", from.display())))?;
    let wanted: BTreeSet<PathBuf> = located.splits.iter().flat_map(|(_, files)| files.iter().cloned()).collect();
    let folder = root.join(format!(".{}.{UNPACKED_FOLDER}.{}", entry.name, std::process::id()));
    fs::create_dir_all(root).with_context(|| format!("failed to make {}", root.display()))?;
    fs::create_dir(&folder).with_context(|| format!("failed to make {}", folder.display()))?;
    let unpacked = UnpackedFolder(folder);
    watch.print(&format!("unpacking {} of {} files of {}", wanted.len(), names.len(), from.display()));
    archive::unpack(from, kind, &wanted, &unpacked.0, limits)?;
    located.base = unpacked.0.join(&located.base);
    for file in located.splits.iter_mut().flat_map(|(_, files)| files) {
        *file = unpacked.0.join(&*file);
    }
    Ok(LocatedFiles { located, ours: true, archive: None, _unpacked: Some(unpacked) })
}

/// Whether the archive is the one that was published, or, where no checksum is published, the one that was registered
/// before. Returns its name and SHA-256 if they should be recorded.
fn verify_archive(entry: &Entry, from: &Path, root: &Path, report: &mut Report) -> Result<Option<(String, String)>> {
    let Some(source) = entry.sources.iter().find(|source| from.ends_with(&source.file)) else {
        return Ok(None);
    };
    let file = &source.file;
    if source.sha256.is_some() {
        let expected = ExpectedFile { bytes: source.bytes, sha256: source.sha256.as_deref() };
        match verify::check(from, expected)? {
            None => report.found.push(format!("{file} is the one published")),
            Some(difference) => report.differences.push(format!("{file}: {difference}")),
        }
        return Ok(None);
    }
    let sum = verify::sha256(from)?;
    match verify::recorded_sum(&root.join(&entry.name), file) {
        None => report.found.push(format!("{file}: SHA-256 {sum}, recorded, because none is published")),
        Some(before) if before == sum => report.found.push(format!("{file} is the one registered before")),
        Some(before) => {
            report
                .differences
                .push(format!("{file}: its SHA-256 is {sum}, that of the one registered before {before}"));
        }
    }
    Ok(Some((file.clone(), sum)))
}

fn nothing_of(entry: &Entry, place: &str) -> String {
    let expected: Vec<&str> =
        entry.splits.iter().filter_map(|split| split.files.first()).flatten().map(|f| &f[..]).collect();
    format!("{place} none of the files of {}, nor does a folder below it: expected {}", entry.name, expected.join(", "))
}

/// The part that `file` is by its name, and the folder that its name in the registry starts from.
fn split_of_file(entry: &Entry, file: &Path) -> Result<(Split, PathBuf)> {
    for split in &entry.splits {
        for name in split.files.iter().filter(|files| files.len() == 1).flatten() {
            for name in [name.clone(), format!("{name}.gz")] {
                let depth = Path::new(&name).components().count();
                if file.ends_with(&name)
                    && let Some(base) = file.ancestors().nth(depth)
                {
                    return Ok((split.name, base.to_path_buf()));
                }
            }
        }
    }
    let names: Vec<&str> = entry.splits.iter().flat_map(|s| s.files.iter().flatten()).map(|f| &f[..]).collect();
    bail!(
        "{} does not have the name of a file of {}: expected one of {}, or a folder or an archive",
        file.display(),
        entry.name,
        names.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_identified_by_its_name() {
        let split = |name: &str, file: &str| split_of_file(registry::find(name).unwrap(), Path::new(file));
        assert_eq!(split("ylr1", "/d/set1.valid.txt").unwrap(), (Split::Vali, "/d".into()));
        assert_eq!(split("mslr-web30k", "/d/Fold1/test.txt.gz").unwrap(), (Split::Test, "/d".into()));
        assert!(split("ylr1", "/d/set2.train.txt").is_err());
        assert!(split("mq2008", "/d/S1.txt").is_err(), "a third of the training part");
    }
}
