//! Pages for people: the list of experiments, an experiment, its controls, and the stream that keeps pages up to date. Not here: their
//! layout, which is in the crate `page`.

pub(super) mod damaged;
mod overview;
mod renderings;
mod stream;
mod watching;

use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use page::document::{self, Frame, Live};
use page::{Controls, Section};
use renderings::{Rendering, Renderings};
use serde_json::Value;
use traffic::{ExperimentStatus, SIMULATED_REMARK, State as ExperimentState};

use super::auth::{Caller, Reader};
use super::body::Form;
use super::experiments::{self, Line, change_state};
use super::off_thread::off_thread;
use super::paths::{AnyExperimentPath, ExperimentPath};
use super::request::ranker_named;
use super::sessions::{self, OpenToken};
use super::{App, Problem, guard, nodes};
use crate::jobs::Snapshot;
use crate::writer::ExperimentHandle;
pub use watching::watch;

pub(super) use stream::stream;

/// The resources that a page may load: from this server alone, and nothing inline.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The most letters of a reason.
const MAX_REASON_LETTERS: usize = 1000;

/// The state behind the pages.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) open: OpenToken,
    boards: Renderings,
}

impl Pages {
    /// Ends all streams.
    pub(super) fn end(&self) {
        self.boards.end();
    }
}

/// A page as an answer.
fn html(status: StatusCode, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        // Browsers send the origin of a form only from pages that may send a referrer to the same origin.
        (header::REFERRER_POLICY, "same-origin"),
    ];
    (status, headers, text).into_response()
}

