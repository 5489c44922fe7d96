//! From what a user types to a data set.

use std::path::{Path, PathBuf};

use crate::cache;
use crate::dataset::{Dataset, Provenance, Recipe};
use crate::error::{Error, ErrorKind};
use crate::file_names::cut_at_comma;
use crate::lookalike;
use crate::registry::{self, Entry, Split};
use crate::text::{ReadOptions, expand, read_files, read_list};

/// How to open a data set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpenOptions {
    /// How to read its text.
    pub read: ReadOptions,
    /// The part of a registered data set to read; `None` reads the parts marked
    /// [`counted`](crate::registry::SplitEntry::counted).
    pub split: Option<Split>,
    /// The folder of registered data, instead of [`registry::data_root`].
    pub root: Option<PathBuf>,
    /// The folder for the [binary cache](cache), which makes the next opening fast; created if necessary. `None`: no
    /// cache. Where it cannot be written, there is none either.
    pub cache: Option<PathBuf>,
}

/// Opens a data set: a registered name, the name of a look-alike (see [`lookalike`]), or files and folders,
/// which together make one data set.
///
/// A registered name takes precedence over a file or folder of the same name; write `./name` to open that.
///
/// ```no_run
/// use letor_io::{OpenOptions, open};
///
/// let registered = open(&["mslr-web30k"], &OpenOptions::default())?;
/// let synthetic = open(&["mslr-lookalike:0.1"], &OpenOptions::default())?;
/// let files = open(&["train.txt", "vali.txt.gz"], &OpenOptions::default())?;
/// # Ok::<(), letor_io::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Unknown`] for a name that is neither registered nor a file, [`ErrorKind::Missing`] for a
/// registered data set without files on this machine, and the errors of [`read_files`].
pub fn open<S: AsRef<str>>(spec: &[S], options: &OpenOptions) -> Result<Dataset, Error> {
    let unknown = |message: String| Err(Error::new(ErrorKind::Unknown, message));
    match spec {
        [] => unknown("no data set is given: expected a registered name, files, or a folder".into()),
        [name] if let Some(entry) = registry::find(name.as_ref()) => open_registered(entry, options),
        [spec] if lookalike::is_named_by(spec.as_ref()) => match options.split {
            Some(split) => unknown(format!(
                "{} has no split {split}: look-alikes are not split; leave the split out",
                spec.as_ref()
            )),
            None => lookalike::open(spec.as_ref(), options.cache.as_deref()),
        },
        paths => {
            if let Some(split) = options.split {
                return unknown(format!(
                    "split {split} does not apply here: only registered data sets have splits; give the files to read instead"
                ));
            }
            let paths: Vec<&Path> = paths.iter().map(|path| Path::new(path.as_ref())).collect();
            if let Some(absent) = paths.iter().find(|path| !path.exists()) {
                let cut = cut_at_comma(spec);
                return cut.map_or_else(|| unknown(unknown_source_message(absent, paths.len() > 1)), Err);
            }
            read_through_cache(&display_name(&paths), &paths, &options.read, options.cache.as_deref())
        }
    }
}

fn open_registered(entry: &Entry, options: &OpenOptions) -> Result<Dataset, Error> {
    if entry.matrix.is_some() {
        let message = format!("{} is a preference matrix, not a data set: use it with `--matrix {0}`", entry.name);
        return Err(Error::new(ErrorKind::Unknown, message));
    }
    let folder = options.root.clone().unwrap_or_else(registry::data_root).join(&entry.name);
    if let Some(split) = options.split
        && entry.split(split).is_none()
    {
        let parts: Vec<&str> = entry.splits.iter().map(|split| split.name.name()).collect();
        let message = format!("{} has no split {split}: expected {}", entry.name, parts.join(" or "));
        return Err(Error::new(ErrorKind::Unknown, message));
    }
    let located =
        registry::locate(entry, &folder).ok_or_else(|| registry::missing_error(entry, options.split, &folder))?;
    let wanted = |part: &&registry::SplitEntry| options.split.map_or(part.counted, |split| part.name == split);
    let mut files = Vec::new();
    for part in entry.splits.iter().filter(wanted) {
        let of_part = located.files(part.name);
        let of_part = of_part.ok_or_else(|| registry::missing_error(entry, Some(part.name), &folder))?;
        files.extend_from_slice(of_part);
    }
    let name = match options.split {
        Some(split) => format!("{} ({split})", entry.name),
        None => entry.name.clone(),
    };
    let read = ReadOptions { features: options.read.features.max(entry.features), ..options.read.clone() };
    read_through_cache(&name, &files, &read, options.cache.as_deref())
}

