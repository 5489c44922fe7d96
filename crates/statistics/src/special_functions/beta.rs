//! The beta function and its upper tail, in logarithms: evidence spans hundreds of orders of magnitude.

/// ln B(a, b), for positive `a` and `b`.
pub(crate) fn ln_beta(a: f64, b: f64) -> f64 {
    libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)
}

/// ln of the integral of q^(a - 1) (1 - q)^(b - 1) over q from `x` to 1, with `a` and `b` positive and `x` in (0, 1).
pub(crate) fn ln_beta_integral_above(x: f64, a: f64, b: f64) -> f64 {
    if a + b > LARGE_COUNT && a.min(b) > 15.0 {
        return super::quadrature::ln_beta_integral_above(x, a, b);
    }
    ln_beta_integral_above_by_fraction(x, a, b)
}

/// The sum of both parameters from which quadrature costs less than the continued fraction.
const LARGE_COUNT: f64 = 400.0;

fn ln_beta_integral_above_by_fraction(x: f64, a: f64, b: f64) -> f64 {
    // The continued fraction converges fast on one side of the mean; the other side is the complement.
    if 1.0 - x < (b + 1.0) / (a + b + 2.0) {
        ln_integral_below(1.0 - x, b, a)
    } else {
        let total = ln_beta(a, b);
        total + ln_complement(ln_integral_below(x, a, b) - total)
    }
}

/// ln P(X > x) for X of the distribution Beta(a, b).
pub(crate) fn ln_beta_above(x: f64, a: f64, b: f64) -> f64 {
    ln_beta_integral_above(x, a, b) - ln_beta(a, b)
}

/// ln(1 - e^l), for l below 0.
fn ln_complement(l: f64) -> f64 {
    // Either form loses digits on one side of -ln 2.
    if l > -std::f64::consts::LN_2 { libm::log(-libm::expm1(l)) } else { libm::log1p(-libm::exp(l)) }
}

/// ln of the integral of q^(a - 1) (1 - q)^(b - 1) over q from 0 to `x`, by the continued fraction of the incomplete beta
/// function (DLMF 8.17.22), evaluated by Lentz's method. Meant for x below the mean.
fn ln_integral_below(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_0 = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_0(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    // Takes on the order of sqrt(max(a, b)) terms near the mean; the limit is never reached for counts below 10^15.
    for m in 1..100_000_000_u32 {
        let m = f64::from(m);
        let even_term = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_0(1.0 + even_term * d);
        c = away_from_0(1.0 + even_term / c);
        fraction *= d * c;
        let odd_term = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_0(1.0 + odd_term * d);
        c = away_from_0(1.0 + odd_term / c);
        let step = d * c;
        fraction *= step;
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    a * libm::log(x) + b * libm::log1p(-x) - libm::log(a) + libm::log(fraction)
}

/// P(X >= k) for X binomial with `n` trials of probability `p` in (0, 1).
#[must_use]
pub fn binomial_at_least(k: u64, n: u64, p: f64) -> f64 {
    if k == 0 {
        1.0
    } else if k > n {
        0.0
    } else {
        // P(Bin(n, p) >= k) = P(Beta(k, n - k + 1) <= p) = P(Beta(n - k + 1, k) > 1 - p).
        libm::exp(ln_beta_above(1.0 - p, (n - k + 1) as f64, k as f64)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{found} and {expected}");
    }

    #[test]
    fn binomial_tails_equal_their_sums() {
        for (n, p) in [(1, 0.3), (7, 0.5), (40, 0.17), (40, 0.9)] {
            let mut term = f64::powi(1.0 - p, n as i32);
            let mut tail = 1.0;
            for k in 0..=n {
                close(binomial_at_least(k, n, p), tail, 1e-12);
                tail -= term;
                term *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
            }
            assert_eq!(binomial_at_least(n + 1, n, p), 0.0);
        }
    }

    #[test]
    fn quadrature_and_fraction_agree() {
        for (a, b) in
            [(16.0, 500.0), (500.0, 16.0), (210.0, 200.0), (5_000.5, 5_000.5), (40_000.0, 41_000.0), (9_000.0, 700.0)]
        {
            for x in [0.02, 0.3, 0.45, 0.5, 0.52, 0.6, 0.97] {
                let found = super::super::quadrature::ln_beta_integral_above(x, a, b);
                let expected = ln_beta_integral_above_by_fraction(x, a, b);
                assert!((found - expected).abs() < 1e-8, "{x} {a} {b}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn far_tails_keep_their_digits() {
        // P(Beta(1, b) > x) = (1 - x)^b.
        close(ln_beta_above(0.5, 1.0, 5_000.0), 5_000.0 * libm::log(0.5), 1e-12);
        close(ln_beta_above(0.25, 1.0, 3.5), 3.5 * libm::log(0.75), 1e-13);
        // P(Beta(a, 1) > x) = 1 - x^a.
        close(ln_beta_above(0.5, 60.0, 1.0), -0.5_f64.powi(60), 1e-13);
        close(ln_beta_above(0.9, 2.0, 1.0), libm::log(0.19), 1e-13);
        // Symmetry. The logarithm of the gamma function has 16 digits, and the first 9 cancel.
        close(ln_beta_above(0.5, 1e7, 1e7), libm::log(0.5), 1e-6);
    }
}
