//! How browsers reach the room: four routes, below the key of a judge.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::map_response;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::links::Links;
use super::page;
use super::room::{Outcome, Room, Said};
use crate::running::Asked;

/// What every answer says: nothing is loaded but from here, nothing is kept, and no other page may show this one.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CACHE_CONTROL, "no-store"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// The most bytes of a form.
const MOST: usize = 64 << 10;

/// Why a page is not served.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be used.
    #[error("cannot listen at {address}: {error}; choose another --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// There are no threads to be had.
    #[error("no threads for connections: {0}")]
    Threads(std::io::Error),
}

/// A page that is served until this is stopped.
#[derive(Debug)]
pub struct Running {
    runtime: Runtime,
    served: JoinHandle<()>,
    stop: watch::Sender<bool>,
    address: SocketAddr,
}

#[derive(Debug, Clone)]
struct App {
    room: Arc<Room>,
    links: Arc<Links>,
}

impl Running {
    /// Serves a room at this address.
    ///
    /// # Errors
    /// If the address cannot be used.
    pub fn start(address: SocketAddr, room: Room, links: Links) -> Result<Self, StartError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(StartError::Threads)?;
        let listen = |error| StartError::Listen { address, error };
        let listener = runtime.block_on(TcpListener::bind(address)).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let (stop, mut stopped) = watch::channel(false);
        let router = router(App { room: Arc::new(room), links: Arc::new(links) });
        let served = runtime.spawn(async move {
            let ended = async move { drop(stopped.wait_for(|stopped| *stopped).await) };
            if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(ended).await {
                tracing::warn!(%error, "the page is not served any more");
            }
        });
        Ok(Self { runtime, served, stop, address })
    }

    /// Where it is served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From when it was called on, waits for Ctrl-C or a signal to end.
    ///
    /// # Errors
    /// If signals cannot be had.
    pub fn asked_to_end(&self) -> std::io::Result<Asked> {
        let _within = self.runtime.enter();
        Asked::new()
    }

    /// Waits until the process is asked to end.
    ///
    /// # Errors
    /// If signals cannot be had.
    pub fn wait_for_end(&self, asked: Asked) -> std::io::Result<()> {
        self.runtime.block_on(asked.wait())
    }

    /// Lets running requests end.
    pub fn stop(self) {
        self.stop.send_replace(true);
        let patience = std::time::Duration::from_secs(2);
        let _ = self.runtime.block_on(async { tokio::time::timeout(patience, self.served).await });
        self.runtime.shutdown_timeout(patience);
    }
}

fn router(app: App) -> Router {
    let text = |kind: &'static str, text: String| get(async move || ([(header::CONTENT_TYPE, kind)], text));
    Router::new()
        .route("/judge.css", text("text/css; charset=utf-8", format!("{}{}", ::page::STYLES, page::STYLES)))
        .route("/judge.js", text("text/javascript; charset=utf-8", page::SCRIPT.to_owned()))
        .route("/icon.svg", text("image/svg+xml", ::page::ICON.to_owned()))
        .route("/j/{key}", get(question))
        .route("/j/{key}/say", post(say))
        .route("/j/{key}/undo", post(undo))
        .fallback(async || problem(StatusCode::NOT_FOUND, "There is nothing here: open the link that you were given."))
        .layer(DefaultBodyLimit::max(MOST))
        .layer(map_response(async |mut response: Response| {
            for (name, value) in HEADERS {
                response.headers_mut().insert(name, HeaderValue::from_static(value));
            }
            response
        }))
        .with_state(app)
}

/// A page with one sentence.
fn problem(status: StatusCode, sentence: &str) -> Response {
    (status, Html(page::problem(sentence))).into_response()
}

/// Does something in the room as the judge of a key, beside the threads that answer: the file may be in use by others.
async fn done<T: Send + 'static>(
    app: App,
    key: String,
    work: impl FnOnce(&Room, &str) -> anyhow::Result<T> + Send + 'static,
) -> Result<T, Response> {
    let Some(judge) = app.links.judge(&key).map(str::to_owned) else {
        return Err(problem(StatusCode::NOT_FOUND, "This link is not known here: ask for a new one."));
    };
    match tokio::task::spawn_blocking(move || work(&app.room, &judge)).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => {
            tracing::warn!(error = format!("{error:#}"), "what a judge did was not written");
            let sentence = "This could not be written, and nothing changed: go back and try again. The terminal of this \
                            page says why.";
            Err(problem(StatusCode::SERVICE_UNAVAILABLE, sentence))
        }
        Err(_) => Err(problem(StatusCode::INTERNAL_SERVER_ERROR, "Something is wrong here: go back and try again.")),
    }
}

#[derive(Deserialize)]
struct Told {
    #[serde(default)]
    said: String,
}

async fn question(State(app): State<App>, Path(key): Path<String>, Query(told): Query<Told>) -> Response {
    match done(app, key.clone(), Room::question).await {
        Ok(shown) => Html(page::question(&key, &shown, page::told(&told.said))).into_response(),
        Err(problem) => problem,
    }
}

/// What a judge sends.
#[derive(Deserialize)]
struct Sent {
    ticket: String,
    verdict: String,
    #[serde(default)]
    note: String,
}

async fn say(State(app): State<App>, Path(key): Path<String>, Form(sent): Form<Sent>) -> Response {
    let Some(said) = Said::of(&sent.verdict, &sent.note) else {
        return problem(StatusCode::UNPROCESSABLE_ENTITY, "This is not an answer: go back and use the buttons.");
    };
    match done(app, key.clone(), move |room, judge| room.say(judge, &sent.ticket, said)).await {
        Ok(outcome) => back(&key, outcome),
        Err(problem) => problem,
    }
}

async fn undo(State(app): State<App>, Path(key): Path<String>) -> Response {
    match done(app, key.clone(), Room::undo).await {
        Ok(outcome) => back(&key, outcome),
        Err(problem) => problem,
    }
}

/// To the next question: a page that is loaded again sends nothing twice.
fn back(key: &str, outcome: Outcome) -> Response {
    Redirect::to(&format!("/j/{key}{}", page::said(outcome))).into_response()
}
