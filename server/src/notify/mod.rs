//! Webhooks: events of an experiment are posted to a URL, at least once, in order for each experiment, and again until the receiver takes
//! them.
//!
//! Events are found by looking at each experiment every few seconds (`messages`), so nothing on the path of an impression waits for this. A
//! message is kept (`queue`) together with the note that it is, in a file of its own beside the store (`file`) or in its database
//! (`database`), where the server that leads does all this; a thread of its own sends it (`send`). Neither a receiver that is down, nor one
//! that is slow, nor a restart loses or blocks anything.

mod database;
mod deliveries;
mod file;
mod messages;
mod queue;
mod send;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

pub use deliveries::{Delivery, DueMessage, QueueError};
pub use messages::{ExperimentLook, Message, ReportedState, new_messages};
pub use queue::{Queue, QueueStore};
pub use send::Target;

use crate::metrics::Metrics;
use crate::writer::{Clock, Shared};

/// The period at which the thread looks for messages to send.
const SEND_PERIOD: Duration = Duration::from_millis(200);

/// Sends messages while it lives.
#[derive(Debug)]
pub struct Notifier {
    queue: Arc<Mutex<Queue>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Notifier {
    /// Opens the messages of a store, or makes a place for them, and begins to send.
    ///
    /// # Errors
    /// If they cannot be kept there.
    pub fn start(place: QueueStore<'_>, target: Target, shared: Arc<Shared>) -> Result<Self, QueueError> {
        let queue = Arc::new(Mutex::new(Queue::open(place, shared.clock.now())?));
        let is_over = Arc::new(AtomicBool::new(false));
        let (own, over) = (Arc::clone(&queue), Arc::clone(&is_over));
        let thread = std::thread::Builder::new()
            .name("notify".to_owned())
            .spawn(move || run(&own, &target, &shared.clock, &shared.metrics, &over))
            .map_err(QueueError::Thread)?;
        Ok(Self { queue, is_over, thread: Some(thread) })
    }

    /// Adds the news of experiments; `now` is in milliseconds since 1970.
    pub fn note(&self, seen: Vec<ExperimentLook>, now: i64) {
        let noted = locked(&self.queue).note(seen, now);
        if let Err(error) = noted {
            tracing::error!(%error, "messages cannot be kept");
        }
    }

    /// The last messages of an experiment, the newest first.
    #[must_use]
    pub fn deliveries(&self, experiment: &str, most: usize) -> Vec<Delivery> {
        locked(&self.queue).deliveries(experiment, most).unwrap_or_default()
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // A panic was reported already.
            let _ = thread.join();
        }
    }
}

/// The file of messages of a store in a file.
#[must_use]
pub fn beside(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push("-messages");
    name.into()
}

fn locked(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends due messages until it is over. The queue is not locked while a receiver is waited for.
fn run(queue: &Mutex<Queue>, target: &Target, clock: &Clock, metrics: &Metrics, is_over: &AtomicBool) {
    while !is_over.load(Ordering::SeqCst) {
        let due = locked(queue).due(clock.now()).unwrap_or_default();
        for message in due {
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            match locked(queue).claim(&message, clock.now()) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) => {
                    tracing::warn!(%error, "a message cannot be sent yet");
                    continue;
                }
            }
            let answer = target.send(&message);
            metrics.messages.count(if answer.is_ok() { "delivered" } else { "failed" });
            if let Err(why) = &answer {
                tracing::warn!(
                    experiment = message.experiment,
                    kind = message.kind,
                    why,
                    "a message is not delivered yet"
                );
            }
            if let Err(error) = locked(queue).sent(&message, answer, clock.now()) {
                tracing::error!(%error, "that a message was sent cannot be kept; it is sent again");
            }
        }
        let pending = locked(queue).pending().unwrap_or(0);
        metrics.pending.set(pending);
        std::thread::sleep(SEND_PERIOD);
    }
}
