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

use std::sync::Arc;

use anyhow::{Result, ensure};
use bandits::Generator;
use clap::Args;
use interleave::{AnyMultileaving, CreditTies, Outcome, Preference};
use output::numbers::{parse_positive, with_separators};
use output::progress::{Progress, foresee};
use output::shards::Share;
use output::tell::note;
use output::usage::usage;
use rand::RngExt;
use serde::Serialize;
use simulation::description::SiteDescription;
use simulation::sample::draw_first;
use simulation::seed;
use simulation::site::{ImpressionRandomness, Multileaver, Site};
use simulation::spec::SiteSpec;
use simulation::truth::{GroundTruth, RegretMeasure};

use crate::notes;
use crate::on_site::{OnSite, UsualPlace};
use crate::report::{Content, Report};
use crate::results::{Spread, VERSION};
use crate::runner::share::first_revision;
use crate::runner::{Keeper, NumberedWork, Order, Values, Workplace};
use crate::runner::{Study, Units};
use crate::site::{OpenSite, TruthRequest};

/// What to measure, on a site.
#[derive(Debug, Clone, Args)]
pub struct Request {
    /// Rankers per set, including the Condorcet winner [default: 3,10,100, as far as there are enough rankers]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = parse_positive)]
    sizes: Vec<u64>,

    /// Multileavings per set of rankers
    #[arg(long, value_name = "N", default_value = "3000", value_parser = parse_positive)]
    multileavings: u64,

    /// Random sets of rankers per size
    #[arg(long, alias = "runs", value_name = "N", default_value = "30", value_parser = parse_positive)]
    sets: u64,

    #[command(flatten)]
    truth: TruthRequest,
}

/// What was asked for, and, once it is known, what it was measured with.
#[derive(Serialize)]
pub struct Config {
    command: &'static str,
    version: &'static str,
    seed: u64,
    multileavings: u64,
    sets: u64,
    site: SiteDescription,
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<GroundTruth>,
}

/// The distortion of a site's multileaving.
pub struct DistortionStudy {
    site: Arc<OpenSite>,
    request: Request,
    seed: u64,
    /// The sizes of sets that the place holds results for.
    held: Option<Vec<u64>>,
}

impl OnSite for DistortionStudy {
    type Request = Request;
    const ABOUT: &'static str = "Measure how often a multileaving prefers another ranker to the best one";
    const DETAILS: &'static str = "The distortion of a random set of rankers is the share that beats the Condorcet winner when the \
        whole set is multileaved. Prints the mean over sets. With --out, writes distortion.csv, summary.json and config.json to \
        that folder, or one JSON file if its name ends in .json: the site, its ground truth, and, per set size, the share of \
        rankers that beat the winner (over sets).";
    const EXAMPLES: &'static str = "  rankduel distortion --rankers 20 --sizes 3,10         sets of three and of ten of twenty rankers\n  \
        rankduel distortion --multileave team-draft --click perfect --sets 100 --out distortion.json";
    const USUAL_PLACE: UsualPlace = UsualPlace::Memory;

    fn check(request: &Request, _site: &SiteSpec, share: &Share) -> Result<()> {
        NumberedWork::ensure_room(share, "sets", request.sets, BYTES_OF_SET)
    }

    fn on(site: Arc<OpenSite>, request: Request, seed: u64) -> Result<Self> {
        let arms = site.prepared.site.arms();
        let study = Self { site, request, seed, held: None };
        // Before any work.
        study.sizes(arms)?;
        Ok(study)
    }
}

/// What is known before sets are drawn.
pub struct Settled {
    truth: GroundTruth,
    sizes: Vec<u64>,
}

impl Study for DistortionStudy {
    const COMMAND: &'static str = "distortion";
    type Config = Config;
    type Settled = Settled;
    type Found = Vec<Distortion>;

    fn prepare(&self, order: &Order) -> Result<Option<String>> {
        let truth = self.truth(order.quiet)?;
        Ok(Some(truth.describe(|arm| self.description().label(arm))))
    }

    fn key(&self) -> Config {
        self.configured(None)
    }

    fn extend(&mut self, place: &Workplace) -> Result<()> {
        let held = place.held().and_then(|held| {
            let sizes = held["distortion"].as_array().or_else(|| held["sizes"].as_array())?.iter();
            Some(sizes.filter_map(|of_size| of_size.as_u64().or_else(|| of_size["size"].as_u64())).collect())
        });
        self.held = held.filter(|_| !matches!(place.share(), Share::One(_)));
        Ok(())
    }

