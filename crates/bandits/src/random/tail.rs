//! The part of a Beta distribution above a threshold, drawn without drawing the rest.
//!
//! The density of Beta(a, b) with a, b >= 1 is log-concave: above a threshold t at which it falls, it lies below the
//! exponential that touches it at t, f(t) exp(-rate (x - t)). That exponential has the mass f(t) / rate. An event of
//! that probability, a draw of the exponential above t and von Neumann's rejection together give a draw above t with
//! exactly the probability and the law that a draw of the Beta has there (L. Devroye, "Non-Uniform Random Variate
//! Generation", Springer, 1986, section VII.2, <https://doi.org/10.1007/978-1-4613-8643-8>).

use super::positive_unit;
use crate::Generator;
use crate::state::plain;

/// A threshold in (0, 1), with the logarithms of it and of what is left to 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threshold {
    at: f64,
    log: f64,
    log_rest: f64,
}

plain!(Threshold { at, log, log_rest });

impl Threshold {
    /// `None` outside (0, 1).
    pub(crate) fn new(at: f64) -> Option<Self> {
        (at > 0.0 && at < 1.0).then(|| Self { at, log: libm::log(at), log_rest: libm::log1p(-at) })
    }

    pub(crate) fn at(&self) -> f64 {
        self.at
    }

    /// How fast the logarithm of the density of Beta(a, b) falls here.
    #[inline]
    fn rate(&self, a: f64, b: f64) -> f64 {
        (b - 1.0) / (1.0 - self.at) - (a - 1.0) / self.at
    }

    /// The mass of the exponential: at least the probability that Beta(a, b) is above the threshold, and perhaps more
    /// than 1. `None` where the density does not fall.
    #[inline]
    pub(crate) fn mass_above(&self, a: f64, b: f64) -> Option<f64> {
        let rate = self.rate(a, b);
        if rate <= 0.0 {
            return None;
        }
        let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
        let log_density = (a - 1.0) * self.log + (b - 1.0) * self.log_rest - log_beta;
        Some(libm::exp(log_density) / rate)
    }

    /// Given an event of probability [`mass_above`](Self::mass_above): a draw of Beta(a, b) if it is above the
    /// threshold, `None` if it is not.
    pub(crate) fn draw_above(&self, a: f64, b: f64, generator: &mut Generator) -> Option<f64> {
        let excess = -libm::log(positive_unit(generator));
        let past = excess / self.rate(a, b);
        if past >= 1.0 - self.at {
            return None;
        }
        let log_ratio =
            (a - 1.0) * libm::log1p(past / self.at) + (b - 1.0) * libm::log1p(-past / (1.0 - self.at)) + excess;
        (libm::log(positive_unit(generator)) <= log_ratio).then_some(self.at + past)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::random::{Beta, Normals, unit};

    #[test]
    fn draws_above_a_threshold_follow_the_beta_distribution() {
        let mut generator = Generator::seed_from_u64(5);
        let normals = Normals::new();
        let draws = 400_000_u32;
        for (a, b, at, edge) in [
            (1.0, 3.0, 0.4, 0.5),
            (2.5, 9.0, 0.3, 0.4),
            (40.0, 60.0, 0.45, 0.48),
            (500.0, 700.0, 0.44, 0.45),
            (3.0, 1.5, 0.9, 0.95),
        ] {
            let threshold = Threshold::new(at).expect("in (0, 1)");
            let mass = threshold.mass_above(a, b).expect("it falls there");
            assert!(mass <= 1.0, "Beta({a}, {b}) above {at}: {mass}");
            let mut counts = [[0_u32; 2]; 2];
            for _ in 0..draws {
                let event = unit(&mut generator) < mass;
                let fast = event.then(|| threshold.draw_above(a, b, &mut generator)).flatten();
                let plain = Some(Beta::new(a, b).draw(normals, &mut generator)).filter(|&x| x > at);
                for (count, drawn) in counts.iter_mut().zip([fast, plain]) {
                    if let Some(x) = drawn {
                        assert!(x >= at && x < 1.0);
                        count[usize::from(x > edge)] += 1;
                    }
                }
            }
            for part in 0..2 {
                let (fast, plain) = (f64::from(counts[0][part]), f64::from(counts[1][part]));
                assert!(plain > 1000.0, "the case is of no use");
                // Five standard deviations of the difference of two counts.
                let off = (fast - plain).abs();
                assert!(off < 5.0 * (fast + plain).sqrt(), "Beta({a}, {b}) above {at}: {fast}, plain {plain}");
            }
        }
    }

    #[test]
    fn nothing_is_said_of_thresholds_below_the_mode() {
        let threshold = Threshold::new(0.5).expect("in (0, 1)");
        assert_eq!(threshold.mass_above(1.0, 1.0), None);
        assert_eq!(threshold.mass_above(6.0, 4.0), None);
        assert!(threshold.mass_above(4.0, 6.0).is_some());
        assert!(Threshold::new(0.0).is_none() && Threshold::new(1.0).is_none() && Threshold::new(-0.3).is_none());
    }
}
