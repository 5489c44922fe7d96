//! `rankduel compare`: the same bandits live and on the proxy matrix of the same data.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use bandits::RegretKind;
use clap::Args;
use output::numbers::parse_positive;
use output::usage::usage;
use studies::compare::{CompareStudy, ProxyMatrix, check_algorithms};
use studies::matrix_file;
use studies::request::{CompareRequest, StudyDefaults};

use crate::cli::args::{PlaceArgs, SiteArgs};
use crate::cli::study::StudyLauncher;

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
    #[arg(long, value_name = "N", default_value = "20000", value_parser = parse_positive, conflicts_with = "matrix")]
    impressions_per_pair: u64,

    #[command(flatten)]
    request: CompareRequest,

    #[command(flatten)]
    place: PlaceArgs,
}

impl Compare {
    pub(super) fn run(&self) -> Result<()> {
        let Self { request, place, .. } = self;
        let defaults = if self.site.is_default() { &StudyDefaults::FIRST_DUELS } else { &StudyDefaults::DUELS };
        let settings = request.settings(defaults, place.common.seed, None)?;
        check_algorithms(&settings)?;
        ensure!(
            !self.site.multileaves(),
            usage(
                "--multileave does not apply to compare, whose algorithms duel with two lists at a time; leave it out"
            )
        );
        let launcher = StudyLauncher::new(place)?;
        // Read first: a wrong file name should fail before any work is done.
        let matrix = match &self.matrix {
            None => ProxyMatrix::Estimated(self.impressions_per_pair),
            Some(path) => {
                let matrix_file = matrix_file::read(path, place.common.quiet)?;
                ProxyMatrix::Given {
                    matrix: matrix_file.matrix,
                    origin: Box::new(matrix_file.origin),
                    name: matrix_file::name(path),
                }
            }
        };
        let site = self.site.open_for(&launcher.share, &place.common)?;
        let regret = request.run.regret_suffix(RegretKind::Condorcet);
        let suffix = regret + &request.truth.folder_suffix() + &request.streams.folder_suffix();
        let folder = self.site.default_folder("compare", &site.prepared.description, &suffix, &place.common);
        launcher.run(CompareStudy::new(site, settings, matrix)?, folder)
    }
}
