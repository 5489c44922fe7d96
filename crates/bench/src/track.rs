//! The six tracks by name, and what a measure is. What each track plays and measures is in `tracks`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Track {
    /// (a) Regret.
    Regret,
    /// (b) The best arm after a few answers.
    Best,
    /// (c) The order of all arms after a few answers.
    Order,
    /// (d) Whether stated winners are right.
    Winner,
    /// (e) Interleaving.
    Interleaving,
    /// (f) Regret with late outcomes.
    Late,
}

/// How the values of the runs are summarised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Summary {
    /// Their mean.
    Mean,
    /// The value that 95% of the runs do not exceed.
    MostRuns,
}

/// Something that is measured in each session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Its name.
    pub name: String,
    /// The unit of the number.
    pub unit: String,
    /// Whether more is better.
    pub more_is_better: bool,
    /// How the values of the runs are summarised.
    pub summary: Summary,
}

/// The values of a session, one per measure; none where a measure does not apply to the problem.
pub type Values = Vec<Option<f64>>;

impl Track {
    /// All tracks.
    pub const ALL: [Self; 6] = [Self::Regret, Self::Best, Self::Order, Self::Winner, Self::Interleaving, Self::Late];

    /// Its letter.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Regret => 'a',
            Self::Best => 'b',
            Self::Order => 'c',
            Self::Winner => 'd',
            Self::Interleaving => 'e',
            Self::Late => 'f',
        }
    }

    /// Its name, also for programs that enter.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Regret => "regret",
            Self::Best => "best",
            Self::Order => "order",
            Self::Winner => "winner",
            Self::Interleaving => "interleaving",
            Self::Late => "late",
        }
    }

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Regret => "Regret",
            Self::Best => "The best arm after a few answers",
            Self::Order => "The order of all arms after a few answers",
            Self::Winner => "Honesty: stated winners",
            Self::Interleaving => "Interleaving",
            Self::Late => "Regret with late outcomes",
        }
    }
}

impl fmt::Display for Track {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}) {}", self.letter(), self.title())
    }
}

impl FromStr for Track {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let track = Self::ALL.into_iter().find(|track| track.name() == text || track.letter().to_string() == text);
        track.ok_or_else(|| {
            let names: Vec<String> =
                Self::ALL.iter().map(|track| format!("{} ({})", track.letter(), track.name())).collect();
            format!("unknown track `{text}`; there are {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_have_letters_and_names() {
        for track in Track::ALL {
            assert_eq!(track.letter().to_string().parse(), Ok(track));
            assert_eq!(track.name().parse(), Ok(track));
            assert_eq!(serde_json::to_string(&track).expect("JSON"), format!("\"{}\"", track.name()));
        }
        assert!("g".parse::<Track>().expect_err("no track").contains("there are a (regret), b (best)"));
    }
}
