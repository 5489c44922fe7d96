//! Which share of the work a process does, and how that is written.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::usage::usage;

/// The most shards.
const MAX_SHARDS: u32 = 1_000_000;

/// Where job arrays put the number of a task: Slurm, Kubernetes, PBS.
pub const VARIABLES: [&str; 3] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "PBS_ARRAY_INDEX"];

/// One of several shares of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Its number, from 0.
    pub index: u32,
    /// The number of shards.
    pub of: u32,
}

impl Shard {
    /// Its share of `total` numbered units: a range; the lengths of shards differ by one at most.
    #[must_use]
    pub fn range(self, total: u64) -> Range<u64> {
        let [total, count] = [u128::from(total), u128::from(self.of)];
        // No more than the total.
        let start = |index: u32| u64::try_from(total * u128::from(index) / count).unwrap_or(u64::MAX);
        start(self.index)..start(self.index + 1)
    }

    /// The number of its own units, of `total`.
    #[must_use]
    pub fn length(self, total: u64) -> u64 {
        let range = self.range(total);
        range.end - range.start
    }

    /// The name of its files, e.g. `03-of-64`: sorted by name, files are sorted by number.
    #[must_use]
    pub fn name(self) -> String {
        let Self { index, of } = self;
        format!("{index:0width$}-of-{of}", width = of.to_string().len())
    }

    /// The shard with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let (index, count) = name.split_once("-of-")?;
        let shard = Self { index: index.parse().ok()?, of: count.parse().ok()? };
        (shard.index < shard.of && shard.name() == name).then_some(shard)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// The value of `--shard`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShardSpec {
    /// `prepare`: only what all shards need.
    Prepare,
    /// `i/n`.
    Shard(Shard),
    /// `auto/n`: the number of this task of a job array; `auto+K/n` adds K to it, `auto-1/n` takes one off.
    Auto {
        /// The offset to add.
        offset: i64,
        /// The number of shards.
        of: u32,
    },
    /// `merge:FOLDER`: everything, from the parts in that folder.
    Merge(PathBuf),
}

impl FromStr for ShardSpec {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "prepare" {
            return Ok(Self::Prepare);
        }
        if let Some(folder) = text.strip_prefix("merge:").filter(|folder| !folder.is_empty()) {
            return Ok(Self::Merge(folder.into()));
        }
        let expected =
            || "expected a number from 0 and how many there are, such as 3/64, or auto/64, or prepare".to_owned();
        let (index, count) = text.split_once('/').ok_or_else(expected)?;
        let count: u32 = count.parse().ok().filter(|count| (1..=MAX_SHARDS).contains(count)).ok_or_else(expected)?;
        let Some(offset) = index.strip_prefix("auto") else {
            let index: u32 = index.parse().map_err(|_| expected())?;
            if index >= count {
                return Err(format!("the {count} shards are numbered from 0 to {}", count - 1));
            }
            return Ok(Self::Shard(Shard { index, of: count }));
        };
        if offset.is_empty() {
            return Ok(Self::Auto { offset: 0, of: count });
        }
        let offset = offset.parse().ok().filter(|_| offset.starts_with(['+', '-'])).ok_or_else(expected)?;
        Ok(Self::Auto { offset, of: count })
    }
}

/// The shard of this task of a job array, which environment variables number.
///
/// # Errors
/// If none of them is set, or there is no such shard.
pub fn for_this_task(offset: i64, count: u32) -> Result<Shard> {
    for_task(offset, count, |name| std::env::var(name).ok())
}

