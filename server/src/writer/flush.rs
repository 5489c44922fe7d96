//! The thread: jobs become events, events become a transaction, and after the commit answers leave.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use traffic::Experiment;

use super::directory::ExperimentHandle;
use super::job::{Job, Pending};
use super::load::{check_time, impression_of, load};
use super::{Directory, Held, LoadError, Message, NoAnswer, Offer, Options, Session, Shared};
use crate::ids::{Hashes, Signer};
use crate::metrics::Metrics;
use crate::store::{Access, Keys, Row, Store, StoreError, random};

/// How often windows are closed and keys are looked at, without any job.
const TICK: Duration = Duration::from_secs(1);
/// How often the time is written down while there is nothing else to write, in milliseconds.
const HEARTBEAT: i64 = 60_000;
/// The most jobs of a transaction.
const MOST_JOBS: usize = 4_096;

/// The writer's thread.
pub(super) struct Thread {
    options: Options,
    shared: Arc<Shared>,
    waiting: Arc<AtomicUsize>,
    /// Absent after a failure, until the store can be read again.
    open: Option<Open>,
    /// Impressions that nobody got.
    undelivered: Vec<Offer>,
    /// When something was last written.
    written: i64,
    data_version: i64,
    last_tick: Instant,
}

/// The store and what it says.
struct Open {
    store: Store,
    held: BTreeMap<u32, Held>,
}

impl Open {
    fn new(options: &Options) -> Result<Self, LoadError> {
        let store = Store::open_with(&options.store, Access::Serve, options.faults.clone())?;
        // What a write-ahead log holds after a failed `fsync` can be read, and may not be on the disk: a second `fsync` says
        // nothing about it. Written once more, to the file, it is.
        if !store.checkpoint()? {
            let busy = "another process reads it, so its write-ahead log cannot be emptied; end exports and backups";
            return Err(StoreError::Sqlite(busy.to_owned()).into());
        }
        let held = load(&store)?;
        Ok(Self { store, held })
    }
}

impl Thread {
    pub(super) fn open(options: Options, waiting: Arc<AtomicUsize>) -> Result<(Self, Arc<Shared>), LoadError> {
        let open = Open::new(&options)?;
        let now = options.clock.now();
        if !options.accept_time {
            check_time(&open.store, &open.held, now)?;
        }
        let secrets = open.store.secrets()?;
        let shared = Arc::new(Shared {
            metrics: Metrics::default(),
            directory: Directory::default(),
            keys: Keys::default(),
            signer: Signer::new(&secrets.ids),
            hashes: Hashes::new(&secrets.hashes),
            clock: options.clock.clone(),
            start: options.start.map_or_else(random, Ok)?,
        });
        shared.keys.set(open.store.keys()?);
        let data_version = open.store.data_version()?;
        let mut thread = Self {
            options,
            shared: Arc::clone(&shared),
            waiting,
            open: Some(open),
            undelivered: vec![],
            written: now,
            data_version,
            last_tick: Instant::now(),
        };
        thread.publish();
        // The gap since the last event is written before anything else happens.
        let mut refused = None;
        let started = thread.transaction(vec![], |session| {
            for (&id, held) in session.held.iter_mut().filter(|(_, held)| !held.experiment.state().is_over()) {
                if let Err(error) = held.experiment.started(session.now, session.shared.start) {
                    let name = held.experiment.config().name.clone();
                    refused.get_or_insert(LoadError::Refused { experiment: name, message: error.to_string() });
                }
                session.touched.insert(id);
            }
        });
        started?;
        refused.map_or(Ok((thread, shared)), Err)
    }

