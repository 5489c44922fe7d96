//! `rankduel-server keys`.

use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use desk::println;
use output::usage::usage;
use times::parse_duration;

use super::{StoreFlag, record_audit};
use crate::store::{Access, KeyRow, Role, RotatedSecret, StoreLock};
use crate::writer::Clock;
use times::DAY;

/// Make, list and revoke keys of callers, and replace the secrets of a store
///
/// A running server knows changes within a second.
#[derive(Debug, Args)]
pub(super) struct Keys {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a key and print it, once: the store keeps a hash alone
    Add {
        /// What the key may do
        #[arg(value_enum)]
        role: RoleName,
        /// The only experiment that the key is for, which must be there [default: all]
        #[arg(long, value_name = "NAME")]
        experiment: Option<String>,
        /// Whose key it is: a name that logs of experiments show
        #[arg(long, value_name = "TEXT", default_value = "")]
        label: String,
        /// How long the key works, such as 90d [default: until it is revoked]
        #[arg(long, value_name = "TIME", value_parser = parse_duration)]
        expires: Option<i64>,
        /// Make the store if it is missing or empty: a server that others can reach needs a key before it starts
        #[arg(long)]
        create: bool,
        #[command(flatten)]
        store: StoreFlag,
    },
    /// List keys: number, role, experiment, label, when made, last used, expiring and revoked
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
    /// Replace a secret of the store, after somebody else may have read it
    Rotate {
        /// Which secret
        #[arg(value_enum)]
        secret: SecretName,
        /// How long the one before still counts: ids that were given out with it, users who were counted with it [default: 2d for ids,
        /// 30d for hashes]
        #[arg(long, value_name = "TIME", value_parser = parse_duration)]
        grace: Option<i64>,
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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SecretName {
    /// Signs the ids of impressions
    Ids,
    /// Hashes users; those who do not come back within the grace are new when they do
    Hashes,
}

/// The longest label.
const MAX_LABEL: usize = 100;

impl Keys {
    pub(super) fn run(self) -> Result<()> {
        let now = Clock::start().now();
        match self.command {
            Command::Add { role, experiment, label, expires, create, store } => {
                if label.len() > MAX_LABEL || label.chars().any(char::is_control) {
                    bail!(usage(format!(
                        "--label has more than {MAX_LABEL} bytes or control characters; expected a short name"
                    )));
                }
                if create && !store.store.is_made()? {
                    let _lock = store.store.file().map(|path| StoreLock::take(path, true)).transpose()?;
                    store.open(Access::Serve)?;
                }
                let store = store.open(Access::Change)?;
                if let Some(name) = &experiment {
                    let known = store.experiments()?;
                    if !known.iter().any(|(_, known)| known == name) {
                        let names: Vec<&str> = known.iter().take(10).map(|(_, known)| known.as_str()).collect();
                        bail!(usage(format!(
                            "--experiment {name:?}: the store has no such experiment; it has {}",
                            if names.is_empty() { "none yet".to_owned() } else { names.join(", ") }
                        )));
                    }
                }
                let expires = expires.map(|time| now.saturating_add(time));
                let key = store.add_key(role.into(), experiment.as_deref(), &label, now, expires)?;
                record_audit(&store, "key made", &format!("key {} with the role {}", key.id, Role::from(role).name()))?;
                println!("{}", key.text);
            }
            Command::List { store } => {
                let keys = store.open(Access::Read)?.keys()?;
                println!("number\trole\texperiment\tlabel\tmade\tused\texpires\trevoked");
                keys.iter().for_each(|key| println!("{}", line(key)));
            }
            Command::Revoke { number, store } => {
                let store = store.open(Access::Change)?;
                if !store.revoke_key(number, now)? {
                    bail!("there is no key {number} that works; `rankduel-server keys list` has the numbers");
                }
                record_audit(&store, "key revoked", &format!("key {number}"))?;
            }
            Command::Rotate { secret, grace, store } => {
                let (which, usual) = match secret {
                    SecretName::Ids => (RotatedSecret::Ids, 2 * DAY),
                    SecretName::Hashes => (RotatedSecret::Hashes, 30 * DAY),
                };
                let store = store.open(Access::Change)?;
                let until = now.saturating_add(grace.unwrap_or(usual));
                store.rotate(which, until)?;
                record_audit(&store, "secret replaced", which.name())?;
                println!("replaced; the one before counts until {}", times::text(until));
            }
        }
        Ok(())
    }
}

fn line(key: &KeyRow) -> String {
    let time = |time: Option<i64>| time.map_or_else(|| "-".to_owned(), times::text);
    let experiment = key.experiment.as_deref().unwrap_or("all");
    let KeyRow { id, role, label, created, used, expires, revoked, .. } = key;
    let [created, used, expires, revoked] = [Some(*created), *used, *expires, *revoked].map(time);
    format!("{id}\t{}\t{experiment}\t{label}\t{created}\t{used}\t{expires}\t{revoked}", role.name())
}
