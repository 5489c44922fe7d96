//! `rankduel-server serve`.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use desk::{print, println};
use output::usage::usage;

use super::logging;
use crate::running::{Hooks, RunningServer};
use crate::settings::{Consent, PartialSettings};

/// Serve the experiments of a store
///
/// Flags are before environment variables, and these before the configuration file, which has the names of the flags with `_`.
/// Without keys in the store, only this machine may call.
#[derive(Debug, Args)]
pub(super) struct Serve {
    #[command(flatten)]
    given: PartialSettings,
    /// A configuration in TOML
    #[arg(long, value_name = "FILE", env = "RANKDUEL_CONFIG")]
    config: Option<PathBuf>,
    /// Print the resolved configuration and end
    #[arg(long)]
    print_config: bool,
    #[command(flatten)]
    consent: Consent,
}

impl Serve {
    pub(super) fn run(self) -> Result<()> {
        let file = match &self.config {
            None => PartialSettings::default(),
            Some(path) => {
                let text = output::input::read_text(path, 1 << 20).with_context(|| path.display().to_string())?;
                PartialSettings::from_toml(&text, path).map_err(usage)?
            }
        };
        let settings = self.given.or(file).resolve(self.consent).map_err(usage)?;
        if self.print_config {
            print::text(&settings.to_toml());
            return Ok(());
        }
        logging::start(settings.log_format, settings.log_level);
        let store = settings.store.to_string();
        let server = RunningServer::start(settings, Hooks::default())?;
        tracing::info!(store, address = %server.address(), "serving");
        if let Some(copy) = server.moved() {
            let copy = copy.display();
            println!(
                "moved the store to the format of this version; {copy} is as it was, with who asked what: delete it once all is well"
            );
        }
        if let Some(key) = server.first_key() {
            println!("made the store; the key for you, which may do everything and is shown only now:\n{key}");
        }
        // A reader of the "serves" line may send a signal immediately.
        let asked = server.asked_to_end()?;
        println!("serving http://{}", server.address());
        let ended = server.wait_for_end(asked);
        tracing::info!("stopping");
        server.stop();
        Ok(ended?)
    }
}
