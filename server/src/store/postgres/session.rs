//! A connection to PostgreSQL, used by one thread that waits for each answer, as with a file.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::tls;
use crate::in_order::in_order;
use crate::store::{Access, Database, StoreError};

/// The timeout of an answer. The state of the database is unknown then, and the connection is not used again.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(8);
/// The same for commands, which read much and delay no request.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(3600);
/// The timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The database's own timeouts for a server's session: a process that was stopped between the fence and its commit must not keep others
/// from taking over, and nothing may wait longer than its caller.
const SESSION_LIMITS: [(&str, &str); 3] =
    [("idle_in_transaction_session_timeout", "3s"), ("lock_timeout", "4s"), ("statement_timeout", "7s")];

/// The schema of the tables, so that a database may have others too.
pub(super) const SCHEMA_NAME: &str = "rankduel";

/// A parameter of a statement that is kept until it is sent.
pub(crate) type Value = Box<dyn ToSql + Sync + Send>;

/// A statement that is kept until it is sent.
pub(crate) struct Command {
    pub(crate) sql: &'static str,
    pub(crate) values: Vec<Value>,
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.sql)
    }
}

/// A connection.
pub(crate) struct Session {
    client: Client,
    /// Drives the connection while a caller waits. Gone once this is dropped.
    runtime: Option<Runtime>,
    statements: RefCell<BTreeMap<String, Statement>>,
    patience: Duration,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Session(..)")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may be dropped in a request that was given up, where waiting is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Session {
    pub(crate) fn connect(database: &Database, access: Access) -> Result<Self, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| StoreError::Io(format!("no thread for the database: {error}")))?;
        let (mut config, roots) = database.config()?;
        let mut options = config.get_options().unwrap_or_default().to_owned();
        options += &format!(" -c search_path={SCHEMA_NAME}");
        let limits = if access == Access::Serve { &SESSION_LIMITS[..] } else { &[] };
        for (name, value) in limits {
            options += &format!(" -c {name}={value}");
        }
        config.options(options.trim());
        config.connect_timeout(CONNECT_TIMEOUT).tcp_user_timeout(ANSWER_TIMEOUT);
        config.keepalives_idle(ANSWER_TIMEOUT).keepalives_interval(Duration::from_secs(2)).keepalives_retries(3);
        if config.get_application_name().is_none() {
            config.application_name("rankduel-server");
        }
        let failed = |why: String| StoreError::Unreachable { database: database.to_string(), why };
        let connected =
            runtime.block_on(async { timeout(CONNECT_TIMEOUT * 2, tls::connect(&config, roots.as_deref())).await });
        let (client, driver) = connected.map_err(|_| failed("no answer".to_owned()))?.map_err(failed)?;
        runtime.spawn(driver);
        let patience = if access == Access::Serve { ANSWER_TIMEOUT } else { COMMAND_TIMEOUT };
        let session = Self { client, runtime: Some(runtime), statements: RefCell::default(), patience };
        session.check(database, limits)?;
        Ok(session)
    }

    /// Refuses a database that may lose committed data, and a pooler that gives each transaction another session.
    fn check(&self, database: &Database, limits: &[(&str, &str)]) -> Result<(), StoreError> {
        let row = self.one(
            "SELECT current_setting('search_path'), current_setting('synchronous_commit'), current_setting('fsync')",
            &[],
        )?;
        let (path, commit, sync): (String, String, String) = (row.get(0), row.get(1), row.get(2));
        let database = || database.to_string();
        let mut is_pooled = path != SCHEMA_NAME;
        for (name, value) in limits {
            is_pooled |= self.one("SELECT current_setting($1)", &[name])?.get::<_, String>(0) != *value;
        }
        if is_pooled {
            return Err(StoreError::Pooled(database()));
        }
        if !matches!(commit.as_str(), "on" | "remote_apply") || sync != "on" {
            return Err(StoreError::Careless { database: database(), commit, sync });
        }
        Ok(())
    }

    /// Waits for an answer.
    fn wait<T>(&self, answer: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, StoreError> {
        let Some(runtime) = &self.runtime else { return Err(StoreError::Postgres("it is closed".to_owned())) };
        let answered = runtime.block_on(async { timeout(self.patience, answer).await });
        match answered {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(StoreError::Postgres(format!("no answer within {} s", self.patience.as_secs()))),
        }
    }

    /// A statement, prepared at its first use.
    fn statement(&self, sql: &str) -> Result<Statement, StoreError> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let statement = self.wait(self.client.prepare(sql))?;
        self.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// The rows that a statement has.
    pub(crate) fn rows(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, StoreError> {
        let statement = self.statement(sql)?;
        self.wait(self.client.query(&statement, values))
    }

    /// The same for a statement with columns that may change between calls.
    pub(super) fn rows_once(&self, sql: &str) -> Result<Vec<Row>, StoreError> {
        self.wait(self.client.query(sql, &[]))
    }

    /// The row that a statement has, if it has one.
    pub(super) fn row(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Option<Row>, StoreError> {
        let statement = self.statement(sql)?;
        self.wait(self.client.query_opt(&statement, values))
    }

    /// The row of a statement that always has one.
    pub(crate) fn one(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Row, StoreError> {
        let statement = self.statement(sql)?;
        self.wait(self.client.query_one(&statement, values))
    }

    /// Executes a statement; returns the number of changed rows.
    pub(crate) fn execute(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<u64, StoreError> {
        let statement = self.statement(sql)?;
        self.wait(self.client.execute(&statement, values))
    }

    /// Carries out commands without parameters.
    pub(crate) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.wait(self.client.batch_execute(sql))
    }

    /// Begins a transaction, and asks in it, with one wait.
    pub(crate) fn begin_with(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Row, StoreError> {
        let statement = self.statement(sql)?;
        self.wait(async {
            let begun = self.client.batch_execute("BEGIN");
            let (begun, row) = tokio::join!(biased; begun, self.client.query_one(&statement, values));
            begun?;
            row
        })
    }

    /// Carries out commands and commits, with one wait. If any fails, nothing is committed.
    pub(crate) fn commit_with(&self, commands: Vec<Command>) -> Result<(), StoreError> {
        let statements: Vec<Statement> =
            commands.iter().map(|command| self.statement(command.sql)).collect::<Result<_, _>>()?;
        let client = &self.client;
        type Sent<'a> = Pin<Box<dyn Future<Output = Result<(), tokio_postgres::Error>> + 'a>>;
        let mut sent_commands: Vec<Sent<'_>> = Vec::with_capacity(commands.len() + 1);
        for (command, statement) in commands.into_iter().zip(&statements) {
            sent_commands.push(Box::pin(async move { client.execute_raw(statement, command.values).await.map(drop) }));
        }
        // After a failure, the database turns this into a rollback, and the failure is returned.
        sent_commands.push(Box::pin(client.batch_execute("COMMIT")));
        // Each is sent when it is first polled.
        self.wait(async { in_order(sent_commands).await.into_iter().collect() })
    }
}
