//! Preference matrices: checked, then registered under their names.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bandits::PreferenceMatrix;
use letor_io::registry::{Entry, MatrixEntry};

use super::check::Report;
use super::folder::replace_folder;
use super::verify::{self, ExpectedFile};
use super::{Registration, Watch};

/// Registers the matrix at `from`, a file or a folder that holds it.
pub(super) fn register(
    entry: &Entry,
    expected: &MatrixEntry,
    from: &Path,
    root: &Path,
    accept: bool,
    watch: &mut dyn Watch,
) -> Result<Registration> {
    let file = find(expected, from)?;
    watch.print(&format!("checking {} in {}", entry.name, file.display()));
    let mut report = Report::default();
    if let Some(source) = entry.sources.iter().find(|source| source.file == expected.file) {
        let published = ExpectedFile { bytes: source.bytes, sha256: source.sha256.as_deref() };
        match verify::check(&file, published)? {
            None => report.found.push(format!("{} is the one published", expected.file)),
            Some(difference) => report.differences.push(format!("{}: {difference}", expected.file)),
        }
    }
    let bytes = fs::read(&file).with_context(|| format!("failed to read {}", file.display()))?;
    let matrix = PreferenceMatrix::from_bytes(&bytes);
    let matrix = matrix.with_context(|| format!("{} is not a preference matrix", file.display()))?;
    let arms = matrix.arms();
    report.found.push(format!("{arms} arms"));
    if arms != expected.arms as usize {
        report.differences.push(format!("{arms} arms, expected {}", expected.arms));
    }
    if let Some(differences) = report.refusal(entry, accept, watch) {
        return Ok(Registration::Refused(differences));
    }
    let folder = root.join(&entry.name);
    replace_folder(&folder, |aside| {
        let target = aside.join(&expected.file);
        fs::write(&target, &bytes).with_context(|| format!("failed to write {}", target.display()))
    })?;
    watch.print(&format!("registered: --matrix {} reads {}", entry.name, folder.join(&expected.file).display()));
    Ok(Registration::Registered)
}

fn find(expected: &MatrixEntry, from: &Path) -> Result<PathBuf> {
    if from.is_file() {
        return Ok(from.to_owned());
    }
    let places = [from.join(&expected.file), from.join("matrix").join(&expected.file)];
    let found = places.into_iter().find(|place| place.is_file());
    found.with_context(|| format!("{} holds no {}", from.display(), expected.file))
}