/// Sends a browser to another page, relative to this one.
fn redirect(location: &str) -> Response {
    let Ok(location) = HeaderValue::from_str(location) else {
        return Problem::new(StatusCode::BAD_REQUEST, "the page to go to has no name").into_response();
    };
    (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response()
}

/// A problem as a page; one that a key would solve leads to the form for it. `depth` is how far below the list the page is.
fn problem_page(app: &App, problem: &Problem, depth: usize, next: &str) -> Response {
    let base = BASES[depth.min(BASES.len() - 1)];
    if problem.status == StatusCode::UNAUTHORIZED && !app.is_open() {
        return redirect(&format!("{base}sign-in?next={next}"));
    }
    let title = problem.status.canonical_reason().unwrap_or("Error");
    let frame = Frame { base, ..Frame::default() };
    html(problem.status, document::message(&frame, title, &sentence(&problem.detail)))
}

/// The way to the list.
const BASES: [&str; 3] = ["", "../", "../../"];

/// A detail of a problem as a sentence.
fn sentence(detail: &str) -> String {
    let mut letters = detail.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// The frame around the pages of a reader.
fn frame(app: &App, reader: &Reader, base: &'static str) -> Frame {
    Frame {
        base,
        reader: Some(match reader.caller.key() {
            None => "this machine".to_owned(),
            Some(_) => reader.caller.name(),
        }),
        token: reader.pass.as_ref().map(|pass| pass.token.clone()),
        may_sign_in: false,
        notice: app.settings.notice.clone().or_else(|| nodes::sentence(app)),
    }
}

/// `GET /`
pub(super) async fn list(
    State(app): State<App>,
    reader: Result<Reader, Problem>,
    RawQuery(query): RawQuery,
) -> Response {
    let listed = async |reader: Reader| {
        let (lines, next) = experiments::list_page(&app, reader.caller.only_experiment(), query.as_deref()).await?;
        let shared = app.clone();
        let snapshots = off_thread(move || -> Vec<page::ListItem> {
            let has_notice = shared.settings.notice.is_some();
            let line = |snapshot, verdict: &traffic::DecisionReport| line(snapshot, verdict, has_notice);
            let item = |one| match one {
                Line::Whole(snapshot) => shared.verdicts.complete(*snapshot, line),
                Line::Damaged(entry) => damaged::line(&entry),
            };
            lines.into_iter().map(item).collect()
        });
        Ok(html(StatusCode::OK, document::list(&frame(&app, &reader, ""), &snapshots.await?, next.as_deref())))
    };
    match reader {
        Ok(reader) => listed(reader).await.unwrap_or_else(|problem: Problem| problem_page(&app, &problem, 0, "")),
        Err(problem) => problem_page(&app, &problem, 0, ""),
    }
}

/// An experiment in the list. Warnings in the notice on top of the page or in the headline are not repeated.
fn line(snapshot: Snapshot<Value>, verdict: &traffic::DecisionReport, has_notice: bool) -> page::ListItem {
    let headline = snapshot.facts.headline(verdict);
    let told = &snapshot.content;
    let text = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
    let warnings = told["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let is_new = |warning: &&str| !(has_notice && *warning == SIMULATED_REMARK || overview::says(&headline, warning));
    let warnings = warnings.filter(is_new).map(str::to_owned).collect();
    page::ListItem {
        name: text("experiment"),
        state: text("state"),
        warnings,
        headline: overview::headline(headline),
        impressions: told["impressions"].as_u64().unwrap_or(0),
        since: times::Zone::default().minute(told["since"].as_i64().unwrap_or(0)),
    }
}

/// `GET /e/{experiment}`
pub(super) async fn experiment(
    State(app): State<App>,
    reader: Result<Reader, Problem>,
    named: Result<AnyExperimentPath, Problem>,
    Path(name): Path<String>,
) -> Response {
    let next = format!("e/{name}");
    let shown = async {
        let (reader, AnyExperimentPath(entry)) = (reader?, named?);
        if let Some(text) = damaged::page(&entry, &frame(&app, &reader, "../")) {
            return Ok(html(StatusCode::OK, text));
        }
        let board = app.pages.boards.latest(&app, &entry).await?;
        let mut parts: Vec<Section> = board.parts().cloned().collect();
        if reader.may_change() {
            parts.push(controls(&app, &entry, &reader, &board));
        }
        let live =
            Live { stream: format!("../v1/experiments/{name}/stream?after={}", app.pages.boards.name(board.version)) };
        let mut frame = frame(&app, &reader, "../");
        if app.settings.notice.is_none() && entry.config.simulated {
            frame.notice = Some(SIMULATED_REMARK.to_owned());
        }
        Ok(html(StatusCode::OK, document::overview(&frame, &name, &parts, Some(&live))))
    };
    shown.await.unwrap_or_else(|problem: Problem| problem_page(&app, &problem, 1, &next))
}

/// The controls that this reader may use.
fn controls(app: &App, entry: &ExperimentHandle, reader: &Reader, board: &Rendering) -> Section {
    let (config, state) = (&entry.config, board.state);
    let name = |place: u32| config.rankers.get(place as usize).map(|ranker| ranker.name.clone());
    let controls = Controls {
        token: reader.token(app).to_owned(),
        is_running: state == ExperimentState::Running,
        is_killed: state == ExperimentState::Killed,
        is_over: state.is_over(),
        champion: config.champion.clone().unwrap_or_default(),
        shipped: state.shipped().and_then(name),
        rankers: config.rankers.iter().map(|ranker| ranker.name.clone()).collect(),
        winner: board.winner.clone(),
    };
    Section::controls(&entry.config.name, &controls)
}

/// `POST /e/{experiment}/{action}`, by a form of the page.
pub(super) async fn change(
    State(app): State<App>,
    reader: Result<Reader, Problem>,
    named: Result<ExperimentPath, Problem>,
    Path((name, action)): Path<(String, String)>,
    request: Request,
) -> Response {
    let next = format!("e/{name}");
    let change_result = async {
        let (reader, ExperimentPath(entry)) = (reader?, named?);
        if !["pause", "resume", "end", "kill", "ship"].contains(&action.as_str()) {
            return Err(Problem::unknown("this page has no such button"));
        }
        let form = own_form(&app, &reader, request).await?;
        reader.caller.check_role(crate::store::Role::Admin)?;
        let state = match action.as_str() {
            "pause" => ExperimentState::Paused,
            "resume" => ExperimentState::Running,
            "end" => ExperimentState::Ended,
            "kill" => ExperimentState::Killed,
            _ => ExperimentState::Shipped(ranker_named(form.field("ranker"), &entry.config)?),
        };
        let why: String =
            form.field("why").trim().chars().filter(|letter| !letter.is_control()).take(MAX_REASON_LETTERS).collect();
        change_state(&app, &entry, &reader.caller, state, why).await?;
        app.pages.boards.forget(entry.id);
        Ok(redirect(&format!("../{name}")))
    };
    change_result.await.unwrap_or_else(|problem: Problem| problem_page(&app, &problem, 2, &next))
}

/// A form that a page of this server sent for this reader.
async fn own_form(app: &App, reader: &Reader, request: Request) -> Result<Form, Problem> {
    let (parts, body) = request.into_parts();
    let is_own = guard::is_from_own_page(&parts);
    let form = <Form as axum::extract::FromRequest<App>>::from_request(Request::from_parts(parts, body), app).await?;
    if !is_own || !sessions::is_same(form.field("token"), reader.token(app)) {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "this form is not of a page that you have open; load the page again",
        ));
    }
    Ok(form)
}

/// `GET /sign-in`
pub(super) async fn sign_in_form(State(app): State<App>, RawQuery(query): RawQuery) -> Response {
    if app.is_open() {
        return redirect("./");
    }
    let next = query.as_deref().and_then(|query| query.strip_prefix("next=")).unwrap_or("");
    html(StatusCode::OK, document::sign_in(&Frame::default(), None, own_place(next)))
}

/// A page of this server: the list, or an experiment.
fn own_place(next: &str) -> &str {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
    };
    if next.strip_prefix("e/").is_some_and(is_name) { next } else { "" }
}

