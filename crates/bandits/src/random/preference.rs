//! Draws of a preference from its posterior: [Beta](crate::random::Beta)(w + 1, l + 1) for w
//! wins and l losses, or the part of it above 1/2; and of geometric lengths.

use rand::Rng as _;

use crate::Generator;
use crate::random::{Beta, Normals};

/// Uniform on (0, 1), never 0 or 1.
#[inline]
pub(crate) fn uniform(generator: &mut Generator) -> f64 {
    ((generator.next_u64() >> 12) as f64 + 0.5) / 2_f64.powi(52)
}

/// A preference, given `won` wins and `lost` losses: whole numbers, or sums of weights.
#[inline]
pub(crate) fn preference(generator: &mut Generator, won: impl Into<f64>, lost: impl Into<f64>) -> f64 {
    Beta::new(won.into() + 1.0, lost.into() + 1.0).draw(Normals::new(), generator)
}

/// A preference, given `won` wins and `lost` losses, whole numbers or sums of weights, and that it is above 1/2.
///
/// If that is likely, it draws until it holds. Otherwise the density falls from 1/2 on, and as its
/// logarithm is concave it stays below the exponential that touches it there, which is the proposal
/// of rejection sampling. The less likely the condition, the more proposals are accepted.
#[inline]
pub(crate) fn preference_above_half(generator: &mut Generator, won: impl Into<f64>, lost: impl Into<f64>) -> f64 {
    let (wins, losses): (f64, f64) = (won.into(), lost.into());
    let rate = 2.0 * (losses - wins);
    if rate < 1.4 * (wins + losses + 2.0).sqrt() {
        loop {
            let preference = preference(generator, wins, losses);
            if preference > 0.5 {
                return preference;
            }
        }
    }
    loop {
        let excess = -libm::log(uniform(generator)) / rate;
        if excess < 0.5 {
            let (up, down) = (libm::log1p(2.0 * excess), libm::log1p(-2.0 * excess));
            if libm::log(uniform(generator)) <= wins * up + losses * down + rate * excess {
                return 0.5 + excess;
            }
        }
    }
}