    /// Runs until it is asked to stop, or all callers are gone.
    pub(super) fn run(&mut self, received: &Receiver<Message>) {
        loop {
            let patience = TICK.saturating_sub(self.last_tick.elapsed());
            let mut jobs = Vec::new();
            let mut is_last = match received.recv_timeout(patience) {
                Ok(message) => self.take(message, &mut jobs) || self.gather(received, &mut jobs),
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            if is_last {
                received.try_iter().for_each(|message| is_last |= self.take(message, &mut jobs));
            }
            self.count_taken(jobs.len());
            if !jobs.is_empty() || !self.undelivered.is_empty() {
                self.flush(jobs);
            }
            if is_last || self.last_tick.elapsed() >= TICK {
                self.tick(is_last);
            }
            if is_last {
                return;
            }
        }
    }

    /// Sorts a message; `true` if the thread should stop.
    fn take(&mut self, message: Message, jobs: &mut Vec<Job>) -> bool {
        match message {
            Message::Job(job) => jobs.push(job),
            Message::GiveUp(offer) => self.undelivered.push(offer),
            Message::Stop => return true,
        }
        false
    }

    /// Adds what waits, and what comes within a moment; `true` if the thread should stop.
    fn gather(&mut self, received: &Receiver<Message>, jobs: &mut Vec<Job>) -> bool {
        let until = Instant::now() + self.options.batch_window;
        while jobs.len() < MOST_JOBS {
            let patience = until.saturating_duration_since(Instant::now());
            let next = if patience.is_zero() { received.try_recv().ok() } else { received.recv_timeout(patience).ok() };
            let Some(message) = next else { break };
            if self.take(message, jobs) {
                return true;
            }
        }
        false
    }

    fn count_taken(&self, jobs: usize) {
        self.waiting.fetch_sub(jobs, Ordering::SeqCst);
        self.shared.metrics.waiting.subtract(jobs as u64);
    }

    /// Once a second: closes windows that have passed, notes the time, and sees whether keys have changed.
    fn tick(&mut self, is_last: bool) {
        self.last_tick = Instant::now();
        let now = self.options.clock.now();
        if self.open.is_none() {
            self.reopen();
        }
        // Days close some time after their last impression, so all experiments are looked at.
        let all = |session: &mut Session<'_>| {
            let ids: Vec<u32> = session.held.keys().copied().collect();
            for id in ids {
                session.experiment(id);
            }
        };
        self.commit(vec![], all);
        let Some(open) = &self.open else { return };
        if is_last || now - self.written >= HEARTBEAT {
            match open.store.set_alive(now) {
                Ok(()) => self.written = now,
                Err(error) => tracing::warn!(%error, "the time could not be written down"),
            }
        }
        let changed = open.store.data_version().and_then(|version| {
            if version != self.data_version {
                self.shared.keys.set(open.store.keys()?);
                self.data_version = version;
                tracing::info!("keys were read again");
            }
            Ok(())
        });
        if let Err(error) = changed {
            tracing::warn!(%error, "keys could not be read again");
        }
        if is_last && let Err(error) = open.store.checkpoint() {
            tracing::warn!(%error, "the write-ahead log could not be moved to the store");
        }
    }

    /// Carries out jobs, and sends their answers.
    fn flush(&mut self, jobs: Vec<Job>) {
        let started = Instant::now();
        self.commit(jobs, |_| {});
        self.shared.metrics.commit_seconds.observe(started.elapsed());
    }

