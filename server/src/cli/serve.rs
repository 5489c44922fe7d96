//! `rankduel-server serve`.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use desk::{print, println};
use output::usage::usage;

use super::logging;
use crate::running::{Hooks, Running};
use crate::settings::Given;

/// Serve the experiments of a store
///
/// Flags are before environment variables, and these before the configuration file, which has the names of the flags with `_`.
/// Without keys in the store, only this machine may call.
#[derive(Debug, Args)]
pub(super) struct Serve {
    #[command(flatten)]
    given: Given,
    /// A configuration in TOML
    #[arg(long, value_name = "FILE", env = "RANKDUEL_CONFIG")]
    config: Option<PathBuf>,
    /// Print the resolved configuration and end
    #[arg(long)]
    print_config: bool,
    /// The clock is right although it is more than a day away from the store's last moment
    #[arg(long)]
    accept_time: bool,
}

impl Serve {
    pub(super) fn run(self) -> Result<()> {
        let file = match &self.config {
            None => Given::default(),
            Some(path) => {
                let text = output::input::read_text(path, 1 << 20).with_context(|| path.display().to_string())?;
                Given::from_toml(&text, path).map_err(usage)?
            }
        };
        let settings = self.given.or(file).resolve(self.accept_time).map_err(usage)?;
        if self.print_config {
            print::text(&settings.to_toml());
            return Ok(());
        }
        logging::start(settings.log_format, settings.log_level);
        let store = settings.store.display().to_string();
        let running = Running::start(settings, Hooks::default())?;
        tracing::info!(store, address = %running.address(), "serving");
        println!("serving http://{}", running.address());
        running.wait_for_signal()?;
        tracing::info!("stopping");
        running.stop();
        Ok(())
    }
}