/// How often in a row something happens that has happened once and has probability e^`log`.
pub(crate) fn geometric(log: f64, generator: &mut Generator) -> u64 {
    if log == 0.0 {
        return u64::MAX;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1, and the cast saturates")]
    {
        (1.0 + (libm::log(uniform(generator)) / log).floor()) as u64
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "an independent check, which no result depends on")]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    /// P(theta <= x) of Beta(won + 1, lost + 1): P(Bin(won + lost + 1, x) > won).
    fn distribution(won: u32, lost: u32, x: f64) -> f64 {
        let count = won + lost + 1;
        let log = |k: u32| libm::lgamma(f64::from(k) + 1.0);
        (won + 1..=count)
            .map(|k| {
                let choose = log(count) - log(k) - log(count - k);
                let wins = if k == 0 { 0.0 } else { f64::from(k) * x.ln() };
                let losses = if k == count { 0.0 } else { f64::from(count - k) * (1.0 - x).ln() };
                (choose + wins + losses).exp()
            })
            .sum()
    }

    /// Kolmogorov and Smirnov's distance times sqrt(n): above 2.3 in one of 20,000 tests.
    fn distance(mut drawn: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
        drawn.sort_by(f64::total_cmp);
        let n = drawn.len() as f64;
        let off = drawn.iter().enumerate().map(|(rank, &x)| {
            let expected = distribution(x);
            let rank = rank as f64;
            (expected - rank / n).max((rank + 1.0) / n - expected)
        });
        off.fold(0.0, f64::max) * n.sqrt()
    }

    const COUNTS: [(u32, u32); 13] = [
        (0, 0),
        (1, 0),
        (0, 1),
        (7, 0),
        (0, 7),
        (1, 1),
        (1, 2),
        (2, 1),
        (3, 20),
        (20, 3),
        (150, 160),
        (160, 150),
        (40, 90),
    ];

    #[test]
    fn preferences_follow_their_distribution() {
        let mut generator = Generator::seed_from_u64(1);
        for (won, lost) in COUNTS {
            let drawn = (0..20_000).map(|_| preference(&mut generator, won, lost)).collect();
            let distance = distance(drawn, |x| distribution(won, lost, x));
            assert!(distance < 2.3, "{won} : {lost}: {distance}");
        }
    }

    /// Beside an independent implementation, for fractional counts.
    #[test]
    fn preferences_of_weighted_counts_follow_their_distribution() {
        use rand_distr::Distribution as _;

        let mut generator = Generator::seed_from_u64(5);
        for (won, lost) in [(0.0, 0.3), (0.5, 0.5), (1e-9, 2.7), (14.2, 9.9), (800.5, 799.25)] {
            let beta = rand_distr::Beta::new(won + 1.0, lost + 1.0).expect("shapes above 0");
            let draws = 20_000;
            let mut others: Vec<f64> = (0..draws).map(|_| beta.sample(&mut generator)).collect();
            others.sort_by(f64::total_cmp);
            let drawn = (0..draws).map(|_| preference(&mut generator, won, lost)).collect();
            // The distance of two samples of this size is greater by a factor of sqrt(2).
            let share = |x: f64| others.partition_point(|&other| other <= x) as f64 / f64::from(draws);
            let distance = distance(drawn, share) / std::f64::consts::SQRT_2;
            assert!(distance < 2.3, "{won} : {lost}: {distance}");
        }
    }

    #[test]
    fn above_half_they_follow_the_rest_of_it() {
        let mut generator = Generator::seed_from_u64(2);
        for (won, lost) in COUNTS.into_iter().chain([(0, 3), (0, 60), (1, 4), (60, 400)]) {
            let drawn: Vec<f64> = (0..20_000).map(|_| preference_above_half(&mut generator, won, lost)).collect();
            assert!(drawn.iter().all(|&x| x > 0.5 && x < 1.0));
            // By the mirror image, so that small tails are not lost against 1.
            let tail = |x: f64| distribution(lost, won, 1.0 - x);
            let distance = distance(drawn, |x| 1.0 - tail(x) / tail(0.5));
            assert!(distance < 2.3, "{won} : {lost}: {distance}");
        }
    }

    #[test]
    fn runs_end_geometrically() {
        let mut generator = Generator::seed_from_u64(4);
        let draws = 50_000;
        for p in [0.1, 0.9] {
            let mut lengths = [0_u32; 6];
            for _ in 0..draws {
                let length = geometric(f64::ln(p), &mut generator);
                lengths[(length as usize).min(6) - 1] += 1;
            }
            for (longer, &count) in (0..5).zip(&lengths) {
                let share = (1.0 - p) * p.powi(longer);
                let bound = 5.0 * (f64::from(draws) * share * (1.0 - share)).sqrt();
                assert!((f64::from(count) - share * f64::from(draws)).abs() < bound);
            }
        }
        assert_eq!(geometric(0.0, &mut generator), u64::MAX);
        assert!(geometric(-1e-30, &mut generator) > 1 << 50);
    }

    #[test]
    fn value_stability() {
        let mut generator = Generator::seed_from_u64(3);
        let drawn: Vec<f64> = [(0, 0), (3, 0), (0, 3), (5, 2), (2, 5), (1000, 900)]
            .map(|(won, lost)| preference(&mut generator, won, lost))
            .into();
        let above: Vec<f64> =
            [(2, 1), (2, 50)].map(|(won, lost)| preference_above_half(&mut generator, won, lost)).into();
        assert_eq!(
            drawn,
            [
                0.0017291636097830777,
                0.9869813259549411,
                0.1839091458931161,
                0.788020077751816,
                0.0883117759023117,
                0.528665623407451
            ]
        );
        assert_eq!(above, [0.6111310041728159, 0.5159130487011981]);
    }
}
