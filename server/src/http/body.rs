//! Bodies of requests: of a known type, not too large, and received in time.

use std::future::Future;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::sync::OwnedSemaphorePermit;

use super::auth::Sender;
use super::{App, Problem};
use crate::json::{self, Document, ShapeError};

impl From<ShapeError> for Problem {
    fn from(error: ShapeError) -> Self {
        Self::at(StatusCode::BAD_REQUEST, &error.path, error.found, error.expected)
    }
}

/// The content types of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyKind {
    /// `application/json`.
    Json,
    /// `application/x-ndjson`.
    Lines,
    /// `text/plain`, which browsers send without asking first.
    Text,
}

/// A body in JSON; an empty one is an empty object. It takes room as long as it is held.
#[derive(Debug)]
pub(super) struct Json {
    bytes: Bytes,
    _room: BodyRoom,
}

impl Json {
    /// The parsed body; texts are borrowed from it.
    pub(super) fn parsed(&self) -> Result<Document<'_>, Problem> {
        parse_json(&self.bytes)
    }
}

/// A part of the memory for values of bodies: a body of many small values takes forty times its bytes, and many bodies at a time
/// would take all memory.
#[derive(Debug)]
pub(super) struct BodyRoom {
    permit: OwnedSemaphorePermit,
}

/// The bytes of all bodies that are in memory at a time, of callers with a key and of others: these take nothing from those.
pub(super) const BODY_ROOM_BYTES: usize = 32 << 20;
/// The most bytes of a body without a key: a beacon of a browser has at most half of that.
const MAX_PUBLIC_BODY_BYTES: usize = 128 << 10;

impl FromRequest<App> for Json {
    type Rejection = Problem;

    fn from_request(request: Request, app: &App) -> impl Future<Output = Result<Self, Problem>> + Send {
        let app = app.clone();
        async move {
            let has_type = request.headers().contains_key(header::CONTENT_TYPE);
            let found = body_kind(request.headers())?;
            let (bytes, room) = read_body(request, &app, Sender::Known).await?;
            if bytes.is_empty() {
                return Ok(Self { bytes: Bytes::from_static(b"{}"), _room: room });
            }
            if !has_type || found != Some(BodyKind::Json) {
                return Err(wrong_type("application/json", if has_type { "another type" } else { "no Content-Type" }));
            }
            Ok(Self { bytes, _room: room })
        }
    }
}

/// The fields of a submitted form.
#[derive(Debug)]
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// A field; empty if it was not sent.
    pub(super) fn field(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str())
    }
}

impl FromRequest<App> for Form {
    type Rejection = Problem;

    fn from_request(request: Request, app: &App) -> impl Future<Output = Result<Self, Problem>> + Send {
        let app = app.clone();
        async move {
            let expected = "application/x-www-form-urlencoded";
            if content_type(request.headers())?.as_deref() != Some(expected) {
                return Err(wrong_type(expected, "another type or none"));
            }
            let (bytes, _room) = read_body(request, &app, Sender::Public).await?;
            Ok(Self(form_urlencoded::parse(&bytes).into_owned().collect()))
        }
    }
}

/// A body of events.
#[derive(Debug)]
pub(super) struct Events {
    /// The bytes.
    pub bytes: Bytes,
    /// Their format.
    pub kind: BodyKind,
    /// Their part of the memory.
    pub(super) room: BodyRoom,
}

impl FromRequest<App> for Events {
    type Rejection = Problem;

    fn from_request(request: Request, app: &App) -> impl Future<Output = Result<Self, Problem>> + Send {
        let app = app.clone();
        async move {
            let expected = "application/json, application/x-ndjson or text/plain";
            let kind = body_kind(request.headers())?.ok_or_else(|| wrong_type(expected, "another type or none"))?;
            let sender = Sender::of(request.headers(), &app);
            let (bytes, room) = read_body(request, &app, sender).await?;
            Ok(Self { bytes, kind, room })
        }
    }
}

