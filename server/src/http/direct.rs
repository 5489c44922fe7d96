//! Requests of this process to its own server: through the same routes and guards as all other requests, without a connection.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use http_body_util::BodyExt as _;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde_json::Value;

use super::{App, AppState, router};
use crate::in_order::in_order;

/// A request: method, path, and a body in JSON.
pub type Call = (&'static str, String, Value);

/// Sends requests to the server of this process.
#[derive(Debug, Clone)]
pub struct Direct {
    service: TowerToHyperService<Router>,
}

impl Direct {
    /// To the server with this state.
    #[must_use]
    pub fn new(app: &Arc<AppState>) -> Self {
        Self { service: TowerToHyperService::new(router(App::clone(app))) }
    }

    /// Sends requests side by side, in this order, so that the writer takes them in this order and in few transactions. Returns the
    /// status and the answer of each.
    pub async fn send(&self, calls: Vec<Call>) -> Vec<(u16, Value)> {
        in_order(calls.into_iter().map(|call| self.one(call)).collect()).await
    }

    async fn one(&self, (method, path, body): Call) -> (u16, Value) {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "localhost")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()));
        let Ok(request) = request else { return (400, Value::Null) };
        let Ok(response) = self.service.call(request).await;
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }
}
