//! The best arms, by each notion.

use std::fmt;

use bandits::winners::{borda_scores, copeland_scores};
use bandits::{PreferenceMatrix, RegretReference};
use serde::{Deserialize, Serialize};

/// A notion of the best arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BestNotion {
    /// It beats every other arm.
    Condorcet,
    /// It beats the most other arms.
    Copeland,
    /// It wins with the highest probability against an arm drawn at random.
    Borda,
}

impl BestNotion {
    /// All kinds of best arms.
    pub const ALL: [Self; 3] = [Self::Condorcet, Self::Copeland, Self::Borda];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Condorcet => "Condorcet",
            Self::Copeland => "Copeland",
            Self::Borda => "Borda",
        }
    }
}

impl fmt::Display for BestNotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The best arms by one notion.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// The notion.
    pub notion: BestNotion,
    /// The cost of a step with each arm alone: 0 for the best.
    pub gaps: Vec<f64>,
    /// The mean cost of a step that shows two arms drawn at random.
    pub mean_gap: f64,
    /// The score by which arms are ordered, higher is better: of Copeland for Condorcet winners, too.
    pub scores: Vec<f64>,
}

impl Truth {
    /// By every notion that applies.
    pub(super) fn determined_winners(matrix: &PreferenceMatrix) -> Vec<Self> {
        let is_determined = |best: BestNotion| {
            let (reference, scores) = match best {
                BestNotion::Condorcet => (RegretReference::Condorcet, copeland_scores(matrix)),
                BestNotion::Copeland => (RegretReference::Copeland, copeland_scores(matrix)),
                BestNotion::Borda => (RegretReference::Borda, borda_scores(matrix)),
            };
            let gaps = reference.gaps(matrix).ok()?;
            let mean_gap = gaps.iter().sum::<f64>() / gaps.len() as f64;
            Some(Self { notion: best, gaps, mean_gap, scores })
        };
        BestNotion::ALL.into_iter().filter_map(is_determined).collect()
    }

    /// Whether this arm is a best one.
    #[must_use]
    pub fn is_best(&self, arm: usize) -> bool {
        self.gaps[arm] <= 0.0
    }
}
