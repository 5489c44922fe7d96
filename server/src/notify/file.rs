//! Messages in a file of their own.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::json;

use super::deliveries::{Body, Delivery, DueMessage, MAX_KEPT_DELIVERIES, News, QueueError, ReportedStates, all_news};
use super::messages::{ExperimentLook, ReportedState};

/// The version of the file's format. The first one lacks the rankers that harm a segment.
const FORMAT: u32 = 2;

/// The file.
#[derive(Debug)]
pub struct FileQueue {
    connection: Connection,
    path: String,
    /// The time when the file was made, in milliseconds since 1970: earlier events make no message.
    since: i64,
}

impl FileQueue {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// If it cannot be used, or is of another version.
    pub fn open(path: &Path, now: i64) -> Result<Self, QueueError> {
        let name = path.display().to_string();
        let failed = |error| QueueError::File(name.clone(), error);
        let connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(Duration::from_secs(5)).map_err(failed)?;
        let format = connection.query_row("pragma user_version", [], |row| row.get(0)).map_err(failed)?;
        // A file without tables has none.
        if format > FORMAT {
            return Err(QueueError::Format { file: name, found: format, known: FORMAT });
        }
        let made = || -> rusqlite::Result<i64> {
            connection.pragma_update(None, "journal_mode", "wal")?;
            connection.pragma_update(None, "synchronous", "full")?;
            connection.execute_batch(
                "create table if not exists made (at integer not null);
                 create table if not exists known (
                   experiment text primary key, created integer not null, changes integer not null, alarms integer not null,
                   raises integer not null, standing text not null, harmful text not null) without rowid;
                 create table if not exists message (
                   id integer primary key autoincrement, experiment text not null, time integer not null, kind text not null,
                   body text not null, failures integer not null default 0, next integer not null, delivered integer,
                   why text not null default '');
                 create index if not exists waiting on message (experiment, id) where delivered is null;",
            )?;
            if !has_column(&connection, "known", "harmful")? {
                connection.execute_batch("alter table known add column harmful text not null default '[]'")?;
            }
            connection.execute("insert into made select ?1 where not exists (select 1 from made)", params![now])?;
            connection.pragma_update(None, "user_version", FORMAT)?;
            connection.query_row("select at from made", [], |row| row.get(0))
        };
        let since = made().map_err(failed)?;
        Ok(Self { connection, path: name, since })
    }

    fn failed(&self) -> impl Fn(rusqlite::Error) -> QueueError + use<> {
        let path = self.path.clone();
        move |error| QueueError::File(path.clone(), error)
    }

