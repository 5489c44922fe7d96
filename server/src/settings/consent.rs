//! Options of `serve` that need explicit consent.

use clap::Args;

/// What is done without being asked about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Args)]
pub struct Consent {
    /// Make the store if it is missing or empty, with a key for you, which is printed once
    #[arg(long, env = "RANKDUEL_CREATE")]
    pub create: bool,
    /// Make no key for a new store: whoever is on this machine may do everything
    #[arg(long, env = "RANKDUEL_NO_KEYS")]
    pub no_keys: bool,
    /// Start only if no experiment is damaged; otherwise, the others are served
    #[arg(long, env = "RANKDUEL_STRICT")]
    pub strict: bool,
    /// The clock is right although it is more than a day away from the store's last moment
    #[arg(long)]
    pub accept_time: bool,
    /// It is known that the store lacks events that were acknowledged, as after restoring a backup
    #[arg(long)]
    pub accept_loss: bool,
}
