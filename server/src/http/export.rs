//! `GET /v1/experiments/{experiment}/export`.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use hyper::body::{Body as HttpBody, Frame};
use times::date;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::auth::{Admin, WithRole};
use super::experiments::WRITER_PATIENCE;
use super::paths::ExperimentPath;
use super::{App, Problem};
use crate::export::{ExportKind, export as write};
use crate::store::{Access, Audit, Store};
use crate::writer::Transaction;

/// The reason why a part is empty.
const NOTHING_YET_HEADER: HeaderName = HeaderName::from_static("rankduel-nothing-yet");
/// The first kept day, if earlier days were forgotten.
const KEPT_FROM_HEADER: HeaderName = HeaderName::from_static("rankduel-kept-from");
/// The bytes of a piece.
const PIECE_BYTES: usize = 64 << 10;

/// Writes the lines while they are read: a log may be larger than the memory. A reader that stops reading stops the writer.
pub(super) async fn export(
    State(app): State<App>,
    WithRole(caller): Admin,
    ExperimentPath(entry): ExperimentPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let names = ExportKind::ALL.map(ExportKind::name).join(", ");
    let asked = query.as_deref().and_then(|query| query.strip_prefix("what="));
    let Some(what) = ExportKind::ALL.into_iter().find(|what| asked == Some(what.name())) else {
        return Err(Problem::new(
            StatusCode::BAD_REQUEST,
            format!("the query is not of the form ?what=PART; the parts are {names}"),
        )
        .part("expected", names)
        .part("path", "what"));
    };
    what.check(entry.config.ask).map_err(|why| Problem::invalid(why).part("path", "what"))?;
    let id = entry.id;
    // An empty answer says why, and one that lacks days names them. An answer without such a note is complete too.
    let known = move |transaction: &mut Transaction<'_>| {
        transaction
            .experiment(id)
            .map(|experiment| (experiment.why_nothing_is_final(), experiment.forgotten().before.map(date)))
    };
    let (nothing_yet, first_kept_day) =
        app.writer.call(Some(WRITER_PATIENCE), known).await.ok().flatten().unwrap_or_default();
    let nothing_yet =
        nothing_yet.filter(|_| matches!(what, ExportKind::Impressions | ExportKind::Clicks | ExportKind::Outcomes));
    let location = app.settings.store.clone();
    let unreadable = || Problem::unavailable("the store could not be read");
    let opened = tokio::task::spawn_blocking(move || Store::open(&location, Access::Read));
    let store = opened.await.map_err(|_| unreadable())?.map_err(|error| {
        tracing::error!(%error, "the store could not be read for an export");
        unreadable()
    })?;
    app.audits.add(Audit {
        time: app.clock.now(),
        who: caller.name(),
        what: "export".to_owned(),
        detail: format!("{} of {}", what.name(), entry.config.name),
    });
    let (writer, reader) = channel(4);
    tokio::task::spawn_blocking(move || {
        let mut out = io::BufWriter::with_capacity(PIECE_BYTES, Pieces(writer.clone()));
        let written = store.at_one_moment(|store| write(store, entry.id, &entry.config.name, what, &mut out));
        let written = written.map_err(|error| error.to_string());
        let written = written.and_then(|()| out.flush().map_err(|error| error.to_string()));
        if let Err(error) = written {
            tracing::warn!(error, "an export ended early");
            // The answer has begun, so it can only be cut off: then it cannot be mistaken for a complete one.
            let _ = writer.blocking_send(Err(io::ErrorKind::Other.into()));
        }
    });
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    let mut response = (kind, Body::new(Stream(reader))).into_response();
    for (name, text) in [(NOTHING_YET_HEADER, nothing_yet), (KEPT_FROM_HEADER, first_kept_day)] {
        if let Some(text) = text.and_then(|text| HeaderValue::from_str(&text).ok()) {
            response.headers_mut().insert(name, text);
        }
    }
    Ok(response)
}

pub(super) type Piece = io::Result<Bytes>;

/// Takes the written pieces.
struct Pieces(Sender<Piece>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes)));
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The body of an answer that is still being written.
pub(super) struct Stream(pub(super) Receiver<Piece>);

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
