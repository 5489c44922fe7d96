//! Two arms by Thompson sampling: the first wins the most duels of a tournament drawn from the posterior of
//! every pair, the second looks best against the first in a second, independent draw.
//!
//! With theta(i, j) from Beta(w(i, j) + 1, w(j, i) + 1) the tournament needs only whether theta exceeds
//! 1/2, and so does the second draw at first, where an arm's preference over itself is 1/2: an arm
//! below that cannot be second. A coin of known bias stands in for each, and a Beta variate is drawn only of
//! the few above 1/2, given that they are.

use crate::confidence::last_step_below;
use crate::counts::PairTable;
use crate::random::geometric;
use crate::{Arm, Choice, Generator, state};

mod cut_short_tournament;
mod policy;
mod posterior;
mod sweeps;
#[cfg(test)]
mod testing;
mod tournament;
mod win_probability;

use cut_short_tournament::CutShortTournament;
pub(crate) use policy::{ThompsonRule, ThompsonSampling};
pub(crate) use posterior::Posterior;
pub(crate) use win_probability::{WinProbability, chance_of};

/// The posterior of the preference theta(i, j) of every pair, in the form that tournaments need.
pub(crate) trait Preferences {
    /// Whether the posterior changes at each step even without a duel, so that no draw holds for the next step.
    const FADES: bool;

    fn arms(&self) -> usize;

    /// P(theta(i, j) > 1/2), 0 for i = j.
    fn chance(&self, i: usize, j: usize) -> f64;

    /// Draws whether theta(i, j) > 1/2.
    fn wins_once(&self, i: usize, j: usize, generator: &mut Generator) -> bool;

    /// Draws for arms `from..` whether arm `i` would beat each: 1 or 0.
    fn draw_row(&self, i: usize, from: usize, row: &mut [u32], generator: &mut Generator);

    /// Draws theta(i, j), given that it is above 1/2.
    fn draw_above_half(&self, i: usize, j: usize, generator: &mut Generator) -> f64;

    /// A number that is the greater, the more duels of a tournament an arm may expect to win.
    fn strength(&self, i: usize) -> u64;
}

/// The arms that may take part in a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    /// The arms that may be first, in order.
    pub(crate) first: &'a [Arm],
    /// The evidence for each pair that the arm of the row loses to that of the column; an arm may not be second
    /// if the evidence that the first loses to it exceeds `time`. `None`: any arm may.
    pub(crate) against: Option<(&'a PairTable<f64>, f64)>,
    /// The value of alpha ln t up to which all this holds, unless a duel changes it; and alpha.
    pub(crate) soonest: (f64, f64),
    /// The last step up to which all duels that count now are still remembered.
    pub(crate) remembered: u64,
}

impl Field<'_> {
    fn may_be_second(&self, first: usize, second: usize) -> bool {
        self.against.is_none_or(|(against, time)| against[(first, second)] <= time)
    }
}

/// How ties between the arms that win the most duels of the tournament are broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ties {
    /// At random.
    Random,
    /// By their expected regret (D-TS+).
    Regret,
}

/// Draws pairs of arms from the posterior of their preferences, `posterior` in its methods.
#[derive(Debug, Clone)]
pub(crate) struct Sampler {
    arms: usize,
    ties: Ties,
    /// The arm that has its row of a tournament drawn first: the winner of the last one.
    favourite: usize,
    /// The arms that the favourite beats in the current tournament: 1 or 0 for each arm.
    favourite_row: Vec<u32>,
    row: Vec<u32>,
    scores: Vec<u32>,
    inside: Vec<u32>,
    knockout: CutShortTournament,
    /// Of all pairs i < j, whether i won; kept only for `Ties::Regret`.
    outcomes: PairTable<u32>,
    /// The arms that won the most duels of the tournament.
    tied: Vec<usize>,
    regrets: Vec<f64>,
    /// The arm that has just played alone to the drawn end of its stretch: it does not sweep both
    /// draws once more.
    ended: Option<usize>,
}

