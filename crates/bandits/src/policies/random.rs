//! Random choice, the baseline of every algorithm. Two arms, each uniform and independent of the
//! other; or, as a set, each arm with probability 1/2.
//!
//! ## References
//!
//! Both serve as baselines in B. Brost et al., "Multi-Dueling Bandits and Their Application to
//! Online Ranker Evaluation", CIKM 2016, <https://doi.org/10.1145/2983323.2983659>, and the first
//! in J. Komiyama et al., COLT 2015, <https://proceedings.mlr.press/v40/Komiyama15.html>.
//!
//! ## Notes
//!
//! * "A random subset" is drawn again if it is empty. The paper leaves the size of its subsets open; under any
//!   distribution that treats all arms alike the expected regret is the same.
//! * If one arm is drawn (twice, or as the whole set), it plays alone.
//! * Outcomes change no choice, but are counted: both recommend the arm that won the largest share of its duels, a pair of a
//!   set being one, ties at random. Opponents are uniform, so that this share estimates the arm's Borda score: the
//!   recommendation is that of the honest baseline, uniform exploration, which in time finds the Borda winner (perhaps not
//!   the Condorcet winner). No arm is recommended before the first outcome. Revision 1 recommended none at all.

use rand::Rng as _;

use crate::late::DelayedFeedback;
use crate::random::{below, best_arm};
use crate::{
    ActionKind, Arm, Choice, DuelPolicy, Feedback, Generator, PairWins, Policy, config, state, stored, takes_late,
};

config! {
    /// Random pairs: no parameters.
    pub struct RandomPairsConfig {}

    policy RandomPairs {
        name: "random",
        summary: "two arms at random: the baseline of duels",
        revision: 2,
        own_loop: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> RandomPairs {
        RandomPairs { arms, shares: WinShares::new(arms) }
    }

    takes_late!();
}

config! {
    /// Random sets: no parameters.
    pub struct RandomSetsConfig {}

    policy RandomSets {
        name: "random-set",
        summary: "each arm by the toss of a coin: the baseline of sets",
        revision: 2,
        action: ActionKind::Sets,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> RandomSets {
        RandomSets { arms, set: Vec::with_capacity(arms), shares: WinShares::new(arms) }
    }

    takes_late!();
}

/// How many duels each arm was in, and how many it won.
#[derive(Debug, Clone)]
struct WinShares {
    won: Vec<u64>,
    met: Vec<u64>,
}

state!(WinShares { won, met });

impl WinShares {
    fn new(arms: usize) -> Self {
        Self { won: vec![0; arms], met: vec![0; arms] }
    }

    fn record(&mut self, winner: Arm, loser: Arm) {
        self.won[winner.index()] += 1;
        self.met[winner.index()] += 1;
        self.met[loser.index()] += 1;
    }

    /// `set` in the order in which it was chosen.
    fn record_set(&mut self, set: &[Arm], wins: &PairWins) {
        for (position, arm) in set.iter().enumerate() {
            self.won[arm.index()] += u64::from(wins.wins_of(position));
            self.met[arm.index()] += set.len() as u64 - 1;
        }
    }

    /// The arm with the largest share of duels won, ties at random; of an arm without duels nothing is known.
    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        let shares =
            self.won.iter().zip(&self.met).map(|(&won, &met)| if met == 0 { -1.0 } else { won as f64 / met as f64 });
        if self.met.iter().all(|&met| met == 0) && self.met.len() > 1 {
            return None;
        }
        best_arm(generator, shares)
    }
}

/// Random pairs.
#[derive(Debug, Clone)]
pub struct RandomPairs {
    arms: usize,
    shares: WinShares,
}

state!(RandomPairs { shares } but { arms });

impl DuelPolicy for RandomPairs {
    #[inline]
    fn arm_count(&self) -> usize {
        self.arms
    }

    #[inline]
    fn pair(&mut self, _step: u64, generator: &mut Generator) -> (Arm, Arm) {
        (Arm::at(below(generator, self.arms)), Arm::at(below(generator, self.arms)))
    }

    #[inline]
    fn outcome(&mut self, winner: Arm, loser: Arm) {
        self.shares.record(winner, loser);
    }

    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        self.shares.best(generator)
    }

    stored!();
}

impl DelayedFeedback for RandomPairs {}

/// Random sets.
#[derive(Debug, Clone)]
pub struct RandomSets {
    arms: usize,
    set: Vec<Arm>,
    shares: WinShares,
}

state!(RandomSets { set, shares } but { arms });

impl Policy for RandomSets {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        self.set.clear();
        while self.set.is_empty() {
            for first in (0..self.arms).step_by(64) {
                let coins = generator.next_u64();
                let arms = (0..64.min(self.arms - first)).filter(|bit| coins >> bit & 1 == 1);
                self.set.extend(arms.map(|bit| Arm::at(first + bit)));
            }
        }
        if let [arm] = self.set[..] {
            return Choice::Alone { arm, until: step };
        }
        Choice::Set(&self.set)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Set { wins } = feedback {
            self.shares.record_set(&self.set, wins);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.shares.best(generator)
    }

    stored!();
}

impl DelayedFeedback for RandomSets {
    fn arrive(&mut self, _step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        if let Some(Feedback::Set { wins }) = feedback {
            self.shares.record_set(arms, wins);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::{PolicyVisitor, Spec};
    use crate::{Arm, Generators, MatrixArena, Policy, PreferenceMatrix, Recorder, play};

    /// The arm recommended after this many steps.
    struct After<'a>(&'a PreferenceMatrix, u64, u64);

    impl PolicyVisitor for After<'_> {
        type Output = Option<Arm>;

        fn visit<P: Policy + Send>(self, mut policy: P) -> Option<Arm> {
            let mut arena = MatrixArena::new(self.0.clone()).expect("a winner");
            let mut generators = Generators::from_seed(self.2);
            assert_eq!(policy.recommend(&mut generators.policy), (policy.arms() == 1).then_some(Arm(0)));
            play(&mut policy, &mut arena, self.1, &mut generators, &mut Recorder::new(vec![self.1]));
            policy.recommend(&mut generators.policy)
        }
    }

    /// Arm 0 beats both others narrowly, arm 1 beats arm 2 by far: Borda scores of .55, .675 and .275.
    #[test]
    fn both_find_the_borda_winner_where_another_arm_is_the_condorcet_winner() {
        let matrix = PreferenceMatrix::from_rows(&[vec![0.5, 0.55, 0.55], vec![0.45, 0.5, 0.9], vec![0.45, 0.1, 0.5]])
            .expect("a matrix");
        assert_eq!(crate::winners::condorcet_winner(&matrix), Some(Arm(0)));
        assert_eq!(crate::winners::borda_winners(&matrix), [Arm(1)]);
        for name in ["random", "random-set"] {
            let spec: Spec = name.parse().expect(name);
            for seed in 0..20 {
                // Each arm is in at least 800 duels, so that a share has a standard error of at most .0177: .125 is more
                // than five standard errors of a difference.
                assert_eq!(spec.visit(3, Some(2_000), After(&matrix, 2_000, seed)), Ok(Some(Arm(1))), "{name}, {seed}");
            }
            assert_eq!(
                spec.visit(1, Some(5), After(&PreferenceMatrix::from_rows(&[[0.5]]).expect("one arm"), 5, 1)),
                Ok(Some(Arm(0)))
            );
        }
    }
}
