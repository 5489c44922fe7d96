//! `rankduel-server backup`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use desk::println;

use super::StoreFlag;
use crate::store::Access;

/// Copy a store, also while a server runs
///
/// The copy is a store: serve it, or look into it with the other commands. It has the secrets of the store.
#[derive(Debug, Args)]
pub(super) struct Backup {
    /// The file to write; it must not exist
    #[arg(value_name = "TO")]
    to: PathBuf,
    #[command(flatten)]
    store: StoreFlag,
}

impl Backup {
    pub(super) fn run(self) -> Result<()> {
        self.store.open(Access::Change)?.backup(&self.to)?;
        println!("wrote {}", self.to.display());
        Ok(())
    }
}
