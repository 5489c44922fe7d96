//! Explore, then verify: a candidate that is right with a modest probability is cheap to find, and one rival of each other
//! arm is enough to make sure of it. With probability 1 - delta the arm that is left is the Condorcet winner.
//!
//! With bounds [l(i, j), u(i, j)] = p(i, j) ± sqrt(ln(2 K^2 n^2 / d) / 2 n) of the probability that i beats j, after n duels of
//! which i won the share p(i, j), in round r = 1, 2, ...:
//!
//! 1. *Explore*, with d = kappa: all pairs in play meet once, again and again. A pair is in play until both of its arms, i against
//!    j and j against i, have learned enough: i beats j, l(i, j) > 1/2; or i loses, and by how much is known within a factor of
//!    two, 1/2 - l(i, j) < 2 (1/2 - u(i, j)) and u(i, j) < 1/2; or i may lose, l(i, j) < 1/2, but loses more clearly to
//!    some other arm h, u(i, h) < l(i, j).
//! 2. The candidate is an arm with no bound l below 1/2. Each other arm's rival is the arm with the lowest u.
//! 3. *Verify*, with d = delta / (2 r^2) and new counts: each other arm meets its rival until u < 1/2. If l > 1/2 for any,
//!    the candidate is not accepted, and the next round begins. The candidate that is accepted plays alone for ever.
//!
//! ## References
//!
//! Z. S. Karnin, "Verification Based Solution for Structured MAB Problems", NeurIPS 2016,
//! <https://proceedings.neurips.cc/paper/2016/hash/65b9eea6e1cc6bb9f0cd2a47751a186f-Abstract.html>.
//!
//! ## Notes
//!
//! * Only K - 1 pairs pay for a small delta: ln(1 / delta) times the sum, over the other arms, of 1 / gap^2, where each gap is
//!   that to the arm which beats it most clearly.
//! * Exploration pays for near ties: it distinguishes the candidate from its closest rival with probability 1 - kappa.
//! * If there is no candidate, or several, which has a probability below kappa where there is a Condorcet winner, a random arm of
//!   those with the fewest bounds below 1/2 is verified.
//! * It needs a Condorcet winner: without one it never ends.
//! * kappa = 1/3 and delta = .05 by default.

use crate::algorithm::papers;
use crate::counts::PairCounts;
use crate::random::{argmax, shuffle};
use crate::{Arm, Choice, Feedback, Generator, Policy, config, plain, state, stored};

config! {
    /// The parameters.
    pub struct VerificationConfig {
        /// The probability of failing, in (0, 1).
        delta: f64 = 0.05, "probability of failing" [probability];
        /// The probability that a candidate is wrong, in (0, 1).
        kappa: f64 = 1.0 / 3.0, "probability that a candidate is wrong" [probability];
    }

    policy Verification {
        name: "verification",
        summary: "explores for a candidate, then verifies it (Karnin, NeurIPS 2016)",
        paper: papers::KARNIN_NEURIPS_2016,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> Verification {
        Verification::new(self, arms)
    }
}

/// Two arms that meet, and what there is left to learn from it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Meeting {
    arms: [Arm; 2],
    /// Whether either arm has learned enough of the other; the second need not learn while a candidate is verified.
    learned: [bool; 2],
}

plain!(Meeting { arms, learned });

/// The rival of an arm so far: the one with the lowest upper bound of those that it has learned enough of.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rival {
    arm: Arm,
    upper: f64,
}

plain!(Rival { arm, upper });

/// Exploration and verification by turns.
#[derive(Debug, Clone)]
pub struct Verification {
    config: VerificationConfig,
    /// r; 0 before the first.
    round: u64,
    /// Since this stage began.
    wins: PairCounts,
    /// The pairs in play.
    in_play: Vec<Meeting>,
    /// The place in `in_play` of the pair that meets next.
    turn: usize,
    /// The rival of each arm so far.
    lowest: Vec<Rival>,
    /// How many arms each arm may lose to, of those that it has learned enough of.
    possible_losses: Vec<u32>,
    /// The arm that is verified, or was.
    candidate: Option<Arm>,
}

state!(Verification { round, wins, in_play, turn, lowest, possible_losses, candidate } but { config });

impl Verification {
    fn new(config: &VerificationConfig, arms: usize) -> Self {
        Self {
            config: config.clone(),
            round: 0,
            wins: PairCounts::new(arms, 0),
            in_play: Vec::new(),
            turn: 0,
            lowest: Vec::new(),
            possible_losses: Vec::new(),
            candidate: (arms == 1).then_some(Arm(0)),
        }
    }

    /// d.
    fn error(&self) -> f64 {
        match self.candidate {
            None => self.config.kappa,
            Some(_) => self.config.delta / (2.0 * (self.round as f64).powi(2)),
        }
    }

