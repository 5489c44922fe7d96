//! Gets the data sets and preference matrices known by name: finds, checks and registers their files. Makes no
//! connection itself: a caller that can passes a [`Download`].
//!
//! | module | holds |
//! |---|---|
//! | [`command`] | the command: its flags, and their effect |
//! | [`archive`] | archives listed and unpacked; none is trusted |
//! | [`verify`] | whether a file is the one that was published |
//! | [`space`] | free space on the disk |
//! | [`watch`] | where reports, notes and progress go |
//!
//! A data set is registered as a whole or not at all: its folder is filled under a temporary name and renamed.

pub mod archive;
mod check;
pub mod command;
mod folder;
mod matrix;
mod register;
mod show;
pub mod space;
pub mod verify;
pub mod watch;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use letor_io::registry::Entry;
use output::interrupt;

pub use command::{Arguments, Missing};
pub use register::register;
pub use verify::ExpectedFile;
pub use watch::{Bar, Watch};

/// A file that several addresses offer.
#[derive(Debug, Clone)]
pub struct MirroredFile<'a> {
    /// Its name on this machine.
    pub file: &'a str,
    /// The expected size and checksum.
    pub expected: ExpectedFile<'a>,
    /// Its addresses, the best first.
    pub mirrors: Vec<&'a str>,
}

/// Downloads files.
pub trait Download {
    /// Fetches `wanted` into `folder`; returns where it is. Only a file that is as expected gets its name.
    ///
    /// # Errors
    /// When no address offers the file as expected.
    fn download(&self, wanted: &MirroredFile<'_>, folder: &Path, watch: &mut dyn Watch) -> Result<PathBuf>;
}

/// Whether files were registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    /// They are registered.
    Registered,
    /// They are not as expected, in these respects, and nothing was changed.
    Refused(Vec<String>),
}

/// Downloads the file of `entry` with `downloads` into the folder `downloads` below `root` and registers its content, with `accept` even an
/// unexpected one. Removes the download once it is registered, unless `keep`.
///
/// # Errors
/// When it cannot be downloaded, verified, unpacked or read.
pub fn fetch(
    entry: &Entry,
    root: &Path,
    downloads: &dyn Download,
    accept: bool,
    keep: bool,
    watch: &mut dyn Watch,
) -> Result<Registration> {
    let mut direct = entry.sources.iter().filter(|source| source.direct);
    let first = direct.next().with_context(|| format!("{} has no address to download from", entry.name))?;
    let others = direct.filter(|source| source.file == first.file && source.sha256 == first.sha256);
    let wanted = MirroredFile {
        file: &first.file,
        expected: ExpectedFile { bytes: first.bytes, sha256: first.sha256.as_deref() },
        mirrors: std::iter::once(first).chain(others).map(|source| &source.address[..]).collect(),
    };
    let folder = root.join("downloads");
    let name = entry.name.clone();
    interrupt::say_when_stopped(move || format!("{name} is not registered yet: the same command resumes the download"));
    let path = downloads.download(&wanted, &folder, watch);
    watch.finish();
    interrupt::say_nothing_when_stopped();
    let path = path?;
    let outcome = register(entry, &path, root, accept, watch)?;
    if outcome == Registration::Registered && !keep {
        std::fs::remove_file(&path).with_context(|| format!("failed to remove {}", path.display()))?;
        // Another download may be under way there.
        let _ = std::fs::remove_dir(&folder);
    }
    Ok(outcome)
}

/// The absolute form of `path`.
fn absolute(path: &Path) -> Result<PathBuf> {
    path.canonicalize().with_context(|| format!("failed to open {}", path.display()))
}
