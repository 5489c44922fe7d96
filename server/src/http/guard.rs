//! Guards around every request and answer: hosts, origins, rates, headers, a log line.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::{App, Problem, nodes};

/// Headers of every answer, unless it has its own: most are data, and nothing may be kept.
const RESPONSE_HEADERS: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CACHE_CONTROL, "no-store"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (RESOURCE_POLICY, "same-origin"),
];
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Where `sendBeacon` sends to. It always sends cookies, so browsers hold its JSON back unless the server allows credentials. This call
/// reads no cookie; those that do, the pages, never allow it.
const BEACON_PATH: &str = "/v1/events";

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The headers that proxies add.
const FORWARDING_HEADERS: [HeaderName; 6] = [
    header::FORWARDED,
    header::VIA,
    X_FORWARDED_FOR,
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-forwarded-proto"),
    HeaderName::from_static("x-real-ip"),
];

/// The paths of health checks, open to everybody.
const HEALTH_PATHS: [&str; 3] = ["/health", "/ready", "/metrics"];

/// The guard around all routes.
pub(super) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    // The template: what callers put into the path stays out of logs.
    let path = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
    let origin = request.headers().get(header::ORIGIN).cloned();
    let is_beacon = path == BEACON_PATH;
    let mut response = match admit(&app, &request) {
        Err(problem) => problem.into_response(),
        Ok(()) if is_preflight(&request) => preflight(),
        Ok(()) => catch_panics(next.run(request)).await,
    };
    let headers = response.headers_mut();
    for (name, value) in RESPONSE_HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin.filter(|origin| origin.to_str().is_ok_and(|origin| is_listed(&app, origin))) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        // Otherwise browsers report that they blocked the answer to a beacon.
        headers.insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("retry-after"));
        if is_beacon {
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        }
    }
    let (status, time) = (response.status(), start.elapsed());
    app.metrics.answers.count(match status.as_u16() / 100 {
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        5 => "5xx",
        _ => "other",
    });
    app.metrics.seconds.observe(time);
    tracing::debug!(%method, path, status = status.as_u16(), microseconds = time.as_micros() as u64, "request");
    response
}

/// The answer of a handler, or a problem if it panicked: the caller gets an answer, and other calls go on.
async fn catch_panics(handler: impl Future<Output = Response>) -> Response {
    let mut handler = pin!(handler);
    let answer = poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(context)));
        match polled {
            Ok(polled) => polled.map(Some),
            Err(_) => Poll::Ready(None),
        }
    });
    answer.await.unwrap_or_else(|| {
        tracing::error!("a handler ended by a fault of the program");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the server has a fault; its log says where").into_response()
    })
}

fn admit(app: &App, request: &Request) -> Result<(), Problem> {
    let forbidden = |detail: String| Problem::new(StatusCode::FORBIDDEN, detail);
    let host = host(request.uri(), request.headers());
    if host.is_none() && !is_hostless_check(request) {
        let detail = "the request has no Host, two of them, or one that is not text; send one";
        return Err(Problem::new(StatusCode::BAD_REQUEST, detail));
    }
    if app.is_open() && host.as_ref().is_some_and(|host| !is_loopback(host)) {
        return Err(forbidden(
            "the store has no keys, so the server answers only requests for localhost; make a key with `rankduel-server keys add`"
                .to_owned(),
        ));
    }
    if app.is_open() && is_forwarded(request) {
        return Err(forbidden(
            "the store has no keys, so the server answers only requests that come straight from this machine, and a proxy sent this \
            one; make a key with `rankduel-server keys add`"
                .to_owned(),
        ));
    }
    let mut origins = request.headers().get_all(header::ORIGIN).iter();
    if let Some(origin) = origins.next() {
        let text = origin.to_str().unwrap_or("");
        let is_own = host.as_ref().is_some_and(|host| is_own(text, host));
        if origins.next().is_some() || !(is_own || is_listed(app, text)) {
            return Err(forbidden("pages of this origin may not call the server; add it to --origins".to_owned()));
        }
    }
    // Liveness checks always get an answer.
    if HEALTH_PATHS.contains(&request.uri().path()) {
        return Ok(());
    }
    let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>() else { return Ok(()) };
    let most = app.settings.address_rate;
    if app.rates.admits(counted_network(client(app, peer.ip(), request.headers())), most) {
        return Ok(());
    }
    Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, format!("more than {most} requests a second from this address"))
        .advice("send the same request again after the time in Retry-After")
        .retry_after(1))
}