    /// Closes what nobody got, does `more`, carries out jobs, and sends their answers.
    fn commit(&mut self, jobs: Vec<Job>, more: impl FnOnce(&mut Session<'_>)) {
        if self.open.is_none() && !self.reopen() {
            jobs.into_iter().for_each(|job| job.refuse(NoAnswer::Failed));
            return;
        }
        let undelivered = std::mem::take(&mut self.undelivered);
        let closed = undelivered.clone();
        let carried_out = self.transaction(jobs, |session| {
            let now = session.now;
            for Offer { of, .. } in closed {
                if let Some(experiment) = session.experiment_of(&of) {
                    experiment.answered_late(now, of.impression);
                }
            }
            more(session);
        });
        match carried_out {
            Ok(answers) => {
                self.shared.metrics.late.add(undelivered.len() as u64);
                self.shared.metrics.commits.add(1);
                self.undelivered.extend(answers.into_iter().filter_map(Pending::send));
            }
            Err(error) => {
                // These were promised: they are closed once the store can be written.
                self.undelivered = undelivered;
                self.shared.metrics.failures.add(1);
                tracing::error!(%error, "a transaction failed; experiments are folded again");
                self.reopen();
            }
        }
    }

    /// One transaction: `first`, then jobs. Answers are returned once all is on the disk; if something fails, they are sent as
    /// failures.
    fn transaction(
        &mut self,
        jobs: Vec<Job>,
        first: impl FnOnce(&mut Session<'_>),
    ) -> Result<Vec<Pending>, StoreError> {
        let now = self.options.clock.now();
        let Some(mut open) = self.open.take() else {
            jobs.into_iter().for_each(|job| job.refuse(NoAnswer::Failed));
            return Err(StoreError::Sqlite("it is not open".to_owned()));
        };
        let mut jobs = jobs.into_iter();
        let mut answers = Vec::with_capacity(jobs.len());
        // A fault of the program in one job must not end the server: what was half done is dropped like after a failed commit.
        let done = catch_unwind(AssertUnwindSafe(|| {
            open.store.begin()?;
            let mut session = Session {
                now,
                open_impressions: self.options.open_impressions,
                shared: &self.shared,
                store: &open.store,
                held: &mut open.held,
                touched: BTreeSet::new(),
                failure: None,
                has_deleted: false,
                offer: None,
            };
            first(&mut session);
            for job in jobs.by_ref() {
                if job.is_late() {
                    job.refuse(NoAnswer::Late);
                } else {
                    answers.push(job.carry_out(&mut session));
                }
            }
            let Session { touched, failure, has_deleted, .. } = session;
            failure.map_or(Ok(()), Err)?;
            let written = write(&open.store, &mut open.held, &touched)?;
            open.store.commit()?;
            if has_deleted {
                // No copy is left in the write-ahead log. Should that fail, the next checkpoint does it.
                if !open.store.checkpoint().unwrap_or(false) {
                    tracing::warn!("deleted data may stay in the write-ahead log until it is next emptied");
                }
            }
            Ok((touched, written))
        }));
        let done = done.unwrap_or_else(|_| Err(StoreError::Sqlite("a job ended by a fault of the program".to_owned())));
        match done {
            Ok((touched, written)) => {
                self.shared.metrics.written.add(written);
                if written > 0 {
                    self.written = now;
                }
                self.open = Some(open);
                self.announce(&touched);
                Ok(answers)
            }
            Err(error) => {
                // The connection goes with what it holds: nothing of this transaction is used again.
                drop(open);
                answers.into_iter().for_each(|answer| answer.fail(NoAnswer::Failed));
                jobs.for_each(|job| job.refuse(NoAnswer::Failed));
                Err(error)
            }
        }
    }

    /// Opens the store once more; `false` if that fails.
    fn reopen(&mut self) -> bool {
        match Open::new(&self.options) {
            Ok(open) => {
                self.open = Some(open);
                self.data_version = i64::MIN;
                self.publish();
                true
            }
            Err(error) => {
                tracing::error!(%error, "the store cannot be read");
                false
            }
        }
    }

    /// Makes all experiments known to callers.
    fn publish(&self) {
        let Some(open) = &self.open else { return };
        self.shared.directory.replace(open.held.iter().map(|(&id, held)| entry(id, &held.experiment)));
        self.count_experiments();
    }

    /// Makes new experiments known, and what changed.
    fn announce(&self, touched: &BTreeSet<u32>) {
        let Some(open) = &self.open else { return };
        for (id, held) in touched.iter().filter_map(|id| open.held.get_key_value(id)) {
            let experiment = &held.experiment;
            match self.shared.directory.get(&experiment.config().name) {
                None => self.shared.directory.add(entry(*id, experiment)),
                Some(known) => known.set_state(experiment.state()),
            }
        }
        self.count_experiments();
    }

    fn count_experiments(&self) {
        let Some(open) = &self.open else { return };
        self.shared.metrics.experiments.set(open.held.len() as u64);
        self.shared.metrics.open.set(open.held.values().map(|held| held.experiment.fates().open).sum());
    }
}

fn entry(id: u32, experiment: &Experiment) -> ExperimentHandle {
    ExperimentHandle::new(id, experiment.config().clone(), experiment.state())
}

/// Writes the events of these experiments.
fn write(store: &Store, held: &mut BTreeMap<u32, Held>, touched: &BTreeSet<u32>) -> Result<u64, StoreError> {
    let mut written = 0;
    for (&id, held) in held.iter_mut().filter(|(id, _)| touched.contains(id)) {
        for numbered in held.experiment.take_events() {
            let event = numbered.recorded.event();
            store.insert_event(&Row {
                experiment: id,
                n: numbered.n,
                kind: event.kind(),
                impression: impression_of(event, &mut held.asked),
                body: numbered.recorded.bytes(),
            })?;
            written += 1;
        }
    }
    Ok(written)
}
