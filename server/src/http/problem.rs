//! Errors as problems (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

/// A problem with a request, in one sentence and in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The status of the answer.
    pub status: StatusCode,
    /// The problem, in one sentence.
    pub(super) detail: String,
    parts: Vec<(&'static str, String)>,
    retry_after: Option<u32>,
    allow: Option<String>,
}

impl Problem {
    /// From a sentence.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), parts: vec![], retry_after: None, allow: None }
    }

    /// A value at a place in the body that cannot be used.
    pub fn at(status: StatusCode, path: &str, found: impl Into<String>, expected: impl Into<String>) -> Self {
        let (found, expected) = (found.into(), expected.into());
        let place = if path.is_empty() { "the body".to_owned() } else { path.to_owned() };
        let detail = format!("{place}: found {found}; expected {expected}");
        let path = (!path.is_empty()).then(|| ("path", path.to_owned()));
        let parts = [Some(("found", found)), Some(("expected", expected)), path];
        Self { status, detail, parts: parts.into_iter().flatten().collect(), retry_after: None, allow: None }
    }

    /// Adds the remedy.
    #[must_use]
    pub fn advice(mut self, what: impl Into<String>) -> Self {
        self.parts.push(("do", what.into()));
        self
    }

    /// A part of its own beside the sentence: `found`, `expected` or `path`.
    #[must_use]
    pub fn part(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.parts.push((name, value.into()));
        self
    }

    /// The same request may succeed after this number of seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Adds the methods of the path.
    #[must_use]
    pub fn allow(mut self, methods: impl Into<String>) -> Self {
        self.allow = Some(methods.into());
        self
    }

    /// A resource that does not exist.
    pub fn unknown(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// A request that is well formed and asks for something impossible.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// The store could not write or is not read yet; the request was not recorded.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
            .advice("send the same request again after the time in Retry-After")
            .retry_after(1)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut body = Map::new();
        body.insert("type".into(), "about:blank".into());
        body.insert("title".into(), title(self.status).into());
        body.insert("status".into(), self.status.as_u16().into());
        body.insert("detail".into(), self.detail.into());
        for (name, value) in self.parts {
            body.insert(name.into(), value.into());
        }
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        let mut response = (self.status, kind, Value::Object(body).to_string()).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if let Some(allow) = self.allow.and_then(|allow| HeaderValue::from_str(&allow).ok()) {
            headers.insert(header::ALLOW, allow);
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Names of RFC 9110, which are newer than those of some libraries.
fn title(status: StatusCode) -> &'static str {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => "Content Too Large",
        StatusCode::UNPROCESSABLE_ENTITY => "Unprocessable Content",
        status => status.canonical_reason().unwrap_or("Error"),
    }
}

/// Text of callers in a message: short, and in one line.
#[must_use]
pub(super) fn excerpt(text: &str) -> String {
    const MAX_EXCERPT_CHARS: usize = 60;
    let mut short: String = text.chars().take(MAX_EXCERPT_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_EXCERPT_CHARS).is_some() {
        short.push_str("...");
    }
    format!("\"{short}\"")
}