    /// Adds the news of experiments, and notes that they were added.
    ///
    /// # Errors
    /// If the file cannot be written; then nothing is noted.
    pub fn note(&mut self, looks: Vec<ExperimentLook>, now: i64) -> Result<(), QueueError> {
        let failed = self.failed();
        let (since, connection) = (self.since, &mut self.connection);
        let mut reported_states = ReportedStates::new();
        {
            let mut all = connection
                .prepare_cached("select experiment, created, changes, alarms, raises, standing, harmful from known")
                .map_err(&failed)?;
            let rows = all.query_map([], |row| {
                let reported_state = ReportedState {
                    changes: row.get::<_, i64>(2)? as usize,
                    alarms: row.get::<_, i64>(3)? as usize,
                    raises: row.get::<_, i64>(4)? as usize,
                    standing: row.get(5)?,
                    harmful: serde_json::from_str(&row.get::<_, String>(6)?).unwrap_or_default(),
                };
                Ok((row.get(0)?, (row.get(1)?, reported_state)))
            });
            for row in rows.map_err(&failed)? {
                let (name, reported_state) = row.map_err(&failed)?;
                reported_states.insert(name, reported_state);
            }
        }
        let news = all_news(&reported_states, since, looks, now);
        if news.is_empty() {
            return Ok(());
        }
        let transaction = connection.transaction().map_err(&failed)?;
        for News { experiment, created, messages, known: reported_states } in news {
            for Body { time, kind, text } in messages {
                transaction
                    .execute(
                        "insert into message (experiment, time, kind, body, next) values (?1, ?2, ?3, ?4, ?5)",
                        params![experiment, time, kind, text, now],
                    )
                    .map_err(&failed)?;
            }
            transaction
                .execute(
                    "insert or replace into known values (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    params![
                        experiment,
                        created,
                        reported_states.changes as i64,
                        reported_states.alarms as i64,
                        reported_states.raises as i64,
                        reported_states.standing,
                        json!(reported_states.harmful).to_string()
                    ],
                )
                .map_err(&failed)?;
        }
        transaction.commit().map_err(&failed)
    }

    /// The oldest message of each experiment that waits, if its time has come.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn due(&self, now: i64) -> Result<Vec<DueMessage>, QueueError> {
        let failed = self.failed();
        let mut messages = self
            .connection
            .prepare_cached(
                "select id, experiment, kind, body, failures, next from message
                 where id in (select min(id) from message where delivered is null group by experiment) and next <= ?1
                 order by id",
            )
            .map_err(&failed)?;
        let rows = messages.query_map(params![now], |row| {
            Ok(DueMessage {
                id: row.get(0)?,
                experiment: row.get(1)?,
                kind: row.get(2)?,
                body: row.get(3)?,
                attempts: row.get(4)?,
                next: row.get(5)?,
            })
        });
        rows.map_err(&failed)?.collect::<Result<_, _>>().map_err(&failed)
    }

    /// Notes the answer of a receiver.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn sent(&mut self, message: &DueMessage, answer: Result<(), String>, now: i64) -> Result<(), QueueError> {
        let failed = self.failed();
        match answer {
            Ok(()) => {
                let transaction = self.connection.transaction().map_err(&failed)?;
                transaction
                    .execute("update message set delivered = ?2 where id = ?1", params![message.id, now])
                    .map_err(&failed)?;
                transaction
                    .execute(
                        "delete from message where experiment = ?1 and delivered is not null and id <= (
                           select id from message where experiment = ?1 and delivered is not null order by id desc
                           limit 1 offset ?2)",
                        params![message.experiment, MAX_KEPT_DELIVERIES],
                    )
                    .map_err(&failed)?;
                transaction.commit().map_err(&failed)
            }
            Err(why) => self
                .connection
                .execute(
                    "update message set failures = failures + 1, next = ?2, why = ?3 where id = ?1",
                    params![message.id, now.saturating_add(message.pause()), why],
                )
                .map(|_| ())
                .map_err(&failed),
        }
    }

    /// The number of waiting messages.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn pending(&self) -> Result<u64, QueueError> {
        let failed = self.failed();
        let found = self
            .connection
            .query_row("select count(*) from message where delivered is null", [], |row| row.get::<_, i64>(0))
            .optional();
        Ok(found.map_err(&failed)?.unwrap_or(0).unsigned_abs())
    }

    /// The last messages of an experiment, the newest first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn deliveries(&self, experiment: &str, max_rows: usize) -> Result<Vec<Delivery>, QueueError> {
        let failed = self.failed();
        let mut deliveries = self
            .connection
            .prepare_cached(
                "select id, time, kind, delivered, failures, why from message where experiment = ?1 order by id desc limit ?2",
            )
            .map_err(&failed)?;
        let rows = deliveries.query_map(params![experiment, max_rows as i64], |row| {
            Ok(Delivery {
                id: row.get(0)?,
                time: row.get(1)?,
                kind: row.get(2)?,
                delivered: row.get(3)?,
                failures: row.get(4)?,
                why: row.get(5)?,
            })
        });
        rows.map_err(&failed)?.collect::<Result<_, _>>().map_err(&failed)
    }
}

fn has_column(connection: &Connection, table: &str, column: &str) -> rusqlite::Result<bool> {
    let sql = "select count(*) from pragma_table_info(?1) where name = ?2";
    Ok(connection.query_row(sql, [table, column], |row| row.get::<_, i64>(0))? > 0)
}

#[cfg(test)]
mod tests {
    use traffic::{Change, State};

    use super::*;

    fn seen(name: &str, created: i64, changes: usize) -> ExperimentLook {
        let change = |at: usize| Change {
            time: created + at as i64,
            state: State::Paused,
            who: "ann".into(),
            why: String::new(),
        };
        ExperimentLook {
            name: name.to_owned(),
            created: Some(created),
            rankers: vec![],
            changes: (0..changes).map(change).collect(),
            alarms: vec![],
            raises: vec![],
            standing: Some(traffic::ExperimentStatus::Waiting),
            sentence: String::new(),
            advice: String::new(),
            winner: None,
            harms: vec![],
        }
    }

