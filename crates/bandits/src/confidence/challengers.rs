//! The strongest challenger of an arm: the largest of its opponents' upper bounds, found without evaluating most
//! of them.
//!
//! For a champion c the bounds are u(j, c) = mean(j) + s width(j), where mean = w(j, c) / n, width =
//! 1 / sqrt(n), and s = sqrt(alpha ln t) only ever grows. So they are lines in s, and the leader of a group of
//! opponents is known until the first line that is steeper crosses the leader's: a tournament over
//! moving values. A group is updated from there on, or when a duel may have changed its leader.

use crate::Generator;
use crate::confidence::lanes::{LANES, Lanes, bits_where, largest, margin};
use crate::confidence::{Standing, last_step_below};
use crate::counts::OpenDuels;
use crate::random::below;
use crate::state::{plain, state};

/// The upper bounds of all pairs, a row for each champion.
#[derive(Debug, Clone)]
pub(crate) struct Challengers {
    arms: usize,
    /// Groups per row in units of eight, filled up with empty groups.
    eights: usize,
    rows: Vec<Lanes>,
    leaders: Vec<Leaders>,
    /// The groups of the row at hand that hold the highest bound, and in which lanes.
    tied: Vec<(u32, u32)>,
    /// s, as far as it has grown.
    scale: f64,
}

state!(Challengers { rows, leaders, tied, scale } but { arms, eights });

/// The leader of each of eight groups.
#[derive(Debug, Clone, Copy)]
struct Leaders {
    /// Mean and width. (Side by side: a value written and read in one piece causes no store-forwarding stall.)
    pairs: [[f64; 2]; LANES],
    /// The s up to which they surely do.
    until: [f64; LANES],
    /// In which lanes, as bits: all of them alike.
    lanes: [u8; LANES],
}

plain!(Leaders { pairs, until, lanes });

