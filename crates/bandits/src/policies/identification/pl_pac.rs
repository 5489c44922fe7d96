//! PLPAC: the best arm of a Plackett-Luce model. A random arm meets all others once, and an arm that beat it counts as having
//! beaten the arms that lost to it. With probability 1 - delta the arm that is left loses to no other with a probability above
//! 1/2 + epsilon.
//!
//! With p(i, j) the share that i won of the n(i, j) counted duels of i and j, and c(i, j) = sqrt(ln(4 K^2 n(i, j)^2 / delta) /
//! (2 n(i, j))), as long as several arms are left:
//!
//! 1. a random one of them, the pivot, meets every other one once;
//! 2. each arm that beat the pivot counts as the winner of a duel with the pivot and with each arm that lost to it, and each
//!    arm that lost, as the loser of one with the pivot;
//! 3. arm i leaves if p(i, j) + c(i, j) < 1/2 for some j that was left;
//! 4. if p(i, j) - c(i, j) > 1/2 - epsilon for an arm i and all other arms j that are left, i plays alone for ever.
//!
//! ## References
//!
//! B. Szörényi, R. Busa-Fekete, A. Paul, E. Hüllermeier, "Online Rank Elicitation for Plackett-Luce: A Dueling Bandits
//! Approach", NeurIPS 2015,
//! <https://proceedings.neurips.cc/paper/2015/hash/7eacb532570ff6858afd2723755ff790-Abstract.html>.
//!
//! ## Notes
//!
//! * The first three steps are quicksort that is stopped after K - 1 duels. Why a duel may be counted that was not played: in
//!   a Plackett-Luce model, in which i beats j with probability u(i) / (u(i) + u(j)), the probability that i beats a pivot
//!   which beats j is to that of the reverse as u(i) is to u(j). So K - 1 duels count for about K^2 / 4 at best.
//! * Without such a model, these shares are not the preferences, and the promise is void. Real rankers follow it roughly:
//!   shares then lean towards the opponents that both arms met as pivots.
//! * Other programs sort to the end in each round, which takes more duels per round and fewer rounds.
//! * delta = .05 here, as elsewhere in this crate; epsilon = .05.
//! * A round among k arms ends with O(k^2) steps of computation.

use crate::algorithm::papers;
use crate::counts::PairCounts;
use crate::random::below;
use crate::{Arm, Choice, Feedback, Generator, Policy, config, state, stored};

config! {
    /// PLPAC's parameters.
    pub struct PlPacConfig {
        /// By how much another arm may beat the one that is left, in (0, 1).
        epsilon: f64 = 0.05, "how much worse than the best is good enough" [probability];
        /// The probability of failing, in (0, 1).
        delta: f64 = 0.05, "probability of failing" [probability];
    }

    policy PlPac {
        name: "pl-pac",
        summary: "pairs sorted by a random pivot (Szörényi et al., NeurIPS 2015)",
        paper: papers::SZORENYI_NEURIPS_2015,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> PlPac {
        PlPac::new(self, arms)
    }
}

/// PLPAC.
#[derive(Debug, Clone)]
pub struct PlPac {
    epsilon: f64,
    /// 4 K^2 / delta.
    scale: f64,
    counted: PairCounts,
    /// The arms that are left, the pivot first while a round is played; once it is over, the best arm alone.
    left: Vec<Arm>,
    /// How many of them met the pivot in this round; 0 before there is one.
    met: usize,
    /// The arms that beat the pivot, and those that lost to it.
    above: Vec<Arm>,
    below: Vec<Arm>,
    finished: bool,
}

state!(PlPac { counted, left, met, above, below, finished } but { epsilon, scale });

impl PlPac {
    fn new(config: &PlPacConfig, arms: usize) -> Self {
        let k = arms as f64;
        Self {
            epsilon: config.epsilon,
            scale: 4.0 * k * k / config.delta,
            counted: PairCounts::new(arms, 0),
            left: (0..arms).map(Arm::at).collect(),
            met: 0,
            above: Vec::new(),
            below: Vec::new(),
            finished: arms == 1,
        }
    }

    /// p(i, j) - 1/2 and c(i, j); `None` if no duel is counted.
    fn lead_and_radius(&self, i: Arm, j: Arm) -> Option<(f64, f64)> {
        let (won, lost) = (f64::from(self.counted[(i, j)]), f64::from(self.counted[(j, i)]));
        let duels = won + lost;
        let radius = || (libm::log(self.scale * duels * duels) / (2.0 * duels)).sqrt();
        (duels > 0.0).then(|| (won / duels - 0.5, radius()))
    }

    /// Steps 2 to 4.
    fn end_round(&mut self) {
        let pivot = self.left[0];
        for &winner in &self.above {
            self.counted.record(winner.index(), pivot.index());
            for &loser in &self.below {
                self.counted.record(winner.index(), loser.index());
            }
        }
        for &loser in &self.below {
            self.counted.record(pivot.index(), loser.index());
        }
        self.above.clear();
        self.below.clear();
        self.met = 0;

        let loses = |i: Arm, j: Arm| self.lead_and_radius(i, j).is_some_and(|(lead, radius)| lead + radius < 0.0);
        let stays: Vec<bool> = self.left.iter().map(|&i| !self.left.iter().any(|&j| loses(i, j))).collect();
        // Contradictions, which have a probability below delta, might leave none.
        if stays.iter().any(|&stays| stays) {
            let mut stays = stays.into_iter();
            self.left.retain(|_| stays.next() == Some(true));
        }

        let close =
            |i: Arm, j: Arm| self.lead_and_radius(i, j).is_some_and(|(lead, radius)| lead - radius > -self.epsilon);
        let good = |&i: &Arm| self.left.iter().all(|&j| j == i || close(i, j));
        if let Some(arm) = self.left.iter().copied().find(good) {
            self.left = vec![arm];
            self.finished = true;
        }
    }
}

impl Policy for PlPac {
    fn arms(&self) -> usize {
        self.counted.arms()
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.finished {
            return Choice::Alone { arm: self.left[0], until: u64::MAX };
        }
        if self.met == 0 {
            let pivot = below(generator, self.left.len());
            self.left.swap(0, pivot);
            self.met = 1;
        }
        Choice::Duel(self.left[0], self.left[self.met])
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { first_won, .. } = feedback else { return };
        let other = self.left[self.met];
        if first_won {
            self.below.push(other)
        } else {
            self.above.push(other)
        }
        self.met += 1;
        if self.met == self.left.len() {
            self.end_round();
        }
    }

    /// The arm, of those left, that is ahead of the greatest number of the others.
    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        let out = |arm: usize| !self.left.contains(&Arm::at(arm));
        let is_out: Vec<bool> = (0..self.arms()).map(out).collect();
        self.counted.lowest_then_copeland(&is_out, generator)
    }

    stored!();
}
