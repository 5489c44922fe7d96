//! Forwarding of requests to the node that leads. One hop, over connections that stay open; requests and answers pass unchanged.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::http::auth::Sender;
use crate::http::{App, Problem, body, guard};
use crate::store::{Node, NodeRow};

/// Marks a request of a node, by the secret that all nodes of a store share.
const NODE_HEADER: HeaderName = HeaderName::from_static("rankduel-node");
/// The intended node: by now, its address may belong to a server with another store.
const TO_HEADER: HeaderName = HeaderName::from_static("rankduel-to");
/// The client's address.
const CLIENT_HEADER: HeaderName = HeaderName::from_static("rankduel-client");
/// The timeout of connecting to the leader.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The period of checks, while its answer is awaited, that the leader still is one.
const LEADER_CHECK_PERIOD: Duration = Duration::from_millis(100);
/// The number of idle connections kept.
const MAX_IDLE_CONNECTIONS: usize = 64;
/// The paths that each node answers itself.
const OWN_PATHS: [&str; 8] =
    ["/health", "/ready", "/metrics", "/openapi.json", "/v1/nodes", "/page.css", "/page.js", "/icon.svg"];
/// Headers about a connection, which end with it.
const CONNECTION_HEADERS: [HeaderName; 4] =
    [header::CONNECTION, header::TRANSFER_ENCODING, header::UPGRADE, HeaderName::from_static("keep-alive")];

/// Connections to the node that leads.
#[derive(Debug, Default)]
pub(in crate::http) struct Forwarder {
    idle: Mutex<Vec<(String, SendRequest<Body>)>>,
}

/// Why there is no answer of the leader.
enum Failure {
    /// It did not get the request.
    Unsent,
    /// Whether it did something is unknown.
    Unknown,
}

/// Forwards a request to the leading node if only that can answer it; without a leader, this node answers as well as it can.
pub(in crate::http) async fn forward(State(app): State<App>, mut request: Request, next: Next) -> Response {
    if let Some(to) = request.headers_mut().remove(TO_HEADER)
        && app.node().is_none_or(|node| node.name() != to)
    {
        return Problem::new(StatusCode::MISDIRECTED_REQUEST, "this is not the server that was meant").into_response();
    }
    let Some(node) = app.node() else { return next.run(request).await };
    let is_forwarded = is_of_node(&app, request.headers());
    request.headers_mut().remove(NODE_HEADER);
    let path = request.uri().path();
    let leader = node.leader().filter(|leader| !leader.address.is_empty());
    let (Some(leader), false, false, None) = (leader, is_forwarded, OWN_PATHS.contains(&path), node.epoch()) else {
        return next.run(request).await;
    };
    // Where users wait for a list, there is one in any case.
    let has_fallback = ["/impressions", "/choose", "/duels", "/lists"].iter().any(|end| path.ends_with(end));
    let timeout = if has_fallback { app.settings.decision_timeout } else { app.settings.request_timeout };
    let sender = Sender::of(request.headers(), &app);
    let (parts, bytes) = match body::read_whole(request, &app, sender).await {
        Ok(read) => read,
        Err(problem) => return problem.into_response(),
    };
    let rebuilt = |bytes| Request::from_parts(parts.clone(), Body::from(bytes));
    let mut sent = rebuilt(bytes.clone());
    prepare(&app, &leader, &mut sent);
    let answer = tokio::select! {
        answer = tokio::time::timeout(timeout, app.forwarder.send(&leader.address, sent)) => answer,
        // A suspended leader leaves connections open.
        () = wait_until_over(node, &leader) => Ok(Err(Failure::Unknown)),
    };
    match answer {
        Ok(Ok(mut response)) if response.status() != StatusCode::MISDIRECTED_REQUEST => {
            app.metrics.forwarded.count("answered");
            CONNECTION_HEADERS.iter().for_each(|name| _ = response.headers_mut().remove(name));
            response
        }
        // Another node, which did nothing.
        Ok(Ok(_) | Err(Failure::Unsent)) => {
            app.metrics.forwarded.count("failed");
            next.run(rebuilt(bytes)).await
        }
        Ok(Err(Failure::Unknown)) | Err(_) => {
            app.metrics.forwarded.count("failed");
            if has_fallback {
                return next.run(rebuilt(bytes)).await;
            }
            Problem::unavailable("the server that leads did not answer; send the same request again").into_response()
        }
    }
}

