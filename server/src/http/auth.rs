//! Authentication: keys, their roles, and what each role permits.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};

use super::sessions::{self, BrowserSession};
use super::{App, Problem};
use crate::store::{KeyRow, Role};

/// The caller of a request.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// Absent if the store has no keys and everybody on this machine may do everything.
    key: Option<KeyRow>,
}

impl Caller {
    /// The caller's name in the logs of experiments.
    #[must_use]
    pub(super) fn name(&self) -> String {
        match &self.key {
            None => "local".to_owned(),
            Some(key) if key.label.is_empty() => format!("key {}", key.id),
            Some(key) => format!("{} (key {})", key.label, key.id),
        }
    }

    /// The only experiment that the caller may use.
    #[must_use]
    pub(super) fn only_experiment(&self) -> Option<&str> {
        self.key.as_ref()?.experiment.as_deref()
    }

    /// Refuses experiments that the key is not for.
    pub(super) fn check_experiment(&self, name: &str) -> Result<(), Problem> {
        match self.only_experiment() {
            Some(bound) if bound != name => Err(Problem::new(
                StatusCode::FORBIDDEN,
                "this key is for another experiment; use a key of this experiment, or one for all",
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn check_role(&self, needed_role: Role) -> Result<(), Problem> {
        let Some(key) = &self.key else { return Ok(()) };
        if key.role == Role::Admin || key.role == needed_role {
            return Ok(());
        }
        let (needed_role, has) = (needed_role.name(), key.role.name());
        Err(Problem::new(
            StatusCode::FORBIDDEN,
            format!("this key may not do this: expected the role {needed_role} or admin, found {has}"),
        )
        .part("found", has)
        .part("expected", needed_role)
        .advice(format!("use a key with the role {needed_role}")))
    }

    /// The caller with these headers, if there is a key among them.
    fn of(parts: &Parts, app: &App) -> Result<Option<Self>, Problem> {
        let mut headers = parts.headers.get_all(header::AUTHORIZATION).iter();
        let Some(value) = headers.next() else { return Ok(None) };
        let refused = |detail: &str| Problem::new(StatusCode::UNAUTHORIZED, detail);
        if headers.next().is_some() {
            return Err(refused("there are two headers Authorization; send one"));
        }
        let text = value.to_str().ok().and_then(|text| text.split_once(' '));
        let Some(text) = text.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, key)| key.trim())
        else {
            return Err(refused("the header Authorization is not of the form: Bearer KEY"));
        };
        if app.is_open() {
            // There are no keys to compare with; a client with a configured key works all the same.
            return Ok(Some(Self { key: None }));
        }
        let unknown = || {
            app.audits.refused();
            refused("this key is unknown, was revoked or has expired; ask for one made by `rankduel-server keys add`")
        };
        app.keys.find(text, app.clock.now()).map(|key| Some(Self { key: Some(key) })).ok_or_else(unknown)
    }

    /// The reader of a page: identified by a header or a session cookie, or unnamed on a machine where everybody may read.
    fn of_reader(parts: &Parts, app: &App) -> Result<(Self, Option<BrowserSession>), Problem> {
        if let Some(caller) = Self::of(parts, app)? {
            return Ok((caller, None));
        }
        if let Some((key, pass)) = sessions::find(parts, app) {
            return Ok((Self { key: Some(key) }, Some(pass)));
        }
        if app.is_open() {
            return Ok((Self { key: None }, None));
        }
        Err(Problem::new(StatusCode::UNAUTHORIZED, "sign in with a key, or send the header Authorization: Bearer KEY"))
    }

    /// Whether the caller's key, if any, is still valid.
    pub(super) fn is_still_known(&self, app: &App) -> bool {
        self.key.as_ref().map_or_else(|| app.is_open(), |key| app.keys.of_id(key.id, app.clock.now()).is_some())
    }

    /// A caller with the text of a key.
    pub(super) fn of_key(text: &str, app: &App) -> Option<Self> {
        app.keys.find(text, app.clock.now()).map(|key| Self { key: Some(key) })
    }

    /// The key of the caller.
    pub(super) fn key(&self) -> Option<&KeyRow> {
        self.key.as_ref()
    }

    fn with_role(parts: &Parts, app: &App, needed_role: Role) -> Result<Self, Problem> {
        let caller = match Self::of(parts, app)? {
            Some(caller) => caller,
            None if app.is_open() => Self { key: None },
            None => {
                return Err(Problem::new(
                    StatusCode::UNAUTHORIZED,
                    "this call needs a key: send the header Authorization: Bearer KEY",
                ));
            }
        };
        caller.check_role(needed_role)?;
        Ok(caller)
    }
}

/// A caller with the role of `ROLE` in [`Role::ALL`], and for the experiment that the path names.
#[derive(Debug)]
pub(super) struct WithRole<const ROLE: usize>(pub Caller);

/// May change everything.
pub(super) type Admin = WithRole<0>;
/// May ask for impressions and send events.
pub(super) type ServeCaller = WithRole<1>;
/// May look at experiments.
pub(super) type ReadCaller = WithRole<2>;

/// Checks that the caller may have the experiment in the path, if there is one.
async fn check_path(caller: &Caller, parts: &mut Parts, app: &App) -> Result<(), Problem> {
    let params = RawPathParams::from_request_parts(parts, app).await;
    let params = params.map_err(|_| Problem::unknown("the path is not UTF-8"))?;
    match params.iter().find(|(param, _)| *param == "experiment") {
        Some((_, name)) => caller.check_experiment(name),
        None => Ok(()),
    }
}

impl<const ROLE: usize> FromRequestParts<App> for WithRole<ROLE> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let caller = Caller::with_role(parts, app, Role::ALL[ROLE])?;
        check_path(&caller, parts, app).await?;
        Ok(Self(caller))
    }
}

