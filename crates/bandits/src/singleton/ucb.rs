//! Upper confidence bounds for single arms: the arm that may yet be the best is played.

use super::SingletonBandit;
use crate::Generator;
use crate::confidence::{Challengers, LogTime};
use crate::random::below;
use crate::{state, stored};

/// Picks the arm with the highest index: mean + sqrt(scale ln t / n), where t counts picks so far
/// and n those of the arm. Arms never picked come first, ties are broken at random.
///
/// P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem",
/// Machine Learning 47, 2002, <https://doi.org/10.1023/A:1013689704352>.
///
/// A pick does not compute every index: they are lines in sqrt(scale ln t), which only grows, and the highest is kept as
/// the strongest of an arm's challengers is.
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
    /// Index = mean + width sqrt(scale ln t).
    indices: Challengers,
}

state!(Ucb { clock, total, won, picked, never, never_picked, indices } but { scale, prior });

impl Ucb {
    /// For at least one arm. With a `prior` of 1 every arm counts as picked once and
    /// beaten, and t as one more; the rule itself has 0.
    #[must_use]
    pub fn new(arms: usize, scale: f64, prior: u32) -> Self {
        let mut ucb = Self {
            scale,
            prior: f64::from(prior),
            clock: LogTime::new(),
            total: 0,
            won: vec![0; arms],
            picked: vec![0; arms],
            never: vec![0; arms.div_ceil(64)],
            never_picked: 0,
            indices: Challengers::single(0, 0.0, 0.0),
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
        }
        // An arm never picked has no index yet.
        let (mean, width) = if self.prior == 0.0 { (f64::NEG_INFINITY, 0.0) } else { (0.0, 1.0 / self.prior.sqrt()) };
        self.indices = Challengers::single(arms, mean, width);
    }

    /// t after `total` picks; before the first there may be no arm with a width.
    #[inline]
    fn time(&self, total: u64) -> f64 {
        (total as f64 + self.prior).max(1.0)
    }

    /// The `nth` arm that was never picked.
    fn nth_never_picked(&self, mut nth: usize) -> usize {
        for (word, &bits) in self.never.iter().enumerate() {
            let tied_in_word = bits.count_ones() as usize;
            if nth < tied_in_word {
                let mut bits = bits;
                for _ in 0..nth {
                    bits &= bits - 1;
                }
                return 64 * word + bits.trailing_zeros() as usize;
            }
            nth -= tied_in_word;
        }
        0
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
        let spread = (self.scale * self.clock.ln(self.time(self.total))).sqrt();
        self.indices.challenger(0, false, spread, generator)
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
        self.indices.set(0, arm, f64::from(self.won[arm]) / picked, 1.0 / picked.sqrt());
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
