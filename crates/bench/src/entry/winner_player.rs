//! Players that state a winner: a policy chooses, and a test looks at all outcomes.

use statistics::anytime::BestArm;

use super::policy::PolicyPlayer;
use super::{Answer, Arrived, Foul, Move, Player};
use crate::counts::OutcomeCounts;

/// The level at which winners are stated.
const ERROR: f64 = 0.05;
/// The quantile of the normal distribution for one look at this level, on one side.
const NORMAL_QUANTILE: f64 = 1.644_853_626_951_472_2;

/// A policy, and a test of what its outcomes prove.
pub(super) struct WinnerStatingPlayer {
    player: PolicyPlayer,
    test: Test,
}

enum Test {
    /// `statistics::anytime::BestArm`, which holds at every look.
    Evidence(Box<BestArm>),
    /// Beats every other arm by a normal test that holds at one look.
    Naive(OutcomeCounts),
}

impl WinnerStatingPlayer {
    pub(super) fn with_evidence(player: PolicyPlayer, arms: usize) -> Result<Self, Foul> {
        let test = BestArm::new(arms, ERROR).map_err(|error| Foul::DoesNotPlay(error.to_string()))?;
        Ok(Self { player, test: Test::Evidence(Box::new(test)) })
    }

    pub(super) fn naive(player: PolicyPlayer, arms: usize) -> Self {
        Self { player, test: Test::Naive(OutcomeCounts::new(arms)) }
    }
}

impl Test {
    fn record(&mut self, arrived: &[Arrived]) {
        for &Arrived { pair: [first, second], outcome, .. } in arrived {
            match self {
                Self::Evidence(test) => {
                    test.record(first, second, outcome);
                }
                Self::Naive(counts) => counts.record(first, second, outcome),
            }
        }
    }

    fn winner(&self) -> Option<usize> {
        match self {
            Self::Evidence(test) => test.declared_arm(),
            Self::Naive(counts) => {
                let beats_pair = |i: usize, j: usize| {
                    let [wins, losses] = [counts.wins(i, j), counts.wins(j, i)].map(f64::from);
                    wins - losses > NORMAL_QUANTILE * (wins + losses).sqrt()
                };
                (0..counts.arms()).find(|&i| (0..counts.arms()).all(|j| i == j || beats_pair(i, j)))
            }
        }
    }
}

impl Player for WinnerStatingPlayer {
    fn choose(&mut self, step: u64, arrived: &[Arrived]) -> Result<Move, Foul> {
        self.test.record(arrived);
        Ok(Move { winner: self.test.winner(), ..self.player.choose(step, arrived)? })
    }

    fn answer(&mut self, arrived: &[Arrived]) -> Result<Answer, Foul> {
        self.test.record(arrived);
        self.player.answer(arrived)
    }
}

#[cfg(test)]
mod tests {
    use ranktypes::Preference;

    use super::*;

    #[test]
    fn the_naive_test_is_that_of_one_look() {
        let mut test = Test::Naive(OutcomeCounts::new(2));
        let one = |outcome| [Arrived { step: 1, pair: [1, 0], outcome }];
        for _ in 0..2 {
            test.record(&one(Preference::First));
        }
        assert_eq!(test.winner(), None, "2 of 2 is 1.41 standard errors");
        test.record(&one(Preference::Tie));
        assert_eq!(test.winner(), None);
        test.record(&one(Preference::First));
        assert_eq!(test.winner(), Some(1), "3 of 3 is 1.73");
    }
}
