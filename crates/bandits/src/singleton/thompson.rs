//! Thompson's sampling of single arms.
//!
//! The rule draws one Beta per arm and picks the largest. Most of these draws cannot win: with 136 rankers, all but a
//! handful are far below the best. So arms are of two classes, by a threshold that the largest draw almost always
//! exceeds:
//!
//! * *contenders*, which are likely to be above it, are drawn as they are;
//! * of all others it is decided at once whether any is above, in one draw: arms are intervals on a line, as long as
//!   -ln(1 - q) for an arm that is above with probability at most q, and points fall on the line at random, one per
//!   unit of length. An arm that is hit is drawn [above the threshold](Threshold), and may turn out to be below it.
//!
//! If nothing is above the threshold, all others are drawn below it. What is picked has the same law as by the rule.

use super::SingletonBandit;
use crate::Generator;
use crate::random::{Beta, Normals, Threshold, positive_unit};
use crate::state::{state, stored};

/// About how often no draw is above the threshold: then all others are drawn one by one.
const MISSES: f64 = 0.002;
/// Arms that are above the threshold with at least this probability are drawn as they are.
const CONTENDS: f64 = 0.5;
/// Lengths are summed by blocks of so many arms.
const BLOCK: usize = 16;
/// A new threshold is found when the counts have grown by one part in so many.
const GROWTH: u64 = 64;

/// Picks each arm with the probability that it is the best, given its wins and losses and a
/// uniform prior on its probability of winning: one Beta draw per arm, the largest is picked.
///
/// W. R. Thompson, "On the Likelihood that One Unknown Probability Exceeds Another in View of the
/// Evidence of Two Samples", Biometrika 25, 1933, <https://doi.org/10.2307/2332286>.
#[derive(Debug, Clone)]
pub struct Thompson {
    normals: Normals,
    counts: Vec<[f64; 2]>,
    posterior: Vec<Beta>,
    /// `None` while it would be 0 or less: then all arms contend.
    threshold: Option<Threshold>,
    contenders: Vec<u32>,
    /// Of each arm, -ln(1 - q); 0 of contenders.
    lengths: Vec<f64>,
    blocks: Vec<f64>,
    total: f64,
    /// How often `count` was called, and when the next threshold is due.
    counted: u64,
    due: u64,
}

state!(Thompson { counts, posterior, threshold, contenders, lengths, blocks, total, counted, due } but { normals });

impl Thompson {
    /// For `arms` arms.
    #[must_use]
    pub fn new(arms: usize) -> Self {
        Self {
            normals: Normals::new(),
            counts: vec![[0.0; 2]; arms],
            posterior: vec![Beta::new(1.0, 1.0); arms],
            threshold: None,
            contenders: (0..arms).map(|arm| arm as u32).collect(),
            lengths: vec![0.0; arms],
            blocks: vec![0.0; arms.div_ceil(BLOCK)],
            total: 0.0,
            counted: 0,
            due: arms as u64,
        }
    }

    /// Counts wins and losses of an arm, which need not be whole.
    #[inline]
    pub fn count(&mut self, arm: usize, won: f64, lost: f64) {
        let counts = &mut self.counts[arm];
        counts[0] += won;
        counts[1] += lost;
        self.posterior[arm] = Beta::new(counts[0] + 1.0, counts[1] + 1.0);
        self.counted += 1;
        if self.counted >= self.due {
            self.renew();
        } else if let Some(threshold) = self.threshold {
            let length = self.length(arm, &threshold);
            // Most that are counted contend and go on contending.
            if length.is_some() || self.lengths[arm] > 0.0 {
                self.reclassify(arm, length);
            }
        }
    }

    /// Of an arm that does not contend, -ln(1 - q).
    #[inline]
    fn length(&self, arm: usize, threshold: &Threshold) -> Option<f64> {
        let [won, lost] = self.counts[arm];
        let mass = threshold.mass_above(won + 1.0, lost + 1.0)?;
        // Not 0, which marks contenders; an arm that is never hit is as good as one that is hit so seldom.
        (mass < CONTENDS).then(|| -libm::log1p(-mass.max(f64::MIN_POSITIVE)))
    }

    fn reclassify(&mut self, arm: usize, length: Option<f64>) {
        let contended = self.lengths[arm] == 0.0;
        match length {
            Some(_) if contended => self.contenders.retain(|&contender| contender as usize != arm),
            None if !contended => self.contenders.push(arm as u32),
            _ => {}
        }
        self.lengths[arm] = length.unwrap_or(0.0);
        let block = arm / BLOCK;
        self.blocks[block] = self.lengths[block * BLOCK..].iter().take(BLOCK).sum();
        self.total = self.blocks.iter().sum();
    }