    #[test]
    fn a_file_of_a_later_version_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("messages");
        drop(FileQueue::open(&path, 0).unwrap());
        let version = |set: Option<u32>| {
            let connection = Connection::open(&path).unwrap();
            set.inspect(|version| connection.pragma_update(None, "user_version", version).unwrap());
            connection.query_row("pragma user_version", [], |row| row.get::<_, u32>(0)).unwrap()
        };
        assert_eq!(version(None), FORMAT);
        version(Some(FORMAT + 1));
        let error = FileQueue::open(&path, 0).unwrap_err().to_string();
        assert!(error.contains("has format 3; expected 2"), "{error}");
        assert_eq!(version(None), FORMAT + 1);
    }

    #[test]
    fn a_file_of_the_first_version_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("messages");
        let mut queue = FileQueue::open(&path, 100).unwrap();
        queue.note(vec![seen("a", 200, 1)], 300).unwrap();
        drop(queue);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("alter table known drop column harmful; pragma user_version = 1").unwrap();
        drop(connection);
        let mut queue = FileQueue::open(&path, 400).unwrap();
        queue.note(vec![seen("a", 200, 2)], 500).unwrap();
        assert_eq!(queue.deliveries("a", 9).unwrap().len(), 2, "what was said is not said again");
    }

    #[test]
    fn messages_survive_and_come_in_order_for_each_experiment() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        let mut queue = FileQueue::open(&path, 100).unwrap();
        // Made before the file: what happened until now is known, and later events are new.
        queue.note(vec![seen("old", 50, 3), seen("a", 200, 2), seen("b", 200, 1)], 300).unwrap();
        let ids = |queue: &FileQueue, now| -> Vec<(i64, String)> {
            queue.due(now).unwrap().into_iter().map(|due| (due.id, due.experiment)).collect()
        };
        assert_eq!(ids(&queue, 300), [(1, "a".to_owned()), (3, "b".to_owned())]);
        queue.note(vec![seen("old", 50, 4)], 400).unwrap();
        assert_eq!(queue.pending().unwrap(), 4);
        let first = queue.due(400).unwrap().remove(0);
        queue.sent(&first, Err("500".to_owned()), 400).unwrap();
        drop(queue);
        let mut queue = FileQueue::open(&path, 9_999).unwrap();
        // The second of `a` waits for the first, which is sent again later.
        assert_eq!(ids(&queue, 500), [(3, "b".to_owned()), (4, "old".to_owned())]);
        assert_eq!(ids(&queue, 1_400).len(), 3);
        let again = queue.due(1_400).unwrap().remove(0);
        queue.sent(&again, Err("500".to_owned()), 1_400).unwrap();
        assert_eq!((ids(&queue, 3_399).len(), ids(&queue, 3_400).len()), (2, 3));
        let last = queue.due(3_400).unwrap().remove(0);
        queue.sent(&last, Ok(()), 3_400).unwrap();
        assert_eq!(ids(&queue, 3_400)[0], (2, "a".to_owned()));
        let told = queue.deliveries("a", 9).unwrap();
        assert_eq!((told[1].failures, told[1].delivered, &*told[1].why), (2, Some(3_400), "500"));
        // Nothing is reported twice, and an experiment that was made again begins from nothing.
        queue.note(vec![seen("a", 200, 2)], 5_000).unwrap();
        assert_eq!(queue.pending().unwrap(), 3);
        queue.note(vec![seen("a", 6_000, 1)], 7_000).unwrap();
        assert_eq!(queue.pending().unwrap(), 4);
    }

    #[test]
    fn old_deliveries_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let mut queue = FileQueue::open(&folder.path().join("m"), 0).unwrap();
        queue.note(vec![seen("a", 1, 150)], 2).unwrap();
        while let Some(due) = queue.due(2).unwrap().pop() {
            queue.sent(&due, Ok(()), 2).unwrap();
        }
        assert_eq!(queue.deliveries("a", 1_000).unwrap().len(), MAX_KEPT_DELIVERIES as usize);
    }
}
