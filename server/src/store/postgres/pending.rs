//! The pending writes of a transaction.

use std::collections::{BTreeMap, BTreeSet};

use tokio_postgres::types::ToSql;

use super::session::{Command, Value};
use crate::ids::{NameHash, UnitHash};
use crate::store::rows::{EventRow, MarksRow, ShownRow, StateRow};

/// The change of a row: first it is deleted, then one is inserted.
#[derive(Debug)]
pub(super) struct Change<T> {
    pub(super) is_deleted: bool,
    pub(super) inserted: Option<T>,
}

impl<T> Default for Change<T> {
    fn default() -> Self {
        Self { is_deleted: false, inserted: None }
    }
}

impl<T> Change<T> {
    pub(super) fn delete(&mut self) {
        *self = Self { is_deleted: true, inserted: None };
    }

    pub(super) fn insert(&mut self, row: T) {
        self.inserted = Some(row);
    }
}

/// Rows of a table that change, by experiment and key.
pub(super) type Changes<K, T> = BTreeMap<(u32, K), Change<T>>;

/// A number that a unit or a name has, and the checksum of its row.
pub(super) type Numbered = (i64, i64);

/// All that is kept until the commit.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Commands on other rows than those below, in order; sent first.
    pub(super) commands: Vec<Command>,
    /// Experiments that are written.
    pub(super) experiments_touched: BTreeSet<u32>,
    /// Those that are new.
    pub(super) experiments_begun: BTreeSet<u32>,
    pub(super) events: Vec<(u32, EventRow)>,
    /// Documents, and whether the row is new.
    pub(super) shown_rows: BTreeMap<(u32, u64), (ShownRow, bool)>,
    pub(super) units: Changes<UnitHash, Numbered>,
    pub(super) marks: Changes<u64, MarksRow>,
    /// Keyed by experiment, unit and hash.
    pub(super) names: BTreeMap<(u32, u64, NameHash), Numbered>,
    /// States of units, and the snapshot from which on earlier ones are needed.
    pub(super) states: Vec<(u32, StateRow, i64)>,
}

impl Pending {
    /// The last event and the number of events of each experiment with pending ones.
    pub(super) fn logs(&self) -> BTreeMap<u32, (i64, i64)> {
        let mut logs = BTreeMap::new();
        for (experiment, event) in &self.events {
            let (last, written) = logs.entry(*experiment).or_insert((event.n, 0));
            *last = event.n.max(*last);
            *written += 1;
        }
        logs
    }

    /// Forgets the pending writes of a deleted experiment.
    pub(super) fn forget(&mut self, experiment: u32) {
        self.shown_rows.retain(|(of, _), _| *of != experiment);
        self.units.retain(|(of, _), _| *of != experiment);
        self.marks.retain(|(of, _), _| *of != experiment);
        self.names.retain(|(of, _, _), _| *of != experiment);
        self.states.retain(|(of, _, _)| *of != experiment);
        self.experiments_touched.remove(&experiment);
    }

