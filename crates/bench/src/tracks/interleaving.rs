//! (e): which way of mixing two lists finds the right ranker with the fewest users?
//!
//! A problem is a pair of rankers of a synthetic data set with one kind of user. The ranker with the higher nDCG is right. A method
//! mixes the lists of both for one user after another, and the ranker that has won more impressions leads. In each run we note after
//! which impression the right ranker leads for good, and whether it leads in the end; a tie is not a lead.

use anyhow::{Context, Result};
use interleave::{AnyInterleaving, Interleaving};
use ranktypes::Preference;
use simulation::prepared_site::PreparedSite;
use simulation::seed;
use simulation::site::ImpressionRandomness;
use simulation::spec::SiteSpec;

use super::{Measure, Summary, Values};
use crate::definition::InterleavingTrack;

/// The least difference of nDCG between the rankers of a pair, and the largest, so that pairs are neither alike nor obvious.
const DIFFERENCES: (f64, f64) = (0.01, 0.06);

pub(super) fn measures() -> Vec<Measure> {
    vec![
        Measure {
            name: "impressions".to_owned(),
            unit: "until the right ranker leads for good in 95% of the runs".to_owned(),
            more_is_better: false,
            summary: Summary::MostRuns,
        },
        Measure {
            name: "wrong in the end".to_owned(),
            unit: "of the runs".to_owned(),
            more_is_better: false,
            summary: Summary::Mean,
        },
    ]
}

/// The names of the problems, by users and pair.
pub(crate) fn problem_names(definition: &InterleavingTrack) -> Vec<String> {
    let names_with_clicks =
        |clicks: &String| (1..=definition.pairs).map(|pair| format!("{clicks}-{pair}")).collect::<Vec<_>>();
    definition.clicks.iter().flat_map(names_with_clicks).collect()
}

/// A way of mixing two lists.
pub(crate) struct Method(AnyInterleaving);

impl Method {
    pub(crate) fn name(&self) -> String {
        self.0.to_string()
    }
}

/// Every interleaving method.
pub(crate) fn methods() -> Vec<Method> {
    AnyInterleaving::NAMES.iter().filter_map(|name| name.parse().ok()).map(Method).collect()
}

/// The sites of the track: one per kind of user.
pub struct Arena {
    sites: Vec<PreparedSite>,
    /// The right ranker of each pair, and the wrong one.
    pairs: Vec<[usize; 2]>,
    impressions: u64,
}

impl Arena {
    /// Makes the data set and its users.
    pub(crate) fn open(definition: &InterleavingTrack) -> Result<Self> {
        let site = |clicks: &String| {
            let spec = SiteSpec {
                dataset: vec![definition.dataset.clone()],
                click: clicks.parse().map_err(|error| anyhow::anyhow!("{clicks}: {error}"))?,
                ..SiteSpec::default()
            };
            spec.prepare(spec.open(None, None)?.into(), 1)
        };
        let sites: Vec<PreparedSite> = definition.clicks.iter().map(site).collect::<Result<_>>()?;
        let ndcg = sites.first().context("there are users")?.ndcg()?;
        let pairs = pairs_of(&ndcg, definition.pairs as usize);
        Ok(Self { sites, pairs, impressions: definition.impressions })
    }

    /// One run of a method. All methods draw the queries of their first impressions from the same stream.
    pub(crate) fn play(&self, key: &str, problem: usize, run: u64, Method(method): &Method) -> Values {
        let site = &self.sites[problem / self.pairs.len()].site;
        let pair = self.pairs[problem % self.pairs.len()];
        let cell = format!("bench {key} interleaving {problem}");
        let [mut lists, mut users] = ["lists", "users"].map(|purpose| seed::generator(0, &cell, run, purpose));
        let mut scratch = <AnyInterleaving as Interleaving>::Scratch::default();
        let (mut lead, mut leads_from) = (0_i64, None);
        for impression in 1..=self.impressions {
            let query = site.draw_query(&mut lists);
            let randomness = ImpressionRandomness { lists: &mut lists, users: &mut users };
            lead += match site.interleave(method, query, pair, randomness, &mut scratch) {
                Preference::First => 1,
                Preference::Second => -1,
                Preference::Tie => 0,
            };
            leads_from = if lead > 0 { leads_from.or(Some(impression)) } else { None };
        }
        // One that does not lead in the end may never have done so.
        let impressions = leads_from.unwrap_or(self.impressions + 1);
        vec![Some(impressions as f64), Some(f64::from(u8::from(lead < 0)))]
    }
}

/// The pairs, the right ranker first: drawn from all with a difference that is neither small nor large.
fn pairs_of(ndcg: &[f64], count: usize) -> Vec<[usize; 2]> {
    let all_pairs = (0..ndcg.len()).flat_map(|i| (0..ndcg.len()).map(move |j| [i, j]));
    let is_wanted = |&[better, worse]: &[usize; 2]| {
        let difference = ndcg[better] - ndcg[worse];
        difference >= DIFFERENCES.0 && difference <= DIFFERENCES.1
    };
    let mut pairs: Vec<[usize; 2]> = all_pairs.filter(is_wanted).collect();
    bandits::random::shuffle(&mut seed::generator(0, "bench pairs", 0, "pairs"), &mut pairs);
    pairs.truncate(count);
    pairs
}
