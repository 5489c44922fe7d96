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
//! * It learns nothing, and so recommends no arm.

use rand::Rng as _;

use crate::algorithm::{countable, parameters, takes_late};
use crate::late::Late;
use crate::random::below;
use crate::state::{state, stored};
use crate::{ActionKind, Arm, Choice, Convergence, Feedback, Generator, Memory, ParameterError, Policy, PolicyConfig};

/// Random pairs: no parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RandomPairsConfig;

/// Random sets: no parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RandomSetsConfig;

impl PolicyConfig for RandomPairsConfig {
    const NAME: &'static str = "random";
    const SUMMARY: &'static str = "two arms at random: the baseline of duels";
    const PREFER: &'static str = "the baseline; and to learn all pairs alike";
    const CONVERGENCE: Convergence = Convergence { condorcet: false, ..Convergence::USUAL };
    const MEMORY: Memory = Memory { per_pair: 0, per_arm: 16 };
    type Policy = RandomPairs;

    parameters! {}

    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn policy(&self, arms: usize, _horizon: u64) -> Result<RandomPairs, ParameterError> {
        countable(arms)?;
        Ok(RandomPairs { arms })
    }

    takes_late!();
}

impl PolicyConfig for RandomSetsConfig {
    const NAME: &'static str = "random-set";
    const SUMMARY: &'static str = "each arm by the toss of a coin: the baseline of sets";
    const PREFER: &'static str = "the baseline of `mdb`";
    const ACTION: ActionKind = ActionKind::Sets;
    const CONVERGENCE: Convergence = Convergence { condorcet: false, ..Convergence::USUAL };
    const MEMORY: Memory = Memory { per_pair: 0, per_arm: 150 };
    type Policy = RandomSets;

    parameters! {}

    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn policy(&self, arms: usize, _horizon: u64) -> Result<RandomSets, ParameterError> {
        countable(arms)?;
        Ok(RandomSets { arms, set: Vec::with_capacity(arms) })
    }

    takes_late!();
}

/// Random pairs.
#[derive(Debug, Clone)]
pub struct RandomPairs {
    arms: usize,
}

state!(RandomPairs {} but { arms });

impl Policy for RandomPairs {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let first = Arm::at(below(generator, self.arms));
        let second = Arm::at(below(generator, self.arms));
        if first == second {
            let until = if self.arms == 1 { u64::MAX } else { step };
            return Choice::Alone { arm: first, until };
        }
        Choice::Duel(first, second)
    }

    fn learn(&mut self, _step: u64, _feedback: Feedback<'_>) {}

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        (self.arms == 1).then_some(Arm(0))
    }

    stored!();
}

impl Late for RandomPairs {}

/// Random sets.
#[derive(Debug, Clone)]
pub struct RandomSets {
    arms: usize,
    set: Vec<Arm>,
}

state!(RandomSets {} but { arms, set });

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

    fn learn(&mut self, _step: u64, _feedback: Feedback<'_>) {}

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        (self.arms == 1).then_some(Arm(0))
    }

    stored!();
}

impl Late for RandomSets {}
