//! Student's t distribution, with degrees of freedom that need not be whole.

use super::{ln_beta_above, normal_quantile};

/// ln of the freedom / t^2 from which on tails are powers, to 16 digits.
const FAR: f64 = -19.0;

/// P(|T| > |t|) for T of Student's distribution with `freedom` above 0.
#[must_use]
pub fn student_outside(t: f64, freedom: f64) -> f64 {
    let square = t * t;
    if square == 0.0 {
        return 1.0;
    }
    let half = freedom / 2.0;
    let ln_rest = libm::log(freedom) - 2.0 * libm::log(t.abs());
    if ln_rest < FAR {
        // There the tail is a power of freedom / t^2; two terms of its series are enough, and 1 - 1e-17 would be 1.
        let ln_beta = libm::lgamma(0.5) + libm::lgamma(half) - libm::lgamma(half + 0.5);
        let second = 1.0 + 0.5 * half / (half + 1.0) * libm::exp(ln_rest);
        return (libm::exp(half * ln_rest - libm::log(half) - ln_beta) * second).min(1.0);
    }
    // T^2 / (T^2 + freedom) is Beta(1/2, freedom / 2).
    libm::exp(ln_beta_above(square / (square + freedom), 0.5, half)).min(1.0)
}

/// The t with P(|T| > t) = `alpha`, in (0, 1), for T of Student's distribution with `freedom` above 0; infinite if it is larger than a double.
#[must_use]
pub fn student_quantile(alpha: f64, freedom: f64) -> f64 {
    // Tails are heavier than those of the normal distribution, so that the quantile is no smaller.
    let mut low = (-normal_quantile(alpha / 2.0)).max(0.0);
    let mut high = 2.0 * low + 1.0;
    while student_outside(high, freedom) > alpha {
        high *= 2.0;
        if high.is_infinite() {
            return high;
        }
    }
    while high - low > 1e-14 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if student_outside(middle, freedom) > alpha { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freedom_need_not_be_whole() {
        // Cauchy's distribution, and two degrees of freedom, have closed forms; values for degrees in between are in between.
        let cauchy = |t: f64| 1.0 - 2.0 / std::f64::consts::PI * libm::atan(t);
        let two = |t: f64| 1.0 - t / libm::sqrt(2.0 + t * t);
        for t in [0.3, 2.0, 40.0] {
            assert!((student_outside(t, 1.0) - cauchy(t)).abs() < 1e-12);
            assert!((student_outside(t, 2.0) - two(t)).abs() < 1e-12);
            let between = student_outside(t, 1.5);
            assert!(two(t) < between && between < cauchy(t));
        }
        for t in [1e6, 1e12, 1e200] {
            assert!((student_outside(t, 1.0) / (2.0 / std::f64::consts::PI * libm::atan(1.0 / t)) - 1.0).abs() < 1e-12);
        }
        for (alpha, freedom) in [(0.05, 0.4), (1e-9, 3.7), (0.2, 400.5), (1e-9, 0.1)] {
            let t = student_quantile(alpha, freedom);
            assert!((student_outside(t, freedom) / alpha - 1.0).abs() < 1e-9, "{alpha} {freedom}: {t}");
        }
        // With hardly any freedom a quantile may lie beyond all doubles.
        assert!(student_quantile(1e-9, 1e-3).is_infinite());
    }
}
