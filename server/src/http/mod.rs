//! HTTP: routes, limits, authentication, problems. Not here: changes of experiments, which the writer owns.

mod auth;
mod body;
mod connection;
mod direct;
mod events;
mod experiments;
mod export;
mod guard;
mod impressions;
mod nodes;
mod off_thread;
mod pages;
mod paths;
mod problem;
mod request;
mod sessions;

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post, put};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::sync::watch::Receiver;

use crate::notify::Notifier;
use crate::settings::Settings;
use crate::store::Node;
use crate::writer::{Shared, Writer};
use connection::Change;
pub use connection::serve_until;
pub(crate) use connection::{Limits, serve as serve_connections};
pub use direct::{Call, Direct};
use guard::Rates;
pub use pages::watch;
pub use problem::Problem;

/// The interface as OpenAPI.
pub const OPENAPI: &str = include_str!("../../openapi.json");

/// All that handlers need.
#[derive(Debug)]
pub struct AppState {
    settings: Settings,
    writer: Writer,
    rates: Rates<IpAddr>,
    room: Arc<Semaphore>,
    public_room: Arc<Semaphore>,
    /// The events per impression in this second, from callers without a key.
    impression_rates: Rates<(u32, u64)>,
    verdicts: experiments::Verdicts,
    pages: pages::Pages,
    /// When a probe last wrote something.
    proven: tokio::sync::Mutex<Option<Instant>>,
    /// Threads for events of callers without a key.
    public: Arc<Semaphore>,
    is_draining: AtomicBool,
    is_loopback: bool,
    notifier: Option<Notifier>,
    /// This server among those that have the store open, if it is a database.
    node: Option<Arc<Node>>,
    forwarder: nodes::Forwarder,
}

/// The state as handlers get it.
pub(crate) type App = Arc<AppState>;

impl std::ops::Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        self.writer.shared()
    }
}

impl AppState {
    /// A server on this address.
    #[must_use]
    pub fn new(
        settings: Settings,
        writer: Writer,
        address: SocketAddr,
        notifier: Option<Notifier>,
        node: Option<Arc<Node>>,
    ) -> Self {
        Self {
            settings,
            writer,
            rates: Rates::default(),
            room: Arc::new(Semaphore::new(body::BODY_ROOM_BYTES)),
            public_room: Arc::new(Semaphore::new(body::BODY_ROOM_BYTES)),
            impression_rates: Rates::default(),
            verdicts: experiments::Verdicts::default(),
            pages: pages::Pages::default(),
            proven: tokio::sync::Mutex::default(),
            public: Arc::new(Semaphore::new(1)),
            is_draining: AtomicBool::default(),
            is_loopback: address.ip().is_loopback(),
            notifier,
            node,
            forwarder: nodes::Forwarder::default(),
        }
    }

    /// Whether everybody on this machine may do everything.
    fn is_open(&self) -> bool {
        self.is_loopback && self.keys.are_none()
    }

    /// The settings it was started with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The sender of messages, if there is one.
    #[must_use]
    pub fn notifier(&self) -> Option<&Notifier> {
        self.notifier.as_ref()
    }

    /// This server among those that have the store open, if it is a database.
    fn node(&self) -> Option<&Node> {
        self.node.as_deref()
    }

    /// Makes `/ready` fail from now on, while everything else goes on.
    pub fn drain(&self) {
        self.is_draining.store(true, Ordering::SeqCst);
    }

    fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::SeqCst)
    }

    /// Ends the writer.
    pub fn stop(&self) {
        self.writer.stop();
    }
}

