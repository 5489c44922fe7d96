//! Expands a list of files and folders to the files to read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::foreign::foreign_format;
use super::group_sizes::GroupSizes;
use super::line_shape::{self, LineShape};
use super::lines::lines;
use super::source::{self, read_up_to};
use crate::dataset::Provenance;
use crate::error::{Error, ErrorKind};
use crate::file_names::{GROUP_ENDINGS, group_sizes_of, is_cache, reason_it_is_not_meant};
use crate::regular_file::not_a_file;
use crate::text::options::MAX_LINE;

/// A file to read, with its group sizes if there is a file of them beside it.
pub(crate) struct DataFile {
    pub(crate) path: PathBuf,
    pub(in crate::text) groups: Option<Arc<GroupSizes>>,
}

/// The files to read, and the files skipped with the reason for each.
#[derive(Default)]
pub(crate) struct FileList {
    pub(crate) files: Vec<DataFile>,
    pub(crate) skipped: Vec<(PathBuf, String)>,
}

/// The number of bytes read at a time to find a file's first non-blank line.
const PROBE_BYTES: usize = 64 << 10;

/// Expands folders: a folder stands for its files with a row as their first non-blank line, ordered by name.
pub(crate) fn expand<P: AsRef<Path>>(paths: &[P]) -> Result<FileList, Error> {
    let mut list = FileList::default();
    for path in paths {
        let path = path.as_ref();
        let metadata = std::fs::metadata(path).map_err(|error| Error::io(path, "failed to open", &error))?;
        if metadata.is_dir() {
            list.add_folder(path)?;
        } else {
            list.add_file(path.to_path_buf())?;
        }
    }
    Ok(list)
}

impl FileList {
    /// The provenance of a data set read from these files.
    pub(crate) fn provenance(&self) -> Provenance {
        let files = self.files.iter().map(|file| file.path.clone()).collect();
        Provenance::Files { files, skipped: self.skipped.clone() }
    }

    fn add_file(&mut self, path: PathBuf) -> Result<(), Error> {
        let mut groups: Option<GroupSizes> = None;
        for side in group_sizes_of(&path) {
            let read = GroupSizes::read(&side)?;
            if let Some(first) = &groups {
                let refused = |message| Error::new(ErrorKind::QueryId, message).in_file(&path);
                first.check_equal(&read).map_err(refused)?;
            }
            groups = groups.or(Some(read));
        }
        let groups = groups.map(Arc::new);
        self.files.push(DataFile { path, groups });
        Ok(())
    }

    fn add_folder(&mut self, folder: &Path) -> Result<(), Error> {
        let failed = |error| Error::io(folder, "failed to list", &error);
        let mut paths = std::fs::read_dir(folder)
            .map_err(failed)?
            .map(|entry| entry.map(|entry| entry.path()).map_err(failed))
            .collect::<Result<Vec<_>, _>>()?;
        paths.retain(|path| !is_cache(path));
        paths.sort();
        let (files, skipped) = (self.files.len(), self.skipped.len());
        for path in paths {
            match reason_it_is_not_meant(&path).map(str::to_owned).or_else(|| reason_to_skip(&path)) {
                Some(reason) => self.skipped.push((path, reason)),
                None => self.add_file(path)?,
            }
        }
        if self.files.len() > files {
            return Ok(());
        }
        let skipped: Vec<String> = self.skipped[skipped..]
            .iter()
            .map(|(path, reason)| format!("{} ({reason})", path.file_name().unwrap_or_default().display()))
            .collect();
        let mut message =
            "has no data file, expected files that start with a row of `label qid:id feature:value ...`".to_string();
        match &skipped[..] {
            [] => message += ": it is empty",
            [.., _] if skipped.len() > 5 => {
                message += &format!(": skipped {} and {} more", skipped[..4].join(", "), skipped.len() - 4);
            }
            _ => message += &format!(": skipped {}", skipped.join(", ")),
        }
        Err(Error::new(ErrorKind::Format, message).in_file(folder))
    }
}

/// Why a file of a folder is not a data file; `None` if it is one.
fn reason_to_skip(path: &Path) -> Option<String> {
    match std::fs::metadata(path) {
        Err(error) => return Some(format!("failed to open: {error}")),
        Ok(metadata) => {
            if let Some(what) = not_a_file(&metadata) {
                return Some(what.into());
            }
            // Some files of /proc are said to be empty, and reading them waits for events.
            if metadata.len() == 0 {
                return Some("empty".into());
            }
        }
    }
    let data_of = |ending| path.to_str()?.strip_suffix(ending).map(Path::new).filter(|data| data.is_file());
    if let Some(data) = GROUP_ENDINGS.into_iter().find_map(data_of) {
        let data = data.file_name().unwrap_or_default();
        return Some(format!("the group sizes of {}", data.display()));
    }
    let mut source = match source::open(path) {
        Ok(source) => source,
        Err(error) => return Some(error.message().to_string()),
    };
    let mut text = vec![0; PROBE_BYTES];
    loop {
        let start = text.len() - PROBE_BYTES;
        let (read, failure) = read_up_to(&mut source, &mut text[start..]);
        let filled = start + read;
        let first = lines(&text[..filled]).find(|(_, line)| line_shape::shape_of(line) != LineShape::Blank);
        if first.is_none() && failure.is_none() && read == PROBE_BYTES && filled < MAX_LINE {
            text.resize(filled + PROBE_BYTES, 0);
            continue;
        }
        return match (first.map(|(_, line)| line_shape::shape_of(line)), failure) {
            (Some(LineShape::Row { .. }), _) => None,
            (_, Some(failure)) => Some(format!("failed to read: {failure}")),
            (None, None) if read == PROBE_BYTES => {
                Some("starts with megabytes of blank lines: give the file itself to read it".into())
            }
            (None, None) => Some("only blank lines".into()),
            (Some(LineShape::Comment), None) => {
                Some("starts with a comment, not with a row: give the file itself to read it".into())
            }
            (Some(_), None) => Some(match first.and_then(|(_, line)| foreign_format(line)) {
                Some(foreign) => format!("{foreign}: {}", foreign.remedy()),
                None => "does not start with a row of data".into(),
            }),
        };
    }
}