    fn settle(&self, place: &Workplace) -> Result<Settled> {
        let truth = self.truth(place.quiet())?;
        let sizes = self.sizes(self.site.prepared.site.arms() - truth.winners.len() + 1)?;
        ensure!(
            self.held.as_ref().is_none_or(|held| *held == sizes),
            usage(format!(
                "{} holds results for the sizes {:?}, not {sizes:?}; choose another --out, or add --replace to move that aside",
                place.name(),
                self.held.as_deref().unwrap_or_default()
            ))
        );
        Ok(Settled { truth, sizes })
    }

    fn config(&self, settled: &Settled) -> Config {
        self.configured(Some(settled))
    }

    fn units(&self, settled: &Settled) -> Units {
        let records = settled.sizes.len() as u64;
        Units { unit: "set", total: self.request.sets, records, revisions: first_revision(Self::COMMAND) }
    }

    fn play(&self, Settled { truth, sizes }: &Settled, keeper: &Keeper<'_>) -> Result<Vec<Distortion>> {
        let Request { multileavings, sets, .. } = self.request;
        let all = keeper.share_of(sets).saturating_mul(sizes.len() as u64);
        foresee("multileavings", all, multileavings, keeper.quiet());
        let progress = Progress::new("multileaving", all, keeper.quiet());
        let prepared = &self.site.prepared;
        let of_size = |&size: &u64| {
            let plan = Plan { size: size as usize, multileavings, sets, seed: self.seed };
            let method = &prepared.methods.multileaving;
            let shares = shares_of(&prepared.site, method, &truth.winners, plan, keeper.numbered(), &progress)?;
            Ok(Distortion::of(plan.size, &shares))
        };
        let distortion = sizes.iter().map(of_size).collect();
        progress.finish();
        distortion
    }

    fn report(&self, settled: &Settled, found: &Vec<Distortion>) -> Result<Report> {
        #[derive(Serialize)]
        struct Summary<'a> {
            #[serde(flatten)]
            key: Config,
            truth: &'a GroundTruth,
            distortion: &'a [Distortion],
        }
        let summary = Summary { key: self.key(), truth: &settled.truth, distortion: found };
        let rows = found.iter().map(|Distortion { size, share }| {
            let Spread { mean, standard_deviation, standard_error, min, max } = *share;
            (size, self.request.sets, mean, standard_deviation, standard_error, min, max)
        });
        let header = ["size", "sets", "mean", "standard_deviation", "standard_error", "min", "max"];
        Ok(Report::new(self.text(settled, found), &summary)?
            .with("distortion.csv", Content::Table(output::csv(&header, rows)?))
            .with("summary.json", Content::json(&summary)?))
    }
}

impl DistortionStudy {
    fn description(&self) -> &SiteDescription {
        &self.site.prepared.description
    }

    fn configured(&self, settled: Option<&Settled>) -> Config {
        Config {
            command: Self::COMMAND,
            version: VERSION,
            seed: self.seed,
            multileavings: self.request.multileavings,
            sets: self.request.sets,
            site: self.description().clone(),
            sizes: settled.map(|settled| settled.sizes.clone()),
            truth: settled.map(|settled| settled.truth.clone()),
        }
    }

    /// The ground truth, which must have a winner.
    fn truth(&self, quiet: bool) -> Result<GroundTruth> {
        // Said before the ground truth, which takes longest where it finds no winner.
        if notes::are_vague(self.description()) {
            let clicks = &self.description().click.model;
            note(
                quiet,
                &format!(
                    "{clicks} clicks hardly distinguish documents: without a ranker that beats all others there is no distortion to measure"
                ),
            );
        }
        let truth = self.site.truth(&self.request.truth, self.seed, quiet)?;
        ensure!(truth.measure == RegretMeasure::Condorcet, "{}", no_winner(self.description(), "--credit-ties same"));
        Ok(truth)
    }

    /// The set sizes to measure, if at most `most` rankers fit into one set.
    fn sizes(&self, most: usize) -> Result<Vec<u64>> {
        let (arms, most) = (self.site.prepared.site.arms(), most as u64);
        ensure!(most >= 2, usage("distortion needs at least two rankers whose lists differ; choose other --rankers"));
        if self.request.sizes.is_empty() {
            let mut sizes = [3, 10, 100].map(|size| size.min(most)).to_vec();
            sizes.dedup();
            return Ok(sizes);
        }
        for (at, &size) in self.request.sizes.iter().enumerate() {
            ensure!(
                (2..=most).contains(&size),
                usage(format!("--sizes {size}: expected 2 to {most}, because there are {arms} rankers"))
            );
            ensure!(
                !self.request.sizes[..at].contains(&size),
                usage(format!("--sizes {size} is given twice; give each size once"))
            );
        }
        Ok(self.request.sizes.clone())
    }

