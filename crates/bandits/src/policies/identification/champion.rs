//! A champion that meets the other arms one by one.

use crate::random::shuffle;
use crate::state::state;
use crate::{Arm, Generator};

/// A random arm at first; the better arm of each pair is the champion from then on. The others come in random order.
#[derive(Debug, Clone)]
pub(super) struct Champion {
    arms: usize,
    /// The arms that have yet to meet a champion.
    left: Vec<Arm>,
    champion: Option<Arm>,
    /// Whether a pair was settled.
    met: bool,
}

state!(Champion { left, champion, met } but { arms });

impl Champion {
    pub(super) fn new(arms: usize) -> Self {
        Self { arms, left: (0..arms).map(Arm::at).collect(), champion: None, met: false }
    }

    /// The number of arms.
    pub(super) fn arms(&self) -> usize {
        self.arms
    }

    /// The champion and the arm that it meets next, if any is left.
    pub(super) fn next(&mut self, generator: &mut Generator) -> Option<[Arm; 2]> {
        let champion = match self.champion {
            Some(champion) => champion,
            None => {
                shuffle(generator, &mut self.left);
                *self.champion.insert(self.left.pop()?)
            }
        };
        Some([champion, self.left.pop()?])
    }

    /// A pair is settled.
    pub(super) fn settled(&mut self, better: Arm) {
        (self.champion, self.met) = (Some(better), true);
    }

    /// The champion; before the first pair, any arm.
    pub(super) fn last(&self) -> Arm {
        self.champion.unwrap_or(Arm(0))
    }

    /// The champion, unless it has met nobody of several arms.
    pub(super) fn recommended(&self) -> Option<Arm> {
        self.champion.filter(|_| self.met || self.arms == 1)
    }
}