/// `POST /sign-in`
pub(super) async fn sign_in(State(app): State<App>, headers: HeaderMap, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let is_own = guard::is_from_own_page(&parts);
    let request = Request::from_parts(parts, body);
    let form = match <Form as axum::extract::FromRequest<App>>::from_request(request, &app).await {
        Ok(form) if is_own => form,
        Ok(_) => {
            return problem_page(
                &app,
                &Problem::new(StatusCode::FORBIDDEN, "sign in on the page of this server"),
                0,
                "",
            );
        }
        Err(problem) => return problem_page(&app, &problem, 0, ""),
    };
    let next = own_place(form.field("next"));
    let again = |why: &str| html(StatusCode::FORBIDDEN, document::sign_in(&Frame::default(), Some(why), next));
    let Some(caller) = Caller::of_key(form.field("key").trim(), &app) else {
        app.audits.refused();
        return again("This key is unknown, was revoked or has expired.");
    };
    if caller.check_role(crate::store::Role::Read).is_err() {
        return again("This key may not look at experiments; use one with the role read or admin.");
    }
    let Some(key) = caller.key() else { return redirect("./") };
    // A reader who came by HTTPS must not send the cookie without it.
    let is_secure = headers.get(header::ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"));
    match sessions::begin(&app, key.id, is_secure).await {
        Ok(cookie) => {
            let mut response = redirect(if next.is_empty() { "./" } else { next });
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            tracing::info!(who = caller.name(), "signed in");
            response
        }
        Err(problem) => problem_page(&app, &problem, 0, ""),
    }
}

/// `POST /sign-out`
pub(super) async fn sign_out(State(app): State<App>, reader: Result<Reader, Problem>, request: Request) -> Response {
    let signed_out = async {
        let reader = reader?;
        own_form(&app, &reader, request).await?;
        if let Some(pass) = &reader.pass {
            sessions::end(&app, pass).await?;
        }
        let mut response = redirect("sign-in");
        response.headers_mut().insert(header::SET_COOKIE, sessions::no_cookie());
        Ok(response)
    };
    signed_out.await.unwrap_or_else(|problem: Problem| problem_page(&app, &problem, 0, ""))
}

/// `GET /page.css`
pub(super) async fn styles() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], page::STYLES).into_response()
}

/// `GET /page.js`
pub(super) async fn script() -> Response {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], page::SCRIPT).into_response()
}

/// `GET /icon.svg`
pub(super) async fn icon() -> Response {
    ([(header::CONTENT_TYPE, "image/svg+xml")], page::ICON).into_response()
}

/// The tone of a status, and a word for it.
fn tone(standing: ExperimentStatus) -> (page::Tone, &'static str) {
    use page::Tone::{Alarm, Good, Neutral, Notice};
    match standing {
        ExperimentStatus::NotBegun => (Neutral, "not begun"),
        ExperimentStatus::Waiting => (Neutral, "too early"),
        ExperimentStatus::Undecided => (Neutral, "undecided"),
        ExperimentStatus::Decided => (Good, "decided"),
        ExperimentStatus::Contradicted => (Alarm, "contradicted"),
        ExperimentStatus::Breached => (Alarm, "guardrail"),
        ExperimentStatus::Equal => (Notice, "A/A test"),
        ExperimentStatus::Silent => (Alarm, "a ranker is silent"),
        ExperimentStatus::Untrusted => (Notice, "not trusted"),
        ExperimentStatus::NoClicks => (Alarm, "no clicks"),
        ExperimentStatus::Paused => (Notice, "paused"),
        ExperimentStatus::Killed => (Alarm, "killed"),
        ExperimentStatus::Ended => (Good, "ended"),
        ExperimentStatus::Shipped => (Good, "shipped"),
    }
}
