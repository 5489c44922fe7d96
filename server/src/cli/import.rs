//! `rankduel-server import`.

use anyhow::Result;
use clap::Args;
use desk::println;
use output::numbers::with_unit;

use super::{StoreFlag, record_audit};
use crate::store::{Access, Location, Store, StoreLock, migrate};

/// Move a store from a file into a database, or back: experiments, keys, secrets and logs, byte for byte
///
/// The store that is written must be new, and no server may have either of them. The one that is read stays as it is.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// The store to read: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "FROM")]
    from: Location,
    #[command(flatten)]
    store: StoreFlag,
}

impl Import {
    pub(super) fn run(self) -> Result<()> {
        let to = &self.store.store;
        // Held until all is there: nothing may be acknowledged in a store that was read already.
        let lock = |location: &Location, may_create| -> Result<Option<StoreLock>> {
            Ok(location.file().map(|path| StoreLock::take(path, may_create)).transpose()?)
        };
        let _locks = (lock(&self.from, false)?, lock(to, true)?);
        if let Some(path) = self.from.file() {
            migrate(path)?;
        }
        let from = Store::open(&self.from, Access::Read)?;
        from.check_unused()?;
        // Makes its tables.
        drop(Store::open(to, Access::Serve)?);
        let store = Store::open(to, Access::Change)?;
        store.check_unused()?;
        store.import(&from)?;
        let count = store.experiments()?.len();
        record_audit(&store, "import", &format!("{} from {}", with_unit(count as u64, "experiment"), self.from))?;
        println!("moved {} from {} to {to}", with_unit(count as u64, "experiment"), self.from);
        Ok(())
    }
}
