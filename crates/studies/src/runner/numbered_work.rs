//! Values of numbered units of work, such as draws of rankers: all of them, the share of a shard, or those that shards left.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use output::cache::sha256_hex;
use output::interrupt::say_when_stopped;
use output::numbers::with_separators;
use output::records::{Record, Records};
use output::results_folder::ResultsFolder;
use output::shards::{Cell, Share};

/// A value with its number.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct NumberedValue<T> {
    number: u64,
    value: T,
}

impl<T: Serialize + DeserializeOwned> Record for NumberedValue<T> {
    fn number(&self) -> u64 {
        self.number
    }
}

/// Values of numbered units of work.
#[derive(Debug, Clone, Copy)]
pub struct ValuesSpec<'a> {
    /// A text of one line that distinguishes them from other values of the same study.
    pub subject: &'a str,
    /// The name of units, in the plural.
    pub units: &'a str,
    /// How many there are; they are numbered from 0.
    pub total: u64,
    /// The bytes of a value in memory.
    pub bytes: u64,
}

/// A function that marks a results folder as unfinished.
struct Mark(Box<dyn Fn() -> Result<()> + Send + Sync>);

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mark")
    }
}

/// The finished part of the work, and where it is kept.
#[derive(Debug)]
pub struct NumberedWork {
    share: Share,
    /// The folder in which values are kept until all are there.
    folder: Option<PathBuf>,
    /// Called before something is kept in a results folder.
    mark: Option<Mark>,
    /// The files with values.
    files: Mutex<Vec<PathBuf>>,
    /// What distinguishes the subjects from those of other works in the same parts.
    key_prefix: String,
    cells: Mutex<Vec<Cell>>,
}

impl NumberedWork {
    /// All of it.
    #[must_use]
    pub fn all() -> Self {
        Self::of(&Share::All, None)
    }

    /// The work of `share`, which keeps values in `folder` as soon as they are computed, so that it continues where it was
    /// interrupted.
    #[must_use]
    pub fn of(share: &Share, folder: Option<PathBuf>) -> Self {
        let (files, cells) = (Mutex::default(), Mutex::default());
        Self { share: share.clone(), folder, mark: None, files, key_prefix: String::new(), cells }
    }

    /// The same in a claimed results folder.
    #[must_use]
    pub fn in_folder(share: &Share, folder: &ResultsFolder) -> Self {
        let mark: Mark = Mark(Box::new(folder.marker()));
        Self { mark: Some(mark), ..Self::of(share, Some(folder.path().to_path_buf())) }
    }

    /// The same for one of several works with subjects of the same names: `within`, a text without spaces, distinguishes them.
    #[must_use]
    pub fn within_key(self, within: String) -> Self {
        Self { key_prefix: within, ..self }
    }

    /// Checks that memory has room for the values of `total` units, called `work` in the plural, of `bytes` bytes each.
    /// For commands, before they compute anything; [`values`](Self::values) checks again.
    ///
    /// # Errors
    /// One line with what is needed, what is left, and what to choose instead.
    pub fn ensure_room(share: &Share, work: &str, total: u64, bytes: u64) -> Result<()> {
        let units = share.shard().map_or(total, |shard| {
            let range = shard.range(total);
            range.end - range.start
        });
        output::memory::ensure_room(
            units.saturating_mul(bytes),
            || format!("the results of {} {work}", with_separators(units)),
            || format!("choose fewer {work}"),
        )
    }

