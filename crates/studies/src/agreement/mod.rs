//! Whether interleaving and A/B tests agree on pairs of rankers, impression by impression. Experiments of papers show it; no command does.
//!
//! For each of a number of random pairs, every method plays by itself for the requested number of impressions:
//!
//! * an interleaving method shows mixed lists, and prefers the ranker that won more of them;
//! * an A/B test shows each user the list of one of the two alone, half of the users each, and prefers the ranker with more clicks per
//!   impression, or the one with a click on more impressions.
//!
//! The truth of a pair is which ranker has more clicks per impression, each shown alone: the difference that click-through rate means in
//! H. Oosterhuis, M. de Rijke, "Taking the Counterfactual Online: Efficient and Unbiased Online Evaluation for Ranking", ICTIR 2020,
//! <https://doi.org/10.1145/3409256.3409820>. It is estimated from users of their own, who see both lists for the same queries.

use anyhow::Result;
use bandits::Generator;
use interleave::{AnyInterleaving, Doc, Interleaving, Preference};
use output::progress::Progress;
use rand::RngExt as _;
use serde::{Deserialize, Serialize};
use simulation::seed;
use simulation::site::{ImpressionRandomness, Site};

use crate::runner::{NumberedWork, ValuesSpec};

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The interleaving methods.
    pub methods: Vec<AnyInterleaving>,
    /// Impressions after which preferences are recorded, ascending.
    pub horizons: Vec<u64>,
    /// Random pairs of rankers.
    pub pairs: u64,
    /// The master seed.
    pub seed: u64,
}

impl Plan {
    /// The names of methods, in the order of results: the interleaving methods, then [`AB_TESTS`].
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        let methods = self.methods.iter().map(ToString::to_string);
        methods.chain(AB_TESTS.map(str::to_owned)).collect()
    }

    /// Bytes that the result of a pair takes.
    #[must_use]
    pub fn bytes_of_pair(&self) -> u64 {
        ((self.methods.len() + AB_TESTS.len()) * self.horizons.len() * size_of::<f64>()) as u64
    }
}

/// The A/B tests: by clicks per impression, and by the share of impressions with a click.
pub const AB_TESTS: [&str; 2] = ["A/B test, clicks", "A/B test, impressions with a click"];

/// The results of a pair.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub struct PairAgreement {
    /// Whether the first ranker, that of the lower number, has more clicks per impression; `None` if the difference is within four standard
    /// errors in every pair that was tried.
    pub first_is_better: Option<bool>,
    /// By how much methods prefer the first ranker, `[method][horizon]`: interleaving, half of the share of impressions that it won minus those that it lost;
    /// A/B tests, the difference of clicks per impression, or of shares of impressions.
    pub leads: Vec<Vec<f64>>,
}

impl PairAgreement {
    /// 1 if a method prefers the worse ranker, 1/2 if it prefers neither, `None` without a truth.
    #[must_use]
    pub fn error(&self, method: usize, horizon: usize) -> Option<f64> {
        let lead = self.leads[method][horizon];
        self.first_is_better.map(|first| match lead {
            0.0 => 0.5,
            lead if (lead > 0.0) == first => 0.0,
            _ => 1.0,
        })
    }
}

/// The truth is estimated from this many times the impressions of the last horizon, so that some of the pairs are not resolved by these.
const TRUTH: u64 = 20;
/// Pairs that are tried until one has a difference.
const TRIES: usize = 30;

/// The results of all pairs; of the pairs of a shard alone, if `work` is that of one.
///
/// # Errors
/// Those of `NumberedWork::values`.
///
/// # Panics
/// If the site has fewer than two rankers, or there are no horizons.
pub fn pair_agreements(
    site: &Site,
    plan: &Plan,
    work: &NumberedWork,
    progress: &Progress,
) -> Result<Vec<PairAgreement>> {
    assert!(site.arms() >= 2 && !plan.horizons.is_empty(), "checked by the caller");
    let values = ValuesSpec { subject: "agreement", units: "pairs", total: plan.pairs, bytes: plan.bytes_of_pair() };
    work.values(&values, |number| {
        let agreement_of_pair =
            pair_agreement(site, plan, |purpose| seed::generator(plan.seed, "agreement", number, purpose));
        progress.advance(1);
        agreement_of_pair
    })
}

fn pair_agreement(site: &Site, plan: &Plan, stream: impl Fn(&str) -> Generator) -> PairAgreement {
    let last_horizon = plan.horizons.last().copied().unwrap_or(1);
    let mut draws = [stream("pair"), stream("lists of the truth"), stream("users of the truth")];
    let (mut pair, mut first_is_better) = ([0, 1], None);
    // With two rankers there is one pair.
    for _ in 0..if site.arms() > 2 { TRIES } else { 1 } {
        let [pairs, lists, users] = &mut draws;
        let first_arm = pairs.random_range(0..site.arms());
        let second_arm = (first_arm + pairs.random_range(1..site.arms())) % site.arms();
        pair = [first_arm.min(second_arm), first_arm.max(second_arm)];
        first_is_better = truth(site, pair, TRUTH * last_horizon, [lists, users]);
        if first_is_better.is_some() {
            break;
        }
    }
    let mut leads = Vec::new();
    for method in &plan.methods {
        let mut impression = Impressions::new(
            site,
            pair,
            [&format!("lists of {method}"), &format!("users of {method}")].map(|s| stream(s)),
        );
        let mut scratch = <AnyInterleaving as Interleaving>::Scratch::default();
        leads.push(impression.interleaved(method, &plan.horizons, &mut scratch));
    }
    leads.extend(
        Impressions::new(site, pair, ["lists of the A/B test", "users of the A/B test"].map(stream))
            .split(&plan.horizons),
    );
    PairAgreement { first_is_better, leads }
}

