//! Upper confidence bounds for single arms: the arm that may yet be the best is played.

use super::Singleton;
use crate::draw::below;
use crate::{Generator, algorithm::countable};

/// Picks the arm with the highest index: mean + sqrt(scale ln t / n), where t counts picks so far
/// and n those of the arm. Arms never picked come first, ties are broken at random.
///
/// P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem",
/// Machine Learning 47, 2002, <https://doi.org/10.1023/A:1013689704352>.
///
/// A pick does not compute every index. Indices grow with t, and slowly: each arm has a *ceiling*,
/// its index K picks from now, and only blocks of arms of which one has a ceiling above the best
/// index found so far are looked at. Ceilings are raised every K picks.
#[derive(Debug, Clone)]
pub struct Ucb {
    scale: f64,
    /// What is added to n, and to t.
    prior: f64,
    total: u64,
    won: Vec<u32>,
    picked: Vec<u32>,
    arms: Vec<Bound>,
    /// The highest ceiling of each block.
    blocks: Vec<f64>,
    /// Ceilings hold for so many picks.
    ceilings_hold: u64,
    ceiling_scale: f64,
}

/// What an arm's index is made of: mean + width sqrt(scale ln t).
#[derive(Debug, Clone, Copy)]
struct Bound {
    mean: f64,
    width: f64,
    ceiling: f64,
}

const BLOCK: usize = 16;

impl Ucb {
    /// For so many arms. With a `prior` of 1 every arm counts as picked once and beaten, and t as
    /// one more; the rule itself has 0.
    ///
    /// # Panics
    /// Without arms.
    #[must_use]
    pub fn new(arms: usize, scale: f64, prior: u32) -> Self {
        assert!(countable(arms).is_ok(), "1 to 2^32 - 1 arms");
        let prior = f64::from(prior);
        let mut ucb = Self {
            scale,
            prior,
            total: 0,
            won: vec![0; arms],
            picked: vec![0; arms],
            arms: vec![bound(0.0, prior); arms],
            blocks: vec![0.0; arms.div_ceil(BLOCK)],
            ceilings_hold: 0,
            ceiling_scale: 0.0,
        };
        ucb.raise_ceilings();
        ucb
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.total = 0;
        self.won.fill(0);
        self.picked.fill(0);
        self.arms.fill(bound(0.0, self.prior));
        self.raise_ceilings();
    }

    /// sqrt(scale ln t) after `total` picks.
    #[inline]
    fn spread(&self, total: u64) -> f64 {
        let time = total as f64 + self.prior;
        // Before the first pick there is no arm with a width.
        if time > 1.0 {
            (self.scale * libm::log(time)).sqrt()
        } else {
            0.0
        }
    }

    fn raise_ceilings(&mut self) {
        self.ceilings_hold = self.total + self.arms.len() as u64;
        self.ceiling_scale = self.spread(self.ceilings_hold);
        for arm in &mut self.arms {
            arm.ceiling = arm.mean + self.ceiling_scale * arm.width;
        }
        for (block, arms) in self.blocks.iter_mut().zip(self.arms.chunks(BLOCK)) {
            *block = highest_ceiling(arms);
        }
    }