    /// Another threshold, and the arms by it.
    fn renew(&mut self) {
        self.due = self.counted + (self.counted / GROWTH).max(self.arms() as u64);
        self.threshold = Threshold::new(self.quantile_of_largest());
        self.contenders.clear();
        for arm in 0..self.arms() {
            let length = self.threshold.as_ref().and_then(|threshold| self.length(arm, threshold));
            self.lengths[arm] = length.unwrap_or(0.0);
            if length.is_none() {
                self.contenders.push(arm as u32);
            }
        }
        for (block, lengths) in self.blocks.iter_mut().zip(self.lengths.chunks(BLOCK)) {
            *block = lengths.iter().sum();
        }
        self.total = self.blocks.iter().sum();
    }

    /// What the largest draw exceeds in all but about [`MISSES`] of picks: posteriors are taken as normal, which costs
    /// speed where they are not, but changes no probability.
    fn quantile_of_largest(&self) -> f64 {
        let normals: Vec<[f64; 2]> = self
            .counts
            .iter()
            .map(|&[won, lost]| {
                let (a, b) = (won + 1.0, lost + 1.0);
                let n = a + b;
                [a / n, (a * b / (n + 1.0)).sqrt() / n]
            })
            .collect();
        let bound = |deviations: f64| {
            normals.iter().map(|[mean, deviation]| mean + deviations * deviation).fold(0.0, f64::max)
        };
        // The best arm alone exceeds the first in 199 of 200 picks.
        let (mut low, mut high) = (bound(-2.6), bound(3.0));
        let near: Vec<[f64; 2]> = normals.iter().copied().filter(|[mean, deviation]| mean + 4.0 * deviation > low).collect();
        for _ in 0..10 {
            let middle = f64::midpoint(low, high);
            let none_above: f64 = near
                .iter()
                .map(|[mean, deviation]| 0.5 * libm::erfc((mean - middle) / (deviation * std::f64::consts::SQRT_2)))
                .product();
            if none_above <= MISSES { low = middle } else { high = middle }
        }
        low
    }

    /// The largest draw of the arms that do not contend, if any is above the threshold.
    #[inline]
    fn largest_above(&self, threshold: &Threshold, generator: &mut Generator) -> Option<(f64, usize)> {
        let unit = positive_unit(generator);
        // 1 - total <= exp(-total): no point falls on the line.
        if unit <= 1.0 - self.total { None } else { self.points(-libm::log(unit), threshold, generator) }
    }

    /// As [`largest_above`](Self::largest_above), for the first point at `place`.
    fn points(&self, mut place: f64, threshold: &Threshold, generator: &mut Generator) -> Option<(f64, usize)> {
        let mut best: Option<(f64, usize)> = None;
        let mut start = 0.0;
        for (block, &sum) in self.blocks.iter().enumerate() {
            if place >= start + sum {
                start += sum;
                continue;
            }
            let arms = block * BLOCK..self.arms().min((block + 1) * BLOCK);
            for arm in arms {
                start += self.lengths[arm];
                if place >= start {
                    continue;
                }
                let [won, lost] = self.counts[arm];
                if let Some(theta) = threshold.draw_above(won + 1.0, lost + 1.0, generator)
                    && best.is_none_or(|(most, _)| theta > most)
                {
                    best = Some((theta, arm));
                }
                // An arm is hit or not, however often; what follows does not remember.
                place = start - libm::log(positive_unit(generator));
            }
        }
        best
    }

    /// The largest draw of the arms that do not contend, given that none is above the threshold.
    #[cold]
    fn largest_below(&self, threshold: &Threshold, generator: &mut Generator) -> Option<(f64, usize)> {
        let mut best: Option<(f64, usize)> = None;
        for (arm, posterior) in self.posterior.iter().enumerate().filter(|&(arm, _)| self.lengths[arm] > 0.0) {
            let theta = loop {
                let theta = posterior.draw(self.normals, generator);
                if theta <= threshold.at() {
                    break theta;
                }
            };
            if best.is_none_or(|(most, _)| theta > most) {
                best = Some((theta, arm));
            }
        }
        best
    }
}

impl SingletonBandit for Thompson {
    fn arms(&self) -> usize {
        self.posterior.len()
    }

