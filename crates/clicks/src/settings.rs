//! A click model as text, `probabilities,key=value,...`, taken apart, and the trait by which each kind of model reads it.

use std::fmt::Display;
use std::str::FromStr;

use ranktypes::spec::{self, hint};

use crate::error::{ClickError, ClickErrorKind};

/// The settings of one model; values are taken out as they are understood.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// The parts without `=`, joined again: a preset's name, or a probability for each grade.
    pub(crate) probabilities: String,
    values: Vec<(String, String)>,
}

impl Settings {
    /// From the text form.
    pub(crate) fn parse(text: &str) -> Self {
        let mut settings = Self::default();
        let mut pairs = Vec::new();
        for part in text.split(',') {
            match spec::setting(part) {
                (key, Some(value)) => settings.push(key, value),
                (_, None) => pairs.push(part),
            }
        }
        settings.probabilities = pairs.join(",").trim().to_owned();
        settings
    }

    /// Adds one setting.
    pub(crate) fn push(&mut self, key: &str, value: &str) {
        self.values.push((key.to_owned(), value.to_owned()));
    }

    /// Takes out the value of `key`, which is `expected`.
    pub(crate) fn take<T: FromStr>(&mut self, key: &str, expected: &str) -> Result<Option<T>, ClickError> {
        let mut found = None;
        for (_, value) in self.values.extract_if(.., |(word, _)| word == key) {
            let fail = |reason: String| ClickError::new(ClickErrorKind::Setting, reason);
            if found.is_some() {
                return Err(fail(format!("click models take one {key}, not two; leave one out")));
            }
            let value = value.parse().map_err(|_| fail(format!("{key}={value:?} is not {expected}")))?;
            found = Some(value);
        }
        Ok(found)
    }

    /// Refuses the settings that are left; `model` takes the `known` settings.
    pub(crate) fn refuse_rest(&self, model: &str, known: &[&str]) -> Result<(), ClickError> {
        let Some((key, _)) = self.values.first() else {
            return Ok(());
        };
        let takes = if known.is_empty() { "no settings".to_owned() } else { known.join(", ") };
        let hint = hint(key, known);
        let message = format!("unknown setting {key:?} of {model} click models, which take {takes}{hint}");
        Err(ClickError::new(ClickErrorKind::Setting, message))
    }
}

/// The specification of one kind of model, checked as far as it can be without a data set.
pub(crate) trait ModelSpec: Sized + Display {
    /// The model it describes.
    type Model;

    /// The name before the colon of the text form; empty for the model that needs no name.
    const NAME: &'static str;

    /// From settings, all of them.
    fn from_settings(settings: Settings) -> Result<Self, ClickError>;

    /// The model for a data set with labels up to `max_label`.
    fn resolve(&self, max_label: f32) -> Result<Self::Model, ClickError>;
}

/// `,key=value`.
pub(crate) fn write_setting(key: &str, value: impl Display) -> String {
    format!(",{key}={value}")
}