/// Waits until a node no longer leads.
async fn wait_until_over(node: &Node, leader: &NodeRow) {
    while node.leader().is_some_and(|now| now.node == leader.node) {
        tokio::time::sleep(LEADER_CHECK_PERIOD).await;
    }
}

/// Adds the client's address, the name of the leader and the secret of the nodes.
fn prepare(app: &App, leader: &NodeRow, request: &mut Request) {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    if let Ok(uri) = path.parse::<Uri>() {
        *request.uri_mut() = uri;
    }
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let client = peer.map(|peer| guard::client(app, peer, request.headers()));
    let headers = request.headers_mut();
    CONNECTION_HEADERS.iter().for_each(|name| _ = headers.remove(name));
    headers.remove(CLIENT_HEADER);
    if let Some(client) = client.and_then(|client| HeaderValue::from_str(&client.to_string()).ok()) {
        headers.insert(CLIENT_HEADER, client);
    }
    if let Ok(to) = HeaderValue::from_str(&leader.node) {
        headers.insert(TO_HEADER, to);
    }
    if let Some(secret) = app.node().and_then(|node| HeaderValue::from_str(node.secret()).ok()) {
        headers.insert(NODE_HEADER, secret);
    }
}

/// Whether a node of the same store sent this.
fn is_of_node(app: &App, headers: &HeaderMap) -> bool {
    let Some(node) = app.node() else { return false };
    let (sent, known) = (headers.get(NODE_HEADER).map_or(&[][..], HeaderValue::as_bytes), node.secret().as_bytes());
    let differs = sent.iter().zip(known).fold(0_u8, |differs, (a, b)| differs | (a ^ b));
    sent.len() == known.len() && std::hint::black_box(differs) == 0
}

/// The client of a request that another node sent.
pub(in crate::http) fn client_of_node(app: &App, headers: &HeaderMap) -> Option<IpAddr> {
    is_of_node(app, headers).then(|| headers.get(CLIENT_HEADER)?.to_str().ok()?.parse().ok()).flatten()
}

impl Forwarder {
    async fn send(&self, address: &str, mut request: Request) -> Result<Response, Failure> {
        // A connection that the other side has just closed gives the request back; a new one does not.
        loop {
            let (mut connection, is_new) = match self.take(address) {
                Some(connection) => (connection, false),
                None => (connect(address).await.ok_or(Failure::Unsent)?, true),
            };
            match connection.try_send_request(request).await {
                Ok(response) => {
                    self.keep(address, connection);
                    return Ok(response.map(Body::new).into_response());
                }
                Err(mut error) => match error.take_message() {
                    Some(unsent) if !is_new => request = unsent,
                    Some(_) => return Err(Failure::Unsent),
                    None => return Err(Failure::Unknown),
                },
            }
        }
    }

    /// A connection on which nothing is under way.
    fn take(&self, address: &str) -> Option<SendRequest<Body>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(to, connection)| to == address && !connection.is_closed());
        let at = idle.iter().position(|(_, connection)| connection.is_ready())?;
        Some(idle.swap_remove(at).1)
    }

    fn keep(&self, address: &str, connection: SendRequest<Body>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE_CONNECTIONS {
            idle.push((address.to_owned(), connection));
        }
    }
}

async fn connect(address: &str) -> Option<SendRequest<Body>> {
    let stream = tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await.ok()?.ok()?;
    // Requests are short: they should not wait for more.
    let _ = stream.set_nodelay(true);
    let (connection, driver) = handshake(TokioIo::new(stream)).await.ok()?;
    tokio::spawn(async move {
        if let Err(error) = driver.await {
            tracing::trace!(%error, "a connection to the leader ended");
        }
    });
    Some(connection)
}
