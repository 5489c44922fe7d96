//! Transactions: the writes between `begin` and `commit` take effect as a whole or not at all.

use std::collections::BTreeSet;

use traffic::Marks;

use super::open::PostgresStore;
use super::session::{Command, Value};
use crate::ids::{NameHash, UnitHash};
use crate::store::rows::{EventRow, MarksRow, NewEvent, ShownRow, StoredPage, event_sum, name_sum, unit_sum};
use crate::store::{Audit, Operation, StoreError};

impl PostgresStore {
    pub(in crate::store) fn begin(&self) -> Result<(), StoreError> {
        self.inject(Operation::Begin)?;
        self.pending.take();
        self.is_open.set(true);
        Ok(())
    }

    pub(in crate::store) fn commit(&self, answered_experiments: &BTreeSet<u32>) -> Result<(), StoreError> {
        self.is_open.set(false);
        let mut pending = self.pending.take();
        let logs = pending.logs();
        let epoch = self.epoch.get();
        let fenced_experiments: BTreeSet<u32> =
            &(answered_experiments | &pending.experiments_touched) - &pending.experiments_begun;
        let begins = !pending.experiments_begun.is_empty();
        for experiment in std::mem::take(&mut pending.experiments_begun) {
            let last = logs.get(&experiment).map_or(0, |(last, _)| *last);
            let values: Vec<Value> = vec![Box::new(experiment as i32), Box::new(last), Box::new(epoch.unwrap_or(0))];
            let sql = "INSERT INTO heads (experiment, n, epoch) VALUES ($1, $2, $3)";
            pending.commands.push(Command { sql, values });
        }
        if epoch.is_some() {
            self.recent.borrow_mut().keep(&pending);
        }
        let commands = pending.into_commands();
        if commands.is_empty() {
            if let Some(epoch) = epoch.filter(|_| !fenced_experiments.is_empty()) {
                self.check_epoch(epoch, &fenced_experiments)?;
            }
            self.inject(Operation::Commit)?;
            return self.inject(Operation::Committed);
        }
        match epoch {
            // Without an epoch, keys and audits may be written, but no experiment.
            None if !fenced_experiments.is_empty() || begins => return Err(StoreError::Fenced),
            None => self.session.batch("BEGIN")?,
            Some(epoch) => {
                let experiments: Vec<i32> = fenced_experiments.iter().map(|experiment| *experiment as i32).collect();
                let of = |experiment| logs.get(experiment);
                let last: Vec<Option<i64>> =
                    fenced_experiments.iter().map(|one| of(one).map(|(last, _)| *last)).collect();
                let written: Vec<i64> =
                    fenced_experiments.iter().map(|one| of(one).map_or(0, |(_, written)| *written)).collect();
                let fence = include_str!("sql/nodes/fence.sql");
                let row = self.session.begin_with(fence, &[&epoch, &experiments, &last, &written])?;
                check_fence((row.get(0), row.get(1)), fenced_experiments.len())?;
            }
        }
        self.inject(Operation::Commit)?;
        self.session.commit_with(commands)?;
        self.inject(Operation::Committed)
    }

    fn check_epoch(&self, epoch: i64, experiments: &BTreeSet<u32>) -> Result<(), StoreError> {
        let all: Vec<i32> = experiments.iter().map(|experiment| *experiment as i32).collect();
        let row = self.session.one(include_str!("sql/nodes/epoch.sql"), &[&epoch, &all])?;
        check_fence((row.get(0), row.get(1)), all.len())
    }

    /// Leaves a statement to the commit; carries it out immediately if no transaction has begun.
    pub(super) fn queue_command(&self, sql: &'static str, values: Vec<Value>) -> Result<(), StoreError> {
        self.pending.borrow_mut().commands.push(Command { sql, values });
        self.unless_open()
    }

