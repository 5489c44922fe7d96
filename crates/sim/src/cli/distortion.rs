//! `rankduel distortion`: how often multileaving disagrees with the pairwise ground truth.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use output::numbers::{parse_positive, with_separators};
use output::progress::{Progress, foresee};
use output::results_folder::{Existing, claim_file};
use output::usage::usage;
use serde::Serialize;
use serde_json::Value;
use simulation::description::SiteDescription;
use simulation::truth::{GroundTruth, RegretMeasure};

use super::notes;
use super::print::{eprintln, note, println};
use crate::analysis::distortion::{BYTES_OF_SET, Distortion, Plan, no_winner, shares_of};
use crate::analysis::numbered::NumberedWork;
use crate::cli::args::{CommonArgs, SiteArgs, TruthArgs, announce_missing, moves};
use crate::cli::shards::{self, ShardArgs, Work, claim_shard};
use output::shards::Share;

/// Measure how often a multileaving prefers another ranker to the best one.
///
/// The distortion of a random set of rankers is the share that beats the Condorcet winner when the whole set is
/// multileaved. Prints the mean over sets and writes it to --out as JSON.
#[derive(Debug, Args)]
pub(super) struct DistortionCommand {
    #[command(flatten)]
    site: SiteArgs,

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
    common: CommonArgs,

    #[command(flatten)]
    truth: TruthArgs,

    /// JSON file to write: the site, its ground truth, and, per set size, the share of rankers that beat the winner
    /// (over sets)
    ///
    /// The file is written again by the same command only.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Move a file with other results to FILE.old-1 instead of refusing to write
    #[arg(long, requires = "out")]
    replace: bool,

    #[command(flatten)]
    shard: ShardArgs,

    /// Print the JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// The content of the JSON file.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    key: Key<'a>,
    truth: &'a GroundTruth,
    distortion: Vec<Distortion>,
}

/// What the parts of shards are parts of.
#[derive(Serialize)]
struct Asked<'a> {
    #[serde(flatten)]
    key: Key<'a>,
    sizes: &'a [u64],
    truth: &'a GroundTruth,
}

/// What was asked for.
#[derive(Clone, Copy, Serialize)]
struct Key<'a> {
    command: &'static str,
    version: &'static str,
    seed: u64,
    multileavings: u64,
    sets: u64,
    site: &'a SiteDescription,
}

impl DistortionCommand {
    pub(super) fn run(&self) -> Result<()> {
        let CommonArgs { seed, quiet, .. } = self.common;
        let share = self.shard.share()?;
        anyhow::ensure!(
            share.shard().is_none() || self.out.is_some(),
            usage("--shard writes its part beside the results; say with --out where those are")
        );
        anyhow::ensure!(share.shard().is_none() || !self.replace, shards::no_replace());
        NumberedWork::ensure_room(&share, "sets", self.sets, BYTES_OF_SET)?;
        let prepared = self.site.prepare_for(&share, seed, quiet)?;
        let (site, description) = (&prepared.site, &prepared.description);
        // Checked before any work: the sizes, and whether the result can be written.
        self.sizes(site.arms(), site.arms())?;
        let key = Key {
            command: "distortion",
            version: env!("CARGO_PKG_VERSION"),
            seed,
            multileavings: self.multileavings,
            sets: self.sets,
            site: description,
        };
        let mut claimed = None;
        if let (Some(path), None) = (&self.out, share.shard()) {
            let existing = if self.replace { Existing::MoveAside } else { Existing::SameKey };
            let file = claim_file(path, &key, existing)?;
            if let (Some(aside), false) = (file.moves_to(), quiet) {
                eprintln!("{}", moves(path, aside));
            }
            claimed = Some(file);
            if let (Some(parent), false) = (path.parent(), quiet) {
                announce_missing(parent);
            }
            output::create_folder_of(path)?;
            output::remove_leftovers(path);
            output::check_writable(path)?;
        }
        // Said before the ground truth, which takes longest where it finds no winner.
        if notes::are_vague(description) {
            let clicks = &description.click.model;
            note(
                quiet,
                &format!(
                    "{clicks} clicks hardly distinguish documents: without a ranker that beats all others there is no distortion to measure"
                ),
            );
        }
        let truth = prepared.truth(self.truth.effort(site.arms()), seed, &self.truth.cache.cache, quiet)?;
        anyhow::ensure!(truth.measure == RegretMeasure::Condorcet, "{}", no_winner(description, "--credit-ties same"));
        let sizes = self.sizes(site.arms(), site.arms() - truth.winners.len() + 1)?;
        if matches!(share, Share::Prepare) {
            shards::prepared(&truth.describe(|arm| description.label(arm)), quiet);
            return Ok(());
        }
        let asked = Asked { key, sizes: &sizes, truth: &truth };
        let work =
            Work::new(&asked, [("distortion".to_owned(), 1)].into(), ("set", self.sets))?.of_records(sizes.len());
        let folder = match (share.shard(), &self.out) {
            (Some(shard), Some(path)) => match claim_shard(shard, path, &asked, quiet)? {
                Some(folder) => Some(folder),
                None => return Ok(()),
            },
            _ => None,
        };
        match &folder {
            Some(folder) => work.begin(&share, folder)?,
            None => work.check(&share)?,
        }
        if let (Some(path), None) = (&self.out, share.shard()) {
            refuse_other_sizes(path, &sizes)?;
        }

        let all = Work::share_of(&share, self.sets).saturating_mul(sizes.len() as u64);
        foresee("multileavings", all, self.multileavings, quiet);
        let progress = Progress::new("multileaving", all, quiet);
        let sets = NumberedWork::of(&share, folder.as_ref().map(|folder| folder.path().to_path_buf()));
        let of_size = |&size: &u64| {
            let plan = Plan { size: size as usize, multileavings: self.multileavings, sets: self.sets, seed };
            let shares = shares_of(site, &prepared.methods.multileaving, &truth.winners, plan, &sets, &progress)?;
            Ok(Distortion::of(plan.size, &shares))
        };
        let distortion = sizes.iter().map(of_size).collect::<Result<Vec<Distortion>>>()?;
        progress.finish();
        if let (Some(shard), Some(folder)) = (share.shard(), folder) {
            return work.finish(shard, folder, &sets.into_cells(), quiet);
        }
        let report = Report { key, distortion, truth: &truth };
        if self.json {
            println!("{}", serde_json::to_string_pretty(&report)?);
        } else {
            self.print(&report);
        }
        let (Some(path), Some(claimed)) = (&self.out, claimed) else { return Ok(()) };
        claimed.write(|path| output::write_json_pretty(path, &report))?;
        if !quiet {
            eprintln!("results: {}", path.display());
        }
        Ok(())
    }

