//! `rankduel-server migrate`.

use anyhow::Result;
use clap::Args;
use desk::println;

use super::StoreFlag;
use crate::store::{Access, StoreLock, migrate};

/// Move a store of an earlier version to the format of this one; `serve` does the same
///
/// A copy of the store is made first, beside it. No server may run.
#[derive(Debug, Args)]
pub(super) struct Migrate {
    #[command(flatten)]
    store: StoreFlag,
}

impl Migrate {
    pub(super) fn run(self) -> Result<()> {
        let instead = "a database is moved there when it is served";
        let path = self.store.store.need_file("moving a store", instead)?;
        let _lock = StoreLock::take(path, false)?;
        match migrate(path)? {
            Some(copy) => {
                let copy = copy.display();
                println!("moved; {copy} is as the store was, with who asked what: delete it once all is well");
            }
            None => {
                // If the file is anything else, opening it reports that.
                self.store.open(Access::Read)?;
                println!("the store has the format of this version");
            }
        }
        Ok(())
    }
}
