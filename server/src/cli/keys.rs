//! `rankduel-server keys`.

use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use desk::println;
use output::usage::usage;

use super::StoreFlag;
use crate::store::{Access, KeyRow, Role};
use crate::writer::Clock;

/// Make, list and revoke keys of callers
///
/// A running server knows changes within a second.
#[derive(Debug, Args)]
pub(super) struct Keys {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a key and print it, once: the store, which is made if it is missing, keeps a hash alone
    Add {
        /// What the key may do
        #[arg(value_enum)]
        role: RoleName,
        /// The only experiment that the key is for [default: all]
        #[arg(long, value_name = "NAME")]
        experiment: Option<String>,
        /// Whose key it is: a name that logs of experiments show
        #[arg(long, value_name = "TEXT", default_value = "")]
        label: String,
        #[command(flatten)]
        store: StoreFlag,
    },
    /// List keys: number, role, experiment, label, when made, when revoked
    List {
        #[command(flatten)]
        store: StoreFlag,
    },
    /// Revoke a key
    Revoke {
        /// The number of the key, as `list` has it
        number: i64,
        #[command(flatten)]
        store: StoreFlag,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoleName {
    /// Everything
    Admin,
    /// Impressions, duels and events
    Serve,
    /// Status
    Read,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Admin => Self::Admin,
            RoleName::Serve => Self::Serve,
            RoleName::Read => Self::Read,
        }
    }
}

/// The longest label.
const MOST_LABEL: usize = 100;

impl Keys {
    pub(super) fn run(self) -> Result<()> {
        let now = Clock::start().now();
        match self.command {
            Command::Add { role, experiment, label, store } => {
                if label.len() > MOST_LABEL || label.chars().any(char::is_control) {
                    bail!(usage(format!(
                        "--label has more than {MOST_LABEL} bytes or control characters; expected a short name"
                    )));
                }
                // Made if it is missing: a server that others can reach needs a key before it starts.
                let store = store.open(Access::Serve)?;
                if let Some(name) = &experiment
                    && !store.experiments()?.iter().any(|(_, known)| known == name)
                    && !is_name(name)
                {
                    bail!(usage(format!(
                        "--experiment {name:?} cannot be the name of an experiment: expected 1 to 64 of a-z, 0-9, _ and -"
                    )));
                }
                let key = store.add_key(role.into(), experiment.as_deref(), &label, now)?;
                println!("{}", key.text);
            }
            Command::List { store } => {
                let keys = store.open(Access::Read)?.keys()?;
                println!("number\trole\texperiment\tlabel\tmade\trevoked");
                keys.iter().for_each(|key| println!("{}", line(key)));
            }
            Command::Revoke { number, store } => {
                if !store.open(Access::Change)?.revoke_key(number, now)? {
                    bail!("there is no key {number} that works; `rankduel-server keys list` has the numbers");
                }
            }
        }
        Ok(())
    }
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}

fn line(key: &KeyRow) -> String {
    let time = times::text;
    let experiment = key.experiment.as_deref().unwrap_or("all");
    let revoked = key.revoked.map_or_else(|| "-".to_owned(), time);
    format!("{}\t{}\t{experiment}\t{}\t{}\t{revoked}", key.id, key.role.name(), key.label, time(key.created))
}
