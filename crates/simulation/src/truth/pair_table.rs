//! The counts of all pairs of rankers, and the winner that they imply.

use super::{GroundTruth, RESOLVED, RegretMeasure};
use crate::pairwise::{PairCount, comparison_bytes, pair_count};
use crate::site::Site;

/// The counts of all pairs, and which arms have identical lists.
pub(super) struct PairTable {
    pub(super) arms: usize,
    /// Counts of (i, j) with i < j, row by row; (j, i) is the reverse.
    pub(super) counts: Vec<PairCount>,
    /// For each arm, the lowest arm with the same lists.
    pub(super) alike: Vec<usize>,
    pub(super) comparisons: u64,
}

impl PairTable {
    /// The most memory of a table of `arms` rankers while all pairs are compared `comparisons` times, in bytes.
    pub(super) fn bytes(arms: usize, comparisons: u64) -> u64 {
        let pairs = pair_count(arms);
        let held = size_of::<PairCount>() + size_of::<(u32, u32)>();
        comparison_bytes(pairs, comparisons).saturating_add(pairs.saturating_mul(held as u64))
    }

    pub(super) fn new(site: &Site) -> Self {
        let arms = site.arms();
        Self {
            arms,
            counts: vec![PairCount::default(); arms * arms.saturating_sub(1) / 2],
            alike: site.rankings().duplicates(),
            comparisons: 0,
        }
    }

    pub(super) fn index(&self, low: usize, high: usize) -> usize {
        low * (2 * self.arms - low - 1) / 2 + (high - low - 1)
    }

    pub(super) fn count(&self, arm: usize, other: usize) -> PairCount {
        if arm < other { self.counts[self.index(arm, other)] } else { self.counts[self.index(other, arm)].swapped() }
    }

    /// Pairs with at least one of `arms`, except those with identical lists: their preference is 1/2.
    pub(super) fn pairs(&self, arms: &[usize]) -> Vec<(u32, u32)> {
        let mut chosen = vec![false; self.arms];
        for &arm in arms {
            chosen[arm] = true;
        }
        let mut pairs = Vec::new();
        for low in 0..self.arms {
            for high in low + 1..self.arms {
                if (chosen[low] || chosen[high]) && self.alike[low] != self.alike[high] {
                    pairs.push((low as u32, high as u32));
                }
            }
        }
        pairs
    }

    pub(super) fn cost(&self, arms: &[usize], comparisons: u64) -> u64 {
        self.pairs(arms).len() as u64 * comparisons
    }

    pub(super) fn add(&mut self, pairs: &[(u32, u32)], counts: &[PairCount]) {
        for (&(low, high), count) in pairs.iter().zip(counts) {
            let index = self.index(low as usize, high as usize);
            self.counts[index] = self.counts[index].merged_with(*count);
            self.comparisons += count.comparisons;
        }
    }

    /// The arms with lists other than those of `arm`.
    pub(super) fn rivals(&self, arm: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.arms).filter(move |&other| self.alike[other] != self.alike[arm])
    }

    /// Arms that no other beats by more than [`RESOLVED`] standard errors; of arms with identical lists, only the first.
    pub(super) fn unbeaten_arms(&self) -> Vec<usize> {
        (0..self.arms)
            .filter(|&arm| self.alike[arm] == arm)
            .filter(|&arm| {
                self.rivals(arm).all(|other| {
                    let count = self.count(arm, other);
                    count.preference() + RESOLVED * count.standard_error() >= 0.5
                })
            })
            .collect()
    }

    /// The smallest margin of `arm` and the rival it is over; `None` without rivals.
    pub(super) fn smallest_margin(&self, arm: usize) -> Option<(f64, usize)> {
        self.rivals(arm)
            .map(|other| (self.count(arm, other).preference() - 0.5, other))
            .min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The contender with the largest smallest margin.
    pub(super) fn likeliest_winner(&self, contenders: &[usize]) -> Option<usize> {
        let margin = |arm: usize| self.smallest_margin(arm).map_or(0.5, |(margin, _)| margin);
        contenders.iter().copied().max_by(|a, b| margin(*a).total_cmp(&margin(*b)))
    }

    /// Whether every comparison was a tie.
    pub(super) fn is_uninformed(&self) -> bool {
        self.counts.iter().all(|count| count.ties == count.comparisons)
    }

    /// The pairs of `arm` with rivals that it does not beat by [`RESOLVED`] standard errors.
    pub(super) fn close_pairs(&self, arm: usize) -> Vec<(u32, u32)> {
        self.rivals(arm)
            .filter(|&other| {
                let count = self.count(arm, other);
                count.preference() - 0.5 < RESOLVED * count.standard_error()
            })
            .map(|other| (arm.min(other) as u32, arm.max(other) as u32))
            .collect()
    }

    /// Whether `arm` has been compared with every rival at least `comparisons` times.
    pub(super) fn is_row_refined(&self, arm: usize, comparisons: u64) -> bool {
        self.rivals(arm).all(|other| self.count(arm, other).comparisons >= comparisons)
    }

    pub(super) fn truth(&self, winner: usize) -> GroundTruth {
        let is_winner = |arm: usize| self.alike[arm] == self.alike[winner];
        let of_rivals = |value: &dyn Fn(PairCount) -> f64| -> Vec<f64> {
            (0..self.arms).map(|arm| if is_winner(arm) { 0.0 } else { value(self.count(winner, arm)) }).collect()
        };
        // A negative margin is sampling error: no ranker is better than the best.
        let gaps = of_rivals(&|count| (count.preference() - 0.5).max(0.0));
        let standard_errors = of_rivals(&PairCount::standard_error);
        let margin = self.smallest_margin(winner);
        // The smallest margin is the least certain one: standard errors hardly differ within a row.
        let z = margin.map(|(margin, other)| margin / standard_errors[other]);
        GroundTruth {
            measure: RegretMeasure::Condorcet,
            winner,
            winners: (0..self.arms).filter(|&arm| is_winner(arm)).collect(),
            gaps,
            standard_errors,
            smallest_margin: margin.map_or(0.0, |(margin, _)| margin),
            runner_up: margin.map(|(_, other)| other),
            z: z.filter(|z| z.is_finite()),
            comparisons: self.comparisons,
            uninformed: false,
        }
    }
}
