//! `sim proxy`: the preference matrix of a data set's rankers.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use bandits::PreferenceMatrix;
use bandits::agreement::Agreement;
use bandits::winners::condorcet_winner;
use clap::Args;
use interleave::AnyInterleaving;
use serde::Serialize;

use super::matrix_file;
use super::options::{CommonOptions, Description, SiteOptions};
use crate::count::{grouped, parse_positive};
use crate::output;
use crate::pairs::{PairCount, compare_pairs};
use crate::progress::Progress;
use crate::results::significant;

#[derive(Debug, Args)]
pub(super) struct Proxy {
    #[command(flatten)]
    site: SiteOptions,

    /// Simulated impressions a pair
    #[arg(long, value_name = "N", default_value = "4000", value_parser = parse_positive)]
    interleavings: u64,

    #[command(flatten)]
    common: CommonOptions,

    /// The file to write, `.npy` or `.txt`; how it was made is written beside it as `.json`
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Another matrix of the same rankers to compare with
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

/// How a matrix was made.
#[derive(Serialize)]
struct Provenance<'a> {
    command: &'static str,
    version: &'static str,
    seed: u64,
    interleavings: u64,
    site: &'a Description,
    /// Largest standard error of an entry.
    largest_standard_error: f64,
    /// Share of comparisons that were ties, over all pairs.
    ties: f64,
}

impl Proxy {
    #[expect(clippy::print_stdout, reason = "the command line talks to a person")]
    pub(super) fn run(&self) -> Result<()> {
        self.common.apply()?;
        // Read first: a wrong name should not cost the work of the matrix.
        let against = self.against.as_deref().map(matrix_file::read).transpose()?;
        let prepared = self.site.prepare(self.common.seed, self.common.quiet)?;
        let arms = prepared.site.arms();
        if let Some(against) = &against {
            anyhow::ensure!(
                against.arms() == arms,
                "--against holds {} arms, but {arms} rankers are compared; choose them with --rankers",
                against.arms()
            );
        }
        let pairs: Vec<(u32, u32)> =
            (0..arms as u32).flat_map(|low| (low + 1..arms as u32).map(move |high| (low, high))).collect();
        let progress = Progress::new("comparing pairs", pairs.len() as u64 * self.interleavings, self.common.quiet);
        let start = Instant::now();
        let (site, seed) = (&prepared.site, self.common.seed);
        // The usual method is known here, so that its inner loop is compiled for it alone.
        let counts = match &prepared.methods.interleaving {
            AnyInterleaving::Probabilistic(method) => {
                compare_pairs(site, method, &pairs, self.interleavings, seed, "proxy", &progress)
            }
            method => compare_pairs(site, method, &pairs, self.interleavings, seed, "proxy", &progress),
        };
        let seconds = start.elapsed().as_secs_f64();
        progress.finish();

        let matrix = matrix(arms, &pairs, &counts)?;
        matrix_file::write(&self.out, &matrix)?;
        let comparisons = self.interleavings * pairs.len() as u64;
        let provenance = Provenance {
            command: "proxy",
            version: env!("CARGO_PKG_VERSION"),
            seed: self.common.seed,
            interleavings: self.interleavings,
            site: &prepared.description,
            largest_standard_error: counts.iter().map(|count| count.standard_error()).fold(0.0, f64::max),
            ties: counts.iter().map(|count| count.ties).sum::<u64>() as f64 / comparisons.max(1) as f64,
        };
        output::write_json_pretty(&self.out.with_extension("json"), &provenance)?;

        println!(
            "{} pairs of {arms} rankers, {} comparisons each: {seconds:.1} s, {} a second",
            grouped(pairs.len() as u64),
            grouped(self.interleavings),
            significant(comparisons as f64 / seconds.max(1e-9)),
        );
        println!(
            "ties {:.1}%, largest standard error {:.4}",
            100.0 * provenance.ties,
            provenance.largest_standard_error
        );
        match condorcet_winner(&matrix) {
            Some(winner) => println!("Condorcet winner: {}", prepared.description.label(winner.index())),
            None => println!("no Condorcet winner"),
        }
        if let Some(against) = &against {
            println!("{}", Agreement::between(&matrix, against)?);
        }
        if let Some(note) = prepared.description.note() {
            println!("{note}");
        }
        Ok(())
    }
}

fn matrix(arms: usize, pairs: &[(u32, u32)], counts: &[PairCount]) -> Result<PreferenceMatrix> {
    let mut entries = vec![0.5; arms * arms];
    for (&(low, high), count) in pairs.iter().zip(counts) {
        let (low, high) = (low as usize, high as usize);
        entries[low * arms + high] = count.preference();
        entries[high * arms + low] = 1.0 - count.preference();
    }
    Ok(PreferenceMatrix::new(arms, entries)?)
}
