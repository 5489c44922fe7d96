//! Connections: their limits, their timeouts, and their end when the server stops.

use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep};

/// The answer to a connection beyond the limit.
const BUSY_RESPONSE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-type: application/problem+json\r\nconnection: close\r\n\
    content-length: 127\r\n\r\n{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\"detail\":\"too many connections; try again in a second\"}       ";
/// The connections beyond the limit that may ask whether the server lives.
const SPARE_CONNECTIONS: usize = 16;
/// The time that connections have to end when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);
/// The most bytes of a request line with all headers.
const MAX_HEAD_BYTES: usize = 32 << 10;

/// The limits of connections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The most that are open together.
    pub(crate) connections: usize,
    /// The time a peer has to send the head of a request, and to take an answer.
    pub(crate) patience: Duration,
}

/// The fate of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    Opened,
    Closed,
    /// It exceeded the limit.
    Refused,
}

/// Serves connections until `stop` changes, then lets running requests end. Connections beyond the limit may ask `checks`. `count` is
/// called with the fate of each.
pub(crate) async fn serve(
    listener: TcpListener,
    [router, checks]: [Router; 2],
    limits: Limits,
    count: impl Fn(Change) + Clone + Send + 'static,
    mut stop: watch::Receiver<bool>,
) {
    let connection_slots = Arc::new(Semaphore::new(limits.connections));
    let spare = Arc::new(Semaphore::new(SPARE_CONNECTIONS));
    let everything = limits.connections as u32;
    loop {
        let accept_result = tokio::select! {
            accept_result = listener.accept() => accept_result,
            _ = stop.changed() => break,
        };
        let (stream, address) = match accept_result {
            Ok(accept_result) => accept_result,
            Err(error) => {
                // Out of file descriptors, most likely: connections that end give some back.
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let found = Arc::clone(&connection_slots).try_acquire_owned().map(|slot| (slot, &router));
        let found = found.or_else(|_| Arc::clone(&spare).try_acquire_owned().map(|slot| (slot, &checks)));
        let Ok((slot, router)) = found else {
            count(Change::Refused);
            // A peer that does not take these few bytes gets no answer.
            let _ = stream.try_write(BUSY_RESPONSE);
            continue;
        };
        let (router, count, stop) = (router.clone(), count.clone(), stop.clone());
        tokio::spawn(async move {
            count(Change::Opened);
            connection(stream, address, router, limits.patience, stop).await;
            count(Change::Closed);
            drop(slot);
        });
    }
    drop(listener);
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, connection_slots.acquire_many(everything)).await.is_err() {
        tracing::warn!("connections were still open and are cut off");
    }
}

/// Answers until `ready`, while logs are folded: liveness checks succeed, and all others are asked to come back. Returns the listener.
pub async fn serve_until(listener: TcpListener, patience: Duration, mut ready: watch::Receiver<bool>) -> TcpListener {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ready.wait_for(|ready| *ready) => return listener,
        };
        let Ok((stream, _)) = accepted else {
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        tokio::spawn(async move {
            let service = hyper::service::service_fn(async |request: hyper::Request<Incoming>| {
                Ok::<_, std::convert::Infallible>(super::starting(request.uri().path()))
            });
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(patience)
                .max_buf_size(MAX_HEAD_BYTES)
                .keep_alive(false)
                .serve_connection(TokioIo::new(TimedStream::new(stream, patience)), service);
            if let Err(error) = served.await {
                tracing::trace!(%error, "a connection ended early");
            }
        });
    }
}

async fn connection(
    stream: TcpStream,
    address: SocketAddr,
    router: Router,
    patience: Duration,
    mut stop: watch::Receiver<bool>,
) {
    // Answers are short: they should not wait for more.
    let _ = stream.set_nodelay(true);
    let service = tower_service(router, address);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(TimedStream::new(stream, patience)), service);
    let mut connection = pin!(connection);
    let connection_result = tokio::select! {
        connection_result = connection.as_mut() => connection_result,
        _ = stop.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = connection_result {
        tracing::trace!(%error, "a connection ended early");
    }
}

/// The router, with the address of the peer.
fn tower_service(
    router: Router,
    address: SocketAddr,
) -> impl hyper::service::Service<
    hyper::Request<Incoming>,
    Response = axum::response::Response,
    Error = std::convert::Infallible,
    Future = impl Future<Output = Result<axum::response::Response, std::convert::Infallible>> + Send,
> {
    let inner = TowerToHyperService::new(router);
    hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(address));
        hyper::service::Service::call(&inner, request)
    })
}

/// A stream that is cut off if its peer does not take what is written within a time.
struct TimedStream {
    stream: TcpStream,
    patience: Duration,
    timer: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl TimedStream {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        Self { stream, patience, timer: Box::pin(sleep(patience)), is_waiting: false }
    }

    /// Lets a write wait as long as the peer may take.
    fn limited<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.is_waiting = false;
            return written;
        }
        if !self.is_waiting {
            self.is_waiting = true;
            self.timer.as_mut().reset(Instant::now() + self.patience);
        }
        ready!(self.timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for TimedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limited(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.limited(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.limited(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::BUSY_RESPONSE;

    #[test]
    fn the_answer_to_too_many_is_as_long_as_it_says() {
        let text = std::str::from_utf8(BUSY_RESPONSE).expect("ASCII");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{}", body.len());
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    }
}
