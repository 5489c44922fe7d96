//! P1, P2, P5: what one impression costs on the look-alike of MSLR-WEB30K.

use anyhow::Result;
use bandits::{Arena as _, Arm, Generator, PairWins};
use clicks::{DependentClickModel, FractionalLabels};
use interleave::{AnyInterleaving, AnyMultileaving, CreditTies, ProbabilisticInterleave, Sosm};
use letor_io::{Dataset, FeatureId, lookalike};
use rand::{RngExt, SeedableRng};
use rankers::{Rankings, TieBreaking};
use simulation::live_arena::{IN_STEP, LiveArena};
use simulation::site::{ImpressionRandomness, MixingMethods, Multileaver, Site};

use super::measure::{Row, nanoseconds};

/// Comparisons per repetition.
const COMPARISONS: usize = 400_000;

pub(super) fn rows() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let small = lookalike::generate("mslr-lookalike", 0.01, 1)?;
    let large = lookalike::generate("mslr-lookalike", 0.3, 1)?;
    for (ties, name, blocked, random) in
        [(CreditTies::Same, "same", 40.0, 250.0), (CreditTies::Redrawn, "redrawn", 45.0, 300.0)]
    {
        for click in ["navigational", "perfect", "informational"] {
            // The goals are for navigational clicks.
            let goal = |goal: &'static str, target: f64| {
                if click == "navigational" { (goal, Some(target)) } else { ("", None) }
            };
            let (id, target) = goal("P1", blocked);
            rows.push(Row {
                goal: id,
                what: format!("PI comparison, {click}, ties {name}, all pairs by query"),
                unit: "ns",
                value: query_by_query_cost(&site(&small, 136, click)?, ties),
                target,
            });
            rows.push(Row {
                goal: "",
                what: format!("PI comparison, {click}, ties {name}, each pair separately, by query"),
                unit: "ns",
                value: pair_by_pair_cost(&site(&small, 136, click)?, ties),
                target: None,
            });
            let site = site(&large, 136, click)?;
            let (id, target) = goal("P2", random);
            rows.push(Row {
                goal: id,
                what: format!("PI comparison, {click}, ties {name}, random query of {}", large.queries()),
                unit: "ns",
                value: random_query_cost(&site, ties, IN_STEP),
                target,
            });
            rows.push(Row {
                goal: "",
                what: format!(
                    "PI comparison, {click}, ties {name}, random query of {}, one run at a time",
                    large.queries()
                ),
                unit: "ns",
                value: random_query_cost(&site, ties, 1),
                target: None,
            });
        }
    }
    for (arms, target) in [(5, None), (10, None), (50, None), (136, Some(8.0)), (700, Some(60.0))] {
        rows.push(Row {
            goal: if target.is_some() { "P5" } else { "" },
            what: format!("SOSM multileaving of {arms} rankers, outcome of all pairs"),
            unit: "us",
            value: multileaving(&site(&small, arms, "navigational")?) / 1000.0,
            target,
        });
    }
    Ok(rows)
}

/// A site of `arms` rankers; features repeat if the data set has fewer.
fn site(dataset: &Dataset, arms: usize, click: &str) -> Result<Site> {
    let features: Vec<FeatureId> = (0..arms as u32).map(|arm| FeatureId(arm % dataset.features() + 1)).collect();
    let rankings = Rankings::new(dataset, &features, TieBreaking::Random)?;
    let clicks = DependentClickModel::preset(click, 4.0)?.into();
    rankings.rank_all()?;
    Site::new(dataset, rankings, &clicks, FractionalLabels::Round, 10)
}

/// All pairs on one query, then on the next, as a preference matrix is estimated.
fn query_by_query_cost(site: &Site, ties: CreditTies) -> f64 {
    let method = ProbabilisticInterleave::new(ties);
    let mut chance = Chance::new(0);
    let mut scratch = Default::default();
    let pairs = all_pairs(site.arms());
    let impressions = COMPARISONS.div_ceil(pairs.len()).max(2 * site.queries());
    nanoseconds(impressions * pairs.len(), || {
        for impression in 0..impressions {
            let query = impression % site.queries();
            let lists: Vec<_> = (0..site.arms()).map(|arm| site.rankings().list(query, arm)).collect();
            let randomness = ImpressionRandomness { lists: &mut chance.lists, users: &mut chance.users };
            site.interleave_pairs(&method, query, &lists, &pairs, randomness, &mut scratch, |pair, winner| {
                std::hint::black_box((pair, winner));
            });
        }
    })
}