    fn print(&self, report: &Report<'_>) {
        let site = report.key.site;
        println!("{}", report.truth.describe(|arm| site.label(arm)));
        println!(
            "{} clicks, {} multileaving, credit ties {}",
            site.click.model,
            site.multileave,
            site.credit_ties.name()
        );
        for distortion in &report.distortion {
            let error = if self.sets > 1 {
                format!(" (standard error {:.1})", 100.0 * distortion.share.standard_error)
            } else {
                String::new()
            };
            println!(
                "{:>5} rankers: {:5.1}% of the others beat the winner{error}",
                with_separators(distortion.size as u64),
                100.0 * distortion.share.mean
            );
        }
        if let Some(note) = site.note() {
            println!("{note}");
        }
    }

    /// The set sizes to measure, with `arms` rankers of which at most `most` fit into one set.
    fn sizes(&self, arms: usize, most: usize) -> Result<Vec<u64>> {
        let most = most as u64;
        anyhow::ensure!(
            most >= 2,
            usage("distortion needs at least two rankers whose lists differ; choose other --rankers")
        );
        if self.sizes.is_empty() {
            let mut sizes = [3, 10, 100].map(|size| size.min(most)).to_vec();
            sizes.dedup();
            return Ok(sizes);
        }
        for (at, &size) in self.sizes.iter().enumerate() {
            anyhow::ensure!(
                (2..=most).contains(&size),
                usage(format!("--sizes {size}: expected 2 to {most}, because there are {arms} rankers"))
            );
            anyhow::ensure!(
                !self.sizes[..at].contains(&size),
                usage(format!("--sizes {size} is given twice; give each size once"))
            );
        }
        Ok(self.sizes.clone())
    }
}

/// Refuses to write over results for other sizes of sets.
fn refuse_other_sizes(path: &Path, sizes: &[u64]) -> Result<()> {
    let held: Value = output::input::read_file(path, output::input::MOST_OF_RESULTS)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let Some(held) = held["distortion"].as_array() else { return Ok(()) };
    let held: Vec<u64> = held.iter().filter_map(|of_size| of_size["size"].as_u64()).collect();
    anyhow::ensure!(
        held == sizes,
        usage(format!(
            "{} holds results for the sizes {held:?}, not {sizes:?}; choose another --out, or add --replace to move that aside",
            path.display()
        ))
    );
    Ok(())
}