state!(Sampler { favourite, favourite_row, row, scores, inside, knockout, outcomes, tied, regrets, ended } but { arms, ties });

impl Sampler {
    pub(crate) fn new(arms: usize, ties: Ties) -> Self {
        Self {
            arms,
            ties,
            favourite: 0,
            favourite_row: vec![0; arms],
            row: vec![0; arms],
            scores: vec![0; arms],
            inside: vec![0; arms],
            knockout: CutShortTournament::new(arms),
            outcomes: match ties {
                Ties::Random => PairTable::new(0, 0),
                Ties::Regret => PairTable::new(arms, 0),
            },
            tied: Vec::with_capacity(arms),
            regrets: vec![0.0; arms],
            ended: None,
        }
    }

    /// An outcome arrives while an arm plays alone: the next step is drawn from the new posterior.
    pub(crate) fn draw_again(&mut self) {
        self.ended = None;
    }

    /// The pair for `step`, or the first arm alone for as long as it would be drawn against itself.
    pub(crate) fn choose<P: Preferences>(
        &mut self,
        posterior: &P,
        field: Field<'_>,
        step: u64,
        generator: &mut Generator,
    ) -> Choice<'static> {
        // An arm that wins every duel of both draws is first and second. It may do so again and
        // again, and as nothing is learnt, for a geometric number of steps.
        let (first, swept, second) = match self.ended.take() {
            None => {
                let (first, swept) = self.draw_first(posterior, field, generator);
                let second = self.draw_second(posterior, first, field, generator);
                (first, swept, second)
            }
            Some(arm) => self.draw_without_sweep(posterior, arm, field, generator),
        };
        if first != second {
            return Choice::Duel(Arm::at(first), Arm::at(second));
        }
        let mut until = step;
        if swept && !P::FADES {
            let (one, other) = sweeps::sweeps(posterior, first, field);
            let last = step.saturating_add(geometric(one + other, generator) - 1);
            let same = last_step_below(field.soonest.0, field.soonest.1).min(field.remembered).max(step);
            until = last.min(same);
            if last < same {
                self.ended = Some(first);
            }
        }
        Choice::Alone { arm: Arm::at(first), until }
    }

    /// The arm that wins the most duels of a tournament among the field's first, and whether it wins all (or
    /// is the only one).
    fn draw_first<P: Preferences>(
        &mut self,
        posterior: &P,
        field: Field<'_>,
        generator: &mut Generator,
    ) -> (usize, bool) {
        if let [only] = field.first {
            return (only.index(), true);
        }
        if field.first.binary_search(&Arm::at(self.favourite)).is_err() {
            self.favourite = field.first[0].index();
        }
        posterior.draw_row(self.favourite, 0, &mut self.favourite_row, generator);
        let won: u32 = self.favourite_row.iter().sum();
        if won as usize == self.arms - 1 {
            return (self.favourite, true);
        }
        (self.rest_of_tournament(posterior, field, generator), false)
    }

    /// The arm that looks best against `first` in a draw of its own: `first` itself, if no preference
    /// over it is above 1/2.
    fn draw_second<P: Preferences>(
        &mut self,
        posterior: &P,
        first: usize,
        field: Field<'_>,
        generator: &mut Generator,
    ) -> usize {
        posterior.draw_row(first, 0, &mut self.row, generator);
        for wins in &mut self.row {
            *wins = 1 - *wins;
        }
        self.row[first] = 0;
        self.best_above_half(posterior, first, field, generator)
    }

    /// The arm with the largest preference over `first`, of those marked in `row` as above 1/2.
    fn best_above_half<P: Preferences>(
        &self,
        posterior: &P,
        first: usize,
        field: Field<'_>,
        generator: &mut Generator,
    ) -> usize {
        let (mut best, mut highest) = (first, 0.5);
        let above = self.row.iter().enumerate().filter(|&(_, &above)| above == 1);
        for (arm, _) in above {
            if field.may_be_second(first, arm) {
                let preference = posterior.draw_above_half(arm, first, generator);
                if preference > highest {
                    (best, highest) = (arm, preference);
                }
            }
        }
        best
    }
}
