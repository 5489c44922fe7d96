//! A node: one of the servers with the store open. One node leads.
//!
//! Each node has a lease: a row with its expiry, by the clock of the database. One leads, and alone folds and writes. If its lease is over,
//! or it gave it back, the first node to see that takes over: one transaction begins the next epoch, in which it alone may write. A leader
//! that was stopped meanwhile may find out late: its commits are refused (`sql/nodes/fence.sql`), so no answer of it is wrong. Leases only
//! decide when another node may try.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::open::NODES_SECRET;
use super::session::Session;
use crate::ids;
use crate::store::{Access, Database, StoreError};

/// The duration of a lease, and the period of its renewal.
const LEASE_DURATION: Duration = Duration::from_secs(10);
const RENEWAL_PERIOD: Duration = Duration::from_secs(3);
/// The period at which a node looks up the leader.
const LOOK_PERIOD: Duration = Duration::from_millis(200);

/// The role of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It folds and writes, in this epoch.
    Leads(i64),
    /// Another one does.
    Follows,
    /// The leader's lease is over, and none has taken over yet.
    Waits,
    /// The database cannot be asked.
    Unconnected,
}

/// A node, as the others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRow {
    /// Its name: each start has another.
    pub node: String,
    /// Where others reach it, such as `10.0.0.7:7077`; empty if none does.
    pub address: String,
    /// Whether its lease holds.
    pub is_alive: bool,
    /// Whether it leads.
    pub leads: bool,
}

/// This server among the nodes of a store.
#[derive(Debug)]
pub struct Node {
    state: Arc<State>,
    wake: Mutex<Option<Sender<()>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct State {
    name: String,
    secret: String,
    address: String,
    database: Database,
    /// The epoch in which this node leads; 0 if it does not.
    epoch: AtomicI64,
    /// The highest epoch that this node has seen.
    epoch_seen: AtomicI64,
    /// All nodes, as they were when the database was last asked.
    nodes: Mutex<Vec<NodeRow>>,
    is_connected: AtomicBool,
    /// Whether this node no longer wants to lead.
    gives_up: AtomicBool,
    /// The number of times this node began to lead.
    epoch_taken: AtomicI64,
    /// The expiry of the lease, counted from before the request.
    lease_end: Mutex<Option<Instant>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Node {
    /// Joins the nodes of a store with existing tables; others reach this one at `address`.
    ///
    /// # Errors
    /// If the database cannot be asked, or there is no thread to be had.
    pub fn join(database: &Database, address: String) -> Result<Self, StoreError> {
        let session = Session::connect(database, Access::Serve)?;
        let secret: Vec<u8> = session.one("SELECT value FROM meta WHERE name = $1", &[&NODES_SECRET])?.get(0);
        let state = Arc::new(State {
            secret: ids::encode(&secret),
            name: ids::encode(&crate::store::random()?.to_le_bytes()),
            address,
            database: database.clone(),
            epoch: AtomicI64::new(0),
            epoch_seen: AtomicI64::new(0),
            nodes: Mutex::default(),
            is_connected: AtomicBool::new(true),
            gives_up: AtomicBool::new(false),
            epoch_taken: AtomicI64::new(0),
            lease_end: Mutex::default(),
        });
        let mut member = Member { state: Arc::clone(&state), session: Some(session), last_renewal: None };
        member.step()?;
        let (wake, woken) = mpsc::channel::<()>();
        let spawn_result = std::thread::Builder::new().name("node".to_owned()).spawn(move || {
            while woken.recv_timeout(LOOK_PERIOD) == Err(RecvTimeoutError::Timeout) {
                member.look();
            }
            member.leave();
        });
        let thread = spawn_result.map_err(|error| StoreError::Io(format!("no thread for the lease: {error}")))?;
        Ok(Self { state, wake: Mutex::new(Some(wake)), thread: Mutex::new(Some(thread)) })
    }

    /// The name of this node.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.state.name
    }

    /// The database of the store.
    pub(crate) fn database(&self) -> &Database {
        &self.state.database
    }

    /// The secret that only the nodes of the store share.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.state.secret
    }

    /// Its role.
    #[must_use]
    pub fn role(&self) -> Role {
        match self.state.epoch.load(Ordering::SeqCst) {
            0 if !self.state.is_connected.load(Ordering::SeqCst) => Role::Unconnected,
            0 if self.leader().is_some() => Role::Follows,
            0 => Role::Waits,
            epoch => Role::Leads(epoch),
        }
    }

    /// The epoch in which this node leads.
    #[must_use]
    pub fn epoch(&self) -> Option<i64> {
        Some(self.state.epoch.load(Ordering::SeqCst)).filter(|epoch| *epoch > 0)
    }

