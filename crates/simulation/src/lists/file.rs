//! Lists in a file that any number of processes map: those on one machine share its memory.
//!
//! The lists are as in memory, from the beginning of the file. After them come the XXH3 hashes of their blocks of 16 MiB, a
//! description, and the footer with a hash of everything but the lists. A file is used only if it describes the lists that are
//! needed and all hashes match; mapping takes no time, hashing less than half a second for lists of the size
//! of those of MSLR-WEB30K. It is read only, and appears under its name complete, by renaming. A process that shortens it while it is mapped
//! ends the processes that use it, so it is removed, never rewritten.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use letor_io::{Dataset, FeatureId};
use memmap2::Mmap;
use output::checksum::sha256_hex;
use rankers::{Rankings, TieBreaking};
use rayon::prelude::*;
use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

/// The ending of the names of these files.
const ENDING: &str = "lists";
const MAGIC: &[u8; 8] = b"simlists";
/// Raised whenever the layout changes, or the lists of the same data, features and ties.
const VERSION: u32 = 2;
/// Written in the byte order of the machine, which is that of the lists.
const BYTE_ORDER: u32 = 0x0102_0304;
/// Bytes that are hashed together.
const BLOCK: usize = 16 << 20;
/// The length of the footer: bytes of lists, bytes of the description, version, byte order, magic, hash.
const FOOTER_LEN: usize = 8 + 8 + 4 + 4 + 8 + 8;

/// The file of the lists of a data set, which need not exist.
pub(crate) struct CachedLists {
    path: PathBuf,
    description: String,
}

/// A file of lists in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// The name of the data set, and the number of rankers; `None` if it is damaged or of another version.
    pub contents: Option<(String, usize)>,
}

impl CachedLists {
    /// The file in `folder` of the lists of `dataset` by `features`.
    pub(crate) fn at(folder: &Path, dataset: &Dataset, features: &[FeatureId], ties: TieBreaking) -> Self {
        let features: Vec<u32> = features.iter().map(|feature| feature.0).collect();
        let key = json!({
            "dataset": dataset.checksum(), "queries": dataset.queries(), "documents": dataset.documents(),
            "features": features, "ties": ties, "version": VERSION,
        });
        let path = folder.join(format!("{}.{ENDING}", &sha256_hex(&key.to_string())[..16]));
        let description = json!({"name": dataset.name(), "rankers": features.len(), "key": key});
        Self { path, description: description.to_string() }
    }

    #[cfg(test)]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Lets `rankings` use the lists in the file; whether that worked. A damaged file is named in a warning.
    pub(crate) fn map_into(&self, rankings: &Rankings) -> bool {
        let Some(map) = map(&self.path) else { return false };
        let same = checked_description(&map).map(|description| same_key(description, &self.description));
        if same.is_none() {
            output::messages::warn(
                false,
                &format!("{} is damaged or of another version, and is not used", self.path.display()),
            );
        }
        same == Some(true) && rankings.take_lists(map)
    }

    /// Writes the lists `bytes` into the file.
    pub(crate) fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        if let Some(folder) = self.path.parent() {
            create_private(folder).map_err(|error| output::path_error(error, "create the folder", folder))?;
        }
        output::remove_leftovers(&self.path);
        let hashes: Vec<u64> = bytes.par_chunks(BLOCK).map(xxh3_64).collect();
        let mut tail: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_ne_bytes()).collect();
        tail.extend_from_slice(self.description.as_bytes());
        tail.extend_from_slice(&(bytes.len() as u64).to_ne_bytes());
        tail.extend_from_slice(&(self.description.len() as u64).to_ne_bytes());
        tail.extend_from_slice(&VERSION.to_ne_bytes());
        tail.extend_from_slice(&BYTE_ORDER.to_ne_bytes());
        tail.extend_from_slice(MAGIC);
        tail.extend_from_slice(&xxh3_64(&tail).to_ne_bytes());
        output::write_large(&self.path, |file| {
            file.write_all(bytes)?;
            file.write_all(&tail)
        })
    }
}

