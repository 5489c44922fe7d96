//! The writer's thread: it gathers jobs, has them committed, and looks after the store once a second.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use output::numbers::with_unit;
use tokio::sync::watch;
use traffic::State;

use super::follow::Follower;
use super::job::Job;
use super::load::check_time;
use super::open_store::{OpenStore, next_maintenance};
use super::truncate::Truncation;
use super::{Audits, Directory, LoadError, Message, Options, Shared, Transaction, UndeliveredImpression};
use crate::ids::{Hashes, PositionKey, Signer};
use crate::metrics::Metrics;
use crate::store::{Access, Audit, Keys, SignIns, Store, StoreError, random};

/// The period at which windows are closed and keys checked, without any job.
const TICK_PERIOD: Duration = Duration::from_secs(1);
/// The period at which the time is written while there is nothing else to write, in milliseconds.
const HEARTBEAT_MILLIS: i64 = 60_000;
/// The time that the thread waits for jobs before it goes on with snapshots and deletions.
const MAINTENANCE_PACE: Duration = Duration::from_millis(10);
/// The most jobs of a transaction.
const MAX_JOBS: usize = 4_096;

/// The writer's thread.
pub(super) struct WriterThread {
    pub(super) options: Options,
    pub(super) shared: Arc<Shared>,
    pub(super) waiting: Arc<AtomicUsize>,
    /// Absent after a failure, until the store can be read again, and as long as another node leads.
    pub(super) open: Option<OpenStore>,
    /// The experiments as read while another node leads.
    pub(super) follower: Follower,
    /// The epoch in which this node began to lead; 0 for a file.
    pub(super) leading_epoch: i64,
    /// Impressions that were not delivered.
    pub(super) undelivered: Vec<UndeliveredImpression>,
    /// When something was last written.
    pub(super) last_write: i64,
    pub(super) data_version: i64,
    pub(super) last_tick: Instant,
    /// The time when the use of keys was last recorded.
    pub(super) last_housekeeping: i64,
    /// The damage found since the start, by experiment.
    pub(super) damage_found: BTreeMap<u32, StoreError>,
    /// The number of acknowledged events.
    pub(super) acknowledged: u64,
    /// The last event of each experiment in a database that this server has seen committed, by itself or by another one.
    pub(super) events_seen: BTreeMap<u32, u64>,
}

impl WriterThread {
    pub(super) fn open(options: Options, waiting: Arc<AtomicUsize>) -> Result<(Self, Arc<Shared>), LoadError> {
        let found = BTreeMap::new();
        let Some(epoch) = options.epoch() else { return Self::follow_from_start(options, waiting) };
        let open = OpenStore::new(&options, epoch, &found, &BTreeMap::new())?;
        if let Some(damage) = open.content.damaged.values().next().filter(|_| options.is_strict) {
            return Err(LoadError::Strict(format!("experiment {:?}: {}", damage.name, damage.why)));
        }
        let events = open.content.events();
        // The number in a damaged log cannot be known.
        let known = options.lock.as_ref().and_then(|lock| lock.acknowledged());
        let known = known.filter(|_| !options.accept_loss && open.content.damaged.is_empty());
        if let Some(missing) = known.and_then(|known| known.checked_sub(events)).filter(|missing| *missing > 0) {
            let (path, missing) = (options.store.to_string(), with_unit(missing, "event"));
            return Err(StoreError::Lost { path, missing }.into());
        }
        if let Some(lock) = &options.lock {
            lock.acknowledge(events);
        }
        let now = options.clock.now();
        if !options.accept_time {
            check_time(&open.store, &open.content.experiments, now)?;
        }
        if let Some(salt) = &options.places {
            open.store.set_places(salt)?;
        }
        let mut thread = Self::new(options, waiting, &open.store)?;
        (thread.open, thread.leading_epoch, thread.acknowledged) = (Some(open), epoch, events);
        thread.publish();
        thread.begin()?;
        let shared = Arc::clone(&thread.shared);
        Ok((thread, shared))
    }

