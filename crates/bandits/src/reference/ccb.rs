//! CCB as printed, every bound and every score recomputed at every step.

use crate::counts::PairCounts;
use crate::random::{below, coin, draw_into};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// CCB as printed.
#[derive(Debug, Clone)]
pub struct ReferenceCcb {
    alpha: f64,
    wins: PairCounts,
    potential: Vec<usize>,
    beaten_by: Vec<Vec<usize>>,
    losses: usize,
}

impl ReferenceCcb {
    /// For a positive alpha and at least one arm.
    #[must_use]
    pub fn new(alpha: f64, arms: usize) -> Self {
        let mut plain =
            Self { alpha, wins: PairCounts::new(arms, 0), potential: Vec::new(), beaten_by: Vec::new(), losses: 0 };
        plain.reset();
        plain
    }

    fn reset(&mut self) {
        let arms = self.wins.arms();
        self.potential = (0..arms).collect();
        self.beaten_by = vec![Vec::new(); arms];
        self.losses = arms;
    }

    fn cut(arms: &mut Vec<usize>, size: usize, generator: &mut Generator) {
        for place in 0..size {
            draw_into(generator, arms, place);
        }
        arms.truncate(size);
        arms.sort_unstable();
    }
}

impl Policy for ReferenceCcb {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let arms = self.wins.arms();
        let time = self.alpha * libm::log(step as f64);
        let wins = self.wins.clone();
        let u = |i: usize, j: usize| {
            let n = f64::from(wins[(i, j)]) + f64::from(wins[(j, i)]);
            if i == j {
                0.5
            } else if n == 0.0 {
                2.0
            } else {
                // As the fast form has it, so that exact ties are ties in both.
                let share = 1.0 / n;
                f64::from(wins[(i, j)]) * share + time.sqrt() * share.sqrt()
            }
        };
        let l = |i: usize, j: usize| if i == j { 0.5 } else { 1.0 - u(j, i) };
        let others = |i: usize| (0..arms).filter(move |&j| j != i);
        let optimistic = |i: usize| others(i).filter(|&j| u(i, j) >= 0.5).count();
        let pessimistic = |i: usize| others(i).filter(|&j| l(i, j) > 0.5).count();

        if (0..arms).any(|i| self.beaten_by[i].iter().any(|&j| l(i, j) > 0.5)) {
            self.reset();
        }
        let surest = (0..arms).map(pessimistic).max().unwrap_or(0);
        for i in self.potential.clone() {
            if optimistic(i) < surest {
                self.potential.retain(|&arm| arm != i);
                if self.beaten_by[i].len() != self.losses + 1 {
                    self.beaten_by[i] = (0..arms).filter(|&j| u(i, j) < 0.5).collect();
                }
            }
        }
        if self.potential.is_empty() {
            self.reset();
        }
        let top = (0..arms).map(optimistic).max().unwrap_or(0);
        let mut candidates: Vec<usize> = (0..arms).filter(|&i| optimistic(i) == top).collect();
        let certain: Vec<usize> = candidates.iter().copied().filter(|&i| pessimistic(i) == top).collect();
        for &i in &certain {
            if !self.potential.contains(&i) {
                self.potential.push(i);
            }
            self.beaten_by[i].clear();
        }
        if !certain.is_empty() {
            self.losses = arms - 1 - top;
            for beaters in &mut self.beaten_by {
                if beaters.len() < self.losses + 1 {
                    beaters.clear();
                } else if beaters.len() > self.losses + 1 {
                    Self::cut(beaters, self.losses + 1, generator);
                }
            }
        }

        let open: Vec<(usize, usize)> = (0..arms)
            .flat_map(|i| self.beaten_by[i].iter().map(move |&j| (i, j)))
            .filter(|&(i, j)| l(i, j) <= 0.5 && u(i, j) >= 0.5)
            .collect();
        if !open.is_empty() && below(generator, 4) == 0 {
            let (i, j) = open[below(generator, open.len())];
            return Choice::Duel(Arm::at(i), Arm::at(j));
        }
        let potential_candidates: Vec<usize> =
            candidates.iter().copied().filter(|i| self.potential.contains(i)).collect();
        if !potential_candidates.is_empty() && potential_candidates.len() < candidates.len() && below(generator, 3) < 2
        {
            candidates = potential_candidates;
        }
        let c = candidates[below(generator, candidates.len())];
        let all: Vec<usize> = (0..arms).collect();
        let mut opponents = all.clone();
        if !self.beaten_by[c].is_empty() && coin(generator) {
            opponents.clone_from(&self.beaten_by[c]);
            opponents.retain(|&d| l(d, c) <= 0.5);
            if opponents.is_empty() {
                opponents = all;
            }
        }
        opponents.retain(|&d| l(d, c) <= 0.5);
        let top = opponents.iter().map(|&d| u(d, c)).fold(0.0, f64::max);
        let mut best: Vec<usize> = opponents.into_iter().filter(|&d| u(d, c) == top).collect();
        if best.len() > 1 {
            best.retain(|&d| d != c);
        }
        let d = best[below(generator, best.len())];
        if c == d {
            return Choice::Alone { arm: Arm::at(c), until: step };
        }
        Choice::Duel(Arm::at(c), Arm::at(d))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.wins.record(winner.index(), loser.index());
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
