//! Elimination by Borda scores, with a guarantee in each run: with probability 1 - delta the arm that is left is the Borda
//! winner.
//!
//! An arm is *pulled* by a duel with a uniformly random other arm, which it wins with a probability that is its Borda score.
//! With m(i) the share of n(i) pulls that arm i won, and r(i) = sqrt(ln(pi^2 K n(i)^2 / (3 delta)) / (2 n(i))):
//!
//! 1. the arms that are left are pulled in turn, pass by pass;
//! 2. an arm i leaves once m(i) + r(i) < m(j) - r(j) for some j;
//! 3. the last arm plays alone for ever.
//!
//! ## References
//!
//! K. Jamieson, S. Katariya, A. Deshpande, R. Nowak, "Sparse Dueling Bandits", AISTATS 2015,
//! <https://proceedings.mlr.press/v38/jamieson15.html>, for the reduction to a bandit of single arms. The rule is that of E.
//! Even-Dar, S. Mannor, Y. Mansour, "Action Elimination and Stopping Conditions for the Multi-Armed Bandit and Reinforcement
//! Learning Problems", Journal of Machine Learning Research 7, 2006, <https://jmlr.org/papers/v7/evendar06a.html>.
//!
//! ## Notes
//!
//! * By Hoeffding's inequality and the sum of 1 / n^2, all m(i) are within r(i) of the scores at all times with probability
//!   1 - delta. Then arm i has left once 4 r < its gap, after O(ln(K / (delta gap)) / gap^2) pulls.
//! * That is a promise for the arm reported, not for regret: every opponent, good or bad, is drawn to the end. SECS of the first
//!   paper, which leaves out opponents that do not matter, needs to know how many do, and is not here.
//! * Arms that tie for the best are pulled for ever.
//! * With late outcomes, pulls under way are not counted; the passes go on.
//! * The arm reported has the largest m of those left.

use crate::algorithm::papers;
use crate::random::{below, best_arm};
use crate::{Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, config, state, stored, takes_late};

