//! A champion that meets the other arms one by one.

use super::PairRule;
use crate::random::shuffle;
use crate::state::State;
use crate::{Arm, Generator, state};

/// Decides from the duels of a champion and a challenger which of them is better.
pub trait ChampionTest {
    /// Whether the challenger is the first arm of the pair.
    const CHALLENGER_FIRST: bool = false;

    /// Two new arms meet.
    fn start(&mut self) {}

    /// Whether the first arm of the pair is the better one, if its wins and those of the other decide that.
    fn decide(&mut self, wins: &mut [u32; 2]) -> Option<bool>;
}

/// A random arm at first; the better arm of each pair is the champion from then on. The others come in random order.
#[derive(Debug, Clone)]
pub struct OneByOne<T> {
    arms: usize,
    /// The arms that have yet to meet a champion.
    left: Vec<Arm>,
    champion: Option<Arm>,
    /// Whether a pair was decided.
    met: bool,
    test: T,
}

state!(bounded T: State => OneByOne<T> { left, champion, met, test } but { arms });

impl<T> OneByOne<T> {
    pub(super) fn new(arms: usize, test: T) -> Self {
        Self { arms, left: (0..arms).map(Arm::at).collect(), champion: None, met: false, test }
    }
}

impl<T: ChampionTest> PairRule for OneByOne<T> {
    fn arms(&self) -> usize {
        self.arms
    }

    fn next(&mut self, generator: &mut Generator) -> Option<[Arm; 2]> {
        self.test.start();
        let champion = match self.champion {
            Some(champion) => champion,
            None => {
                shuffle(generator, &mut self.left);
                *self.champion.insert(self.left.pop()?)
            }
        };
        let challenger = self.left.pop()?;
        Some(if T::CHALLENGER_FIRST { [challenger, champion] } else { [champion, challenger] })
    }

    fn decide(&mut self, wins: &mut [u32; 2]) -> Option<bool> {
        self.test.decide(wins)
    }

    fn decided(&mut self, better: Arm, _worse: Arm) {
        (self.champion, self.met) = (Some(better), true);
    }

    fn last(&self) -> Arm {
        self.champion.unwrap_or(Arm(0))
    }

    /// The champion, once a pair was decided or if it is the only arm.
    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        self.champion.filter(|_| self.met || self.arms == 1)
    }
}
