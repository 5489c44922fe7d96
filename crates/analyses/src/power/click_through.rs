//! Click-through of two rankers, each shown alone, as an A/B test measures it.

use bandits::Generator;
use interleave::Doc;
use output::progress::Progress;
use rayon::prelude::*;
use serde::Serialize;
use simulation::seed;
use simulation::site::{ImpressionRandomness, Site};

/// The shares of impressions with a click.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClickThrough {
    /// Impressions of each ranker.
    pub impressions: u64,
    /// The share of them with at least one click, of either ranker.
    pub rates: [f64; 2],
    /// The standard error of their difference: smaller than that of an A/B test, because both rankers are shown for the
    /// same queries.
    pub standard_error: f64,
}

impl ClickThrough {
    /// The first rate minus the second.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.rates[0] - self.rates[1]
    }
}

/// Impressions per piece of work. Results depend on this number, so it must not change.
const PER_PIECE: u64 = 4_096;

/// Draws `impressions` queries, and shows one user of each the list of the first of `pair` and another one that of the
/// second. The result depends neither on the number of threads nor on anything but the site and `master`.
#[must_use]
pub fn measure(site: &Site, pair: [usize; 2], impressions: u64, master: u64, progress: &Progress) -> ClickThrough {
    let play_piece = |number: u64| {
        let count = PER_PIECE.min(impressions - number * PER_PIECE);
        let stream = |purpose: &str| seed::generator(master, "click-through", number, purpose);
        let counts = one_piece(site, pair, count, [stream("lists"), stream("users")]);
        progress.advance(2 * count);
        counts
    };
    let sum = |a: [u64; 3], b: [u64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let [first_clicks, second_clicks, both_clicks] =
        (0..impressions.div_ceil(PER_PIECE)).into_par_iter().map(play_piece).reduce(|| [0; 3], sum);
    let n = impressions.max(1) as f64;
    let rates = [first_clicks as f64 / n, second_clicks as f64 / n];
    // The difference of a query's two users is 1, 0 or -1.
    let squares = (first_clicks + second_clicks - 2 * both_clicks) as f64 / n;
    let difference = rates[0] - rates[1];
    let standard_error = ((squares - difference * difference).max(0.0) / (n - 1.0).max(1.0)).sqrt();
    ClickThrough { impressions, rates, standard_error }
}

/// The impressions in which the first list was clicked, the second was, and both were.
fn one_piece(site: &Site, pair: [usize; 2], impressions: u64, [mut lists, mut users]: [Generator; 2]) -> [u64; 3] {
    let mut order: Vec<Doc> = Vec::new();
    let mut counts = [0; 3];
    for _ in 0..impressions {
        let query = site.draw_query(&mut lists);
        let clicked = pair.map(|arm| {
            let randomness = ImpressionRandomness { lists: &mut lists, users: &mut users };
            u64::from(site.show_alone(query, arm, randomness, &mut order) > 0)
        });
        counts[0] += clicked[0];
        counts[1] += clicked[1];
        counts[2] += clicked[0] * clicked[1];
    }
    counts
}

#[cfg(test)]
mod tests {
    use simulation::example::site_of_users;

    use super::*;

    #[test]
    fn rates_are_those_of_the_documents_shown() {
        // Five documents with labels 0, 0, 1, 1, 2: all are examined, and no user stops.
        let (_, site) = site_of_users(3, &[|label, _| label, |label, _| -label], "0:0.1,1:0.2,2:0.5");
        let found = measure(&site, [0, 1], 20_000, 1, &Progress::hidden());
        let expected = 1.0 - 0.9 * 0.9 * 0.8 * 0.8 * 0.5;
        // Five standard errors.
        let error = 5.0 * (expected * (1.0 - expected) / 20_000.0_f64).sqrt();
        assert!(found.rates.iter().all(|rate| (rate - expected).abs() < error), "{found:?} {expected}");
        assert!(found.difference().abs() < 5.0 * found.standard_error, "{found:?}");
        let independent = (2.0 * expected * (1.0 - expected) / 20_000.0_f64).sqrt();
        assert!((found.standard_error / independent - 1.0).abs() < 0.05, "{found:?} {independent}");
    }

    #[test]
    fn threads_do_not_matter() {
        let (_, site) = site_of_users(5, &[|label, doc| label + doc as f64, |_, _| 1.0], "0:0.1,1:0.2,2:0.5");
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| measure(&site, [0, 1], 10_000, 7, &Progress::hidden()))
        };
        assert_eq!(with(1), with(3));
        assert_eq!(measure(&site, [0, 1], 0, 7, &Progress::hidden()).rates, [0.0; 2]);
    }
}
