//! The one thread that owns all experiments of a store: it folds events, writes them, and answers once they are on the disk.
//! Not here: HTTP.
//!
//! Callers send jobs. Those that wait are carried out together and written in one transaction, and each answer leaves after
//! the commit. If the commit fails, all answers are failures, and the experiments are folded from the store again.

mod clock;
mod commit;
mod directory;
mod follow;
mod job;
mod leadership;
mod load;
mod maintenance;
mod open_store;
mod publish;
mod succession;
mod thread;
mod transaction;
mod truncate;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

pub use clock::Clock;
pub use directory::{Directory, ExperimentHandle};
pub use load::{Damage, FoldedLog, LoadError, NextEvent, check_log, fold};
pub use transaction::{LoadedExperiment, Transaction, UndeliveredImpression};
pub use truncate::Truncation;

use crate::ids::{Hashes, ImpressionId, PositionKey, Signer};
use crate::metrics::Metrics;
use crate::store::{Audit, Faults, Keys, Location, Node, SignIns, StoreError, StoreLock};
use job::{Job, LateFlag};
use thread::WriterThread;

/// The state shared by a writer and its callers.
#[derive(Debug)]
pub struct Shared {
    /// Counters.
    pub metrics: Metrics,
    /// The experiments by name.
    pub directory: Directory,
    /// The keys of the store.
    pub keys: Keys,
    /// The sign-ins to the pages.
    pub sign_ins: SignIns,
    /// Signs impression ids.
    pub signer: Signer,
    /// Hashes units, queries and requests.
    pub hashes: Hashes,
    /// The positions of units.
    pub places: PositionKey,
    /// The time.
    pub clock: Clock,
    /// The number of this start, or of this time that the server leads: random, and so unique.
    pub(crate) start: AtomicU64,
    /// Empties the write-ahead log after a deletion.
    pub truncation: Truncation,
    /// Whether this server has read all experiments, and no other one has led since.
    pub knows_all: AtomicBool,
    /// Whether the last transaction failed that wrote something.
    pub is_failing: AtomicBool,
    /// Actions beside the writer that are not in the audit yet.
    pub audits: Audits,
    /// Why the server must end, once it must.
    pub fatal: watch::Sender<Option<String>>,
}

/// The audit rows that the next tick writes.
#[derive(Debug, Default)]
pub struct Audits {
    waiting: Mutex<Vec<Audit>>,
    /// Requests with a key that is unknown, was revoked or has expired.
    refused: AtomicU64,
}

impl Audits {
    /// The most that wait: only callers with a key can add more.
    const MAX_AUDITS: usize = 10_000;

    /// Adds an action.
    pub fn add(&self, audit: Audit) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < Self::MAX_AUDITS {
            waiting.push(audit);
        }
    }

    /// Counts a refused key. One row has the number of them, so that attempts cannot fill the disk.
    pub fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    fn take(&self) -> Vec<Audit> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn take_refused(&self) -> u64 {
        self.refused.swap(0, Ordering::Relaxed)
    }
}

/// The options of a writer.
#[derive(Debug)]
pub struct Options {
    /// The store.
    pub store: Location,
    /// Its lock, if it is a file.
    pub lock: Option<Arc<StoreLock>>,
    /// This server among those that have the store open, if it is a database.
    pub node: Option<Arc<Node>>,
    /// The time that a transaction waits for further jobs.
    pub batch_window: Duration,
    /// The most open impressions of an experiment.
    pub open_impressions: usize,
    /// Whether a clock that differs by more than a day from the store's is right.
    pub accept_time: bool,
    /// Whether the operator accepts that the store lacks acknowledged events.
    pub accept_loss: bool,
    /// Whether nothing is served if one experiment is damaged.
    pub is_strict: bool,
    /// An experiment with more units is served before all of them were checked, if it has a snapshot.
    pub checked_units: u64,
    /// The time.
    pub clock: Clock,
    /// The operations that fail, in tests.
    pub faults: Option<Arc<dyn Faults>>,
    /// The number of this start; a random one if `None`.
    pub start: Option<u64>,
    /// The salt of places of a store that is new; a random one if `None`.
    pub places: Option<[u8; 32]>,
}

