//! `rankduel-server check`.

use anyhow::Result;
use clap::Args;
use desk::failure::FAILED;
use desk::println;
use output::numbers::with_unit;

use super::StoreFlag;
use crate::store::{Access, Store};
use crate::writer::{FoldedLog, check_log};

/// Check a store: the file, the checksums of all rows, that every log folds, and that snapshots are what logs fold to
///
/// Exits with 1 if something is wrong. A server may run meanwhile.
#[derive(Debug, Args)]
pub(super) struct Check {
    #[command(flatten)]
    store: StoreFlag,
}

impl Check {
    /// Checks it; returns the exit code.
    pub(super) fn run(self) -> Result<u8> {
        // A server may forget days meanwhile.
        self.store.open(Access::Read)?.at_one_moment(check)
    }
}

fn check(store: &Store) -> Result<u8> {
    let problems = store.problems()?;
    for problem in &problems {
        println!("store: {}", problem.text);
    }
    let mut wrong = problems.len();
    for (id, name) in store.experiments()? {
        match check_log(store, id, &name) {
            Ok(FoldedLog { events, requests: asked, .. }) => {
                println!("{name}: ok, {}, {}", with_unit(events, "event"), with_unit(asked, "impression"));
            }
            Err(error) => {
                wrong += 1;
                println!("{name}: {error}");
            }
        }
    }
    if wrong > 0 {
        return Ok(FAILED);
    }
    println!("ok");
    Ok(0)
}
