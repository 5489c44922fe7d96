//! Sensitivity: how many impressions each method needs until it orders rankers as their nDCG does.
//!
//! Schuth et al. (<https://doi.org/10.1145/2661829.2661952>): a method errs on a pair of rankers (i, j) if its
//! preference P(i, j), the mean of its outcomes so far, does not favour the ranker with the higher nDCG. The binary
//! error is the share of pairs on which it errs; it is averaged over draws of rankers.
//!
//! ## Notes
//! The reference is nDCG@10 over all queries (exponential gain, expectation over ties). Pairs with exactly equal
//! nDCG do not count. A preference of exactly one half is an error. Pairwise interleaving spends each impression on
//! one pair; the pairs take turns in random order.

use anyhow::Result;
use bandits::{Generator, log_spaced};
use interleave::{AnyInterleaving, AnyMultileaving, Interleaving, Outcome, Preference};
use output::progress::Progress;
use rand::seq::SliceRandom;
use simulation::seed;
use simulation::site::{ImpressionRandomness, Multileaver, Site};

use crate::runner::{NumberedWork, ValuesSpec};

/// A way of comparing several rankers.
#[derive(Debug, Clone)]
pub(super) enum Method {
    /// Two at a time.
    Pairwise(AnyInterleaving),
    /// All in one list.
    Together(AnyMultileaving),
}

impl Method {
    /// Its name in tables and legends.
    #[must_use]
    pub(super) fn label(&self) -> String {
        match self {
            Self::Pairwise(method) => format!("pairwise {method}"),
            Self::Together(method) => method.to_string(),
        }
    }
}

/// What to measure.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Rankers per draw.
    pub(super) rankers: usize,
    /// Impressions after which the error is recorded, ascending.
    pub(super) checkpoints: Vec<u64>,
    /// Draws of rankers.
    pub(super) draws: u64,
    /// The master seed.
    pub(super) seed: u64,
}

/// The impressions after which the error is recorded, up to `impressions`: ten per decade, and 500, for which Schuth et al.
/// tabulate it.
#[must_use]
pub(super) fn checkpoints(impressions: u64) -> Vec<u64> {
    let mut checkpoints = log_spaced(impressions, 10);
    if impressions > 500 && !checkpoints.contains(&500) {
        checkpoints.push(500);
        checkpoints.sort_unstable();
    }
    checkpoints
}

/// Bytes that the errors of a draw take.
#[must_use]
pub(super) fn bytes_of_draw(checkpoints: &[u64]) -> u64 {
    (size_of::<Vec<f64>>() + size_of_val(checkpoints)) as u64
}

/// The binary error at every checkpoint, `[draw][checkpoint]`, of every draw; of those of a shard alone, if `work` is that of one.
///
/// `ndcg` is the nDCG of each arm, the reference. All methods see the same draws of rankers.
///
/// # Errors
/// Those of `NumberedWork::values`.
pub(super) fn errors_of(
    site: &Site,
    ndcg: &[f64],
    method: &Method,
    plan: &Plan,
    work: &NumberedWork,
    progress: &Progress,
) -> Result<Vec<Vec<f64>>> {
    let cell = format!("sensitivity {}", method.label());
    let bytes = bytes_of_draw(&plan.checkpoints);
    work.values(&ValuesSpec { subject: &cell, units: "draws", total: plan.draws, bytes }, |draw| {
        let arms = draw_arms(ndcg, plan.rankers, &mut seed::generator(plan.seed, "sensitivity", draw, "rankers"));
        let stream = |purpose: &str| seed::generator(plan.seed, &cell, draw, purpose);
        let errors = draw_errors(site, ndcg, method, &arms, &plan.checkpoints, stream);
        progress.advance(1);
        errors
    })
}

/// Draws rankers, at least two of them different in nDCG if 100 tries find such a draw.
fn draw_arms(ndcg: &[f64], count: usize, generator: &mut Generator) -> Vec<usize> {
    let mut arms: Vec<usize> = (0..ndcg.len()).collect();
    for _ in 0..100 {
        arms.shuffle(generator);
        if arms[..count].iter().any(|&arm| ndcg[arm] != ndcg[arms[0]]) {
            break;
        }
    }
    arms.truncate(count);
    arms
}

