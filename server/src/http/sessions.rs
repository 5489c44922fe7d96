//! Sign-ins: random names of sessions in cookies that no script can read and no other site can send. They are stored in
//! [`SignIns`](crate::store::SignIns): with a store in a file, a restart signs all users out.

use std::time::Duration;

use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use sha2::{Digest as _, Sha256};

use super::{App, Problem};
use crate::ids;
use crate::store::{KeyRow, SignIn};

/// The cookie's name.
const COOKIE_NAME: &str = "rankduel_session";
/// The lifetime of a session.
const SESSION_LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);

/// The hash of a session's name.
type Hash = [u8; 32];

/// A session that a request belongs to.
#[derive(Debug, Clone)]
pub(super) struct BrowserSession {
    session: Hash,
    /// The token that forms of the session's pages carry.
    pub(super) token: String,
}

impl BrowserSession {
    fn of(name: &str) -> Self {
        // Derived from the name, so that any server can compute it; the name cannot be derived from it.
        let token = Sha256::new().chain_update(b"form\0").chain_update(name.as_bytes()).finalize();
        Self { session: hash(name), token: ids::encode(&token) }
    }
}

/// The form token of a server without keys, where there are no sign-ins.
#[derive(Debug)]
pub(super) struct OpenToken(pub(super) String);

impl Default for OpenToken {
    fn default() -> Self {
        // Without random numbers, no form works.
        Self(random().unwrap_or_default())
    }
}

/// Begins a session of a key, and returns its cookie.
pub(super) async fn begin(app: &App, key: i64, is_secure: bool) -> Result<HeaderValue, Problem> {
    let unavailable = || Problem::unavailable("there are no random numbers at present");
    let name = random().ok_or_else(unavailable)?;
    let now = app.clock.now();
    let sign_in = SignIn { hash: hash(&name), key, until: now + SESSION_LIFETIME.as_millis() as i64 };
    keep(app, Some(sign_in), sign_in.hash).await?;
    app.sign_ins.add(sign_in, now);
    cookie(&name, is_secure).ok_or_else(unavailable)
}

/// The session of a request and its key, if both are still good.
pub(super) fn find(parts: &Parts, app: &App) -> Option<(KeyRow, BrowserSession)> {
    let cookies = parts.headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut names = cookies.flat_map(|text| text.split(';')).filter_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == COOKIE_NAME).then_some(value)
    });
    let now = app.clock.now();
    names.find_map(|name| {
        let pass = BrowserSession::of(name);
        Some((app.keys.of_id(app.sign_ins.key(&pass.session, now)?, now)?, pass))
    })
}

/// Whether a session is still open: not signed out of, and not too old.
pub(super) fn is_open(app: &App, pass: &BrowserSession) -> bool {
    app.sign_ins.key(&pass.session, app.clock.now()).is_some()
}

/// Ends a session.
pub(super) async fn end(app: &App, pass: &BrowserSession) -> Result<(), Problem> {
    keep(app, None, pass.session).await?;
    app.sign_ins.remove(&pass.session);
    Ok(())
}

/// Keeps a sign-in in the store, or forgets the one of a hash there. A file has none: its server holds them in memory alone.
async fn keep(app: &App, sign_in: Option<SignIn>, hash: Hash) -> Result<(), Problem> {
    if app.node().is_none() {
        return Ok(());
    }
    let kept = app.writer.call(Some(app.settings.request_timeout), move |session| match sign_in {
        Some(sign_in) => session.keep_sign_in(sign_in),
        None => session.forget_sign_in(hash),
    });
    kept.await
        .map_err(|_| Problem::unavailable("who is signed in cannot be written down at present; try again in a moment"))
}

/// Without a path: the cookie is for the path of the form and everything below, behind any proxy.
fn cookie(name: &str, is_secure: bool) -> Option<HeaderValue> {
    let secure = if is_secure { "; Secure" } else { "" };
    let age = SESSION_LIFETIME.as_secs();
    HeaderValue::from_str(&format!("{COOKIE_NAME}={name}; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")).ok()
}

/// The cookie of a session that has ended.
pub(super) fn no_cookie() -> HeaderValue {
    HeaderValue::from_static("rankduel_session=; HttpOnly; SameSite=Strict; Max-Age=0")
}

/// Whether two texts are equal, in a time that does not depend on their common part. An empty one equals no other.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    !a.is_empty() && hash(a).iter().zip(hash(b)).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// 256 random bits as text; `None` if the system has none.
pub(super) fn random() -> Option<String> {
    let mut bits = [0_u8; 32];
    getrandom::fill(&mut bits).ok()?;
    Some(ids::encode(&bits))
}

fn hash(name: &str) -> Hash {
    Sha256::digest(name.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_compared_whole() {
        assert!(is_same("abc", "abc") && !is_same("abc", "abd") && !is_same("", "") && !is_same("ab", "abc"));
    }

    #[test]
    fn cookies_are_for_this_server_alone() {
        for is_secure in [false, true] {
            let cookie = cookie("abc", is_secure).unwrap();
            let text = cookie.to_str().unwrap();
            assert!(text.contains("=abc; HttpOnly; SameSite=Strict;"), "{text}");
            assert_eq!(text.ends_with("; Secure"), is_secure, "{text}");
        }
    }

    #[test]
    fn tokens_of_forms_are_those_of_their_session() {
        let [one, other] = ["one", "other"].map(BrowserSession::of);
        assert_eq!(one.token, BrowserSession::of("one").token);
        assert!(one.token != other.token && one.token != ids::encode(&one.session));
        assert_ne!(OpenToken::default().0, OpenToken::default().0);
    }
}
