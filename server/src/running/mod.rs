//! A server as a whole: its lock, its writer, its listener, and how it stops. Not here: settings from flags and files.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::http::{self, AppState, Call, Direct};
use crate::notify::{Notifier, QueueStore, Target, beside};
use crate::settings::Settings;
use crate::store::{Access, Faults, Location, Node, Role, Store, StoreError, StoreLock, migrate};
use crate::writer::{Clock, LoadError, Options, Shared, Writer};

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
    /// Others could call, and no key is needed.
    #[error(
        "the store has no keys, and {0} can be reached by other machines; make a key with `rankduel-server keys add admin`, or \
        listen at 127.0.0.1"
    )]
    NoKeys(SocketAddr),
    /// Messages cannot be sent.
    #[error("{0}")]
    Notify(String),
    /// There are no threads to be had.
    #[error("no threads for connections: {0}")]
    Threads(std::io::Error),
}

/// Why a server ends by itself.
#[derive(Debug, thiserror::Error)]
pub enum EndError {
    /// Signals cannot be had.
    #[error("cannot wait for signals: {0}")]
    Signals(#[from] std::io::Error),
    /// Its files are no longer the ones that it opened.
    #[error("{0}; the server stopped, so that nothing is acknowledged that is not kept")]
    Fatal(String),
}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> Self {
        Self::Load(error.into())
    }
}

/// Ends when the process is asked to end.
pub struct EndRequest(Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>);

impl EndRequest {
    /// From now on; must be called within a runtime.
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self(Box::pin(signals()?)))
    }

    /// Waits until then.
    pub(crate) async fn wait(self) -> std::io::Result<()> {
        self.0.await
    }
}

impl std::fmt::Debug for EndRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EndRequest(..)")
    }
}

/// Replacements for tests.
#[derive(Debug, Default)]
pub struct Hooks {
    /// The clock; the machine's if `None`.
    pub clock: Option<Clock>,
    /// The operations that fail.
    pub faults: Option<Arc<dyn Faults>>,
    /// The number of this start; a random one if `None`.
    pub start: Option<u64>,
    /// The salt of places of a store that is new; a random one if `None`.
    pub places: Option<[u8; 32]>,
    /// An experiment with more units is served before all of them were checked; 100,000 if `None`.
    pub checked_units: Option<u64>,
}

/// Checking them takes a tenth of a second.
const CHECKED_UNITS: u64 = 100_000;

/// A server that runs.
#[derive(Debug)]
pub struct RunningServer {
    address: SocketAddr,
    app: Arc<AppState>,
    stop: watch::Sender<bool>,
    serving_task: Option<JoinHandle<()>>,
    /// Gone once the server has stopped.
    runtime: Option<Runtime>,
    /// The key with all rights that was made at the start, to be shown once.
    first_key: Option<String>,
    /// The copy of the store before it was moved to this format.
    moved_store: Option<PathBuf>,
    _lock: Option<Arc<StoreLock>>,
    /// This server among those that have the store open.
    node: Option<Arc<Node>>,
}

/// Joins the servers of a store in a database; makes its tables if they are missing.
fn node(settings: &Settings, address: SocketAddr) -> Result<Option<Arc<Node>>, StoreError> {
    let Some(database) = settings.store.database() else { return Ok(None) };
    drop(Store::open(&settings.store, Access::Serve)?);
    let reachable_address = match &settings.advertise {
        Some(given) => given.clone(),
        None if address.ip().is_unspecified() => {
            return Err(StoreError::Io(format!(
                "the server listens at {address}, where other nodes cannot reach it; say with --advertise HOST:PORT where they can"
            )));
        }
        None => address.to_string(),
    };
    Ok(Some(Arc::new(Node::join(database, reachable_address)?)))
}

/// The sender of messages, if the settings give a URL.
fn notifier(
    settings: &Settings,
    shared: &Arc<Shared>,
    node: Option<&Arc<Node>>,
) -> Result<Option<Notifier>, StartError> {
    let Some(url) = &settings.notify else { return Ok(None) };
    let key = settings.notify_key.as_ref().map(|path| -> Result<Vec<u8>, StartError> {
        let read = output::input::read_file(path, 1 << 16);
        let key = read.map_err(|error| StartError::Notify(format!("{}: cannot be read: {error}", path.display())))?;
        // Editors end files with a new line.
        Ok(key.trim_ascii().to_vec())
    });
    let target = Target::new(url, key.transpose()?).map_err(StartError::Notify)?;
    let file = settings.store.file().map(beside);
    let queue_store = match (&file, node) {
        (Some(file), _) => QueueStore::File(file),
        (None, Some(node)) => QueueStore::Database(Arc::clone(node)),
        (None, None) => return Ok(None),
    };
    let started = Notifier::start(queue_store, target, Arc::clone(shared));
    started.map(Some).map_err(|error| StartError::Notify(error.to_string()))
}

