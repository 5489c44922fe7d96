//! Finds the files of a registered data set.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Advice, Entry, Split, SplitEntry};
use crate::environment::DATA_DIR;
use crate::error::{Error, ErrorKind};

/// The number of levels below a folder that are searched, because archives unpack to folders.
const MAX_DEPTH: usize = 3;

/// The folder of registered data, with one folder per data set: the value of `RANKDUEL_DATA_DIR`, otherwise
/// `datasets/cache` in the nearest ancestor of the current folder that has `datasets`, otherwise in the current
/// folder.
pub fn data_root() -> PathBuf {
    if let Some(root) = DATA_DIR.value() {
        return root.into();
    }
    let here = std::env::current_dir().unwrap_or_default();
    let above = here.ancestors().find(|folder| folder.join("datasets").is_dir());
    above.unwrap_or(&here).join("datasets").join("cache")
}

/// The files of a data set that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Located {
    /// The folder that their names are relative to.
    pub base: PathBuf,
    /// The parts found, with their files.
    pub splits: Vec<(Split, Vec<PathBuf>)>,
}

impl Located {
    /// The files of the part `split`, if it was found.
    pub fn files(&self, split: Split) -> Option<&[PathBuf]> {
        self.splits.iter().find(|(name, _)| *name == split).map(|(_, files)| &files[..])
    }
}

/// Searches for the files of `entry` in `folder`, then in the folders below it.
///
/// Returns the folder with the most parts, or `None` if no part is found.
pub fn locate(entry: &Entry, folder: &Path) -> Option<Located> {
    search(entry, folder, &|path| path.is_file(), &folders_in)
}

/// Like [`locate`], among `names`: relative paths, such as those of an archive.
pub fn locate_among(entry: &Entry, names: &BTreeSet<PathBuf>) -> Option<Located> {
    let folders_in = |folder: &Path| {
        let folders = names.iter().filter_map(|name| {
            let mut below = name.strip_prefix(folder).ok()?.components();
            let (first, _file) = (below.next()?, below.next()?);
            Some(folder.join(first))
        });
        folders.collect::<BTreeSet<_>>().into_iter().collect()
    };
    search(entry, Path::new(""), &|path| names.contains(path), &folders_in)
}

fn search(
    entry: &Entry,
    folder: &Path,
    is_file: &dyn Fn(&Path) -> bool,
    folders_in: &dyn Fn(&Path) -> Vec<PathBuf>,
) -> Option<Located> {
    let (mut best, mut level) = (None::<Located>, vec![folder.to_path_buf()]);
    for _ in 0..=MAX_DEPTH {
        for base in &level {
            let files = |split: &SplitEntry| Some((split.name, files_of(split, base, is_file)?));
            let splits: Vec<_> = entry.splits.iter().filter_map(files).collect();
            if splits.len() > best.as_ref().map_or(0, |best| best.splits.len()) {
                best = Some(Located { base: base.clone(), splits });
            }
        }
        if best.is_some() {
            break;
        }
        level = level.iter().flat_map(|folder| folders_in(folder)).collect();
    }
    best
}

/// The files of `split` below `base`, in the first complete layout.
fn files_of(split: &SplitEntry, base: &Path, is_file: &dyn Fn(&Path) -> bool) -> Option<Vec<PathBuf>> {
    split.files.iter().find_map(|names| {
        names
            .iter()
            .map(|name| {
                let plain = base.join(name);
                let packed = base.join(format!("{name}.gz"));
                [plain, packed].into_iter().find(|path| is_file(path))
            })
            .collect()
    })
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|e| e.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The error for a data set that is not on this machine: what is missing, where it was searched for, and
/// [how to get it](Advice::how_to_get).
pub fn missing_error(entry: &Entry, split: Option<Split>, folder: &Path) -> Error {
    let part = split.map_or(String::new(), |split| format!(" ({split})"));
    let what = if entry.matrix.is_some() { "preference matrix" } else { "data set" };
    let message = format!(
        "the {what} {}{part} is not on this machine: searched {}; {}",
        entry.name,
        folder.display(),
        Advice::of_process().how_to_get(entry, folder),
    );
    Error::new(ErrorKind::Missing, message)
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    fn touch(path: PathBuf) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "0 qid:1 1:1\n").unwrap();
    }

    #[test]
    fn layouts_are_found_at_any_level() {
        let folder = tempfile::tempdir().unwrap();
        let entry = find("mq2008").unwrap();
        assert_eq!(locate(entry, folder.path()), None);
        assert_eq!(locate(entry, &folder.path().join("nowhere")), None);
        for part in 1..=5 {
            touch(folder.path().join(format!("MQ2008/S{part}.txt")));
        }
        let located = locate(entry, folder.path()).unwrap();
        assert_eq!(located.base, folder.path().join("MQ2008"));
        assert_eq!(located.files(Split::Train).unwrap().len(), 3);
        for part in ["train", "vali"] {
            touch(folder.path().join(format!("MQ2008/Fold1/{part}.txt.gz")));
        }
        let located = locate(entry, folder.path()).unwrap();
        assert!(located.files(Split::Train).unwrap()[0].ends_with("Fold1/train.txt.gz"));
        assert!(located.files(Split::Test).unwrap()[0].ends_with("S5.txt"), "no such file in Fold1");
    }

    #[test]
    fn names_are_searched_like_folders() {
        let entry = find("mslr-web10k").unwrap();
        let mut names = BTreeSet::new();
        for fold in 1..=5 {
            for part in ["train", "vali", "test"] {
                names.insert(PathBuf::from(format!("MSLR-WEB10K/Fold{fold}/{part}.txt")));
            }
        }
        let located = locate_among(entry, &names).unwrap();
        assert_eq!(located.base, Path::new("MSLR-WEB10K"));
        assert_eq!(located.files(Split::Vali).unwrap(), [Path::new("MSLR-WEB10K/Fold1/vali.txt")]);
        assert_eq!(locate_among(find("ylr1").unwrap(), &names), None);
    }

    #[test]
    fn some_parts_are_enough() {
        let folder = tempfile::tempdir().unwrap();
        touch(folder.path().join("set1.train.txt"));
        let located = locate(find("ylr1").unwrap(), folder.path()).unwrap();
        assert_eq!(located.splits.len(), 1);
        assert_eq!(located.files(Split::Test), None);
    }

    #[test]
    fn the_error_is_complete() {
        let error = missing_error(find("ylr1").unwrap(), None, Path::new("/data/ylr1")).to_string();
        for part in ["ylr1", "/data/ylr1", "cargo xtask fetch-datasets ylr1 --from FILE-OR-FOLDER"] {
            assert!(error.contains(part), "{error}");
        }
        assert!(!error.contains('\n'));
    }
}
