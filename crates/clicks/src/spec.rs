//! A click model as flags and files describe it, before the data set is known.

use std::fmt;
use std::str::FromStr;

use ranktypes::spec::{hint, split};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::error::{ClickError, ClickErrorKind};
use crate::models::any::ClickSpec;
use crate::presets;
use crate::settings::Settings;

impl ClickSpec {
    /// With P(stop after a click) by grade, in Lerot's notation, beside P(click).
    ///
    /// # Errors
    /// For a preset, which has its own, for a model without stops, for malformed notation, and when the
    /// grades differ from those of the clicks.
    pub fn with_stop(self, stop: &str) -> Result<Self, ClickError> {
        let refuse = |reason: String| Err(ClickError::new(ClickErrorKind::Setting, reason));
        match self {
            Self::Dependent(spec) => spec.with_stop(stop).map(Self::Dependent),
            Self::DynamicBayesian(spec) => spec.with_stop(stop).map(Self::DynamicBayesian),
            other => refuse(format!("the users of {other} never stop; leave the stop probabilities out")),
        }
    }
}

impl FromStr for ClickSpec {
    type Err = ClickError;

    fn from_str(text: &str) -> Result<Self, ClickError> {
        let text = text.trim();
        let (named, rest) = split(text);
        if Self::names().contains(&named) && rest.is_empty() {
            let reason = format!(
                "click model {named:?} needs P(click) by grade: write `{named}:navigational` or another preset, or \
                 `{named}:0:0.05,1:0.5,...`"
            );
            return Err(ClickError::new(ClickErrorKind::Setting, reason));
        }
        if presets::find(named).is_ok() && text.contains(':') {
            let reason = format!(
                "click model {named:?} takes no settings, found {:?}; write `{named}`, P(click) by grade as \
                 `0:0.05,1:0.5,...`, or another model with its probabilities as `pbm:{named}`",
                rest
            );
            return Err(ClickError::new(ClickErrorKind::Setting, reason));
        }
        match Self::by_name(named, Settings::parse(rest)) {
            Some(spec) => spec,
            None if is_word(named) && !rest.is_empty() => Err(unknown_name(named)),
            None => Self::unnamed(text),
        }
    }
}

/// Whether `name` can be that of a model, and not a grade.
fn is_word(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && !name.contains(' ')
}

fn unknown_name(name: &str) -> ClickError {
    let names = ClickSpec::names();
    let hint = hint(name, &names);
    let reason = format!("unknown click model {name:?}; named models are {}{hint}", names.join(", "));
    ClickError::new(ClickErrorKind::UnknownModel, reason)
}

impl Serialize for ClickSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// From the text form, or from a table: `preset = "navigational"`, `click = "0:0.1,1:0.9"` with or without
/// `stop = "0:0,1:0.5"`, or `model = "pbm"` (or another name) with `attraction` (a preset or notation) and the model's
/// settings.
impl<'de> Deserialize<'de> for ClickSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SpecVisitor)
    }
}

struct SpecVisitor;

impl<'de> Visitor<'de> for SpecVisitor {
    type Value = ClickSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a click model: a name, P(click) by grade as \"0:0.1,1:0.9\", or a table")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ClickSpec, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ClickSpec, A::Error> {
        let mut fields: Vec<(String, String)> = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, Scalar>()? {
            if fields.iter().any(|(known, _)| *known == key) {
                return Err(de::Error::custom(format!("{key:?} is given twice")));
            }
            fields.push((key, value.0));
        }
        from_fields(fields).map_err(de::Error::custom)
    }
}

/// A string or a number, as text.
struct Scalar(String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ScalarVisitor;
        impl Visitor<'_> for ScalarVisitor {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a number")
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Scalar, E> {
                Ok(Scalar(value.to_owned()))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }
        }
        deserializer.deserialize_any(ScalarVisitor)
    }
}

fn from_fields(mut fields: Vec<(String, String)>) -> Result<ClickSpec, ClickError> {
    let mut take = |key: &str| fields.extract_if(.., |(known, _)| known == key).next().map(|(_, value)| value);
    let (model, preset, click, stop) = (take("model"), take("preset"), take("click"), take("stop"));
    let attraction = take("attraction");
    let mut settings = Settings::default();
    fields.iter().for_each(|(key, value)| settings.push(key, value));
    let fail = |reason: String| Err(ClickError::new(ClickErrorKind::Setting, reason));
    match (model, preset, click, stop, attraction) {
        (Some(model), None, None, None, Some(attraction)) => {
            settings.probabilities = attraction;
            match ClickSpec::by_name(&model, settings) {
                Some(spec) => spec,
                None => Err(unknown_name(&model)),
            }
        }
        (None, Some(text), None, None, None) | (None, None, Some(text), None, None) => {
            settings.refuse_rest("dependent", &[])?;
            ClickSpec::unnamed(&text)
        }
        (None, None, Some(click), Some(stop), None) => {
            settings.refuse_rest("dependent", &[])?;
            ClickSpec::unnamed(&click)?.with_stop(&stop)
        }
        _ => {
            fail("a click model is a `preset`, `click` with or without `stop`, or `model` with `attraction`".to_owned())
        }
    }
}
