//! How late answers come in simulation.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::Generator;
use crate::random::{below, geometric, uniform};

/// How many impressions lie between an impression and the moment when its outcome is known: 0 if it is known before
/// the next impression.
#[derive(Debug, Clone, PartialEq)]
pub enum Delay {
    /// Always this many impressions.
    Fixed(u64),
    /// A random number of this mean, positive: geometrically distributed, from 0.
    Geometric(f64),
    /// One of these, drawn with replacement: at least one.
    Listed(Arc<[u64]>),
}

/// A delay that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a delay in impressions (1000, geometric:1000), found `{found}`")]
#[non_exhaustive]
pub struct DelayError {
    /// The text.
    pub found: String,
}

impl FromStr for Delay {
    type Err = DelayError;

    fn from_str(text: &str) -> Result<Self, DelayError> {
        let error = || DelayError { found: text.to_owned() };
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| (0.0..=9e15).contains(number));
        match text.split_once(':') {
            Some((kind, mean)) if kind.trim() == "geometric" => {
                let mean = number(mean).ok_or_else(error)?;
                Ok(if mean > 0.0 { Self::Geometric(mean) } else { Self::Fixed(0) })
            }
            Some(_) => Err(error()),
            None => {
                let delay = number(text).filter(|delay| delay.fract() == 0.0).ok_or_else(error)?;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "an integer in range, as was just checked"
                )]
                {
                    Ok(Self::Fixed(delay as u64))
                }
            }
        }
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(delay) => write!(formatter, "{delay}"),
            Self::Geometric(mean) => write!(formatter, "geometric:{mean}"),
            Self::Listed(delays) => write!(formatter, "one of {} delays", delays.len()),
        }
    }
}

/// When answers come, if at all. The default is the usual loop: immediately, one by one, all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerTiming {
    /// From the impression until its outcome is known.
    pub delay: Delay,
    /// Outcomes are handed over together, each time this many more impressions were shown: at least 1.
    pub batch: u64,
    /// The probability that no outcome ever comes, from 0 to 1.
    pub lost: f64,
    /// After how many impressions a ticket without an outcome is forgotten; a later outcome does not count. `None`: only
    /// tickets with a lost outcome are forgotten, at the time when it would have arrived.
    pub expires: Option<u64>,
}

impl Default for AnswerTiming {
    fn default() -> Self {
        Self { delay: Delay::Fixed(0), batch: 1, lost: 0.0, expires: None }
    }
}

impl AnswerTiming {
    /// The impression after which the outcome of impression `step` is handed over, and whether it is; otherwise the ticket
    /// is forgotten then. Draws only what is random.
    #[must_use]
    pub fn draw_arrival(&self, step: u64, generator: &mut Generator) -> (u64, bool) {
        let lost = self.lost > 0.0 && uniform(generator) < self.lost;
        let delay = match &self.delay {
            Delay::Fixed(delay) => *delay,
            Delay::Geometric(mean) => geometric(-libm::log1p(1.0 / mean), generator) - 1,
            Delay::Listed(delays) => delays[below(generator, delays.len())],
        };
        let (delay, lost) = match self.expires {
            Some(expires) if lost || delay > expires => (expires, true),
            _ => (delay, lost),
        };
        let batch = self.batch.max(1);
        let due = step.saturating_add(delay);
        (due.div_ceil(batch).saturating_mul(batch), !lost)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn delays_are_read_and_written() {
        for (text, delay, written) in [
            ("0", Delay::Fixed(0), "0"),
            ("1e5", Delay::Fixed(100_000), "100000"),
            ("geometric:1000", Delay::Geometric(1000.0), "geometric:1000"),
            (" geometric : 0.5 ", Delay::Geometric(0.5), "geometric:0.5"),
            ("geometric:0", Delay::Fixed(0), "0"),
        ] {
            let read: Delay = text.parse().expect(text);
            assert_eq!((&read, read.to_string().as_str()), (&delay, written));
        }
        for text in ["", "-1", "1.5", "nan", "inf", "1e30", "geometric", "geometric:", "geometric:-1", "uniform:3"] {
            assert_eq!(text.parse::<Delay>(), Err(DelayError { found: text.to_owned() }));
        }
    }

    #[test]
    fn geometric_delays_have_their_mean() {
        let mut generator = Generator::seed_from_u64(1);
        for mean in [0.3, 5.0, 800.0] {
            let timing = AnswerTiming { delay: Delay::Geometric(mean), ..AnswerTiming::default() };
            let draws = 100_000;
            let delays: Vec<f64> = (0..draws).map(|_| (timing.draw_arrival(7, &mut generator).0 - 7) as f64).collect();
            let found = delays.iter().sum::<f64>() / f64::from(draws);
            // The standard deviation is sqrt(m (m + 1)).
            let bound = 5.0 * (mean * (mean + 1.0) / f64::from(draws)).sqrt();
            assert!((found - mean).abs() < bound, "{found} instead of {mean}");
            let none = delays.iter().filter(|&&delay| delay == 0.0).count() as f64 / f64::from(draws);
            let p = 1.0 / (1.0 + mean);
            assert!((none - p).abs() < 5.0 * (p * (1.0 - p) / f64::from(draws)).sqrt() + 1e-12);
        }
    }

    #[test]
    fn batches_losses_and_expiry() {
        let mut generator = Generator::seed_from_u64(2);
        let before = generator.clone();
        let mut due = |timing: &AnswerTiming, step| timing.draw_arrival(step, &mut generator);
        assert_eq!(due(&AnswerTiming::default(), 9), (9, true));
        let batch = AnswerTiming { batch: 100, delay: Delay::Fixed(30), ..AnswerTiming::default() };
        assert_eq!([1, 70, 71, 170].map(|step| due(&batch, step).0), [100, 100, 200, 200]);
        let expiring = AnswerTiming { delay: Delay::Fixed(30), expires: Some(20), ..AnswerTiming::default() };
        assert_eq!(due(&expiring, 5), (25, false));
        assert_eq!(generator, before, "nothing was left to chance");
        let lossy = AnswerTiming { lost: 0.3, delay: Delay::Listed([4, 8].into()), ..AnswerTiming::default() };
        let found: Vec<(u64, bool)> = (0..20_000).map(|_| lossy.draw_arrival(0, &mut generator)).collect();
        let lost = found.iter().filter(|(_, comes)| !comes).count() as f64;
        assert!((lost - 6_000.0).abs() < 5.0 * (20_000.0_f64 * 0.21).sqrt());
        let four = found.iter().filter(|&&(due, _)| due == 4).count() as f64;
        assert!((four - 10_000.0).abs() < 5.0 * (20_000.0_f64 * 0.25).sqrt());
        assert!(found.iter().all(|&(due, _)| due == 4 || due == 8));
    }
}