config! {
    /// The parameters of elimination by Borda scores.
    pub struct BordaEliminationConfig {
        /// The probability that the Borda winner leaves, between 0 and 1.
        delta: f64 = 0.05, "probability that the Borda winner leaves" [probability];
    }

    policy BordaElimination {
        name: "borda-elimination",
        summary: "the Borda winner with a guarantee (Jamieson et al., AISTATS 2015), by elimination",
        paper: papers::JAMIESON_AISTATS_2015,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> BordaElimination {
        BordaElimination::new(self, arms)
    }

    takes_late!();
}

/// Elimination by Borda scores.
#[derive(Debug, Clone)]
pub struct BordaElimination {
    delta: f64,
    won: Vec<u64>,
    pulled: Vec<u64>,
    /// m(i) + r(i).
    upper: Vec<f64>,
    /// The largest m(i) - r(i) there has ever been: each held when it was computed.
    highest_lower: f64,
    /// The arms that are left.
    left: Vec<u32>,
    /// The place in `left` of the arm that plays next.
    turn: usize,
}

state!(BordaElimination { won, pulled, upper, highest_lower, left, turn } but { delta });

impl BordaElimination {
    fn new(config: &BordaEliminationConfig, arms: usize) -> Self {
        Self {
            delta: config.delta,
            won: vec![0; arms],
            pulled: vec![0; arms],
            upper: vec![f64::INFINITY; arms],
            highest_lower: f64::NEG_INFINITY,
            left: (0..arms as u32).collect(),
            turn: 0,
        }
    }

    /// r after `pulls` pulls.
    fn radius(&self, pulls: f64) -> f64 {
        let pi_squared = std::f64::consts::PI * std::f64::consts::PI;
        (libm::log(pi_squared * self.won.len() as f64 * pulls * pulls / (3.0 * self.delta)) / (2.0 * pulls)).sqrt()
    }

    fn record(&mut self, arm: usize, won: bool) {
        self.won[arm] += u64::from(won);
        self.pulled[arm] += 1;
        let pulls = self.pulled[arm] as f64;
        let (mean, radius) = (self.won[arm] as f64 / pulls, self.radius(pulls));
        self.upper[arm] = mean + radius;
        let risen = mean - radius > self.highest_lower;
        if risen {
            self.highest_lower = mean - radius;
        }
        if risen || self.upper[arm] < self.highest_lower {
            // Where bounds contradict each other, which has a probability below delta, all may lie below one that an arm once
            // had: the highest is left.
            let highest = self.left.iter().map(|&arm| self.upper[arm as usize]).fold(f64::NEG_INFINITY, f64::max);
            let (upper, lower) = (&self.upper, self.highest_lower.min(highest));
            let before = self.left[..self.turn].iter().filter(|&&arm| upper[arm as usize] < lower).count();
            self.left.retain(|&arm| upper[arm as usize] >= lower);
            self.turn -= before;
        }
    }
}

impl Policy for BordaElimination {
    fn arms(&self) -> usize {
        self.won.len()
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        if let &[arm] = &self.left[..] {
            return Choice::Alone { arm: Arm(arm), until: u64::MAX };
        }
        if self.turn >= self.left.len() {
            self.turn = 0;
        }
        let arm = self.left[self.turn] as usize;
        self.turn += 1;
        let other = below(generator, self.arms() - 1);
        let opponent = if other < arm { other } else { other + 1 };
        Choice::Duel(Arm::at(arm), Arm::at(opponent))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, first_won } = feedback {
            let pulled = if first_won { winner } else { loser };
            self.record(pulled.index(), first_won);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        let mean = |&arm: &u32| self.won[arm as usize] as f64 / (self.pulled[arm as usize] as f64).max(1.0);
        if self.left.len() > 1 && self.left.iter().all(|arm| mean(arm) == 0.0) {
            return None;
        }
        best_arm(generator, self.left.iter().map(mean)).map(|at| Arm(self.left[at.index()]))
    }

    stored!();
}

impl DelayedFeedback for BordaElimination {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Generators, MatrixArena, PolicyConfig as _, PreferenceMatrix, Run, winners};

    /// Twenty runs among four arms where the Borda winner is not the Condorcet winner: each ends with the Borda winner, within
    /// the bound of the theory. With delta = .001 one error in twenty runs has a probability of .02.
    #[test]
    fn the_borda_winner_is_left_in_time() {
        let rows = [[0.5, 0.55, 0.55, 0.55], [0.45, 0.5, 0.9, 0.9], [0.45, 0.1, 0.5, 0.6], [0.45, 0.1, 0.4, 0.5]];
        let matrix = PreferenceMatrix::from_rows(&rows).expect("a matrix");
        assert_eq!(winners::borda_winners(&matrix), [Arm(1)]);
        assert_eq!(winners::condorcet_winner(&matrix), Some(Arm(0)));
        let scores = winners::borda_scores(&matrix);
        let config = BordaEliminationConfig { delta: 0.001 };
        for seed in 0..20 {
            let mut policy = config.policy(4, None).expect("valid");
            // Pulls until 4 r is below the gap, for each of the others, and the best one as often as the next.
            let pulls = |gap: f64| (1..).find(|&n| 4.0 * policy.radius(f64::from(n)) < gap).expect("some");
            let needed: Vec<u32> = [0, 2, 3].iter().map(|&i| pulls(scores[1] - scores[i])).collect();
            let most = u64::from(needed.iter().sum::<u32>() + needed.iter().max().expect("three"));
            let mut arena = MatrixArena::new(matrix.clone()).expect("a winner");
            let mut generators = Generators::from_seed(seed);
            let (mut run, mut step) = (Run::new(), 0);
            while policy.left.len() > 1 {
                step += 1;
                run.until(step, &mut policy, &mut arena, &mut generators, &mut ());
            }
            assert_eq!(policy.left, [1], "seed {seed}");
            assert!(step <= most && step > most / 20, "seed {seed}: {step} steps, {most} at most");
            assert_eq!(policy.recommend(&mut generators.policy), Some(Arm(1)));
        }
    }

    /// An arm that always won, and then always loses, is dropped by no one: its last bound lies below its first.
    #[test]
    fn one_arm_is_left_whatever_the_outcomes() {
        let mut policy = BordaEliminationConfig { delta: 0.9 }.policy(2, None).expect("valid");
        let mut generator = Generators::from_seed(1).policy;
        for step in 1..=400 {
            let Choice::Duel(first, second) = policy.choose(step, &mut generator) else { break };
            policy.learn(step, Feedback::of_duel(first, second, first == Arm(0)));
        }
        assert_eq!(policy.left, [0]);
        let below_its_own = |policy: &BordaElimination| policy.upper[0] < policy.highest_lower;
        // Outcomes that come late.
        for step in 401..=4_000 {
            policy.learn(step, Feedback::of_duel(Arm(0), Arm(1), false));
        }
        assert!(below_its_own(&policy), "{policy:?}");
        assert_eq!(policy.choose(4_001, &mut generator), Choice::Alone { arm: Arm(0), until: u64::MAX });
        // Two arms that fall together: one is left.
        let mut policy = BordaEliminationConfig { delta: 0.9 }.policy(2, None).expect("valid");
        for (step, won) in (1..=4_000).map(|step| (step, step <= 100)) {
            for (arm, other) in [(Arm(0), Arm(1)), (Arm(1), Arm(0))] {
                policy.learn(step, Feedback::of_duel(arm, other, won));
            }
        }
        assert!(policy.left.len() == 1 && below_its_own(&policy), "{policy:?}");
        assert!(matches!(policy.choose(1, &mut generator), Choice::Alone { .. }));
    }

    /// The shares of 400 arms that win half of their pulls, each watched for 2,000 pulls, stay within r of 1/2 for all but delta / K of the arms.
    #[test]
    fn bounds_hold_at_all_times() {
        use rand::SeedableRng as _;

        let config = BordaEliminationConfig { delta: 0.5 };
        let policy = config.policy(2, None).expect("valid");
        let mut generator = Generator::seed_from_u64(1);
        let outside = |generator: &mut Generator| {
            let mut won = 0_u32;
            (1..=2_000_u32).any(|n| {
                won += u32::from(crate::random::coin(generator));
                (f64::from(won) / f64::from(n) - 0.5).abs() > policy.radius(f64::from(n))
            })
        };
        let count = (0..400).filter(|_| outside(&mut generator)).count();
        // delta / K = 1/4: at most 100 are expected, with a standard deviation of 8.7; four of them are allowed.
        assert!(count <= 134, "{count} of 400");
    }
}
