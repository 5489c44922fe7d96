//! All parts of a folder, checked against each other before anything is made of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tracing::info;

use super::part::{Cell, ENDING, Header, Invocation, KeptRecord, Part};
use super::shard::Shard;
use crate::difference::{Compare, first_difference};
use crate::files::path_error;
use crate::numbers::with_unit;
use crate::records::Record;
use crate::usage::usage;

/// The number of faults that are named, at most.
const MAX_NAMED: usize = 5;

/// A part that was found, or why it cannot be read.
#[derive(Debug)]
pub struct PartFile {
    /// The file.
    pub path: PathBuf,
    /// Its header and circumstances, without its body.
    pub part: Result<(Header, Invocation)>,
}

/// All parts in `folder`, in the order of their names.
///
/// # Errors
/// If the folder cannot be read.
pub fn part_files_in(folder: &Path) -> Result<Vec<PartFile>> {
    let entries = fs::read_dir(folder).map_err(|error| path_error(error, "read the parts in", folder))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == ENDING));
    paths.sort();
    let read_part = |path: PathBuf| PartFile { part: Part::check(&path), path };
    Ok(paths.into_iter().map(read_part).collect())
}

/// The numbers of shards as a list of ranges, e.g. `3, 7-9`.
#[must_use]
pub fn range_list(numbers: impl IntoIterator<Item = u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let range_text =
        |(first, last): (u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.into_iter().map(range_text).collect::<Vec<_>>().join(", ")
}

/// The complete parts of one piece of work.
#[derive(Debug)]
pub struct Parts {
    folder: PathBuf,
    /// The header of the first part.
    header: Header,
    invocation: Invocation,
    /// The files by the number of the shard.
    files: Vec<PathBuf>,
    /// Versions of the program that made parts, if several did.
    builds: Vec<String>,
    seconds: f64,
    /// Once they are asked for.
    records: Mutex<Option<BTreeMap<String, BTreeMap<u64, KeptRecord>>>>,
}

impl Parts {
    /// The parts in `folder`, if they are complete and belong together.
    ///
    /// # Errors
    /// One line that names the parts that are missing, damaged, or of other work or another revision. Nothing is changed.
    pub fn read(folder: &Path) -> Result<Self> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut damaged = Vec::new();
        let mut faults = Vec::new();
        let mut sound: Vec<(PathBuf, Header, Invocation)> = Vec::new();
        for PartFile { path, part } in part_files_in(folder)? {
            match part {
                Ok((header, invocation)) => sound.push((path, header, invocation)),
                Err(error) => damaged.push(format!("{}: {error:#}", name(&path))),
            }
        }
        ensure!(
            !(sound.is_empty() && damaged.is_empty()),
            "{} holds no parts; run the shards first (--shard 0/N and so on)",
            folder.display()
        );
        let headers: Vec<&Header> = sound.iter().map(|(_, header, _)| header).collect();
        let most_common_header = most_common_header(&headers);
        let mut by_shard: BTreeMap<u32, PathBuf> = BTreeMap::new();
        for (path, header, _) in &sound {
            let Some(expected) = most_common_header else { break };
            if let Some(difference) = work_difference(header, expected) {
                faults.push(format!("{}: {difference}", name(path)));
            } else if let Some(earlier) = by_shard.get(&header.shard.index) {
                let is_same = Part::read(earlier)?.has_same_results(&Part::read(path)?);
                if !is_same {
                    let [earlier, path] = [earlier, path].map(|path| name(path));
                    faults.push(format!("{earlier} and {path} are the same shard with different results; remove one"));
                }
            } else {
                by_shard.insert(header.shard.index, path.clone());
            }
        }
        let missing_shards: Vec<u32> = most_common_header.map_or_else(Vec::new, |header| {
            (0..header.shard.of).filter(|index| !by_shard.contains_key(index)).collect()
        });
        let mut wrong: Vec<String> = [&damaged[..], &faults].concat();
        if let (Some(header), false) = (most_common_header, missing_shards.is_empty()) {
            let (parts, list) =
                (with_unit(u64::from(header.shard.of), "shard"), range_list(missing_shards.iter().copied()));
            let verb = if missing_shards.len() == 1 { "is" } else { "are" };
            wrong.push(format!("of {parts}, {list} {verb} missing"));
        }
        if !wrong.is_empty() {
            let remainder = match wrong.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                remainder => format!("; and {remainder} more"),
            };
            wrong.truncate(MAX_NAMED);
            let advice = match (damaged.is_empty() && missing_shards.is_empty(), faults.is_empty()) {
                (false, true) => "run those shards again",
                (false, false) => "run those shards again, and remove what does not belong here",
                (true, _) => "remove what does not belong here",
            };
            let message = format!("{} cannot be merged: {}{remainder}; {advice}", folder.display(), wrong.join("; "));
            bail!(if faults.is_empty() { anyhow::anyhow!(message) } else { usage(message) });
        }
        let mut builds: Vec<String> = sound.iter().map(|(_, _, invocation)| invocation.build.clone()).collect();
        builds.sort();
        builds.dedup();
        let seconds = sound.iter().map(|(_, _, invocation)| invocation.seconds).sum();
        let files: Vec<PathBuf> = by_shard.into_values().collect();
        let (_, header, invocation) =
            sound.into_iter().find(|(path, ..)| files.first() == Some(path)).context("there is a first part")?;
        info!("{:?} holds the parts of all {} shards", folder, files.len());
        Ok(Self { folder: folder.to_path_buf(), header, invocation, files, builds, seconds, records: Mutex::new(None) })
    }

    /// The folder they are in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of parts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Never: there is at least one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The work that all of them are shares of; the shard is the first.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The circumstances of the first of them.
    #[must_use]
    pub fn invocation(&self) -> &Invocation {
        &self.invocation
    }

    /// The seconds of all shards together.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// A remark if other versions of the program than `build` made them, with the same revisions.
    #[must_use]
    pub fn other_builds(&self, build: &str) -> Option<String> {
        let other_builds: Vec<&str> =
            self.builds.iter().map(String::as_str).filter(|part_build| *part_build != build).collect();
        (!other_builds.is_empty()).then(|| {
            format!(
                "parts in {} were made by version {}, and are merged by {build}; their revisions are equal",
                self.folder.display(),
                other_builds.join(" and ")
            )
        })
    }

    /// Checks that they are shares of the work with this configuration and these revisions.
    ///
    /// # Errors
    /// One line with the first difference.
    pub fn check(&self, config: &Value, revisions: &BTreeMap<String, u32>) -> Result<()> {
        let expected = Header { config: config.clone(), revisions: revisions.clone(), ..self.header.clone() };
        match work_difference(&self.header, &expected) {
            Some(difference) => bail!(usage(format!(
                "the parts in {} are of other work than this command now does: {difference}; restore the data and flags that the \
                 shards had, or run them again",
                self.folder.display()
            ))),
            None => Ok(()),
        }
    }

    /// The records of `subject`, by their numbers.
    ///
    /// # Errors
    /// If a part cannot be read any more.
    pub fn records<R: Record>(&self, subject: &str) -> Result<BTreeMap<u64, R>> {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if records.is_none() {
            let mut by_subject: BTreeMap<String, BTreeMap<u64, KeptRecord>> = BTreeMap::new();
            self.for_each_part(|part| {
                for Cell { subject, records } in part.cells()? {
                    by_subject.entry(subject).or_default().extend(records);
                }
                Ok(())
            })?;
            *records = Some(by_subject);
        }
        let of_subject = records.as_ref().and_then(|by_subject| by_subject.get(subject)).into_iter().flatten();
        let parse_record = |(number, kept_record): (&u64, &KeptRecord)| -> Result<(u64, R)> {
            let record = kept_record.record().with_context(|| self.unreadable(*number))?;
            Ok((*number, record))
        };
        of_subject.map(parse_record).collect()
    }

    fn unreadable(&self, number: u64) -> String {
        format!("record {number} in the parts in {} cannot be read", self.folder.display())
    }

    /// Reads one part after another, in the order of their shards.
    ///
    /// # Errors
    /// Errors of `use_part`, and if a part cannot be read any more, with its name.
    pub fn for_each_part(&self, mut use_part: impl FnMut(&Part) -> Result<()>) -> Result<()> {
        for path in &self.files {
            let used = Part::read(path).and_then(|part| use_part(&part));
            used.with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// The error for work that lacks a unit although all parts are there.
    #[must_use]
    pub fn incomplete_error(&self, missing_work: &str) -> anyhow::Error {
        anyhow::anyhow!(
            "the parts in {} lack {missing_work}, which this command would have to compute; run the shards again with this program",
            self.folder.display()
        )
    }
}

/// The header that most of `headers` share, but for the number of the shard.
#[must_use]
pub fn most_common_header<'a>(headers: &[&'a Header]) -> Option<&'a Header> {
    let mut groups: Vec<(&Header, u32)> = Vec::new();
    for header in headers {
        match groups.iter_mut().find(|(known, _)| work_difference(header, known).is_none()) {
            Some((_, count)) => *count += 1,
            None => groups.push((header, 1)),
        }
    }
    let max_count = groups.iter().map(|(_, count)| *count).max()?;
    groups.into_iter().find(|(_, count)| *count == max_count).map(|(header, _)| header)
}

