//! `rankduel proxy`: the preference matrix of a data set's rankers.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use letor_io::Names;
use output::numbers::{parse_above_zero, parse_positive};
use output::usage::usage;
use ranktypes::text::escaped;
use simulation::proxy::{Files, PairSelection, Request as Impressions, Sampling, StartMode};
use studies::matrix_file::{self, MatrixFile};
use studies::proxy::{Reference, Request, estimate};

use super::study::print;
use crate::cli::args::{CommonArgs, SiteArgs};
use crate::cli::shards::{ShardArgs, invocation};

/// Estimate the preference matrix of a data set's rankers from simulated impressions.
///
/// Each pair is interleaved on its own. With --multileave all rankers share one list and every pair is judged by its
/// outcome, as for a multi-dueling bandit.
///
/// --out P.npy writes P.npy and P.txt, the matrix; P.counts.npz, the arrays preferences, standard_errors, wins, ties
/// and comparisons (a pair that was never compared has 0 comparisons and preference 1/2); P.json, how the matrix was
/// made; P.timings.json; and P.state, saved every minute, from which the same command continues after an
/// interruption with identical results, and to which --more adds impressions. A finished matrix is not computed again, and a different
/// one is replaced only with --replace.
#[derive(Debug, Args)]
pub(super) struct Proxy {
    #[command(flatten)]
    site: SiteArgs,

    #[command(flatten)]
    effort: Effort,

    #[command(flatten)]
    common: CommonArgs,

    #[command(flatten)]
    shard: ShardArgs,

    /// The matrix to write, `.npy` or `.txt` (both are written, with further files beside them)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Another matrix of the same rankers to compare with
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// The arms of that matrix are in alphabetical order of their numbers (0, 1, 10, 100, ...): undo it
    #[arg(long, requires = "against")]
    against_lexicographic: bool,

    /// Print P.json instead of the summary
    #[arg(long)]
    json: bool,
}

/// Which pairs are compared how often, and how progress is saved.
#[derive(Debug, Args)]
#[command(next_help_heading = "Comparisons")]
struct Effort {
    /// Simulated impressions per pair
    #[arg(long, value_name = "N", default_value = "4000", value_parser = parse_positive)]
    impressions_per_pair: u64,

    /// Add N impressions per pair to an existing matrix (if all counts are multiples of 100,000, the result is
    /// identical to that of a single command)
    #[arg(long, value_name = "N", value_parser = parse_positive, conflicts_with = "impressions_per_pair")]
    more: Option<u64>,

    /// With --more: if the last command added the same impressions, only finish that, and add none. Without it, the same command
    /// always continues
    #[arg(long)]
    resume: bool,

    /// Start from scratch, replacing any matrix of this name
    #[arg(long, conflicts_with_all = ["more", "resume"])]
    replace: bool,

    /// Compare only the pairs among these arms, e.g. 0-5,109 (0-based) or bm25,ltr
    #[arg(long, value_name = "I,J,...")]
    arms: Option<String>,

    /// Compare only these pairs, e.g. 0-5,109-* (`*`: all other arms; 0-based) or bm25-ltr
    #[arg(long, value_name = "I-J,...", conflicts_with = "arms")]
    pairs: Option<String>,

    /// Then continue with the pairs whose standard error is above X, --impressions-per-pair at a time (at most 100,000)
    #[arg(long, value_name = "X", value_parser = parse_above_zero)]
    until_se: Option<f64>,

    /// Use every query equally often (up to a difference of one) instead of drawing queries with replacement: smaller
    /// standard errors, computed from the variance within queries
    #[arg(long)]
    stratify: bool,

    /// Seconds between saves of P.state
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_above_zero)]
    save_every: f64,
}

impl Effort {
    /// The pairs to compare, of arms that may have `names`.
    fn selection(&self, names: Option<&Names>) -> Result<PairSelection> {
        match (&self.arms, &self.pairs) {
            (Some(text), _) => PairSelection::parse_arms(text, names)
                .map_err(|error| usage(format!("--arms {}: {error}", escaped(text)))),
            (None, Some(text)) => PairSelection::parse_pairs(text, names)
                .map_err(|error| usage(format!("--pairs {}: {error}", escaped(text)))),
            (None, None) => Ok(PairSelection::All),
        }
    }

    fn request(&self, names: Option<&Names>) -> Result<Impressions> {
        Ok(Impressions {
            impressions: self.more.unwrap_or(self.impressions_per_pair),
            more: self.more.is_some(),
            // By numbers: names may change between commands.
            pairs: self.selection(names)?.to_string(),
            until_standard_error: self.until_se,
        })
    }

    fn sampling(&self) -> Sampling {
        if self.stratify { Sampling::Stratified } else { Sampling::WithReplacement }
    }

    fn save_every(&self) -> Result<Duration> {
        let interval = Duration::try_from_secs_f64(self.save_every).ok();
        interval.ok_or_else(|| usage(format!("--save-every {}: expected seconds, such as 60", self.save_every)))
    }
}

impl Proxy {
    pub(super) fn run(&self) -> Result<()> {
        let CommonArgs { seed, quiet, .. } = self.common;
        Files::for_matrix(&self.out)?;
        let save_every = self.effort.save_every()?;
        let share = self.shard.share()?;
        if !self.site.spec()?.may_have_names() {
            self.effort.selection(None)?;
        }
        ensure!(
            !(self.site.multileaves() && self.site.interleaves()),
            usage(
                "--interleave and --multileave exclude each other: pairs are either interleaved or multileaved together"
            )
        );
        // Read first: a wrong file name should fail before any work is done.
        let reference = self.against.as_ref().map(|path| -> Result<Reference> {
            let MatrixFile { matrix, origin, .. } = matrix_file::read(path, quiet)?;
            let matrix = if self.against_lexicographic { matrix.undo_alphabetical_order() } else { matrix };
            Ok(Reference { matrix, name: matrix_file::name(path), synthetic: origin.synthetic() })
        });
        let reference = reference.transpose()?;
        let prepared = self.site.prepare_for(&share, seed, quiet)?;
        let request = Request {
            impressions: self.effort.request(prepared.description.names.as_ref())?,
            seed,
            sampling: self.effort.sampling(),
            multileaved: self.site.multileaves(),
            mode: StartMode::from_flags(self.effort.resume, self.effort.replace),
            save_every,
            matrix_path: self.out.clone(),
            reference,
        };
        let Some((report, write_result)) = estimate(&prepared, request, &share, &invocation(), quiet)? else {
            return Ok(());
        };
        print(&report, self.json);
        output::messages::info(quiet, &write_result);
        Ok(())
    }
}
