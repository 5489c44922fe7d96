//! The page of each experiment, rendered at most once a second for all readers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use page::{Overview, Section};
use serde_json::json;
use tokio::sync::{Mutex as Turns, OwnedSemaphorePermit, Semaphore, watch};
use traffic::State;

use super::super::experiments::WRITER_PATIENCE;
use super::super::off_thread::off_thread;
use super::super::sessions::random;
use super::super::{App, Problem};
use super::overview;
use crate::jobs::{self, Glance, Snapshot};
use crate::writer::{ExperimentHandle, Transaction};

/// The most streams at a time: each holds a connection.
pub(super) const MAX_STREAMS: usize = 256;
/// The most messages that a page lists.
const MAX_DELIVERIES: usize = 12;
/// The age at which a rendering is replaced.
const MAX_RENDERING_AGE: Duration = Duration::from_secs(1);

/// A rendering.
#[derive(Debug)]
pub(super) struct Rendering {
    rendered_at: Instant,
    /// Grows with each rendering of the experiment in this process.
    pub(super) version: u64,
    /// The state of the experiment.
    pub(super) state: State,
    /// The ranker that won, if that is trusted.
    pub(super) winner: Option<String>,
    pieces: Vec<Piece>,
}

/// A part, and the message that brings it to open pages.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    part: Section,
    /// The rendering in which it last changed.
    pub(super) version: u64,
    pub(super) message: Bytes,
}

impl Rendering {
    /// The parts that are the same for all readers.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Section> {
        self.pieces.iter().map(|piece| &piece.part)
    }

    /// The pieces that changed after a version.
    pub(super) fn after(&self, version: u64) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(move |piece| piece.version > version)
    }
}

/// A part as an event of a stream.
pub(super) fn message(part: &Section) -> Bytes {
    format!("event: part\ndata: {}\n\n", json!({"part": part.id, "html": part.html})).into()
}

/// Held by the task that renders an experiment; others wait, and use its result.
type RenderingSlot = Arc<Turns<Option<Arc<Rendering>>>>;

/// All renderings.
#[derive(Debug)]
pub(super) struct Renderings {
    turns: Mutex<BTreeMap<u32, RenderingSlot>>,
    /// Those that must be made again although they are young.
    stale: Mutex<BTreeMap<u32, Instant>>,
    end_signal: watch::Sender<bool>,
    /// The streams that may still be opened.
    stream_slots: Arc<Semaphore>,
    /// Distinguishes the versions of this process from another's.
    process: String,
}

impl Default for Renderings {
    fn default() -> Self {
        Self {
            turns: Mutex::default(),
            stale: Mutex::default(),
            end_signal: watch::Sender::new(false),
            stream_slots: Arc::new(Semaphore::new(MAX_STREAMS)),
            process: random().unwrap_or_default().chars().take(8).collect(),
        }
    }
}

impl Renderings {
    /// Ends all streams.
    pub(super) fn end(&self) {
        self.end_signal.send_replace(true);
    }

    /// Learns when streams end.
    pub(super) fn ended(&self) -> watch::Receiver<bool> {
        self.end_signal.subscribe()
    }

    /// A place for one more stream.
    pub(super) fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.stream_slots).try_acquire_owned().ok()
    }

    /// A version in a name that a reader sends back.
    pub(super) fn name(&self, version: u64) -> String {
        format!("{}.{version}", self.process)
    }

    /// The version of such a name; 0, which is before all others, of any other text.
    pub(super) fn version(&self, name: &str) -> u64 {
        let found = name.split_once('.').filter(|(process, _)| *process == self.process);
        found.and_then(|(_, version)| version.parse().ok()).unwrap_or(0)
    }

    /// Makes the next look at an experiment render it, because it has just changed.
    pub(super) fn forget(&self, id: u32) {
        self.stale.lock().unwrap_or_else(PoisonError::into_inner).insert(id, Instant::now());
    }

    fn is_stale(&self, id: u32, board: &Rendering) -> bool {
        let stale = self.stale.lock().unwrap_or_else(PoisonError::into_inner);
        stale.get(&id).is_some_and(|since| board.rendered_at <= *since)
    }

    /// The page of an experiment, at most a second old.
    pub(super) async fn latest(&self, app: &App, entry: &ExperimentHandle) -> Result<Arc<Rendering>, Problem> {
        let turn = {
            let mut held = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(held.entry(entry.id).or_default())
        };
        let mut last = turn.lock().await;
        if let Some(board) = last
            .as_ref()
            .filter(|board| board.rendered_at.elapsed() < MAX_RENDERING_AGE && !self.is_stale(entry.id, board))
        {
            return Ok(Arc::clone(board));
        }
        let made = Instant::now();
        let (id, known) = (entry.id, app.verdicts.known().get(&entry.id).copied());
        let job = move |transaction: &mut Transaction<'_>| {
            let now = transaction.now;
            let awaited = transaction.awaited(id);
            jobs::snapshot_with(transaction, id, known, |experiment| Glance::of(experiment, now, awaited))
        };
        let snapshot = app.writer.call(Some(WRITER_PATIENCE), job).await??;
        let (shared, previous, is_pending) = (app.clone(), last.clone(), entry.pending_kill().is_some());
        let board = off_thread(move || {
            shared.verdicts.complete(snapshot, |Snapshot { content, facts, .. }, verdict| {
                let state = content.state;
                let headline = facts.headline(verdict);
                // One that must not be acted on yet is not proposed.
                let winner = headline.winner.clone().filter(|_| headline.action != "check");
                let name = &content.config.name;
                let deliveries = shared.notifier().map(|notifier| notifier.deliveries(name, MAX_DELIVERIES));
                let deliveries = deliveries.unwrap_or_default();
                let page = overview::overview_page(&content, headline, verdict, &shared.metrics, is_pending);
                let parts = Overview { deliveries: overview::deliveries(&deliveries), ..page }.parts();
                next_rendering(made, (state, winner), parts, previous.as_deref())
            })
        });
        let board = Arc::new(board.await?);
        *last = Some(Arc::clone(&board));
        Ok(board)
    }
}

fn next_rendering(
    now: Instant,
    (state, winner): (State, Option<String>),
    sections: Vec<Section>,
    before: Option<&Rendering>,
) -> Rendering {
    let version = before.map_or(1, |before| before.version + 1);
    let section = |part: Section| {
        let known = before.and_then(|before| before.pieces.iter().find(|section| section.part == part));
        known.cloned().unwrap_or_else(|| Piece { message: message(&part), part, version })
    };
    // Controls differ from reader to reader.
    let pieces = sections.into_iter().filter(|part| part.id != "controls").map(section).collect();
    Rendering { rendered_at: now, version, state, winner, pieces }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_sent() {
        let part = |id, html: &str| Section { id, html: html.to_owned() };
        let made = Instant::now();
        let first = next_rendering(
            made,
            (State::Running, None),
            vec![part("a", "1\n2"), part("controls", ""), part("b", "x")],
            None,
        );
        assert_eq!(first.after(0).count(), 2);
        let second =
            next_rendering(made, (State::Running, None), vec![part("a", "1\n2"), part("b", "y")], Some(&first));
        let changed: Vec<&Piece> = second.after(first.version).collect();
        assert_eq!(changed.len(), 1);
        assert_eq!(&changed[0].message[..], b"event: part\ndata: {\"html\":\"y\",\"part\":\"b\"}\n\n");
        // A message is two lines, whatever the part holds.
        assert_eq!(message(first.parts().next().expect("a part")).iter().filter(|byte| **byte == b'\n').count(), 3);
    }
}