/// A text as JSON.
pub(super) fn parse_json(bytes: &[u8]) -> Result<Document<'_>, Problem> {
    json::parse(bytes).map_err(|error| {
        Problem::new(StatusCode::BAD_REQUEST, format!("the body is not JSON that can be used: {error}"))
    })
}

fn wrong_type(expected: &str, found: &str) -> Problem {
    Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        format!("the body has the wrong content type: expected {expected}, found {found}"),
    )
    .part("expected", expected)
    .part("found", found)
}

fn body_kind(headers: &HeaderMap) -> Result<Option<BodyKind>, Problem> {
    Ok(match content_type(headers)?.as_deref() {
        Some("application/json") => Some(BodyKind::Json),
        Some("application/x-ndjson") => Some(BodyKind::Lines),
        Some("text/plain") => Some(BodyKind::Text),
        _ => None,
    })
}

/// The content type without its parameters.
fn content_type(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    if headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body is encoded; send it without Content-Encoding",
        ));
    }
    let text = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    Ok(text.map(|text| text.split(';').next().unwrap_or("").trim().to_ascii_lowercase()))
}

/// Reads a body within the limits; returns it with the head of its request.
pub(super) async fn read_whole(request: Request<Body>, app: &App, sender: Sender) -> Result<(Parts, Bytes), Problem> {
    let (parts, body) = request.into_parts();
    let mut headers = Request::new(body);
    *headers.headers_mut() = parts.headers.clone();
    let (bytes, _room) = read_body(headers, app, sender).await?;
    Ok((parts, bytes))
}

/// Reads a body within the limits. It reserves its room before its first byte is read, so that unfinished bodies cannot fill the memory.
async fn read_body(request: Request<Body>, app: &App, sender: Sender) -> Result<(Bytes, BodyRoom), Problem> {
    let limit = match sender {
        Sender::Known => app.settings.body_limit,
        Sender::Public => app.settings.body_limit.min(MAX_PUBLIC_BODY_BYTES),
    };
    let too_large = || {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body has more than {limit} bytes"))
            .part("expected", format!("at most {limit} bytes"))
            .advice("send less at a time")
    };
    let length =
        request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let is_chunked = request.headers().contains_key(header::TRANSFER_ENCODING);
    let most = length.map_or(if is_chunked { limit } else { 0 }, |length| length as usize);
    let mut room = wait_for_room(app, most, sender).await?;
    let collected = Limited::new(request.into_body(), limit).collect();
    let late = |_| {
        let within = crate::settings::text(app.settings.request_timeout);
        Problem::new(StatusCode::REQUEST_TIMEOUT, format!("the body did not arrive within {within}"))
    };
    match tokio::time::timeout(app.settings.request_timeout, collected).await.map_err(late)? {
        Ok(body) => {
            let bytes = body.to_bytes();
            room.shrink(bytes.len());
            Ok((bytes, room))
        }
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(_) => Err(Problem::new(StatusCode::BAD_REQUEST, "the body could not be read to its end")),
    }
}

/// Waits for room for a body and its values.
async fn wait_for_room(app: &App, bytes: usize, sender: Sender) -> Result<BodyRoom, Problem> {
    let room = match sender {
        Sender::Known => &app.room,
        Sender::Public => &app.public_room,
    };
    // A body that is larger than all room, which only settings allow, waits until it is alone.
    let room = Arc::clone(room).acquire_many_owned(bytes.clamp(1, BODY_ROOM_BYTES) as u32);
    match tokio::time::timeout(app.settings.request_timeout, room).await {
        Ok(Ok(permit)) => Ok(BodyRoom { permit }),
        _ => Err(Problem::unavailable("too many large bodies are being read")),
    }
}

impl BodyRoom {
    /// Gives back the memory that a body of this many bytes does not need.
    fn shrink(&mut self, bytes: usize) {
        let needed = bytes.clamp(1, BODY_ROOM_BYTES);
        if let Some(rest) = self.permit.num_permits().checked_sub(needed) {
            drop(self.permit.split(rest));
        }
    }
}
