//! The strongest challenger of an arm: the largest of its opponents' upper bounds, found without evaluating most
//! of them.
//!
//! For a champion c the bounds are u(j, c) = mean(j) + s width(j), where mean = w(j, c) / n, width =
//! 1 / sqrt(n), and s = sqrt(alpha ln t) only ever grows. So they are lines in s, and the leader of a group of
//! opponents is known until the first line that is steeper crosses the leader's: a tournament over
//! moving values. Eight opponents are a group, eight groups a block. A duel renews the leader of its group, time hardly any,
//! so that a challenger is looked for among leaders alone; among those of blocks, which duels then renew too, where there
//! are many.

use crate::Generator;
use crate::confidence::lanes::{LANES, largest, margin};
use crate::confidence::lines::Lines;
use crate::confidence::{Standing, last_step_below};
use crate::counts::OpenDuels;
use crate::random::{below, draw_bit, nth_bit};
use crate::state::{plain, state};

/// The upper bounds of all pairs, a row for each champion.
#[derive(Debug, Clone)]
pub(crate) struct Challengers {
    arms: usize,
    /// Blocks per row, and groups: if there are leaders, the last block is filled up with empty groups.
    blocks: usize,
    stride: usize,
    groups: Vec<Lines>,
    /// Of each block; none if a row has few arms, whose bounds are all evaluated.
    leaders: Vec<Leaders>,
    /// Of each block, if a row has many.
    fronts: Vec<Front>,
    /// The opponents in each block of the row at hand that have the highest bound, as bits, and how many there are up to its
    /// end.
    tied: Vec<(u64, u32)>,
    /// s, as far as it has grown.
    scale: f64,
}

state!(Challengers { groups, leaders, fronts, scale } but { arms, blocks, stride, tied });

/// The leaders of the eight groups of a block.
#[derive(Debug, Clone, Copy)]
struct Leaders {
    lines: Lines,
    /// The s up to which they surely lead.
    until: [f64; LANES],
    /// In which places of their groups, as bits: all of them alike. (Groups, and their places, from the lowest bit up.)
    at: u64,
}

plain!(Leaders { lines, until, at });

/// Who leads a block.
#[derive(Debug, Clone, Copy)]
struct Front {
    line: [f64; 2],
    /// The s up to which all that is known of the block's leaders surely holds.
    until: f64,
    /// The opponents that are as high, as bits.
    tied: u64,
}

plain!(Front { line, until, tied });

/// Opponents in a block.
const BLOCK: usize = LANES * LANES;

/// The most arms whose bounds are all evaluated: leaders take longer to renew.
const EVALUATED: usize = 64;

/// The most blocks whose leaders are all looked at. With three that is faster than to renew who leads a block, with eleven slower;
/// in between nothing was measured.
const FEW: usize = 4;

impl Challengers {
    /// Every pair at this mean and width, and every arm at 1/2 against itself.
    pub(crate) fn new(arms: usize, mean: f64, width: f64) -> Self {
        let mut opponents = Self::rows(arms, arms, [mean, width]);
        for arm in 0..arms {
            let own = arm * opponents.stride + arm / LANES;
            opponents.groups[own].pairs[arm % LANES] = [0.5, 0.0];
        }
        opponents
    }

    /// A single row, number 0: all arms at this mean and width, against nobody in particular.
    pub(crate) fn single(arms: usize, mean: f64, width: f64) -> Self {
        Self::rows(1, arms, [mean, width])
    }

    fn rows(rows: usize, arms: usize, line: [f64; 2]) -> Self {
        let blocks = arms.div_ceil(BLOCK);
        let (stride, led) = if arms > EVALUATED { (blocks * LANES, rows * blocks) } else { (arms.div_ceil(LANES), 0) };
        let nobody = Leaders { lines: Lines::NOBODY, until: [f64::INFINITY; LANES], at: 0 };
        let unknown = Front { line: [0.0; 2], until: f64::NEG_INFINITY, tied: 0 };
        let fronts = if blocks > FEW { led } else { 0 };
        let mut opponents = Self {
            arms,
            blocks,
            stride,
            groups: vec![Lines::NOBODY; rows * stride],
            leaders: vec![nobody; led],
            fronts: vec![unknown; fronts],
            tied: vec![(0, 0); blocks],
            scale: 0.0,
        };
        for row in 0..rows {
            for opponent in 0..arms {
                let group = row * stride + opponent / LANES;
                opponents.groups[group].pairs[opponent % LANES] = line;
                if led > 0 {
                    opponents.leaders[group / LANES].until[group % LANES] = f64::NEG_INFINITY;
                }
            }
        }
        opponents
    }

