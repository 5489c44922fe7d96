//! Upper confidence bounds for single arms: the arm that may yet be the best is played.

use super::SingletonBandit;
use crate::Generator;
use crate::confidence::LogTime;
use crate::random::below;
use crate::state::{state, stored};

/// Picks the arm with the highest index: mean + sqrt(scale ln t / n), where t counts picks so far
/// and n those of the arm. Arms never picked come first, ties are broken at random.
///
/// P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem",
/// Machine Learning 47, 2002, <https://doi.org/10.1023/A:1013689704352>.
///
/// A pick does not compute every index. Indices grow with t, and slowly: each group of arms has a
/// *ceiling*, what its highest index will have become some picks from now, and only groups with a
/// ceiling above the best index found so far are evaluated.
#[derive(Debug, Clone)]
pub struct Ucb {
    scale: f64,
    /// The number added to n, and to t.
    prior: f64,
    clock: LogTime,
    total: u64,
    won: Vec<u32>,
    picked: Vec<u32>,
    /// The arms never picked, one bit each, if there is no prior.
    never: Vec<u64>,
    never_picked: usize,
    /// Arms to a group: about sqrt K.
    group: usize,
    /// Index = mean + width sqrt(scale ln t); filled up to whole groups.
    means: Vec<f64>,
    widths: Vec<f64>,
    ceilings: Vec<f64>,
    /// The number of picks for which ceilings hold, and their sqrt(scale ln t).
    ceilings_hold: u64,
    ceiling_spread: f64,
}

state!(Ucb { clock, total, won, picked, never, never_picked, means, widths, ceilings, ceilings_hold, ceiling_spread } but { scale, prior, group });

impl Ucb {
    /// For at least one arm. With a `prior` of 1 every arm counts as picked once and
    /// beaten, and t as one more; the rule itself has 0.
    #[must_use]
    pub fn new(arms: usize, scale: f64, prior: u32) -> Self {
        let group = arms.isqrt().next_multiple_of(8);
        let groups = arms.div_ceil(group);
        let mut ucb = Self {
            scale,
            prior: f64::from(prior),
            clock: LogTime::new(),
            total: 0,
            won: vec![0; arms],
            picked: vec![0; arms],
            never: vec![0; arms.div_ceil(64)],
            never_picked: 0,
            group,
            means: vec![f64::NEG_INFINITY; groups * group],
            widths: vec![0.0; groups * group],
            ceilings: vec![f64::NEG_INFINITY; groups],
            ceilings_hold: 0,
            ceiling_spread: 0.0,
        };
        ucb.reset();
        ucb
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        let arms = self.won.len();
        self.total = 0;
        self.won.fill(0);
        self.picked.fill(0);
        if self.prior == 0.0 {
            self.never_picked = arms;
            for (word, bits) in self.never.iter_mut().enumerate() {
                *bits = u64::MAX >> (64 - (arms - 64 * word).min(64));
            }
            self.means[..arms].fill(f64::NEG_INFINITY);
        } else {
            self.means[..arms].fill(0.0);
            self.widths[..arms].fill(1.0 / self.prior.sqrt());
        }
        self.raise_ceilings();
    }

    /// t after `total` picks; before the first there may be no arm with a width.
    #[inline]
    fn time(&self, total: u64) -> f64 {
        (total as f64 + self.prior).max(1.0)
    }

    /// Ceilings for the next K / 16 picks: so near that few groups reach above the best index, and
    /// so far that raising them costs about as much as a look at two groups.
    #[cold]
    fn raise_ceilings(&mut self) {
        self.ceilings_hold = self.total + (self.won.len() as u64 / 16).max(1);
        let ln = libm::log(self.time(self.ceilings_hold));
        // A little above, as the clock's logarithm may be.
        self.ceiling_spread = (self.scale * ln).sqrt() * (1.0 + 1e-12);
        for group in 0..self.ceilings.len() {
            self.ceilings[group] = self.highest_of(group, self.ceiling_spread);
        }
    }

    fn range(&self, group: usize) -> std::ops::Range<usize> {
        group * self.group..(group + 1) * self.group
    }

    /// The highest index of a group.
    #[inline]
    fn highest_of(&self, group: usize, spread: f64) -> f64 {
        let range = self.range(group);
        let (means, widths) = (&self.means[range.clone()], &self.widths[range]);
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        let mut lanes = [f64::NEG_INFINITY; 8];
        let eights = means.as_chunks::<8>().0.iter().zip(widths.as_chunks().0);
        for (means, widths) in eights {
            let widths: &[f64; 8] = widths;
            for ((lane, mean), width) in lanes.iter_mut().zip(means).zip(widths) {
                *lane = larger(mean + spread * width, *lane);
            }
        }
        lanes.into_iter().fold(f64::NEG_INFINITY, larger)
    }

