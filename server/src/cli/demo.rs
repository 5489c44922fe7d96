//! `rankduel-server demo`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use desk::println;
use output::usage::usage;

use super::logging;
use crate::demo;
use crate::settings::{LogFormat, LogLevel, Settings, parse_listen};

/// Look at a server with simulated users: one command, and a page that moves
///
/// Four experiments, whose first twelve days pass in seconds and whose next days take 24 seconds each: a winner that was shipped, its successor
/// with a ramp, five rankers under a bandit, and a ranker that does harm. Users, clicks and time are simulated. Everything is in a temporary folder, which is removed in the end.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// The address to listen at [default: 127.0.0.1:7077, or another port of this machine if that is in use]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_listen)]
    listen: Option<SocketAddr>,
    /// Keep everything in this file, which must not be there yet
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// From which all users follow
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
}

impl Demo {
    pub(super) fn run(self) -> Result<()> {
        if let Some(store) = self.store.as_ref().filter(|store| store.symlink_metadata().is_ok()) {
            let detail = format!("--store: {} is there already; name a file that is not", store.display());
            return Err(usage(detail));
        }
        logging::start(LogFormat::Text, LogLevel::Warn);
        let folder = tempfile::Builder::new().prefix("rankduel-demo-").tempdir();
        let folder = folder.context("no temporary folder could be made")?;
        let store = self.store.clone().unwrap_or_else(|| folder.path().join("demo.db"));
        let mut settings = Settings::of(store);
        settings.listen = self.listen.unwrap_or_else(free_address);
        // Users send together what belongs together: nothing is gained from waiting for more.
        settings.batch_window = Duration::ZERO;
        settings.decision_timeout = Duration::from_secs(20);
        let mut server = demo::Demo::start(settings, self.seed)?;
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        // A reader of the "serves" line may send a signal immediately.
        server.server().on_signal(move || flag.store(true, Ordering::SeqCst))?;
        println!("{}", demo::NOTICE);
        println!("serving http://{}", server.server().address());
        let address = server.server().address();
        let ended = server.play_past(demo::HISTORY_DAYS, &stop).and_then(|()| {
            println!("twelve days have passed; look at http://{address}, and end it with Ctrl-C");
            server.play_present(&stop)
        });
        server.stop();
        match &self.store {
            Some(store) => {
                println!("kept in {}; serve it with --accept-time, for its time is another", store.display())
            }
            None => {
                folder.close().context("the folder of the demo could not be removed")?;
                println!("everything was removed");
            }
        }
        ended
    }
}

/// The usual address, or another of this machine if something listens there.
fn free_address() -> SocketAddr {
    let usual = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7077);
    let is_free = std::net::TcpListener::bind(usual).is_ok();
    if is_free { usual } else { SocketAddr::new(usual.ip(), 0) }
}