    /// All nodes, as they were a moment ago.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeRow> {
        locked(&self.state.nodes).clone()
    }

    /// Another node that leads.
    #[must_use]
    pub fn leader(&self) -> Option<NodeRow> {
        let nodes = locked(&self.state.nodes);
        nodes.iter().find(|node| node.leads && node.is_alive && node.node != self.state.name).cloned()
    }

    /// The number of times this node began to lead.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.state.epoch_taken.load(Ordering::SeqCst) as u64
    }

    /// Whether its lease holds, as far as this node can see.
    #[must_use]
    pub fn has_lease(&self) -> bool {
        locked(&self.state.lease_end).is_some_and(|until| Instant::now() < until)
    }

    /// Notes that a commit in this epoch was refused.
    pub fn note_fenced(&self, epoch: i64) {
        let _ = self.state.epoch.compare_exchange(epoch, 0, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Stops leading, so that another node takes over. This one must not write anything afterwards.
    pub fn leave(&self) {
        self.state.gives_up.store(true, Ordering::SeqCst);
        drop(locked(&self.wake).take());
        if let Some(thread) = locked(&self.thread).take() {
            // A panic was reported already; the lease ends by itself.
            let _ = thread.join();
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The thread's part.
struct Member {
    state: Arc<State>,
    session: Option<Session>,
    /// When the lease was last renewed.
    last_renewal: Option<Instant>,
}

impl Member {
    fn look(&mut self) {
        let looked = self.step();
        self.state.is_connected.store(looked.is_ok(), Ordering::SeqCst);
        if let Err(error) = looked {
            tracing::warn!(%error, "the lease could not be looked after");
            self.session = None;
            // Others may lead by now; commits would be refused if the database could be reached.
            if locked(&self.state.lease_end).is_none_or(|until| Instant::now() >= until) {
                self.follow();
            }
        }
    }

    fn step(&mut self) -> Result<(), StoreError> {
        if self.session.is_none() {
            self.session = Some(Session::connect(&self.state.database, Access::Serve)?);
        }
        let Some(session) = &self.session else { return Ok(()) };
        let State { name, address, .. } = &*self.state;
        if self.last_renewal.is_none_or(|renewed| renewed.elapsed() >= RENEWAL_PERIOD) {
            // From before the request: the database counts from later on.
            let asked = Instant::now();
            session.execute(include_str!("sql/nodes/renew.sql"), &[name, address, &LEASE_DURATION.as_secs_f64()])?;
            self.last_renewal = Some(asked);
            *locked(&self.state.lease_end) = Some(asked + LEASE_DURATION);
        }
        let (nodes, epoch) = self.nodes(session)?;
        let epoch_seen = self.state.epoch_seen.fetch_max(epoch, Ordering::SeqCst);
        let mine = nodes.iter().find(|node| node.leads).map(|leader| (leader.node == *name, leader.is_alive));
        *locked(&self.state.nodes) = nodes;
        match mine {
            Some((true, _)) => {
                if epoch >= epoch_seen {
                    self.lead(epoch);
                } else {
                    // The database went back in time. A forgotten epoch must not be given out again.
                    tracing::error!(epoch, epoch_seen, "the database has an earlier epoch than this node has seen");
                    self.follow();
                    self.take_over()?;
                }
            }
            Some((false, true)) => self.follow(),
            Some((false, false)) | None => {
                self.follow();
                self.take_over()?;
            }
        }
        Ok(())
    }

    /// Begins to lead, unless this node no longer wants to, or another one has a lease.
    fn take_over(&self) -> Result<(), StoreError> {
        let Some(session) = self.session.as_ref().filter(|_| !self.state.gives_up.load(Ordering::SeqCst)) else {
            return Ok(());
        };
        let seen = self.state.epoch_seen.load(Ordering::SeqCst);
        if let Some(epoch) = take_over(session, &self.state.name, seen)? {
            self.lead(epoch);
            *locked(&self.state.nodes) = self.nodes(session)?.0;
        }
        Ok(())
    }

    /// All nodes, and the epoch.
    fn nodes(&self, session: &Session) -> Result<(Vec<NodeRow>, i64), StoreError> {
        let rows = session.rows(include_str!("sql/nodes/all.sql"), &[])?;
        let node = |row: &tokio_postgres::Row| NodeRow {
            node: row.get(0),
            address: row.get(1),
            is_alive: row.get(2),
            leads: row.get(3),
        };
        let epoch = rows.first().map_or(0, |row| row.get(4));
        Ok((rows.iter().map(node).collect(), epoch))
    }

    fn lead(&self, epoch: i64) {
        self.state.epoch_seen.fetch_max(epoch, Ordering::SeqCst);
        if self.state.epoch.swap(epoch, Ordering::SeqCst) != epoch {
            self.state.epoch_taken.fetch_add(1, Ordering::SeqCst);
            tracing::info!(epoch, node = self.state.name, "this node leads");
        }
    }

    fn follow(&self) {
        if self.state.epoch.swap(0, Ordering::SeqCst) != 0 {
            tracing::warn!(node = self.state.name, "this node leads no more");
        }
    }

    /// Gives the lease back.
    fn leave(&mut self) {
        let epoch = self.state.epoch.swap(0, Ordering::SeqCst);
        let name = &self.state.name;
        let Some(session) = &self.session else { return };
        let left = session
            .execute("UPDATE leader SET node = NULL WHERE node = $1 AND epoch = $2", &[name, &epoch])
            .and_then(|_| session.execute("DELETE FROM nodes WHERE node = $1", &[name]));
        if let Err(error) = left {
            tracing::warn!(%error, "the lease could not be given back; it ends by itself");
        }
    }
}

/// Begins the next epoch, which is after `seen`, unless another node has a lease; returns it.
fn take_over(session: &Session, name: &str, seen: i64) -> Result<Option<i64>, StoreError> {
    // A node about to commit holds a lock on these rows: the wait ends with that commit, or with its session.
    let row = session.begin_with(include_str!("sql/nodes/vacant.sql"), &[&name])?;
    let epoch = row.get::<_, i64>(0).max(seen) + 1;
    let taken = if row.get(1) {
        let locked = session.rows("SELECT experiment FROM heads ORDER BY experiment FOR UPDATE", &[]);
        let moved = locked.and_then(|_| session.execute("UPDATE heads SET epoch = $1", &[&epoch]));
        moved.and_then(|_| session.execute("UPDATE leader SET epoch = $1, node = $2", &[&epoch, &name])).map(|_| true)
    } else {
        Ok(false)
    };
    match taken {
        Ok(true) => session.batch("COMMIT").map(|()| Some(epoch)),
        Ok(false) => session.batch("ROLLBACK").map(|()| None),
        Err(error) => Err(error),
    }
}