impl RunningServer {
    /// Starts a server.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn start(settings: Settings, hooks: Hooks) -> Result<Self, StartError> {
        let is_new = !settings.store.is_made()?;
        let (mut lock, mut moved_store) = (None, None);
        match &settings.store {
            Location::File(path) => {
                lock = Some(Arc::new(StoreLock::take(path, settings.consent.create)?));
                moved_store = migrate(path)?;
            }
            Location::Postgres(_) if is_new && !settings.consent.create => {
                return Err(StoreError::NotMade(settings.store.to_string()).into());
            }
            Location::Postgres(_) => {}
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(StartError::Threads)?;
        let refused = |error| StartError::Listen { address: settings.listen, error };
        // Before the store is folded, which may take a while: a liveness check must not end the server for that.
        let listener = runtime.block_on(TcpListener::bind(settings.listen)).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let (ready, is_ready) = watch::channel(false);
        let starting_server = runtime.spawn(http::serve_until(listener, settings.request_timeout, is_ready));
        let node = node(&settings, address)?;
        let writer = Writer::start(Options {
            store: settings.store.clone(),
            lock: lock.clone(),
            node: node.clone(),
            accept_loss: settings.consent.accept_loss,
            is_strict: settings.consent.strict,
            checked_units: hooks.checked_units.unwrap_or(CHECKED_UNITS),
            batch_window: settings.batch_window,
            open_impressions: settings.open_impressions,
            accept_time: settings.consent.accept_time,
            clock: hooks.clock.unwrap_or_else(Clock::start),
            faults: hooks.faults,
            start: hooks.start,
            places: hooks.places,
        })?;
        let mut first_key = None;
        if is_new && !settings.consent.no_keys {
            let store = Store::open(&settings.store, Access::Change)?;
            first_key = Some(store.add_key(Role::Admin, None, "first key", writer.shared().clock.now(), None)?.text);
            writer.shared().keys.set(store.keys()?);
        }
        if writer.shared().keys.are_none() && !address.ip().is_loopback() {
            return Err(StartError::NoKeys(address));
        }
        ready.send_replace(true);
        let (stop, stop_receiver) = watch::channel(false);
        let listener = runtime.block_on(starting_server).map_err(|error| StartError::Threads(error.into()))?;
        let notifier = notifier(&settings, writer.shared(), node.as_ref())?;
        let app = Arc::new(AppState::new(settings, writer, address, notifier, node.clone()));
        if app.notifier().is_some() {
            runtime.spawn(http::watch(Arc::clone(&app), stop.subscribe()));
        }
        let serving_task = runtime.spawn(http::serve(listener, Arc::clone(&app), stop_receiver));
        Ok(Self {
            address,
            app,
            stop,
            serving_task: Some(serving_task),
            runtime: Some(runtime),
            first_key,
            moved_store,
            _lock: lock,
            node,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The key that was made because the store is new: its text is not kept anywhere.
    #[must_use]
    pub fn first_key(&self) -> Option<&str> {
        self.first_key.as_deref()
    }

    /// The copy of the store from before it was moved to this format, if that was done.
    #[must_use]
    pub fn moved(&self) -> Option<&Path> {
        self.moved_store.as_deref()
    }

    /// Why the server must end, once it must.
    #[must_use]
    pub fn fatal(&self) -> Option<String> {
        self.app.fatal.borrow().clone()
    }

    /// Learns from now on that the process is asked to end (SIGINT or SIGTERM).
    ///
    /// # Errors
    /// If signals cannot be had.
    pub fn asked_to_end(&self) -> std::io::Result<EndRequest> {
        let _within = self.runtime.as_ref().map(Runtime::enter);
        EndRequest::new()
    }

    /// Waits until the process is asked to end, and then as long as balancers need to notice that the server is no longer ready; a second
    /// signal skips that wait.
    ///
    /// # Errors
    /// If signals cannot be had, or the server must end because its files were taken away.
    pub fn wait_for_end(&self, request: EndRequest) -> Result<(), EndError> {
        let Some(runtime) = &self.runtime else { return Ok(()) };
        runtime.block_on(async {
            let mut fatal = self.app.fatal.subscribe();
            tokio::select! {
                request = request.wait() => request?,
                why = fatal.wait_for(Option::is_some) => {
                    let why = why.ok().and_then(|why| why.clone()).unwrap_or_default();
                    return Err(EndError::Fatal(why));
                }
            }
            self.app.drain();
            let second_signal = signals()?;
            let drain = self.app.settings().drain;
            if !drain.is_zero() {
                tracing::info!(seconds = drain.as_secs_f64(), "not ready any longer; the server stops soon");
                // Whichever comes first.
                let _ = tokio::time::timeout(drain, second_signal).await;
            }
            Ok(())
        })
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

    /// Takes no more connections, answers all requests, and closes the store.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        self.stop.send_replace(true);
        if let Some(serving) = self.serving_task.take() {
            // A panic of the listener was reported already; the store is closed all the same.
            let _ = runtime.block_on(serving);
        }
        self.app.stop();
        // Nothing is written any more: another node may lead.
        if let Some(node) = &self.node {
            node.leave();
        }
        runtime.shutdown_timeout(Duration::from_secs(1));
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// Waits for SIGINT or SIGTERM, which have no other effect from now on.
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

/// Waits for Ctrl-C, or until the window is closed or the machine ends; these have no other effect from now on.
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