/// Like [`read_files`], using the cache.
fn read_through_cache<P: AsRef<Path>>(
    name: &str,
    paths: &[P],
    read: &ReadOptions,
    cache: Option<&Path>,
) -> Result<Dataset, Error> {
    let list = expand(paths)?;
    // Cache keys contain this text, so the `Debug` form of the options is part of the cache format.
    let (provenance, options) = (list.provenance(), format!("{read:?}"));
    let Provenance::Files { files, .. } = &provenance else { unreachable!("a list of files has this provenance") };
    let files = files.clone();
    let recipe = || -> Recipe {
        let (name, files, read) = (name.to_string(), files.clone(), read.clone());
        Box::new(move || read_files(&name, &files, &read))
    };
    cache::open_files(cache, (name, provenance), (&files, &options), recipe, || read_list(name, list, read))
}

fn unknown_source_message(absent: &Path, several: bool) -> String {
    let name = absent.display().to_string();
    if several && (registry::find(&name).is_some() || lookalike::is_named_by(&name)) {
        return format!("{name} is a data set by itself and cannot be combined with others: give its files instead");
    }
    let registered = registry::all().iter().map(|entry| entry.name.as_str());
    let known: Vec<&str> = registered.chain(lookalike::names()).collect();
    let hint = ranktypes::spec::did_you_mean(&name, &known);
    let hint = hint.unwrap_or_else(|| "`rankduel datasets` lists the registered names".to_owned());
    format!("`{name}` is neither a file or folder nor a registered data set; {hint}")
}

/// The name of a data set read from `paths`: the name of the first, and the number of others.
fn display_name(paths: &[&Path]) -> String {
    let full = std::path::absolute(paths[0]).unwrap_or_else(|_| paths[0].to_path_buf());
    let first = full.file_name().unwrap_or(full.as_os_str()).display().to_string();
    match paths.len() {
        1 => first,
        more => format!("{first} and {} more", more - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(spec: &[&str], options: &OpenOptions) -> (ErrorKind, String) {
        let error = open(spec, options).unwrap_err();
        assert!(!error.to_string().contains('\n'));
        (error.kind(), error.to_string())
    }

    #[test]
    fn a_registered_set_opens_by_name_and_split() {
        let root = tempfile::tempdir().unwrap();
        let options = OpenOptions { root: Some(root.path().into()), ..OpenOptions::default() };
        let (kind, message) = error(&["ylr1"], &options);
        assert_eq!(kind, ErrorKind::Missing);
        assert!(message.contains("cargo xtask fetch-datasets ylr1"), "{message}");

        let folder = root.path().join("ylr1");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("set1.train.txt"), "1 qid:1 10:0.5\n").unwrap();
        let dataset = open(&["ylr1"], &options).unwrap();
        assert_eq!((dataset.name(), dataset.features()), ("ylr1", 700));
        let of = |split| OpenOptions { split: Some(split), ..options.clone() };
        assert_eq!(open(&["ylr1"], &of(Split::Train)).unwrap().name(), "ylr1 (train)");
        let (kind, message) = error(&["ylr1"], &of(Split::Test));
        assert_eq!(kind, ErrorKind::Missing);
        assert!(message.contains("ylr1 (test)"), "{message}");
        assert!(error(&["prefmat-mslr-perfect"], &options).1.contains("`--matrix prefmat-mslr-perfect`"));
        assert!(error(&["yandex"], &of(Split::Vali)).1.contains("expected train or test"));
    }

    #[test]
    fn files_and_folders_open_by_path() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("b.txt", "1 qid:2 1:0.5\n"), ("a.txt", "0 qid:1 2:1\n"), ("x.md", "# no\n")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
        let options = OpenOptions::default();
        let whole = open(&[path("")], &options).unwrap();
        assert_eq!((whole.queries(), whole.query(0).id()), (2, "1"));
        let two = open(&[path("b.txt"), path("a.txt")], &options).unwrap();
        assert_eq!((two.name(), two.query(0).id()), ("b.txt and 1 more", "2"));

        assert!(error(&[], &options).1.contains("no data set is given"));
        assert!(error(&["mslr-web30"], &options).1.contains("did you mean `mslr-web30k`?"));
        assert!(error(&["such/a/file"], &options).1.contains("neither a file or folder"));
        assert!(error(&["ylr1", "ylr2"], &options).1.contains("cannot be combined"));
        let split = OpenOptions { split: Some(Split::Train), ..options };
        let spec = path("a.txt");
        assert!(error(&[&spec], &split).1.contains("split train does not apply here"));
    }
}
