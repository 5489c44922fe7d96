//! The ground truth that regret is measured against: the best ranker, and the gap of every other one to it.
//!
//! Regret needs only the winner's row of the preference matrix. For all policies, including multi-dueling ones, it is
//! the row of pairwise probabilistic interleaving under the same clicks and the same treatment of ties, so that
//! curves are comparable. The estimation compares all pairs a few times, then repeatedly refines the rows of the
//! rankers that no other beats significantly, until one is left or the effort is spent, and finally refines the
//! winner's row. A winner is ahead of every ranker with lists other than its own; if there is none, regret is
//! measured in nDCG.
//!
//! # Inside
//!
//! Regret needs only the winner's row of the preference matrix. `simulation::truth` compares all pairs coarsely, then the
//! rows of rankers that no other surely beats, with ever more impressions, and finally the row of the likeliest winner with
//! 200,000 per pair. The comparison is always pairwise probabilistic interleaving under the same clicks and the same treatment of
//! ties, for multi-dueling policies too, so that their curves can share axes. Rankers with the winner's lists for every query
//! count as winners. If the smallest margin is below three standard errors, the output says that the winner is not
//! resolved; if every ranker is surely beaten by another, regret is nDCG@10 lost, and the output says that too. Estimates are kept
//! in `results/.cache`.
//!
//! What regret measures is a `bandits::RegretKind` (`--regret`, `regret` in experiments): a reference that gaps are measured
//! against, and which number of a step is counted (mean, smallest or largest gap). It is not part of a policy's seed. The
//! default is the Condorcet winner; without one, Copeland score on a matrix and nDCG live. If every gap is 0
//! (`studies::results::Measured`), outputs say that regret measures nothing and claim no correct recommendation.

mod estimation;
mod pair_table;
pub mod regret_kind;

pub use estimation::TruthEstimation;
use output::numbers::with_separators;
use serde::{Deserialize, Serialize};

/// Standard errors by which an arm must be beaten to be eliminated, and by which a winner's smallest margin must exceed
/// 0 to be called resolved.
pub const RESOLVED: f64 = 3.0;

/// The quantity that regret is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegretMeasure {
    /// p(*, j) - 1/2 for the Condorcet winner *.
    Condorcet,
    /// nDCG@10 of the best ranker minus that of j, if no Condorcet winner was found.
    Ndcg,
}

/// The best ranker, the gap of every ranker to it, and the uncertainty of both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroundTruth {
    /// What the gaps measure.
    pub measure: RegretMeasure,
    /// The best arm, 0-based.
    pub winner: usize,
    /// The winner and all arms with the same lists for every query, ascending.
    pub winners: Vec<usize>,
    /// The regret of one step with each arm alone; one value per arm, 0 for the winners.
    pub gaps: Vec<f64>,
    /// The standard error of each gap; 0 for the winners and for nDCG.
    pub standard_errors: Vec<f64>,
    /// The winner's smallest margin over another arm.
    pub smallest_margin: f64,
    /// The arm with that margin, if there is any arm with other lists.
    pub runner_up: Option<usize>,
    /// The smallest margin divided by its standard error; `None` without a Condorcet winner.
    pub z: Option<f64>,
    /// Comparisons in total.
    pub comparisons: u64,
    /// Whether every comparison was a tie, e.g. because no user clicks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uninformed: bool,
}

impl GroundTruth {
    /// The ground truth by nDCG alone, without any comparison: `ndcg` has one value per arm.
    ///
    /// # Panics
    /// If there is no arm.
    #[must_use]
    pub fn of_ndcg(ndcg: &[f64]) -> Self {
        let winner = (0..ndcg.len()).fold(0, |best, arm| if ndcg[arm] > ndcg[best] { arm } else { best });
        let gaps: Vec<f64> = ndcg.iter().map(|value| ndcg[winner] - value).collect();
        let winners: Vec<usize> = (0..gaps.len()).filter(|&arm| gaps[arm] == 0.0).collect();
        let losers = (0..gaps.len()).filter(|arm| !winners.contains(arm));
        let runner_up = losers.min_by(|a, b| gaps[*a].total_cmp(&gaps[*b]));
        Self {
            measure: RegretMeasure::Ndcg,
            winner,
            smallest_margin: runner_up.map_or(0.0, |arm| gaps[arm]),
            runner_up,
            winners,
            standard_errors: vec![0.0; gaps.len()],
            gaps,
            z: None,
            comparisons: 0,
            uninformed: false,
        }
    }

    /// Whether the winner's smallest margin is at least three standard errors; always true for nDCG.
    #[must_use]
    pub fn is_resolved(&self) -> bool {
        match self.measure {
            RegretMeasure::Condorcet => self.z.is_none_or(|z| z >= RESOLVED),
            RegretMeasure::Ndcg => true,
        }
    }

    /// Whether a Condorcet winner has a positive margin over every arm with other lists.
    fn is_sound(&self) -> bool {
        self.measure == RegretMeasure::Ndcg || self.runner_up.is_none() || self.smallest_margin > 0.0
    }

    /// A description in one or two sentences; `label` returns the name of an arm.
    #[must_use]
    pub fn describe(&self, label: impl Fn(usize) -> String) -> String {
        let mut text = match self.measure {
            RegretMeasure::Condorcet => format!("Condorcet winner: {}", label(self.winner)),
            RegretMeasure::Ndcg if self.uninformed => format!(
                "no ranker is ahead: all {} comparisons are ties; regret is nDCG@10 below {}, the best by nDCG@10",
                with_separators(self.comparisons),
                label(self.winner)
            ),
            RegretMeasure::Ndcg if self.comparisons == 0 => {
                format!("regret is nDCG@10 below {}, the best by nDCG@10", label(self.winner))
            }
            RegretMeasure::Ndcg => format!(
                "no Condorcet winner among these rankers; regret is nDCG@10 below {}, the best by nDCG@10",
                label(self.winner)
            ),
        };
        if self.winners.len() > 1 {
            let equally_good: Vec<String> =
                self.winners.iter().filter(|arm| **arm != self.winner).map(|arm| label(*arm)).collect();
            text += &format!(" (same lists: {})", equally_good.join(", "));
        }
        if let (RegretMeasure::Condorcet, Some(runner_up), Some(z)) = (self.measure, self.runner_up, self.z) {
            text += &format!(
                "; smallest margin {:.4} over {}, z = {z:.1}, {} comparisons",
                self.smallest_margin,
                label(runner_up),
                with_separators(self.comparisons)
            );
            if !self.is_resolved() {
                text += "; WINNER NOT RESOLVED (z below 3): the runner-up may be as good";
            }
        }
        text
    }
}