    /// All values, or for its part those of a shard alone, if this is one.
    ///
    /// # Errors
    /// If memory has no room for the values, one cannot be kept, or the parts of shards lack one.
    pub fn values<T: Serialize + DeserializeOwned + Send + Sync>(
        &self,
        values: &ValuesSpec<'_>,
        compute: impl Fn(u64) -> T + Sync + Send,
    ) -> Result<Vec<T>> {
        let ValuesSpec { subject, units, total, bytes } = *values;
        Self::ensure_room(&self.share, units, total, bytes)?;
        let subject = &format!("{} {subject}", self.key_prefix);
        let subject = subject.trim();
        if let Some(parts) = self.share.parts() {
            let records: BTreeMap<u64, NumberedValue<T>> = parts.records(subject)?;
            if let Some(missing_number) = (0..total).find(|number| !records.contains_key(number)) {
                return Err(parts.incomplete_error(&format!("number {missing_number} of {subject}")));
            }
            return Ok(records.into_values().take(total as usize).map(|numbered| numbered.value).collect());
        }
        let Some(folder) = &self.folder else { return Ok((0..total).into_par_iter().map(compute).collect()) };
        let range = self.share.shard().map_or(0..total, |shard| shard.range(total));
        if let Some(Mark(mark)) = &self.mark {
            mark()?;
            let (name, units) = (folder.display().to_string(), units.to_owned());
            say_when_stopped(move || {
                format!("stopped; finished {units} are kept in {name}, and the same command goes on")
            });
        }
        let path = folder.join(".runs").join(format!("{}.jsonl", &sha256_hex(subject)[..32]));
        self.files.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        let mut kept_records: Records<NumberedValue<T>> = Records::open(path, subject.to_owned(), |_| true);
        kept_records.by_number.retain(|number, _| range.contains(number));
        let missing_numbers: Vec<u64> = range.filter(|number| !kept_records.by_number.contains_key(number)).collect();
        let computed = missing_numbers.into_par_iter().with_max_len(1).map(|number| {
            let numbered = NumberedValue { number, value: compute(number) };
            kept_records.append(&numbered).map(|()| (number, numbered))
        });
        let computed = computed.collect::<Result<Vec<_>>>()?;
        kept_records.by_number.extend(computed);
        if self.share.shard().is_none() {
            return Ok(kept_records.by_number.into_values().map(|numbered| numbered.value).collect());
        }
        let cell = Cell::new(subject.to_owned(), kept_records.by_number.values())?;
        self.cells.lock().unwrap_or_else(PoisonError::into_inner).push(cell);
        Ok(kept_records.by_number.into_values().map(|numbered| numbered.value).collect())
    }

    /// Removes the files with values: they are in the results now.
    ///
    /// # Errors
    /// If one cannot be removed.
    pub fn complete(&self) -> Result<()> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.iter().try_for_each(|file| output::remove_stale(file))?;
        if let Some(folder) = files.first().and_then(|file| file.parent()) {
            // Unless something else is in it.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }

    /// The part of a shard: all values so far.
    #[must_use]
    pub fn into_cells(self) -> Vec<Cell> {
        self.cells.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use output::results_folder::ExistingResults;

    use super::*;

    #[test]
    fn what_was_computed_before_an_interruption_is_not_computed_again() {
        let out = tempfile::tempdir().expect("a temporary folder");
        let values = ValuesSpec { subject: "squares", units: "squares", total: 12, bytes: 8 };
        let computed = AtomicUsize::new(0);
        let claim = || {
            let key = serde_json::json!({"command": "squares"});
            ResultsFolder::claim(&out.path().join("out"), &key, ExistingResults::SameKey).expect("a free folder")
        };
        let work = |stops_at: Option<u64>| {
            let folder = claim();
            let work = NumberedWork::in_folder(&Share::All, &folder);
            let one = |number: u64| {
                if stops_at == Some(number) {
                    resume_unwind(Box::new("stopped"));
                }
                computed.fetch_add(1, Ordering::Relaxed);
                number * number
            };
            let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
            let squares = alone.install(|| work.values(&values, one)).expect("they can be kept");
            work.complete().expect("they can be removed");
            squares
        };
        catch_unwind(AssertUnwindSafe(|| work(Some(7)))).expect_err("it stops");
        let before = computed.swap(0, Ordering::Relaxed);
        assert!((1..12).contains(&before), "{before}");
        let expected: Vec<u64> = (0..12).map(|number| number * number).collect();
        assert_eq!(work(None), expected);
        assert_eq!(computed.load(Ordering::Relaxed), 12 - before);
        assert!(!out.path().join("out/.runs").exists());
    }
}
