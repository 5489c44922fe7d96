//! Who has the best chance against an arm: the largest of its opponents' upper bounds, found
//! without looking at most of them.
//!
//! For a champion c the bounds are u(j, c) = mean(j) + s width(j), where mean = w(j, c) / n, width =
//! 1 / sqrt(n), and s = sqrt(alpha ln t) only ever grows. So a group of opponents whose highest
//! bound was b at s0, and whose greatest width is W, has none above b + (s - s0) W later; where one
//! of its pairs meets, the cap is raised to hold for that pair as it now is. Only groups whose cap
//! reaches the top are looked at again.

use crate::bounds::last_step_below;
use crate::lanes::{LANES, Lanes, bits_where};
use crate::{Generator, draw};

/// The upper bounds of all pairs, a row for each champion.
#[derive(Debug, Clone)]
pub(crate) struct Opponents {
    arms: usize,
    /// Groups a row, filled up to whole eights by groups of nobody.
    groups: usize,
    rows: Vec<Lanes>,
    /// What is known of each group without looking: base and slope, no bound being above base + s
    /// slope.
    caps: Vec<[f64; 2]>,
    /// The group that was the highest of each row last time: a good first guess.
    favourites: Vec<u32>,
    /// The groups of the row at hand that hold the highest bound, and in which lanes.
    tied: Vec<(u32, u32)>,
    /// s, as far as it has grown.
    scale: f64,
}

impl Opponents {
    /// Every pair at this mean and width, and every arm at 1/2 against itself.
    pub(crate) fn new(arms: usize, mean: f64, width: f64) -> Self {
        let groups = arms.div_ceil(LANES).next_multiple_of(LANES);
        let mut opponents = Self {
            arms,
            groups,
            rows: vec![Lanes::NOBODY; arms * groups],
            caps: vec![[f64::NEG_INFINITY, 0.0]; arms * groups],
            favourites: vec![0; arms],
            tied: Vec::with_capacity(groups),
            scale: 0.0,
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
        // The cap holds for the others still; it is raised to where it holds for this one too, a
        // little above, so that no rounding brings a cap below what it caps.
        let [base, slope] = self.caps[at];
        let steepest = larger(width, slope);
        let base = larger(mean - self.scale * (steepest - width) + margin(self.scale), base);
        self.caps[at] = [base, steepest];
    }

    /// How each arm fares against `champion`: mean and width.
    pub(crate) fn of(&self, champion: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let row = &self.rows[champion * self.groups..(champion + 1) * self.groups];
        let pairs = row.iter().flat_map(|g| g.means.into_iter().zip(g.widths));
        pairs.take(self.arms)
    }

    /// The last step at which everyone else's bound against `champion` is below 1/2, for s =
    /// sqrt(alpha ln t).
    pub(crate) fn alone_until(&self, champion: usize, alpha: f64) -> u64 {
        let others = self.of(champion).enumerate();
        let weakest = others
            .filter(|&(opponent, _)| opponent != champion)
            .map(|(_, (mean, width))| {
                let behind = (0.5 - mean).max(0.0) / width;
                behind * behind
            })
            .fold(f64::INFINITY, f64::min);
        last_step_below(weakest, alpha)
    }

    /// The arm with the highest upper bound against `champion`, ties at random: itself, where
    /// nobody's is above 1/2. With `not_itself` the champion yields to whom it ties with. `scale`
    /// is s, at least what it was before.
    pub(crate) fn challenger(
        &mut self,
        champion: usize,
        not_itself: bool,
        scale: f64,
        generator: &mut Generator,
    ) -> usize {
        self.find_highest(champion, scale);
        let count = |tied: &[(u32, u32)]| tied.iter().map(|t| t.1.count_ones()).sum::<u32>() as usize;
        let mut ties = count(&self.tied);
        if ties > 1 && not_itself {
            for (group, lanes) in &mut self.tied {
                let itself = *group as usize == champion / LANES;
                *lanes &= !(u32::from(itself) << (champion % LANES));
            }
            ties = count(&self.tied);
        }
        let mut nth = draw::below(generator, ties);
        for &(group, mut lanes) in &self.tied {
            let here = lanes.count_ones() as usize;
            if nth < here {
                for _ in 0..nth {
                    lanes &= lanes - 1;
                }
                return group as usize * LANES + lanes.trailing_zeros() as usize;
            }
            nth -= here;
        }
        champion
    }

    /// Leaves in `tied` who has the highest upper bound against `champion`.
    fn find_highest(&mut self, champion: usize, scale: f64) {
        self.scale = scale;
        let row = champion * self.groups;
        let first = self.favourites[champion] as usize;
        let guessed = self.look(row + first, scale);
        let mut best = guessed.0;
        self.tied.clear();
        for eight in (0..self.groups).step_by(LANES) {
            let from = row + eight;
            let mut reaching = self.reaching(from, scale, best);
            while reaching != 0 {
                let lane = reaching.trailing_zeros() as usize;
                reaching &= reaching - 1;
                let at = from + lane;
                let [base, slope] = self.caps[at];
                if base + scale * slope < best {
                    continue;
                }
                let (top, lanes) = if eight + lane == first { guessed } else { self.look(at, scale) };
                if top > best {
                    best = top;
                    self.tied.clear();
                }
                if top == best {
                    self.tied.push(((eight + lane) as u32, lanes));
                }
            }
        }
        if let Some(&(group, _)) = self.tied.first() {
            self.favourites[champion] = group;
        }
    }

    /// Which of the eight groups from `from` on have a cap that reaches `best`, as bits.
    #[inline]
    fn reaching(&self, from: usize, scale: f64, best: f64) -> u32 {
        let caps = &self.caps[from..from + LANES];
        bits_where(|k| caps[k][0] + scale * caps[k][1] >= best)
    }

    /// The highest bound of the group that stands at `at`, and which lanes hold it; renews its cap.
    #[inline]
    fn look(&mut self, at: usize, scale: f64) -> (f64, u32) {
        let row = &self.rows[at];
        let (top, slope) = (row.top(scale), row.widest());
        let lanes = row.at(top, scale);
        self.caps[at] = [top - scale * slope + margin(scale), slope];
        (top, lanes)
    }
}

/// Without a branch.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// More than what rounding takes from a cap.
#[inline]
fn margin(scale: f64) -> f64 {
    1e-12 * (1.0 + scale)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

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
                let all: Vec<usize> = (0..arms).filter(|&j| bound(&row[j]) == top).collect();
                opponents.find_highest(champion, scale);
                let mut found = Vec::new();
                for &(group, lanes) in &opponents.tied {
                    let lanes = (0..LANES).filter(|lane| lanes >> lane & 1 == 1);
                    found.extend(lanes.map(|lane| group as usize * LANES + lane));
                }
                assert_eq!(found, all, "step {step}");
                let chosen = opponents.challenger(champion, true, scale, &mut generator);
                assert!(all.contains(&chosen) && (chosen != champion || all.len() == 1));
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
