//! The files that a list of runs means, and what each run is called.

use std::path::{Path, PathBuf};

use super::SYNTHETIC;
use super::fields::is_comment;
use crate::error::{Error, ErrorKind};
use crate::file_names::{reason_it_is_not_meant, split_name, stem};
use crate::names::{NameError, NameFault, Names};
use crate::regular_file::not_a_file;
use crate::text::{ForeignFile, foreign_format, lines, open_source, read_up_to};

/// The most bytes of a file of a folder that are read to find its first line.
const PROBE_BYTES: usize = 64 << 10;

/// A run to read: its name, if the user gave one, and its file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Source {
    pub(super) name: Option<String>,
    pub(super) path: PathBuf,
}

/// A file that is left out, and the reason.
pub(super) type SkippedFile = (PathBuf, String);

/// The files that `runs` mean, and those of folders that were skipped with the reason. A folder stands for its files
/// that start with a line of a run, by name.
pub(super) fn expand<S: AsRef<str>>(runs: &[S]) -> Result<(Vec<Source>, Vec<SkippedFile>), Error> {
    let (mut sources, mut skipped) = (Vec::new(), Vec::new());
    for run in runs {
        let (name, path) = split_name(run.as_ref());
        if !path.is_dir() {
            sources.push(Source { name: name.map(str::to_owned), path: path.to_path_buf() });
            continue;
        }
        if let Some(name) = name {
            let message =
                format!("is a folder, expected the file of the run {name}: give the file, or the folder unnamed");
            return Err(Error::new(ErrorKind::Io, message).in_file(path));
        }
        let failed = |error| Error::io(path, "failed to list", &error);
        let mut files = std::fs::read_dir(path)
            .map_err(failed)?
            .map(|entry| entry.map(|entry| entry.path()).map_err(failed))
            .collect::<Result<Vec<_>, _>>()?;
        files.sort();
        let before = sources.len();
        for file in files {
            let reason = reason_it_is_not_meant(&file);
            match reason.or((!starts_a_run(&file)).then_some("does not start with a line of a run")) {
                None => sources.push(Source { name: None, path: file }),
                Some(reason) => skipped.push((file, reason.to_owned())),
            }
        }
        if sources.len() == before {
            let message = "has no run, expected files of `query Q0 document rank score tag`: give the files themselves";
            return Err(Error::new(ErrorKind::Format, message).in_file(path));
        }
    }
    Ok((sources, skipped))
}

/// Whether the first line of `path` that is neither blank nor a comment is that of a run.
fn starts_a_run(path: &Path) -> bool {
    first_line(path).is_some_and(|line| foreign_format(&line) == Some(ForeignFile::Run))
}

/// The first line of `path` that is neither blank nor a comment, if it is near the beginning.
fn first_line(path: &Path) -> Option<Vec<u8>> {
    if std::fs::metadata(path).is_ok_and(|metadata| not_a_file(&metadata).is_some() || metadata.len() == 0) {
        return None;
    }
    let mut source = open_source(path).ok()?;
    let mut text = vec![0; PROBE_BYTES];
    let (read, _) = read_up_to(&mut source, &mut text);
    let text = text[..read].strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text[..read]);
    let has_content = |line: &&[u8]| !line.trim_ascii().is_empty() && !is_comment(line);
    lines(text).map(|(_, line)| line).find(has_content).map(<[u8]>::to_vec)
}

/// The path of a run given as [`open`](super::open) takes it, `FILE` or `NAME=FILE`.
#[must_use]
pub fn path_of(run: &str) -> &Path {
    split_name(run).1
}

/// Whether any of `runs`, given as [`open`](super::open) takes them, was written from synthetic data, by its first line.
pub fn any_synthetic<S: AsRef<str>>(runs: &[S]) -> bool {
    let Ok((sources, _)) = expand(runs) else { return false };
    let is_synthetic = |line: Vec<u8>| {
        let tag = line.split(u8::is_ascii_whitespace).rfind(|field| !field.is_empty());
        tag.is_some_and(|tag| tag.starts_with(SYNTHETIC.as_bytes()))
    };
    sources.iter().any(|source| first_line(&source.path).is_some_and(is_synthetic))
}

/// The names of runs read from `sources` with these `tags`: the name given, otherwise the name of the file without its
/// ending or, if files of the same name are among them, the tag.
pub(super) fn resolve(sources: &[Source], tags: &[Vec<u8>]) -> Result<Names, Error> {
    let stems: Vec<String> = sources.iter().map(|source| stem(&source.path)).collect();
    let name = |at: usize| -> String {
        if let Some(name) = &sources[at].name {
            return name.clone();
        }
        let clashes = |other: usize| other != at && sources[other].name.is_none() && stems[other] == stems[at];
        if (0..sources.len()).any(clashes) {
            String::from_utf8_lossy(&tags[at]).into_owned()
        } else {
            stems[at].clone()
        }
    };
    Names::new((0..sources.len()).map(name)).map_err(|NameError { number, fault }| {
        let path = &sources[number].path;
        let message = match fault {
            NameFault::Repeated { name, first } => format!(
                "{} and this file are both called `{name}`: give one of them another name, e.g. other={}",
                sources[first].path.display(),
                path.display()
            ),
            fault => format!("the name of the run {fault}: name it, e.g. bm25={}", path.display()),
        };
        Error::new(ErrorKind::Name, message).in_file(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sources: &[(&str, &str, &str)]) -> Result<Vec<String>, String> {
        let name = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        let files: Vec<Source> =
            sources.iter().map(|(given, path, _)| Source { name: name(given), path: path.into() }).collect();
        let tags: Vec<Vec<u8>> = sources.iter().map(|(_, _, tag)| tag.as_bytes().to_vec()).collect();
        let names = resolve(&files, &tags).map_err(|error| error.to_string())?;
        Ok(names.iter().flatten().map(str::to_owned).collect())
    }

    #[test]
    fn runs_are_named_after_files_tags_or_as_asked() {
        assert_eq!(names(&[("", "x/a.run", "t1"), ("", "b.txt", "t2")]).unwrap(), ["a", "b"]);
        assert_eq!(names(&[("", "x/a.run", "t1"), ("", "y/a.gz", "t2"), ("", "b", "t")]).unwrap(), ["t1", "t2", "b"]);
        assert_eq!(names(&[("mine", "x/a.run", "t1"), ("", "y/a.run", "t1")]).unwrap(), ["mine", "a"]);
        let error = names(&[("", "x/a.run", "t"), ("", "y/a.run", "t")]).unwrap_err();
        assert_eq!(
            error,
            "y/a.run: x/a.run and this file are both called `t`: give one of them another name, e.g. other=y/a.run"
        );
        assert!(names(&[("b", "a", "t"), ("", "b", "t")]).unwrap_err().contains("both called `b`"));
    }
}
