//! Stratified sampling: the same number of impressions of every query, for less variance than queries drawn with
//! replacement.
//!
//! Of N impressions of Q queries, each query gets m = floor(N / Q), and R = N mod Q queries, drawn
//! without replacement, get one more. With y = 2 for a win, 1 for a tie and 0 for a loss, S_q the
//! sum of y over the n_q impressions of query q and s_q^2 their sample variance, the estimate
//! (sum of S_q) / 2N is unbiased up to the choice of the R queries, and its variance is
//!
//! > ( N mean(sigma_q^2) + R (1 - R/Q) S_b^2 ) / 4 N^2,
//!
//! where sigma_q^2 is the variance within query q, and S_b^2, the variance between the means of the queries, counts
//! only because R of them, a simple random sample, get one more impression. Both estimates are unbiased: s_q^2 for
//! sigma_q^2, and for S_b^2 the variance of the observed means minus the mean of s_q^2 / n_q (at least 0). With queries
//! drawn with replacement, the factor of S_b^2 is 1 instead of R/N (1 - R/Q).
//!
//! ## References
//! W. G. Cochran, *Sampling Techniques*, 3rd edition, 1977, sections 2.6 and 5.3 to 5.6.

use bandits::Generator;
use rand::RngExt;

use crate::pairwise::Tally;

/// The number of impressions of each query in a stratified round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Strata {
    /// Impressions that every query gets.
    pub(super) per_query: u32,
    /// Whether a query gets one more.
    pub(super) has_extra: Vec<bool>,
}

impl Strata {
    /// Distributes `impressions` over `queries` queries.
    pub(super) fn draw(queries: usize, impressions: u64, generator: &mut Generator) -> Self {
        let per_query = (impressions / queries as u64) as u32;
        let mut remaining = (impressions % queries as u64) as usize;
        // Selection sampling: every subset of `remaining` queries is equally likely.
        let mut has_extra = vec![false; queries];
        for (query, has_extra) in has_extra.iter_mut().enumerate() {
            if generator.random_range(0..queries - query) < remaining {
                *has_extra = true;
                remaining -= 1;
            }
        }
        Self { per_query, has_extra }
    }

    /// Impressions of `query`.
    pub(super) fn impressions_of(&self, query: usize) -> u32 {
        self.per_query + u32::from(self.has_extra[query])
    }

    /// The number of queries with one more.
    fn queries_with_extra(&self) -> usize {
        self.has_extra.iter().filter(|&&extra| extra).count()
    }
}

/// Sums over the queries with the same number of impressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) counts: Tally,
    /// Sum over queries of (2 wins + ties)^2; empty for queries drawn with replacement: their variance does not need it.
    pub(super) squares: Vec<u64>,
}

impl Sums {
    pub(super) fn new(pairs: usize, squares: bool) -> Self {
        Self { counts: Tally::new(pairs), squares: vec![0; if squares { pairs } else { 0 }] }
    }

