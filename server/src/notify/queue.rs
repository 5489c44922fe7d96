//! Where messages are kept: in a file beside the store, or in its database.

use std::path::Path;
use std::sync::Arc;

use super::database::DatabaseQueue;
use super::deliveries::{Delivery, DueMessage, QueueError};
use super::file::FileQueue;
use super::messages::ExperimentLook;
use crate::store::Node;

/// Where messages are kept.
#[derive(Debug)]
pub enum QueueStore<'a> {
    /// In a file of this name.
    File(&'a Path),
    /// In the database that this server shares with others.
    Database(Arc<Node>),
}

/// The messages of a store.
#[derive(Debug)]
pub enum Queue {
    /// In a file.
    File(FileQueue),
    /// In a database.
    Database(DatabaseQueue),
}

/// Does the same with either.
macro_rules! on {
    ($queue:expr, $kept:ident => $what:expr) => {
        match $queue {
            Queue::File($kept) => $what,
            Queue::Database($kept) => $what,
        }
    };
}

impl Queue {
    /// Opens them, or makes a place for them; `now` is in milliseconds since 1970.
    ///
    /// # Errors
    /// If it cannot be used, or is of another version.
    pub fn open(place: QueueStore<'_>, now: i64) -> Result<Self, QueueError> {
        Ok(match place {
            QueueStore::File(path) => Self::File(FileQueue::open(path, now)?),
            QueueStore::Database(node) => Self::Database(DatabaseQueue::open(node, now)?),
        })
    }

    /// Adds the news of experiments, and notes that they were added. In a database, only the server that leads does so.
    ///
    /// # Errors
    /// If it cannot be written; then nothing is noted.
    pub fn note(&mut self, seen: Vec<ExperimentLook>, now: i64) -> Result<(), QueueError> {
        on!(self, kept => kept.note(seen, now))
    }

    /// The oldest message of each experiment that waits, if its time has come.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn due(&mut self, now: i64) -> Result<Vec<DueMessage>, QueueError> {
        on!(self, kept => kept.due(now))
    }

    /// Whether this server is to send a message now: no other one does for the time that a receiver may take.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn claim(&mut self, message: &DueMessage, now: i64) -> Result<bool, QueueError> {
        match self {
            // It has one server.
            Self::File(_) => Ok(true),
            Self::Database(kept) => kept.claim(message, now),
        }
    }

    /// Notes the answer of a receiver.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn sent(&mut self, message: &DueMessage, answer: Result<(), String>, now: i64) -> Result<(), QueueError> {
        on!(self, kept => kept.sent(message, answer, now))
    }

    /// The number of waiting messages.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn pending(&mut self) -> Result<u64, QueueError> {
        on!(self, kept => kept.pending())
    }

    /// The last messages of an experiment, the newest first.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn deliveries(&mut self, experiment: &str, most: usize) -> Result<Vec<Delivery>, QueueError> {
        on!(self, kept => kept.deliveries(experiment, most))
    }
}