fn draw_errors(
    site: &Site,
    ndcg: &[f64],
    method: &Method,
    arms: &[usize],
    checkpoints: &[u64],
    stream: impl Fn(&str) -> Generator,
) -> Vec<f64> {
    let (mut lists, mut users, mut turns) = (stream("lists"), stream("users"), stream("turns"));
    let mut verdicts = Verdicts::new(arms.len());
    let mut multileaver = Multileaver::default();
    let mut scratch = <AnyInterleaving as Interleaving>::Scratch::default();
    let mut pairs: Vec<(usize, usize)> =
        (0..arms.len()).flat_map(|low| (low + 1..arms.len()).map(move |high| (low, high))).collect();
    let mut errors = Vec::with_capacity(checkpoints.len());
    for impression in 0..checkpoints.last().copied().unwrap_or(0) {
        let query = site.draw_query(&mut lists);
        let randomness = ImpressionRandomness { lists: &mut lists, users: &mut users };
        match method {
            Method::Together(method) => {
                let shown_arms = arms.iter().copied();
                let outcome = site.multileave(method, query, shown_arms, randomness, &mut multileaver);
                for &(low, high) in &pairs {
                    verdicts.add(low, high, outcome.preference(low, high));
                }
            }
            Method::Pairwise(method) => {
                let turn = (impression % pairs.len() as u64) as usize;
                if turn == 0 {
                    pairs.shuffle(&mut turns);
                }
                let (low, high) = pairs[turn];
                let pair = [arms[low], arms[high]];
                let preference = site.interleave(method, query, pair, randomness, &mut scratch);
                verdicts.add(low, high, preference);
            }
        }
        if checkpoints.binary_search(&(impression + 1)).is_ok() {
            errors.push(verdicts.error(|arm| ndcg[arms[arm]]));
        }
    }
    errors
}

/// For each pair i < j: wins of i minus wins of j.
struct Verdicts {
    arms: usize,
    balance: Vec<i64>,
}

impl Verdicts {
    fn new(arms: usize) -> Self {
        Self { arms, balance: vec![0; arms * arms] }
    }

    fn add(&mut self, low: usize, high: usize, preference: Preference) {
        self.balance[low * self.arms + high] += match preference {
            Preference::First => 1,
            Preference::Second => -1,
            Preference::Tie => 0,
        };
    }

    /// The share of pairs with different `truth` that the preferences contradict.
    fn error(&self, truth: impl Fn(usize) -> f64) -> f64 {
        let (mut pairs, mut errors) = (0, 0);
        for low in 0..self.arms {
            for high in low + 1..self.arms {
                let difference = truth(low) - truth(high);
                if difference == 0.0 {
                    continue;
                }
                pairs += 1;
                let balance = self.balance[low * self.arms + high];
                errors += usize::from(balance == 0 || (balance > 0) != (difference > 0.0));
            }
        }
        if pairs == 0 { 0.0 } else { f64::from(errors as u32) / f64::from(pairs) }
    }
}

#[cfg(test)]
mod tests {
    use simulation::example::site;

    use super::*;

    #[test]
    fn errors_fall_with_more_impressions() {
        let rankers: [fn(f64, usize) -> f64; 3] = [
            |label, doc| label * 10.0 + doc as f64,
            |label, doc| label * 1.1 + ((doc * 3) % 5) as f64,
            |label, doc| doc as f64 - label * 10.0,
        ];
        let (dataset, site) = site(9, &rankers);
        let ndcg = site.rankings().ndcg(dataset.labels(), 10, rankers::Gain::Exponential).expect("labels fit");
        let plan = Plan { rankers: 3, checkpoints: vec![1, 2000], draws: 8, seed: 1 };
        for method in [
            Method::Together("team-draft".parse().expect("a method")),
            Method::Together("sosm".parse().expect("a method")),
            Method::Pairwise("probabilistic".parse().expect("a method")),
        ] {
            let (work, progress) = (NumberedWork::all(), Progress::hidden());
            let errors = errors_of(&site, &ndcg, &method, &plan, &work, &progress).expect("nothing is kept");
            let mean = |at: usize| errors.iter().map(|draw| draw[at]).sum::<f64>() / 8.0;
            assert!(mean(0) > 0.1, "{}: one impression cannot order all pairs: {}", method.label(), mean(0));
            assert_eq!(mean(1), 0.0, "{}", method.label());
        }
    }

    #[test]
    fn a_tie_is_an_error_and_equal_rankers_do_not_count() {
        let mut verdicts = Verdicts::new(3);
        verdicts.add(0, 1, Preference::First);
        verdicts.add(0, 2, Preference::Second);
        let truth = [0.5, 0.2, 0.2];
        // (0, 1) is right, (0, 2) is wrong, (1, 2) does not count.
        assert_eq!(verdicts.error(|arm| truth[arm]), 0.5);
        assert_eq!(Verdicts::new(3).error(|arm| truth[arm]), 1.0);
    }
}
