//! Transactions: jobs become events, events are written, and after the commit answers leave.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::Instant;

use traffic::Event;

use super::job::{Job, Pending};
use super::load::impression_of;
use super::maintenance::Slice;
use super::open_store::next_maintenance;
use super::thread::WriterThread;
use super::{LoadedExperiment, NoAnswer, Transaction, UndeliveredImpression};
use crate::store::{NewEvent, Store, StoreError};

/// A failed transaction, and the callers that wait for it.
pub(super) struct FailedTransaction {
    pub(super) error: StoreError,
    answers: Vec<Pending>,
    jobs: Vec<Job>,
}

impl WriterThread {
    /// Carries out jobs, and sends their answers.
    pub(super) fn flush(&mut self, jobs: Vec<Job>) {
        let started = Instant::now();
        self.commit(jobs, |_| {});
        self.shared.metrics.commit_seconds.observe(started.elapsed());
    }

    /// Closes undelivered impressions, does `more`, carries out jobs, and sends their answers; returns whether it was committed.
    pub(super) fn commit(&mut self, jobs: Vec<Job>, more: impl FnOnce(&mut Transaction<'_>)) -> bool {
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
        let carried_out = self.transaction(jobs, |transaction| {
            let now = transaction.now;
            for UndeliveredImpression { id: of, .. } in closed {
                if let Some(experiment) = transaction.experiment_of(&of) {
                    experiment.close_late_answer(now, of.impression);
                }
            }
            more(transaction);
        });
        match carried_out {
            Ok(answers) => {
                self.shared.metrics.late.add(undelivered.len() as u64);
                self.shared.metrics.commits.add(1);
                self.undelivered.extend(answers.into_iter().filter_map(Pending::send));
                true
            }
            Err(FailedTransaction { error, answers, jobs }) => {
                // These were promised: they are closed once the store can be written.
                self.undelivered = undelivered;
                self.shared.metrics.failures.add(1);
                self.shared.is_failing.store(true, Ordering::SeqCst);
                tracing::error!(%error, "a transaction failed; experiments are folded again");
                match &self.options.node {
                    // The new leader has everything that was acknowledged here.
                    Some(node) if error == StoreError::Fenced => {
                        node.note_fenced(self.leading_epoch);
                        self.shared.knows_all.store(false, Ordering::SeqCst);
                    }
                    _ => {}
                }
                if let Some(experiment) = error.experiment() {
                    self.damage_found.insert(experiment, error);
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
    pub(super) fn transaction(
        &mut self,
        jobs: Vec<Job>,
        first: impl FnOnce(&mut Transaction<'_>),
    ) -> Result<Vec<Pending>, FailedTransaction> {
        let now = self.options.clock.now();
        let Some(mut open) = self.open.take() else {
            return Err(FailedTransaction {
                error: StoreError::Sqlite("it is not open".to_owned()),
                answers: vec![],
                jobs,
            });
        };
        let mut jobs = jobs.into_iter();
        let mut answers = Vec::with_capacity(jobs.len());
        // A panic in one job must not end the server: a half-done change is dropped as after a failed commit.
        let transaction_result = catch_unwind(AssertUnwindSafe(|| {
            open.store.begin()?;
            let mut transaction = Transaction {
                now,
                open_impressions: self.options.open_impressions,
                shared: &self.shared,
                store: &open.store,
                experiments: &mut open.content.experiments,
                damaged: &open.content.damaged,
                touched: BTreeSet::new(),
                failure: None,
                has_deleted: false,
                must_write: false,
                deleted: BTreeSet::new(),
                offer: None,
            };
            first(&mut transaction);
            for job in jobs.by_ref() {
                if job.is_late() {
                    job.refuse(NoAnswer::Late);
                } else {
                    answers.push(job.carry_out(&mut transaction));
                }
            }
            transaction.begin_successors();
            let Transaction { mut touched, failure, mut has_deleted, must_write, deleted, .. } = transaction;
            failure.map_or(Ok(()), Err)?;
            deleted.iter().for_each(|id| open.content.remove(*id));
            let mut has_written = must_write;
            if let Some(id) = next_maintenance(&open.content.experiments)
                && let Some(loaded) = open.content.experiments.get_mut(&id)
            {
                let slice = loaded.slice(&open.store, id, now)?;
                has_deleted |= slice == Slice::Erased;
                has_written |= slice != Slice::Read;
                touched.insert(id);
            }
            let event_count = write(&open.store, &mut open.content.experiments, &touched)?;
            has_written |= event_count > 0;
            if must_write {
                open.store.set_alive(now)?;
            }
            open.store.commit(&touched)?;
            if has_deleted {
                // No copy is left in the write-ahead log, once no reader needs it.
                self.shared.truncation.want();
            }
            Ok((touched, deleted, event_count, has_written))
        }));
        let transaction_result = transaction_result
            .unwrap_or_else(|_| Err(StoreError::Sqlite("a job ended by a fault of the program".to_owned())));
        match transaction_result {
            Ok((touched, deleted, event_count, has_written)) => {
                self.shared.metrics.written.add(event_count);
                if has_written {
                    self.last_write = now;
                    // An empty transaction proves nothing.
                    self.shared.is_failing.store(false, Ordering::SeqCst);
                    self.acknowledged = open.content.events();
                    if let Some(lock) = &self.options.lock {
                        lock.acknowledge(self.acknowledged);
                    }
                }
                self.open = Some(open);
                if !deleted.is_empty() {
                    deleted.iter().for_each(|id| _ = self.damage_found.remove(id));
                    self.publish();
                }
                self.note_seen(&touched, &deleted);
                self.announce(&touched);
                Ok(answers)
            }
            Err(error) => {
                // The connection goes with its pending rows: nothing of this transaction is used again.
                drop(open);
                Err(FailedTransaction { error, answers, jobs: jobs.collect() })
            }
        }
    }
}

/// Writes the events of these experiments, and begins a snapshot of each with a newly closed day: a start goes on from there.
fn write(
    store: &Store,
    loaded: &mut BTreeMap<u32, LoadedExperiment>,
    touched: &BTreeSet<u32>,
) -> Result<u64, StoreError> {
    let mut event_count = 0;
    for (&id, loaded) in loaded.iter_mut().filter(|(id, _)| touched.contains(id)) {
        for numbered_event in loaded.experiment.take_events() {
            let event = numbered_event.recorded.event();
            if let Event::Day { .. } = event {
                loaded.maintenance.day_closed();
            }
            store.insert_event(&NewEvent {
                experiment: id,
                n: numbered_event.n,
                kind: event.kind(),
                impression: impression_of(event, &mut loaded.requests),
                body: numbered_event.recorded.bytes(),
            })?;
            event_count += 1;
        }
        loaded.begin_snapshot();
    }
    Ok(event_count)
}
