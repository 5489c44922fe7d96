//! Text that names something and sets it: `rucb:alpha=0.6`, `team-draft:balanced,tau=2`, `pbm:navigational,length=5`.
//!
//! The text before the first colon is the name; settings follow, `key=value` or a word alone. Algorithms and problems separate
//! them with colons, methods of interleaving and click models with commas.

mod suggestion;

pub use suggestion::{did_you_mean, hint, nearest};

/// One setting: its key and, after `=`, its value. Without `=`, the word alone.
pub type Setting<'a> = (&'a str, Option<&'a str>);

/// The name that `text` begins with, and what follows its first colon; all parts without the blanks around them.
///
/// ```
/// use ranktypes::spec::{settings, split};
///
/// let (name, rest) = split(" team-draft: balanced, tau=2");
/// assert_eq!(name, "team-draft");
/// assert_eq!(settings(rest, ',').collect::<Vec<_>>(), [("balanced", None), ("tau", Some("2"))]);
/// assert_eq!(split("rucb"), ("rucb", ""));
/// ```
#[must_use]
pub fn split(text: &str) -> (&str, &str) {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    (name.trim(), rest.trim())
}

/// The settings of `rest`, which `separator` separates, in order; empty ones are left out.
pub fn settings(rest: &str, separator: char) -> impl Iterator<Item = Setting<'_>> {
    rest.split(separator).map(str::trim).filter(|setting| !setting.is_empty()).map(setting)
}

/// One setting taken apart at its first `=`.
///
/// ```
/// assert_eq!(ranktypes::spec::setting("alpha = 0.6"), ("alpha", Some("0.6")));
/// ```
#[must_use]
pub fn setting(text: &str) -> Setting<'_> {
    match text.split_once('=') {
        Some((key, value)) => (key.trim(), Some(value.trim())),
        None => (text.trim(), None),
    }
}
