//! Evidence against "the expectation is at most 0", from values that have a lower bound each.
//!
//! A bettor with a capital of 1 who bets its share s on each value has 1 + s x / b after a value x that cannot fall below -b. If the
//! expectation of each value, given everything before, is at most 0, the capital is a nonnegative supermartingale, and reaches 1 / alpha
//! with probability at most alpha, at all times together. So does the mean over bettors with different shares. Bounds may differ from
//! value to value, as long as each is known before its value.
//!
//! ## References
//!
//! I. Waudby-Smith, A. Ramdas, "Estimating Means of Bounded Random Variables by Betting", Journal of the Royal Statistical Society, Series B
//! 86(1), 2024, <https://doi.org/10.1093/jrsssb/qkad009>.

/// How many bettors there are; their shares lie evenly between 0 and 1.
const BETTORS: u8 = 16;

/// ln of the mean capital after these values, each with its lower bound -b, given as b > 0. A value below its bound counts as the bound.
///
/// ```
/// use statistics::anytime::ln_capital;
///
/// // Nine values of .5 and one of -9.5, with expectation -.5, say nothing; without the loss they do.
/// let gains = [(0.5, 9.5); 9];
/// assert!(ln_capital(gains.into_iter().chain([(-9.5, 9.5)])) < 0.0);
/// assert!(ln_capital([(0.5, 0.5); 9]) > 4.0);
/// ```
#[must_use]
pub fn ln_capital(values: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let bets: [f64; BETTORS as usize] = std::array::from_fn(|bettor| (bettor as f64 + 0.5) / f64::from(BETTORS));
    let mut capitals = [0.0; BETTORS as usize];
    for (value, bound) in values {
        let won = (value / bound).max(-1.0);
        for (capital, share) in capitals.iter_mut().zip(bets) {
            *capital += libm::log1p(share * won);
        }
    }
    let largest = capitals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = capitals.iter().map(|capital| libm::exp(capital - largest)).sum();
    largest + libm::log(sum / f64::from(BETTORS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Normals;

    /// Where the expectation is 0, evidence of 20 at any time is in at most 5% of sequences.
    #[test]
    fn capital_seldom_grows_by_luck() {
        let (sequences, values) = (600, 400);
        let mut lucky = 0;
        for seed in 0..sequences {
            let mut draws = Normals::from_seed(seed);
            let mut seen = Vec::new();
            // Values of .5 with 95%, otherwise -9.5.
            for at in 1..=values {
                seen.push((if draws.uniform() < 0.95 { 0.5 } else { -9.5 }, 9.5));
                if at % 10 == 0 && ln_capital(seen.iter().copied()) >= libm::log(20.0) {
                    lucky += 1;
                    break;
                }
            }
        }
        let n = sequences as f64;
        assert!(f64::from(lucky) < 0.05 * n + 3.0 * (n * 0.05 * 0.95).sqrt(), "{lucky} of {sequences}");
    }

    #[test]
    fn capital_grows_if_the_expectation_is_positive() {
        assert!(ln_capital(std::iter::repeat_n((0.5, 9.5), 200)) > 5.0);
        assert!(ln_capital([(0.0, 1.0); 5]).abs() < 1e-12);
        assert!(ln_capital([(-20.0, 1.0)]).is_finite(), "nothing is lost wholly");
    }
}