impl Challengers {
    /// Every pair at this mean and width, and every arm at 1/2 against itself.
    pub(crate) fn new(arms: usize, mean: f64, width: f64) -> Self {
        let eights = arms.div_ceil(LANES * LANES);
        let nobody =
            Leaders { pairs: [[f64::NEG_INFINITY, 0.0]; LANES], until: [f64::INFINITY; LANES], lanes: [0; LANES] };
        let mut opponents = Self {
            arms,
            eights,
            rows: vec![Lanes::NOBODY; arms * eights * LANES],
            leaders: vec![nobody; arms * eights],
            tied: Vec::with_capacity(eights * LANES),
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
        let group = champion * self.eights * LANES + opponent / LANES;
        let lane = opponent % LANES;
        self.rows[group].means[lane] = mean;
        self.rows[group].widths[lane] = width;
        let (leaders, place) = (&mut self.leaders[group / LANES], group % LANES);
        let led = leaders.lanes[place] >> lane & 1 == 1;
        let [top, steepest] = leaders.pairs[place];
        // An opponent that is neither ahead nor ever gains on the leader changes nothing.
        let behind = mean + self.scale * width + margin(self.scale) < top + self.scale * steepest;
        if led || !behind || width > steepest {
            leaders.until[place] = f64::NEG_INFINITY;
        }
    }

    /// The width of the bounds of a pair.
    #[inline]
    pub(crate) fn width(&self, champion: usize, opponent: usize) -> f64 {
        self.rows[champion * self.eights * LANES + opponent / LANES].widths[opponent % LANES]
    }

    /// How each arm fares against `champion`: mean and width.
    pub(crate) fn of(&self, champion: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let groups = self.eights * LANES;
        let row = &self.rows[champion * groups..(champion + 1) * groups];
        let pairs = row.iter().flat_map(|g| g.means.into_iter().zip(g.widths));
        pairs.take(self.arms)
    }

    /// The last step at which the bound of every other arm against `champion` is below 1/2, for s =
    /// sqrt(alpha ln t). Pairs of which duels are `open` are those of `known` instead: mean and width without them.
    pub(crate) fn alone_until(
        &self,
        champion: usize,
        alpha: f64,
        open: &OpenDuels,
        known: impl Fn(usize) -> Option<Standing>,
    ) -> u64 {
        let others = self.of(champion).enumerate().map(|(opponent, bounds)| {
            if open.between(opponent, champion) == 0 {
                return (opponent, bounds);
            }
            // Of a pair of which nothing is known yet, the bound is above 1/2.
            (opponent, known(opponent).map_or((0.5, 1.0), |standing| (standing.mean, standing.width)))
        });
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
    /// no bound is above 1/2. With `not_itself` the champion yields to the arms it ties with. `scale`
    /// is s, which never decreases.
    pub(crate) fn challenger(
        &mut self,
        champion: usize,
        not_itself: bool,
        scale: f64,
        generator: &mut Generator,
    ) -> usize {
        self.find_highest(champion, scale);
        self.draw_tied(champion, not_itself, generator)
    }

    /// The same among some arms only: `admitted` returns those of the group of arms 8 g to 8 g + 7 as bits, and admits
    /// at least one arm. The champion yields to the arms it ties with.
    pub(crate) fn challenger_among(
        &mut self,
        champion: usize,
        admitted: impl Fn(usize) -> u32,
        scale: f64,
        generator: &mut Generator,
    ) -> usize {
        let first = champion * self.eights * LANES;
        let groups = &self.rows[first..first + self.arms.div_ceil(LANES)];
        let tops = groups.iter().enumerate().map(|(number, group)| group.top_of(admitted(number), scale));
        let best = tops.fold(f64::NEG_INFINITY, larger);
        self.tied.clear();
        for (number, group) in groups.iter().enumerate() {
            let tied = group.at(best, scale) & admitted(number);
            if tied != 0 {
                self.tied.push((number as u32, tied));
            }
        }
        self.draw_tied(champion, true, generator)
    }

    /// Draws one of the arms in `tied`; the champion only if it is alone there, or if `not_itself` is not asked.
    #[inline]
    fn draw_tied(&mut self, champion: usize, not_itself: bool, generator: &mut Generator) -> usize {
        let count = |tied: &[(u32, u32)]| tied.iter().map(|t| t.1.count_ones()).sum::<u32>() as usize;
        let mut ties = count(&self.tied);
        if ties > 1 && not_itself {
            for (group, lanes) in &mut self.tied {
                let itself = *group as usize == champion / LANES;
                *lanes &= !(u32::from(itself) << (champion % LANES));
            }
            ties = count(&self.tied);
        }
        let mut nth = below(generator, ties);
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

    /// Stores in `tied` the arms with the highest upper bound against `champion`.
    fn find_highest(&mut self, champion: usize, scale: f64) {
        self.scale = scale;
        let row = champion * self.eights..(champion + 1) * self.eights;
        let groups = &self.rows[row.start * LANES..row.end * LANES];
        self.tied.clear();
        if self.eights == 1 {
            // For so few, evaluating all bounds is faster.
            let groups = &groups[..self.arms.div_ceil(LANES)];
            let tops = groups.iter().map(|group| group.top(scale));
            let best = tops.fold(f64::NEG_INFINITY, larger);
            for (number, group) in (0..).zip(groups) {
                let tied = group.at(best, scale);
                if tied != 0 {
                    self.tied.push((number, tied));
                }
            }
            return;
        }
        let leaders = &mut self.leaders[row];
        // Bits of many groups at a time: a loop that ends early or late is a guess that may be wrong.
        for (part, groups) in leaders.chunks_mut(LANES).zip(groups.chunks(LANES * LANES)) {
            let mut doubtful = bits_of(part, |eight| bits_where(|place| eight.until[place] < scale));
            while doubtful != 0 {
                let group = doubtful.trailing_zeros() as usize;
                doubtful &= doubtful - 1;
                part[group / LANES].refresh(group % LANES, &groups[group], scale);
            }
        }
        let tops = leaders.iter().map(|eight| largest(&eight.bounds(scale)));
        let best = tops.fold(f64::NEG_INFINITY, larger);
        for (number, part) in leaders.chunks(LANES).enumerate() {
            let mut tied = bits_of(part, |eight| {
                let bounds = eight.bounds(scale);
                bits_where(|place| bounds[place] == best)
            });
            while tied != 0 {
                let group = tied.trailing_zeros() as usize;
                tied &= tied - 1;
                let lanes = part[group / LANES].lanes[group % LANES];
                self.tied.push(((number * LANES * LANES + group) as u32, lanes.into()));
            }
        }
    }
}

/// The bits of up to eight eights, side by side.
#[inline]
fn bits_of(eights: &[Leaders], bits: impl Fn(&Leaders) -> u32) -> u64 {
    eights.iter().rev().fold(0, |all, eight| all << LANES | u64::from(bits(eight)))
}

impl Leaders {
    #[inline]
    fn bounds(&self, scale: f64) -> [f64; LANES] {
        self.pairs.map(|[mean, width]| mean + scale * width)
    }

    /// Finds the leader of the group at `place`, and how long it leads.
    #[inline]
    fn refresh(&mut self, place: usize, group: &Lanes, scale: f64) {
        let top = group.top(scale);
        let lanes = group.at(top, scale);
        let leader = lanes.trailing_zeros() as usize % LANES;
        self.pairs[place] = [group.means[leader], group.widths[leader]];
        self.lanes[place] = lanes as u8;
        self.until[place] = group.led_by(lanes, scale);
    }
}

/// Without a branch.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn nothing_that_is_highest_is_overlooked() {
        for (arms, unseen) in [(1, 2.0), (16, 0.5), (17, 2.0), (70, 1.0)] {
            let mut generator = Generator::seed_from_u64(arms as u64);
            let mut opponents = Challengers::new(arms, unseen, 0.0);
            let mut plain = vec![(unseen, 0.0); arms * arms];
            for arm in 0..arms {
                plain[arm * arms + arm] = (0.5, 0.0);
            }
            for step in 1..4_000_u64 {
                let scale = (0.51 * libm::log(step as f64)).sqrt();
                let champion = below(&mut generator, arms);
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
                // Among every third arm and the champion.
                let admits = |arm: usize| arm % 3 == step as usize % 3 || arm == champion;
                let bits = |group: usize| {
                    (0..LANES).fold(0, |bits, lane| bits | u32::from(admits(group * LANES + lane)) << lane)
                };
                let some = || (0..arms).filter(|&arm| admits(arm));
                let top = some().map(|arm| bound(&row[arm])).fold(f64::NEG_INFINITY, f64::max);
                let all: Vec<usize> = some().filter(|&arm| bound(&row[arm]) == top).collect();
                let chosen = opponents.challenger_among(champion, bits, scale, &mut generator);
                assert!(all.contains(&chosen) && (chosen != champion || all.len() == 1), "step {step}");
                // Few values, so that there are ties.
                let other = below(&mut generator, arms);
                let mean = below(&mut generator, 5) as f64 / 4.0;
                let width = 1.0 / (1 + below(&mut generator, 3)) as f64;
                opponents.set(champion, other, mean, width);
                plain[champion * arms + other] = (mean, width);
            }
        }
    }
}
