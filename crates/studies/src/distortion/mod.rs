//! How often a multileaving prefers another ranker to the best one: the study. `measure` has the measure.

mod measure;

use std::sync::Arc;

use anyhow::{Result, ensure};
use clap::Args;
use output::messages::note;
use output::numbers::{parse_positive, with_separators};
use output::progress::{Progress, foresee};
use output::shards::Share;
use output::usage::usage;
use serde::Serialize;
use simulation::description::SiteDescription;
use simulation::spec::SiteSpec;
use simulation::truth::{GroundTruth, RegretMeasure};

pub use self::measure::{BYTES_OF_SET, Distortion, Plan, loss_shares, no_winner_error};
use crate::notes;
use crate::report::{Content, Report};
use crate::results::{SampleSummary, VERSION};
use crate::runner::share::first_revision;
use crate::runner::{Execution, Keeper, NumberedWork, Study, Units, Workplace};
use crate::site::{OpenSite, TruthRequest};
use crate::site_study::{SiteStudy, UsualPlace};

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
    #[arg(long, value_name = "N", default_value = "30", value_parser = parse_positive)]
    sets: u64,

    #[command(flatten)]
    truth: TruthRequest,
}

/// The request, and what the measurement used, as far as it is known.
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

impl SiteStudy for DistortionStudy {
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

/// The data resolved before sets are drawn.
pub struct Resolved {
    truth: GroundTruth,
    sizes: Vec<u64>,
}

impl Study for DistortionStudy {
    const COMMAND: &'static str = "distortion";
    type Config = Config;
    type Resolved = Resolved;
    type Findings = Vec<Distortion>;

    fn prepare(&self, order: &Execution) -> Result<Option<String>> {
        let truth = self.truth(order.quiet)?;
        Ok(Some(truth.describe(|arm| self.description().label(arm))))
    }

    fn key(&self) -> Config {
        self.config_with(None)
    }

    fn extend(&mut self, place: &Workplace) -> Result<()> {
        let held = place.existing_results().and_then(|held| {
            let sizes = held["distortion"].as_array().or_else(|| held["sizes"].as_array())?.iter();
            Some(sizes.filter_map(|of_size| of_size.as_u64().or_else(|| of_size["size"].as_u64())).collect())
        });
        self.held = held.filter(|_| !matches!(place.share(), Share::One(_)));
        Ok(())
    }

    fn resolve(&self, place: &Workplace) -> Result<Resolved> {
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
        Ok(Resolved { truth, sizes })
    }

    fn config(&self, resolved: &Resolved) -> Config {
        self.config_with(Some(resolved))
    }

    fn units(&self, resolved: &Resolved) -> Units {
        let records = resolved.sizes.len() as u64;
        Units { unit: "set", total: self.request.sets, records, revisions: first_revision(Self::COMMAND) }
    }

    fn play(&self, Resolved { truth, sizes }: &Resolved, keeper: &Keeper<'_>) -> Result<Vec<Distortion>> {
        let Request { multileavings, sets, .. } = self.request;
        let total_sets = keeper.share_of(sets).saturating_mul(sizes.len() as u64);
        foresee("multileavings", total_sets, multileavings, keeper.quiet());
        let progress = Progress::new("multileaving", total_sets, keeper.quiet());
        let prepared = &self.site.prepared;
        let of_size = |&size: &u64| {
            let plan = Plan { size: size as usize, multileavings, sets, seed: self.seed };
            let method = &prepared.methods.multileaving;
            let set_shares =
                loss_shares(&prepared.site, method, &truth.winners, plan, keeper.numbered_work(), &progress)?;
            Ok(Distortion::of(plan.size, &set_shares))
        };
        let distortion = sizes.iter().map(of_size).collect();
        progress.finish();
        distortion
    }

    fn report(&self, resolved: &Resolved, distortions: &Vec<Distortion>) -> Result<Report> {
        #[derive(Serialize)]
        struct Summary<'a> {
            #[serde(flatten)]
            key: Config,
            truth: &'a GroundTruth,
            distortion: &'a [Distortion],
        }
        let summary = Summary { key: self.key(), truth: &resolved.truth, distortion: distortions };
        let rows = distortions.iter().map(|Distortion { size, share }| {
            let SampleSummary { mean, standard_deviation, standard_error, min, max } = *share;
            (size, self.request.sets, mean, standard_deviation, standard_error, min, max)
        });
        let header = ["size", "sets", "mean", "standard_deviation", "standard_error", "min", "max"];
        Ok(Report::new(self.text(resolved, distortions), &summary)?
            .with_file("distortion.csv", Content::Table(output::csv(&header, rows)?))
            .with_file("summary.json", Content::json(&summary)?))
    }
}

impl DistortionStudy {
    fn description(&self) -> &SiteDescription {
        &self.site.prepared.description
    }

    fn config_with(&self, resolved: Option<&Resolved>) -> Config {
        Config {
            command: Self::COMMAND,
            version: VERSION,
            seed: self.seed,
            multileavings: self.request.multileavings,
            sets: self.request.sets,
            site: self.description().clone(),
            sizes: resolved.map(|resolved| resolved.sizes.clone()),
            truth: resolved.map(|resolved| resolved.truth.clone()),
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
        ensure!(
            truth.measure == RegretMeasure::Condorcet,
            "{}",
            no_winner_error(self.description(), "--credit-ties same")
        );
        Ok(truth)
    }

    /// The set sizes to measure, if at most `max_size` rankers fit into one set.
    fn sizes(&self, max_size: usize) -> Result<Vec<u64>> {
        let (arms, max_size) = (self.site.prepared.site.arms(), max_size as u64);
        ensure!(
            max_size >= 2,
            usage("distortion needs at least two rankers whose lists differ; choose other --rankers")
        );
        if self.request.sizes.is_empty() {
            let mut sizes = [3, 10, 100].map(|size| size.min(max_size)).to_vec();
            sizes.dedup();
            return Ok(sizes);
        }
        for (index, &size) in self.request.sizes.iter().enumerate() {
            ensure!(
                (2..=max_size).contains(&size),
                usage(format!("--sizes {size}: expected 2 to {max_size}, because there are {arms} rankers"))
            );
            ensure!(
                !self.request.sizes[..index].contains(&size),
                usage(format!("--sizes {size} is given twice; give each size once"))
            );
        }
        Ok(self.request.sizes.clone())
    }

    fn text(&self, resolved: &Resolved, distortions: &[Distortion]) -> String {
        let site = self.description();
        let mut lines = vec![
            resolved.truth.describe(|arm| site.label(arm)),
            format!(
                "{} clicks, {} multileaving, credit ties {}",
                site.click.model,
                site.multileave,
                site.credit_ties.name()
            ),
        ];
        for distortion in distortions {
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
