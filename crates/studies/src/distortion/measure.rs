//! Distortion: how often a multileaving prefers another ranker to the best one.
//!
//! Brost et al. (<https://doi.org/10.1145/2983323.2983659>, section 4.2.6): random sets of m rankers
//! that include the Condorcet winner of pairwise interleaving are multileaved a few thousand times each. The
//! distortion of a set is the share of the other rankers that beat the winner in more than half of the
//! multileavings, with ties broken by a coin; the result is the mean over sets.
//!
//! ## Notes
//! The paper does not state whether the share is of m or of m - 1 rankers; its values for m = 3 are
//! multiples of 1/60, so it is m - 1. Rankers that return the same lists as the winner are left out of the
//! sets: they are as good as the winner.

use anyhow::Result;
use bandits::Generator;
use interleave::{AnyMultileaving, CreditTies, Outcome, Preference};
use output::progress::Progress;
use rand::RngExt;
use serde::Serialize;
use simulation::description::SiteDescription;
use simulation::sample::draw_first;
use simulation::seed;
use simulation::site::{ImpressionRandomness, Multileaver, Site};

use crate::results::SampleSummary;
use crate::runner::{NumberedWork, ValuesSpec};

/// Why there is nothing to measure where no ranker beats all others, and what else may be chosen; `same_ties` is how the
/// caller writes that ties count the same way in every list.
#[must_use]
pub fn no_winner_error(site: &SiteDescription, same_ties: &str) -> String {
    let mut advice = Vec::new();
    if site.credit_ties != CreditTies::Same {
        advice.push(same_ties.to_owned());
    }
    if !["perfect", "navigational"].contains(&site.click.model.as_str()) {
        advice.push(format!("users who distinguish documents better than {} (navigational)", site.click.model));
    }
    advice.extend(["other rankers", "more queries"].map(str::to_owned));
    let last_remedy = advice.pop().unwrap_or_default();
    format!(
        "distortion needs a ranker that beats all others, and none of these is known to (Condorcet winner); try {} or {last_remedy}",
        advice.join(", ")
    )
}

/// What to measure.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Rankers per set, including the winner: at least 2.
    pub size: usize,
    /// Multileavings per set.
    pub multileavings: u64,
    /// Number of sets.
    pub sets: u64,
    /// The master seed.
    pub seed: u64,
}

/// The distortion for one set size.
#[derive(Debug, Clone, Serialize)]
pub struct Distortion {
    /// Rankers per set, including the winner.
    pub size: usize,
    /// Share of the other rankers that beat the winner, over sets.
    pub share: SampleSummary,
}

impl Distortion {
    /// The distortion of sets of `size` rankers with these shares.
    #[must_use]
    pub fn of(size: usize, shares: &[f64]) -> Self {
        Self { size, share: SampleSummary::of(shares) }
    }
}

/// Bytes that the result of a set takes.
pub const BYTES_OF_SET: u64 = size_of::<f64>() as u64;

/// The distortion of each set; of the sets of a shard alone, if `work` is that of one.
///
/// # Errors
/// Those of `NumberedWork::values`.
///
/// # Panics
/// If there are too few arms for the plan's set size, or `winners` is empty.
pub fn loss_shares(
    site: &Site,
    method: &AnyMultileaving,
    winners: &[usize],
    plan: Plan,
    work: &NumberedWork,
    progress: &Progress,
) -> Result<Vec<f64>> {
    let losers: Vec<usize> = (0..site.arms()).filter(|arm| !winners.contains(arm)).collect();
    assert!(plan.size >= 2 && plan.size <= losers.len() + 1, "checked by the caller");
    let cell = format!("distortion {} {method}", plan.size);
    work.values(&ValuesSpec { subject: &cell, units: "sets", total: plan.sets, bytes: BYTES_OF_SET }, |set| {
        let stream = |purpose: &str| seed::generator(plan.seed, &cell, set, purpose);
        let arms = draw_set(winners[0], &losers, plan.size, &mut stream("set"));
        let share = set_shares(site, method, &arms, plan.multileavings, stream);
        progress.advance(1);
        share
    })
}

/// The winner followed by `size` - 1 of the others, drawn without replacement.
fn draw_set(winner: usize, losers: &[usize], size: usize, generator: &mut Generator) -> Vec<usize> {
    let mut pool = losers.to_vec();
    draw_first(&mut pool, size - 1, generator);
    std::iter::once(winner).chain(pool.into_iter().take(size - 1)).collect()
}

/// The share of `arms[1..]` that beat `arms[0]` in more than half of the multileavings.
fn set_shares(
    site: &Site,
    method: &AnyMultileaving,
    arms: &[usize],
    multileavings: u64,
    stream: impl Fn(&str) -> Generator,
) -> f64 {
    let (mut lists, mut users, mut coins) = (stream("lists"), stream("users"), stream("coins"));
    let mut multileaver = Multileaver::default();
    let mut wins = vec![0_u64; arms.len()];
    for _ in 0..multileavings {
        let query = site.draw_query(&mut lists);
        let randomness = ImpressionRandomness { lists: &mut lists, users: &mut users };
        let outcome = site.multileave(method, query, arms.iter().copied(), randomness, &mut multileaver);
        for (loser, wins) in wins.iter_mut().enumerate().skip(1) {
            let won = match outcome.preference(loser, 0) {
                Preference::First => true,
                Preference::Second => false,
                Preference::Tie => coins.random_bool(0.5),
            };
            *wins += u64::from(won);
        }
    }
    let ahead = wins[1..].iter().filter(|wins| **wins * 2 > multileavings).count();
    ahead as f64 / (arms.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use simulation::example::site;

    use super::*;

    const RANKERS: [fn(f64, usize) -> f64; 4] = [
        |label, doc| label * 10.0 + doc as f64,
        |label, doc| doc as f64 - label * 10.0,
        |label, doc| ((doc * 3) % 5) as f64 - label * 4.0,
        |label, doc| -label - 0.01 * doc as f64,
    ];

    fn share(winner: usize) -> f64 {
        let (_, site) = site(9, &RANKERS);
        let plan = Plan { size: 3, multileavings: 400, sets: 6, seed: 1 };
        let method = "sosm".parse().expect("a method");
        let (work, progress) = (NumberedWork::all(), Progress::hidden());
        let shares = loss_shares(&site, &method, &[winner], plan, &work, &progress).expect("nothing is kept");
        Distortion::of(plan.size, &shares).share.mean
    }

    #[test]
    fn no_ranker_beats_the_best_and_many_beat_the_worst() {
        assert_eq!(share(0), 0.0);
        assert!(share(3) > 0.4, "{}", share(3));
    }

    #[test]
    fn sets_start_with_the_winner_and_have_no_duplicates() {
        let mut generator = seed::generator(1, "test", 0, "set");
        for size in 2..=5 {
            let set = draw_set(7, &[1, 2, 3, 4], size, &mut generator);
            assert_eq!((set.len(), set[0]), (size, 7));
            let mut sorted = set.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), size);
        }
    }
}
