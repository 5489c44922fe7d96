//! Files that are either complete or absent.
//!
//! Every file is written under a temporary name in the folder of its target, flushed to disk and renamed into
//! place: a run that is killed halfway leaves the previous file, never half of a new one.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, RwLockReadGuard};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::checksum::sha256_hex;
use crate::claimed_folder::ClaimedFolder;
use crate::input;
use crate::interrupt::finish_writing;
use crate::usage::usage;

/// Creates `folder` and its missing parents; an existing folder is left as it is.
///
/// # Errors
/// If it cannot be created, for example because a file of that name exists.
pub fn create_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| path_error(error, "create the folder", folder))
}

/// The same; returns the folders that were missing, outer ones first.
pub(super) fn create_folder_listing(folder: &Path) -> Result<Vec<PathBuf>> {
    let ancestors = folder.ancestors().filter(|ancestors| !ancestors.as_os_str().is_empty());
    let mut missing_folders: Vec<PathBuf> =
        ancestors.take_while(|ancestors| !ancestors.exists()).map(Path::to_path_buf).collect();
    missing_folders.reverse();
    create_folder(folder)?;
    Ok(missing_folders)
}

/// Checks that `path` can be written, without changing it.
///
/// # Errors
/// As for [`write_atomic`].
pub fn check_writable(path: &Path) -> Result<()> {
    let names_a_folder = path.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
    if path.is_dir() || names_a_folder {
        return Err(path_error(ErrorKind::IsADirectory.into(), "write", path));
    }
    let aside = TemporaryFile::temporary_for(path)?;
    created(&aside.path).map(drop).map_err(|error| path_error(error, "write", path))
}

/// Refuses a file that is there: nothing is replaced without being asked. With `replace`, a file may be. `flag` is the one that names it.
///
/// # Errors
/// As wrong usage.
pub fn check_new(path: &Path, flag: &str, replace: bool) -> Result<()> {
    let shown_path = path.display();
    match path.symlink_metadata() {
        Ok(found) if replace && found.is_file() => Ok(()),
        Ok(_) if replace => {
            Err(usage(format!("{flag}: {shown_path} is a folder or a device, and only files are replaced")))
        }
        Ok(_) => {
            Err(usage(format!("{flag}: {shown_path} is there already; name a file that is not, or pass --replace")))
        }
        Err(_) => Ok(()),
    }
}

/// Removes `path` if it exists: a file of an earlier run that this one does not write.
///
/// # Errors
/// If it exists and cannot be removed.
pub fn remove_stale(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(path_error(error, "remove", path)),
        _ => Ok(()),
    }
}

/// Creates the parent folder of `path`.
///
/// # Errors
/// As for [`create_folder`].
pub fn create_folder_of(path: &Path) -> Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => create_folder(folder),
        None => Ok(()),
    }
}

/// Writes `bytes` to `path` in one step, replacing any previous file: readers never see half a file.
/// The folder of `path` must exist ([`create_folder`]).
///
/// # Errors
/// One line with the path, the cause and a remedy; no temporary file remains, and an earlier file at `path` is
/// untouched.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let aside = TemporaryFile::temporary_for(path)?;
    let result = created(&aside.path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    result.and_then(|()| aside.rename()).map_err(|error| path_error(error, "write", path))
}

/// Writes a large file that can be made again, such as a cache, to `path` in one step: `write` writes it. It is not flushed to disk, and a
/// process that is asked to stop does not wait for it; readers check it.
///
/// # Errors
/// As for [`write_atomic`].
pub fn write_large(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
    let mut aside = TemporaryFile::temporary_for(path)?;
    aside.writing = None;
    let result = created(&aside.path).and_then(|mut file| write(&mut file));
    result.and_then(|()| fs::rename(&aside.path, &aside.target)).map_err(|error| path_error(error, "write", path))
}