/// Random pairs, many on one query before the next: the cost where only a few pairs are compared.
fn pair_by_pair_cost(site: &Site, ties: CreditTies) -> f64 {
    let method = ProbabilisticInterleave::new(ties);
    let mut chance = Chance::new(0);
    let mut scratch = Default::default();
    let a_query = 2000;
    nanoseconds(COMPARISONS, || {
        for block in 0..COMPARISONS / a_query {
            let query = block % site.queries();
            for _ in 0..a_query {
                let pair = chance.pair(site.arms());
                let Chance { lists, users, .. } = &mut chance;
                let randomness = ImpressionRandomness { lists, users };
                std::hint::black_box(site.interleave(&method, query, pair, randomness, &mut scratch));
            }
        }
    })
}

fn all_pairs(arms: usize) -> Vec<(u32, u32)> {
    (0..arms as u32).flat_map(|i| (i + 1..arms as u32).map(move |j| (i, j))).collect()
}

/// A random query each time, as in live runs: `runs` runs in step, so that one comparison's memory is prefetched while
/// the others are made.
fn random_query_cost(site: &Site, ties: CreditTies, runs: usize) -> f64 {
    let methods = MixingMethods {
        interleaving: AnyInterleaving::Probabilistic(ProbabilisticInterleave::new(ties)),
        multileaving: AnyMultileaving::Sosm(Sosm::default()),
    };
    let gaps = vec![0.0; site.arms()];
    let mut chances: Vec<Chance> = (0..runs as u64).map(Chance::new).collect();
    let mut arenas: Vec<_> =
        chances.iter().map(|chance| LiveArena::new(site, &methods, &gaps, chance.users.clone(), None)).collect();
    let mut pairs: Vec<[Arm; 2]> = chances.iter_mut().map(|chance| chance.pair(site.arms()).map(Arm::at)).collect();
    nanoseconds(COMPARISONS, || {
        for _ in 0..COMPARISONS / runs {
            for ((arena, chance), pair) in arenas.iter_mut().zip(&mut chances).zip(&mut pairs) {
                std::hint::black_box(arena.duel(pair[0], pair[1], &mut chance.lists));
                *pair = chance.pair(site.arms()).map(Arm::at);
                if runs > 1 {
                    arena.prefetch(pair[0], pair[1], &mut chance.lists);
                }
            }
        }
    })
}

fn multileaving(site: &Site) -> f64 {
    let mut chance = Chance::new(0);
    let (mut multileaver, mut wins) = (Multileaver::default(), PairWins::default());
    let count = 400_000 / site.arms();
    nanoseconds(count, || {
        for impression in 0..count {
            let query = impression % site.queries();
            let arms = 0..site.arms();
            let method = Sosm::default();
            let randomness = ImpressionRandomness { lists: &mut chance.lists, users: &mut chance.users };
            wins.set_scores(site.multileave(&method, query, arms, randomness, &mut multileaver));
            wins.resolve_ties(&mut chance.pairs);
            std::hint::black_box(&wins);
        }
    })
}

struct Chance {
    pairs: Generator,
    lists: Generator,
    users: Generator,
}

impl Chance {
    fn new(run: u64) -> Self {
        let [pairs, lists, users] = [1, 2, 3].map(|stream| Generator::seed_from_u64(3 * run + stream));
        Self { pairs, lists, users }
    }

    /// Two different arms.
    fn pair(&mut self, arms: usize) -> [usize; 2] {
        let first = self.pairs.random_range(0..arms);
        let second = self.pairs.random_range(0..arms - 1);
        [first, second + usize::from(second >= first)]
    }
}
