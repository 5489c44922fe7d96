//! Values of numbered units of work, such as draws of rankers: all of them, the share of a shard, or those that shards left.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use output::cache::sha256_hex;
use output::numbers::with_separators;
use output::records::{Record, Records};
use output::shards::{Cell, Share};

/// A value with its number.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Numbered<T> {
    number: u64,
    value: T,
}

impl<T: Serialize + DeserializeOwned> Record for Numbered<T> {
    fn number(&self) -> u64 {
        self.number
    }
}

/// Values of numbered units of work.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// A text of one line that distinguishes them from other values of the same study.
    pub subject: &'a str,
    /// What units are called, in the plural.
    pub units: &'a str,
    /// How many there are; they are numbered from 0.
    pub total: u64,
    /// The bytes of a value in memory.
    pub bytes: u64,
}

/// How much of the work is done, and where a shard keeps what it has done.
#[derive(Debug)]
pub struct NumberedWork {
    share: Share,
    /// The folder of a shard.
    folder: Option<PathBuf>,
    /// What distinguishes the subjects from those of other works in the same parts.
    within: String,
    cells: Mutex<Vec<Cell>>,
}

impl NumberedWork {
    /// All of it.
    #[must_use]
    pub fn all() -> Self {
        Self::of(&Share::All, None)
    }

    /// The work of `share`; a shard keeps values in `folder`.
    #[must_use]
    pub fn of(share: &Share, folder: Option<PathBuf>) -> Self {
        Self { share: share.clone(), folder, within: String::new(), cells: Mutex::new(Vec::new()) }
    }

    /// The same for one of several works whose subjects have the same names: `within`, a text without spaces, distinguishes them.
    #[must_use]
    pub fn within(self, within: String) -> Self {
        Self { within, ..self }
    }

    /// Checks that memory has room for the values of `total` units, called `what` in the plural, of `bytes` bytes each.
    /// For commands, before they compute anything; [`values`](Self::values) checks again.
    ///
    /// # Errors
    /// One line with what is needed, what is left, and what to choose instead.
    pub fn ensure_room(share: &Share, what: &str, total: u64, bytes: u64) -> Result<()> {
        let units = share.shard().map_or(total, |shard| {
            let range = shard.range(total);
            range.end - range.start
        });
        output::memory::ensure_room(
            units.saturating_mul(bytes),
            || format!("the results of {} {what}", with_separators(units)),
            || format!("choose fewer {what}"),
        )
    }

    /// All values, or for its part those of a shard alone, if this is one.
    ///
    /// # Errors
    /// If memory has no room for the values, one cannot be kept, or the parts of shards lack one.
    pub fn values<T: Serialize + DeserializeOwned + Send + Sync>(
        &self,
        values: &Values<'_>,
        compute: impl Fn(u64) -> T + Sync + Send,
    ) -> Result<Vec<T>> {
        let Values { subject, units, total, bytes } = *values;
        Self::ensure_room(&self.share, units, total, bytes)?;
        let subject = &format!("{} {subject}", self.within);
        let subject = subject.trim();
        if let Some(parts) = self.share.parts() {
            let found: BTreeMap<u64, Numbered<T>> = parts.records(subject)?;
            if let Some(lacking) = (0..total).find(|number| !found.contains_key(number)) {
                return Err(parts.incomplete(&format!("number {lacking} of {subject}")));
            }
            return Ok(found.into_values().take(total as usize).map(|numbered| numbered.value).collect());
        }
        let Some(shard) = self.share.shard() else { return Ok((0..total).into_par_iter().map(compute).collect()) };
        let folder = self.folder.as_ref().context("a shard has a folder")?;
        let path = folder.join(".runs").join(format!("{}.jsonl", &sha256_hex(subject)[..32]));
        let mut kept: Records<Numbered<T>> = Records::open(path, subject.to_owned(), |_| true);
        let range = shard.range(total);
        kept.found.retain(|number, _| range.contains(number));
        let missing: Vec<u64> = range.filter(|number| !kept.found.contains_key(number)).collect();
        let computed = missing.into_par_iter().with_max_len(1).map(|number| {
            let numbered = Numbered { number, value: compute(number) };
            kept.append(&numbered).map(|()| (number, numbered))
        });
        let computed = computed.collect::<Result<Vec<_>>>()?;
        kept.found.extend(computed);
        let cell = Cell::new(subject.to_owned(), kept.found.values())?;
        self.cells.lock().unwrap_or_else(PoisonError::into_inner).push(cell);
        Ok(kept.found.into_values().map(|numbered| numbered.value).collect())
    }

    /// The part of a shard: all values so far.
    #[must_use]
    pub fn into_cells(self) -> Vec<Cell> {
        self.cells.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