/// The files of lists in `folder`, ordered by name; what killed writers left there is removed. Only their ends are read.
///
/// # Errors
/// If the folder cannot be listed.
pub fn list(folder: &Path) -> io::Result<Vec<ListFile>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        // The target of a file that is being written, or was.
        let aside = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix('.'));
        if let Some(at) = aside.and_then(|name| name.find(&format!(".{ENDING}."))) {
            let target = aside.map(|name| &name[..=at + ENDING.len()]).unwrap_or_default();
            output::remove_leftovers(&folder.join(target));
        } else if path.extension().is_some_and(|ending| ending == ENDING) && path.is_file() {
            let bytes = fs::metadata(&path).map_or(0, |data| data.len());
            files.push(ListFile { contents: read_description(&path), path, bytes });
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

fn read_description(path: &Path) -> Option<(String, usize)> {
    let map = map(path)?;
    let FileParts { description, .. } = split_file(&map)?;
    let description: serde_json::Value = serde_json::from_str(description).ok()?;
    let rankers = description["rankers"].as_u64().and_then(|rankers| usize::try_from(rankers).ok())?;
    Some((description["name"].as_str()?.to_owned(), rankers))
}

/// Maps a regular file that is not empty.
fn map(path: &Path) -> Option<Mmap> {
    let file = output::input::open(path).ok()?;
    file.metadata().ok().filter(|data| data.len() > 0)?;
    #[expect(
        unsafe_code,
        reason = "such a file is renamed into place and never written again, as the documentation says"
    )]
    // SAFETY: The map is read only. Its bytes change, or end, only if another program writes into the file: this one never does.
    unsafe { Mmap::map(&file) }.ok()
}

struct FileParts<'a> {
    lists: &'a [u8],
    hashes: &'a [u8],
    description: &'a str,
}

/// The parts of a file with an intact end; the lists are not checked.
fn split_file(file: &[u8]) -> Option<FileParts<'_>> {
    let (rest, hash) = file.split_last_chunk::<8>()?;
    let at = rest.len().checked_sub(FOOTER_LEN - 8)?;
    let field = |from: usize| Some(u64::from_ne_bytes(*rest.get(at + from..)?.first_chunk()?));
    let half = |from: usize| Some(u32::from_ne_bytes(*rest.get(at + from..)?.first_chunk()?));
    if rest.get(at + 24..)? != MAGIC || half(16)? != VERSION || half(20)? != BYTE_ORDER {
        return None;
    }
    let [lists, description] = [field(0)?, field(8)?].map(|bytes| usize::try_from(bytes).ok());
    let (lists, description) = (lists?, description?);
    let hashes = 8 * lists.div_ceil(BLOCK);
    let starts = lists.checked_add(hashes)?;
    if starts.checked_add(description)? != at || xxh3_64(&rest[lists..]) != u64::from_ne_bytes(*hash) {
        return None;
    }
    let description = std::str::from_utf8(&rest[starts..at]).ok()?;
    Some(FileParts { lists: &rest[..lists], hashes: &rest[lists..starts], description })
}

/// The description of a file with intact lists too.
fn checked_description(map: &Mmap) -> Option<&str> {
    let FileParts { lists, hashes, description } = split_file(map)?;
    read_ahead(map, true);
    let blocks = lists.par_chunks(BLOCK).zip(hashes.as_chunks::<8>().0);
    let intact = blocks.into_par_iter().all(|(block, hash)| xxh3_64(block) == u64::from_ne_bytes(*hash));
    read_ahead(map, false);
    intact.then_some(description)
}

/// Advises the system whether the map is read from the beginning to the end.
fn read_ahead(map: &Mmap, yes: bool) {
    #[cfg(unix)]
    let _ = map.advise(if yes { memmap2::Advice::Sequential } else { memmap2::Advice::Normal });
    #[cfg(not(unix))]
    let _ = (map, yes);
}

/// Whether two descriptions are of the same lists; the name of the data may differ.
fn same_key(one: &str, other: &str) -> bool {
    let key = |text: &str| Some(serde_json::from_str::<serde_json::Value>(text).ok()?["key"].clone());
    let key_of_one = key(one);
    key_of_one.is_some() && key_of_one == key(other)
}

/// Creates `folder` and its missing parents, for this user only: data may be licensed or private.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}
