//! A store, whatever database keeps it.
//!
//! One `match` per operation chooses; nothing is called through a pointer for each row.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use traffic::{Marks, UnitState};

use super::postgres::PostgresStore;
use super::sqlite::SqliteStore;
use super::transfer::{Cell, Table};
use super::{
    Access, Audit, Displayed, Faults, Head, Kept, Key, KeyRow, Location, Problem, Role, Rotated, Row, Secrets, Shown,
    SignIn, StoreError, StoredEvent, UnitRow,
};
use crate::ids::{NameHash, UnitHash};

/// An open store.
#[derive(Debug)]
pub struct Store(Kind);

/// The database behind it.
#[derive(Debug)]
enum Kind {
    Sqlite(SqliteStore),
    Postgres(Box<PostgresStore>),
}

/// Does the same with either.
macro_rules! on {
    ($whole:expr, $store:ident => $what:expr) => {
        match &$whole.0 {
            Kind::Sqlite($store) => $what,
            Kind::Postgres($store) => $what,
        }
    };
}

impl Store {
    /// Opens a store.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn open(location: impl Into<Location>, access: Access) -> Result<Self, StoreError> {
        Self::open_with(&location.into(), access, None)
    }

    /// Opens a store with some failing operations, for tests.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn open_with(location: &Location, access: Access, faults: Option<Arc<dyn Faults>>) -> Result<Self, StoreError> {
        Ok(Self(match location {
            Location::File(path) => Kind::Sqlite(SqliteStore::open(path, access, faults)?),
            Location::Postgres(database) => Kind::Postgres(Box::new(PostgresStore::open(database, access, faults)?)),
        }))
    }

    /// Sets the epoch in which a store in a database writes experiments from now on; every commit is refused once another node leads.
    pub fn lead(&self, epoch: i64) {
        if let Kind::Postgres(store) = &self.0 {
            store.lead(epoch);
        }
    }

    /// The secrets of the store.
    ///
    /// # Errors
    /// If one is missing.
    pub fn secrets(&self) -> Result<Secrets, StoreError> {
        on!(self, store => store.secrets())
    }

    /// Sets the salt of positions. Only while no experiment has units: it would move them in and out.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_places(&self, salt: &[u8; 32]) -> Result<(), StoreError> {
        on!(self, store => store.set_places(salt))
    }

    /// Replaces the secret of ids or of hashes; the one before counts until then (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn rotate(&self, which: Rotated, until: i64) -> Result<(), StoreError> {
        on!(self, store => store.rotate(which, until))
    }

    /// Forgets previous secrets that are expired at `now` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_expired_secrets(&self, now: i64) -> Result<(), StoreError> {
        on!(self, store => store.forget_expired_secrets(now))
    }

    /// Copies the store, as it is at one moment, to a file that must not exist; a server may run meanwhile.
    ///
    /// # Errors
    /// If the file exists or cannot be written.
    pub fn backup(&self, to: &Path) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Sqlite(store) => store.backup(to),
            Kind::Postgres(_) => {
                let (what, instead) = ("a backup", "copy the database with `pg_dump --schema=rankduel`".to_owned());
                Err(StoreError::NeedsFile { what: what.to_owned(), instead })
            }
        }
    }

    /// Does something with the store as it is at one moment, whatever a server writes meanwhile.
    ///
    /// # Errors
    /// If the store cannot be read, and errors of `what`.
    pub fn at_one_moment<T, E: From<StoreError>>(&self, what: impl FnOnce(&Self) -> Result<T, E>) -> Result<T, E> {
        on!(self, store => store.begin_moment())?;
        let done = what(self);
        // Nothing was written; if it cannot even be ended, later reads report it.
        let ended = on!(self, store => store.end_moment());
        let value = done?;
        ended?;
        Ok(value)
    }

    /// All experiments: number and name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn experiments(&self) -> Result<Vec<(u32, String)>, StoreError> {
        on!(self, store => store.experiments())
    }

    /// Gives the events of an experiment after number `after` to `each`, in order; those that were forgotten are left out, so that the
    /// first may have any number.
    ///
    /// # Errors
    /// If the store cannot be read, a row is damaged, or a number is missing; and errors of `each`.
    pub fn events<E: From<StoreError>>(
        &self,
        experiment: u32,
        after: u64,
        each: impl FnMut(StoredEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        on!(self, store => store.events(experiment, after, each))
    }

    /// The number of an experiment's last event; 0 if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_event(&self, experiment: u32) -> Result<u64, StoreError> {
        on!(self, store => store.last_event(experiment))
    }

    /// The number of an experiment's first event: 1, unless the beginning was forgotten, or there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn first_event(&self, experiment: u32) -> Result<u64, StoreError> {
        on!(self, store => store.first_event(experiment))
    }

    /// The bytes of the last event after number `after` that changed the state of an experiment, in a store in a database: nodes that do
    /// not lead read nothing else.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_change(&self, experiment: u32, after: u64) -> Result<Option<Vec<u8>>, StoreError> {
        match &self.0 {
            // A file has one server.
            Kind::Sqlite(_) => Ok(None),
            Kind::Postgres(store) => store.last_change(experiment, after),
        }
    }

    /// The documents of an impression.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn shown(&self, experiment: u32, impression: u64) -> Result<Kept, StoreError> {
        on!(self, store => store.shown(experiment, impression))
    }

    /// The number of a unit.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn unit(&self, experiment: u32, hash: &UnitHash) -> Result<Option<u64>, StoreError> {
        on!(self, store => store.unit(experiment, hash))
    }

    /// Reads all units of an experiment: a unit with a lost row would count as a new one. `each` sees every one; returns the highest
    /// number.
    ///
    /// # Errors
    /// If the store cannot be read, or something of the table is damaged.
    pub fn check_units(&self, experiment: u32, each: impl FnMut(UnitRow)) -> Result<u64, StoreError> {
        on!(self, store => store.check_units(experiment, each))
    }

    /// All marks of an experiment, in the order of impressions: when it was asked for, its number, and what finds it again.
    ///
    /// # Errors
    /// If the store cannot be read, or something of the table is damaged.
    pub fn marks(&self, experiment: u32) -> Result<Vec<(i64, u64, Marks)>, StoreError> {
        on!(self, store => store.marks(experiment))
    }

    /// The last time when a server had the store open, in milliseconds since 1970, as far as it was recorded.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn alive(&self) -> Result<Option<i64>, StoreError> {
        on!(self, store => store.alive())
    }

    /// Gives all rows of a table to `each`, some at a time.
    pub(super) fn each_rows(
        &self,
        table: &Table,
        experiment: Option<u32>,
        each: &mut dyn FnMut(Vec<Vec<Cell>>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        on!(self, store => store.each_rows(table, experiment, each))
    }

    /// Writes rows as they are.
    pub(super) fn insert_rows(
        &self,
        table: &Table,
        experiment: Option<u32>,
        rows: Vec<Vec<Cell>>,
    ) -> Result<(), StoreError> {
        on!(self, store => store.insert_rows(table, experiment, rows))
    }

    /// Whether an experiment counts conversions.
    pub(super) fn converts(&self, experiment: u32) -> Result<bool, StoreError> {
        on!(self, store => store.converts(experiment))
    }

    /// The highest number of an experiment that was ever given out.
    pub(super) fn last_number(&self) -> Result<u32, StoreError> {
        on!(self, store => store.last_number())
    }

    pub(super) fn begin_import(&self) -> Result<(), StoreError> {
        on!(self, store => store.begin_import())
    }

    pub(super) fn end_import(&self, is_done: bool) -> Result<(), StoreError> {
        on!(self, store => store.end_import(is_done))
    }

    pub(super) fn import_experiment(&self, id: u32, name: &str, converts: bool) -> Result<(), StoreError> {
        on!(self, store => store.import_experiment(id, name, converts))
    }

    pub(super) fn finish_import(&self, last_number: u32) -> Result<(), StoreError> {
        on!(self, store => store.finish_import(last_number))
    }

    /// Refuses a store in a database that servers have open; a file has a [lock](super::StoreLock) for that.
    ///
    /// # Errors
    /// If there is such a server, or the database cannot be asked.
    pub fn check_unused(&self) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Sqlite(_) => Ok(()),
            Kind::Postgres(store) => store.check_unused(),
        }
    }

    /// Runs the database's own check, and checks rows that no fold reads: documents, units, marks. Empty if all is well.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        let mut found = on!(self, store => store.problems())?;
        for (id, name) in self.experiments()? {
            let checks = [
                self.check_units(id, drop).map(drop),
                self.marks(id).map(drop),
                self.check_shown(id),
                on!(self, store => store.check_names(id)),
                self.check_snapshots(id),
            ];
            let texts = checks.into_iter().filter_map(Result::err);
            found.extend(texts.map(|error| Problem { text: format!("{name}: {error}") }));
        }
        Ok(found)
    }

    /// Reads the documents of all impressions. None is above the highest of the log.
    fn check_shown(&self, experiment: u32) -> Result<(), StoreError> {
        let place = "the documents of its impressions";
        let (numbers, most) = on!(self, store => store.shown_numbers(experiment, place))?;
        numbers.iter().try_for_each(|number| self.shown(experiment, *number).map(drop))?;
        match numbers.into_iter().max() {
            Some(last) if last > most => {
                let what = format!("impression {last} has some, and the log ends at {most}");
                Err(StoreError::row(experiment, place.to_owned(), what))
            }
            _ => Ok(()),
        }
    }

    /// Reads all snapshots and states of an experiment.
    fn check_snapshots(&self, experiment: u32) -> Result<(), StoreError> {
        for head in self.snapshots(experiment)? {
            self.snapshot(experiment, &head)?;
        }
        on!(self, store => store.check_states(experiment))
    }

    /// Begins a transaction; until its end there is no other writer.
    ///
    /// # Errors
    /// If another process has written for longer than five seconds, or the store is broken.
    pub fn begin(&self) -> Result<(), StoreError> {
        on!(self, store => store.begin())
    }

    /// Makes the transaction permanent. When this returns, it is on the disk. Answers about the experiments `answered` leave then,
    /// whether or not it has events of them.
    ///
    /// # Errors
    /// If it could not be written. Whether it is there is then unknown: open the store again and look. If another node leads by now,
    /// nothing was written.
    pub fn commit(&self, answered: &BTreeSet<u32>) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Sqlite(store) => store.commit(),
            Kind::Postgres(store) => store.commit(answered),
        }
    }

    /// Names a new experiment, makes its tables, and returns its number; `converts`: whether conversions count.
    ///
    /// # Errors
    /// If there is one of this name, or the store cannot be written.
    pub fn insert_experiment(&self, name: &str, converts: bool) -> Result<u32, StoreError> {
        on!(self, store => store.insert_experiment(name, converts))
    }

    /// Deletes an experiment and all that there is of it. Its number is never given out again.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn delete_experiment(&self, experiment: u32) -> Result<(), StoreError> {
        on!(self, store => store.delete_experiment(experiment))
    }

    /// Writes an event.
    ///
    /// # Errors
    /// If the number is taken, or the store cannot be written.
    pub fn insert_event(&self, row: &Row<'_>) -> Result<(), StoreError> {
        on!(self, store => store.insert_event(row))
    }

    /// Writes the documents that an impression mixed, and the hash of the request that brought its lists, if they came later.
    ///
    /// # Errors
    /// If the impression has some, or the store cannot be written.
    pub fn insert_shown(
        &self,
        experiment: u32,
        impression: u64,
        ids: &[String],
        request: Option<u64>,
    ) -> Result<(), StoreError> {
        let shown = Shown { mixed: ids.to_vec(), displayed: None, request };
        on!(self, store => store.insert_shown(experiment, impression, &shown))
    }

    /// Writes the displayed page of an impression.
    ///
    /// # Errors
    /// If the store cannot be read or written, or has no documents of the impression.
    pub fn set_displayed(&self, experiment: u32, impression: u64, page: &Displayed) -> Result<(), StoreError> {
        match self.shown(experiment, impression)? {
            Kept::Shown(shown) => {
                let shown = Shown { displayed: Some(page.clone()), ..shown };
                on!(self, store => store.change_shown(experiment, impression, &shown))
            }
            Kept::Deleted | Kept::Never => Ok(()),
        }
    }

    /// Forgets the documents of an impression, if it has some. It is recorded that it had some, to distinguish this from a damaged row.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_shown(&self, experiment: u32, impression: u64) -> Result<(), StoreError> {
        on!(self, store => store.forget_shown(experiment, impression))
    }

    /// Numbers a unit.
    ///
    /// # Errors
    /// If the unit is there, or the store cannot be written.
    pub fn insert_unit(&self, experiment: u32, number: u64, hash: &UnitHash) -> Result<(), StoreError> {
        on!(self, store => store.insert_unit(experiment, number, hash))
    }

    /// Forgets a unit: its number no longer leads to it.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_unit(&self, experiment: u32, hash: &UnitHash) -> Result<(), StoreError> {
        on!(self, store => store.forget_unit(experiment, hash))
    }

    /// Writes the marks by which an impression is found again.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_marks(&self, experiment: u32, time: i64, impression: u64, marks: Marks) -> Result<(), StoreError> {
        on!(self, store => store.insert_marks(experiment, time, impression, marks))
    }

    /// Forgets the marks by which an impression is found again.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_marks(&self, experiment: u32, impression: u64) -> Result<(), StoreError> {
        on!(self, store => store.forget_marks(experiment, impression))
    }

    /// The same of all impressions up to one; of all if `None`.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_marks_until(&self, experiment: u32, last: Option<u64>) -> Result<(), StoreError> {
        on!(self, store => store.forget_marks_until(experiment, last))
    }

    /// Records that a server had the store open at `time` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn set_alive(&self, time: i64) -> Result<(), StoreError> {
        on!(self, store => store.set_alive(time))
    }

    /// Moves all writes from the log of SQLite to its file, and returns whether that is done: it does not wait for a reader in the way. No
    /// copy of deleted data is left then.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn checkpoint(&self) -> Result<bool, StoreError> {
        on!(self, store => store.checkpoint())
    }

    /// Writes the write-ahead log once more, as it is, and waits until it is on the disk. No other process writes meanwhile, and readers
    /// find the same bytes.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn rewrite_log(&self) -> Result<(), StoreError> {
        on!(self, store => store.rewrite_log())
    }

    /// The snapshots of an experiment that are whole, in their order.
    ///
    /// # Errors
    /// If the store cannot be read, or a row is damaged.
    pub fn snapshots(&self, experiment: u32) -> Result<Vec<Head>, StoreError> {
        on!(self, store => store.snapshots(experiment)).map_err(StoreError::in_snapshot)
    }

    /// The bytes of a snapshot.
    ///
    /// # Errors
    /// If the store cannot be read, or a part is damaged or missing.
    pub fn snapshot(&self, experiment: u32, head: &Head) -> Result<Vec<u8>, StoreError> {
        on!(self, store => store.snapshot(experiment, head)).map_err(StoreError::in_snapshot)
    }

    /// The state of a unit at a snapshot; `None` if it had none.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn unit_state(&self, experiment: u32, number: u64, snapshot: u64) -> Result<Option<UnitState>, StoreError> {
        on!(self, store => store.unit_state(experiment, number, snapshot)).map_err(StoreError::in_snapshot)
    }

    /// Writes a part of a snapshot after event `n`, from 1.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_part(&self, experiment: u32, n: u64, part: u32, body: &[u8]) -> Result<(), StoreError> {
        on!(self, store => store.insert_part(experiment, n, part, body))
    }

    /// Writes its head: from now on it is whole.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_head(&self, experiment: u32, head: Head) -> Result<(), StoreError> {
        self.insert_part(experiment, head.n, 0, &head.body()?)
    }

    /// Writes the state of a unit at the snapshot after event `n`. Keeps its earlier states that are needed from the snapshot `base` on.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_state(&self, experiment: u32, n: u64, state: &UnitState, base: u64) -> Result<(), StoreError> {
        on!(self, store => store.insert_state(experiment, n, state, base))
    }

    /// Deletes a part of a snapshot before `base`, its head first; whether there was one.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_part(&self, experiment: u32, base: u64) -> Result<bool, StoreError> {
        on!(self, store => store.drop_part(experiment, base))
    }

    /// Deletes some of the events up to number `last`; whether there were any.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_events(&self, experiment: u32, last: u64, most: u64) -> Result<bool, StoreError> {
        on!(self, store => store.drop_events(experiment, last, most))
    }

    /// Deletes the documents of some of the impressions before `first`; whether there were any.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_shown(&self, experiment: u32, first: u64, most: u64) -> Result<bool, StoreError> {
        on!(self, store => store.drop_shown(experiment, first, most))
    }

    /// The next units in the order of their hashes, after one.
    ///
    /// # Errors
    /// If the store cannot be read, or a row is damaged.
    pub fn units_after(&self, experiment: u32, after: &[u8], most: u64) -> Result<Vec<UnitRow>, StoreError> {
        on!(self, store => store.units_after(experiment, after, most))
    }

    /// Deletes all snapshots and states of an experiment, if there are any.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn drop_snapshots(&self, experiment: u32) -> Result<(), StoreError> {
        on!(self, store => store.drop_snapshots(experiment))
    }

    /// Forgets all states of a unit.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn drop_states(&self, experiment: u32, number: u64) -> Result<(), StoreError> {
        on!(self, store => store.drop_states(experiment, number))
    }

    /// The number of a name of a unit.
    ///
    /// # Errors
    /// If the store cannot be read, or the row is damaged.
    pub fn name(&self, experiment: u32, unit: u64, hash: &NameHash) -> Result<Option<u32>, StoreError> {
        on!(self, store => store.name(experiment, unit, hash))
    }

    /// The highest number of a name of a unit; 0 if it has none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_name(&self, experiment: u32, unit: u64) -> Result<u32, StoreError> {
        on!(self, store => store.last_name(experiment, unit))
    }

    /// Numbers a name of a unit.
    ///
    /// # Errors
    /// If the name is there, or the store cannot be written.
    pub fn insert_name(&self, experiment: u32, unit: u64, hash: &NameHash, number: u32) -> Result<(), StoreError> {
        on!(self, store => store.insert_name(experiment, unit, hash, number))
    }

    /// Forgets the names of a unit's orders and documents, if the experiment has such names.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn forget_names(&self, experiment: u32, unit: u64) -> Result<(), StoreError> {
        on!(self, store => store.forget_names(experiment, unit))
    }

    /// The unit that asked for an impression of an experiment in which conversions count; `None` if that is forgotten.
    ///
    /// # Errors
    /// If the store cannot be read, or the event is damaged.
    pub fn unit_that_asked(&self, experiment: u32, impression: u64) -> Result<Option<u64>, StoreError> {
        on!(self, store => store.unit_that_asked(experiment, impression))
    }

    /// Records an action in the audit.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn audit(&self, audit: &Audit) -> Result<(), StoreError> {
        on!(self, store => store.audit(audit))
    }

    /// The audit since a time (milliseconds since 1970), oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn audits(&self, since: i64) -> Result<Vec<Audit>, StoreError> {
        on!(self, store => store.audits(since))
    }

    /// Makes a key, which works until `expires` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add_key(
        &self,
        role: Role,
        experiment: Option<&str>,
        label: &str,
        now: i64,
        expires: Option<i64>,
    ) -> Result<Key, StoreError> {
        on!(self, store => store.add_key(role, experiment, label, now, expires))
    }

    /// Revokes a key; `false` if there is none of this number that works.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn revoke_key(&self, id: i64, now: i64) -> Result<bool, StoreError> {
        on!(self, store => store.revoke_key(id, now))
    }

    /// Records when keys were last used.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn set_used(&self, used: &BTreeMap<i64, i64>) -> Result<(), StoreError> {
        on!(self, store => store.set_used(used))
    }

    /// All keys, also those revoked.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn keys(&self) -> Result<Vec<KeyRow>, StoreError> {
        on!(self, store => store.keys())
    }

    /// Keeps a sign-in, with a store in a database, and forgets those that have ended at `now` (milliseconds since 1970). A file has one
    /// server, which holds them in memory.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn insert_sign_in(&self, sign_in: &SignIn, now: i64) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Sqlite(_) => Ok(()),
            Kind::Postgres(store) => store.insert_sign_in(sign_in, now),
        }
    }

    /// Forgets the one with this hash.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_sign_in(&self, hash: &[u8; 32]) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Sqlite(_) => Ok(()),
            Kind::Postgres(store) => store.forget_sign_in(hash),
        }
    }

    /// Forgets those that have ended at `now` (milliseconds since 1970).
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget_sign_ins_until(&self, now: i64) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Sqlite(_) => Ok(()),
            Kind::Postgres(store) => store.forget_sign_ins_until(now),
        }
    }

    /// The sign-ins; `None` if the store does not keep them.
    ///
    /// # Errors
    /// If the store cannot be read, or a row is damaged.
    pub fn sign_ins(&self) -> Result<Option<Vec<SignIn>>, StoreError> {
        match &self.0 {
            Kind::Sqlite(_) => Ok(None),
            Kind::Postgres(store) => store.sign_ins().map(Some),
        }
    }

    /// A number that changes whenever another process changes the store.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        on!(self, store => store.data_version())
    }
}
