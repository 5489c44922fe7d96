//! PARWiS as printed: the scores of every possible duel are solved for from scratch.

use crate::counts::PairCounts;
use crate::policies::identification::parwis::largest;
use crate::random::shuffle;
use crate::{Arm, DuelPolicy, Generator};

/// PARWiS as printed, without a budget.
#[derive(Debug, Clone)]
pub struct ReferenceParwis {
    left: Vec<Arm>,
    champion: Option<Arm>,
    wins: PairCounts,
}

impl ReferenceParwis {
    /// For at least one arm.
    #[must_use]
    pub fn new(arms: usize) -> Self {
        Self { left: (0..arms).map(Arm::at).collect(), champion: None, wins: PairCounts::new(arms, 0) }
    }

    /// How far a duel that `winner` wins moves scores.
    fn score_distance(&self, now: &[f64], winner: usize, loser: usize) -> f64 {
        let mut wins = self.wins.clone();
        wins.record(winner, loser);
        scores(&wins).iter().zip(now).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }
}

/// pi of the further node and of every arm: pi Q = 0 and a sum of 1, by elimination.
fn scores(wins: &PairCounts) -> Vec<f64> {
    let nodes = wins.arms() + 1;
    let rate = |from: usize, to: usize| match (from, to) {
        (0, _) | (_, 0) => 0.5,
        (i, j) if wins.met(i - 1, j - 1) > 0 => wins.mean(j - 1, i - 1),
        _ => 0.0,
    };
    // Row j: the flow into node j. The last row is the sum instead.
    let leaves = |from: usize| (0..nodes).filter(|&to| to != from).map(|to| rate(from, to)).sum::<f64>();
    let row = |to: usize| {
        let cells = (0..nodes).map(|from| if from == to { -leaves(from) } else { rate(from, to) });
        cells.chain([0.0]).collect::<Vec<f64>>()
    };
    let mut rows: Vec<Vec<f64>> = (0..nodes).map(row).collect();
    rows[nodes - 1] = vec![1.0; nodes + 1];
    for at in 0..nodes {
        let pivot = (at..nodes).max_by(|&a, &b| rows[a][at].abs().total_cmp(&rows[b][at].abs())).unwrap_or(at);
        rows.swap(at, pivot);
        let row = rows[at].clone();
        for (_, cells) in rows.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let factor = cells[at] / row[at];
            cells[at..].iter_mut().zip(&row[at..]).for_each(|(cell, pivot)| *cell -= factor * pivot);
        }
    }
    (0..nodes).map(|at| rows[at][nodes] / rows[at][at]).collect()
}

impl DuelPolicy for ReferenceParwis {
    fn arm_count(&self) -> usize {
        self.wins.arms()
    }

    fn pair(&mut self, _step: u64, generator: &mut Generator) -> (Arm, Arm) {
        if self.champion.is_none() {
            shuffle(generator, &mut self.left);
            self.champion = self.left.pop();
        }
        if let (Some(champion), Some(&next)) = (self.champion, self.left.last()) {
            return (champion, next);
        }
        let now = scores(&self.wins);
        let top = largest(generator, now[1..].iter().copied()).unwrap_or(Arm(0));
        let (i, pi) = (top.index(), &now[1..]);
        let disruption = |j: usize| {
            if i == j {
                return 0.0;
            }
            (pi[i] * self.score_distance(&now, i, j) + pi[j] * self.score_distance(&now, j, i)) / (pi[i] + pi[j])
        };
        let disruptions: Vec<f64> = (0..self.wins.arms()).map(disruption).collect();
        (top, largest(generator, disruptions.iter().copied()).unwrap_or(top))
    }

    fn outcome(&mut self, winner: Arm, loser: Arm) {
        if self.left.pop().is_some() {
            self.champion = Some(winner);
        }
        self.wins.record(winner.index(), loser.index());
    }

    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        largest(generator, scores(&self.wins)[1..].iter().copied())
    }
}