/// Writes `value` as indented JSON with a final newline, through [`write_atomic`]. Lists of plain values fill their
/// lines instead of taking one line per value.
///
/// # Errors
/// As for [`write_atomic`], and if `value` has no JSON form (e.g. a map with keys that are not strings).
pub fn write_json_pretty<T: Serialize + ?Sized>(path: &Path, value: &T) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .with_context(|| format!("failed to turn the content of {} into JSON", path.display()))?;
    write_atomic(path, &json_file(&text))
}

/// The bytes of such a file from indented JSON.
#[must_use]
pub fn json_file(pretty: &str) -> Vec<u8> {
    (with_filled_lists(pretty) + "\n").into_bytes()
}

/// Indented JSON with lists of plain values wrapped at 100 characters.
fn with_filled_lists(pretty: &str) -> String {
    const WIDTH: usize = 100;
    let lines: Vec<&str> = pretty.lines().collect();
    let mut text = String::with_capacity(pretty.len());
    let mut start = 0;
    while start < lines.len() {
        let line = lines[start];
        if !text.is_empty() {
            text.push('\n');
        }
        text += line;
        start += 1;
        if !line.ends_with('[') {
            continue;
        }
        // A list of plain values ends before any other list or object begins. Brackets inside strings do not confuse
        // this: strings are quoted and their line breaks are escaped.
        let closes = |line: &&str| line.trim_start().starts_with(']');
        let opens = |line: &&str| line.ends_with(['[', '{']);
        let Some(length) = lines[start..].iter().position(|line| closes(line) || opens(line)) else { continue };
        if !closes(&lines[start + length]) {
            continue;
        }
        let indent = &lines[start][..lines[start].len() - lines[start].trim_start().len()];
        let items: Vec<&str> = lines[start..start + length].iter().map(|line| line.trim_start()).collect();
        let end = lines[start + length].trim_start();
        let joined = items.join(" ");
        if line.chars().count() + joined.chars().count() + end.len() <= WIDTH {
            text += &joined;
            text += end;
        } else {
            let mut room = 0;
            for item in items {
                let length = item.chars().count() + 1;
                if room < length {
                    text.push('\n');
                    text += indent;
                    room = WIDTH.saturating_sub(indent.len());
                } else {
                    text.push(' ');
                }
                text += item;
                room = room.saturating_sub(length);
            }
            text.push('\n');
            text += lines[start + length];
        }
        start += length + 1;
    }
    text
}

/// Writes a CSV file through [`write_atomic`]: the line `header`, then one line per row (a tuple, a struct of plain
/// fields or a slice). The header is written even without rows.
///
/// # Errors
/// As for [`write_atomic`], and if the number of fields of a row differs from the header's.
pub fn write_csv<R: Serialize>(path: &Path, header: &[&str], rows: impl IntoIterator<Item = R>) -> Result<()> {
    let table = csv(header, rows).with_context(|| format!("failed to format the table {}", path.display()))?;
    write_atomic(path, &table)
}

/// The bytes of such a file.
///
/// # Errors
/// If the number of fields of a row differs from the header's.
pub fn csv<R: Serialize>(header: &[&str], rows: impl IntoIterator<Item = R>) -> Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(header)?;
    for row in rows {
        writer.serialize(row)?;
    }
    Ok(writer.into_inner().map_err(|error| error.into_error())?)
}

/// Removes temporary files that killed writers of `path` left behind. Files of running processes stay; if the system does not list
/// processes, all stay.
pub fn remove_leftovers(path: &Path) {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else { return };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    remove_leftovers_in(folder, Some(&name));
}

/// Creates the temporary file at `path`, over one that a killed writer left.
fn created(path: &Path) -> io::Result<File> {
    input::open_with(File::options().create(true).truncate(true).write(true), path)
}

