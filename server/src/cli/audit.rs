//! `rankduel-server audit`.

use anyhow::Result;
use clap::Args;
use desk::println;
use times::parse_duration;

use super::StoreFlag;
use crate::store::Access;
use crate::writer::Clock;

/// List what no log of an experiment has, and who did it: deletions, exports, keys, secrets, keys that were refused
///
/// Whom a deletion was about is not kept.
#[derive(Debug, Args)]
pub(super) struct Audit {
    /// Only what is younger than this, such as 7d [default: all]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    last: Option<i64>,
    #[command(flatten)]
    store: StoreFlag,
}

impl Audit {
    pub(super) fn run(self) -> Result<()> {
        let since = self.last.map_or(i64::MIN, |last| Clock::start().now().saturating_sub(last));
        println!("time\twho\twhat\tdetail");
        for audit in self.store.open(Access::Read)?.audits(since)? {
            println!("{}\t{}\t{}\t{}", times::text(audit.time), audit.who, audit.what, audit.detail);
        }
        Ok(())
    }
}
