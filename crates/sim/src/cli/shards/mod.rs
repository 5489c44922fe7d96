//! Shards: `--shard`, its effect on commands, and the commands about all shards together.
//!
//! | in | is |
//! |---|---|
//! | this file | the flag, and the arguments that a part remembers; the work of a shard is in `studies::runner` |
//! | `merge` | `rankduel merge` |
//! | `status` | `rankduel status` |
//! | `submit` | `rankduel submit`: scripts for clusters, processes of this machine |

pub(super) mod merge;
pub(super) mod status;
pub(super) mod submit;

use std::cell::RefCell;
use std::ffi::OsString;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use output::shards::shard::for_this_task;
use output::shards::{Invocation, Parts, ShardSpec, Share};

/// A share of the work.
#[derive(Debug, Args)]
pub(in crate::cli) struct ShardArgs {
    /// Do only share I of N of the work, e.g. 3/64 (0 to 63), and write it to the folder OUT.shards; `rankduel merge` unites all
    /// shares to the files that one process writes, byte for byte
    ///
    /// auto/N takes I from the number of this task in a job array: SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or
    /// PBS_ARRAY_INDEX (auto-1/N if they count from 1). Shares can be done on any machine, in any order and twice; one that
    /// was stopped continues, and one that is finished is not repeated. `prepare` does only what all shares need (the binary
    /// cache of the data, the ranked lists, the ground truth) and keeps it in caches. `rankduel submit` writes the scripts for a cluster.
    #[arg(long, value_name = "I/N", help_heading = "Runs and results")]
    shard: Option<ShardSpec>,
}

impl ShardArgs {
    /// The requested share; to merge, the parts are read and checked.
    pub(in crate::cli) fn share(&self) -> Result<Share> {
        Ok(match &self.shard {
            None => Share::All,
            Some(ShardSpec::Prepare) => Share::Prepare,
            Some(ShardSpec::Shard(shard)) => Share::One(*shard),
            Some(ShardSpec::Auto { offset, of }) => Share::One(for_this_task(*offset, *of)?),
            Some(ShardSpec::Merge(folder)) => Share::Merge(Arc::new(Parts::read(folder)?)),
        })
    }
}

thread_local! {
    /// The arguments of the command that this thread runs.
    static ARGUMENTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Remembers the arguments of the command that this thread is about to run, with those from `rankduel.toml`.
pub(super) fn invoked_with(arguments: &[OsString]) {
    let texts = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    ARGUMENTS.set(texts);
}

/// The invocation of the present command; without arguments where a program calls the library.
#[must_use]
pub fn invocation() -> Invocation {
    Invocation {
        arguments: work_arguments(&ARGUMENTS.with_borrow(Clone::clone)),
        folder: std::env::current_dir().map_or_else(|_| String::new(), |folder| folder.to_string_lossy().into_owned()),
        build: env!("SIM_VERSION").to_owned(),
        ..Invocation::default()
    }
}

/// Flags of a process, which do not concern the work: with values, and without.
const PROCESS_FLAGS: ([&str; 3], [&str; 4]) =
    (["--shard", "--out", "--threads"], ["--quiet", "--json", "--replace", "--resume"]);

/// `arguments` without the flags of a process.
fn work_arguments(arguments: &[String]) -> Vec<String> {
    let (flags_with_value, switches) = PROCESS_FLAGS;
    let mut work_arguments = Vec::new();
    let mut remaining = arguments.iter();
    while let Some(word) = remaining.next() {
        let name = word.split('=').next().unwrap_or_default();
        if flags_with_value.contains(&name) {
            if !word.contains('=') {
                remaining.next();
            }
        } else if !switches.contains(&name) {
            work_arguments.push(word.clone());
        }
    }
    work_arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_a_process_are_not_those_of_the_work() {
        let words = "bandit --shard 3/7 --problem btl:k=10 --out=a --quiet --threads 2 --runs 5 --json --out b";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        assert_eq!(work_arguments(&words).join(" "), "bandit --problem btl:k=10 --runs 5");
    }
}
