//! Archives: listing them, and unpacking the files of a data set.
//!
//! Archives are not trusted. One that holds a link, a device or a name that leads out of the folder is refused
//! entirely, and so is one that unpacks to more than an archive of data plausibly does.

mod tar_gz;
mod zipped;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveKind {
    /// A zip archive.
    Zip,
    /// A tar archive, plain or in gzip.
    Tar,
    /// Anything else that is read directly: text, or text in gzip.
    Plain,
}

/// Limits on what an archive may unpack to.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// This many times its own size, or `bytes` if that is more.
    pub ratio: u64,
    /// Always allowed, in bytes.
    pub bytes: u64,
    /// At most this many files and folders.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { ratio: 100, bytes: 2 << 30, entries: 100_000 }
    }
}

/// Other kinds of archives: their first bytes, their name, and the tool that unpacks them.
const OTHER_ARCHIVES: [(&[u8], &str, &str); 5] = [
    (b"Rar!", "a rar archive", "unrar x FILE` or `7z x FILE"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z x FILE"),
    (b"BZh", "a bzip2 file", "tar -xjf FILE` or `bunzip2 FILE"),
    (b"\xfd7zXZ\x00", "an xz file", "tar -xJf FILE` or `unxz FILE"),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "tar --zstd -xf FILE` or `unzstd FILE"),
];

/// The kind of the file at `path`, by its content.
///
/// # Errors
/// When it cannot be read, or is an archive of another kind: the message then names the tool for it.
pub fn archive_kind(path: &Path) -> Result<ArchiveKind> {
    let failed = || format!("failed to read {}", path.display());
    let mut start = Vec::new();
    File::open(path).and_then(|file| file.take(512).read_to_end(&mut start)).with_context(failed)?;
    if let Some((_, what, tool)) = OTHER_ARCHIVES.iter().find(|(magic, ..)| start.starts_with(magic)) {
        bail!("{} is {what}: unpack it with `{tool}`, then name the folder", path.display());
    }
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return Ok(ArchiveKind::Zip);
    }
    if tar_gz::is_tar(path).with_context(failed)? {
        return Ok(ArchiveKind::Tar);
    }
    Ok(ArchiveKind::Plain)
}

/// The files in the archive at `path`.
///
/// # Errors
/// When it is damaged or refused.
pub fn list(path: &Path, kind: ArchiveKind, limits: Limits) -> Result<BTreeSet<PathBuf>> {
    let mut guard = Guard::new(path, limits)?;
    match kind {
        ArchiveKind::Zip => zipped::list(path, &mut guard),
        ArchiveKind::Tar => tar_gz::each_file(path, &mut guard, |_, _| Ok(())),
        ArchiveKind::Plain => bail!("{} is not an archive", path.display()),
    }
    .with_context(|| format!("failed to unpack {}", path.display()))?;
    Ok(guard.names)
}

/// Unpacks the files `wanted` of the archive at `path` into `folder`, an empty one.
///
/// # Errors
/// When the archive is damaged or refused, or something cannot be written.
pub fn unpack(path: &Path, kind: ArchiveKind, wanted: &BTreeSet<PathBuf>, folder: &Path, limits: Limits) -> Result<()> {
    let mut guard = Guard::new(path, limits)?;
    match kind {
        ArchiveKind::Zip => zipped::unpack(path, &mut guard, wanted, folder),
        ArchiveKind::Tar => tar_gz::each_file(path, &mut guard, |name, file| {
            if wanted.contains(name) { write_file(&folder.join(name), file) } else { Ok(()) }
        }),
        ArchiveKind::Plain => bail!("{} is not an archive", path.display()),
    }
    .with_context(|| format!("failed to unpack {}", path.display()))
}

/// Enforces the limits while an archive is unpacked.
#[derive(Debug)]
struct Guard {
    budget: Rc<Budget>,
    entries: usize,
    names: BTreeSet<PathBuf>,
}

/// The longest name of a file in bytes: all names are kept.
const MAX_NAME_LENGTH: usize = 1024;

impl Guard {
    fn new(path: &Path, limits: Limits) -> Result<Self> {
        let bytes = std::fs::metadata(path).with_context(|| format!("failed to read {}", path.display()))?.len();
        let limit = bytes.saturating_mul(limits.ratio).max(limits.bytes);
        let budget = Rc::new(Budget { left: Cell::new(limit), limit });
        Ok(Self { budget, entries: limits.entries, names: BTreeSet::new() })
    }

    /// Counts one more entry.
    fn count(&mut self) -> Result<()> {
        ensure!(self.entries > 0, "it holds too many files for an archive of data: refused");
        self.entries -= 1;
        Ok(())
    }

    /// The path of a file, if it stays within the folder and occurs once.
    fn name(&mut self, name: &str) -> Result<PathBuf> {
        let path = self.folder_name(name)?;
        ensure!(self.names.insert(path.clone()), "it holds {name:?} twice: refused");
        Ok(path)
    }

    /// The path of a folder, if it stays within the one that is unpacked to.
    fn folder_name(&self, name: &str) -> Result<PathBuf> {
        ensure!(name.len() <= MAX_NAME_LENGTH, "a name in it has more than {MAX_NAME_LENGTH} bytes: refused");
        let mut path = PathBuf::new();
        for component in Path::new(name).components() {
            match component {
                Component::Normal(part) => path.push(part),
                Component::CurDir => {}
                _ => bail!("it holds {name:?}, which leads out of the folder: refused"),
            }
        }
        // Path separators of other systems.
        let odd = name.contains(['\\', '\0']) || name.as_bytes().get(1) == Some(&b':');
        ensure!(!odd, "it holds {name:?}, which leads out of the folder on other systems: refused");
        Ok(path)
    }
}

/// The limit on the unpacked size of an archive, in bytes.
#[derive(Debug)]
struct Budget {
    left: Cell<u64>,
    limit: u64,
}

impl Budget {
    /// Counts `bytes` more unpacked bytes.
    fn spend(&self, bytes: u64) -> io::Result<()> {
        self.left.set(self.left.get().checked_sub(bytes).ok_or_else(|| io::Error::other(self.refusal()))?);
        Ok(())
    }

    fn refusal(&self) -> RefusedArchive {
        RefusedArchive(format!("it unpacks to more than {} MB, which no archive of data does", self.limit >> 20))
    }
}

/// An archive that is refused while it is read.
#[derive(Debug)]
struct RefusedArchive(String);

impl fmt::Display for RefusedArchive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: refused", self.0)
    }
}

impl std::error::Error for RefusedArchive {}

/// Why an archive cannot be read: refused, or else damaged.
fn unreadable_archive(error: io::Error) -> anyhow::Error {
    match error.downcast::<RefusedArchive>() {
        Ok(refused) => refused.into(),
        Err(error) => anyhow::Error::new(error).context("it is damaged"),
    }
}

fn refuse_kind(name: &str, what: &str) -> anyhow::Error {
    anyhow::anyhow!("it holds {name:?}, {what}: refused")
}

/// Writes all of `file` to `path`, which must not exist.
fn write_file(path: &Path, mut file: impl Read) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.display()))?;
    }
    let mut out = File::create_new(path).with_context(|| format!("failed to write {}", path.display()))?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                out.write_all(&buffer[..read]).with_context(|| format!("failed to write {}", path.display()))?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable_archive(error)),
        }
    }
}