    /// A thread that has not read the experiments of its store.
    fn new(options: Options, waiting: Arc<AtomicUsize>, store: &Store) -> Result<Self, StoreError> {
        let secrets = store.secrets()?;
        let shared = Arc::new(Shared {
            metrics: Metrics::default(),
            directory: Directory::default(),
            keys: Keys::default(),
            sign_ins: SignIns::default(),
            signer: Signer::new(&secrets.ids),
            hashes: Hashes::new(&secrets.hashes),
            places: PositionKey::new(&secrets.places),
            clock: options.clock.clone(),
            start: AtomicU64::new(options.start.map_or_else(random, Ok)?),
            audits: Audits::default(),
            truncation: Truncation::start(&options.store),
            knows_all: AtomicBool::default(),
            is_failing: AtomicBool::default(),
            fatal: watch::Sender::new(None),
        });
        shared.keys.set(store.keys()?);
        shared.read_sign_ins(store)?;
        let (data_version, now) = (store.data_version()?, options.clock.now());
        Ok(Self {
            options,
            shared,
            waiting,
            open: None,
            follower: Follower::default(),
            leading_epoch: 0,
            undelivered: vec![],
            last_write: now,
            data_version,
            last_tick: Instant::now(),
            last_housekeeping: now,
            damage_found: BTreeMap::new(),
            acknowledged: 0,
            events_seen: BTreeMap::new(),
        })
    }

    /// As [`open`](Self::open), where another node leads.
    fn follow_from_start(options: Options, waiting: Arc<AtomicUsize>) -> Result<(Self, Arc<Shared>), LoadError> {
        let store = Store::open_with(&options.store, Access::Serve, options.faults.clone())?;
        let mut thread = Self::new(options, waiting, &store)?;
        thread.follower = Follower::of(store);
        thread.follower.look(&thread.shared)?;
        let shared = Arc::clone(&thread.shared);
        Ok((thread, shared))
    }

