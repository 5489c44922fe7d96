//! The preferences, and so the cycles, that are statistically significant.
//!
//! A matrix that was estimated from n comparisons per pair has spurious cycles: arms that are nearly
//! equal fall on the wrong side of 1/2. A preference is called established when Holm's step-down
//! procedure over all K (K - 1) one-sided hypotheses "i does not beat j" rejects, each tested by
//! the exact tail of a binomial with probability 1/2. Whatever the matrix and however its pairs
//! depend on each other, the probability that any established preference is wrong is then at most
//! the given rate; and with it the probability that any of the cycles made of them is spurious.
//!
//! ## References
//! S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
//! Statistics 6(2), 1979, <https://www.jstor.org/stable/4615733>.
//!
//! ## Notes
//! Testing pairs, not triples, keeps the number of hypotheses at K^2 instead of K^3 / 3. Wins
//! that are not whole (ties counted half) are rounded down, against the finding.

use std::cmp::Ordering;

use super::Tournament;
use crate::counts::PairTable;
use crate::{Arm, PreferenceMatrix};

/// Above this many comparisons the binomial is taken as a normal: its terms would be thousands,
/// and the relative error is below 1e-4 for tails down to 1e-15.
const MAX_EXACT_COMPARISONS: u64 = 10_000_000;

/// An error rate that is none.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("expected an error rate between 0 and 1, such as 0.05, found {0}")]
#[non_exhaustive]
pub struct ErrorRateError(pub f64);

/// The preferences of an estimated matrix that are significant, all together with probability at
/// least 1 - `error_rate`: the other pairs are open.
///
/// `comparisons` returns the number of comparisons that the estimate of a pair i < j is based on (0: never significant).
///
/// ```
/// # use bandits::{problems, structure::established};
/// let cyclic = problems::cyclic()?;
/// // 0.9 shows in thirty comparisons, 0.6 does not; in a thousand it does.
/// assert_eq!(established(&cyclic, 0.05, |_, _| 30).expect("a rate").open_pairs(), 3);
/// assert_eq!(established(&cyclic, 0.05, |_, _| 1000).expect("a rate").open_pairs(), 0);
/// # Ok::<(), bandits::MatrixError>(())
/// ```
///
/// # Errors
/// When the rate is not between 0 and 1.
pub fn established(
    matrix: &PreferenceMatrix,
    error_rate: f64,
    mut comparisons: impl FnMut(Arm, Arm) -> u64,
) -> Result<Tournament, ErrorRateError> {
    if !(error_rate > 0.0 && error_rate < 1.0) {
        return Err(ErrorRateError(error_rate));
    }
    let arms = matrix.arms();
    let pairs = arms * arms.saturating_sub(1) / 2;
    // The other direction of every pair is a hypothesis too; its tail is at least 1/2. So no step
    // down goes beyond this rate, and no tail need be summed up further.
    let hypotheses = 2 * pairs;
    let max_rate = error_rate / (hypotheses - pairs + 1) as f64;
    let mut tails = Vec::with_capacity(pairs);
    for i in matrix.all_arms() {
        for j in matrix.all_arms().skip(i.index() + 1) {
            let (winner, loser) = if matrix.get(i, j) >= 0.5 { (i, j) } else { (j, i) };
            let trials = comparisons(i, j);
            // A whole number of wins may have been rounded a little below on its way into the
            // matrix and back.
            let wins = (matrix.get(winner, loser) * trials as f64 + 1e-3).floor() as u64;
            tails.push((upper_tail(trials, wins, max_rate), winner, loser));
        }
    }
    tails.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let rejected = tails
        .iter()
        .enumerate()
        .take_while(|(index, (tail, ..))| *tail <= error_rate / (hypotheses - index) as f64)
        .count();
    let mut found = PairTable::new(arms, Ordering::Equal);
    for &(_, winner, loser) in &tails[..rejected] {
        let (low, high) = (winner.min(loser), winner.max(loser));
        found[(low, high)] = if winner == low { Ordering::Greater } else { Ordering::Less };
    }
    Ok(Tournament::from_pairs(arms, |i, j| found[(i, j)]))
}

/// P(Bin(trials, 1/2) >= wins), to about nine digits; or, where that is more than `enough`, anything
/// between the two.
fn upper_tail(trials: u64, wins: u64, enough: f64) -> f64 {
    if wins == 0 {
        return 1.0;
    }
    let (n, w) = (trials as f64, wins.min(trials) as f64);
    if 2.0 * w <= n {
        // By symmetry, from the half where the series below converges.
        return 1.0 - upper_tail(trials, trials - wins + 1, 1.0);
    }
    if trials > MAX_EXACT_COMPARISONS { normal_tail(n, w) } else { series_tail(n, w, enough) }
}

