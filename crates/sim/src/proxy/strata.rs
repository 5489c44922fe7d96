//! The same number of impressions of every query: less variance than queries drawn with replacement.
//!
//! Of N impressions of Q queries each query gets m = floor(N / Q), and R = N mod Q queries, drawn
//! without replacement, get one more. With y = 2 for a win, 1 for a tie and 0 for a loss, S_q the
//! sum of y over the n_q impressions of query q and s_q^2 their sample variance, the estimate
//! (sum of S_q) / 2N is unbiased up to the choice of the R queries, and its variance is
//!
//! > ( N mean(sigma_q^2) + R (1 - R/Q) S_b^2 ) / 4 N^2,
//!
//! the variance within queries, and, as far as some queries count once more, S_b^2, the variance
//! between the queries' means, of which a simple random sample of R is taken. Both are estimated
//! without bias: sigma_q^2 by s_q^2, S_b^2 by the variance of the observed means less the mean of
//! s_q^2 / n_q (at least 0). Queries drawn with replacement have all of S_b^2 in place of the
//! R/N (1 - R/Q) of it.
//!
//! ## References
//! W. G. Cochran, *Sampling Techniques*, 3rd edition, 1977, sections 2.6 and 5.3 to 5.6.

use rand::RngExt;

use crate::Generator;
use crate::simulation::pairwise::Tally;

/// How often each query is taken in a stratified round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Strata {
    /// Impressions of every query.
    pub(super) each: u32,
    /// Which queries get one more.
    pub(super) extra: Vec<bool>,
}

impl Strata {
    /// Spreads `impressions` over `queries` queries.
    pub(super) fn draw(queries: usize, impressions: u64, generator: &mut Generator) -> Self {
        let each = (impressions / queries as u64) as u32;
        let mut left = (impressions % queries as u64) as usize;
        // Selection sampling: every subset of `left` queries is as likely.
        let mut extra = vec![false; queries];
        for (query, extra) in extra.iter_mut().enumerate() {
            if generator.random_range(0..queries - query) < left {
                *extra = true;
                left -= 1;
            }
        }
        Self { each, extra }
    }

    /// Impressions of `query`.
    pub(super) fn of(&self, query: usize) -> u32 {
        self.each + u32::from(self.extra[query])
    }

    fn more(&self) -> usize {
        self.extra.iter().filter(|&&extra| extra).count()
    }
}

/// Counts of the queries that have the same number of impressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) counts: Tally,
    /// Sum over queries of the square of the query's 2 wins + ties; empty where queries are drawn
    /// with replacement, whose variance needs no such thing.
    pub(super) squares: Vec<u64>,
}

impl Sums {
    pub(super) fn new(pairs: usize, squares: bool) -> Self {
        Self { counts: Tally::new(pairs), squares: vec![0; if squares { pairs } else { 0 }] }
    }

    /// Takes in the counts of one query and leaves zeros there.
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
        for (mine, theirs) in [(&mut self.counts.wins, &other.counts.wins), (&mut self.counts.ties, &other.counts.ties)]
        {
            mine.iter_mut().zip(theirs).for_each(|(count, more)| *count += more);
        }
        self.squares.iter_mut().zip(&other.squares).for_each(|(square, more)| *square += more);
    }

    /// Sum of y and of y^2 of a pair.
    fn moments(&self, pair: usize) -> (f64, f64) {
        let (wins, ties) = (f64::from(self.counts.wins[pair]), f64::from(self.counts.ties[pair]));
        (2.0 * wins + ties, 4.0 * wins + ties)
    }
}

/// The variance of the sum of y of `pair` over a whole stratified round; `sums` are those of the
/// queries with `strata.each` impressions (at least 2) and of those with one more.
pub(super) fn variance(strata: &Strata, sums: &[Sums], pair: usize) -> f64 {
    let queries = strata.extra.len() as f64;
    let more = strata.more() as f64;
    let each = f64::from(strata.each);
    let impressions = queries * each + more;
    // Sums over queries: of s_q^2, of s_q^2 / n_q, of the means and of their squares.
    let (mut within, mut of_means, mut means, mut squares) = (0.0, 0.0, 0.0, 0.0);
    for (sums, n) in sums.iter().zip([each, each + 1.0]) {
        let (y, y_squared) = sums.moments(pair);
        let square = sums.squares[pair] as f64;
        let variances = (y_squared - square / n) / (n - 1.0);
        within += variances;
        of_means += variances / n;
        means += y / n;
        squares += square / (n * n);
    }
    let between = if queries > 1.0 {
        ((squares - means * means / queries) / (queries - 1.0) - of_means / queries).max(0.0)
    } else {
        0.0
    };
    (impressions * within / queries + more * (1.0 - more / queries) * between).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::seed;

    #[test]
    fn every_query_is_taken_as_often_up_to_one() {
        let mut generator = seed::generator(1, "strata", 0, "test");
        let mut extras = vec![0; 7];
        for _ in 0..7000 {
            let strata = Strata::draw(7, 24, &mut generator);
            assert_eq!((strata.each, strata.more()), (3, 3));
            (0..7).for_each(|query| extras[query] += usize::from(strata.extra[query]));
        }
        // Binomial(7000, 3/7): mean 3000, standard deviation 41.4.
        assert!(extras.iter().all(|&count| (2793..=3207).contains(&count)), "{extras:?}");
        assert_eq!(Strata::draw(4, 8, &mut generator).more(), 0);
    }

    #[test]
    fn value_stability() {
        let strata = Strata::draw(12, 29, &mut seed::generator(42, "strata", 0, "stability"));
        let extra: Vec<usize> = (0..12).filter(|&query| strata.extra[query]).collect();
        assert_eq!((strata.each, extra), (2, vec![0, 2, 3, 10, 11]));
    }

    /// The formula against the spread of many rounds of made-up queries, each with its own odds.
    #[test]
    fn the_variance_is_that_of_many_rounds() {
        let queries = 40;
        // P(win), P(tie) of each query, widely different.
        let odds: Vec<(f64, f64)> = (0..queries).map(|q| (0.02 * f64::from(q), 0.15)).collect();
        let mut generator = seed::generator(2, "strata", 0, "test");
        for impressions in [80_u64, 100, 130] {
            let (mut total, mut squares, mut claimed) = (0.0, 0.0, 0.0);
            let rounds = 20_000;
            for _ in 0..rounds {
                let strata = Strata::draw(queries as usize, impressions, &mut generator);
                let mut sums = [Sums::new(1, true), Sums::new(1, true)];
                for (query, &(win, tie)) in odds.iter().enumerate() {
                    let mut tally = Tally::new(1);
                    for _ in 0..strata.of(query) {
                        let u: f64 = generator.random();
                        tally.wins[0] += u32::from(u < win);
                        tally.ties[0] += u32::from((win..win + tie).contains(&u));
                    }
                    sums[usize::from(strata.extra[query])].take_query(&mut tally);
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
