//! Methods by name, `method` or `method:setting,setting=value`: how a name is read, written and refused.

use std::fmt::{self, Display};
use std::str::FromStr;

use ranktypes::spec::{self, Setting, hint};

/// A method's name or settings that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NameError {
    kind: NameErrorKind,
    message: String,
}

/// The kinds of [`NameError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameErrorKind {
    /// No method has the name.
    UnknownMethod,
    /// The method does not have the setting.
    UnknownSetting,
    /// Two settings exclude each other.
    Conflict,
    /// The value of a setting cannot be read or is out of range.
    Value,
}

impl NameError {
    pub(crate) fn new(kind: NameErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> NameErrorKind {
        self.kind
    }
}

impl From<crate::TauError> for NameError {
    fn from(error: crate::TauError) -> Self {
        Self::new(NameErrorKind::Value, error.to_string())
    }
}

/// A method as one line of a table: its name, its settings with their defaults, and its paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodRow {
    /// The base name.
    pub base: &'static str,
    /// The word that selects this method among those of one base name.
    pub variant: Option<&'static str>,
    /// The settings, in Markdown.
    pub settings: &'static str,
    /// The paper, as author and year.
    pub paper: &'static str,
    /// The paper's DOI.
    pub doi: &'static str,
}

impl MethodRow {
    /// The heading of a table of these rows.
    pub const HEADING: &'static str = "| name | settings | paper |\n|---|---|---|";

    /// The row in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let Self { base, variant, settings, paper, doi } = self;
        let name = variant.map_or_else(|| (*base).to_owned(), |variant| format!("{base}:{variant}"));
        format!("| `{name}` | {settings} | [{paper}](https://doi.org/{doi}) |")
    }
}

/// Who answers for the documents of a method's lists, and whether fair coins decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ownership {
    /// Neither: no document belongs to one ranker, and no fair coin gives a ranker an advantage.
    Shared,
    /// A fair coin decides which ranker comes first; no document belongs to one ranker.
    FirstByCoin,
    /// Each document belongs to a ranker, but not in rounds: one ranker may add several before the other does, whether by coins or
    /// otherwise.
    Owned,
    /// Each document belongs to a ranker, and in each round every ranker with documents left adds one; fair coins decide which ranker
    /// picks first. What the coins explain of an outcome, and the check that they were fair, rely on it.
    Drafted,
}

impl Ownership {
    /// Whether receipts say which ranker owns each document
    /// ([`MixedReceipt::owners`](crate::receipt::MixedReceipt::owners)).
    #[must_use]
    pub fn has_owners(self) -> bool {
        matches!(self, Self::Owned | Self::Drafted)
    }

    /// Whether receipts show which ranker fair coins favoured.
    #[must_use]
    pub fn has_coins(self) -> bool {
        matches!(self, Self::FirstByCoin | Self::Drafted)
    }
}

/// A method that `Any...` makes from its name.
pub(crate) trait NamedMethod: Sized {
    /// The base name; several methods may share it.
    const BASE: &'static str;
    /// The setting that selects this method among those of its base name; the default has none.
    const VARIANT: Option<&'static str> = None;
    /// Every variant worth a line in a table, by full name.
    const NAMES: &'static [&'static str];
    /// The words that [`read`](Self::read) understands, for refusals.
    const SETTINGS: &'static [&'static str];
    /// Settings, paper and DOI.
    const ABOUT: (&'static str, &'static str, &'static str);
    /// Who answers for its documents. With owners, its receipts' [`Pack::owners`](crate::support::pack::Pack::owners) names them.
    const OWNERSHIP: Ownership;

    /// Takes its settings out of `name`.
    fn read(name: &mut Name<'_>) -> Result<Self, NameError>;

    /// Its settings other than the defaults, [`VARIANT`](Self::VARIANT) apart.
    fn settings(&self) -> Vec<String>;

    /// Its line in tables.
    fn row() -> MethodRow {
        let (settings, paper, doi) = Self::ABOUT;
        MethodRow { base: Self::BASE, variant: Self::VARIANT, settings, paper, doi }
    }

    /// Writes its full name.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::BASE)?;
        let settings = Self::VARIANT.map(str::to_owned).into_iter().chain(self.settings());
        for (n, setting) in settings.enumerate() {
            f.write_str(if n == 0 { ":" } else { "," })?;
            f.write_str(&setting)?;
        }
        Ok(())
    }
}

