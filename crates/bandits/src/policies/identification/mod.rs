//! Algorithms that look for the best arm with a stated probability of error, and decide one pair after another: a pair
//! meets until its duels say which arm is better, and the results of pairs determine which one comes next. At the end one
//! arm plays alone for ever.
//!
//! Their common parts are here: [`PairByPair`] plays the pairs of a [`PairRule`], and where a champion meets the others one by one, only
//! the test of a pair differs. Two that play all pairs in turn ([`pl_pac`],
//! [`verification`]) have the same aim. Elimination by Borda scores, which has it too, is in `borda`. [`parwis`] looks for the best arm within a
//! few duels per arm, and states no probability.

pub mod dkwt;
pub mod knockout;
pub mod mallows_mpi;
pub mod nts;
pub mod parwis;
pub mod pl_pac;
pub mod pocowista;
pub mod sequential_elimination;
pub mod verification;

mod bracket;
mod one_by_one;

use bracket::Bracket;
use one_by_one::{ChampionTest, OneByOne};

use crate::state::State;
use crate::{Arm, Choice, Feedback, Generator, Policy, state, stored};

/// Which pairs meet, for how long, and what follows from it.
pub trait PairRule {
    /// The number of arms.
    fn arms(&self) -> usize;

    /// The pair that is decided next; `None` once nothing is left to decide.
    fn next(&mut self, generator: &mut Generator) -> Option<[Arm; 2]>;

    /// Whether the first arm of the pair is the better one, if its wins and those of the other decide that.
    fn decide(&mut self, wins: &mut [u32; 2]) -> Option<bool>;

    /// A pair is decided.
    fn decided(&mut self, better: Arm, worse: Arm);

    /// The arm that plays alone at the end.
    fn last(&self) -> Arm;

    /// The arm that it recommends, at the end or before; `None` if there is none.
    fn recommend(&self, generator: &mut Generator) -> Option<Arm>;
}

/// The policy that decides one pair after another.
#[derive(Debug, Clone)]
pub struct PairByPair<S> {
    rule: S,
    /// The pair that meets, and the wins of either arm.
    pair: Option<[Arm; 2]>,
    wins: [u32; 2],
}

state!(bounded S: State => PairByPair<S> { rule, pair, wins });

impl<S: PairRule> PairByPair<S> {
    fn new(rule: S) -> Self {
        Self { rule, pair: None, wins: [0; 2] }
    }
}

impl<S: PairRule + State> Policy for PairByPair<S> {
    fn arms(&self) -> usize {
        self.rule.arms()
    }

    #[inline]
    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.pair.is_none() {
            self.pair = self.rule.next(generator);
            self.wins = [0; 2];
        }
        match self.pair {
            Some([first, second]) => Choice::Duel(first, second),
            None => Choice::Alone { arm: self.rule.last(), until: u64::MAX },
        }
    }

    #[inline]
    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let (Some([first, second]), Feedback::Duel { first_won, .. }) = (self.pair, feedback) else {
            return;
        };
        self.wins[usize::from(!first_won)] += 1;
        if let Some(first_better) = self.rule.decide(&mut self.wins) {
            let (better, worse) = if first_better { (first, second) } else { (second, first) };
            self.rule.decided(better, worse);
            self.pair = None;
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.rule.recommend(generator)
    }

    stored!();
}
