//! The posterior of a probability after wins and losses: Beta(wins + 1, losses + 1).

use super::super::{Beta, Normals, positive_unit};
use super::LogConcave;
use crate::Generator;
use crate::plain;

/// Wins and losses, which need not be whole, and the distribution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BetaPosterior {
    pub(crate) won: f64,
    pub(crate) lost: f64,
    beta: Beta,
}

plain!(BetaPosterior { won, lost, beta });

impl BetaPosterior {
    #[inline]
    pub(crate) fn new(won: f64, lost: f64) -> Self {
        Self { won, lost, beta: Beta::new(won + 1.0, lost + 1.0) }
    }

    /// How fast the logarithm of the density falls at a value.
    #[inline]
    fn rate(&self, at: f64) -> f64 {
        self.lost / (1.0 - at) - self.won / at
    }
}

/// A value x in (0, 1), with ln x and ln (1 - x).
#[derive(Debug, Clone, Copy)]
pub(crate) struct BetaThreshold {
    at: f64,
    log: f64,
    log_rest: f64,
}

plain!(BetaThreshold { at, log, log_rest });

impl LogConcave for BetaPosterior {
    type Threshold = BetaThreshold;

    fn threshold(at: f64) -> Option<BetaThreshold> {
        (at > 0.0 && at < 1.0).then(|| BetaThreshold { at, log: libm::log(at), log_rest: libm::log1p(-at) })
    }

    fn value(threshold: &BetaThreshold) -> f64 {
        threshold.at
    }

    fn moments(&self) -> [f64; 2] {
        let (a, b) = (self.won + 1.0, self.lost + 1.0);
        let n = a + b;
        [a / n, (a * b / (n + 1.0)).sqrt() / n]
    }

    #[inline]
    fn draw(&self, normals: Normals, generator: &mut Generator) -> f64 {
        self.beta.draw(normals, generator)
    }

    #[inline]
    fn mass_above(&self, threshold: &BetaThreshold) -> Option<f64> {
        let rate = self.rate(threshold.at);
        if rate <= 0.0 {
            return None;
        }
        let (a, b) = (self.won + 1.0, self.lost + 1.0);
        let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
        let log_density = self.won * threshold.log + self.lost * threshold.log_rest - log_beta;
        Some(libm::exp(log_density) / rate)
    }

    fn draw_above(&self, threshold: &BetaThreshold, generator: &mut Generator) -> Option<f64> {
        let at = threshold.at;
        let excess = -libm::log(positive_unit(generator));
        let past = excess / self.rate(at);
        if past >= 1.0 - at {
            return None;
        }
        let log_ratio = self.won * libm::log1p(past / at) + self.lost * libm::log1p(-past / (1.0 - at)) + excess;
        (libm::log(positive_unit(generator)) <= log_ratio).then_some(at + past)
    }
}
