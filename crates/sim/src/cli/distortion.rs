//! `sim distortion`: multileaving against the pairwise truth.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::print::{eprintln, println};
use crate::analysis::distortion::{Distortion, Plan, measure};
use crate::cli::args::{CommonArgs, SiteArgs};
use crate::output;
use crate::output::numbers::{grouped, parse_positive};
use crate::output::progress::Progress;
use crate::output::usage::usage;
use crate::simulation::prepared::SiteDescription;
use crate::simulation::truth::{Effort, GroundTruth, Measure};

/// Measures how often a multileaving misjudges who is better than the best.
///
/// The distortion is the share of the other rankers in a random set that beat the Condorcet winner
/// when all are multileaved. It is printed, and written to --out as JSON.
#[derive(Debug, Args)]
pub(super) struct DistortionCommand {
    #[command(flatten)]
    site: SiteArgs,

    /// How many rankers are multileaved at once, the Condorcet winner among them [default: 3,10,100, or
    /// as many as there are]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = parse_positive)]
    sizes: Vec<u64>,

    /// Multileavings of each set of rankers
    #[arg(long, value_name = "N", default_value = "3000", value_parser = parse_positive)]
    multileavings: u64,

    /// Sets of rankers of each size
    #[arg(long, value_name = "N", default_value = "30", value_parser = parse_positive)]
    runs: u64,

    #[command(flatten)]
    common: CommonArgs,

    /// Where estimated truths are kept for the next run
    #[arg(long, value_name = "FOLDER", default_value = "results/.cache")]
    cache: PathBuf,

    /// A JSON file to write: site, truth, and of each size the share of rankers that seem to beat the
    /// winner, over the sets
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print that JSON in place of the summary
    #[arg(long)]
    json: bool,
}

/// What is written.
#[derive(Serialize)]
struct Report<'a> {
    command: &'static str,
    version: &'static str,
    seed: u64,
    multileavings: u64,
    runs: u64,
    site: &'a SiteDescription,
    truth: &'a GroundTruth,
    distortion: Vec<Distortion>,
}

impl DistortionCommand {
    pub(super) fn run(&self) -> Result<()> {
        let CommonArgs { seed, quiet, .. } = self.common;
        self.common.apply()?;
        let prepared = self.site.prepare(seed, quiet)?;
        let (site, description) = (&prepared.site, &prepared.description);
        // Before any work: the sizes asked for, and whether the result can be written.
        self.sizes(site.arms(), site.arms())?;
        if let Some(path) = &self.out {
            output::create_folder_of(path)?;
            output::check_writable(path)?;
        }
        let truth = prepared.truth(Effort::for_arms(site.arms()), seed, &self.cache, quiet)?;
        anyhow::ensure!(
            truth.measure == Measure::Condorcet,
            "these rankers have no Condorcet winner, so distortion has no meaning; take credit by the order that made \
             the list (--credit-ties same), other rankers (--rankers, --without), other users (--click) or more queries"
        );
        let sizes = self.sizes(site.arms(), site.arms() - truth.winners.len() + 1)?;

        let progress = Progress::new("multileaving", self.runs * sizes.len() as u64, quiet);
        let measured = sizes.iter().map(|&size| {
            let plan = Plan { size: size as usize, multileavings: self.multileavings, sets: self.runs, seed };
            measure(site, &prepared.methods.multileaving, &truth.winners, plan, &progress)
        });
        let report = Report {
            command: "distortion",
            version: env!("CARGO_PKG_VERSION"),
            seed,
            multileavings: self.multileavings,
            runs: self.runs,
            site: description,
            distortion: measured.collect(),
            truth: &truth,
        };
        progress.finish();
        if self.json {
            println!("{}", serde_json::to_string_pretty(&report)?);
        } else {
            self.tell(&report);
        }
        let Some(path) = &self.out else { return Ok(()) };
        output::write_json_pretty(path, &report)?;
        if !quiet {
            eprintln!("results: {}", path.display());
        }
        Ok(())
    }

    fn tell(&self, report: &Report<'_>) {
        let site = report.site;
        println!("{}", report.truth.describe(|arm| site.label(arm)));
        println!(
            "{} clicks, {} multileaving, credit ties {}",
            site.click.model,
            site.multileave,
            site.credit_ties.name()
        );
        for distortion in &report.distortion {
            let error = if self.runs > 1 {
                format!(" (standard error {:.1})", 100.0 * distortion.share.standard_error)
            } else {
                String::new()
            };
            println!(
                "{:>5} rankers: {:5.1}% of the others beat the winner{error}",
                grouped(distortion.size as u64),
                100.0 * distortion.share.mean
            );
        }
        if let Some(note) = site.note() {
            println!("{note}");
        }
    }

    /// The sizes of sets among `arms` rankers, of which `most` can be in one.
    fn sizes(&self, arms: usize, most: usize) -> Result<Vec<u64>> {
        let most = most as u64;
        anyhow::ensure!(most >= 2, usage("distortion needs at least two rankers with lists that differ"));
        if self.sizes.is_empty() {
            let mut sizes = [3, 10, 100].map(|size| size.min(most)).to_vec();
            sizes.dedup();
            return Ok(sizes);
        }
        for (at, &size) in self.sizes.iter().enumerate() {
            anyhow::ensure!(
                (2..=most).contains(&size),
                usage(format!("--sizes {size}: expected 2 to {most}, as there are {arms} rankers"))
            );
            anyhow::ensure!(!self.sizes[..at].contains(&size), usage(format!("--sizes {size} is there twice")));
        }
        Ok(self.sizes.clone())
    }
}
