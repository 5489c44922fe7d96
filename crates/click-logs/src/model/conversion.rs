//! Conversions, and how they are credited.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};
use times::{duration_text, parse_duration};

/// What a user did with a document, on whatever page and however much later.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion<'a> {
    /// The user or session, by the unit of the analysis; `None` where the line names none.
    pub unit: Option<Cow<'a, str>>,
    /// The document.
    pub document: Cow<'a, str>,
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// What was done.
    pub action: Option<Cow<'a, str>>,
    /// What it is worth, in minor units such as cents; negative if it takes a conversion back, or a part of one.
    pub value: Option<i64>,
    /// The currency of the value.
    pub currency: Option<Cow<'a, str>>,
    /// The order that it is a part of.
    pub order: Option<Cow<'a, str>>,
}

/// Which of the impressions that showed a document to a user a conversion on it is credited to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Attribution {
    /// The last one before it.
    #[default]
    Last,
    /// All before it; if that is limited, those of so long before, in milliseconds.
    All(Option<i64>),
    /// All of the ranker that owns the document in most of those before it.
    MostDrafted,
}

const EXPECTED: &str = "expected last, all, window=7d or most-drafted";

impl FromStr for Attribution {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "last" => Ok(Self::Last),
            "all" => Ok(Self::All(None)),
            "most-drafted" => Ok(Self::MostDrafted),
            _ => match text.strip_prefix("window=") {
                Some(window) => parse_duration(window).map(|window| Self::All(Some(window))),
                None => Err(EXPECTED.to_owned()),
            },
        }
    }
}

impl fmt::Display for Attribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Last => f.write_str("last"),
            Self::All(None) => f.write_str("all"),
            Self::All(Some(window)) => write!(f, "window={}", duration_text(*window)),
            Self::MostDrafted => f.write_str("most-drafted"),
        }
    }
}

/// What an experiment is decided by. It is named before anything is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Primary {
    /// Clicks.
    #[default]
    Clicks,
    /// The number of conversions.
    Conversions,
    /// Their value.
    Value,
}

impl Primary {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Clicks, Self::Conversions, Self::Value];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clicks => "clicks",
            Self::Conversions => "conversions",
            Self::Value => "value",
        }
    }
}

/// How conversions are credited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionRules {
    /// To which impressions.
    pub attribution: Attribution,
    /// How many days after the last day of its impressions a unit closes.
    pub days: u32,
    /// The actions that count; a line without one counts always.
    pub actions: Vec<String>,
    /// The currency that counts; the only one in the files if `None`.
    pub currency: Option<String>,
    /// By how much the values of the two sides of a unit may differ, in minor units: fixed before anything is seen. Without it, values
    /// have no verdict.
    pub cap: Option<u64>,
    /// What decides.
    pub primary: Primary,
    /// Of how many places of a list, as mixed, the advantage is noted that coins give; it is not if `None`.
    pub draft_places: Option<u16>,
}

impl Default for ConversionRules {
    fn default() -> Self {
        Self {
            attribution: Attribution::default(),
            days: 7,
            actions: vec!["order".to_owned()],
            currency: None,
            cap: None,
            primary: Primary::default(),
            draft_places: None,
        }
    }
}

impl ConversionRules {
    /// All that results depend on.
    #[must_use]
    pub fn described(&self) -> Value {
        let mut described = json!({
            "attribution": self.attribution.to_string(),
            "days": self.days,
            "actions": self.actions,
            "currency": self.currency,
            "cap": self.cap,
            "primary": self.primary.name(),
        });
        if let Some(places) = self.draft_places {
            described["draft_covariate"] = places.into();
        }
        described
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributions_and_their_names() {
        for text in ["last", "all", "most-drafted", "window=7d"] {
            assert_eq!(text.parse::<Attribution>().unwrap().to_string(), text);
        }
        assert_eq!("first".parse::<Attribution>().unwrap_err(), EXPECTED);
        assert!("window=".parse::<Attribution>().is_err());
    }
}
