//! The server of a room, and its routes: those of a judge are below the judge's key.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, map_response};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::address::PublicAddress;
use super::links::Links;
use super::page::{self, Pages};
use super::room::{Reply, ReplyResult, Room};
use crate::http::{Limits, serve_connections};
use crate::running::EndRequest;

/// The headers of every answer: nothing is loaded from elsewhere, nothing is kept, and no other page may embed this one.
const RESPONSE_HEADERS: [(HeaderName, &str); 5] = [
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
const MAX_FORM_BYTES: usize = 64 << 10;

/// The limits of connections: a browser opens six, and a note is short.
const LIMITS: Limits = Limits { connections: 256, patience: Duration::from_secs(30) };

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
pub struct JudgeServer {
    runtime: Runtime,
    server_task: JoinHandle<()>,
    stop: watch::Sender<bool>,
    address: SocketAddr,
    public_address: PublicAddress,
}

#[derive(Debug, Clone)]
struct App {
    room: Arc<Room>,
    links: Arc<Links>,
    pages: Arc<Pages>,
}

impl JudgeServer {
    /// Serves a room at this address. Judges reach it there or, behind a proxy, at `public`.
    ///
    /// # Errors
    /// If the address cannot be used.
    pub fn start(
        address: SocketAddr,
        public: Option<PublicAddress>,
        room: Room,
        links: Links,
    ) -> Result<Self, StartError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(StartError::Threads)?;
        let listen = |error| StartError::Listen { address, error };
        let listener = runtime.block_on(TcpListener::bind(address)).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let (stop, stop_receiver) = watch::channel(false);
        let shown = public.unwrap_or_else(|| PublicAddress::direct(address));
        let pages = Arc::new(Pages { base: shown.path().to_owned() });
        let router = router(App { room: Arc::new(room), links: Arc::new(links), pages });
        let routers = [router.clone(), router];
        let served = runtime.spawn(serve_connections(listener, routers, LIMITS, |_| {}, stop_receiver));
        Ok(Self { runtime, server_task: served, stop, address, public_address: shown })
    }

    /// The link of a judge's key.
    #[must_use]
    pub fn link(&self, key: &str) -> String {
        self.public_address.link(key)
    }

    /// Where it is served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From the first call on, waits for Ctrl-C or a signal to end.
    ///
    /// # Errors
    /// If signals cannot be had.
    pub fn asked_to_end(&self) -> std::io::Result<EndRequest> {
        let _within = self.runtime.enter();
        EndRequest::new()
    }

    /// Waits until the process is asked to end.
    ///
    /// # Errors
    /// If signals cannot be had.
    pub fn wait_for_end(&self, asked: EndRequest) -> std::io::Result<()> {
        self.runtime.block_on(asked.wait())
    }

    /// Lets running requests end.
    pub fn stop(self) {
        self.stop.send_replace(true);
        let patience = Duration::from_secs(2);
        let _ = self.runtime.block_on(async { tokio::time::timeout(patience, self.server_task).await });
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
        .fallback(async |State(app): State<App>| {
            app.problem(StatusCode::NOT_FOUND, "There is nothing here: open the link that you were given.")
        })
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
        .layer(from_fn(in_time))
        .layer(map_response(async |mut response: Response| {
            for (name, value) in RESPONSE_HEADERS {
                response.headers_mut().insert(name, HeaderValue::from_static(value));
            }
            response
        }))
        .with_state(app)
}

/// Ends requests that arrive too slowly.
async fn in_time(request: Request, next: Next) -> Response {
    let answered = tokio::time::timeout(LIMITS.patience, next.run(request)).await;
    answered.unwrap_or_else(|_| StatusCode::REQUEST_TIMEOUT.into_response())
}

impl App {
    /// A page with one sentence.
    fn problem(&self, status: StatusCode, sentence: &str) -> Response {
        (status, Html(self.pages.problem(sentence))).into_response()
    }

    /// To the next question: a page that is loaded again sends nothing twice.
    fn back(&self, key: &str, outcome: ReplyResult) -> Response {
        Redirect::to(&format!("{}j/{key}{}", self.pages.base, page::notice_query(outcome))).into_response()
    }
}

/// Does something in the room as the judge of a key, off the threads that answer: the file may be in use by others.
async fn in_room<T: Send + 'static>(
    app: &App,
    key: &str,
    work: impl FnOnce(&Room, &str) -> anyhow::Result<T> + Send + 'static,
) -> Result<T, Response> {
    let Some(judge) = app.links.judge(key).map(str::to_owned) else {
        return Err(app.problem(StatusCode::NOT_FOUND, "This link is not known here: ask for a new one."));
    };
    let room = Arc::clone(&app.room);
    match tokio::task::spawn_blocking(move || work(&room, &judge)).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => {
            tracing::warn!(error = format!("{error:#}"), "what a judge did was not written");
            let sentence = "This could not be written, and nothing changed: go back and try again. The terminal of this \
                            page says why.";
            Err(app.problem(StatusCode::SERVICE_UNAVAILABLE, sentence))
        }
        Err(_) => {
            Err(app.problem(StatusCode::INTERNAL_SERVER_ERROR, "Something is wrong here: go back and try again."))
        }
    }
}

#[derive(Deserialize)]
struct QuestionQuery {
    #[serde(default)]
    said: String,
}

async fn question(State(app): State<App>, Path(key): Path<String>, Query(told): Query<QuestionQuery>) -> Response {
    match in_room(&app, &key, Room::question).await {
        Ok(shown) => Html(app.pages.question(&key, &shown, page::notice(&told.said))).into_response(),
        Err(problem) => problem,
    }
}

/// A form of a judge.
#[derive(Deserialize)]
struct AnswerForm {
    ticket: String,
    verdict: String,
    #[serde(default)]
    note: String,
}

async fn say(State(app): State<App>, Path(key): Path<String>, Form(sent): Form<AnswerForm>) -> Response {
    let Some(said) = Reply::of(&sent.verdict, &sent.note) else {
        return app.problem(StatusCode::UNPROCESSABLE_ENTITY, "This is not an answer: go back and use the buttons.");
    };
    match in_room(&app, &key, move |room, judge| room.say(judge, &sent.ticket, said)).await {
        Ok(outcome) => app.back(&key, outcome),
        Err(problem) => problem,
    }
}

async fn undo(State(app): State<App>, Path(key): Path<String>) -> Response {
    match in_room(&app, &key, Room::undo).await {
        Ok(outcome) => app.back(&key, outcome),
        Err(problem) => problem,
    }
}
