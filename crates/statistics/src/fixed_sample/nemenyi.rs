//! Nemenyi's test of mean ranks: which methods differ over several problems.
//!
//! ## References
//!
//! P. B. Nemenyi, "Distribution-free Multiple Comparisons", Princeton University, 1963; J. Demšar, "Statistical Comparisons of Classifiers over
//! Multiple Data Sets", JMLR 7, 2006, <https://www.jmlr.org/papers/v7/demsar06a.html>, section 3.2.2.

use crate::special_functions::normal_above;

/// The critical difference of mean ranks at 5%: those of `entries` over `problems` that differ by less could change places on other problems.
/// `None` for fewer than two of either.
///
/// ```
/// // Demšar's example: 4 classifiers on 14 data sets.
/// let difference = statistics::fixed_sample::critical_difference(4, 14).expect("more than one of each");
/// assert!((difference - 1.25).abs() < 5e-3);
/// ```
#[must_use]
pub fn critical_difference(entries: usize, problems: usize) -> Option<f64> {
    let (k, n) = (entries as f64, problems as f64);
    (entries > 1 && problems > 1)
        .then(|| studentized_range(entries, 0.95) / std::f64::consts::SQRT_2 * (k * (k + 1.0) / (6.0 * n)).sqrt())
}

/// The quantile of the range of `count` independent standard normal variables.
fn studentized_range(count: usize, level: f64) -> f64 {
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if range_probability(count, middle) < level { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The probability that a range is at most `width`: by Simpson's rule over the smallest variable.
fn range_probability(count: usize, width: f64) -> f64 {
    const INTERVALS: u32 = 2_000;
    const LOWER_END: f64 = -9.0;
    let step = 18.0 / f64::from(INTERVALS);
    let density_at = |x: f64| {
        let density = libm::exp(-x * x / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        density * libm::pow(normal_above(x) - normal_above(x + width), count as f64 - 1.0)
    };
    let weight = |piece: u32| match piece {
        0 | INTERVALS => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=INTERVALS).map(|piece| weight(piece) * density_at(LOWER_END + step * f64::from(piece))).sum();
    count as f64 * sum * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_differences_are_those_of_tables() {
        // Demšar's table 5(a): q at 5% divided by the square root of 2.
        for (entries, q) in [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)] {
            let found = studentized_range(entries, 0.95) / std::f64::consts::SQRT_2;
            assert!((found - q).abs() < 1e-3, "{entries}: {found}");
        }
        assert_eq!(critical_difference(1, 14), None);
        assert_eq!(critical_difference(4, 1), None);
    }
}
