//! One request, for the missing part of the partial file.

use std::io::Read;
use std::time::{Duration, Instant};

use ureq::Agent;
use ureq::http::{HeaderMap, StatusCode};

use fetch::{MirroredFile, Watch, space};

use super::Settings;
use super::partial_file::PartialFile;

/// Why a request did not complete the file.
#[derive(Debug)]
pub(super) enum Fault {
    /// The same address may work later, after `wait` if the server asks for that.
    Again { reason: String, wait: Option<Duration> },
    /// This address will not work, another may.
    Elsewhere(String),
    /// No address will work.
    Nowhere(anyhow::Error),
}

impl From<std::io::Error> for Fault {
    /// For files; faults of the connection are classified where they occur.
    fn from(error: std::io::Error) -> Self {
        Self::Nowhere(anyhow::Error::new(error).context("failed to write the download"))
    }
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Self {
        Self::Nowhere(error)
    }
}

fn retryable(reason: impl Into<String>) -> Fault {
    Fault::Again { reason: reason.into(), wait: None }
}

pub(super) fn agent(patience: Duration) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_resolve(Some(patience))
        .timeout_connect(Some(patience))
        .timeout_recv_response(Some(patience))
        .timeout_per_read(Some(patience))
        .user_agent(concat!("online-ranker-evaluation/", env!("CARGO_PKG_VERSION")));
    config.build().into()
}

/// Requests what `aside` lacks of the file from `address` and appends it.
pub(super) fn fetch(
    agent: &Agent,
    address: &str,
    wanted: &MirroredFile<'_>,
    aside: &mut PartialFile,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<(), Fault> {
    if aside.resumable(address) == 0 {
        aside.restart()?;
    }
    let have = aside.len();
    if have > 0 && wanted.expected.bytes == Some(have) {
        return Ok(());
    }
    // A transfer that is decompressed on the way cannot be resumed.
    let mut request = agent.get(address).header("accept-encoding", "identity");
    if let Some(validator) = aside.validator().filter(|_| have > 0) {
        request = request.header("range", format!("bytes={have}-")).header("if-range", validator);
    }
    if is_local_address(address) {
        request = request.config().proxy(None).build();
    }
    let response = request.call().map_err(|error| match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::TooManyRedirects => {
            Fault::Elsewhere(error.to_string())
        }
        _ => retryable(error.to_string()),
    })?;
    let (status, headers) = (response.status(), response.headers().clone());
    match status {
        StatusCode::OK => {
            if have > 0 {
                // The file has changed, or the server does not support ranges.
                aside.restart()?;
            }
        }
        StatusCode::PARTIAL_CONTENT if range_start(&headers) == Some(have) => {}
        StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE if have > 0 => {
            aside.restart()?;
            return Err(retryable("the server sent another part than the one requested"));
        }
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => return Err(refused_status(status, &headers)),
        _ if status.is_server_error() => return Err(refused_status(status, &headers)),
        _ => return Err(Fault::Elsewhere(format!("the server answered {status}"))),
    }
    let have = aside.len();
    let total = header_number(&headers, "content-length").map(|rest| have.saturating_add(rest));
    if let (Some(total), Some(expected)) = (total, wanted.expected.bytes)
        && total != expected
    {
        aside.restart()?;
        return Err(Fault::Elsewhere(format!("the server has {total} bytes, expected {expected}")));
    }
    let total = total.or(wanted.expected.bytes);
    let most = wanted.expected.bytes.unwrap_or(settings.most_bytes);
    if let Some(total) = total.filter(|&total| total > most) {
        aside.restart()?;
        return Err(Fault::Elsewhere(format!("the server has {total} bytes, no more than {most} are accepted")));
    }
    make_room(aside, total.map_or(0, |total| total - have), settings)?;
    if have == 0 {
        aside.comes_from(address, validator(&headers))?;
    }
    watch.start(wanted.file, have, total);
    receive(response.into_body().into_reader(), (total, most), aside, settings, watch)
}

/// Appends `body`, which has to end at `total` bytes if that is known, and at `most` bytes in any case.
fn receive(
    mut body: impl Read,
    (total, most): (Option<u64>, u64),
    aside: &mut PartialFile,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<(), Fault> {
    let mut buffer = vec![0; 1 << 16];
    let (mut window, mut received) = (Instant::now(), 0);
    let cut = |aside: &PartialFile, why: &str| match total {
        Some(total) => retryable(format!("{why} after {} of {total} bytes", aside.len())),
        None => retryable(format!("{why} after {} bytes", aside.len())),
    };
    loop {
        match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                let limit = total.unwrap_or(most);
                if aside.len() + read as u64 > limit {
                    aside.restart()?;
                    return Err(Fault::Elsewhere(format!("the server sends more than {limit} bytes")));
                }
                aside.append(&buffer[..read])?;
                watch.advance(read as u64);
                received += read as u64;
                let elapsed = window.elapsed();
                if elapsed >= settings.window {
                    if (received as f64) < settings.floor as f64 * elapsed.as_secs_f64() {
                        let slow = format!("the server sent fewer than {} bytes per second", settings.floor);
                        return Err(cut(aside, &slow));
                    }
                    (window, received) = (Instant::now(), 0);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(cut(aside, &format!("the connection broke ({error})"))),
        }
    }
    match total {
        Some(total) if aside.len() < total => Err(cut(aside, "the connection ended")),
        _ => Ok(()),
    }
}

fn make_room(aside: &PartialFile, bytes: u64, settings: &Settings) -> Result<(), Fault> {
    let folder = aside.path().parent().unwrap_or(aside.path());
    space::ensure(folder, bytes, settings.room).map_err(Fault::Nowhere)
}

fn refused_status(status: StatusCode, headers: &HeaderMap) -> Fault {
    let wait = header_number(headers, "retry-after").map(Duration::from_secs);
    Fault::Again { reason: format!("the server answered {status}"), wait }
}

fn header_number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// Where a part begins, from `bytes 100-199/200`.
fn range_start(headers: &HeaderMap) -> Option<u64> {
    let range = headers.get("content-range")?.to_str().ok()?;
    range.trim().strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}

/// The identity of a version of a file: a strong entity tag, or the time of the last change.
fn validator(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    text("etag").filter(|tag| !tag.starts_with("W/")).or_else(|| text("last-modified"))
}

/// Whether `address` is on this machine, which no proxy reaches.
fn is_local_address(address: &str) -> bool {
    ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"].iter().any(|here| address.starts_with(here))
}