    fn pick(&mut self, generator: &mut Generator) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for &arm in &self.contenders {
            let theta = self.posterior[arm as usize].draw(self.normals, generator);
            if theta > best.0 {
                best = (theta, arm as usize);
            }
        }
        let Some(threshold) = self.threshold.filter(|_| self.total > 0.0) else {
            return best.1;
        };
        let mut other = self.largest_above(&threshold, generator);
        if other.is_none() && best.0 <= threshold.at() {
            other = self.largest_below(&threshold, generator);
            // Each brings the next threshold nearer, as it costs about as much.
            self.due = self.due.saturating_sub(self.arms() as u64);
        }
        other.filter(|&(theta, _)| theta > best.0).unwrap_or(best).1
    }

    #[inline]
    fn learn(&mut self, arm: usize, won: bool) {
        let won = f64::from(u8::from(won));
        self.count(arm, won, 1.0 - won);
    }

    /// Its wins and losses together: how often it was tried.
    fn score(&self, arm: usize) -> f64 {
        self.counts[arm][0] + self.counts[arm][1]
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn value_stability() {
        let mut generator = Generator::seed_from_u64(1);
        let mut thompson = Thompson::new(4);
        thompson.learn(2, true);
        thompson.learn(0, false);
        let picked: Vec<usize> = (0..8).map(|_| thompson.pick(&mut generator)).collect();
        assert_eq!(picked, [0, 2, 2, 2, 3, 3, 2, 2]);
    }

    #[test]
    fn arms_are_picked_by_their_probability_of_being_best() {
        // Beta(1, 1) against Beta(2, 1): the second is the larger with probability 2/3.
        let mut generator = Generator::seed_from_u64(3);
        let mut thompson = Thompson::new(2);
        thompson.learn(1, true);
        let picks = 60_000;
        let second = (0..picks).filter(|_| thompson.pick(&mut generator) == 1).count();
        let bound = 5.0 * (f64::from(picks) * 2.0 / 9.0).sqrt();
        let off = second as f64 - f64::from(picks) * 2.0 / 3.0;
        assert!(off.abs() < bound, "{second}");
    }

    /// The rule itself: the arm of the largest of all draws.
    fn plain_pick(thompson: &Thompson, generator: &mut Generator) -> usize {
        let theta: Vec<f64> = thompson.posterior.iter().map(|beta| beta.draw(thompson.normals, generator)).collect();
        (0..theta.len()).max_by(|&i, &j| theta[i].total_cmp(&theta[j])).expect("an arm")
    }

    /// Wins and losses of 40 arms: some near ties at the top, some behind, some hardly tried.
    fn forty() -> Thompson {
        let mut thompson = Thompson::new(40);
        for arm in 0..40 {
            let (won, lost) = match arm {
                0 | 17 | 33 => (300.0, 290.0),
                1..5 => (45.0, 50.0),
                5..10 => (8.0, 14.0),
                10..16 => (0.0, 3.5),
                _ => (20.0, 32.0),
            };
            thompson.count(arm, won, lost);
        }
        thompson
    }

    #[test]
    fn picks_follow_the_plain_rule_at_any_threshold() {
        let picks = 100_000;
        let mut generator = Generator::seed_from_u64(4);
        // The one it would choose, and others under which everything contends, nothing does, and draws are above the
        // threshold seldom or nearly always.
        let mut reached = [false; 3];
        for threshold in [None, Some(0.3), Some(0.42), Some(0.5), Some(0.55), Some(0.6)] {
            let mut fast = forty();
            fast.renew();
            if let Some(at) = threshold {
                fast.threshold = Threshold::new(at);
                for arm in 0..40 {
                    fast.lengths[arm] = 0.0;
                }
                fast.contenders = (0..40).collect();
                for arm in 0..40 {
                    let length = fast.length(arm, &fast.threshold.expect("in (0, 1)"));
                    fast.reclassify(arm, length);
                }
            }
            let others = 40 - fast.contenders.len();
            reached[0] |= others == 0;
            reached[1] |= others > 0 && others < 40;
            reached[2] |= others == 40;
            let mut counts = [[0_u32; 2]; 40];
            for _ in 0..picks {
                counts[fast.pick(&mut generator)][0] += 1;
                counts[plain_pick(&fast, &mut generator)][1] += 1;
            }
            for (arm, [fast, plain]) in counts.into_iter().enumerate() {
                // Five standard deviations of the difference of two counts, and one pick.
                let bound = 5.0 * f64::from(fast + plain).sqrt() + 1.0;
                let off = (f64::from(fast) - f64::from(plain)).abs();
                assert!(off <= bound, "threshold {threshold:?}, arm {arm}: {fast}, plain {plain}");
            }
        }
        assert_eq!(reached[1..], [true, true]);
    }

    #[test]
    fn classes_and_sums_stay_true_while_counts_grow() {
        let mut generator = Generator::seed_from_u64(6);
        let mut thompson = Thompson::new(40);
        let mut thresholds = 0;
        for _ in 0..20_000 {
            let before = thompson.due;
            let arm = thompson.pick(&mut generator);
            let won = positive_unit(&mut generator) < 0.6 - 0.01 * arm as f64;
            thompson.learn(arm, won);
            thresholds += u32::from(thompson.due > before);
            let mut contenders = thompson.contenders.clone();
            contenders.sort_unstable();
            let expected: Vec<u32> = (0..40).filter(|&arm| thompson.lengths[arm as usize] == 0.0).collect();
            assert_eq!(contenders, expected);
            if let Some(threshold) = thompson.threshold {
                for arm in 0..40 {
                    assert_eq!(thompson.lengths[arm], thompson.length(arm, &threshold).unwrap_or(0.0));
                }
            }
            let total: f64 = thompson.lengths.iter().sum();
            assert!((total - thompson.total).abs() < 1e-9);
        }
        assert!(thresholds > 50, "{thresholds}");
        assert!(thompson.contenders.len() < 20, "{}", thompson.contenders.len());
        // By chance it would be 500.
        assert!(thompson.score(0) > 5_000.0, "{}", thompson.score(0));
    }
}
