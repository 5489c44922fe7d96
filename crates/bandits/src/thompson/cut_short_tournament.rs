//! A tournament cut short: once one arm has lost few duels, the others need only play until each has
//! lost more. Duels are independent, so that leaving some out, and the order of the rest, changes
//! nothing about the distribution of the winner.

use super::Preferences;
use crate::random::below;
use crate::{Arm, Generator, state};

/// The state of a tournament that is cut short.
#[derive(Debug, Clone)]
pub(super) struct CutShortTournament {
    /// All arms, the strongest as far as known first: they knock the others out soonest.
    order: Vec<Arm>,
    /// Where each arm is in `order`.
    places: Vec<u32>,
    /// Tournaments until the order is updated.
    sorted_for: usize,
    /// How many arms of the order each arm has played.
    played: Vec<u32>,
    /// Bits by place in the order: the arms that each arm beat, as far as it has played.
    beaten: Vec<u64>,
    strengths: Vec<u64>,
}

state!(CutShortTournament { order, places, sorted_for, played, beaten, strengths });

impl CutShortTournament {
    pub(super) fn new(arms: usize) -> Self {
        Self {
            order: (0..arms).map(Arm::at).collect(),
            places: vec![0; arms],
            sorted_for: 0,
            played: vec![0; arms],
            beaten: vec![0; arms * arms.div_ceil(64)],
            strengths: vec![0; arms],
        }
    }

    /// The arm of `candidates` that wins the most duels, ties at random, given the arms that the favourite beats.
    pub(super) fn champion(
        &mut self,
        posterior: &impl Preferences,
        candidates: &[Arm],
        favourite: usize,
        favourite_row: &[u32],
        generator: &mut Generator,
    ) -> usize {
        let arms = posterior.arms();
        if self.sorted_for == 0 {
            self.sort(posterior);
        }
        self.sorted_for -= 1;
        self.played.fill(0);

        let mut min_losses = arms - 1 - favourite_row.iter().sum::<u32>() as usize;
        let (mut champion, mut ties) = (favourite, 1);
        for place in 0..arms {
            let arm = self.order[place].index();
            if arm == favourite || candidates.binary_search(&Arm::at(arm)).is_err() {
                continue;
            }
            let lost_to_favourite = favourite_row[arm] as usize;
            let Some(losses) = self.count_losses(posterior, arm, favourite, lost_to_favourite, min_losses, generator)
            else {
                continue;
            };
            if losses < min_losses {
                (min_losses, champion, ties) = (losses, arm, 1);
            } else {
                ties += 1;
                if below(generator, ties) == 0 {
                    champion = arm;
                }
            }
        }
        champion
    }

    /// How many duels `arm` loses; None once it is more than `max_losses`.
    #[inline]
    fn count_losses(
        &mut self,
        posterior: &impl Preferences,
        arm: usize,
        favourite: usize,
        mut losses: usize,
        max_losses: usize,
        generator: &mut Generator,
    ) -> Option<usize> {
        let words = posterior.arms().div_ceil(64);
        let own_place = self.places[arm] as usize;
        for (place, other) in self.order.iter().enumerate() {
            if losses > max_losses {
                self.played[arm] = place as u32;
                return None;
            }
            let other = other.index();
            if other == favourite || other == arm {
                continue;
            }
            let won = if self.played[other] as usize > own_place {
                self.beaten[other * words + own_place / 64] >> (own_place % 64) & 1 == 0
            } else {
                posterior.wins_once(arm, other, generator)
            };
            let bits = &mut self.beaten[arm * words + place / 64];
            *bits = *bits & !(1 << (place % 64)) | u64::from(won) << (place % 64);
            losses += usize::from(!won);
        }
        self.played[arm] = posterior.arms() as u32;
        (losses <= max_losses).then_some(losses)
    }

    #[cold]
    fn sort(&mut self, posterior: &impl Preferences) {
        self.sorted_for = posterior.arms();
        for (arm, strength) in self.strengths.iter_mut().enumerate() {
            *strength = posterior.strength(arm);
        }
        let strengths = &self.strengths;
        self.order.sort_unstable_by_key(|&arm| (std::cmp::Reverse(strengths[arm.index()]), arm));
        for (place, arm) in (0..).zip(&self.order) {
            self.places[arm.index()] = place;
        }
    }
}
