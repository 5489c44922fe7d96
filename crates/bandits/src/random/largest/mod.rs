//! Which of many independent draws is the largest, without drawing most of them.
//!
//! Thompson sampling draws once per arm and takes the largest. Most of these draws cannot win: with 136 rankers, all
//! but a handful are far below the best. So there are two classes, by a threshold that the largest draw almost always
//! exceeds:
//!
//! * *contenders*, which are likely to be above it, are drawn as they are;
//! * whether any of the others is above is decided in one draw: each is an interval on a line, as long as
//!   -ln(1 - q) if it is above with probability at most q, and points fall on the line at random, one per unit of
//!   length. One that is hit is drawn above the threshold, and may turn out to be below it.
//!
//! If nothing is above the threshold, all others are drawn below it. What is taken has the same distribution as by the rule,
//! wherever the threshold is.

mod beta;
mod normal;

pub(crate) use beta::BetaPosterior;
pub(crate) use normal::NormalPosterior;

use super::{Normals, positive_unit};
use crate::Generator;
use crate::state;
use crate::state::Plain;

/// About how often no draw is above the threshold: then all others are drawn one by one.
const MISS_PROBABILITY: f64 = 0.002;
/// Distributions above the threshold with at least this probability are drawn as they are.
const MIN_CONTENDING_PROBABILITY: f64 = 0.5;
/// The size of the blocks by which lengths are summed.
const BLOCK_SIZE: usize = 16;
/// A new threshold is found when the number of changes has grown by one part in this.
const REFRESH_FRACTION: u64 = 64;

/// A log-concave distribution.
///
/// Above a threshold t at which it falls, such a density f lies below the exponential that touches it at t, f(t) exp(-rate
/// (x - t)), with mass f(t) / rate. An event of that probability, a draw of the exponential and von Neumann's rejection
/// together give a draw above t with exactly the probability and the distribution that a draw of f has there (L. Devroye, "Non-Uniform
/// Random Variate Generation", Springer, 1986, section VII.2, <https://doi.org/10.1007/978-1-4613-8643-8>).
pub(crate) trait LogConcave: Plain {
    /// A threshold between low and high values, with numbers that are worth computing once.
    type Threshold: Plain;

    /// The threshold at a value; `None` where everything is above it.
    fn threshold(at: f64) -> Option<Self::Threshold>;

    /// Its value.
    fn value(threshold: &Self::Threshold) -> f64;

    /// Mean and standard deviation.
    fn moments(&self) -> [f64; 2];

    /// A draw.
    fn draw(&self, normals: Normals, generator: &mut Generator) -> f64;

    /// The mass of the exponential: at least the probability of a draw above the threshold, and perhaps more than 1. `None`
    /// where the density does not fall.
    fn mass_above(&self, threshold: &Self::Threshold) -> Option<f64>;

    /// Given an event of probability [`mass_above`](Self::mass_above): a draw if it is above the threshold, `None` if it is
    /// not.
    fn draw_above(&self, threshold: &Self::Threshold, generator: &mut Generator) -> Option<f64>;
}

/// The distributions that are drawn from.
#[derive(Debug, Clone)]
pub(crate) struct Largest<P: LogConcave> {
    normals: Normals,
    all: Vec<P>,
    /// `None` while everything is above it: then all contend.
    threshold: Option<P::Threshold>,
    contenders: Vec<u32>,
    /// Of each, -ln(1 - q); 0 of contenders.
    lengths: Vec<f64>,
    blocks: Vec<f64>,
    total: f64,
    /// How often one was changed, and when the next threshold is due.
    changes: u64,
    due: u64,
}

state!(bounded P: LogConcave => Largest<P> { all, threshold, contenders, lengths, blocks, total, changes, due } but { normals });

impl<P: LogConcave> Largest<P> {
    /// `count` of the same distribution, at least 1.
    pub(crate) fn new(count: usize, one: P) -> Self {
        Self {
            normals: Normals::new(),
            all: vec![one; count],
            threshold: None,
            contenders: (0..count).map(|index| index as u32).collect(),
            lengths: vec![0.0; count],
            blocks: vec![0.0; count.div_ceil(BLOCK_SIZE)],
            total: 0.0,
            changes: 0,
            due: count as u64,
        }
    }

    /// The distributions.
    pub(crate) fn distributions(&self) -> &[P] {
        &self.all
    }

