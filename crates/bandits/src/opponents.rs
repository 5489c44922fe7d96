//! Everyone's upper bound against one arm, u(j, c) = mu(j, c) + sqrt(alpha ln t / n(j, c)), a row an
//! arm c: only a mean and a width change with a duel, and only their scale with time.

use std::ops::Range;

use crate::bounds::last_step_below;
use crate::draw::below;
use crate::{Arm, Generator};

/// The rows of all arms.
#[derive(Debug, Clone)]
pub(crate) struct Opponents {
    arms: usize,
    /// mu(j, c) at `c * arms + j`.
    means: Vec<f64>,
    /// 1 / sqrt(n(j, c)).
    widths: Vec<f64>,
    /// The highest bound of each block of the row last looked at.
    tops: Vec<f64>,
}

impl Opponents {
    /// Pairs never seen have this mean and width; an arm's bound against itself is 1/2.
    pub(crate) fn new(arms: usize, mean: f64, width: f64) -> Self {
        let mut opponents = Self {
            arms,
            means: vec![mean; arms * arms],
            widths: vec![width; arms * arms],
            tops: Vec::with_capacity(arms.div_ceil(BLOCK)),
        };
        for arm in (0..arms).map(Arm::at) {
            opponents.set_own(arm, 0.0);
        }
        opponents
    }

    /// An arm's bound against itself is 1/2 with this width.
    #[inline]
    pub(crate) fn set_own(&mut self, arm: Arm, width: f64) {
        let own = self.row(arm).start + arm.index();
        self.means[own] = 0.5;
        self.widths[own] = width;
    }

    /// `winner` beat `loser` for the `won`th time, against `lost` the other way.
    #[inline]
    pub(crate) fn record(&mut self, winner: Arm, loser: Arm, won: f64, lost: f64) {
        let of_loser = self.row(loser).start + winner.index();
        let of_winner = self.row(winner).start + loser.index();
        self.means[of_loser] = won / (won + lost);
        self.means[of_winner] = lost / (won + lost);
        let width = 1.0 / (won + lost).sqrt();
        self.widths[of_loser] = width;
        self.widths[of_winner] = width;
    }

    /// The arm with the highest bound against `champion`, perhaps itself, ties at random; `scale` is
    /// sqrt(alpha ln t).
    #[inline]
    pub(crate) fn strongest(
        &mut self,
        champion: Arm,
        scale: f64,
        generator: &mut Generator,
    ) -> Arm {
        let row = self.row(champion);
        let (means, widths) = (&self.means[row.clone()], &self.widths[row]);
        self.tops.clear();
        let blocks = means.chunks(BLOCK).zip(widths.chunks(BLOCK));
        self.tops
            .extend(blocks.map(|(means, widths)| highest(means, widths, scale)));
        let top = self
            .tops
            .iter()
            .fold(f64::NEG_INFINITY, |top, &v| if v > top { v } else { top });

        // Only blocks whose own highest is the highest of all are looked at again.
        let tied = |index: usize| {
            let (first, last) = (index * BLOCK, means.len().min((index + 1) * BLOCK));
            equal(&means[first..last], &widths[first..last], scale, top)
        };
        let blocks = self.tops.iter().enumerate();
        let blocks = blocks.filter(|&(_, &highest)| highest == top);
        let count: u32 = blocks
            .clone()
            .map(|(index, _)| tied(index).count_ones())
            .sum();
        let mut left = below(generator, count.max(1) as usize) as u32;
        for (index, _) in blocks {
            let mut bits = tied(index);
            if left < bits.count_ones() {
                for _ in 0..left {
                    bits &= bits - 1;
                }
                return Arm::at(index * BLOCK + bits.trailing_zeros() as usize);
            }
            left -= bits.count_ones();
        }
        champion
    }

    /// The last step at which every other arm's bound against `champion` is below 1/2.
    pub(crate) fn alone_until(&self, champion: Arm, alpha: f64) -> u64 {
        let row = self.row(champion);
        let weakest = self.means[row.clone()]
            .iter()
            .zip(&self.widths[row])
            .enumerate()
            .filter(|&(index, _)| index != champion.index())
            .map(|(_, (mean, width))| {
                let behind = (0.5 - mean).max(0.0) / width;
                behind * behind
            })
            .fold(f64::INFINITY, f64::min);
        last_step_below(weakest, alpha)
    }

    #[inline]
    fn row(&self, arm: Arm) -> Range<usize> {
        arm.index() * self.arms..(arm.index() + 1) * self.arms
    }
}

/// How many opponents are looked at together.
const BLOCK: usize = 32;

/// The largest mean + scale * width, in lanes.
#[inline]
fn highest(means: &[f64], widths: &[f64], scale: f64) -> f64 {
    let mut lanes = [f64::NEG_INFINITY; 8];
    let (means, last_means) = means.as_chunks::<8>();
    let (widths, last_widths) = widths.as_chunks::<8>();
    for (means, widths) in means.iter().zip(widths) {
        for ((lane, mean), width) in lanes.iter_mut().zip(means).zip(widths) {
            let bound = mean + scale * width;
            *lane = if bound > *lane { bound } else { *lane };
        }
    }
    let rest = last_means.iter().zip(last_widths);
    lanes
        .into_iter()
        .chain(rest.map(|(mean, width)| mean + scale * width))
        .fold(f64::NEG_INFINITY, |top, v| if v > top { v } else { top })
}

/// Which of a block are as large as `top`: a bit each, the first in the lowest.
#[inline]
fn equal(means: &[f64], widths: &[f64], scale: f64, top: f64) -> u32 {
    let mut bits = 0;
    let (means, last_means) = means.as_chunks::<8>();
    let (widths, last_widths) = widths.as_chunks::<8>();
    for (place, (means, widths)) in means.iter().zip(widths).enumerate() {
        let mut lanes = [0_u64; 8];
        for (lane, (mean, width)) in means.iter().zip(widths).enumerate() {
            lanes[lane] = u64::from(mean + scale * width == top) << lane;
        }
        bits |= lanes.into_iter().fold(0, |bits, lane| bits | lane as u32) << (8 * place);
    }
    let rest = last_means.iter().zip(last_widths);
    for (lane, (mean, width)) in rest.enumerate() {
        bits |= u32::from(mean + scale * width == top) << (8 * means.len() + lane);
    }
    bits
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn the_strongest_has_the_highest_bound() {
        let arms = 21;
        let mut generator = Generator::seed_from_u64(1);
        let mut opponents = Opponents::new(arms, 2.0, 0.0);
        let mut wins = vec![0_u32; arms * arms];
        for step in 1..3_000_u64 {
            let i = below(&mut generator, arms);
            let j = (i + 1 + below(&mut generator, arms - 1)) % arms;
            wins[i * arms + j] += 1;
            let (won, lost) = (wins[i * arms + j], wins[j * arms + i]);
            opponents.record(Arm::at(i), Arm::at(j), won.into(), lost.into());
            let time = 0.51 * libm::log(step as f64);
            let bound = |j: usize, c: usize| {
                let (won, lost) = (f64::from(wins[j * arms + c]), f64::from(wins[c * arms + j]));
                match won + lost {
                    _ if j == c => 0.5,
                    0.0 => 2.0,
                    n => won / n + (time / n).sqrt(),
                }
            };
            let champion = below(&mut generator, arms);
            let top = (0..arms).map(|j| bound(j, champion)).fold(0.0, f64::max);
            let found = opponents.strongest(Arm::at(champion), time.sqrt(), &mut generator);
            assert!((bound(found.index(), champion) - top).abs() < 1e-12);
        }
    }
}
