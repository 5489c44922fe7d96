//! `GET /v1/experiments/{experiment}/stream`: server-sent events with the parts of the page that changed.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::mpsc::channel;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::super::auth::Reader;
use super::super::export::Stream;
use super::super::paths::ExperimentPath;
use super::super::{App, Problem};
use super::{controls, renderings};
use crate::writer::ExperimentHandle;

/// The period of updates of an open page.
const UPDATE_PERIOD: Duration = Duration::from_secs(1);
/// After this time without a change, a comment line keeps the connection open.
const KEEP_ALIVE_PERIOD: Duration = Duration::from_secs(15);
/// The stream of an experiment. All viewers get the same bytes, made once.
pub(in super::super) async fn stream(
    State(app): State<App>,
    reader: Reader,
    ExperimentPath(entry): ExperimentPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let full = || Problem::unavailable(format!("{} pages are open already; close one", renderings::MAX_STREAMS));
    let place = app.pages.boards.place().ok_or_else(full)?;
    // A browser that connects again sends the last id it has seen; one that has just loaded the page, the id of that page.
    let again = headers.get("last-event-id").and_then(|version_seen| version_seen.to_str().ok());
    let version_seen = again.or_else(|| query.as_deref()?.strip_prefix("after="));
    let version_seen = version_seen.map_or(0, |version_seen| app.pages.boards.version(version_seen));
    let (pieces, receiver) = channel(2);
    let mut ended = app.pages.boards.ended();
    tokio::spawn(async move {
        let _place = place;
        let mut viewer = Viewer { app, entry, reader, seen: version_seen, of: None, sent: Instant::now() };
        let mut ticks = interval(UPDATE_PERIOD);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = pieces.closed() => return,
                _ = ended.wait_for(|ended| *ended) => return,
                _ = ticks.tick() => {}
            }
            let Some(bytes) = viewer.news().await else { return };
            // A reader that is too slow is cut off by its connection.
            if !bytes.is_empty() && pieces.send(Ok(bytes)).await.is_err() {
                return;
            }
        }
    });
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (X_ACCEL_BUFFERING, "no")];
    Ok((headers, Body::new(Stream(receiver))).into_response())
}

/// Asks proxies to pass data on immediately.
const X_ACCEL_BUFFERING: header::HeaderName = header::HeaderName::from_static("x-accel-buffering");

/// A viewer of the stream.
struct Viewer {
    app: App,
    entry: Arc<ExperimentHandle>,
    reader: Reader,
    /// The version that was sent last.
    seen: u64,
    /// The state and the winner that the reader's controls are for.
    of: Option<(traffic::State, Option<String>)>,
    /// When something was sent last.
    sent: Instant,
}

impl Viewer {
    /// The changes since the last time; `None` if the reader may not look any more.
    async fn news(&mut self) -> Option<Bytes> {
        if !self.reader.is_still_known(&self.app) {
            return None;
        }
        // A store that cannot be written for a moment: the page stays as it is.
        let Ok(board) = self.app.pages.boards.latest(&self.app, &self.entry).await else { return Some(Bytes::new()) };
        let mut changed: Vec<Bytes> = Vec::new();
        changed.extend(board.after(self.seen).map(|piece| piece.message.clone()));
        // The controls of an older page may be for another state.
        let now = (board.state, board.winner.clone());
        let may_differ = self.of.as_ref().map_or(!changed.is_empty(), |of| *of != now);
        if may_differ && self.reader.may_change() {
            changed.push(renderings::message(&controls(&self.app, &self.entry, &self.reader, &board)));
        }
        if !changed.is_empty() {
            changed.push(
                format!(
                    "id: {}\nevent: version\ndata: {}\n\n",
                    self.app.pages.boards.name(board.version),
                    board.version
                )
                .into(),
            );
        }
        (self.seen, self.of) = (board.version, Some(now));
        if changed.is_empty() && self.sent.elapsed() >= KEEP_ALIVE_PERIOD {
            changed.push(Bytes::from_static(b": here\n\n"));
        }
        if !changed.is_empty() {
            self.sent = Instant::now();
        }
        Some(changed.concat().into())
    }
}
