//! The thread: jobs become events, events become a transaction, and after the commit answers leave.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use output::numbers::with_unit;
use tokio::sync::watch;
use traffic::{Event, Experiment, State};

use super::directory::ExperimentHandle;
use super::follow::Following;
use super::job::{Job, Pending};
use super::load::{Loaded, check_time, impression_of, load};
use super::truncate::Truncation;
use super::upkeep::{Slice, Upkeep};
use super::{Audits, Directory, Held, LoadError, Message, NoAnswer, Offer, Options, Shared, Transaction};
use crate::ids::{Hashes, Places, Signer};
use crate::metrics::Metrics;
use crate::store::{Access, Audit, Keys, Row, SignIns, Store, StoreError, random};

/// The period at which windows are closed and keys checked, without any job.
const TICK: Duration = Duration::from_secs(1);
/// The period at which the time is written while there is nothing else to write, in milliseconds.
const HEARTBEAT: i64 = 60_000;
/// The time that the thread waits for jobs before it goes on with snapshots and deletions.
const PACE: Duration = Duration::from_millis(10);
/// The most jobs of a transaction.
const MOST_JOBS: usize = 4_096;

/// The writer's thread.
pub(super) struct Thread {
    options: Options,
    shared: Arc<Shared>,
    waiting: Arc<AtomicUsize>,
    /// Absent after a failure, until the store can be read again, and as long as another node leads.
    open: Option<Open>,
    /// The experiments as read while another node leads.
    following: Following,
    /// The epoch in which this node began to lead; 0 for a file.
    led: i64,
    /// Impressions that were not delivered.
    undelivered: Vec<Offer>,
    /// When something was last written.
    written: i64,
    data_version: i64,
    last_tick: Instant,
    /// The time when the use of keys was last recorded.
    housekept: i64,
    /// The damage found since the start, by experiment.
    found: BTreeMap<u32, StoreError>,
    /// The number of acknowledged events.
    acknowledged: u64,
    /// The last event of each experiment in a database that this server has seen committed, by itself or by another one.
    seen: BTreeMap<u32, u64>,
}

/// A failed transaction, and the callers that wait for it.
struct Failed {
    error: StoreError,
    answers: Vec<Pending>,
    jobs: Vec<Job>,
}

/// The experiment with the next upkeep: writes go before mere reads.
fn due(held: &BTreeMap<u32, Held>) -> Option<u32> {
    let next = |is_next: fn(&Upkeep) -> bool| held.iter().find(|(_, held)| is_next(&held.upkeep)).map(|(id, _)| *id);
    next(Upkeep::is_writing).or_else(|| next(Upkeep::is_due))
}

/// The store and its content.
struct Open {
    store: Store,
    loaded: Loaded,
}

impl Open {
    fn new(
        options: &Options,
        epoch: i64,
        found: &BTreeMap<u32, StoreError>,
        seen: &BTreeMap<u32, u64>,
    ) -> Result<Self, LoadError> {
        let store = Store::open_with(&options.store, Access::Serve, options.faults.clone())?;
        // The epoch in which this server began to lead, even if another one has begun by now: commits are refused then.
        store.lead(epoch);
        // After a failed `fsync`, the content of a write-ahead log can be read but may not be on the disk, and a second `fsync` proves
        // nothing. Writing it once more does. Readers are not in the way.
        store.rewrite_log()?;
        let checked_units = if options.is_strict { u64::MAX } else { options.checked_units };
        let mut loaded = load(&store, found, checked_units)?;
        loaded.keep_apart(&store, seen);
        if let Some(lock) = &options.lock {
            lock.look();
        }
        Ok(Self { store, loaded })
    }
}