    /// Which arms of a group have the index `top`.
    #[inline]
    fn at_top(&self, group: usize, top: f64, spread: f64) -> impl Iterator<Item = usize> + Clone + '_ {
        let range = self.range(group);
        let arms = self.means[range.clone()].iter().zip(&self.widths[range]);
        arms.enumerate()
            .filter(move |(_, (mean, width))| *mean + spread * *width == top)
            .map(move |(place, _)| group * self.group + place)
    }

    /// The `nth` arm that was never picked.
    fn nth_never_picked(&self, mut nth: usize) -> usize {
        for (word, &bits) in self.never.iter().enumerate() {
            let here = bits.count_ones() as usize;
            if nth < here {
                let mut bits = bits;
                for _ in 0..nth {
                    bits &= bits - 1;
                }
                return 64 * word + bits.trailing_zeros() as usize;
            }
            nth -= here;
        }
        0
    }

    /// Picks where the most promising group is not the only one that may have the highest index.
    #[cold]
    fn pick_among_groups(&self, mut top: f64, spread: f64, generator: &mut Generator) -> usize {
        for (group, &ceiling) in self.ceilings.iter().enumerate() {
            if ceiling > top {
                top = top.max(self.highest_of(group, spread));
            }
        }
        let groups = self.ceilings.iter().enumerate();
        let mut ties =
            groups.filter(|&(_, &ceiling)| ceiling >= top).flat_map(|(group, _)| self.at_top(group, top, spread));
        let count = ties.clone().count();
        ties.nth(below(generator, count.max(1))).unwrap_or(0)
    }
}

impl SingletonBandit for Ucb {
    fn arms(&self) -> usize {
        self.won.len()
    }

    fn pick(&mut self, generator: &mut Generator) -> usize {
        if self.never_picked > 0 {
            return self.nth_never_picked(below(generator, self.never_picked));
        }
        if self.total > self.ceilings_hold {
            self.raise_ceilings();
        }
        let spread = (self.scale * self.clock.ln(self.time(self.total))).sqrt();
        // The two highest ceilings: as a rule the first group has the best index of all.
        let mut promising = 0;
        let (mut first, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (group, &ceiling) in self.ceilings.iter().enumerate() {
            let above = ceiling > first;
            let lower = if above { first } else { ceiling };
            second = if lower > second { lower } else { second };
            first = if above { ceiling } else { first };
            promising = if above { group } else { promising };
        }
        let top = self.highest_of(promising, spread);
        if second >= top {
            return self.pick_among_groups(top, spread, generator);
        }
        let mut ties = self.at_top(promising, top, spread);
        let Some(picked) = ties.next() else { return 0 };
        match ties.count() {
            0 => picked,
            others => {
                let nth = below(generator, others + 1);
                self.at_top(promising, top, spread).nth(nth).unwrap_or(picked)
            }
        }
    }

    fn learn(&mut self, arm: usize, won: bool) {
        self.total += 1;
        self.picked[arm] += 1;
        self.won[arm] += u32::from(won);
        let bit = 1_u64 << (arm % 64);
        if self.never[arm / 64] & bit != 0 {
            self.never[arm / 64] &= !bit;
            self.never_picked -= 1;
        }
        let picked = f64::from(self.picked[arm]) + self.prior;
        self.means[arm] = f64::from(self.won[arm]) / picked;
        self.widths[arm] = 1.0 / picked.sqrt();
        let group = arm / self.group;
        self.ceilings[group] = self.highest_of(group, self.ceiling_spread);
    }

    /// How often it was picked.
    fn score(&self, arm: usize) -> f64 {
        f64::from(self.picked[arm])
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::random::{argmax, below};

    /// Compares the picks with indices that are all recomputed, in two lives of the bandit.
    fn follow(arms: usize, scale: f64, prior: u32, picks: u32) {
        let mut ucb = Ucb::new(arms, scale, prior);
        let mut one = Generator::seed_from_u64(1);
        let mut two = one.clone();
        let mut coins = Generator::seed_from_u64(2);
        for life in 0..2 {
            let mut won = vec![0_u32; arms];
            let mut picked = vec![0_u32; arms];
            for total in 0..picks {
                let time = f64::from(total + prior);
                let spread = if time > 1.0 { (scale * libm::log(time)).sqrt() } else { 0.0 };
                let index = |arm: usize| {
                    let n = f64::from(picked[arm] + prior);
                    if n == 0.0 { f64::INFINITY } else { f64::from(won[arm]) / n + spread * (1.0 / n.sqrt()) }
                };
                let plain = argmax(&mut one, (0..arms).map(index)).expect("an arm");
                assert_eq!(ucb.pick(&mut two), plain, "pick {total} of {arms} arms, life {life}");
                // Lower arms win more often, by little in the second life.
                let wins = below(&mut coins, (2 + 8 * life) * arms) >= plain + 4 * life * arms;
                ucb.learn(plain, wins);
                picked[plain] += 1;
                won[plain] += u32::from(wins);
                assert_eq!(ucb.score(plain), f64::from(picked[plain]));
            }
            ucb.reset();
        }
    }

    #[test]
    fn picks_are_those_of_the_plain_rule() {
        follow(1, 2.5, 0, 100);
        follow(2, 2.5, 0, 20_000);
        follow(7, 2.5, 0, 20_000);
        follow(16, 0.51, 1, 20_000);
        follow(150, 2.0, 0, 8_000);
        follow(33, 0.01, 0, 20_000);
    }
}