    /// The statements, in an order in which they can be carried out.
    pub(super) fn into_commands(self) -> Vec<Command> {
        let Self {
            mut commands,
            experiments_touched: _,
            experiments_begun: _,
            events,
            shown_rows: shown,
            units,
            marks,
            names,
            states,
        } = self;
        let (deleted_rows, inserted_rows) = split(units);
        commands.extend(command(
            include_str!("sql/rows/delete_units.sql"),
            &deleted_rows,
            [&|rows| column(rows, |(experiment, _)| *experiment as i32), &|rows| {
                column(rows, |(_, hash): &(u32, UnitHash)| hash.to_vec())
            }],
        ));
        commands.extend(command(
            include_str!("sql/rows/insert_units.sql"),
            &inserted_rows,
            [
                &|rows| column(rows, |((experiment, _), _)| *experiment as i32),
                &|rows| column(rows, |((_, hash), _): &((u32, UnitHash), Numbered)| hash.to_vec()),
                &|rows| column(rows, |(_, (number, _))| *number),
                &|rows| column(rows, |(_, (_, sum))| *sum),
            ],
        ));
        let (deleted_rows, inserted_rows) = split(marks);
        commands.extend(command(
            include_str!("sql/rows/delete_marks.sql"),
            &deleted_rows,
            [&|rows| column(rows, |(experiment, _)| *experiment as i32), &|rows| {
                column(rows, |(_, impression): &(u32, u64)| *impression as i64)
            }],
        ));
        commands.extend(command(
            include_str!("sql/rows/insert_marks.sql"),
            &inserted_rows,
            [
                &|rows| column(rows, |((experiment, _), _)| *experiment as i32),
                &|rows| column(rows, |(_, row): &((u32, u64), MarksRow)| row.impression),
                &|rows| column(rows, |(_, row)| row.time),
                &|rows| column(rows, |(_, row)| row.hashes[0]),
                &|rows| column(rows, |(_, row)| row.hashes[1]),
                &|rows| column(rows, |(_, row)| row.hashes[2]),
                &|rows| column(rows, |(_, row)| row.sum),
            ],
        ));
        let (inserted_rows, updated_rows): (Vec<_>, Vec<_>) = shown.into_iter().partition(|(_, (_, is_new))| *is_new);
        for (sql, rows) in [
            (include_str!("sql/rows/insert_shown.sql"), inserted_rows),
            (include_str!("sql/rows/update_shown.sql"), updated_rows),
        ] {
            commands.extend(command(
                sql,
                &rows,
                [
                    &|rows| column(rows, |((experiment, _), _)| *experiment as i32),
                    &|rows| column(rows, |((_, impression), _)| *impression as i64),
                    &|rows| column(rows, |(_, (row, _)): &((u32, u64), (ShownRow, bool))| row.ids.clone()),
                    &|rows| column(rows, |(_, (row, _))| row.displayed.clone()),
                    &|rows| column(rows, |(_, (row, _))| row.request),
                    &|rows| column(rows, |(_, (row, _))| row.sum),
                ],
            ));
        }
        let names: Vec<_> = names.into_iter().collect();
        commands.extend(command(
            include_str!("sql/rows/insert_converted.sql"),
            &names,
            [
                &|rows| column(rows, |((experiment, _, _), _)| *experiment as i32),
                &|rows| column(rows, |((_, unit, _), _): &((u32, u64, NameHash), Numbered)| *unit as i64),
                &|rows| column(rows, |((_, _, hash), _)| hash.to_vec()),
                &|rows| column(rows, |(_, (number, _))| *number),
                &|rows| column(rows, |(_, (_, sum))| *sum),
            ],
        ));
        commands.extend(command(
            include_str!("sql/rows/insert_states.sql"),
            &states,
            [
                &|rows| column(rows, |(experiment, _, _)| *experiment as i32),
                &|rows| column(rows, |(_, row, _): &(u32, StateRow, i64)| row.number),
                &|rows| column(rows, |(_, row, _)| row.n),
                &|rows| column(rows, |(_, row, _)| row.seen),
                &|rows| column(rows, |(_, row, _)| row.body.clone()),
                &|rows| column(rows, |(_, row, _)| row.sum),
            ],
        ));
        commands.extend(command(
            include_str!("sql/rows/delete_states.sql"),
            &states,
            [
                &|rows| column(rows, |(experiment, _, _)| *experiment as i32),
                &|rows| column(rows, |(_, row, _): &(u32, StateRow, i64)| row.number),
                &|rows| column(rows, |(_, _, base)| *base),
            ],
        ));
        commands.extend(command(
            include_str!("sql/rows/insert_events.sql"),
            &events,
            [
                &|rows| column(rows, |(experiment, _)| *experiment as i32),
                &|rows| column(rows, |(_, row): &(u32, EventRow)| row.n),
                &|rows| column(rows, |(_, row)| i16::from(row.kind)),
                &|rows| column(rows, |(_, row)| row.impression),
                &|rows| column(rows, |(_, row)| row.body.clone()),
                &|rows| column(rows, |(_, row)| row.sum),
            ],
        ));
        commands
    }
}

/// A parameter with a value per row.
fn column<R, T: ToSql + Sync + Send + 'static>(rows: &[R], of: impl Fn(&R) -> T) -> Value {
    Box::new(rows.iter().map(of).collect::<Vec<T>>())
}

/// The functions that make each parameter of a statement from its rows.
type Columns<'a, R, const N: usize> = [&'a dyn Fn(&[R]) -> Value; N];

/// A statement for these rows; none if there are none.
fn command<R, const N: usize>(sql: &'static str, rows: &[R], columns: Columns<'_, R, N>) -> Option<Command> {
    (!rows.is_empty()).then(|| Command { sql, values: columns.iter().map(|column| column(rows)).collect() })
}

/// The keys to delete, and the rows to insert afterwards.
fn split<K: Copy, T>(changes: BTreeMap<K, Change<T>>) -> (Vec<K>, Vec<(K, T)>) {
    let old = changes.iter().filter(|(_, change)| change.is_deleted).map(|(key, _)| *key).collect();
    let new = changes.into_iter().filter_map(|(key, change)| Some((key, change.inserted?))).collect();
    (old, new)
}
