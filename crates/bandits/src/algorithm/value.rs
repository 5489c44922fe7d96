//! Parameters as text: `key=value`.

use super::ParameterError;

/// One parameter of an algorithm or a problem, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its key in `name:key=value`.
    pub key: &'static str,
    /// Its value, as text.
    pub value: String,
    /// What it means, in one line.
    pub meaning: &'static str,
}

impl Parameter {
    /// A parameter.
    pub fn new(key: &'static str, meaning: &'static str, value: &dyn ParameterValue) -> Self {
        Self { key, value: value.show(), meaning }
    }
}

/// A value that can be read from text and written as text.
pub trait ParameterValue {
    /// Sets the value to that of `text`.
    ///
    /// # Errors
    /// What kind of text was expected, e.g. `a number`; the value is unchanged.
    fn set(&mut self, text: &str) -> Result<(), String>;

    /// The value as text that [`set`](Self::set) reads.
    fn show(&self) -> String;
}

impl ParameterValue for f64 {
    fn set(&mut self, text: &str) -> Result<(), String> {
        *self = text.parse().map_err(|_| "a number".to_owned())?;
        Ok(())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl ParameterValue for Option<f64> {
    fn set(&mut self, text: &str) -> Result<(), String> {
        *self = match text {
            "auto" => None,
            _ => Some(text.parse().map_err(|_| "a number or `auto`".to_owned())?),
        };
        Ok(())
    }

    fn show(&self) -> String {
        self.map_or_else(|| "auto".to_owned(), |value| value.to_string())
    }
}

impl ParameterValue for usize {
    fn set(&mut self, text: &str) -> Result<(), String> {
        // Also `1e3`: whole numbers however they are written.
        let value: f64 = text.parse().map_err(|_| "a whole number".to_owned())?;
        if !(0.0..=9e15).contains(&value) || value.fract() != 0.0 {
            return Err("a whole number".to_owned());
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and in range, as was just checked"
        )]
        {
            *self = value as Self;
        }
        Ok(())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// Writes an enum whose values have names in `name:key=value`, so that it can be the type of a parameter.
///
/// ```
/// use bandits::{ParameterValue, named_values};
///
/// named_values! {
///     /// Which of the published rules.
///     pub enum Variant {
///         /// As printed.
///         Paper = "paper",
///         /// As in the authors' program.
///         Program = "program",
///     }
/// }
///
/// let mut variant = Variant::Paper;
/// assert_eq!(variant.set("program"), Ok(()));
/// assert_eq!((variant.show().as_str(), variant), ("program", Variant::Program));
/// assert_eq!(variant.set("book"), Err("one of paper program".to_owned()));
/// ```
#[macro_export]
macro_rules! named_values {
    (
        $(#[$about:meta])*
        $visibility:vis enum $Type:ident {
            $(
                $(#[$of_value:meta])*
                $Value:ident = $name:literal,
            )+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        $visibility enum $Type {
            $(
                $(#[$of_value])*
                $Value,
            )+
        }

        impl $crate::ParameterValue for $Type {
            fn set(&mut self, text: &str) -> Result<(), String> {
                *self = match text {
                    $($name => Self::$Value,)+
                    _ => return Err(["one of", $($name),+].join(" ")),
                };
                Ok(())
            }

            fn show(&self) -> String {
                match self { $(Self::$Value => $name),+ }.to_owned()
            }
        }
    };
}

/// Sets the parameters that `assignments` name (`key=value` each), every one at most once. `set` sets one of `keys`
/// from text and returns the kind of text that was expected; `owner` is the name of the algorithm or problem.
pub(crate) fn assign<'a>(
    owner: &'static str,
    keys: &[&'static str],
    assignments: impl Iterator<Item = &'a str>,
    mut set: impl FnMut(&str, &str) -> Result<(), String>,
) -> Result<(), ParameterError> {
    let mut assigned_keys = Vec::new();
    for assignment in assignments {
        let Some((key, text)) = assignment.split_once('=') else {
            return Err(ParameterError::NotAnAssignment { found: assignment.to_owned() });
        };
        let (key, text) = (key.trim(), text.trim());
        let Some(&key) = keys.iter().find(|&&known| known == key) else {
            return Err(ParameterError::UnknownParameter {
                algorithm: owner,
                key: key.to_owned(),
                suggestion: nearest(key, keys),
                known: if keys.is_empty() { "none".to_owned() } else { keys.join(", ") },
            });
        };
        if assigned_keys.contains(&key) {
            return Err(ParameterError::GivenTwice { key: key.to_owned() });
        }
        assigned_keys.push(key);
        set(key, text).map_err(|expected| ParameterError::WrongValue { key, expected, found: text.to_owned() })?;
    }
    Ok(())
}

/// The candidate nearest to `text`; otherwise the first that begins with it.
pub(crate) fn nearest(text: &str, candidates: &[&'static str]) -> Option<&'static str> {
    let prefix = text.to_lowercase();
    let by_prefix = || candidates.iter().copied().find(|name| prefix.len() >= 2 && name.starts_with(&prefix));
    ranktypes::spec::nearest(text, candidates.iter().copied()).or_else(by_prefix)
}