impl Options {
    /// The epoch in which this server writes; `None` while another node leads. A file has one server, and one epoch.
    fn epoch(&self) -> Option<i64> {
        self.node.as_ref().map_or(Some(0), |node| node.epoch())
    }
}

/// Why a job has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// It was not carried out in time, and its effects are undone.
    Late,
    /// Too many jobs wait.
    Overloaded,
    /// The store could not be written.
    Failed,
    /// No node leads that could be asked; nothing was done.
    NoLeader,
    /// The server stops.
    Stopping,
}

/// The most jobs that wait. Each has at most a body of a request, so that memory is bounded too.
const MAX_WAITING_JOBS: usize = 16_384;

/// The writer, as callers see it.
#[derive(Debug)]
pub struct Writer {
    jobs: Sender<Message>,
    waiting: Arc<AtomicUsize>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// A message to the thread.
enum Message {
    Job(Job),
    /// This impression will not be shown.
    GiveUp(UndeliveredImpression),
    Stop,
}

impl Writer {
    /// Opens the store, folds its experiments, and starts the thread.
    ///
    /// # Errors
    /// If the store cannot be opened or read, or the clock differs from it by more than a day.
    pub fn start(options: Options) -> Result<Self, LoadError> {
        let (jobs, received) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let (mut thread, shared) = WriterThread::open(options, Arc::clone(&waiting))?;
        let spawned = std::thread::Builder::new().name("writer".to_owned()).spawn(move || thread.run(&received));
        let spawned = spawned.map_err(|error| StoreError::Io(format!("no thread for the writer: {error}")))?;
        Ok(Self { jobs, waiting, shared, thread: Mutex::new(Some(spawned)) })
    }

    /// The state that callers need without asking the thread.
    #[must_use]
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Has the thread carry out `work`, and waits for the commit. With a `timeout`, the wait ends after this time, and an impression that was
    /// [offered](Transaction::offer) is closed.
    ///
    /// # Errors
    /// See [`NoAnswer`].
    pub async fn call<T: Send + 'static>(
        &self,
        timeout: Option<Duration>,
        work: impl FnOnce(&mut Transaction<'_>) -> T + Send + 'static,
    ) -> Result<T, NoAnswer> {
        if self.waiting.fetch_add(1, Ordering::SeqCst) >= MAX_WAITING_JOBS {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            return Err(NoAnswer::Overloaded);
        }
        self.shared.metrics.waiting.add(1);
        let (reply, mut answer) = oneshot::channel();
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        let late_flag = LateFlag::default();
        if self.jobs.send(Message::Job(Job::new(deadline, Arc::clone(&late_flag), work, reply))).is_err() {
            return Err(NoAnswer::Stopping);
        }
        let Some(timeout) = timeout else {
            return answer.await.unwrap_or(Err(NoAnswer::Stopping));
        };
        match tokio::time::timeout(timeout, &mut answer).await {
            Ok(answered) => answered.unwrap_or(Err(NoAnswer::Stopping)),
            Err(_) => {
                // From here on, the thread sees that the caller left. An answer sent a moment earlier is still good.
                late_flag.store(true, Ordering::SeqCst);
                answer.close();
                answer.try_recv().unwrap_or(Err(NoAnswer::Late))
            }
        }
    }

    /// Closes an impression in the next transaction, because its caller got something else to show.
    pub fn give_up(&self, of: ImpressionId) {
        let offer = UndeliveredImpression { id: of, can_be_asked_again: false };
        // A thread that is gone writes nothing; the window closes the impression.
        let _ = self.jobs.send(Message::GiveUp(offer));
    }

    /// Carries out what waits, and ends the thread.
    pub fn stop(&self) {
        let _ = self.jobs.send(Message::Stop);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer ended by a fault of the program");
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}
