//! The truth that regret is measured against: which ranker is best, and what every other one costs.
//!
//! Regret needs the winner's row of the preference matrix only. It is always that of pairwise
//! probabilistic interleaving under the same clicks and the same treatment of ties, for
//! multi-dueling policies too, so that curves can be laid over each other. All pairs are compared a
//! little, then the rows of those that nobody has beaten yet ever more, until one is left or the
//! effort is spent, and at last the winner's row. A winner is ahead of everyone it does not rank alike
//! with; where nobody is, regret is counted in nDCG.

mod estimation;
mod pair_table;

use serde::{Deserialize, Serialize};

pub use estimation::TruthEstimation;

use crate::output::numbers::grouped;

/// How sure an arm must be beaten to leave the contest, and a winner's margin to be called resolved,
/// in standard errors.
pub(crate) const RESOLVED: f64 = 3.0;

/// How much to spend on the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Comparisons of every pair in the first, coarse round.
    pub coarse: u64,
    /// Most comparisons a pair of a contender's row gets; also what the winner's row gets.
    pub fine: u64,
    /// Most comparisons spent on contenders' rows, over all rounds.
    pub budget: u64,
}

impl Effort {
    /// What suits `arms` rankers: some ten seconds on two cores.
    #[must_use]
    pub fn for_arms(arms: usize) -> Self {
        let pairs = (arms * arms.saturating_sub(1) / 2).max(1) as u64;
        Self { coarse: (20_000_000 / pairs).clamp(100, 20_000), fine: 200_000, budget: 60_000_000 }
    }
}

/// What regret is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// p(*, j) - 1/2 for the Condorcet winner *.
    Condorcet,
    /// nDCG@10 of the best ranker less that of j: no Condorcet winner was found.
    Ndcg,
}

impl Measure {
    /// What regret is made of, for captions.
    #[must_use]
    pub fn regret(self) -> &'static str {
        match self {
            Self::Condorcet => "P(best ranker beats those shown) - 1/2",
            Self::Ndcg => "nDCG@10 lost",
        }
    }
}

/// The best ranker, the gap of every ranker to it, and how sure we are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroundTruth {
    /// What the gaps are.
    pub measure: Measure,
    /// The best arm, counted from 0.
    pub winner: usize,
    /// All arms that count as the winner: it, and those with the same lists for every query.
    pub winners: Vec<usize>,
    /// What one step with each arm alone costs.
    pub gaps: Vec<f64>,
    /// Standard error of each gap; 0 for the winners and for nDCG.
    pub standard_errors: Vec<f64>,
    /// The winner's smallest margin.
    pub smallest_margin: f64,
    /// The arm that it is over, if there is another arm at all.
    pub runner_up: Option<usize>,
    /// The smallest margin in its standard errors; without a Condorcet winner, null.
    pub z: Option<f64>,
    /// Comparisons made in all.
    pub comparisons: u64,
    /// Whether nothing at all told the rankers apart, as where nobody clicks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uninformed: bool,
}

impl GroundTruth {
    /// Whether the winner's smallest margin is at least three standard errors.
    #[must_use]
    pub fn resolved(&self) -> bool {
        match self.measure {
            Measure::Condorcet => self.z.is_none_or(|z| z >= RESOLVED),
            Measure::Ndcg => true,
        }
    }

    /// Whether a winner has a margin over everyone else, if there is anyone else.
    fn is_sound(&self) -> bool {
        self.measure == Measure::Ndcg || self.runner_up.is_none() || self.smallest_margin > 0.0
    }

    /// One or two sentences for a person; `label` names an arm.
    #[must_use]
    pub fn describe(&self, label: impl Fn(usize) -> String) -> String {
        let mut text = match self.measure {
            Measure::Condorcet => format!("Condorcet winner: {}", label(self.winner)),
            Measure::Ndcg if self.uninformed => format!(
                "no ranker is ahead: {} comparisons told none from another; regret is nDCG@10 below {}, the best by \
                 nDCG@10",
                grouped(self.comparisons),
                label(self.winner)
            ),
            Measure::Ndcg => format!(
                "no Condorcet winner among these rankers; regret is nDCG@10 below {}, the best by nDCG@10",
                label(self.winner)
            ),
        };
        if self.winners.len() > 1 {
            let same: Vec<String> =
                self.winners.iter().filter(|arm| **arm != self.winner).map(|arm| label(*arm)).collect();
            text += &format!(" (same lists: {})", same.join(", "));
        }
        if let (Measure::Condorcet, Some(runner_up), Some(z)) = (self.measure, self.runner_up, self.z) {
            text += &format!(
                "; smallest margin {:.4} over {}, z = {z:.1}, {} comparisons",
                self.smallest_margin,
                label(runner_up),
                grouped(self.comparisons)
            );
            if !self.resolved() {
                text += "; WINNER NOT RESOLVED (z below 3): the runner-up may be as good";
            }
        }
        text
    }
}
