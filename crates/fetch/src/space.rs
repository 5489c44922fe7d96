//! Free space on the disk.

use std::io;
use std::path::Path;

use anyhow::{Result, bail};

/// Bytes that stay free for other programs.
const MARGIN_BYTES: u64 = 64 << 20;

/// Checks that `bytes` more fit into the file system of `folder`; `room` returns its free bytes.
///
/// # Errors
/// When they do not.
pub fn ensure(folder: &Path, bytes: u64, room: fn(&Path) -> io::Result<u64>) -> Result<()> {
    // Where the system does not report it, writing will fail instead.
    let Ok(room) = room(folder) else {
        return Ok(());
    };
    if bytes > 0 && room < bytes.saturating_add(MARGIN_BYTES) {
        bail!(
            "{} has room for {:.1} MB, but {:.1} MB more are needed: make room, or name another folder in RANKDUEL_DATA_DIR",
            folder.display(),
            room as f64 / 1e6,
            bytes.saturating_add(MARGIN_BYTES).saturating_sub(room) as f64 / 1e6,
        );
    }
    Ok(())
}