    /// Rewrites how `opponent` fares against `champion`.
    #[inline]
    pub(crate) fn set(&mut self, champion: usize, opponent: usize, mean: f64, width: f64) {
        let number = champion * self.stride + opponent / LANES;
        let group = &mut self.groups[number];
        let lane = opponent % LANES;
        // Zeros added, the compiler stores both in one piece.
        group.pairs[lane] = [mean + 0.0, width + 0.0];
        if self.leaders.is_empty() {
            return;
        }
        let (block, place) = (number / LANES, number % LANES);
        let leaders = &mut self.leaders[block];
        let led = leaders.at >> (place * LANES + lane) & 1 == 1;
        let [top, steepest] = leaders.lines.pairs[place];
        // An opponent that is neither ahead nor ever gains on the leader changes nothing.
        let behind = mean + self.scale * width + margin(self.scale) < top + self.scale * steepest;
        if led || !behind || width > steepest {
            leaders.renew(place, group, self.scale);
            if let Some(front) = self.fronts.get_mut(block) {
                *front = leaders.front(self.scale);
            }
        }
    }

    /// The width of the bounds of a pair.
    #[inline]
    pub(crate) fn width(&self, champion: usize, opponent: usize) -> f64 {
        self.groups[champion * self.stride + opponent / LANES].pairs[opponent % LANES][1]
    }

    /// How each arm fares against `champion`: mean and width.
    pub(crate) fn of(&self, champion: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let row = &self.groups[champion * self.stride..(champion + 1) * self.stride];
        let pairs = row.iter().flat_map(|group| group.pairs);
        pairs.map(|[mean, width]| (mean, width)).take(self.arms)
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
        self.scale = scale;
        let itself = if not_itself { 1 << (champion % BLOCK) } else { 0 };
        if self.leaders.is_empty() {
            let tied = self.highest_of_all(champion) & !itself;
            return if tied == 0 { champion } else { draw_bit(tied, generator) };
        }
        if self.fronts.is_empty() {
            self.find_highest_of_groups(champion);
        } else {
            self.find_highest(champion);
        }
        self.tied[champion / BLOCK].0 &= !itself;
        let mut ties = 0;
        for (tied, sum) in &mut self.tied {
            ties += tied.count_ones();
            *sum = ties;
        }
        if ties == 0 {
            return champion;
        }
        let nth = below(generator, ties as usize) as u32;
        // No branch: which block it is cannot be predicted.
        let block = self.tied.iter().map(|&(_, sum)| usize::from(sum <= nth)).sum::<usize>();
        let (tied, sum) = self.tied[block];
        block * BLOCK + nth_bit(tied, nth + tied.count_ones() - sum)
    }

    /// Stores in `tied` the arms with the highest upper bound against `champion`, of the leaders of blocks.
    #[inline]
    fn find_highest(&mut self, champion: usize) {
        let row = champion * self.blocks..(champion + 1) * self.blocks;
        if self.fronts[row.clone()].iter().fold(false, |any, front| any | (front.until < self.scale)) {
            self.renew(champion);
        }
        let fronts = &self.fronts[row];
        let bound = |front: &Front| front.line[0] + self.scale * front.line[1];
        let best = fronts.iter().map(bound).fold(f64::NEG_INFINITY, larger);
        for (slot, front) in self.tied.iter_mut().zip(fronts) {
            slot.0 = u64::from(bound(front) == best).wrapping_neg() & front.tied;
        }
    }

    /// The same, of the leaders of all groups.
    #[inline]
    fn find_highest_of_groups(&mut self, champion: usize) {
        let row = champion * self.blocks..(champion + 1) * self.blocks;
        let scale = self.scale;
        let is_over = |any, until: &f64| any | (*until < scale);
        if self.leaders[row.clone()].iter().flat_map(|leaders| &leaders.until).fold(false, is_over) {
            self.renew_groups(champion);
        }
        let leaders = &self.leaders[row];
        let tops = leaders.iter().map(|leaders| largest(&leaders.lines.bounds(scale)));
        let best = tops.fold(f64::NEG_INFINITY, larger);
        for (slot, leaders) in self.tied.iter_mut().zip(leaders) {
            slot.0 = leaders.at & bytes_of(leaders.lines.at(best, scale));
        }
    }

