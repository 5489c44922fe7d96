//! Preference matrices in files: text or `.npy`.

use std::path::Path;

use anyhow::{Context, Result, bail};
use bandits::PreferenceMatrix;
use letor_io::registry;

use crate::output;

/// Reads a matrix, told by its content whether it is text or `.npy`; a path that is no file may be the
/// name of a registered matrix.
pub(super) fn read(path: &Path) -> Result<PreferenceMatrix> {
    let registered = path.to_str().filter(|_| !path.exists());
    let registered = registered.and_then(|name| registry::matrix_file(name, &registry::data_root())).transpose()?;
    let path = registered.as_deref().unwrap_or(path);
    let bytes = std::fs::read(path).with_context(|| format!("failed to read the matrix {}", path.display()))?;
    PreferenceMatrix::from_bytes(&bytes).with_context(|| format!("{} is not a preference matrix", path.display()))
}

/// Writes a matrix as its name's ending says.
pub(super) fn write(path: &Path, matrix: &PreferenceMatrix) -> Result<()> {
    let bytes = match path.extension().and_then(|ending| ending.to_str()) {
        Some("npy") => matrix.to_npy(),
        Some("txt") => matrix.to_text().into_bytes(),
        _ => bail!("{} should end in .npy or .txt, so that it is clear what to write", path.display()),
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        output::create_folder(folder)?;
    }
    output::write_atomic(path, &bytes)
}