    /// The highest index among those of a block, with how many have it.
    #[inline]
    fn look_at(arms: &[Bound], spread: f64, found: &mut Found) {
        for arm in arms {
            let index = arm.mean + spread * arm.width;
            if index > found.index {
                *found = Found { index, ties: 1 };
            } else if index == found.index {
                found.ties += 1;
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Found {
    index: f64,
    ties: usize,
}

/// The bound of an arm: `picked` includes the prior.
#[inline]
fn bound(won: f64, picked: f64) -> Bound {
    if picked == 0.0 {
        return Bound {
            mean: f64::INFINITY,
            width: 0.0,
            ceiling: f64::INFINITY,
        };
    }
    Bound {
        mean: won / picked,
        width: 1.0 / picked.sqrt(),
        ceiling: 0.0,
    }
}

#[inline]
fn highest_ceiling(arms: &[Bound]) -> f64 {
    arms.iter().fold(f64::NEG_INFINITY, |top, arm| {
        if arm.ceiling > top { arm.ceiling } else { top }
    })
}

impl Singleton for Ucb {
    fn arms(&self) -> usize {
        self.arms.len()
    }

    fn pick(&mut self, generator: &mut Generator) -> usize {
        if self.total > self.ceilings_hold {
            self.raise_ceilings();
        }
        let spread = self.spread(self.total);
        // The most promising block first, so that few of the others can compete.
        let mut top = (f64::NEG_INFINITY, 0);
        for (block, &ceiling) in self.blocks.iter().enumerate() {
            if ceiling > top.0 {
                top = (ceiling, block);
            }
        }
        let block = |block: usize| {
            let start = block * BLOCK;
            &self.arms[start..self.arms.len().min(start + BLOCK)]
        };
        let mut found = Found {
            index: f64::NEG_INFINITY,
            ties: 0,
        };
        Self::look_at(block(top.1), spread, &mut found);
        for (other, &ceiling) in self.blocks.iter().enumerate() {
            if ceiling >= found.index && other != top.1 {
                Self::look_at(block(other), spread, &mut found);
            }
        }
        let mut skip = below(generator, found.ties.max(1));
        for (number, &ceiling) in self.blocks.iter().enumerate() {
            if ceiling < found.index {
                continue;
            }
            for (place, arm) in block(number).iter().enumerate() {
                if arm.mean + spread * arm.width == found.index {
                    if skip == 0 {
                        return number * BLOCK + place;
                    }
                    skip -= 1;
                }
            }
        }
        0
    }

    fn learn(&mut self, arm: usize, won: bool) {
        self.total += 1;
        self.picked[arm] += 1;
        self.won[arm] += u32::from(won);
        let picked = f64::from(self.picked[arm]) + self.prior;
        let mut new = bound(f64::from(self.won[arm]), picked);
        new.ceiling = new.mean + self.ceiling_scale * new.width;
        self.arms[arm] = new;
        let start = arm / BLOCK * BLOCK;
        let end = self.arms.len().min(start + BLOCK);
        self.blocks[arm / BLOCK] = highest_ceiling(&self.arms[start..end]);
    }

    /// How often it was picked.
    fn favour(&self, arm: usize) -> f64 {
        f64::from(self.picked[arm])
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::draw::argmax;

    #[test]
    fn picks_are_those_of_the_plain_rule() {
        for (arms, scale, prior) in [(1, 2.5, 0), (7, 2.5, 0), (16, 0.51, 1), (150, 2.0, 0)] {
            let mut ucb = Ucb::new(arms, scale, prior);
            let mut won = vec![0_u32; arms];
            let mut picked = vec![0_u32; arms];
            let mut one = Generator::seed_from_u64(1);
            let mut two = one.clone();
            let mut coins = Generator::seed_from_u64(2);
            for total in 0..6_000_u32 {
                let time = f64::from(total + prior);
                let spread = if time > 1.0 {
                    (scale * libm::log(time)).sqrt()
                } else {
                    0.0
                };
                let index = |arm: usize| {
                    let n = f64::from(picked[arm] + prior);
                    if n == 0.0 {
                        f64::INFINITY
                    } else {
                        f64::from(won[arm]) / n + spread * (1.0 / n.sqrt())
                    }
                };
                let plain = argmax(&mut one, (0..arms).map(index)).expect("an arm");
                assert_eq!(ucb.pick(&mut two), plain, "pick {total} of {arms} arms");
                // Lower arms win more often; halfway everything is forgotten once.
                let wins = below(&mut coins, 2 * arms) >= plain;
                ucb.learn(plain, wins);
                picked[plain] += 1;
                won[plain] += u32::from(wins);
                assert_eq!(ucb.favour(plain), f64::from(picked[plain]));
            }
            ucb.reset();
            let fresh = Ucb::new(arms, scale, prior);
            assert_eq!(format!("{ucb:?}"), format!("{fresh:?}"));
        }
    }
}
