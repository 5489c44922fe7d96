//! Whether a file is the one that was published.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// What a file should be, as far as known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expected<'a> {
    /// Its size.
    pub bytes: Option<u64>,
    /// Its SHA-256, hex.
    pub sha256: Option<&'a str>,
}

/// How the file at `path` differs from what is expected; `None` if it does not.
pub(super) fn check(path: &Path, expected: Expected<'_>) -> Result<Option<String>> {
    let failed = || format!("failed to read {}", path.display());
    let mut file = File::open(path).with_context(failed)?;
    let bytes = file.metadata().with_context(failed)?.len();
    if let Some(expected) = expected.bytes.filter(|&expected| expected != bytes) {
        return Ok(Some(format!("it has {bytes} bytes, expected {expected}")));
    }
    let Some(expected) = expected.sha256 else {
        return Ok(None);
    };
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut buffer).with_context(failed)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    let found: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let same = found.eq_ignore_ascii_case(expected);
    Ok((!same).then(|| format!("its SHA-256 is {found}, expected {expected}")))
}
