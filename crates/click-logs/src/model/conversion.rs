//! Conversions, and how they are credited.

use std::borrow::Cow;

use serde_json::{Value, json};
pub use verdicts::conversions::{Attribution, Primary};

/// A user's action on a document, on any page and at any later time.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion<'a> {
    /// The user or session, by the unit of the analysis; `None` where the line names none.
    pub unit: Option<Cow<'a, str>>,
    /// The document.
    pub document: Cow<'a, str>,
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// The name of the action.
    pub action: Option<Cow<'a, str>>,
    /// Its value in minor units such as cents; negative if it cancels a conversion, or part of one.
    pub value: Option<i64>,
    /// The currency of the value.
    pub currency: Option<Cow<'a, str>>,
    /// The order that it is a part of.
    pub order: Option<Cow<'a, str>>,
}

/// How conversions are credited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionRules {
    /// To which impressions.
    pub attribution: Attribution,
    /// The number of days after the last day of its impressions on which a unit closes.
    pub days: u32,
    /// The actions that count; a line without one counts always.
    pub actions: Vec<String>,
    /// The currency that counts; the only one in the files if `None`.
    pub currency: Option<String>,
    /// By how much the values of the two sides of a unit may differ, in minor units: fixed before anything is seen. Without it, values
    /// have no verdict.
    pub cap: Option<u64>,
    /// The measure that decides.
    pub primary: Primary,
    /// The number of places of a list, as mixed, for which the advantage from coins is noted; `None` if it is not.
    pub draft_places: Option<u16>,
}

impl Default for ConversionRules {
    fn default() -> Self {
        Self {
            attribution: Attribution::default(),
            days: Attribution::default().days(),
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
    pub fn description(&self) -> Value {
        let mut description = json!({
            "attribution": self.attribution.to_string(),
            "days": self.days,
            "actions": self.actions,
            "currency": self.currency,
            "cap": self.cap,
            "primary": self.primary.name(),
        });
        if let Some(places) = self.draft_places {
            description["draft_covariate"] = places.into();
        }
        description
    }
}