    /// Replaces one.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, one: P) {
        self.all[index] = one;
        self.changes += 1;
        if self.changes >= self.due {
            self.renew();
        } else if let Some(threshold) = self.threshold {
            let length = chance_length(&one, &threshold);
            // Most that change contend and go on contending.
            if length.is_some() || self.lengths[index] > 0.0 {
                self.reclassify(index, length);
            }
        }
    }

    fn reclassify(&mut self, index: usize, length: Option<f64>) {
        let contended = self.lengths[index] == 0.0;
        match length {
            Some(_) if contended => self.contenders.retain(|&contender| contender as usize != index),
            None if !contended => self.contenders.push(index as u32),
            _ => {}
        }
        self.lengths[index] = length.unwrap_or(0.0);
        let block = index / BLOCK_SIZE;
        self.blocks[block] = self.lengths[block * BLOCK_SIZE..].iter().take(BLOCK_SIZE).sum();
        self.total = self.blocks.iter().sum();
    }

    /// Another threshold, and the classes by it.
    fn renew(&mut self) {
        self.due = self.changes + (self.changes / REFRESH_FRACTION).max(self.all.len() as u64);
        self.set_threshold(P::threshold(self.quantile_of_largest()));
    }

    fn set_threshold(&mut self, threshold: Option<P::Threshold>) {
        self.threshold = threshold;
        self.contenders.clear();
        for (index, one) in self.all.iter().enumerate() {
            let length = threshold.as_ref().and_then(|threshold| chance_length(one, threshold));
            self.lengths[index] = length.unwrap_or(0.0);
            if length.is_none() {
                self.contenders.push(index as u32);
            }
        }
        for (block, lengths) in self.blocks.iter_mut().zip(self.lengths.chunks(BLOCK_SIZE)) {
            *block = lengths.iter().sum();
        }
        self.total = self.blocks.iter().sum();
    }

    /// The value that the largest draw exceeds in all but about [`MISS_PROBABILITY`] of draws: all are taken as normal, which costs speed where
    /// they are not, but changes no probability.
    fn quantile_of_largest(&self) -> f64 {
        let moments: Vec<[f64; 2]> = self.all.iter().map(P::moments).collect();
        let bound = |deviations: f64| {
            moments.iter().map(|[mean, deviation]| mean + deviations * deviation).fold(f64::NEG_INFINITY, f64::max)
        };
        // The best alone exceeds the first in 199 of 200 draws.
        let (mut low, mut high) = (bound(-2.6), bound(3.0));
        let near: Vec<[f64; 2]> =
            moments.iter().copied().filter(|[mean, deviation]| mean + 4.0 * deviation > low).collect();
        for _ in 0..10 {
            let middle = f64::midpoint(low, high);
            let none_above: f64 = near
                .iter()
                .map(|[mean, deviation]| 0.5 * libm::erfc((mean - middle) / (deviation * std::f64::consts::SQRT_2)))
                .product();
            if none_above <= MISS_PROBABILITY { low = middle } else { high = middle }
        }
        low
    }

    /// The index of the largest of one draw of each.
    #[inline]
    pub(crate) fn draw(&mut self, generator: &mut Generator) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for &index in &self.contenders {
            let drawn = self.all[index as usize].draw(self.normals, generator);
            if drawn > best.0 {
                best = (drawn, index as usize);
            }
        }
        let Some(threshold) = self.threshold.filter(|_| self.total > 0.0) else {
            return best.1;
        };
        let mut other = self.largest_above(&threshold, generator);
        if other.is_none() && best.0 <= P::value(&threshold) {
            other = self.largest_below(&threshold, generator);
            // Each brings the next threshold nearer, as it costs about as much.
            self.due = self.due.saturating_sub(self.all.len() as u64);
        }
        other.filter(|&(drawn, _)| drawn > best.0).unwrap_or(best).1
    }

    /// The largest of those that do not contend, if any is above the threshold.
    #[inline]
    fn largest_above(&self, threshold: &P::Threshold, generator: &mut Generator) -> Option<(f64, usize)> {
        let unit = positive_unit(generator);
        // 1 - total <= exp(-total): no point falls on the line.
        if unit <= 1.0 - self.total { None } else { self.points(-libm::log(unit), threshold, generator) }
    }

    /// As [`largest_above`](Self::largest_above), for the first point at `place`.
    fn points(&self, mut place: f64, threshold: &P::Threshold, generator: &mut Generator) -> Option<(f64, usize)> {
        let mut best: Option<(f64, usize)> = None;
        let mut start = 0.0;
        for (block, &sum) in self.blocks.iter().enumerate() {
            if place >= start + sum {
                start += sum;
                continue;
            }
            for index in block * BLOCK_SIZE..self.all.len().min((block + 1) * BLOCK_SIZE) {
                start += self.lengths[index];
                if place >= start {
                    continue;
                }
                if let Some(drawn) = self.all[index].draw_above(threshold, generator)
                    && best.is_none_or(|(most, _)| drawn > most)
                {
                    best = Some((drawn, index));
                }
                // An interval is hit or not, however often; what follows does not remember.
                place = start - libm::log(positive_unit(generator));
            }
        }
        best
    }

    /// The largest of those that do not contend, given that none is above the threshold.
    #[cold]
    fn largest_below(&self, threshold: &P::Threshold, generator: &mut Generator) -> Option<(f64, usize)> {
        let mut best: Option<(f64, usize)> = None;
        for (index, one) in self.all.iter().enumerate().filter(|&(index, _)| self.lengths[index] > 0.0) {
            let drawn = loop {
                let drawn = one.draw(self.normals, generator);
                if drawn <= P::value(threshold) {
                    break drawn;
                }
            };
            if best.is_none_or(|(most, _)| drawn > most) {
                best = Some((drawn, index));
            }
        }
        best
    }
}

/// -ln(1 - q) of a distribution that does not contend.
#[inline]
fn chance_length<P: LogConcave>(one: &P, threshold: &P::Threshold) -> Option<f64> {
    let mass = one.mass_above(threshold)?;
    // Not 0, which marks contenders; a hit so improbable never happens.
    (mass < MIN_CONTENDING_PROBABILITY).then(|| -libm::log1p(-mass.max(f64::MIN_POSITIVE)))
}

#[cfg(test)]
mod tests;