/// Which of a pair has more clicks per impression, if the difference is more than four standard errors.
fn truth(site: &Site, pair: [usize; 2], impressions: u64, [lists, users]: [&mut Generator; 2]) -> Option<bool> {
    let mut order: Vec<Doc> = Vec::new();
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..impressions {
        let query = site.draw_query(lists);
        let [first, second] = pair.map(|arm| {
            let randomness = ImpressionRandomness { lists: &mut *lists, users: &mut *users };
            f64::from(site.show_alone(query, arm, randomness, &mut order))
        });
        sum += first - second;
        squares += (first - second) * (first - second);
    }
    let n = impressions as f64;
    let error = ((squares / n - (sum / n) * (sum / n)).max(0.0) / n).sqrt();
    ((sum / n).abs() > 4.0 * error && sum != 0.0).then_some(sum > 0.0)
}

/// Impressions of a pair, each with a user of its own.
struct Impressions<'a> {
    site: &'a Site,
    pair: [usize; 2],
    lists: Generator,
    users: Generator,
}

impl<'a> Impressions<'a> {
    fn new(site: &'a Site, pair: [usize; 2], [lists, users]: [Generator; 2]) -> Self {
        Self { site, pair, lists, users }
    }

    /// Half of the wins of the first ranker minus its losses, as a share of impressions.
    fn interleaved(
        &mut self,
        method: &AnyInterleaving,
        horizons: &[u64],
        scratch: &mut <AnyInterleaving as Interleaving>::Scratch,
    ) -> Vec<f64> {
        let (mut played, mut lead) = (0, 0_i64);
        let until = |&horizon: &u64| {
            for _ in played..horizon {
                let query = self.site.draw_query(&mut self.lists);
                let randomness = ImpressionRandomness { lists: &mut self.lists, users: &mut self.users };
                lead += match self.site.interleave(method, query, self.pair, randomness, scratch) {
                    Preference::First => 1,
                    Preference::Second => -1,
                    Preference::Tie => 0,
                };
            }
            played = horizon;
            0.5 * lead as f64 / horizon as f64
        };
        horizons.iter().map(until).collect()
    }

    /// The differences of both [`AB_TESTS`], with every second user in the same group.
    fn split(&mut self, horizons: &[u64]) -> [Vec<f64>; 2] {
        let mut order: Vec<Doc> = Vec::new();
        let mut clicks_by_ranker = [Vec::new(), Vec::new()];
        let (mut played, mut users, mut clicks, mut clicked) = (0, [0.0; 2], [0.0; 2], [0.0; 2]);
        for &horizon in horizons {
            for impression in played..horizon {
                let group = (impression % 2) as usize;
                let query = self.site.draw_query(&mut self.lists);
                let randomness = ImpressionRandomness { lists: &mut self.lists, users: &mut self.users };
                let count = self.site.show_alone(query, self.pair[group], randomness, &mut order);
                users[group] += 1.0;
                clicks[group] += f64::from(count);
                clicked[group] += f64::from(u8::from(count > 0));
            }
            played = horizon;
            let difference = |sums: [f64; 2]| sums[0] / users[0] - sums[1] / f64::max(users[1], 1.0);
            clicks_by_ranker[0].push(difference(clicks));
            clicks_by_ranker[1].push(difference(clicked));
        }
        clicks_by_ranker
    }
}

#[cfg(test)]
mod tests {
    use clicks::DependentClickModel;
    use simulation::example::{site_of, site_of_users};

    use super::*;

    fn plan() -> Plan {
        let methods = ["team-draft", "probabilistic"].map(|name| name.parse().expect("a method")).to_vec();
        Plan { methods, horizons: vec![10, 4_000], pairs: 4, seed: 1 }
    }

    fn found(site: &Site) -> Vec<PairAgreement> {
        pair_agreements(site, &plan(), &NumberedWork::all(), &Progress::hidden()).expect("nothing is kept")
    }

    #[test]
    fn methods_find_the_better_ranker() {
        // Users examine everything, but leave after a click on the best documents: the order matters to what they click.
        let users = DependentClickModel::custom("0:0.1,1:0.2,2:0.9", "0:0,1:0,2:1").expect("probabilities");
        let (_, site) = site_of(3, &[|label, _| label, |label, _| -label], &users.into());
        let with_order = found(&site);
        assert!(with_order.iter().all(|pair| pair.first_is_better.is_some()), "{with_order:?}");
        let labels = plan().labels();
        assert_eq!(labels.len(), 4);
        for pair in &with_order {
            assert_eq!(pair.leads.len(), 4);
            // The relevant documents first mean fewer clicks, and interleaving prefers them.
            assert_eq!((pair.first_is_better, pair.error(0, 1), pair.error(1, 1)), (Some(false), Some(1.0), Some(1.0)));
            assert_eq!(pair.error(2, 1), Some(0.0), "{pair:?}");
        }
    }

    #[test]
    fn lists_of_the_same_documents_have_no_truth_if_all_is_examined() {
        let (_, site) = site_of_users(3, &[|label, _| label, |label, _| -label], "0:0.1,1:0.2,2:0.5");
        for pair in found(&site) {
            assert_eq!((pair.first_is_better, pair.error(0, 0)), (None, None));
            assert!(pair.leads[2][1].abs() < 0.1, "{pair:?}");
        }
    }

    #[test]
    fn threads_do_not_matter() {
        let (_, site) =
            site_of_users(5, &[|label, doc| label + doc as f64, |_, _| 1.0, |label, _| label], "0:0.1,1:0.2,2:0.5");
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| found(&site))
        };
        assert_eq!(with(1), with(3));
    }
}
