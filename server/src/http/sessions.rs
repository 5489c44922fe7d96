//! Who is signed in: random names of sessions in cookies that no script can read and no other site can send. The server keeps their
//! hashes in memory alone, so that a restart signs everybody out.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use sha2::{Digest as _, Sha256};

use super::{App, Problem, elapsed};
use crate::ids;
use crate::store::KeyRow;

/// The cookie's name.
const COOKIE: &str = "rankduel_session";
/// How long a session lasts.
const LASTS: Duration = Duration::from_secs(12 * 60 * 60);
/// The most sessions; beyond, the oldest ends.
const MOST: usize = 1_000;

/// The hash of a session's name.
type Hash = [u8; 32];

/// A session that a request belongs to.
#[derive(Debug, Clone)]
pub(super) struct SignedIn {
    session: Hash,
    /// What forms of the session's pages send along.
    pub(super) token: String,
}

#[derive(Debug)]
struct Session {
    key: i64,
    token: String,
    began: Duration,
}

/// All sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    held: Mutex<BTreeMap<Hash, Session>>,
    /// What forms send along where nobody signs in.
    open: String,
}

impl Default for Sessions {
    fn default() -> Self {
        // Without random numbers, no form works.
        Self { held: Mutex::default(), open: random().unwrap_or_default() }
    }
}

impl Sessions {
    fn held(&self) -> MutexGuard<'_, BTreeMap<Hash, Session>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let now = elapsed();
        held.retain(|_, session| now.saturating_sub(session.began) < LASTS);
        held
    }

    /// What forms send along where nobody signs in.
    pub(super) fn open_token(&self) -> &str {
        &self.open
    }

    /// Begins a session of a key, and returns its cookie.
    pub(super) fn begin(&self, key: i64, is_secure: bool) -> Result<HeaderValue, Problem> {
        let unavailable = || Problem::unavailable("there are no random numbers at present");
        let (name, token) = (random().ok_or_else(unavailable)?, random().ok_or_else(unavailable)?);
        let mut held = self.held();
        if held.len() >= MOST {
            let oldest = held.iter().min_by_key(|(_, session)| session.began).map(|(hash, _)| *hash);
            oldest.map(|hash| held.remove(&hash));
        }
        held.insert(hash(&name), Session { key, token, began: elapsed() });
        // Without a path: the cookie is for the place of the form and what is below it, behind any proxy.
        let secure = if is_secure { "; Secure" } else { "" };
        let age = LASTS.as_secs();
        let cookie = format!("{COOKIE}={name}; HttpOnly; SameSite=Strict; Max-Age={age}{secure}");
        HeaderValue::from_str(&cookie).map_err(|_| unavailable())
    }

    /// The session of a request and its key, if both are still good.
    pub(super) fn find(&self, parts: &Parts, app: &App) -> Option<(KeyRow, SignedIn)> {
        let cookies = parts.headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut names = cookies.flat_map(|text| text.split(';')).filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == COOKIE).then_some(value)
        });
        let held = self.held();
        names.find_map(|name| {
            let session = hash(name);
            let Session { key, token, .. } = held.get(&session)?;
            Some((app.keys.of_id(*key, app.clock.now())?, SignedIn { session, token: token.clone() }))
        })
    }

    /// Whether nobody has signed out of a session, and it is not too old.
    pub(super) fn is_open(&self, pass: &SignedIn) -> bool {
        self.held().contains_key(&pass.session)
    }

    /// Ends a session.
    pub(super) fn end(&self, pass: &SignedIn) {
        self.held().remove(&pass.session);
    }
}

/// The cookie of a session that has ended.
pub(super) fn no_cookie() -> HeaderValue {
    HeaderValue::from_static("rankduel_session=; HttpOnly; SameSite=Strict; Max-Age=0")
}

/// Whether two texts are the same, in a time that does not depend on how much of them agrees. An empty one is like no other.
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
    fn sessions_are_few_and_the_oldest_goes() {
        let sessions = Sessions::default();
        for key in 0..MOST as i64 + 50 {
            let cookie = sessions.begin(key, key % 2 == 0).expect("a cookie");
            let text = cookie.to_str().expect("ASCII").to_owned();
            assert!(text.contains("; HttpOnly; SameSite=Strict;"), "{text}");
            assert_eq!(text.ends_with("; Secure"), key % 2 == 0, "{text}");
        }
        assert_eq!(sessions.held().len(), MOST);
        assert_ne!(sessions.open_token(), Sessions::default().open_token());
    }
}
