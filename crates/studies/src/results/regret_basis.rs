//! How regret was measured, which accompanies every outcome.

use bandits::{Regret, RegretKind, every_arm_is_optimal};
use serde::Serialize;

/// How regret was measured and on what data; part of every entry of `summary.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RegretBasis {
    /// What regret measures.
    #[serde(rename = "regret_kind")]
    pub kind: RegretKind,
    /// Whether every arm is optimal by this kind of regret: regret is then 0 whatever is played, no recommendation is
    /// wrong, and neither is a finding.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub every_arm_is_optimal: bool,
    /// Whether the gaps of arms are unknown. Regret is then 0 and means nothing, and every arm counts as optimal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// Whether the data were generated; `None` if unknown, as for a matrix without a description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<bool>,
}

impl RegretBasis {
    /// Regret of this kind over arms with these gaps.
    #[must_use]
    pub fn new(kind: RegretKind, gaps: &[f64], synthetic: Option<bool>) -> Self {
        Self { kind, every_arm_is_optimal: every_arm_is_optimal(gaps), unknown: false, synthetic }
    }

    /// For unknown gaps of arms.
    #[must_use]
    pub fn unknown(kind: RegretKind) -> Self {
        Self { kind, every_arm_is_optimal: true, unknown: true, synthetic: None }
    }

    /// Whether gaps are shares of wins against the best: its probability of beating an arm, less a half.
    #[must_use]
    pub fn is_share_of_wins(&self) -> bool {
        match self.kind {
            RegretKind::Condorcet | RegretKind::Weak | RegretKind::Strong | RegretKind::VonNeumann => true,
            RegretKind::Copeland | RegretKind::Borda | RegretKind::Ndcg => false,
        }
    }

    /// The number that this kind of regret counts.
    #[must_use]
    pub fn of(&self, regret: &Regret) -> f64 {
        regret.value(self.kind)
    }

    /// A note for figures and tables if regret measures nothing.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        if self.unknown {
            return Some("regret is unknown: the environment states no preferences".to_owned());
        }
        self.every_arm_is_optimal.then(|| {
            format!("every arm is optimal by {} regret: it is 0 whatever is played and measures nothing", self.kind)
        })
    }
}

/// Several notes as one; `None` if there is none.
#[must_use]
pub fn notes(notes: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    Some(notes.join("; ")).filter(|text| !text.is_empty())
}
