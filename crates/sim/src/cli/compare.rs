//! `rankduel compare`: the same bandits live and on the proxy matrix of the same data.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use bandits::RegretKind;
use clap::Args;
use output::numbers::parse_positive;
use output::usage::usage;
use simulation::late_answers::LateAnswers;
use studies::compare::{CompareStudy, ProxyMatrix, check_algorithms};
use studies::live::Request;
use studies::matrix_file;
use studies::site::TruthRequest;

use crate::cli::args::{RunArgs, SiteArgs, StreamArgs, StudyDefaults};
use crate::cli::study::Asking;

/// Run the same bandits live and on the proxy matrix of the same data, side by side.
///
/// Both measure regret against the ground truth of the live simulation and are drawn with one scale. Writes
/// differences.csv, compare.png, summary.json and config.json to the results folder, the files of `rankduel` and
/// `rankduel bandit` to its folders live/ and proxy/, and, unless --matrix is given, the matrix as proxy.npy with the other
/// files of `rankduel proxy`.
#[derive(Debug, Args)]
pub(super) struct Compare {
    #[command(flatten)]
    site: SiteArgs,

    /// An existing proxy matrix of these rankers [default: estimate one]
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,

    /// Simulated impressions per pair for the estimate
    #[arg(long = "impressions-per-pair", value_name = "N", default_value = "20000", value_parser = parse_positive, conflicts_with = "matrix")]
    interleavings: u64,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    truth: TruthRequest,

    #[command(flatten)]
    streams: StreamArgs,
}

impl Compare {
    pub(super) fn run(&self) -> Result<()> {
        let RunArgs { common, .. } = &self.run;
        let usual = if self.site.is_default() { &StudyDefaults::FIRST_DUELS } else { &StudyDefaults::DUELS };
        let run = self.run.request(usual, LateAnswers::default(), None);
        let request = Request { run, streams: self.streams.streams(), truth: self.truth.clone() };
        check_algorithms(&request)?;
        ensure!(
            !self.site.multileaves(),
            usage(
                "--multileave does not apply to compare, whose algorithms duel with two lists at a time; leave it out"
            )
        );
        self.run.regret.check_live()?;
        let asking = Asking::new(&self.run.output, &self.run.shard, common)?;
        // Read first: a wrong file name should fail before any work is done.
        let matrix = match &self.matrix {
            None => ProxyMatrix::Estimated(self.interleavings),
            Some(path) => {
                let read = matrix_file::read(path, common.quiet)?;
                ProxyMatrix::Given { matrix: read.matrix, origin: Box::new(read.origin), name: matrix_file::name(path) }
            }
        };
        let site = self.site.open_for(&asking.share, common)?;
        let part = self.run.regret.part(RegretKind::Condorcet) + &self.truth.part() + &self.streams.part();
        let folder = self.site.default_folder("compare", &site.prepared.description, &part, common);
        asking.run(CompareStudy::new(site, request, matrix)?, folder)
    }
}