/// The differences between the work behind `found` and that of `expected`.
#[must_use]
pub fn work_difference(found: &Header, expected: &Header) -> Option<String> {
    // Another build of the same revisions gives the same results.
    let config = |header: &Header| {
        let mut config = header.config.clone();
        config.as_object_mut().map(|fields| fields.remove("version"));
        config
    };
    let without_shard = |header: &Header| {
        let Header { shard: Shard { of, .. }, unit, total, revisions, .. } = header;
        serde_json::json!({"number of shards": of, "unit": unit, "total": total, "revision": revisions})
    };
    first_difference(&config(found), &config(expected), Compare::Everything)
        .or_else(|| first_difference(&without_shard(found), &without_shard(expected), Compare::Everything))
}

#[cfg(test)]
mod tests {
    use super::super::part::tests::part;
    use super::*;

    /// A folder with parts of a study in three shards.
    fn parts() -> (tempfile::TempDir, impl Fn(u32) -> PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().to_path_buf();
        let path = move |index| here.join(format!("{}.part", Shard { index, of: 3 }.name()));
        (0..3).for_each(|index| part(index, 3, 1).write(&path(index)).unwrap());
        (folder, path)
    }

    fn refusal(folder: &Path) -> String {
        let error = format!("{:#}", Parts::read(folder).unwrap_err());
        assert!(error.contains("cannot be merged") && !error.contains('\n'), "{error}");
        error
    }