/// All routes.
fn router(app: App) -> Router {
    Router::new()
        .route("/v1/experiments", get(experiments::list).post(experiments::create))
        .route("/v1/experiments/{experiment}", get(experiments::status).delete(experiments::delete))
        .route("/v1/experiments/{experiment}/pause", post(experiments::pause))
        .route("/v1/experiments/{experiment}/resume", post(experiments::resume))
        .route("/v1/experiments/{experiment}/kill", post(experiments::kill))
        .route("/v1/experiments/{experiment}/end", post(experiments::end))
        .route("/v1/experiments/{experiment}/ship", post(experiments::ship))
        .route("/v1/experiments/{experiment}/share", post(experiments::share))
        .route("/v1/experiments/{experiment}/impressions", post(impressions::impression))
        .route("/v1/experiments/{experiment}/choose", post(impressions::choose))
        .route("/v1/experiments/{experiment}/duels", post(impressions::duel))
        .route("/v1/experiments/{experiment}/export", get(export::export))
        .route("/v1/impressions/{id}/lists", put(impressions::lists))
        .route("/v1/impressions/{id}/next", post(impressions::next))
        .route("/v1/impressions/{id}/shown", put(impressions::displayed))
        .route("/v1/impressions/{id}/close", post(impressions::close))
        .route("/v1/duels/{id}", post(impressions::judge))
        .route("/v1/events", post(events::events))
        .route("/v1/units/delete", post(experiments::delete_unit))
        .route("/v1/experiments/{experiment}/stream", get(pages::stream))
        .route("/", get(pages::list))
        .route("/e/{experiment}", get(pages::experiment))
        .route("/e/{experiment}/{action}", post(pages::change))
        .route("/sign-in", get(pages::sign_in_form).post(pages::sign_in))
        .route("/sign-out", post(pages::sign_out))
        .route("/page.css", get(pages::styles))
        .route("/page.js", get(pages::script))
        .route("/icon.svg", get(pages::icon))
        .route("/health", get(health))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics))
        .route("/v1/nodes", get(nodes::nodes))
        .route("/openapi.json", get(openapi))
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&app), nodes::forward))
        .layer(from_fn_with_state(Arc::clone(&app), guard::guard))
        .with_state(app)
}

/// The routes for connections beyond the limit, once each.
fn checks(app: App) -> Router {
    let busy = async |State(app): State<App>| {
        app.metrics.refused.add(1);
        Problem::unavailable("too many connections; try again in a second")
    };
    Router::new()
        .route("/health", get(health))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics))
        .fallback(busy)
        .layer(map_response(async |mut response: Response| {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            response
        }))
        .layer(from_fn_with_state(Arc::clone(&app), guard::guard))
        .with_state(app)
}

/// The answer to a request for `path` before the server can do anything.
fn starting(path: &str) -> Response {
    if path == "/health" {
        return "ok\n".into_response();
    }
    Problem::unavailable("the server starts: it reads its logs").into_response()
}

/// Serves until `stop` changes.
pub async fn serve(listener: TcpListener, app: App, stop: Receiver<bool>) {
    let (streams, mut stopped) = (Arc::clone(&app), stop.clone());
    // Streams have no end of their own.
    tokio::spawn(async move {
        if stopped.changed().await.is_ok() {
            streams.pages.end();
        }
    });
    let routers = [router(Arc::clone(&app)), checks(Arc::clone(&app))];
    let limits = Limits { connections: app.settings.connections, patience: app.settings.request_timeout };
    let count = move |change| match change {
        Change::Opened => app.metrics.connections.add(1),
        Change::Closed => app.metrics.connections.subtract(1),
        Change::Refused => app.metrics.refused.add(1),
    };
    connection::serve(listener, routers, limits, count, stop).await;
}

async fn unknown(request: Request) -> Problem {
    Problem::unknown(format!(
        "there is no {}; GET /openapi.json lists what there is",
        problem::excerpt(request.uri().path())
    ))
}

async fn wrong_method(request: Request) -> Problem {
    let detail = format!(
        "this path does not know {}; the header Allow lists what it does",
        problem::excerpt(request.method().as_str())
    );
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
}

async fn health() -> &'static str {
    "ok\n"
}

/// Ready if the store can be written: a transaction that writes a row is committed, at most once a second. Not while the server
/// drains, nor after a transaction failed, until the next that does not.
async fn ready(State(app): State<App>) -> Response {
    if app.is_draining() {
        return Problem::unavailable("the server is about to stop").into_response();
    }
    // Nodes answer with the champion's list whatever becomes of the database: a balancer that leaves all of them leaves pages without.
    if app.node().is_some() {
        return "ready\n".into_response();
    }
    let mut proven = app.proven.lock().await;
    let is_fresh = proven.is_some_and(|at| at.elapsed() < Duration::from_secs(1));
    if is_fresh && !app.is_failing.load(Ordering::SeqCst) {
        return "ready\n".into_response();
    }
    let within = app.settings.decision_timeout.max(Duration::from_secs(1));
    let written = app.writer.call(Some(within), |session| session.must_write()).await;
    *proven = written.is_ok().then(Instant::now);
    match written {
        Ok(()) => "ready\n".into_response(),
        Err(_) => Problem::unavailable("the store cannot be written at present").into_response(),
    }
}

async fn metrics(State(app): State<App>) -> Response {
    let mut text = app.metrics.text();
    if let Some(node) = app.node() {
        text += &app.metrics.text_of(node);
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// The approximate uptime of the process.
fn elapsed() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