fn for_task(offset: i64, count: u32, variable: impl Fn(&str) -> Option<String>) -> Result<Shard> {
    let task = VARIABLES.into_iter().find_map(|name| Some((name, variable(name)?)));
    let (name, task) = task.ok_or_else(|| {
        let names = VARIABLES.join(", ");
        usage(format!(
            "--shard auto/{count}: none of {names} is set, as in a job array; give the number, such as 0/{count}"
        ))
    })?;
    let number = task.trim().parse::<i64>().ok();
    let number = number.ok_or_else(|| usage(format!("--shard auto/{count}: {name} is {task:?}, expected a number")))?;
    let index = number.saturating_add(offset);
    u32::try_from(index).ok().filter(|index| *index < count).map(|index| Shard { index, of: count }).ok_or_else(|| {
        let sum = if offset == 0 { String::new() } else { format!(", which with {offset:+} makes {index}") };
        usage(format!("{name} is {number}{sum}, but the {count} shards are numbered from 0 to {}", count - 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(index: u32, of: u32) -> ShardSpec {
        ShardSpec::Shard(Shard { index, of })
    }

    #[test]
    fn shards_are_numbered_from_zero() {
        let read = str::parse::<ShardSpec>;
        assert_eq!(read("3/64"), Ok(shard(3, 64)));
        assert_eq!(read("0/1"), Ok(shard(0, 1)));
        assert_eq!(read("prepare"), Ok(ShardSpec::Prepare));
        assert_eq!(read("merge:a/b.shards"), Ok(ShardSpec::Merge("a/b.shards".into())));
        assert_eq!(read("auto/64"), Ok(ShardSpec::Auto { offset: 0, of: 64 }));
        assert_eq!(read("auto+1000/5000"), Ok(ShardSpec::Auto { offset: 1000, of: 5000 }));
        assert_eq!(read("auto-1/64"), Ok(ShardSpec::Auto { offset: -1, of: 64 }));
        assert!(read("7/7").unwrap_err().contains("from 0 to 6"));
        for wrong in ["", "3", "3/0", "a/7", "-1/7", "3/7/9", "3/9999999", "merge:", "autos/7", "auto3/7", "auto/"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn tasks_of_job_arrays_give_the_number_and_never_how_many_there_are() {
        let task = |offset, of, name: &str, task: &str| {
            let shard = for_task(offset, of, |asked| (asked == name).then(|| task.to_owned()));
            shard.map(|shard| shard.index).map_err(|error| error.to_string())
        };
        for name in VARIABLES {
            assert_eq!(task(0, 64, name, "11"), Ok(11));
        }
        let slurm = |offset, of, number| task(offset, of, "SLURM_ARRAY_TASK_ID", number);
        assert_eq!(slurm(1000, 5000, "7"), Ok(1007));
        assert_eq!(slurm(-1, 64, "64"), Ok(63));
        let none = task(0, 8, "SLURM_ARRAY_TASK_COUNT", "8").unwrap_err();
        assert!(none.contains("SLURM_ARRAY_TASK_ID") && none.contains("0/8"), "{none}");
        let beyond = slurm(0, 8, "8").unwrap_err();
        assert!(beyond.contains("SLURM_ARRAY_TASK_ID is 8, but the 8 shards are numbered from 0 to 7"), "{beyond}");
        assert!(slurm(-1, 8, "0").unwrap_err().contains("with -1 makes -1"));
        assert!(slurm(0, 8, "x").is_err());
    }

    #[test]
    fn ranges_are_disjoint_complete_and_even() {
        for of in [1, 2, 7, 64] {
            for total in [0, 1, 6, 7, 100, u64::MAX] {
                let mut at = 0;
                for index in 0..of {
                    let range = Shard { index, of }.range(total);
                    assert_eq!(range.start, at);
                    let length = range.end - range.start;
                    assert!(length == total / u64::from(of) || length == total / u64::from(of) + 1);
                    at = range.end;
                }
                assert_eq!(at, total);
            }
        }
    }

    #[test]
    fn names_sort_as_numbers_do() {
        let names: Vec<String> = (0..101).map(|index| Shard { index, of: 101 }.name()).collect();
        assert!(names.is_sorted());
        assert_eq!(names[7], "007-of-101");
        for (index, name) in (0..).zip(&names) {
            assert_eq!(Shard::from_name(name), Some(Shard { index, of: 101 }));
        }
        for other in ["7-of-101", "101-of-101", "slurm", "a-of-b"] {
            assert_eq!(Shard::from_name(other), None);
        }
    }
}