impl Thread {
    pub(super) fn open(options: Options, waiting: Arc<AtomicUsize>) -> Result<(Self, Arc<Shared>), LoadError> {
        let found = BTreeMap::new();
        let Some(epoch) = options.epoch() else { return Self::follow_from_start(options, waiting) };
        let open = Open::new(&options, epoch, &found, &BTreeMap::new())?;
        if let Some(damage) = open.loaded.damaged.values().next().filter(|_| options.is_strict) {
            return Err(LoadError::Strict(format!("experiment {:?}: {}", damage.name, damage.why)));
        }
        let events = open.loaded.events();
        // The number in a damaged log cannot be known.
        let known = options.lock.as_ref().and_then(|lock| lock.acknowledged());
        let known = known.filter(|_| !options.accept_loss && open.loaded.damaged.is_empty());
        if let Some(missing) = known.and_then(|known| known.checked_sub(events)).filter(|missing| *missing > 0) {
            let (path, missing) = (options.store.to_string(), with_unit(missing, "event"));
            return Err(StoreError::Lost { path, missing }.into());
        }
        if let Some(lock) = &options.lock {
            lock.acknowledge(events);
        }
        let now = options.clock.now();
        if !options.accept_time {
            check_time(&open.store, &open.loaded.held, now)?;
        }
        if let Some(salt) = &options.places {
            open.store.set_places(salt)?;
        }
        let mut thread = Self::new(options, waiting, &open.store)?;
        (thread.open, thread.led, thread.acknowledged) = (Some(open), epoch, events);
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
            places: Places::new(&secrets.places),
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
            following: Following::default(),
            led: 0,
            undelivered: vec![],
            written: now,
            data_version,
            last_tick: Instant::now(),
            housekept: now,
            found: BTreeMap::new(),
            acknowledged: 0,
            seen: BTreeMap::new(),
        })
    }

    /// As [`open`](Self::open), where another node leads.
    fn follow_from_start(options: Options, waiting: Arc<AtomicUsize>) -> Result<(Self, Arc<Shared>), LoadError> {
        let store = Store::open_with(&options.store, Access::Serve, options.faults.clone())?;
        let mut thread = Self::new(options, waiting, &store)?;
        thread.following = Following::of(store);
        thread.following.look(&thread.shared)?;
        let shared = Arc::clone(&thread.shared);
        Ok((thread, shared))
    }

    /// Begins to lead: the gap since the last event is written before anything else happens.
    fn begin(&mut self) -> Result<(), LoadError> {
        let mut refused = None;
        let started = self.transaction(vec![], |session| {
            let start = session.shared.start.load(Ordering::SeqCst);
            for (&id, held) in session.held.iter_mut().filter(|(_, held)| !held.experiment.state().is_over()) {
                if let Err(error) = held.experiment.started(session.now, start) {
                    let experiment = held.experiment.config().name.clone();
                    refused.get_or_insert(LoadError::Refused { experiment, message: error.to_string() });
                }
                session.touched.insert(id);
            }
        });
        started.map_err(|failed| failed.error)?;
        self.shared.knows_all.store(true, Ordering::SeqCst);
        refused.map_or(Ok(()), Err)
    }

    /// Runs until it is asked to stop, or all callers are gone.
    pub(super) fn run(&mut self, received: &Receiver<Message>) {
        loop {
            let mut patience = TICK.saturating_sub(self.last_tick.elapsed());
            if self.has_upkeep() {
                patience = patience.min(PACE);
            }
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
            if !jobs.is_empty() || !self.undelivered.is_empty() || self.has_upkeep() {
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

    /// Collects the waiting jobs, and those that come within a moment; `true` if the thread should stop.
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

    /// Whether a snapshot is being written, or something deleted. While the store cannot be written, jobs and ticks alone try.
    fn has_upkeep(&self) -> bool {
        let is_failing = self.shared.is_failing.load(Ordering::SeqCst);
        !is_failing && self.open.as_ref().is_some_and(|open| due(&open.loaded.held).is_some())
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
        let is_heartbeat = is_last || now - self.written >= HEARTBEAT || now - self.housekept >= HEARTBEAT;
        let (audits, used) = self.housekeeping(now, is_heartbeat);
        let all = |session: &mut Transaction<'_>| {
            let ids: Vec<u32> = session.held.keys().copied().collect();
            for id in ids {
                session.experiment(id);
                session.forget_old_marks(id);
                session.forget_days(id);
            }
            session.attempt(|store| {
                audits.iter().try_for_each(|audit| store.audit(audit))?;
                if !used.is_empty() { store.set_used(&used) } else { Ok(()) }
            });
            if is_heartbeat {
                session.attempt(|store| {
                    store.forget_expired_secrets(now)?;
                    store.forget_sign_ins_until(now)
                });
            }
            // Experiments killed while nothing could be written.
            for entry in directory.values() {
                if let Some((who, why)) = entry.pending_kill() {
                    let now = session.now;
                    if let Some(experiment) = session.experiment(entry.id) {
                        // An experiment that has ended meanwhile cannot be killed, and need not be.
                        let _ = experiment.change(now, State::Killed, &who, &why);
                    }
                }
            }
        };
        if !self.commit(vec![], all) {
            // With the next one that is committed.
            audits.into_iter().for_each(|audit| self.shared.audits.add(audit));
        }
        let Some(open) = &self.open else { return };
        let ahead = open.loaded.held.values().map(|held| held.experiment.time() - now).max().unwrap_or(0);
        self.shared.metrics.ahead.set(u64::try_from(ahead / 1000).unwrap_or(0));
        if is_last || now - self.written >= HEARTBEAT {
            match open.store.set_alive(now) {
                Ok(()) => self.written = now,
                Err(error) => tracing::warn!(%error, "the time could not be written down"),
            }
        }
        let changed = open.store.data_version().and_then(|version| {
            if version != self.data_version {
                self.shared.read_keys(&open.store)?;
                self.data_version = version;
                tracing::info!("keys, secrets and sign-ins were read again");
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

    /// The writes of the tick beside experiments: audits, once a minute the number of refused keys, and the last use of keys.
    fn housekeeping(&mut self, now: i64, is_heartbeat: bool) -> (Vec<Audit>, BTreeMap<i64, i64>) {
        let mut audits = self.shared.audits.take();
        if !is_heartbeat {
            return (audits, BTreeMap::new());
        }
        self.housekept = now;
        let refused = self.shared.audits.take_refused();
        if refused > 0 {
            let (who, what) = ("unknown".to_owned(), "refused".to_owned());
            let detail = format!("{} with a key that does not work", with_unit(refused, "request"));
            audits.push(Audit { time: now, who, what, detail });
        }
        (audits, self.shared.keys.take_used())
    }

    /// Carries out jobs, and sends their answers.
    fn flush(&mut self, jobs: Vec<Job>) {
        let started = Instant::now();
        self.commit(jobs, |_| {});
        self.shared.metrics.commit_seconds.observe(started.elapsed());
    }

    /// Closes undelivered impressions, does `more`, carries out jobs, and sends their answers; returns whether it was committed.
    fn commit(&mut self, jobs: Vec<Job>, more: impl FnOnce(&mut Transaction<'_>)) -> bool {
        if self.shared.fatal.borrow().is_some() {
            jobs.into_iter().for_each(|job| job.refuse(NoAnswer::Stopping));
            return false;
        }
        if self.open.is_none() && !self.reopen() {
            let why = if self.options.node.is_some() { NoAnswer::NoLeader } else { NoAnswer::Failed };
            jobs.into_iter().for_each(|job| job.refuse(why));
            return false;
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
                true
            }
            Err(Failed { error, answers, jobs }) => {
                // These were promised: they are closed once the store can be written.
                self.undelivered = undelivered;
                self.shared.metrics.failures.add(1);
                self.shared.is_failing.store(true, Ordering::SeqCst);
                tracing::error!(%error, "a transaction failed; experiments are folded again");
                match &self.options.node {
                    // The new leader has everything that was acknowledged here.
                    Some(node) if error == StoreError::Fenced => {
                        node.fenced(self.led);
                        self.shared.knows_all.store(false, Ordering::SeqCst);
                    }
                    _ => {}
                }
                if let Some(experiment) = error.experiment() {
                    self.found.insert(experiment, error);
                }
                self.reopen();
                // A caller that asks again finds the state at that time.
                answers.into_iter().for_each(|answer| answer.fail(NoAnswer::Failed));
                jobs.into_iter().for_each(|job| job.refuse(NoAnswer::Failed));
                false
            }
        }
    }

    /// One transaction: `first`, then jobs. Answers are returned once all is on the disk.
    fn transaction(
        &mut self,
        jobs: Vec<Job>,
        first: impl FnOnce(&mut Transaction<'_>),
    ) -> Result<Vec<Pending>, Failed> {
        let now = self.options.clock.now();
        let Some(mut open) = self.open.take() else {
            return Err(Failed { error: StoreError::Sqlite("it is not open".to_owned()), answers: vec![], jobs });
        };
        let mut jobs = jobs.into_iter();
        let mut answers = Vec::with_capacity(jobs.len());
        // A panic in one job must not end the server: a half-done change is dropped as after a failed commit.
        let done = catch_unwind(AssertUnwindSafe(|| {
            open.store.begin()?;
            let mut session = Transaction {
                now,
                open_impressions: self.options.open_impressions,
                shared: &self.shared,
                store: &open.store,
                held: &mut open.loaded.held,
                damaged: &open.loaded.damaged,
                touched: BTreeSet::new(),
                failure: None,
                has_deleted: false,
                must_write: false,
                deleted: BTreeSet::new(),
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
            session.begin_successors();
            let Transaction { mut touched, failure, mut has_deleted, must_write, deleted, .. } = session;
            failure.map_or(Ok(()), Err)?;
            deleted.iter().for_each(|id| open.loaded.remove(*id));
            let mut has_written = must_write;
            if let Some(id) = due(&open.loaded.held)
                && let Some(held) = open.loaded.held.get_mut(&id)
            {
                let slice = held.slice(&open.store, id, now)?;
                has_deleted |= slice == Slice::Erased;
                has_written |= slice != Slice::Read;
                touched.insert(id);
            }
            let written = write(&open.store, &mut open.loaded.held, &touched)?;
            has_written |= written > 0;
            if must_write {
                open.store.set_alive(now)?;
            }
            open.store.commit(&touched)?;
            if has_deleted {
                // No copy is left in the write-ahead log, once no reader needs it.
                self.shared.truncation.want();
            }
            Ok((touched, deleted, written, has_written))
        }));
        let done = done.unwrap_or_else(|_| Err(StoreError::Sqlite("a job ended by a fault of the program".to_owned())));
        match done {
            Ok((touched, deleted, written, has_written)) => {
                self.shared.metrics.written.add(written);
                if has_written {
                    self.written = now;
                    // An empty transaction proves nothing.
                    self.shared.is_failing.store(false, Ordering::SeqCst);
                    self.acknowledged = open.loaded.events();
                    if let Some(lock) = &self.options.lock {
                        lock.acknowledge(self.acknowledged);
                    }
                }
                self.open = Some(open);
                if !deleted.is_empty() {
                    deleted.iter().for_each(|id| _ = self.found.remove(id));
                    self.publish();
                }
                self.note_seen(&touched, &deleted);
                self.announce(&touched);
                Ok(answers)
            }
            Err(error) => {
                // The connection goes with its pending rows: nothing of this transaction is used again.
                drop(open);
                Err(Failed { error, answers, jobs: jobs.collect() })
            }
        }
    }

    /// Notes the commits of this server: a database with less went back in time.
    fn note_seen(&mut self, touched: &BTreeSet<u32>, deleted: &BTreeSet<u32>) {
        let Some(open) = self.open.as_ref().filter(|_| self.options.node.is_some()) else { return };
        let held = touched.iter().filter_map(|id| open.loaded.held.get_key_value(id));
        self.seen.extend(held.map(|(id, held)| (*id, held.experiment.position().0)));
        deleted.iter().for_each(|id| _ = self.seen.remove(id));
    }

    /// Opens the store once more; `false` if that fails.
    fn reopen(&mut self) -> bool {
        let Some(epoch) = self.options.epoch() else { return false };
        let begins = self.led != epoch;
        if begins {
            // Rows that others wrote and deleted since then are not missing.
            self.acknowledged = 0;
            self.found.clear();
            self.undelivered.clear();
        }
        match Open::new(&self.options, epoch, &self.found, &self.seen) {
            // In a file, all experiments are lost or none.
            Ok(open) if self.options.node.is_none() && open.loaded.events() < self.acknowledged => {
                let missing = with_unit(self.acknowledged - open.loaded.events(), "event");
                self.give_up(&format!("{} lacks {missing} that were acknowledged", self.options.store));
                false
            }
            Ok(open) => {
                self.open = Some(open);
                self.data_version = i64::MIN;
                self.publish();
                !begins || self.begin_again(epoch)
            }
            Err(error) => {
                tracing::error!(%error, "the store cannot be read");
                false
            }
        }
    }

    /// Begins to lead after another node has; `false` if that fails.
    fn begin_again(&mut self, epoch: i64) -> bool {
        let begun = random().map_err(LoadError::from).and_then(|start| {
            self.shared.start.store(start, Ordering::SeqCst);
            self.begin()
        });
        match begun {
            Ok(()) => {
                self.led = epoch;
                self.following = Following::default();
                true
            }
            Err(error) => {
                tracing::error!(%error, "this node could not begin to lead");
                self.open = None;
                false
            }
        }
    }

    /// Follows the changes of the node that leads.
    fn follow(&mut self) {
        self.shared.knows_all.store(false, Ordering::SeqCst);
        match self.following.follow(&self.options, &self.shared) {
            Ok(()) => self.following.note_seen(&mut self.seen),
            Err(error) => tracing::warn!(%error, "the experiments could not be looked at"),
        }
    }

    /// Ends all work for good: no event is acknowledged any more, and the process should end.
    fn give_up(&mut self, why: &str) {
        tracing::error!(why, "the server stops");
        self.open = None;
        self.shared.is_failing.store(true, Ordering::SeqCst);
        self.shared.fatal.send_replace(Some(why.to_owned()));
    }

    /// Makes all experiments known to callers.
    fn publish(&self) {
        let Some(open) = &self.open else { return };
        let held = open.loaded.held.iter().map(|(&id, held)| entry(id, &held.experiment));
        let damaged = open.loaded.damaged.iter().map(|(&id, damage)| ExperimentHandle::damaged(id, damage));
        self.shared.directory.replace(held.chain(damaged));
        self.count_experiments();
    }

    /// Makes new experiments known, and what changed.
    fn announce(&self, touched: &BTreeSet<u32>) {
        let Some(open) = &self.open else { return };
        for (id, held) in touched.iter().filter_map(|id| open.loaded.held.get_key_value(id)) {
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
        let Loaded { held, damaged } = &open.loaded;
        self.shared.metrics.experiments.set((held.len() + damaged.len()) as u64);
        self.shared.metrics.damaged.set(damaged.len() as u64);
        self.shared.metrics.open.set(held.values().map(|held| held.experiment.fates().open).sum());
        self.shared.metrics.units.set(held.values().map(|held| held.experiment.units_here() as u64).sum());
        self.shared.metrics.upkeep.set(held.values().filter(|held| held.upkeep.is_due()).count() as u64);
    }
}

pub(super) fn entry(id: u32, experiment: &Experiment) -> ExperimentHandle {
    ExperimentHandle::new(id, experiment.config().clone(), experiment.state())
}

/// Writes the events of these experiments, and begins a snapshot of each with a newly closed day: a start goes on from there.
fn write(store: &Store, held: &mut BTreeMap<u32, Held>, touched: &BTreeSet<u32>) -> Result<u64, StoreError> {
    let mut written = 0;
    for (&id, held) in held.iter_mut().filter(|(id, _)| touched.contains(id)) {
        for numbered in held.experiment.take_events() {
            let event = numbered.recorded.event();
            if let Event::Day { .. } = event {
                held.upkeep.day_closed();
            }
            store.insert_event(&Row {
                experiment: id,
                n: numbered.n,
                kind: event.kind(),
                impression: impression_of(event, &mut held.asked),
                body: numbered.recorded.bytes(),
            })?;
            written += 1;
        }
        held.begin_snapshot();
    }
    Ok(written)
}
