//! An arm that wins every duel of both draws: the probability of that, and the draws of a step that ends
//! a series of such steps.

use super::{Field, Preferences, Sampler};
use crate::Generator;
use crate::random::uniform;

/// ln of the probability that `arm` is first for winning every duel (or being alone in the
/// field), and that then no arm looks better against it than itself.
pub(super) fn sweeps(posterior: &impl Preferences, arm: usize, field: Field<'_>) -> (f64, f64) {
    let (mut everyone, mut open) = (0.0, 0.0);
    for other in 0..posterior.arms() {
        let log = libm::log1p(-posterior.chance(other, arm));
        everyone += log;
        if field.may_be_second(arm, other) {
            open += log;
        }
    }
    let first = if field.first.len() == 1 { 0.0 } else { everyone };
    (first, open)
}

impl Sampler {
    /// A step's draws given that `arm` does not sweep both.
    #[cold]
    pub(super) fn draw_without_sweep<P: Preferences>(
        &mut self,
        posterior: &P,
        arm: usize,
        field: Field<'_>,
        generator: &mut Generator,
    ) -> (usize, bool, usize) {
        let (one, other) = sweeps(posterior, arm, field);
        let swept_one_only = libm::exp(one) * libm::expm1(other) / libm::expm1(one + other);
        if uniform(generator) < swept_one_only {
            self.draw_upsets(posterior, arm, |second| field.may_be_second(arm, second), generator);
            return (arm, true, self.best_above_half(posterior, arm, field, generator));
        }
        self.draw_upsets(posterior, arm, |_| true, generator);
        for (beats, lost) in self.favourite_row.iter_mut().zip(&self.row) {
            *beats = 1 - lost;
        }
        self.favourite_row[arm] = 0;
        self.favourite = arm;
        let first = self.rest_of_tournament(posterior, field, generator);
        (first, false, self.draw_second(posterior, first, field, generator))
    }

    /// Draws into `row` which of the `open` arms beat `arm`, given that at least one does.
    fn draw_upsets<P: Preferences>(
        &mut self,
        posterior: &P,
        arm: usize,
        open: impl Fn(usize) -> bool,
        generator: &mut Generator,
    ) {
        let chance = |other: usize| {
            if open(other) { posterior.chance(other, arm) } else { 0.0 }
        };
        // The logarithm of the probability that none does.
        let ln_none: f64 = (0..posterior.arms()).map(|other| libm::log1p(-chance(other))).sum();
        // The first of them, in the order of arms.
        let mut remaining_probability = uniform(generator) * -libm::expm1(ln_none);
        let (mut first, mut before) = (None, 1.0);
        for other in 0..posterior.arms() {
            let chance = chance(other);
            if chance > 0.0 {
                first = Some(other);
                if remaining_probability < before * chance {
                    break;
                }
                remaining_probability -= before * chance;
                before *= 1.0 - chance;
            }
        }
        self.row.fill(0);
        let Some(first) = first else {
            return;
        };
        self.row[first] = 1;
        for other in first + 1..posterior.arms() {
            if chance(other) > 0.0 {
                self.row[other] = u32::from(posterior.wins_once(other, arm, generator));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::super::Ties;
    use super::super::testing::{assert_alike, informed};
    use super::*;

    #[test]
    fn upsets_are_drawn_given_that_there_are_some() {
        let (arms, draws) = (6, 40_000);
        let (mut sampler, posterior) = informed(arms, 60, Ties::Random);
        let mut generator = Generator::seed_from_u64(9);
        let open = |arm: usize| arm != 3;
        let mut counts = [vec![0; 1 << arms], vec![0; 1 << arms]];
        let code = |row: &[u32]| row.iter().fold(0, |code, bit| 2 * code + *bit as usize);
        for _ in 0..draws {
            sampler.draw_upsets(&posterior, 1, open, &mut generator);
            counts[0][code(&sampler.row)] += 1;
            loop {
                let row: Vec<u32> = (0..arms)
                    .map(|arm| open(arm) && posterior.wins_once(arm, 1, &mut generator))
                    .map(u32::from)
                    .collect();
                if row.contains(&1) {
                    counts[1][code(&row)] += 1;
                    break;
                }
            }
        }
        assert_eq!(counts[0][0], 0);
        assert_alike(&counts[0], &counts[1]);
    }
}
