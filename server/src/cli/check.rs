//! `rankduel-server check`.

use anyhow::{Result, bail};
use clap::Args;

use super::{Found, StoreFlag, print};
use crate::store::Access;
use crate::writer::{FoldedLog, fold};

/// Check a store: the file, the numbers of events, and that every log folds
///
/// Exits with 1 if something is wrong. A server may run meanwhile.
#[derive(Debug, Args)]
pub(super) struct Check {
    #[command(flatten)]
    store: StoreFlag,
}

impl Check {
    pub(super) fn run(self) -> Result<()> {
        let store = self.store.open(Access::Read)?;
        let problems = store.problems()?;
        for problem in &problems {
            print(&format!("store: {}", problem.text))?;
        }
        let mut wrong = problems.len();
        for (id, name) in store.experiments()? {
            match fold(&store, id, &name, |_| {}) {
                Ok(FoldedLog { events, asked, .. }) => {
                    print(&format!("{name}: ok, {events} events, {asked} impressions"))?
                }
                Err(error) => {
                    wrong += 1;
                    print(&format!("{name}: {error}"))?;
                }
            }
        }
        if wrong > 0 {
            bail!(Found);
        }
        print("ok")
    }
}