/// The reader of a page or a stream, with the role `read` for the experiment in the path.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    /// Who.
    pub(super) caller: Caller,
    /// The session, if the reader signed in.
    pub(super) pass: Option<BrowserSession>,
}

impl Reader {
    /// Whether the reader may change an experiment.
    pub(super) fn may_change(&self) -> bool {
        self.caller.check_role(Role::Admin).is_ok()
    }

    /// The token that forms of the reader's pages carry.
    pub(super) fn token<'a>(&'a self, app: &'a App) -> &'a str {
        self.pass.as_ref().map_or(&app.pages.open.0, |pass| &pass.token)
    }

    /// Whether the reader may still look.
    pub(super) fn is_still_known(&self, app: &App) -> bool {
        self.caller.is_still_known(app) && self.pass.as_ref().is_none_or(|pass| sessions::is_open(app, pass))
    }
}

impl FromRequestParts<App> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let (caller, pass) = Caller::of_reader(parts, app)?;
        caller.check_role(Role::Read)?;
        check_path(&caller, parts, app).await?;
        Ok(Self { caller, pass })
    }
}

/// A caller who may send events: no key is needed, because the ids of events are permissions. A key that is sent must be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    /// Has a key, or is on a machine where everybody may do everything.
    Known,
    /// A browser, or any other caller without a key.
    Public,
}

impl Sender {
    /// The sender of a request with these headers, if the key among them is right.
    pub(super) fn of(headers: &HeaderMap, app: &App) -> Self {
        if headers.contains_key(header::AUTHORIZATION) || app.is_open() { Self::Known } else { Self::Public }
    }
}

impl FromRequestParts<App> for Sender {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        if let Some(caller) = Caller::of(parts, app)? {
            caller.check_role(Role::Serve)?;
        }
        Ok(Self::of(&parts.headers, app))
    }
}

/// The only experiment that the key of a sender is for; none without a key, or if it is for all.
#[derive(Debug)]
pub(super) struct KeyExperiment(pub(super) Option<String>);

impl FromRequestParts<App> for KeyExperiment {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        Ok(Self(Caller::of(parts, app)?.and_then(|caller| caller.only_experiment().map(str::to_owned))))
    }
}
