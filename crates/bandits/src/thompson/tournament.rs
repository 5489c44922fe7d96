//! The arm that wins the most duels of a tournament, given those of the favourite: by a knockout if the
//! favourite lost few of them, otherwise with all pairs played out.

use super::{Field, Preferences, Sampler, Ties};
use crate::random::{argmax, below};
use crate::{Arm, Generator};

/// A tournament is cut short if the favourite loses to no more than one arm in this many.
const KNOCKOUT_FRACTION: usize = 16;

impl Sampler {
    /// The arm that wins the most duels, given the favourite's, which it does not win all.
    pub(super) fn rest_of_tournament<P: Preferences>(
        &mut self,
        posterior: &P,
        field: Field<'_>,
        generator: &mut Generator,
    ) -> usize {
        let lost = self.arms - 1 - self.favourite_row.iter().sum::<u32>() as usize;
        let champion = if self.ties == Ties::Regret {
            self.play_all(posterior, field.first, generator);
            self.least_regret(posterior, field.first, generator)
        } else if lost <= self.arms / KNOCKOUT_FRACTION {
            self.knockout.champion(posterior, field.first, self.favourite, &self.favourite_row, generator)
        } else {
            self.play_all(posterior, field.first, generator);
            let scores = field.first.iter().map(|arm| self.scores[arm.index()]);
            let top = scores.clone().max().unwrap_or(0);
            let count = scores.clone().filter(|&score| score == top).count();
            let chosen = below(generator, count);
            let mut tops = scores.zip(field.first).filter(|&(score, _)| score == top);
            tops.nth(chosen).map_or(self.favourite, |(_, arm)| arm.index())
        };
        self.favourite = champion;
        champion
    }

    /// Plays out the tournament into `scores`: all pairs that take in an arm of `first` (or, for the
    /// sake of ties, all there are), the favourite's as they stand.
    fn play_all<P: Preferences>(&mut self, posterior: &P, first: &[Arm], generator: &mut Generator) {
        let arms = self.arms;
        let all = self.ties == Ties::Regret || first.len() == arms;
        self.inside.fill(0);
        for arm in first {
            self.inside[arm.index()] = 1;
        }
        self.scores.fill(0);
        for i in (0..arms).filter(|&i| i != self.favourite) {
            if !all && self.inside[i] == 0 {
                continue;
            }
            // Pairs of two arms of the field are played in the lower one's row.
            let from = if all { i + 1 } else { 0 };
            posterior.draw_row(i, from, &mut self.row, generator);
            if self.favourite >= from {
                self.row[self.favourite] = 0;
            }
            let mut won = 0;
            if !all {
                for (wins, inside) in self.row[..i].iter().zip(&self.inside) {
                    won += wins & (1 - inside);
                }
            }
            for (wins, score) in self.row[i + 1..].iter().zip(&mut self.scores[i + 1..]) {
                won += wins;
                *score += 1 - wins;
            }
            self.scores[i] += won;
            if self.ties == Ties::Regret {
                self.outcomes.row_mut(i)[i + 1..].copy_from_slice(&self.row[i + 1..]);
            }
        }
        let mut total = 0;
        for (score, beaten) in self.scores.iter_mut().zip(&self.favourite_row) {
            *score += 1 - beaten;
            total += beaten;
        }
        self.scores[self.favourite] = total;
    }

    /// Of the arms that won the most duels, the one with the least regret by the sampled
    /// preferences: the sum over j of (top score - the mean score of i and j) / kl(theta(i, j), 1/2).
    fn least_regret<P: Preferences>(&mut self, posterior: &P, first: &[Arm], generator: &mut Generator) -> usize {
        let top = first.iter().map(|arm| self.scores[arm.index()]).max().unwrap_or(0);
        self.tied.clear();
        self.tied.extend(first.iter().map(|arm| arm.index()).filter(|&arm| self.scores[arm] == top));
        if let [only] = self.tied[..] {
            return only;
        }
        let highest = self.scores.iter().copied().max().unwrap_or(0);
        self.regrets.fill(0.0);
        // A pair of tied arms shares one draw, and so one divergence. If no arm outside the field
        // won more duels than they, its gap is nothing.
        if highest > top {
            for (place, &i) in self.tied.iter().enumerate() {
                for &j in &self.tied[place + 1..] {
                    let regret = f64::from(2 * (highest - top)) / self.sampled_divergence(posterior, i, j, generator);
                    self.regrets[i] += regret;
                    self.regrets[j] += regret;
                }
            }
        }
        // No term is negative, so that an arm is out as soon as its sum exceeds another's whole.
        let mut least = f64::INFINITY;
        for place in 0..self.tied.len() {
            let i = self.tied[place];
            let mut regret = self.regrets[i];
            for j in 0..self.arms {
                let gap = 2 * highest - top - self.scores[j];
                let tied = self.inside[j] == 1 && self.scores[j] == top;
                if gap > 0 && !tied {
                    regret += f64::from(gap) / self.sampled_divergence(posterior, i, j, generator);
                    if regret > least {
                        break;
                    }
                }
            }
            least = least.min(regret);
            self.regrets[i] = regret;
        }
        let least = argmax(generator, self.tied.iter().map(|&arm| -self.regrets[arm]));
        least.map_or(self.favourite, |place| self.tied[place])
    }

    /// kl(theta(i, j), 1/2) for a preference drawn given the winner in the tournament.
    fn sampled_divergence<P: Preferences>(&self, posterior: &P, i: usize, j: usize, generator: &mut Generator) -> f64 {
        let won = if i == self.favourite {
            self.favourite_row[j] == 1
        } else if j == self.favourite {
            self.favourite_row[i] == 0
        } else if i < j {
            self.outcomes[(i, j)] == 1
        } else {
            self.outcomes[(j, i)] == 0
        };
        let (winner, loser) = if won { (i, j) } else { (j, i) };
        let lean = 2.0 * posterior.draw_above_half(winner, loser, generator) - 1.0;
        0.5 * ((1.0 + lean) * libm::log1p(lean) + (1.0 - lean) * libm::log1p(-lean))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::super::testing::{assert_alike, informed};
    use super::*;

    #[test]
    fn tournaments_cut_short_have_the_same_winners() {
        let (arms, draws) = (20, 60_000);
        let (sampler, posterior) = informed(arms, 800, Ties::Random);
        let everyone: Vec<Arm> = (0..arms).map(Arm::at).collect();
        for first in [everyone, [1, 2, 3, 4, 5, 7, 11, 19].map(Arm).to_vec()] {
            let favourite = first[1].index();
            let mut row = vec![1; arms];
            row[favourite] = 0;
            for arm in [0, 2, 5, 7] {
                row[arm] = 0;
            }
            let mut counts = [vec![0; arms], vec![0; arms]];
            let mut sampler = sampler.clone();
            let mut generator = Generator::seed_from_u64(8);
            for _ in 0..draws {
                let champion = sampler.knockout.champion(&posterior, &first, favourite, &row, &mut generator);
                counts[0][champion] += 1;

                sampler.favourite = favourite;
                sampler.favourite_row.clone_from(&row);
                sampler.play_all(&posterior, &first, &mut generator);
                let scores: Vec<u32> = first.iter().map(|arm| sampler.scores[arm.index()]).collect();
                let place = argmax(&mut generator, scores.iter()).expect("some are in");
                counts[1][first[place].index()] += 1;
            }
            assert_alike(&counts[0], &counts[1]);
        }
    }
}
