//! The beta integral by quadrature, for many counts: the continued fraction needs ever more terms there, and the
//! integrand is a narrow, smooth peak.

use std::sync::OnceLock;

/// Points of the Gauss-Legendre rule.
const POINTS: usize = 32;

/// Points and weights for the interval from -1 to 1.
fn rule() -> &'static [(f64, f64); POINTS] {
    static RULE: OnceLock<[(f64, f64); POINTS]> = OnceLock::new();
    RULE.get_or_init(|| {
        std::array::from_fn(|index| {
            // Newton's method on the Legendre polynomial, from an approximation that is close enough for every root.
            let mut x = libm::cos(std::f64::consts::PI * (index as f64 + 0.75) / (POINTS as f64 + 0.5));
            let mut slope = 1.0;
            for _ in 0..100 {
                let (mut value, mut previous) = (x, 1.0);
                for degree in 2..=POINTS {
                    let n = degree as f64;
                    (value, previous) = (((2.0 * n - 1.0) * x * value - (n - 1.0) * previous) / n, value);
                }
                slope = POINTS as f64 * (x * value - previous) / (x * x - 1.0);
                let step = value / slope;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
    })
}

/// ln of the integral of q^(a - 1) (1 - q)^(b - 1) over q from `x` to 1, for `a + b` in the hundreds or more, with
/// neither far below 20.
pub(super) fn ln_beta_integral_above(x: f64, a: f64, b: f64) -> f64 {
    let ln = |q: f64| (a - 1.0) * libm::log(q) + (b - 1.0) * libm::log1p(-q);
    let mode = (a - 1.0) / (a + b - 2.0);
    let peak = mode.max(x);
    let deviation = libm::sqrt(peak * (1.0 - peak) / (a + b - 2.0));
    // From the peak on, the integrand falls at least as fast as a line from its slope there, and about as fast as a
    // normal density. What is 36 below the peak changes no digit.
    let slope = ((b - 1.0) / (1.0 - peak) - (a - 1.0) / peak).max(0.0) * deviation;
    let reach = (libm::sqrt(slope * slope + 72.0) - slope) * deviation;
    let low = x.max(peak - 1.1 * reach);
    let high = (peak + 1.1 * reach).min(1.0);
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    let top = ln(peak);
    let sum: f64 = rule().iter().map(|&(place, weight)| weight * libm::exp(ln(middle + half * place) - top)).sum();
    top + libm::log(half * sum)
}