/// As [`remove_leftovers`], for the file `name` in `folder`, or for all files.
pub(super) fn remove_leftovers_in(folder: &Path, name: Option<&str>) {
    let processes = Path::new("/proc");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file_name = entry.file_name();
        let target_and_writer = file_name
            .to_str()
            .and_then(|file_name| file_name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.'));
        let target_and_writer = target_and_writer.filter(|(target, _)| name.is_none_or(|name| *target == name));
        let mut writer = target_and_writer.map(|(_, writer)| writer.split('-')).into_iter().flatten();
        let (number, _, host) =
            (writer.next().and_then(|number| number.parse::<u32>().ok()), writer.next(), writer.next());
        // In a folder that machines share, the processes of another one are not listed here.
        let Some(writer) = number.filter(|_| host.is_none_or(|host| host == this_machine())) else { continue };
        if processes.join("self").exists() && !processes.join(writer.to_string()).exists() {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Eight digits that distinguish this machine from others that share a folder with it: processes of several machines, and those of
/// containers almost always, have the same number.
fn this_machine() -> &'static str {
    static MACHINE: OnceLock<String> = OnceLock::new();
    MACHINE.get_or_init(|| {
        let kernel_name = fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let name =
            kernel_name.or_else(|| std::env::var("HOSTNAME").ok()).or_else(|| std::env::var("COMPUTERNAME").ok());
        sha256_hex(name.unwrap_or_default().trim())[..8].to_owned()
    })
}

/// A temporary file beside its target, removed on drop unless it was renamed.
struct TemporaryFile {
    path: PathBuf,
    /// The file itself: a symbolic link that a user named stays, and its target is replaced. In a folder of results, the link itself is
    /// replaced.
    target: PathBuf,
    /// A process that is asked to stop completes its files.
    writing: Option<RwLockReadGuard<'static, ()>>,
}

impl TemporaryFile {
    fn temporary_for(target: &Path) -> Result<Self> {
        let is_link = fs::symlink_metadata(target).is_ok_and(|data| data.is_symlink()) && !ClaimedFolder::has(target);
        let target =
            &if is_link { fs::canonicalize(target).ok() } else { None }.unwrap_or_else(|| target.to_path_buf());
        // A device or pipe would be replaced by a file of its name.
        if fs::metadata(target).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            return Err(path_error(io::Error::new(ErrorKind::InvalidInput, "it is not a file"), "write", target));
        }
        // Two threads, or two processes on one folder, must not write into one temporary file.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = target
            .file_name()
            .with_context(|| format!("failed to write {}: the path has no file name; add one", target.display()))?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".{}.{}-{count}-{}.tmp", name.to_string_lossy(), std::process::id(), this_machine());
        Ok(Self { path: target.with_file_name(name), target: target.clone(), writing: Some(finish_writing()) })
    }

    fn rename(self) -> io::Result<()> {
        fs::rename(&self.path, &self.target)?;
        // Flushing the folder makes the rename durable. Not every system can open a folder, and the file is complete
        // either way.
        if let Some(folder) = self.path.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // After a rename there is nothing to remove.
        let _ = fs::remove_file(&self.path);
    }
}

