//! ln t for a t that mostly rises by small steps.
use crate::state;

/// ln t, by `libm` now and then and by four terms of a series from there: within a unit or two in
/// the last place of `libm`'s own, at a quarter of the time. Plain arithmetic only, so that all
/// platforms agree.
#[derive(Debug, Clone)]
pub(crate) struct LogTime {
    /// Where `libm` was last evaluated, its result, and 1 / anchor.
    anchor: f64,
    ln: f64,
    inverse: f64,
    /// How far past the anchor the series reaches: 2^-12 of it, where the fifth term is below
    /// 2^-62.
    reach: f64,
}

state!(LogTime { anchor, ln, inverse, reach });

impl LogTime {
    pub(crate) fn new() -> Self {
        Self { anchor: f64::INFINITY, ln: 0.0, inverse: 0.0, reach: 0.0 }
    }

    /// ln t, for t >= 1.
    #[inline]
    pub(crate) fn ln(&mut self, t: f64) -> f64 {
        let past = t - self.anchor;
        if past >= 0.0 && past < self.reach {
            let x = past * self.inverse;
            return self.ln + x * (1.0 - x * (0.5 - x * (1.0 / 3.0 - x * 0.25)));
        }
        self.refresh(t)
    }

    #[cold]
    fn refresh(&mut self, t: f64) -> f64 {
        *self = Self { anchor: t, ln: libm::log(t), inverse: 1.0 / t, reach: t / 4096.0 };
        self.ln
    }
}

/// The last step t at which alpha ln t < `evidence`; `u64::MAX` where that lies beyond 2^53, 0
/// where there is none.
pub(crate) fn last_step_below(evidence: f64, alpha: f64) -> u64 {
    let below = |step: u64| alpha * libm::log(step as f64) < evidence;
    let guess = libm::exp(evidence / alpha);
    // NaN-free: evidence and alpha are positive, or evidence is infinite.
    if guess >= 9e15 {
        return u64::MAX;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 9e15")]
    let mut step = guess as u64;
    while below(step + 1) {
        step += 1;
    }
    while step > 0 && !below(step) {
        step -= 1;
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_as_good_as_the_function() {
        for offset in [0.0, 24_352.0, 4_066_123.5, 1e15] {
            let mut clock = LogTime::new();
            let mut step = 1_u64;
            while step < 50_000_000 {
                let t = step as f64 + offset;
                let exact = libm::log(t);
                let off = (clock.ln(t) - exact).abs() / exact.max(1.0);
                assert!(off <= 2.0 * f64::EPSILON, "{t}: {off:e}");
                // Steps of all sizes.
                step += 1 + step / 1000 * (step % 7);
            }
        }
    }

    #[test]
    fn going_back_is_allowed() {
        let mut clock = LogTime::new();
        clock.ln(1e6);
        assert_eq!(clock.ln(10.0), libm::log(10.0));
    }

    #[test]
    fn the_last_step_is_the_last() {
        for (evidence, alpha) in [(0.3, 0.51), (7.9, 0.51), (16.0, 1.01), (0.5, 0.1), (1e-9, 0.5)] {
            let last = last_step_below(evidence, alpha);
            let below = |step: u64| alpha * libm::log(step as f64) < evidence;
            assert!(below(last) && !below(last + 1), "{evidence} {alpha} {last}");
        }
        assert_eq!(last_step_below(0.0, 0.5), 0);
        assert_eq!(last_step_below(1e9, 0.5), u64::MAX);
        assert_eq!(last_step_below(f64::INFINITY, 0.5), u64::MAX);
    }
}
