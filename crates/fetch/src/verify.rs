//! Whether a file is the one that was published, or, where no checksum is published, the one registered before.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// The expected file, as far as known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExpectedFile<'a> {
    /// Its size.
    pub bytes: Option<u64>,
    /// Its SHA-256, hex.
    pub sha256: Option<&'a str>,
}

/// The difference of the file at `path` from the expected one; `None` if there is none.
///
/// # Errors
/// When it cannot be read.
pub fn check(path: &Path, expected: ExpectedFile<'_>) -> Result<Option<String>> {
    let failed = || format!("failed to read {}", path.display());
    let file = File::open(path).with_context(failed)?;
    let bytes = file.metadata().with_context(failed)?.len();
    if let Some(expected) = expected.bytes.filter(|&expected| expected != bytes) {
        return Ok(Some(format!("it has {bytes} bytes, expected {expected}")));
    }
    let Some(expected) = expected.sha256 else {
        return Ok(None);
    };
    let found = sha256(path)?;
    let same = found.eq_ignore_ascii_case(expected);
    Ok((!same).then(|| format!("its SHA-256 is {found}, expected {expected}")))
}

/// The SHA-256 of the file at `path`, hex.
pub(super) fn sha256(path: &Path) -> Result<String> {
    let failed = || format!("failed to read {}", path.display());
    let mut file = File::open(path).with_context(failed)?;
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut buffer).with_context(failed)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The name of the file, in a registered data set's folder, with the checksum of the archive that it came from. Its form
/// is that of `sha256sum`.
const RECORD_FILE: &str = "source.sha256";

/// The SHA-256 of `file` when the data set in `folder` was registered from it; `None` if that is not known.
pub(super) fn recorded_sum(folder: &Path, file: &str) -> Option<String> {
    let text = fs::read_to_string(folder.join(RECORD_FILE)).ok()?;
    let line = text.lines().find(|line| line.split_once("  ").is_some_and(|(_, name)| name == file))?;
    line.split_once("  ").map(|(sum, _)| sum.to_owned())
}

/// Records in `folder` that the data set in it was registered from `file` with the SHA-256 `sum`.
pub(super) fn record_sum(folder: &Path, file: &str, sum: &str) -> Result<()> {
    let path = folder.join(RECORD_FILE);
    fs::write(&path, format!("{sum}  {file}\n")).with_context(|| format!("failed to write {}", path.display()))
}

/// Keeps the record of the data set in `old` when the one in `new` replaces it without an archive.
pub(super) fn keep_record(old: &Path, new: &Path) -> Result<()> {
    let (from, to) = (old.join(RECORD_FILE), new.join(RECORD_FILE));
    if from.is_file() && !to.exists() {
        fs::copy(&from, &to).with_context(|| format!("failed to copy {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}
