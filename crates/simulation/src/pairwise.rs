//! Preferences between pairs of rankers, estimated from simulated impressions. The ground truth and proxy matrices
//! are estimated with these comparisons.
//!
//! Each comparison draws a query uniformly with replacement, as in Zoghi et al.
//! (<https://doi.org/10.1145/2684822.2685290>). The queries are drawn once, shared by all pairs and processed query
//! by query, so that the lists of a query are in the processor's cache. The outcome of each pair has the same
//! distribution as without sharing; estimates of different pairs are correlated through the shared queries.

use std::ops::Range;

use anyhow::Result;
use bandits::Generator;
use bandits::PreferenceMatrix;
use interleave::{AnyInterleaving, Interleaving, Preference};
use output::memory::{arms_that_fit, ensure_room};
use output::numbers::with_separators;
use output::progress::Progress;
use rand::RngExt;
use rayon::prelude::*;

use crate::seed;
use crate::site::{ImpressionRandomness, Site};

/// Outcomes of the comparisons of one pair (i, j).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct PairCount {
    /// Comparisons that i won.
    pub wins: u64,
    /// Comparisons that neither won: no click, or equal credit.
    pub ties: u64,
    /// All comparisons.
    pub comparisons: u64,
}

impl PairCount {
    /// The estimate of P(i beats j), with a tie counted as half a win; 1/2 without comparisons.
    #[must_use]
    pub fn preference(self) -> f64 {
        if self.comparisons == 0 { 0.5 } else { (self.wins as f64 + self.ties as f64 / 2.0) / self.comparisons as f64 }
    }

    /// The standard error of [`preference`](Self::preference); infinite for fewer than two comparisons.
    #[must_use]
    pub fn standard_error(self) -> f64 {
        if self.comparisons < 2 {
            return f64::INFINITY;
        }
        let n = self.comparisons as f64;
        let mean = self.preference();
        let second_moment = (self.wins as f64 + self.ties as f64 / 4.0) / n;
        ((second_moment - mean * mean).max(0.0) / (n - 1.0)).sqrt()
    }

    /// The outcomes of (j, i).
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { wins: self.comparisons - self.wins - self.ties, ..self }
    }

    /// The sums of both counts.
    #[must_use]
    pub fn merged_with(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            ties: self.ties + other.ties,
            comparisons: self.comparisons + other.comparisons,
        }
    }
}

/// Drawn queries per piece of work: enough to outweigh the cost of passing a piece to a thread, few enough to keep all
/// threads busy to the end. Results depend on this number, so it must not change.
const DRAWS_PER_PIECE: usize = 16;

/// Compares each of `pairs` of rankers (0-based) of `site` `comparisons` times by `method`.
///
/// `purpose` identifies the random stream: two calls with the same `master` seed and purpose draw the same
/// impressions. Returns one count per pair, in the order of `pairs`; the counts do not depend on the number of
/// threads.
#[must_use]
pub fn compare_pairs<I: Interleaving>(
    site: &Site,
    method: &I,
    pairs: &[(u32, u32)],
    comparisons: u64,
    master: u64,
    purpose: &str,
    progress: &Progress,
) -> Vec<PairCount> {
    let draws = draw_queries(site, comparisons, master, purpose);
    let list = PairList::new(pairs);
    let pieces_of_draws: Vec<&[u32]> = draws.chunks(DRAWS_PER_PIECE).collect();
    let tallies = pieces_of_draws
        .par_iter()
        .enumerate()
        .fold(
            || Tally::new(pairs.len()),
            |mut tally, (number, piece)| {
                let stream = |purpose_of: &str| seed::generator(master, purpose, number as u64, purpose_of);
                compare_piece(site, method, &list, piece, stream, &mut tally);
                progress.advance((piece.len() * pairs.len()) as u64);
                tally
            },
        )
        .reduce(|| Tally::new(pairs.len()), Tally::merged_with);
    tallies
        .wins
        .iter()
        .zip(&tallies.ties)
        .map(|(&wins, &ties)| PairCount { wins: wins.into(), ties: ties.into(), comparisons })
        .collect()
}

/// The number of pairs of `arms` arms.
pub(crate) fn pair_count(arms: usize) -> u64 {
    let arms = arms as u64;
    arms * arms.saturating_sub(1) / 2
}

/// Checks that memory has room for what is kept of all pairs of `arms` rankers, `bytes_of(arms)` bytes.
///
/// # Errors
/// One line that says how many rankers fit.
pub(crate) fn ensure_room_for_pairs(arms: usize, bytes_of: impl Fn(usize) -> u64) -> Result<()> {
    ensure_room(
        bytes_of(arms),
        || {
            let [rankers, pairs] = [arms as u64, pair_count(arms)].map(with_separators);
            format!("the comparisons of {pairs} pairs of {rankers} rankers")
        },
        || format!("choose fewer with --rankers, e.g. --rankers 100{}", arms_that_fit(&bytes_of)),
    )
}

