//! The strongest challenger of an arm: the largest of its opponents' upper bounds, found without evaluating most
//! of them.
//!
//! For a champion c the bounds are u(j, c) = mean(j) + s width(j), where mean = w(j, c) / n, width =
//! 1 / sqrt(n), and s = sqrt(alpha ln t) only ever grows.
//!
//! Among up to 256 arms all bounds are evaluated in single precision, in vectors, and exactly only those that rounding may
//! have confused.
//!
//! Among more there are leaders. The bounds are lines in s, and the leader of a group of
//! opponents is known until the first line that is steeper crosses the leader's: a tournament over
//! moving values. Eight opponents are a group, eight groups a block. A duel renews the leaders of its group and of its
//! block, time hardly any, so that a challenger is looked for among those of blocks alone.

use crate::Generator;
use crate::confidence::arm_bits::{ArmBits, BLOCK_ARMS, count, first_arm, nth_arm};
use crate::confidence::lanes::{LANES, rounding_margin};
use crate::confidence::leaders::{BlockLeaders, Leaders};
use crate::confidence::lines::Lines;
use crate::confidence::rounded::RoundedLines;
use crate::confidence::{PairEstimate, last_step_below, rounded};
use crate::counts::OpenDuels;
use crate::random::{below, nth_bit};
use crate::state;

/// The upper bounds of all pairs, a row for each champion.
#[derive(Debug, Clone)]
pub(crate) struct Challengers {
    arms: usize,
    /// Blocks per row, and groups: if there are leaders, the last block is filled up with empty groups.
    blocks: usize,
    stride: usize,
    groups: Vec<Lines>,
    /// The same rounded, if a row has few arms: then there are no leaders.
    rounded: Vec<RoundedLines>,
    /// Whether lines that are equal when rounded are equal.
    counted: bool,
    /// The leaders of each block.
    leaders: Vec<Leaders>,
    /// The front of each block.
    fronts: Vec<BlockLeaders>,
    /// The opponents in each block of the row at hand that have the highest bound, as bits, and how many there are up to its
    /// end.
    tied: Vec<(u64, u32)>,
    /// s, as far as it has grown.
    scale: f64,
}

state!(Challengers { groups, rounded, counted, leaders, fronts, scale } but { arms, blocks, stride, tied });

impl Challengers {
    /// Every pair at this mean and width, and every arm at 1/2 against itself.
    pub(crate) fn new(arms: usize, mean: f64, width: f64) -> Self {
        let mut opponents = Self::rows(arms, arms, [mean, width]);
        for arm in 0..arms {
            opponents.put(arm * opponents.stride + arm / LANES, arm % LANES, [0.5, 0.0]);
        }
        // A line near that of an arm against itself might be rounded to it.
        opponents.counted = width > 0.0 || mean == 0.5 || (mean - 0.5).abs() > 1e-3;
        opponents
    }

    /// A single row, number 0: all arms at this mean and width, against no particular champion.
    pub(crate) fn single(arms: usize, mean: f64, width: f64) -> Self {
        Self::rows(1, arms, [mean, width])
    }

    fn rows(rows: usize, arms: usize, line: [f64; 2]) -> Self {
        let blocks = arms.div_ceil(BLOCK_ARMS);
        let few = arms <= rounded::MAX_OPPONENTS;
        let (stride, leader_blocks) = if few { (arms.div_ceil(LANES), 0) } else { (blocks * LANES, rows * blocks) };
        let empty = Leaders { lines: Lines::EMPTY, until: [f64::INFINITY; LANES], at: 0 };
        let unknown = BlockLeaders { line: [0.0; 2], until: f64::NEG_INFINITY, tied: 0 };
        let mut opponents = Self {
            arms,
            blocks,
            stride,
            groups: vec![Lines::EMPTY; rows * stride],
            rounded: vec![RoundedLines::EMPTY; if few { rows * stride } else { 0 }],
            counted: true,
            leaders: vec![empty; leader_blocks],
            fronts: vec![unknown; leader_blocks],
            tied: vec![(0, 0); if few { 0 } else { blocks }],
            scale: 0.0,
        };
        for row in 0..rows {
            for opponent in 0..arms {
                let group = row * stride + opponent / LANES;
                opponents.put(group, opponent % LANES, line);
                if !few {
                    opponents.leaders[group / LANES].until[group % LANES] = f64::NEG_INFINITY;
                }
            }
        }
        opponents
    }

