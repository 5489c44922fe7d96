//! Names on the command line: `method` or `method:setting,setting=value`.

use std::fmt::Display;
use std::str::FromStr;

/// What is wrong with a method's name or settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NameError(pub(super) String);

/// A name taken apart; settings are taken out as they are understood.
pub(super) struct Name<'a> {
    pub(super) base: &'a str,
    settings: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> Name<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = text.trim();
        let (base, settings) = text.split_once(':').unwrap_or((text, ""));
        let settings = settings.split(',').map(str::trim).filter(|setting| !setting.is_empty());
        let pair = |setting: &'a str| match setting.split_once('=') {
            Some((key, value)) => (key.trim(), Some(value.trim())),
            None => (setting, None),
        };
        Self { base: base.trim(), settings: settings.map(pair).collect() }
    }

    /// Takes out one of the settings without a value that `choices` names, the first being the
    /// default.
    pub(super) fn choice<T: Copy>(&mut self, choices: &[(&str, T)]) -> Result<T, NameError> {
        let mut chosen = None;
        for &(word, choice) in choices {
            let known = self.settings.len();
            self.settings.retain(|&setting| setting != (word, None));
            if self.settings.len() < known
                && let Some((other, _)) = chosen.replace((word, choice))
            {
                return Err(NameError(format!("{} can be {other} or {word}, not both; choose one", self.base)));
            }
        }
        Ok(chosen.map_or(choices[0].1, |(_, choice)| choice))
    }

    /// Takes out the value of the setting `key`.
    pub(super) fn value<T: FromStr>(&mut self, key: &str, expected: &str) -> Result<Option<T>, NameError> {
        let mut found = None;
        for (_, value) in self.settings.extract_if(.., |(word, _)| *word == key) {
            let value = value.unwrap_or("");
            let fail = |_| {
                NameError(format!(
                    "{}: {key}={value:?} is not {expected}; write it like {}:{key}=...",
                    self.base, self.base
                ))
            };
            found = Some(value.parse().map_err(fail)?);
        }
        Ok(found)
    }

    /// Nothing may be left.
    pub(super) fn finish(&self, known: &[&str]) -> Result<(), NameError> {
        let Some((word, _)) = self.settings.first() else {
            return Ok(());
        };
        let known = if known.is_empty() {
            "it has none".to_owned()
        } else {
            format!("{}known are {}", nearest(word, known), known.join(", "))
        };
        Err(NameError(format!("unknown setting {word:?} of {}; {known}", self.base)))
    }

    /// No method of this kind has the name.
    pub(super) fn unknown(&self, kind: &str, known: &[&str]) -> NameError {
        let mut bases: Vec<&str> = known.iter().map(|name| name.split(':').next().unwrap_or(name)).collect();
        bases.dedup();
        NameError(format!(
            "unknown {kind} {:?}; {}known are {}",
            self.base,
            nearest(self.base, &bases),
            bases.join(", ")
        ))
    }
}

/// `did you mean "..."? `, where one is near.
fn nearest(word: &str, known: &[&str]) -> String {
    let near = |name: &&&str| strsim::jaro_winkler(&word.to_lowercase(), name) > 0.8;
    let likeness = |name: &&str| strsim::jaro_winkler(&word.to_lowercase(), name);
    let best = known.iter().filter(near).max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    best.map_or(String::new(), |name| format!("did you mean {name:?}? "))
}

/// Writes a name with the settings that are not the default.
pub(super) fn write(f: &mut std::fmt::Formatter<'_>, base: &str, settings: &[Option<String>]) -> std::fmt::Result {
    f.write_str(base)?;
    for (n, setting) in settings.iter().flatten().enumerate() {
        f.write_str(if n == 0 { ":" } else { "," })?;
        f.write_str(setting)?;
    }
    Ok(())
}

/// `key=value` unless the value is the default.
pub(super) fn unless<T: PartialEq + Display>(key: &str, value: T, default: T) -> Option<String> {
    (value != default).then(|| format!("{key}={value}"))
}

/// `word` if so.
pub(super) fn when(so: bool, word: &str) -> Option<String> {
    so.then(|| word.to_owned())
}
