//! The result of testing a claim, in words and signs.

use serde::{Deserialize, Serialize};

/// The outcome of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestedClaim {
    /// The paper's sentence, paraphrased.
    pub says: String,
    /// Where in the paper.
    pub place: String,
    /// The verdict.
    pub verdict: ClaimResult,
    /// Our numbers.
    pub numbers: String,
    /// Why it did not hold, where that was investigated.
    pub comment: Option<String>,
}

/// Whether a claim held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimResult {
    /// It held.
    Held,
    /// It did not.
    DidNotHold,
    /// It was tested below the paper's scale, which proves nothing about the paper.
    Open,
    /// It cannot be tested without the real data.
    NeedsRealData,
    /// Its subject was not measured, or did not happen.
    NotTested,
}

impl ClaimResult {
    /// All verdicts, in the order of counts.
    pub const ALL: [Self; 5] = [Self::Held, Self::DidNotHold, Self::Open, Self::NeedsRealData, Self::NotTested];

    /// A sign for tables.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Held => "✓",
            Self::DidNotHold => "✗",
            Self::Open => "○",
            Self::NeedsRealData => "–",
            Self::NotTested => "?",
        }
    }

    /// The verdict on a number of claims, in words: `needs the real data`, `need the real data`.
    #[must_use]
    pub fn words(self, claims: usize) -> &'static str {
        match self {
            Self::Held => "held",
            Self::DidNotHold => "did not hold",
            Self::Open => "open (scaled)",
            Self::NeedsRealData if claims == 1 => "needs the real data",
            Self::NeedsRealData => "need the real data",
            Self::NotTested => "not tested",
        }
    }

    /// Sign and words, for tables.
    #[must_use]
    pub fn mark(self) -> String {
        format!("{} {}", self.sign(), self.words(1))
    }

    /// The number of outcomes with each verdict, without zeros.
    #[must_use]
    pub fn tally<'a>(outcomes: impl Iterator<Item = &'a TestedClaim> + Clone) -> Vec<(Self, usize)> {
        let count = |verdict| outcomes.clone().filter(|outcome| outcome.verdict == verdict).count();
        Self::ALL.map(|verdict| (verdict, count(verdict))).into_iter().filter(|(_, count)| *count > 0).collect()
    }
}