/// Whether a proxy sent this: by its headers, or by HTTP/1.0, which nginx speaks by default and hardly anything else does.
fn is_forwarded(request: &Request) -> bool {
    let says_so = FORWARDING_HEADERS.iter().any(|name| request.headers().contains_key(name));
    says_so || request.version() == Version::HTTP_10 && !HEALTH_PATHS.contains(&request.uri().path())
}

/// Whether this is a check by HTTP/1.0 without `Host`: balancers and monitors send that. No browser does, so that no name server can lead
/// one here.
fn is_hostless_check(request: &Request) -> bool {
    let (version, uri) = (request.version(), request.uri());
    version == Version::HTTP_10
        && uri.authority().is_none()
        && !request.headers().contains_key(header::HOST)
        && HEALTH_PATHS.contains(&uri.path())
}

/// Whether an origin belongs to a server with this host.
fn is_own(origin: &str, host: &str) -> bool {
    origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")).is_some_and(|own| own == host)
}

/// Whether a request comes from a page of this server, according to its headers.
pub(super) fn is_from_own_page(parts: &Parts) -> bool {
    let origin = parts.headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or("null"));
    let host = host(&parts.uri, &parts.headers);
    origin.is_none_or(|origin| host.is_some_and(|host| is_own(origin, &host)))
}

fn is_listed(app: &App, origin: &str) -> bool {
    app.settings.origins.iter().any(|listed| listed == origin)
}

/// The host that the request is for.
fn host(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next()?.to_str().ok()?;
    let same = uri.authority().is_none_or(|authority| authority.as_str() == host);
    (hosts.next().is_none() && same).then(|| host.to_owned())
}

/// Names of this machine that no other name server can give out.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').filter(|(_, port)| port.is_empty() || is_port(port)).map(|(name, _)| name),
        None => match host.find(':') {
            Some(at) => is_port(&host[at..]).then(|| &host[..at]),
            None => Some(host),
        },
    };
    name.is_some_and(|name| {
        name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}

fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

/// Whether a browser asks if a page may call.
fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to it; other headers state whether the origin is allowed.
fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type"),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// The client of a request: the peer, or, if that is a trusted proxy, the last address it names that is not one of these.
pub(super) fn client(app: &App, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    // Another node has determined it already.
    if let Some(client) = nodes::client_of_node(app, headers) {
        return client;
    }
    let is_trusted = |address: IpAddr| app.settings.trusted_proxies.iter().any(|network| network.contains(address));
    if !is_trusted(peer) {
        return peer;
    }
    let named = forwarded_addresses(headers);
    // The first of all if each is a proxy; an unreadable address ends the chain.
    let mut last = peer;
    for address in named.into_iter().rev() {
        let Some(address) = address else { return last };
        last = address;
        if !is_trusted(address) {
            return address;
        }
    }
    last
}

/// The addresses that a request was forwarded for, from the first to the last; `None` for one that cannot be read.
fn forwarded_addresses(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let texts = |name: &HeaderName| -> Vec<String> {
        let values = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?"));
        values.flat_map(|text| text.split(',')).map(|text| text.trim().to_owned()).collect()
    };
    if headers.contains_key(header::FORWARDED) {
        let of_element = |element: &String| {
            let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
            let (_, node) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
            address(node.trim().trim_matches('"'))
        };
        return texts(&header::FORWARDED).iter().map(of_element).collect();
    }
    texts(&X_FORWARDED_FOR).iter().map(|text| address(text)).collect()
}

/// An address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(text, |(inner, _)| inner);
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    bare.parse().ok().or_else(with_port)
}