    /// All counts back to 0.
    fn reset_counts(&mut self) {
        for arm in 0..self.arms() {
            self.wins.row_mut(arm).fill(0);
        }
    }

    /// The next round begins: all pairs are in play, in random order.
    fn explore(&mut self, generator: &mut Generator) {
        let arms = self.arms();
        self.round += 1;
        self.candidate = None;
        self.reset_counts();
        let pairs = (0..arms).flat_map(|i| (i + 1..arms).map(move |j| [i, j].map(Arm::at)));
        self.in_play = Vec::with_capacity(arms * (arms - 1) / 2);
        self.in_play.extend(pairs.map(|arms| Meeting { arms, learned: [false; 2] }));
        shuffle(generator, &mut self.in_play);
        self.turn = 0;
        self.lowest = vec![Rival { arm: Arm(0), upper: f64::INFINITY }; arms];
        self.possible_losses = vec![0; arms];
    }

    /// All pairs in play have met: which of them are to meet again?
    fn end_exploring_pass(&mut self, generator: &mut Generator) {
        let error = self.error();
        let Self { wins, in_play, lowest: rivals, possible_losses, .. } = self;
        let mut lowest: Vec<f64> = rivals.iter().map(|rival| rival.upper).collect();
        for &Meeting { arms: [i, j], .. } in &*in_play {
            let [lower, upper] = win_bounds(wins, error, i, j);
            lowest[i.index()] = lowest[i.index()].min(upper);
            lowest[j.index()] = lowest[j.index()].min(1.0 - lower);
        }
        in_play.retain_mut(|pair| {
            let [i, j] = pair.arms;
            let [lower, upper] = win_bounds(wins, error, i, j);
            let sides = [(i, j, lower, upper), (j, i, 1.0 - upper, 1.0 - lower)];
            for (learned, (arm, _, lower, upper)) in pair.learned.iter_mut().zip(sides) {
                let beats = lower > 0.5;
                let known = upper < 0.5 && 0.5 - lower < 2.0 * (0.5 - upper);
                let others_say_more = lower < 0.5 && lowest[arm.index()] < lower;
                *learned |= beats || known || others_say_more;
            }
            let learned_both = pair.learned == [true; 2];
            for (arm, other, lower, upper) in sides.into_iter().filter(|_| learned_both) {
                possible_losses[arm.index()] += u32::from(lower < 0.5);
                let rival = &mut rivals[arm.index()];
                if upper < rival.upper {
                    *rival = Rival { arm: other, upper };
                }
            }
            !learned_both
        });
        if self.in_play.is_empty() {
            let surest = argmax(
                generator,
                self.possible_losses.iter().map(|&possible_losses| std::cmp::Reverse(possible_losses)),
            );
            self.verify(Arm::at(surest.expect("there are arms")));
        }
    }

    /// Each other arm is to meet its rival.
    fn verify(&mut self, candidate: Arm) {
        self.candidate = Some(candidate);
        self.reset_counts();
        let others = self.lowest.iter().enumerate().filter(|&(arm, _)| arm != candidate.index());
        self.in_play =
            others.map(|(arm, rival)| Meeting { arms: [Arm::at(arm), rival.arm], learned: [false, true] }).collect();
    }

    /// All pairs in play have met: is the candidate accepted?
    fn end_verifying_pass(&mut self, generator: &mut Generator) {
        let (error, wins) = (self.error(), &self.wins);
        let bounds = |pair: &Meeting| win_bounds(wins, error, pair.arms[0], pair.arms[1]);
        if self.in_play.iter().any(|pair| bounds(pair)[0] > 0.5) {
            self.explore(generator);
        } else {
            self.in_play.retain(|pair| bounds(pair)[1] >= 0.5);
        }
    }
}

/// The bounds of the probability that `i` beats `j`, for the error d.
fn win_bounds(wins: &PairCounts, d: f64, i: Arm, j: Arm) -> [f64; 2] {
    let (won, lost) = (f64::from(wins[(i, j)]), f64::from(wins[(j, i)]));
    let (k, n) = (wins.arms() as f64, won + lost);
    let radius = (libm::log(2.0 * k * k * n * n / d) / (2.0 * n)).sqrt();
    [won / n - radius, won / n + radius]
}

impl Policy for Verification {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.turn == self.in_play.len() {
            self.turn = 0;
            match (self.round, self.candidate) {
                (0, None) => self.explore(generator),
                (_, None) => self.end_exploring_pass(generator),
                (_, Some(_)) => self.end_verifying_pass(generator),
            }
        }
        match (self.in_play.get(self.turn), self.candidate) {
            (Some(&Meeting { arms: [first, second], .. }), _) => Choice::Duel(first, second),
            (None, candidate) => Choice::Alone { arm: candidate.expect("verified"), until: u64::MAX },
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.wins.record(winner.index(), loser.index());
            self.turn += 1;
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.candidate.or_else(|| self.wins.copeland_best(generator))
    }

    stored!();
}
