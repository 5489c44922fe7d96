//! Who has the best chance against an arm: the largest of its opponents' upper bounds, found
//! without looking at most of them.
//!
//! For a champion c the bounds are u(j, c) = mean(j) + s width(j), where mean = w(j, c) / n, width =
//! 1 / sqrt(n), and s = sqrt(alpha ln t) only ever grows. So a group of opponents whose highest
//! bound was b at s0, and whose greatest width is W, has none above b + (s - s0) W later, unless one
//! of its pairs met since. Only groups whose cap reaches the top are looked at again.

use crate::Arm;

/// How many opponents make a group.
const LANES: usize = 16;

/// Some opponents of an arm.
#[derive(Debug, Clone, Copy)]
struct Group {
    means: [f64; LANES],
    widths: [f64; LANES],
}

impl Group {
    #[inline]
    fn bounds(&self, scale: f64) -> [f64; LANES] {
        let mut bounds = self.means;
        for (bound, width) in bounds.iter_mut().zip(&self.widths) {
            *bound += scale * width;
        }
        bounds
    }
}

/// The upper bounds of all pairs, a row for each champion.
#[derive(Debug, Clone)]
pub(crate) struct Opponents {
    arms: usize,
    /// Groups a row.
    groups: usize,
    rows: Vec<Group>,
    /// No bound of a group is above its base + s slope; the base is infinite where a pair of the
    /// group has met since it was last looked at.
    bases: Vec<f64>,
    slopes: Vec<f64>,
    /// Of the row at hand: each group's cap, or its highest bound once looked at.
    tops: Vec<f64>,
    highest: Vec<Arm>,
}

impl Opponents {
    /// Every pair at this mean and width, and every arm at 1/2 against itself.
    pub(crate) fn new(arms: usize, mean: f64, width: f64) -> Self {
        let groups = arms.div_ceil(LANES);
        let nobody = Group {
            means: [f64::NEG_INFINITY; LANES],
            widths: [0.0; LANES],
        };
        let mut opponents = Self {
            arms,
            groups,
            rows: vec![nobody; arms * groups],
            bases: vec![f64::INFINITY; arms * groups],
            slopes: vec![0.0; arms * groups],
            tops: vec![0.0; groups],
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
        let row = champion * self.groups..(champion + 1) * self.groups;
        let caps = self.bases[row.clone()]
            .iter()
            .zip(&self.slopes[row.clone()]);
        let mut first = 0;
        let mut cap = f64::NEG_INFINITY;
        for (group, (top, (base, slope))) in self.tops.iter_mut().zip(caps).enumerate() {
            *top = base + scale * slope;
            if *top > cap {
                (first, cap) = (group, *top);
            }
        }
        let mut top = self.look(row.start, first, scale);
        for group in 0..self.groups {
            if self.tops[group] >= top && group != first {
                top = larger(top, self.look(row.start, group, scale));
            }
        }
        self.highest.clear();
        for (group, _) in self
            .tops
            .iter()
            .enumerate()
            .filter(|&(_, &group)| group == top)
        {
            let bounds = self.rows[row.start + group].bounds(scale);
            let lanes = (0..LANES).filter(|&lane| bounds[lane] == top);
            self.highest
                .extend(lanes.map(|lane| Arm::at(group * LANES + lane)));
        }
        &self.highest
    }

    /// The highest bound of a group of the row that starts at `row`; renews its cap.
    #[inline]
    fn look(&mut self, row: usize, group: usize, scale: f64) -> f64 {
        let at = row + group;
        let top = largest(self.rows[at].bounds(scale));
        let slope = largest(self.rows[at].widths);
        // A little above, so that no rounding brings a cap below what it caps.
        self.bases[at] = top - scale * slope + 1e-12 * (1.0 + scale);
        self.slopes[at] = slope;
        self.tops[group] = top;
        top
    }
}

#[inline]
fn largest(mut values: [f64; LANES]) -> f64 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            values[lane] = larger(values[lane], values[lane + half]);
        }
        half /= 2;
    }
    values[0]
}

/// The larger of two numbers, in one instruction.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
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
