//! A server as a whole: its lock, its writer, its listener, and how it stops. Not here: settings from flags and files.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::http::{self, AppState, Call, Direct};
use crate::settings::Settings;
use crate::store::{Faults, StoreError, StoreLock};
use crate::writer::{Clock, LoadError, Options, Writer};

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be used.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The address cannot be used.
    #[error("cannot listen at {address}: {error}; choose another --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// Others could call, and nobody needs a key.
    #[error(
        "the store has no keys, and {0} can be reached by other machines; make a key with `rankduel-server keys add admin`, or \
        listen at 127.0.0.1"
    )]
    NoKeys(SocketAddr),
    /// There are no threads to be had.
    #[error("no threads for connections: {0}")]
    Threads(std::io::Error),
}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> Self {
        Self::Load(error.into())
    }
}

/// What tests replace.
#[derive(Debug, Default)]
pub struct Hooks {
    /// The time; that of the machine if `None`.
    pub clock: Option<Clock>,
    /// What fails.
    pub faults: Option<Arc<dyn Faults>>,
    /// The number of this start; a random one if `None`.
    pub start: Option<u64>,
}

/// A server that runs.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    app: Arc<AppState>,
    stop: watch::Sender<bool>,
    serving: Option<JoinHandle<()>>,
    /// Gone once the server has stopped.
    runtime: Option<Runtime>,
    _lock: StoreLock,
}

impl Running {
    /// Starts a server.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn start(settings: Settings, hooks: Hooks) -> Result<Self, StartError> {
        let lock = StoreLock::take(&settings.store)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(StartError::Threads)?;
        let refused = |error| StartError::Listen { address: settings.listen, error };
        // Before the store is folded, which may take a while: whoever asks meanwhile waits instead of being refused.
        let listener = runtime.block_on(TcpListener::bind(settings.listen)).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let writer = Writer::start(Options {
            store: settings.store.clone(),
            batch_window: settings.batch_window,
            open_impressions: settings.open_impressions,
            accept_time: settings.accept_time,
            clock: hooks.clock.unwrap_or_else(Clock::start),
            faults: hooks.faults,
            start: hooks.start,
        })?;
        if writer.shared().keys.are_none() && !address.ip().is_loopback() {
            return Err(StartError::NoKeys(address));
        }
        let app = Arc::new(AppState::new(settings, writer, address));
        let (stop, stopped) = watch::channel(false);
        let serving = runtime.spawn(http::serve(listener, Arc::clone(&app), stopped));
        Ok(Self { address, app, stop, serving: Some(serving), runtime: Some(runtime), _lock: lock })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until the process is asked to end (SIGINT or SIGTERM).
    ///
    /// # Errors
    /// If signals cannot be had.
    pub fn wait_for_signal(&self) -> std::io::Result<()> {
        let Some(runtime) = &self.runtime else { return Ok(()) };
        runtime.block_on(async { signals()?.await })
    }

    /// Calls `then` when the process is asked to end.
    ///
    /// # Errors
    /// If signals cannot be had.
    pub fn on_signal(&self, then: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let Some(runtime) = &self.runtime else { return Ok(()) };
        let _within = runtime.enter();
        let asked = signals()?;
        runtime.spawn(async move {
            if asked.await.is_ok() {
                then();
            }
        });
        Ok(())
    }

    /// Sends requests to this server without a connection, side by side, and waits for their answers.
    #[must_use]
    pub fn send(&self, calls: Vec<Call>) -> Vec<(u16, serde_json::Value)> {
        let Some(runtime) = &self.runtime else { return Vec::new() };
        runtime.block_on(Direct::new(&self.app).send(calls))
    }

    /// Takes no more connections, answers what was asked, and closes the store.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        self.stop.send_replace(true);
        if let Some(serving) = self.serving.take() {
            // A panic of the listener was printed; the store is closed all the same.
            let _ = runtime.block_on(serving);
        }
        self.app.stop();
        runtime.shutdown_timeout(Duration::from_secs(1));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Waits for SIGINT or SIGTERM, which do nothing else from now on.
#[cfg(unix)]
fn signals() -> std::io::Result<impl Future<Output = std::io::Result<()>> + Send> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    })
}

/// Waits for Ctrl-C, or until the window is closed or the machine ends, which do nothing else from now on.
#[cfg(windows)]
fn signals() -> std::io::Result<impl Future<Output = std::io::Result<()>> + Send> {
    use tokio::signal::windows::{ctrl_c, ctrl_close, ctrl_shutdown};

    let (mut interrupt, mut close, mut shutdown) = (ctrl_c()?, ctrl_close()?, ctrl_shutdown()?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = close.recv() => {}
            _ = shutdown.recv() => {}
        }
        Ok(())
    })
}