/// One line with what failed, where, and a remedy; the cause follows as the source of the error.
pub fn path_error(error: io::Error, action: &str, path: &Path) -> anyhow::Error {
    let hint = match error.kind() {
        ErrorKind::NotFound => "does its folder exist?",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "choose a folder that you may write to",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space and run again",
        ErrorKind::FileTooLarge => "raise the limit on the size of files (ulimit -f) and run again",
        ErrorKind::IsADirectory => "that is a folder; choose another name",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            "a file is where a folder should be; choose another folder"
        }
        // The error of `input`.
        ErrorKind::InvalidInput => "give a regular file",
        _ => "check the disk or choose another folder",
    };
    let message = format!("failed to {action} {} ({hint})", path.display());
    anyhow::Error::new(error).context(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of all entries of `folder`, including hidden ones.
    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Nor is a pipe replaced, whether it is named or linked to.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, link) = (folder.path().join("pipe"), folder.path().join("link"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for path in [&pipe, &link] {
            let error = format!("{:#}", write_atomic(path, b"text").unwrap_err());
            assert!(error.contains("pipe") && error.contains("it is not a file"), "{error}");
            assert!(!fs::metadata(path).unwrap().is_file());
        }
    }

    #[test]
    fn writes_and_replaces_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomic(&path, b"one, long").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn leftovers_of_killed_writers_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mine = format!(".a.state.{}-0.tmp", std::process::id());
        // Beyond the largest process id of Linux, 2^22.
        for name in [mine.as_str(), ".a.state.99999999-0.tmp", ".b.state.99999999-0.tmp", ".a.state.x.tmp", "a.state"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        remove_leftovers(&folder.path().join("a.state"));
        let mut left = vec![mine.as_str(), ".a.state.x.tmp", ".b.state.99999999-0.tmp", "a.state"];
        left.sort_unstable();
        assert_eq!(names(folder.path()), left);
    }

    #[test]
    fn a_failed_rename_removes_the_temporary_file_and_names_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        // With a folder at the target, writing succeeds and the rename fails.
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        let error = format!("{:#}", write_atomic(&path, b"x").unwrap_err());
        assert!(error.contains(&path.display().to_string()), "{error}");
        assert!(error.contains("that is a folder; choose another name"), "{error}");
        assert!(!error.contains('\n'), "{error}");
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn a_missing_folder_is_named_and_not_created() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent/a.txt");
        let error = format!("{:#}", write_atomic(&path, b"x").unwrap_err());
        assert!(error.contains("absent") && error.contains("does its folder exist?"), "{error}");
        assert!(names(folder.path()).is_empty());
        assert!(write_atomic(Path::new("/"), b"x").is_err());
    }

    #[test]
    fn folders_are_created_with_their_parents_and_a_file_there_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        create_folder(&deep).unwrap();
        create_folder(&deep).unwrap();
        assert!(deep.is_dir());
        let file = folder.path().join("file");
        write_atomic(&file, b"x").unwrap();
        for taken in [file.clone(), file.join("below")] {
            let error = format!("{:#}", create_folder(&taken).unwrap_err());
            assert!(error.contains(&taken.display().to_string()), "{error}");
            assert!(error.contains("a file is where a folder should be"), "{error}");
        }
    }

    #[test]
    fn json_is_indented_and_ends_with_a_newline() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write_json_pretty(&path, &serde_json::json!({"seed": 7})).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"seed\": 7\n}\n");
    }

    #[test]
    fn lists_of_plain_values_fill_their_lines() {
        let value = serde_json::json!({
            "empty": [], "few": [1, 2.5, null, true], "texts": ["a ] b", "[", "c\n]", "{"], "pairs": [[1, 2], [3, 4]],
            "objects": [{"x": [1]}, {"x": []}], "many": (100..200).collect::<Vec<u32>>(), "long": "x".repeat(200),
            "longs": ["y".repeat(120), "z".repeat(120)],
        });
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let filled = with_filled_lists(&pretty);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&filled).unwrap(), value, "{filled}");
        for line in ["  \"few\": [1, 2.5, null, true],", "    [1, 2],", "      \"x\": [1]", "  \"empty\": [],"] {
            assert!(filled.lines().any(|found| found == line), "{line} in\n{filled}");
        }
        let many: Vec<&str> =
            filled.lines().skip_while(|line| !line.contains("\"many\"")).take_while(|line| *line != "  ],").collect();
        assert_eq!(many.len(), 1 + 6, "{many:?}");
        assert!(many.iter().all(|line| line.len() <= 100) && many[1].starts_with("    100, 101, "), "{many:?}");
        assert_eq!(super::with_filled_lists("{}"), "{}");
        assert_eq!(super::with_filled_lists("7"), "7");
    }

    #[test]
    fn csv_has_its_header_and_refuses_ragged_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let header = ["algorithm", "time", "regret"];
        write_csv(&path, &header, [("RUCB, k=5", 10_u64, 0.5), ("BTM", 20, 1.25)]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "algorithm,time,regret\n\"RUCB, k=5\",10,0.5\nBTM,20,1.25\n");
        let error = write_csv(&path, &header, [("BTM", 1)]).unwrap_err();
        assert!(format!("{error:#}").contains("a.csv"));
        assert!(fs::read_to_string(&path).unwrap().contains("RUCB"), "the old file stays");
        write_csv(&path, &header, std::iter::empty::<(u8,)>()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "algorithm,time,regret\n");
        assert_eq!(names(folder.path()), ["a.csv"]);
    }
}