    /// As [`queue_command`](Self::queue_command), for a statement about an experiment.
    pub(super) fn queue_for_experiment(
        &self,
        experiment: u32,
        sql: &'static str,
        more: impl IntoIterator<Item = Value>,
    ) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        self.pending.borrow_mut().experiments_touched.insert(experiment);
        let experiment: Value = Box::new(experiment as i32);
        self.queue_command(sql, std::iter::once(experiment).chain(more).collect())
    }

    /// Commits the kept writes, if no transaction has begun.
    fn unless_open(&self) -> Result<(), StoreError> {
        if self.is_open.get() { Ok(()) } else { self.commit(&BTreeSet::new()) }
    }

    /// Keeps a row of an experiment until the commit.
    pub(super) fn keep(
        &self,
        experiment: u32,
        row: impl FnOnce(&mut super::pending::Pending),
    ) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        let mut pending = self.pending.borrow_mut();
        pending.experiments_touched.insert(experiment);
        row(&mut pending);
        drop(pending);
        self.unless_open()
    }

    pub(in crate::store) fn insert_experiment(&self, name: &str, converts: bool) -> Result<u32, StoreError> {
        self.inject(Operation::Insert)?;
        let id: i32 = self.session.one("SELECT nextval('experiment_numbers')::integer", &[])?.get(0);
        self.pending.borrow_mut().experiments_begun.insert(id as u32);
        self.queue_command(
            "INSERT INTO experiments (id, name, converts) VALUES ($1, $2, $3)",
            vec![Box::new(id), Box::new(name.to_owned()), Box::new(converts)],
        )?;
        Ok(id as u32)
    }

    pub(in crate::store) fn delete_experiment(&self, experiment: u32) -> Result<(), StoreError> {
        self.pending.borrow_mut().forget(experiment);
        self.recent.borrow_mut().clear();
        for sql in [
            "DELETE FROM events WHERE experiment = $1",
            "DELETE FROM shown WHERE experiment = $1",
            "DELETE FROM units WHERE experiment = $1",
            "DELETE FROM marks WHERE experiment = $1",
            "DELETE FROM snapshots WHERE experiment = $1",
            "DELETE FROM states WHERE experiment = $1",
            "DELETE FROM converted WHERE experiment = $1",
            "DELETE FROM experiments WHERE id = $1",
        ] {
            self.queue_for_experiment(experiment, sql, [])?;
        }
        Ok(())
    }

    pub(in crate::store) fn insert_event(&self, row: &NewEvent<'_>) -> Result<(), StoreError> {
        let NewEvent { experiment, n, kind, impression, body } = *row;
        let (n, impression) = (n as i64, impression.map(|impression| impression as i64));
        let sum = event_sum(experiment, n, kind, impression, body);
        let row = EventRow { n, kind, impression, body: body.to_vec(), sum };
        self.keep(experiment, |pending| pending.events.push((experiment, row)))
    }

    pub(in crate::store) fn insert_shown(
        &self,
        experiment: u32,
        impression: u64,
        shown: &StoredPage,
    ) -> Result<(), StoreError> {
        let row = ShownRow::of(experiment, impression, Some(shown))?;
        self.keep(experiment, |pending| _ = pending.shown_rows.insert((experiment, impression), (row, true)))
    }

    pub(in crate::store) fn change_shown(
        &self,
        experiment: u32,
        impression: u64,
        shown: &StoredPage,
    ) -> Result<(), StoreError> {
        self.keep_shown(experiment, impression, ShownRow::of(experiment, impression, Some(shown))?)
    }

    pub(in crate::store) fn forget_shown(&self, experiment: u32, impression: u64) -> Result<(), StoreError> {
        self.keep_shown(experiment, impression, ShownRow::of(experiment, impression, None)?)
    }

    fn keep_shown(&self, experiment: u32, impression: u64, row: ShownRow) -> Result<(), StoreError> {
        self.keep(experiment, |pending| {
            let kept = pending.shown_rows.entry((experiment, impression)).or_default();
            kept.0 = row;
        })
    }

    pub(in crate::store) fn insert_unit(
        &self,
        experiment: u32,
        number: u64,
        hash: &UnitHash,
    ) -> Result<(), StoreError> {
        let row = (number as i64, unit_sum(experiment, hash, number as i64));
        self.keep(experiment, |pending| pending.units.entry((experiment, *hash)).or_default().insert(row))
    }

    pub(in crate::store) fn forget_unit(&self, experiment: u32, hash: &UnitHash) -> Result<(), StoreError> {
        self.keep(experiment, |pending| pending.units.entry((experiment, *hash)).or_default().delete())
    }

    pub(in crate::store) fn insert_marks(
        &self,
        experiment: u32,
        time: i64,
        impression: u64,
        marks: Marks,
    ) -> Result<(), StoreError> {
        let row = MarksRow::of(experiment, time, impression, marks);
        self.keep(experiment, |pending| pending.marks.entry((experiment, impression)).or_default().insert(row))
    }

    pub(in crate::store) fn forget_marks(&self, experiment: u32, impression: u64) -> Result<(), StoreError> {
        self.keep(experiment, |pending| pending.marks.entry((experiment, impression)).or_default().delete())
    }

    pub(in crate::store) fn forget_marks_until(&self, experiment: u32, last: Option<u64>) -> Result<(), StoreError> {
        let until = last.unwrap_or(u64::MAX);
        self.pending.borrow_mut().marks.retain(|(of, impression), _| *of != experiment || *impression > until);
        let last = last.map_or(i64::MAX, |last| last as i64);
        let sql = "DELETE FROM marks WHERE experiment = $1 AND impression <= $2";
        self.queue_for_experiment(experiment, sql, [Box::new(last) as Value])
    }

    pub(in crate::store) fn insert_name(
        &self,
        experiment: u32,
        unit: u64,
        hash: &NameHash,
        number: u32,
    ) -> Result<(), StoreError> {
        let row = (i64::from(number), name_sum(experiment, unit, hash, number.into()));
        self.keep(experiment, |pending| _ = pending.names.insert((experiment, unit, *hash), row))
    }

    pub(in crate::store) fn forget_names(&self, experiment: u32, unit: u64) -> Result<(), StoreError> {
        self.pending.borrow_mut().names.retain(|(of, known, _), _| *of != experiment || *known != unit);
        let sql = "DELETE FROM converted WHERE experiment = $1 AND unit = $2";
        self.queue_for_experiment(experiment, sql, [Box::new(unit as i64) as Value])
    }

    pub(in crate::store) fn set_alive(&self, time: i64) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        let values: Vec<Value> = vec![Box::new("alive"), Box::new(time.to_be_bytes().to_vec())];
        self.queue_command(include_str!("sql/set_meta.sql"), values)
    }

    pub(in crate::store) fn audit(&self, audit: &Audit) -> Result<(), StoreError> {
        self.inject(Operation::Insert)?;
        let Audit { time, who, what, detail } = audit.clone();
        let sql = "INSERT INTO audit (time, who, what, detail) VALUES ($1, $2, $3, $4)";
        self.queue_command(sql, vec![Box::new(time), Box::new(who), Box::new(what), Box::new(detail)])
    }

    /// Has the database free deleted rows. Its log of changes, and copies of that, are another matter.
    pub(in crate::store) fn checkpoint(&self) -> Result<bool, StoreError> {
        for table in ["shown", "units", "marks", "states", "converted"] {
            self.session.batch(&format!("VACUUM {table}"))?;
        }
        Ok(true)
    }

    /// Committed data is on the disk of the database.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "a store in a file has something to do")]
    pub(in crate::store) fn rewrite_log(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Checks that this node still leads, and that it does so for all experiments that it wrote.
fn check_fence((leads, locked): (i64, i64), asked: usize) -> Result<(), StoreError> {
    if leads == 1 && locked == asked as i64 { Ok(()) } else { Err(StoreError::Fenced) }
}
