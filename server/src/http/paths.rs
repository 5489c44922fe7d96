//! The resources that paths name: an experiment, or an impression by its id.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::StatusCode;
use axum::http::request::Parts;

use super::{App, Problem};
use crate::ids::{IdError, ImpressionId};
use crate::jobs::Refusal;
use crate::writer::{ExperimentHandle, NoAnswer};

/// The experiment of a path, which is as it was written.
#[derive(Debug)]
pub(super) struct ExperimentPath(pub(super) Arc<ExperimentHandle>);

impl FromRequestParts<App> for ExperimentPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let AnyExperimentPath(entry) = AnyExperimentPath::from_request_parts(parts, app).await?;
        match entry.damage() {
            Some(why) => Err(Refusal::damaged(&entry.config.name, why).into()),
            None => Ok(Self(entry)),
        }
    }
}

/// The experiment of a path, damaged or not.
#[derive(Debug)]
pub(super) struct AnyExperimentPath(pub(super) Arc<ExperimentHandle>);

impl FromRequestParts<App> for AnyExperimentPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let name = param(parts, app, "experiment").await?;
        let unknown = || {
            if !app.knows_all.load(Ordering::SeqCst) {
                return NoAnswer::NoLeader.into();
            }
            let found = super::problem::excerpt(&name);
            Problem::unknown(format!("there is no experiment {found}"))
                .advice("GET /v1/experiments lists those that there are")
        };
        app.directory.get(&name).map(Self).ok_or_else(unknown)
    }
}

/// The impression of a path, and its experiment.
#[derive(Debug)]
pub(super) struct ImpressionPath {
    pub(super) id: ImpressionId,
    pub(super) text: String,
    pub(super) entry: Arc<ExperimentHandle>,
}

impl FromRequestParts<App> for ImpressionPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let text = param(parts, app, "id").await?;
        let id = app.signer.read(&text, seconds(app)).map_err(|error| match error {
            IdError::Unknown => Problem::unknown(error.to_string()),
            IdError::Expired => Problem::new(StatusCode::GONE, error.to_string()),
        })?;
        let entry = app.directory.of_id(id.experiment).ok_or_else(|| match app.knows_all.load(Ordering::SeqCst) {
            true => Problem::unknown(IdError::Unknown.to_string()),
            false => NoAnswer::NoLeader.into(),
        })?;
        Ok(Self { id, text, entry })
    }
}

/// Seconds since 1970.
pub(super) fn seconds(app: &App) -> u64 {
    u64::try_from(app.clock.now() / 1000).unwrap_or(0)
}

async fn param(parts: &mut Parts, app: &App, name: &str) -> Result<String, Problem> {
    let params = RawPathParams::from_request_parts(parts, app).await;
    let params = params.map_err(|_| Problem::unknown("the path is not UTF-8"))?;
    let value = params.iter().find(|(param, _)| *param == name).map(|(_, value)| value.to_owned());
    value.ok_or_else(|| Problem::unknown("the path names nothing"))
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unknown(detail) => Self::unknown(detail),
            Refusal::Damaged(detail) => Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail),
            Refusal::Conflict(detail) => Self::new(StatusCode::CONFLICT, detail),
            Refusal::Gone(detail) => Self::new(StatusCode::GONE, detail),
            Refusal::Invalid { path: None, detail } => Self::invalid(detail),
            Refusal::Invalid { path: Some(path), detail } => Self::invalid(detail).part("path", path),
        }
    }
}

impl From<NoAnswer> for Problem {
    fn from(why: NoAnswer) -> Self {
        match why {
            NoAnswer::Late => Self::unavailable("the store took too long; send the same request again"),
            NoAnswer::Overloaded => Self::unavailable("too many requests wait for the store"),
            NoAnswer::Failed => {
                Self::unavailable("the store could not be written; nothing of this request was recorded")
            }
            NoAnswer::NoLeader => Self::unavailable("no server leads at present; send the same request again"),
            NoAnswer::Stopping => Self::unavailable("the server stops"),
        }
    }
}