    #[test]
    fn complete_parts_give_all_records() {
        let (folder, path) = parts();
        // A copy of a part, and files of others, do no harm.
        fs::copy(path(1), folder.path().join("copy.part")).unwrap();
        fs::write(folder.path().join("notes.txt"), "").unwrap();
        let parts = Parts::read(folder.path()).unwrap();
        assert_eq!((parts.len(), parts.header().total), (3, 10));
        assert_eq!(parts.header().shard.index, 0);
        assert_eq!(parts.other_builds("1"), None);
        assert!(parts.other_builds("2").unwrap().contains("version 1, and are merged by 2"));
        let config = part(0, 3, 1).header.config;
        let revisions = part(0, 3, 1).header.revisions;
        parts.check(&config, &revisions).unwrap();
        let wrong = format!("{:#}", parts.check(&part(0, 3, 2).header.config, &revisions).unwrap_err());
        assert!(wrong.contains("its seed is 1, not 2"), "{wrong}");
        let wrong = parts.check(&config, &BTreeMap::from([("rucb".to_owned(), 2)])).unwrap_err();
        assert!(format!("{wrong:#}").contains("its revision.rucb is 1, not 2"), "{wrong:#}");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let (folder, path) = parts();
        let here = folder.path();
        let whole = fs::read(path(2)).unwrap();
        fs::remove_file(path(2)).unwrap();
        assert!(refusal(here).contains("of 3 shards, 2 is missing; run those shards again"), "{}", refusal(here));
        fs::write(path(2), &whole[..whole.len() / 2]).unwrap();
        let cut = refusal(here);
        assert!(cut.contains("2-of-3.part: it is damaged or cut off") && cut.contains("2 is missing"), "{cut}");
        part(2, 3, 5).write(&path(2)).unwrap();
        let seed = refusal(here);
        assert!(seed.contains("2-of-3.part: its seed is 5, not 1"), "{seed}");
        let mut revised = part(2, 3, 1);
        revised.header.revisions.insert("rucb".to_owned(), 7);
        revised.write(&path(2)).unwrap();
        assert!(refusal(here).contains("2-of-3.part: its revision.rucb is 7, not 1"), "{}", refusal(here));
        part(2, 3, 1).write(&path(2)).unwrap();
        part(1, 4, 1).write(&here.join("1-of-4.part")).unwrap();
        let number = refusal(here);
        assert!(number.contains("1-of-4.part: its number of shards is 4, not 3"), "{number}");
        assert!(number.ends_with("remove what does not belong here"), "{number}");
        fs::remove_file(here.join("1-of-4.part")).unwrap();
        let mut differs = part(2, 3, 1);
        differs.body.extend(b"11 {}\n");
        let differs = Part::new(differs.header, differs.invocation, differs.body);
        differs.write(&here.join("again.part")).unwrap();
        let twice = refusal(here);
        assert!(twice.contains("2-of-3.part and again.part are the same shard with different results"), "{twice}");
        fs::remove_file(here.join("again.part")).unwrap();
        Parts::read(here).unwrap();
    }

    #[test]
    fn numbers_are_listed_as_ranges() {
        assert_eq!(range_list([3, 7, 8, 9, 11]), "3, 7-9, 11");
        assert_eq!(range_list([]), "");
    }
}