    /// Adds the counts of one query and resets them to zero.
    pub(super) fn take_query(&mut self, query: &mut Tally) {
        for (index, square) in self.squares.iter_mut().enumerate() {
            let (wins, ties) = (std::mem::take(&mut query.wins[index]), std::mem::take(&mut query.ties[index]));
            self.counts.wins[index] += wins;
            self.counts.ties[index] += ties;
            let sum = 2 * u64::from(wins) + u64::from(ties);
            *square += sum * sum;
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (own_counts, other_counts) in
            [(&mut self.counts.wins, &other.counts.wins), (&mut self.counts.ties, &other.counts.ties)]
        {
            own_counts.iter_mut().zip(other_counts).for_each(|(count, more)| *count += more);
        }
        self.squares.iter_mut().zip(&other.squares).for_each(|(square, more)| *square += more);
    }

    /// The sums of y and of y^2 of a pair.
    fn moments(&self, pair: usize) -> (f64, f64) {
        let (wins, ties) = (f64::from(self.counts.wins[pair]), f64::from(self.counts.ties[pair]));
        (2.0 * wins + ties, 4.0 * wins + ties)
    }
}

/// The estimated variance of the sum of y of `pair` over a whole stratified round. `sums` holds the sums over queries
/// with `strata.each` impressions (at least 2), and over those with one more.
pub(super) fn variance(strata: &Strata, sums: &[Sums], pair: usize) -> f64 {
    let queries = strata.has_extra.len() as f64;
    let larger_strata = strata.queries_with_extra() as f64;
    let per_query = f64::from(strata.per_query);
    let impressions = queries * per_query + larger_strata;
    // Sums over queries of s_q^2, of s_q^2 / n_q, of the means and of their squares.
    let (mut within_variance, mut mean_variance, mut means, mut squares) = (0.0, 0.0, 0.0, 0.0);
    for (sums, n) in sums.iter().zip([per_query, per_query + 1.0]) {
        let (y, y_squared) = sums.moments(pair);
        let square = sums.squares[pair] as f64;
        let variances = (y_squared - square / n) / (n - 1.0);
        within_variance += variances;
        mean_variance += variances / n;
        means += y / n;
        squares += square / (n * n);
    }
    let between_variance = if queries > 1.0 {
        ((squares - means * means / queries) / (queries - 1.0) - mean_variance / queries).max(0.0)
    } else {
        0.0
    };
    (impressions * within_variance / queries + larger_strata * (1.0 - larger_strata / queries) * between_variance)
        .max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed;

    #[test]
    fn every_query_gets_the_same_number_of_impressions_or_one_more() {
        let mut generator = seed::generator(1, "strata", 0, "test");
        let mut extras = vec![0; 7];
        for _ in 0..7000 {
            let strata = Strata::draw(7, 24, &mut generator);
            assert_eq!((strata.per_query, strata.queries_with_extra()), (3, 3));
            (0..7).for_each(|query| extras[query] += usize::from(strata.has_extra[query]));
        }
        // Binomial(7000, 3/7): mean 3000, standard deviation 41.4.
        assert!(extras.iter().all(|&count| (2793..=3207).contains(&count)), "{extras:?}");
        assert_eq!(Strata::draw(4, 8, &mut generator).queries_with_extra(), 0);
    }

    #[test]
    fn value_stability() {
        let strata = Strata::draw(12, 29, &mut seed::generator(42, "strata", 0, "stability"));
        let extra: Vec<usize> = (0..12).filter(|&query| strata.has_extra[query]).collect();
        assert_eq!((strata.per_query, extra), (2, vec![0, 2, 3, 10, 11]));
    }

    /// Compares the formula with the spread of many rounds of artificial queries with different probabilities.
    #[test]
    fn the_estimated_variance_matches_that_of_many_rounds() {
        let queries = 40;
        // P(win), P(tie) of each query, widely different.
        let probabilities: Vec<(f64, f64)> = (0..queries).map(|q| (0.02 * f64::from(q), 0.15)).collect();
        let mut generator = seed::generator(2, "strata", 0, "test");
        for impressions in [80_u64, 100, 130] {
            let (mut total, mut squares, mut claimed) = (0.0, 0.0, 0.0);
            let rounds = 20_000;
            for _ in 0..rounds {
                let strata = Strata::draw(queries as usize, impressions, &mut generator);
                let mut sums = [Sums::new(1, true), Sums::new(1, true)];
                for (query, &(win, tie)) in probabilities.iter().enumerate() {
                    let mut tally = Tally::new(1);
                    for _ in 0..strata.impressions_of(query) {
                        let u: f64 = generator.random();
                        tally.wins[0] += u32::from(u < win);
                        tally.ties[0] += u32::from((win..win + tie).contains(&u));
                    }
                    sums[usize::from(strata.has_extra[query])].take_query(&mut tally);
                }
                let y: f64 = sums.iter().map(|sums| sums.moments(0).0).sum();
                total += y;
                squares += y * y;
                claimed += variance(&strata, &sums, 0);
            }
            let n = f64::from(rounds);
            let spread = (squares - total * total / n) / (n - 1.0);
            // A sample variance of n rounds has a relative standard error of sqrt(2 / n) = 1%.
            let ratio = claimed / n / spread;
            assert!((ratio - 1.0).abs() < 0.05, "{impressions}: {ratio}");
        }
    }
}
