//! Empties the write-ahead log beside the writer: no user's page waits for it, and a reader in the way is waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use tokio::sync::watch;

use crate::store::{Access, Location, Store};

/// The period of retries.
const RETRY_PERIOD: Duration = Duration::from_millis(200);

/// The requests to empty the log, and those fulfilled.
#[derive(Debug)]
pub struct Truncation {
    wanted_number: Arc<AtomicU64>,
    done_number: watch::Receiver<u64>,
    wake: Sender<()>,
}

impl Truncation {
    /// Starts the thread for a store, which ends with this.
    pub(super) fn start(store: &Location) -> Self {
        let wanted_number = Arc::new(AtomicU64::new(0));
        let (done_sender, done_number) = watch::channel(0);
        let (wake, woken) = mpsc::channel();
        let (store, asked) = (store.clone(), Arc::clone(&wanted_number));
        let run = move || run(&store, &woken, &asked, &done_sender);
        if let Err(error) = std::thread::Builder::new().name("truncation".to_owned()).spawn(run) {
            tracing::error!(%error, "no thread empties the write-ahead log after a deletion");
        }
        Self { wanted_number, done_number, wake }
    }

    /// Requests that the log be emptied of everything deleted until now.
    pub fn want(&self) {
        self.wanted_number.fetch_add(1, Ordering::SeqCst);
        // Without a thread nothing is ever emptied, and callers notice that.
        let _ = self.wake.send(());
    }

    /// Waits until the log was emptied of everything deleted until now; `false` if that takes longer.
    pub async fn wait_until_done(&self, within: Duration) -> bool {
        let wanted = self.wanted_number.load(Ordering::SeqCst);
        let mut done = self.done_number.clone();
        let waited = tokio::time::timeout(within, done.wait_for(|done| *done >= wanted)).await;
        matches!(waited, Ok(Ok(_)))
    }
}

fn run(location: &Location, woken: &Receiver<()>, wanted_number: &AtomicU64, done_sender: &watch::Sender<u64>) {
    while woken.recv().is_ok() {
        let mut has_said = false;
        loop {
            let wanted = wanted_number.load(Ordering::SeqCst);
            let emptied = Store::open(location, Access::Change).and_then(|store| store.checkpoint());
            if emptied.as_ref().is_ok_and(|is_empty| *is_empty) {
                done_sender.send_replace(wanted);
                break;
            }
            if !has_said {
                has_said = true;
                tracing::warn!("deleted data stays in the write-ahead log until who reads the store has ended");
            }
            match woken.recv_timeout(RETRY_PERIOD) {
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
                Ok(()) | Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