/// The most memory that [`compare_pairs`] takes, in bytes.
#[must_use]
pub(crate) fn comparison_bytes(pairs: u64, comparisons: u64) -> u64 {
    let threads = rayon::current_num_threads() as u64;
    // Two per piece of the work that rayon divides: one that is filled, and one that others are added to.
    let tallies = 2 * comparisons.div_ceil(DRAWS_PER_PIECE as u64).min(2 * threads) + 1;
    let per_pair = tallies * size_of::<[u32; 2]>() as u64 + (size_of::<(u32, u32)>() + size_of::<PairCount>()) as u64;
    pairs.saturating_mul(per_pair).saturating_add(comparisons.saturating_mul(size_of::<u32>() as u64))
}

/// Estimates the preference matrix of all rankers of `site` from `comparisons` of every pair, in one uninterrupted
/// call.
///
/// Rankers with identical lists are not compared: their entry is 1/2. (`proxy` estimates the same matrix from other
/// draws, in rounds that can be interrupted and extended. Experiments use this function, so that their published
/// numbers do not change.)
///
/// # Errors
/// If the site has no ranker, or memory has no room for the counts.
pub fn estimate_matrix(
    site: &Site,
    method: &AnyInterleaving,
    comparisons: u64,
    master: u64,
    quiet: bool,
) -> Result<PreferenceMatrix> {
    let arms = site.arms();
    let bytes = |arms: usize| {
        let pairs = pair_count(arms);
        let held = pairs * (size_of::<(u32, u32)>() + 2 * size_of::<f64>()) as u64;
        comparison_bytes(pairs, comparisons).saturating_add(held)
    };
    ensure_room_for_pairs(arms, bytes)?;
    let alike = site.rankings().duplicates();
    let pairs: Vec<(u32, u32)> = (0..arms)
        .flat_map(|low| (low + 1..arms).map(move |high| (low, high)))
        .filter(|&(low, high)| alike[low] != alike[high])
        .map(|(low, high)| (low as u32, high as u32))
        .collect();
    let progress = Progress::new("estimating preferences", comparisons.saturating_mul(pairs.len() as u64), quiet);
    let counts = match method {
        AnyInterleaving::Probabilistic(method) => {
            compare_pairs(site, method, &pairs, comparisons, master, "proxy", &progress)
        }
        method => compare_pairs(site, method, &pairs, comparisons, master, "proxy", &progress),
    };
    progress.finish();
    let mut entries = vec![0.5; arms * arms];
    for (&(low, high), count) in pairs.iter().zip(&counts) {
        let (low, high) = (low as usize, high as usize);
        entries[low * arms + high] = count.preference();
        entries[high * arms + low] = 1.0 - count.preference();
    }
    Ok(PreferenceMatrix::new(arms, entries)?)
}

/// Draws one query per comparison and sorts them, so that equal ones are adjacent.
pub(crate) fn draw_queries(site: &Site, comparisons: u64, master: u64, purpose: &str) -> Vec<u32> {
    let mut generator = seed::generator(master, purpose, 0, "queries");
    let queries = u32::try_from(site.queries()).expect("a data set holds fewer than 2^32 queries");
    let mut draws: Vec<u32> = (0..comparisons).map(|_| generator.random_range(0..queries)).collect();
    draws.sort_unstable();
    draws
}

/// Wins and ties of each pair; integers, so that the order of summation does not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) wins: Vec<u32>,
    pub(crate) ties: Vec<u32>,
}

impl Tally {
    pub(crate) fn new(pairs: usize) -> Self {
        Self { wins: vec![0; pairs], ties: vec![0; pairs] }
    }

    pub(crate) fn merged_with(mut self, other: Self) -> Self {
        for (own_counts, other_counts) in [(&mut self.wins, other.wins), (&mut self.ties, other.ties)] {
            for (count, added) in own_counts.iter_mut().zip(other_counts) {
                *count += added;
            }
        }
        self
    }
}

/// Compares all pairs on each query of `draws_of_piece` (sorted, one entry per comparison) and adds the outcomes to `tally`.
pub(crate) fn compare_piece<I: Interleaving>(
    site: &Site,
    method: &I,
    pairs: &PairList,
    draws_of_piece: &[u32],
    stream: impl Fn(&str) -> Generator,
    tally: &mut Tally,
) {
    let (mut chance, mut users) = (stream("lists"), stream("users"));
    let mut scratch = I::Scratch::default();
    let mut lists = Vec::with_capacity(pairs.arms.len());
    for Range { start, end } in runs_of_equals(draws_of_piece) {
        let query = draws_of_piece[start] as usize;
        lists.clear();
        lists.extend(pairs.arms.iter().map(|&arm| site.rankings().list(query, arm as usize)));
        for _ in start..end {
            let randomness = ImpressionRandomness { lists: &mut chance, users: &mut users };
            site.interleave_pairs(method, query, &lists, &pairs.pairs, randomness, &mut scratch, |pair, winner| {
                tally.wins[pair] += u32::from(winner == Preference::First);
                tally.ties[pair] += u32::from(winner == Preference::Tie);
            });
        }
    }
}