    fn text(&self, settled: &Settled, found: &[Distortion]) -> String {
        let site = self.description();
        let mut lines = vec![
            settled.truth.describe(|arm| site.label(arm)),
            format!(
                "{} clicks, {} multileaving, credit ties {}",
                site.click.model,
                site.multileave,
                site.credit_ties.name()
            ),
        ];
        for distortion in found {
            let error = if self.request.sets > 1 {
                format!(" (standard error {:.1})", 100.0 * distortion.share.standard_error)
            } else {
                String::new()
            };
            lines.push(format!(
                "{:>5} rankers: {:5.1}% of the others beat the winner{error}",
                with_separators(distortion.size as u64),
                100.0 * distortion.share.mean
            ));
        }
        lines.extend(site.note());
        lines.join("\n")
    }
}

/// Why there is nothing to measure where no ranker beats all others, and what else may be chosen; `same_ties` is how the
/// caller writes that ties count the same way in every list.
#[must_use]
pub fn no_winner(site: &SiteDescription, same_ties: &str) -> String {
    let mut advice = Vec::new();
    if site.credit_ties != CreditTies::Same {
        advice.push(same_ties.to_owned());
    }
    if !["perfect", "navigational"].contains(&site.click.model.as_str()) {
        advice.push(format!("users who distinguish documents better than {} (navigational)", site.click.model));
    }
    advice.extend(["other rankers", "more queries"].map(str::to_owned));
    let last = advice.pop().unwrap_or_default();
    format!(
        "distortion needs a ranker that beats all others, and none of these is known to (Condorcet winner); try {} or {last}",
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
    pub share: Spread,
}

impl Distortion {
    /// The distortion of sets of `size` rankers with these shares.
    #[must_use]
    pub fn of(size: usize, shares: &[f64]) -> Self {
        Self { size, share: Spread::of(shares) }
    }
}

/// Measures the distortion of `method` against `winners`, the best arms.
///
/// # Panics
/// If there are too few arms for the plan's set size, or `winners` is empty.
#[must_use]
pub fn measure(
    site: &Site,
    method: &AnyMultileaving,
    winners: &[usize],
    plan: Plan,
    progress: &Progress,
) -> Distortion {
    let shares = shares_of(site, method, winners, plan, &NumberedWork::all(), progress).expect("nothing is kept");
    Distortion::of(plan.size, &shares)
}

/// Bytes that the result of a set takes.
pub const BYTES_OF_SET: u64 = size_of::<f64>() as u64;

/// The distortion of each set; of the sets of a shard alone, if `work` is that of one.
///
/// # Errors
/// Those of `NumberedWork::values`.
///
/// # Panics
/// As for [`measure`].
pub fn shares_of(
    site: &Site,
    method: &AnyMultileaving,
    winners: &[usize],
    plan: Plan,
    work: &NumberedWork,
    progress: &Progress,
) -> Result<Vec<f64>> {
    let others: Vec<usize> = (0..site.arms()).filter(|arm| !winners.contains(arm)).collect();
    assert!(plan.size >= 2 && plan.size <= others.len() + 1, "checked by the caller");
    let cell = format!("distortion {} {method}", plan.size);
    work.values(&Values { subject: &cell, units: "sets", total: plan.sets, bytes: BYTES_OF_SET }, |set| {
        let stream = |purpose: &str| seed::generator(plan.seed, &cell, set, purpose);
        let arms = draw_set(winners[0], &others, plan.size, &mut stream("set"));
        let share = one_set(site, method, &arms, plan.multileavings, stream);
        progress.advance(1);
        share
    })
}

/// The winner followed by `size` - 1 of the others, drawn without replacement.
fn draw_set(winner: usize, others: &[usize], size: usize, generator: &mut Generator) -> Vec<usize> {
    let mut pool = others.to_vec();
    draw_first(&mut pool, size - 1, generator);
    std::iter::once(winner).chain(pool.into_iter().take(size - 1)).collect()
}

/// The share of `arms[1..]` that beat `arms[0]` in more than half of the multileavings.
fn one_set(
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
        for (other, wins) in wins.iter_mut().enumerate().skip(1) {
            let won = match outcome.preference(other, 0) {
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
        measure(&site, &method, &[winner], plan, &Progress::hidden()).share.mean
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