    /// Runs until it is asked to stop, or all callers are gone.
    pub(super) fn run(&mut self, receiver: &Receiver<Message>) {
        loop {
            let mut patience = TICK_PERIOD.saturating_sub(self.last_tick.elapsed());
            if self.has_maintenance() {
                patience = patience.min(MAINTENANCE_PACE);
            }
            let mut jobs = Vec::new();
            let mut is_last = match receiver.recv_timeout(patience) {
                Ok(message) => self.take(message, &mut jobs) || self.gather(receiver, &mut jobs),
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            if is_last {
                receiver.try_iter().for_each(|message| is_last |= self.take(message, &mut jobs));
            }
            self.count_taken(jobs.len());
            if !jobs.is_empty() || !self.undelivered.is_empty() || self.has_maintenance() {
                self.flush(jobs);
            }
            if is_last || self.last_tick.elapsed() >= TICK_PERIOD {
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

    /// Collects the waiting jobs, and those that come within a moment; `true` if the thread should stop.
    fn gather(&mut self, received: &Receiver<Message>, jobs: &mut Vec<Job>) -> bool {
        let until = Instant::now() + self.options.batch_window;
        while jobs.len() < MAX_JOBS {
            let patience = until.saturating_duration_since(Instant::now());
            let next = if patience.is_zero() { received.try_recv().ok() } else { received.recv_timeout(patience).ok() };
            let Some(message) = next else { break };
            if self.take(message, jobs) {
                return true;
            }
        }
        false
    }

    /// Whether a snapshot is being written, or something deleted. While the store cannot be written, jobs and ticks alone try.
    pub(super) fn has_maintenance(&self) -> bool {
        let is_failing = self.shared.is_failing.load(Ordering::SeqCst);
        !is_failing && self.open.as_ref().is_some_and(|open| next_maintenance(&open.content.experiments).is_some())
    }

    fn count_taken(&self, jobs: usize) {
        self.waiting.fetch_sub(jobs, Ordering::SeqCst);
        self.shared.metrics.waiting.subtract(jobs as u64);
    }

    /// Once a second: closes windows that have passed, notes the time, and sees whether keys have changed.
    fn tick(&mut self, is_last: bool) {
        self.last_tick = Instant::now();
        let now = self.options.clock.now();
        if let Some(why) = self.options.lock.as_ref().and_then(|lock| lock.disturbance()) {
            self.give_up(&why);
            return;
        }
        if self.open.is_none() && !self.reopen() && self.options.epoch().is_none() {
            self.follow();
            return;
        }
        // Days close some time after their last impression, so all experiments are looked at.
        let directory = self.shared.directory.all();
        let is_heartbeat =
            is_last || now - self.last_write >= HEARTBEAT_MILLIS || now - self.last_housekeeping >= HEARTBEAT_MILLIS;
        let (audits, used) = self.housekeeping(now, is_heartbeat);
        let work = |transaction: &mut Transaction<'_>| {
            let ids: Vec<u32> = transaction.experiments.keys().copied().collect();
            for id in ids {
                transaction.experiment(id);
                transaction.forget_old_marks(id);
                transaction.forget_days(id);
            }
            transaction.attempt(|store| {
                audits.iter().try_for_each(|audit| store.audit(audit))?;
                if !used.is_empty() { store.set_used(&used) } else { Ok(()) }
            });
            if is_heartbeat {
                transaction.attempt(|store| {
                    store.forget_expired_secrets(now)?;
                    store.forget_sign_ins_until(now)
                });
            }
            // Experiments killed while nothing could be written.
            for entry in directory.values() {
                if let Some((who, why)) = entry.pending_kill() {
                    let now = transaction.now;
                    if let Some(experiment) = transaction.experiment(entry.id) {
                        // An experiment that has ended meanwhile cannot be killed, and need not be.
                        let _ = experiment.change_state(now, State::Killed, &who, &why);
                    }
                }
            }
        };
        if !self.commit(vec![], work) {
            // With the next one that is committed.
            audits.into_iter().for_each(|audit| self.shared.audits.add(audit));
        }
        let Some(open) = &self.open else { return };
        let ahead = open.content.experiments.values().map(|loaded| loaded.experiment.time() - now).max().unwrap_or(0);
        self.shared.metrics.ahead.set(u64::try_from(ahead / 1000).unwrap_or(0));
        if is_last || now - self.last_write >= HEARTBEAT_MILLIS {
            match open.store.set_alive(now) {
                Ok(()) => self.last_write = now,
                Err(error) => tracing::warn!(%error, "the time could not be written down"),
            }
        }
        let refresh_result = open.store.data_version().and_then(|version| {
            if version != self.data_version {
                self.shared.read_keys(&open.store)?;
                self.data_version = version;
                tracing::info!("keys, secrets and sign-ins were read again");
            }
            Ok(())
        });
        if let Err(error) = refresh_result {
            tracing::warn!(%error, "keys could not be read again");
        }
        if is_last && let Err(error) = open.store.checkpoint() {
            tracing::warn!(%error, "the write-ahead log could not be moved to the store");
        }
    }

    /// The writes of the tick beside experiments: audits, once a minute the number of refused keys, and the last use of keys.
    fn housekeeping(&mut self, now: i64, is_heartbeat: bool) -> (Vec<Audit>, BTreeMap<i64, i64>) {
        let mut audits = self.shared.audits.take();
        if !is_heartbeat {
            return (audits, BTreeMap::new());
        }
        self.last_housekeeping = now;
        let refused = self.shared.audits.take_refused();
        if refused > 0 {
            let (who, what) = ("unknown".to_owned(), "refused".to_owned());
            let detail = format!("{} with a key that does not work", with_unit(refused, "request"));
            audits.push(Audit { time: now, who, what, detail });
        }
        (audits, self.shared.keys.take_used())
    }
}
