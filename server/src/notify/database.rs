//! Messages in the database of the store: the server that leads keeps and sends them, and the next one goes on with the rest.

use std::sync::Arc;

use tokio_postgres::Row;

use super::deliveries::{Body, Delivery, DueMessage, MAX_KEPT_DELIVERIES, News, QueueError, ReportedStates, all_news};
use super::messages::ExperimentLook;
use crate::store::postgres::{Command, Session};
use crate::store::{Access, Node, StoreError};

/// The time that a message in delivery by one server is kept from the others, in milliseconds: longer than a receiver may take.
const CLAIM_MILLIS: i64 = 15_000;

/// The messages of a database.
#[derive(Debug)]
pub struct DatabaseQueue {
    node: Arc<Node>,
    /// Absent after a failure, until it is needed again.
    session: Option<Session>,
    /// The time from which on messages are kept, in milliseconds since 1970: earlier events make none.
    since: i64,
}

impl DatabaseQueue {
    pub(super) fn open(node: Arc<Node>, now: i64) -> Result<Self, QueueError> {
        let mut queue = Self { node, session: None, since: now };
        queue.since = queue.ask(|session| {
            session.execute("INSERT INTO messages_since (time) VALUES ($1) ON CONFLICT DO NOTHING", &[&now])?;
            Ok(session.one("SELECT time FROM messages_since", &[])?.get(0))
        })?;
        Ok(queue)
    }

    fn ask<T>(&mut self, what: impl FnOnce(&Session) -> Result<T, StoreError>) -> Result<T, QueueError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => Session::connect(self.node.database(), Access::Serve)?,
        };
        let done = what(&session)?;
        self.session = Some(session);
        Ok(done)
    }

    /// The epoch in which this server leads, as far as it can see.
    fn epoch(&self) -> Option<i64> {
        self.node.epoch().filter(|_| self.node.has_lease())
    }

    pub(super) fn note(&mut self, seen: Vec<ExperimentLook>, now: i64) -> Result<(), QueueError> {
        let Some(epoch) = self.epoch() else { return Ok(()) };
        let since = self.since;
        self.ask(|session| {
            let known = read_known(session)?;
            let found = all_news(&known, since, seen, now);
            if found.is_empty() {
                return Ok(());
            }
            // The server that leads by now sees the same.
            if session.begin_with(include_str!("sql/fence.sql"), &[&epoch])?.get::<_, i64>(0) == 0 {
                return session.batch("ROLLBACK");
            }
            session.commit_with(found.into_iter().flat_map(|news| commands(news, now)).collect())
        })
    }

    pub(super) fn due(&mut self, now: i64) -> Result<Vec<DueMessage>, QueueError> {
        if self.epoch().is_none() {
            return Ok(vec![]);
        }
        let due = |row: &Row| DueMessage {
            id: row.get(0),
            experiment: row.get(1),
            kind: row.get(2),
            body: row.get(3),
            attempts: row.get(4),
            next: row.get(5),
        };
        self.ask(|session| Ok(session.rows(include_str!("sql/due.sql"), &[&now])?.iter().map(due).collect()))
    }

    pub(super) fn claim(&mut self, message: &DueMessage, now: i64) -> Result<bool, QueueError> {
        if self.epoch().is_none() {
            return Ok(false);
        }
        let DueMessage { id, next, .. } = message;
        let sql = "UPDATE messages SET next = $3 WHERE id = $1 AND next = $2 AND delivered IS NULL";
        self.ask(|session| Ok(session.execute(sql, &[id, next, &now.saturating_add(CLAIM_MILLIS)])? == 1))
    }

    /// Also on a server that leads no more: a received message must not be sent again.
    pub(super) fn sent(
        &mut self,
        message: &DueMessage,
        answer: Result<(), String>,
        now: i64,
    ) -> Result<(), QueueError> {
        self.ask(|session| match answer {
            Ok(()) => {
                session.execute("UPDATE messages SET delivered = $2 WHERE id = $1", &[&message.id, &now])?;
                session.execute(include_str!("sql/forget.sql"), &[&message.experiment, &MAX_KEPT_DELIVERIES]).map(drop)
            }
            Err(why) => {
                let next = now.saturating_add(message.pause());
                let sql = "UPDATE messages SET failures = failures + 1, next = $2, why = $3 WHERE id = $1 AND delivered IS NULL";
                session.execute(sql, &[&message.id, &next, &why]).map(drop)
            }
        })
    }

    pub(super) fn pending(&mut self) -> Result<u64, QueueError> {
        if self.epoch().is_none() {
            return Ok(0);
        }
        let sql = "SELECT count(*) FROM messages WHERE delivered IS NULL";
        self.ask(|session| Ok(session.one(sql, &[])?.get::<_, i64>(0).unsigned_abs()))
    }

    pub(super) fn deliveries(&mut self, experiment: &str, max_rows: usize) -> Result<Vec<Delivery>, QueueError> {
        let delivery = |row: &Row| Delivery {
            id: row.get(0),
            time: row.get(1),
            kind: row.get(2),
            delivered: row.get(3),
            failures: row.get(4),
            why: row.get(5),
        };
        let sql = "SELECT id, time, kind, delivered, failures, why FROM messages WHERE experiment = $1 ORDER BY id DESC LIMIT $2";
        let max_rows = max_rows as i64;
        self.ask(|session| Ok(session.rows(sql, &[&experiment, &max_rows])?.iter().map(delivery).collect()))
    }
}

fn read_known(session: &Session) -> Result<ReportedStates, StoreError> {
    let mut states = ReportedStates::new();
    for row in session.rows("SELECT experiment, created, known FROM messages_known", &[])? {
        let (experiment, created, known): (String, i64, String) = (row.get(0), row.get(1), row.get(2));
        let damaged = |_| {
            StoreError::Damaged(format!(
                "what was said of {experiment:?} cannot be read; delete it from messages_known"
            ))
        };
        let known = serde_json::from_str(&known).map_err(damaged)?;
        states.insert(experiment, (created, known));
    }
    Ok(states)
}

/// The commands that store the news of an experiment.
fn commands(news: News, now: i64) -> Vec<Command> {
    let News { experiment, created, messages, known } = news;
    let message = |Body { time, kind, text }: Body| Command {
        sql: "INSERT INTO messages (experiment, time, kind, body, next) VALUES ($1, $2, $3, $4, $5)",
        values: vec![Box::new(experiment.clone()), Box::new(time), Box::new(kind), Box::new(text), Box::new(now)],
    };
    let mut commands: Vec<Command> = messages.into_iter().map(message).collect();
    commands.push(Command {
        sql: include_str!("sql/set_known.sql"),
        values: vec![Box::new(experiment.clone()), Box::new(created), Box::new(serde_json::json!(known).to_string())],
    });
    commands
}