/// Pairs of arms, and the arms that occur in any of them.
pub(crate) struct PairList {
    /// Ascending.
    arms: Vec<u32>,
    /// Pairs of positions in `arms`.
    pairs: Vec<(u32, u32)>,
}

impl PairList {
    pub(crate) fn new(pairs: &[(u32, u32)]) -> Self {
        let mut arms: Vec<u32> = pairs.iter().flat_map(|&(first, second)| [first, second]).collect();
        arms.sort_unstable();
        arms.dedup();
        let position = |arm: u32| arms.partition_point(|&other| other < arm) as u32;
        let pairs = pairs.iter().map(|&(first, second)| (position(first), position(second))).collect();
        Self { arms, pairs }
    }
}

/// The ranges of equal adjacent values.
fn runs_of_equals(values: &[u32]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        let first_value = values.get(start)?;
        let length = values[start..].iter().take_while(|value| *value == first_value).count();
        start += length;
        Some(start - length..start)
    })
}

#[cfg(test)]
mod tests {
    use interleave::{CreditTies, ProbabilisticInterleave};

    use super::*;

    #[test]
    fn a_tie_is_half_a_win() {
        let count = PairCount { wins: 30, ties: 20, comparisons: 100 };
        assert!((count.preference() - 0.4).abs() < 1e-15);
        assert!((count.swapped().preference() - 0.6).abs() < 1e-15);
        // Var of {1: .3, 1/2: .2, 0: .5} is .35 - .16.
        assert!((count.standard_error() - (0.19f64 / 99.0).sqrt()).abs() < 1e-15);
        assert_eq!(count.merged_with(count.swapped()), PairCount { wins: 80, ties: 40, comparisons: 200 });
    }

    #[test]
    fn without_comparisons_the_preference_is_one_half() {
        let count = PairCount::default();
        assert!((count.preference() - 0.5).abs() < f64::EPSILON);
        assert!(count.standard_error().is_infinite());
    }

    #[test]
    fn equal_adjacent_values() {
        let runs: Vec<_> = runs_of_equals(&[3, 3, 5, 7, 7, 7]).collect();
        assert_eq!(runs, [0..2, 2..3, 3..6]);
        assert_eq!(runs_of_equals(&[]).count(), 0);
    }

    fn pi() -> ProbabilisticInterleave {
        ProbabilisticInterleave::new(CreditTies::Redrawn)
    }

    /// Rankers from best to worst; the second ranks like the first, the last ties all documents.
    fn ladder() -> crate::site::Site {
        let rankers: [fn(f64, usize) -> f64; 4] = [
            |label, doc| label * 10.0 + doc as f64,
            |label, doc| label * 20.0 + 2.0 * doc as f64,
            |label, doc| label * 3.0 + ((doc * 7) % 5) as f64,
            |_, _| 1.0,
        ];
        crate::example::site(11, &rankers).1
    }

    #[test]
    fn identical_strict_lists_always_tie() {
        let counts = compare_pairs(&ladder(), &pi(), &[(0, 1), (0, 2), (0, 3)], 2000, 7, "test", &Progress::hidden());
        assert_eq!(counts[0], PairCount { wins: 0, ties: 2000, comparisons: 2000 });
        assert!(counts[1].preference() > 0.5 + 5.0 * counts[1].standard_error(), "{:?}", counts[1]);
        assert!(counts[2].preference() > 0.5 + 5.0 * counts[2].standard_error(), "{:?}", counts[2]);
    }

    #[test]
    fn counts_do_not_depend_on_the_number_of_threads() {
        let site = ladder();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| compare_pairs(&site, &pi(), &[(0, 2), (2, 3)], 5000, 7, "test", &Progress::hidden()))
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn the_order_of_a_pair_does_not_matter_in_the_long_run() {
        let counts = compare_pairs(&ladder(), &pi(), &[(0, 2), (2, 0)], 20_000, 7, "test", &Progress::hidden());
        let difference = counts[0].preference() - counts[1].swapped().preference();
        let error = counts[0].standard_error().hypot(counts[1].standard_error());
        assert!(difference.abs() < 5.0 * error, "difference {difference}, standard error {error}");
    }
}