/// The tail beyond the middle of a normal of the same mean and variance, from half a win below.
fn normal_tail(n: f64, w: f64) -> f64 {
    0.5 * libm::erfc((2.0 * w - 1.0 - n) / (2.0 * n).sqrt())
}

/// The tail beyond the middle: its first term, times a series of falling ratios.
fn series_tail(n: f64, w: f64, enough: f64) -> f64 {
    let log_choose = libm::lgamma(n + 1.0) - libm::lgamma(w + 1.0) - libm::lgamma(n - w + 1.0);
    let first = libm::exp(log_choose - n * std::f64::consts::LN_2);
    let (mut term, mut sum, mut at) = (1.0, 1.0, w);
    while at < n && term > 1e-17 * sum && first * sum <= enough {
        term *= (n - at) / (at + 1.0);
        sum += term;
        at += 1.0;
    }
    first * sum
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;
    use crate::{Generator, problems};

    #[test]
    fn tails_agree_with_summing_up() {
        for trials in [1_u64, 2, 7, 30] {
            // Pascal's row, exactly.
            let mut row = vec![1_u64];
            for _ in 0..trials {
                let next = row.iter().zip(row.iter().skip(1)).map(|(a, b)| a + b);
                row = std::iter::once(1).chain(next).chain([1]).collect();
            }
            for wins in 0..=trials {
                let exact = row[wins as usize..].iter().sum::<u64>() as f64 / (1_u64 << trials) as f64;
                let found = upper_tail(trials, wins, 1.0);
                assert!((found / exact - 1.0).abs() < 1e-9, "{wins} of {trials}: {found}, expected {exact}");
                let enough = upper_tail(trials, wins, 0.01);
                assert!(enough == found || (enough > 0.01 && enough < found));
            }
        }
        assert_eq!(upper_tail(0, 0, 1.0), 1.0);
    }

    #[test]
    fn large_counts_agree_with_the_normal() {
        let n = MAX_EXACT_COMPARISONS as f64;
        for deviations in [0.5, 3.0, 6.0, 8.0] {
            let wins = (n / 2.0 + deviations * n.sqrt() / 2.0).floor();
            let (series, normal) = (series_tail(n, wins, 1.0), normal_tail(n, wins));
            assert!((series / normal - 1.0).abs() < 1e-4, "{deviations}: {series} {normal}");
        }
        assert_eq!(upper_tail(400_000, 400_000, 1.0), 0.0);
    }

    #[test]
    fn holm_by_hand() {
        // Tails of 100 trials: 70 wins 3.9e-5, 64 wins 0.0033, 60 wins 0.0284. With six one-sided
        // hypotheses at 0.05 the steps are 0.05/6 = 0.0083, 0.05/5 = 0.01, 0.05/4 = 0.0125.
        let matrix =
            PreferenceMatrix::from_rows(&[[0.5, 0.7, 0.36], [0.3, 0.5, 0.6], [0.64, 0.4, 0.5]]).expect("a matrix");
        let found = established(&matrix, 0.05, |_, _| 100).expect("a rate");
        assert!(found.beats(Arm(0), Arm(1)) && found.beats(Arm(2), Arm(0)));
        assert_eq!((found.open_pairs(), found.cyclic_triples()), (1, 0));
        let found = established(&matrix, 0.12, |_, _| 100).expect("a rate");
        assert_eq!((found.open_pairs(), found.cyclic_triples()), (0, 1));
        let found = established(&matrix, 0.05, |i, j| if (i, j) == (Arm(0), Arm(1)) { 0 } else { 10_000 });
        assert_eq!(found.expect("a rate").open_pairs(), 1);
        for rate in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(established(&matrix, rate, |_, _| 1).is_err());
        }
    }

    #[test]
    fn equal_arms_are_rarely_told_apart() {
        // Twenty equal arms, 200 comparisons per pair: no run may find anything, but for the rate.
        let (runs, mut wrong, mut circles) = (400, 0, 0);
        let mut generator = Generator::seed_from_u64(11);
        for _ in 0..runs {
            let matrix = PreferenceMatrix::from_upper(20, |_, _| {
                (0..200).filter(|_| generator.random::<bool>()).count() as f64 / 200.0
            })
            .expect("a matrix");
            let found = established(&matrix, 0.2, |_, _| 200).expect("a rate");
            wrong += usize::from(found.open_pairs() < 190);
            circles += found.cyclic_triples();
        }
        // At most 0.2, and not far below it, as the pairs are independent: the binomial's steps
        // cost some. Five standard deviations of 400 runs are 40.
        assert!((20..=80 + 40).contains(&wrong), "{wrong} of {runs}");
        assert_eq!(circles, 0);
    }

    #[test]
    fn enough_data_establish_all_that_differs() {
        let matrix = problems::arithmetic(8).expect("eight arms");
        let found = established(&matrix, 0.01, |_, _| 100_000).expect("a rate");
        assert_eq!(found, Tournament::of(&matrix));
    }
}