/// A name taken apart; settings are taken out as they are understood.
pub(crate) struct Name<'a> {
    base: &'a str,
    settings: Vec<Setting<'a>>,
}

impl<'a> Name<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let (base, settings) = spec::split(text);
        Self { base, settings: spec::settings(settings, ',').collect() }
    }

    /// The method, if the name is of this one: by its variant where `by_variant`, as the default otherwise.
    pub(crate) fn method<M: NamedMethod>(&mut self, by_variant: bool) -> Option<Result<M, NameError>> {
        let is_chosen = match M::VARIANT {
            Some(variant) => by_variant && self.base == M::BASE && self.take(variant),
            None => !by_variant && self.base == M::BASE,
        };
        is_chosen.then(|| {
            let method = M::read(self)?;
            self.finish::<M>()?;
            Ok(method)
        })
    }

    /// Takes out a setting without a value; whether it was there.
    fn take(&mut self, word: &str) -> bool {
        let known = self.settings.len();
        self.settings.retain(|&setting| setting != (word, None));
        self.settings.len() < known
    }

    /// Takes out one of the settings without a value that `choices` names, the first being the default.
    pub(crate) fn choice<T: Copy>(&mut self, choices: &[(&str, T)]) -> Result<T, NameError> {
        let mut chosen = None;
        for &(word, choice) in choices {
            if self.take(word)
                && let Some((other, _)) = chosen.replace((word, choice))
            {
                let message = format!("{} can be {other} or {word}, not both; choose one", self.base);
                return Err(NameError::new(NameErrorKind::Conflict, message));
            }
        }
        Ok(chosen.map_or(choices[0].1, |(_, choice)| choice))
    }

    /// Takes out the value of the setting `key`, which is `expected`.
    pub(crate) fn value<T: FromStr>(&mut self, key: &str, expected: &str) -> Result<Option<T>, NameError> {
        let mut found = None;
        for (_, value) in self.settings.extract_if(.., |(word, _)| *word == key) {
            let value = value.unwrap_or("");
            let fail = |_| {
                let base = self.base;
                let message = format!("{base}: {key}={value:?} is not {expected}; write it as {base}:{key}=...");
                NameError::new(NameErrorKind::Value, message)
            };
            found = Some(value.parse().map_err(fail)?);
        }
        Ok(found)
    }

    /// Takes out the exponent `tau`, 3 unless given.
    pub(crate) fn tau(&mut self) -> Result<f64, NameError> {
        Ok(self.value("tau", "a number from 0 up")?.unwrap_or(TAU))
    }

    /// Refuses settings that are left.
    fn finish<M: NamedMethod>(&self) -> Result<(), NameError> {
        let Some((word, _)) = self.settings.first() else {
            return Ok(());
        };
        let method = M::VARIANT.map_or_else(|| M::BASE.to_owned(), |variant| format!("{}:{variant}", M::BASE));
        let known = match M::SETTINGS {
            [] => "it has none".to_owned(),
            known => format!("known are {}{}", known.join(", "), hint(word, known)),
        };
        let message = format!("unknown setting {word:?} of {method}; {known}");
        Err(NameError::new(NameErrorKind::UnknownSetting, message))
    }

    /// No method of this kind has the name.
    pub(crate) fn unknown_method_error(&self, kind: &str, known: &[&str]) -> NameError {
        let mut bases: Vec<&str> = known.iter().map(|name| name.split(':').next().unwrap_or(name)).collect();
        bases.sort_unstable();
        bases.dedup();
        let message =
            format!("unknown {kind} {:?}; known are {}{}", self.base, bases.join(", "), hint(self.base, &bases));
        NameError::new(NameErrorKind::UnknownMethod, message)
    }
}

/// The default of every method's `tau`.
const TAU: f64 = 3.0;

/// `key=value` unless the value is the default.
pub(crate) fn setting_unless_default<T: PartialEq + Display>(key: &str, value: T, default: T) -> Option<String> {
    (value != default).then(|| format!("{key}={value}"))
}

/// `tau=value` unless it is the default.
pub(crate) fn tau_unless_default(tau: f64) -> Option<String> {
    setting_unless_default("tau", tau, TAU)
}

/// `word` where it applies.
pub(crate) fn setting_if(applies: bool, word: &str) -> Option<String> {
    applies.then(|| word.to_owned())
}
