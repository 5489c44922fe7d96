//! Who has the best chance against an arm: the largest of its opponents' upper bounds, found
//! without looking at most of them.
//!
//! For a champion c the bounds are u(j, c) = mean(j) + s width(j), where mean = w(j, c) / n, width =
//! 1 / sqrt(n), and s = sqrt(alpha ln t) only ever grows. So a group of opponents whose highest
//! bound was b at s0, and whose greatest width is W, has none above b + (s - s0) W later, unless one
//! of its pairs met since. Only groups whose cap reaches the top are looked at again.

use crate::Arm;
use crate::lanes::{LANES, Lanes};

/// The upper bounds of all pairs, a row for each champion.
#[derive(Debug, Clone)]
pub(crate) struct Opponents {
    arms: usize,
    /// Groups a row.
    groups: usize,
    rows: Vec<Lanes>,
    /// No bound of a group is above its base + s slope; the base is infinite where a pair of the
    /// group has met since it was last looked at.
    bases: Vec<f64>,
    slopes: Vec<f64>,
    /// The group that was the highest of each row when it was last looked at: a good first guess.
    favourites: Vec<u32>,
    /// The groups of the row at hand that were looked at, and their highest bounds.
    looked: Vec<(usize, f64)>,
    highest: Vec<Arm>,
}

impl Opponents {
    /// Every pair at this mean and width, and every arm at 1/2 against itself.
    pub(crate) fn new(arms: usize, mean: f64, width: f64) -> Self {
        let groups = arms.div_ceil(LANES);
        let mut opponents = Self {
            arms,
            groups,
            rows: vec![Lanes::NOBODY; arms * groups],
            bases: vec![f64::INFINITY; arms * groups],
            slopes: vec![0.0; arms * groups],
            favourites: vec![0; arms],
            looked: Vec::with_capacity(groups),
            highest: Vec::with_capacity(arms),
        };
        for champion in 0..arms {
            for opponent in 0..arms {
                opponents.set(champion, opponent, mean, width);
            }
            opponents.set(champion, champion, 0.5, 0.0);
        }
        opponents
    }

    /// Rewrites how `opponent` fares against `champion`.
    #[inline]
    pub(crate) fn set(&mut self, champion: usize, opponent: usize, mean: f64, width: f64) {
        let at = champion * self.groups + opponent / LANES;
        self.rows[at].means[opponent % LANES] = mean;
        self.rows[at].widths[opponent % LANES] = width;
        self.bases[at] = f64::INFINITY;
    }

    /// How each arm fares against `champion`: mean and width.
    pub(crate) fn of(&self, champion: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let row = &self.rows[champion * self.groups..(champion + 1) * self.groups];
        let pairs = row.iter().flat_map(|g| g.means.into_iter().zip(g.widths));
        pairs.take(self.arms)
    }

    /// The arms with the highest upper bound against `champion`, in order; itself among them where
    /// nobody's is above 1/2. `scale` is s, at least what it was before.
    pub(crate) fn highest(&mut self, champion: usize, scale: f64) -> &[Arm] {
        let row = champion * self.groups;
        let mut favourite = self.favourites[champion] as usize;
        self.looked.clear();
        let mut top = self.look(row, favourite, scale);
        for group in 0..self.groups {
            let cap = self.bases[row + group] + scale * self.slopes[row + group];
            if cap >= top && group != self.looked[0].0 {
                let here = self.look(row, group, scale);
                if here > top {
                    (favourite, top) = (group, here);
                }
            }
        }
        self.favourites[champion] = favourite as u32;

        self.highest.clear();
        let mut tied = 0;
        for &(group, _) in self.looked.iter().filter(|&&(_, highest)| highest == top) {
            tied += 1;
            let mut bits = self.rows[row + group].at(top, scale);
            while bits != 0 {
                self.highest
                    .push(Arm::at(group * LANES + bits.trailing_zeros() as usize));
                bits &= bits - 1;
            }
        }
        if tied > 1 {
            self.highest.sort_unstable();
        }
        &self.highest
    }

    /// The highest bound of a group of the row that starts at `row`; renews its cap.
    #[inline]
    fn look(&mut self, row: usize, group: usize, scale: f64) -> f64 {
        let lanes = &self.rows[row + group];
        let (top, slope) = (lanes.top(scale), lanes.widest());
        // A little above, so that no rounding brings a cap below what it caps.
        self.bases[row + group] = top - scale * slope + 1e-12 * (1.0 + scale);
        self.slopes[row + group] = slope;
        self.looked.push((group, top));
        top
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::{Generator, draw};

    #[test]
    fn nothing_that_is_highest_is_overlooked() {
        for (arms, unseen) in [(1, 2.0), (16, 0.5), (17, 2.0), (70, 1.0)] {
            let mut generator = Generator::seed_from_u64(arms as u64);
            let mut opponents = Opponents::new(arms, unseen, 0.0);
            let mut plain = vec![(unseen, 0.0); arms * arms];
            for arm in 0..arms {
                plain[arm * arms + arm] = (0.5, 0.0);
            }
            for step in 1..4_000_u64 {
                let scale = (0.51 * libm::log(step as f64)).sqrt();
                let champion = draw::below(&mut generator, arms);
                let row = &plain[champion * arms..(champion + 1) * arms];
                assert!(opponents.of(champion).eq(row.iter().copied()));
                let bound = |&(mean, width): &(f64, f64)| mean + scale * width;
                let top = row.iter().map(bound).fold(f64::NEG_INFINITY, f64::max);
                let all: Vec<Arm> = (0..arms)
                    .filter(|&j| bound(&row[j]) == top)
                    .map(Arm::at)
                    .collect();
                assert_eq!(opponents.highest(champion, scale), all, "step {step}");
                // Few values, so that there are ties.
                let other = draw::below(&mut generator, arms);
                let mean = draw::below(&mut generator, 5) as f64 / 4.0;
                let width = 1.0 / (1 + draw::below(&mut generator, 3)) as f64;
                opponents.set(champion, other, mean, width);
                plain[champion * arms + other] = (mean, width);
            }
        }
    }
}