/// The address that a rate counts: for IPv6, all of its network.
fn counted_network(address: IpAddr) -> IpAddr {
    let address = address.to_canonical();
    if address.is_ipv6() { crate::settings::prefix(address, 64).unwrap_or(address) } else { address }
}

/// The requests for something in this second.
#[derive(Debug)]
pub(super) struct Rates<K> {
    second: Mutex<(u64, BTreeMap<Option<K>, u32>)>,
}

impl<K> Default for Rates<K> {
    fn default() -> Self {
        Self { second: Mutex::default() }
    }
}

impl<K: Ord + Copy> Rates<K> {
    /// The most that are counted; all others share one count.
    const MAX_ADDRESSES: usize = 65_536;

    /// Counts one more; whether there are at most `max_requests` of them in this second, or `max_requests` is 0.
    pub(super) fn admits(&self, of: K, max_requests: u32) -> bool {
        if max_requests == 0 {
            return true;
        }
        let now = super::elapsed().as_secs();
        let mut held = self.second.lock().unwrap_or_else(PoisonError::into_inner);
        let (second, counts) = &mut *held;
        if *second != now {
            *second = now;
            counts.clear();
        }
        let of = Some(of).filter(|_| counts.len() < Self::MAX_ADDRESSES || counts.contains_key(&Some(of)));
        let count = counts.entry(of).or_insert(0);
        *count = count.saturating_add(1);
        *count <= max_requests
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_a_handler_is_answered() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let status = |handler: fn() -> Response| runtime.block_on(catch_panics(async move { handler() })).status();
        assert_eq!(status(|| "fine".into_response()), 200);
        assert_eq!(status(|| panic!("a fault")), 500);
    }

    #[test]
    fn loopback_is_recognised_and_nothing_else() {
        for host in ["localhost", "LOCALHOST:7077", "127.0.0.1", "127.9.9.9:80", "[::1]", "[::1]:7077"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "localhost.example",
            "localhost:x",
            "127.0.0.1.example",
            "[::1]x",
            "[::1",
            "::1",
            "0.0.0.0",
            "evil@localhost",
            "localhost:80:80",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn an_address_has_its_rate() {
        let rates = Rates::default();
        let admitted = |address: &str| {
            let address = counted_network(address.parse().expect("an address"));
            (0..20).filter(|_| rates.admits(address, 3)).count()
        };
        // The second may change once meanwhile.
        assert!((3..=6).contains(&admitted("127.0.0.1")));
        assert!((3..=6).contains(&admitted("127.0.0.2")));
        // A network of IPv6 is one.
        assert!((3..=6).contains(&(admitted("2001:db8::1") + admitted("2001:db8::2"))));
        assert!((3..=6).contains(&admitted("2001:db8:0:1::1")));
        assert!((0..20).all(|_| rates.admits(IpAddr::from([127, 0, 0, 1]), 0)));
    }

    #[test]
    fn forwarded_addresses_are_read_in_all_forms() {
        let of = |pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value"));
            }
            forwarded_addresses(&headers)
                .into_iter()
                .map(|one| one.map_or("?".to_owned(), |one| one.to_string()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of(&[("x-forwarded-for", "1.2.3.4, 10.0.0.1:80"), ("x-forwarded-for", "::1")]),
            ["1.2.3.4", "10.0.0.1", "::1"]
        );
        assert_eq!(
            of(&[("forwarded", "for=1.2.3.4;proto=https, FOR=\"[2001:db8::1]:99\"")]),
            ["1.2.3.4", "2001:db8::1"]
        );
        assert_eq!(of(&[("forwarded", "for=unknown, by=1.2.3.4"), ("x-forwarded-for", "9.9.9.9")]), ["?", "?"]);
        assert!(of(&[]).is_empty());
    }
}