    /// The same as bits, of all opponents, where they are few.
    #[inline]
    fn highest_of_all(&self, champion: usize) -> u64 {
        let groups = &self.groups[champion * self.stride..(champion + 1) * self.stride];
        let tops = groups.iter().map(|group| largest(&group.bounds(self.scale)));
        let best = tops.fold(f64::NEG_INFINITY, larger);
        groups.iter().rev().fold(0, |tied, group| tied << LANES | u64::from(group.at(best, self.scale)))
    }

    /// Brings the leaders of a row's blocks up to date with time.
    #[cold]
    fn renew(&mut self, champion: usize) {
        for block in champion * self.blocks..(champion + 1) * self.blocks {
            if self.fronts[block].until < self.scale {
                self.renew_block(block);
                self.fronts[block] = self.leaders[block].front(self.scale);
            }
        }
    }

    /// Brings the leaders of a row's groups up to date with time.
    #[cold]
    fn renew_groups(&mut self, champion: usize) {
        (champion * self.blocks..(champion + 1) * self.blocks).for_each(|block| self.renew_block(block));
    }

    #[inline]
    fn renew_block(&mut self, block: usize) {
        let leaders = &mut self.leaders[block];
        for (place, group) in self.groups[block * LANES..(block + 1) * LANES].iter().enumerate() {
            if leaders.until[place] < self.scale {
                leaders.renew(place, group, self.scale);
            }
        }
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
        let first = champion * self.stride;
        let groups = &self.groups[first..first + self.arms.div_ceil(LANES)];
        let tops = groups.iter().enumerate().map(|(number, group)| group.top_of(admitted(number), scale));
        let best = tops.fold(f64::NEG_INFINITY, larger);
        let itself = |number: usize| u32::from(number == champion / LANES) << (champion % LANES);
        let all = |number: usize| groups[number].at(best, scale) & admitted(number);
        let others = |number: usize| all(number) & !itself(number);
        let mut ties = (0..groups.len()).map(|number| others(number).count_ones()).sum::<u32>();
        if ties == 0 {
            return champion;
        }
        let mut nth = below(generator, ties as usize) as u32;
        for number in 0..groups.len() {
            ties = others(number).count_ones();
            if nth < ties {
                return number * LANES + nth_bit(others(number).into(), nth);
            }
            nth -= ties;
        }
        champion
    }
}

impl Leaders {
    /// Finds the leader of the group at `place`, and how long it leads.
    #[inline]
    fn renew(&mut self, place: usize, group: &Lines, scale: f64) {
        let lead = group.lead(scale);
        self.lines.pairs[place] = lead.line;
        self.until[place] = lead.until;
        self.at = self.at & !(0xff << (place * LANES)) | u64::from(lead.at & 0xff) << (place * LANES);
    }

    /// Who leads the block.
    #[inline]
    fn front(&self, scale: f64) -> Front {
        let lead = self.lines.lead(scale);
        // One by one: a vector would wait for the one just written.
        let until = self.until.iter().fold(lead.until, |first, &until| smaller(until, first));
        let tied = self.at & bytes_of(lead.at);
        Front { line: lead.line, until, tied }
    }
}

/// A byte of ones for each of the lowest eight bits that is set.
#[inline]
fn bytes_of(bits: u32) -> u64 {
    // Bit k to the lowest place of byte k.
    let each = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    let lowest = ((each + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101;
    lowest * 0xff
}

/// Without a branch.
#[inline]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
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
        for (arms, unseen) in [(1, 2.0), (16, 0.5), (17, 2.0), (40, 0.5), (70, 1.0), (300, 2.0)] {
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
                let chosen = opponents.challenger(champion, false, scale, &mut generator);
                let single = opponents.leaders.is_empty().then(|| opponents.highest_of_all(champion));
                let tied = |block: usize| single.unwrap_or(opponents.tied[block].0);
                let found: Vec<usize> = (0..arms).filter(|j| tied(j / BLOCK) >> (j % BLOCK) & 1 == 1).collect();
                assert!(all.contains(&chosen));
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