    /// From now on lines may be of more than counts. (Lines of the same counts are equal, and those of other counts still
    /// differ when they are rounded.)
    pub(crate) fn mix(&mut self) {
        self.counted = false;
    }

    #[inline]
    fn put(&mut self, group: usize, place: usize, [mean, width]: [f64; 2]) {
        // Zeros added, the compiler stores both in one piece.
        self.groups[group].pairs[place] = [mean + 0.0, width + 0.0];
        if let Some(rounded) = self.rounded.get_mut(group) {
            rounded.set(place, mean, width);
        }
    }

    /// Rewrites how `opponent` fares against `champion`.
    #[inline]
    pub(crate) fn set(&mut self, champion: usize, opponent: usize, mean: f64, width: f64) {
        let group = champion * self.stride + opponent / LANES;
        self.put(group, opponent % LANES, [mean, width]);
        if self.leaders.is_empty() {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if rounded::vectors::are_available() {
            #[expect(unsafe_code, reason = "not all processors of this kind have these instructions")]
            // SAFETY: this one has those that the function is compiled for.
            unsafe {
                self.renew_leaders_in_vectors(group, opponent % LANES, [mean, width]);
            }
            return;
        }
        self.renew_leaders(group, opponent % LANES, [mean, width]);
    }

    /// [`renew_leaders`](Self::renew_leaders), in wider vectors.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
    fn renew_leaders_in_vectors(&mut self, group: usize, place: usize, line: [f64; 2]) {
        self.renew_leaders(group, place, line);
    }

    /// Finds the leaders of a group and its block, unless a new line in it changes nothing.
    #[inline(always)]
    fn renew_leaders(&mut self, group: usize, place: usize, line: [f64; 2]) {
        let (block, number) = (group / LANES, group % LANES);
        let leaders = &mut self.leaders[block];
        let is_leader = leaders.at >> (number * LANES + place) & 1 == 1;
        let (leader, until) = (leaders.lines.pairs[number], leaders.until[number]);
        // Behind the leader now and as long as it is known to lead.
        let behind = |scale: f64| line[0] + scale * line[1] + rounding_margin(scale) < leader[0] + scale * leader[1];
        if is_leader || !behind(self.scale) || !behind(until) {
            leaders.renew(number, &self.groups[group], self.scale);
            self.fronts[block] = leaders.block_leaders(self.scale);
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
    /// sqrt(alpha ln t). Pairs with `open` duels use `known` instead: mean and width without these duels.
    pub(crate) fn alone_until(
        &self,
        champion: usize,
        alpha: f64,
        open: &OpenDuels,
        known: impl Fn(usize) -> Option<PairEstimate>,
    ) -> u64 {
        let others = self.of(champion).enumerate().map(|(opponent, bounds)| {
            if open.between(opponent, champion) == 0 {
                return (opponent, bounds);
            }
            // Without outcomes, a pair's bound is above 1/2.
            (opponent, known(opponent).map_or((0.5, 1.0), |estimate| (estimate.mean, estimate.width)))
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
        if self.leaders.is_empty() {
            #[cfg(target_arch = "x86_64")]
            if rounded::vectors::are_available() {
                #[expect(unsafe_code, reason = "not all processors of this kind have these instructions")]
                // SAFETY: this one has those that the function is compiled for.
                return unsafe { self.challenger_of_few_in_vectors(champion, not_itself, scale, generator) };
            }
            return self.challenger_of_few(
                champion,
                not_itself,
                scale,
                generator,
                (rounded::nearly_highest, rounded::of_width),
            );
        }
        #[cfg(target_arch = "x86_64")]
        if rounded::vectors::are_available() {
            #[expect(unsafe_code, reason = "not all processors of this kind have these instructions")]
            // SAFETY: as above.
            return unsafe { self.challenger_of_many_in_vectors(champion, not_itself, generator) };
        }
        self.challenger_of_many(champion, not_itself, generator)
    }

    /// [`of_few`](Self::of_few), in wider vectors.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
    fn challenger_of_few_in_vectors(
        &self,
        champion: usize,
        not_itself: bool,
        scale: f64,
        generator: &mut Generator,
    ) -> usize {
        let nearly_highest = |row: &[RoundedLines], scale| rounded::vectors::nearly_highest(row, scale);
        let of_width = |row: &[RoundedLines], width| rounded::vectors::of_width(row, width);
        self.challenger_of_few(champion, not_itself, scale, generator, (nearly_highest, of_width))
    }

    /// [`challenger_of_many`](Self::challenger_of_many), in wider vectors.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
    fn challenger_of_many_in_vectors(&mut self, champion: usize, not_itself: bool, generator: &mut Generator) -> usize {
        self.challenger_of_many(champion, not_itself, generator)
    }

    /// The challenger, from the leaders of blocks.
    #[inline(always)]
    fn challenger_of_many(&mut self, champion: usize, not_itself: bool, generator: &mut Generator) -> usize {
        self.find_highest(champion);
        self.draw_tied(champion, not_itself, generator)
    }

    /// The challenger, where there are no leaders. The functions are those of `rounded`.
    #[inline(always)]
    fn challenger_of_few(
        &self,
        champion: usize,
        not_itself: bool,
        scale: f64,
        generator: &mut Generator,
        (nearly_highest, of_width): (
            impl Fn(&[RoundedLines], f32) -> (ArmBits, f32),
            impl Fn(&[RoundedLines], f32) -> ArmBits,
        ),
    ) -> usize {
        let row = champion * self.stride..(champion + 1) * self.stride;
        let rounded = &self.rounded[row.clone()];
        let (mut places, best) = nearly_highest(rounded, scale as f32);
        let some = first_arm(places);
        if count(places) == 1 {
            return some;
        }
        let width = rounded[some / LANES].width(some % LANES);
        // Nearly always they are one and the same line.
        if !self.counted || !rounded::are_all_alike(places, of_width(rounded, width), width, best) {
            places = highest(&self.groups[row], places, scale);
        }
        debug_assert_eq!(places, highest(&self.groups[champion * self.stride..][..self.stride], places, scale));
        if not_itself {
            for (block, word) in places.iter_mut().enumerate() {
                *word &= !(u64::from(champion / BLOCK_ARMS == block) << (champion % BLOCK_ARMS));
            }
        }
        let ties = count(places);
        if ties == 0 { champion } else { nth_arm(places, below(generator, ties as usize) as u32) }
    }

    /// One of those that are `tied`.
    #[inline(always)]
    fn draw_tied(&mut self, champion: usize, not_itself: bool, generator: &mut Generator) -> usize {
        self.tied[champion / BLOCK_ARMS].0 &= !(u64::from(not_itself) << (champion % BLOCK_ARMS));
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
        block * BLOCK_ARMS + nth_bit(tied, nth + tied.count_ones() - sum)
    }

    /// Stores in `tied` the arms with the highest upper bound against `champion`, of the leaders of blocks.
    #[inline(always)]
    fn find_highest(&mut self, champion: usize) {
        let row = champion * self.blocks..(champion + 1) * self.blocks;
        if self.fronts[row.clone()].iter().fold(false, |any, front| any | (front.until < self.scale)) {
            self.renew(champion);
        }
        let fronts = &self.fronts[row];
        let bound = |front: &BlockLeaders| front.line[0] + self.scale * front.line[1];
        let best = fronts.iter().map(bound).fold(f64::NEG_INFINITY, larger);
        for (slot, front) in self.tied.iter_mut().zip(fronts) {
            slot.0 = u64::from(bound(front) == best).wrapping_neg() & front.tied;
        }
    }

    /// Brings the leaders of a row's blocks up to date with time.
    #[cold]
    fn renew(&mut self, champion: usize) {
        for block in champion * self.blocks..(champion + 1) * self.blocks {
            if self.fronts[block].until < self.scale {
                self.renew_block(block);
                self.fronts[block] = self.leaders[block].block_leaders(self.scale);
            }
        }
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

    /// As [`challenger`](Self::challenger), among some arms only: `admitted` returns those of the group of arms 8 g to 8 g + 7 as
    /// bits, and admits at least one arm. The champion yields to the arms it ties with.
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

/// Those of `places` with the highest bound.
#[cold]
#[inline(never)]
fn highest(groups: &[Lines], places: ArmBits, scale: f64) -> ArmBits {
    let (mut best, mut highest) = (f64::NEG_INFINITY, ArmBits::default());
    for (block, mut rest) in places.into_iter().enumerate() {
        while rest != 0 {
            let place = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let [mean, width] = groups[block * LANES + place / LANES].pairs[place % LANES];
            let bound = mean + scale * width;
            if bound > best {
                highest = ArmBits::default();
                best = bound;
            }
            highest[block] |= u64::from(bound == best) << place;
        }
    }
    highest
}

/// Without a branch.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests;
