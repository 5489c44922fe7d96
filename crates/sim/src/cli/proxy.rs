//! `rankduel proxy`: the preference matrix of a data set's rankers.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use bandits::PreferenceMatrix;
use bandits::agreement::Agreement;
use clap::Args;
use letor_io::Names;
use output::interrupt::say_when_stopped;
use output::machine;
use output::numbers::{escaped, parse_above_zero, parse_positive, significant, with_separators, with_unit};
use output::usage::usage;
use serde::Serialize;
use simulation::prepared::PreparedSite;
use simulation::proxy::{
    Against, Files, PairSelection, Provenance, Request, Sampling, ShardFiles, StartMode, State, identity, open_state,
    play, play_shard, provenance, winner, write,
};

use super::matrix_file::{self, MatrixFile};
use super::print::{eprintln, println};
use crate::cli::args::{CommonArgs, SiteArgs, announce_missing};
use crate::cli::shards::{self, ShardArgs, claim_shard, made};
use output::shards::{Shard, Share};

/// Estimate the preference matrix of a data set's rankers from simulated impressions.
///
/// Each pair is interleaved on its own. With --multileave all rankers share one list and every pair is judged by its
/// outcome, as for a multi-dueling bandit.
///
/// --out P.npy writes P.npy and P.txt, the matrix; P.counts.npz, the arrays preferences, standard_errors, wins, ties
/// and comparisons (a pair that was never compared has 0 comparisons and preference 1/2); P.json, how the matrix was
/// made; P.timings.json; and P.state, saved every minute, from which --resume continues after an interruption with
/// identical results and --more adds impressions. A finished matrix is not computed again, and a different one is
/// replaced only with --replace.
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
    #[arg(long = "impressions-per-pair", alias = "interleavings", value_name = "N", default_value = "4000", value_parser = parse_positive)]
    interleavings: u64,

    /// Add N impressions per pair to an existing matrix (if all counts are multiples of 100,000, the result is
    /// identical to that of a single command)
    #[arg(long, value_name = "N", value_parser = parse_positive, conflicts_with = "interleavings")]
    more: Option<u64>,

    /// Continue the same command after an interruption; start if it never ran; if it is finished, only write the
    /// results again
    #[arg(long)]
    resume: bool,

    /// Start from scratch, replacing any matrix of this name
    #[arg(long, alias = "again", conflicts_with_all = ["more", "resume"])]
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

    fn request(&self, names: Option<&Names>) -> Result<Request> {
        Ok(Request {
            impressions: self.more.unwrap_or(self.interleavings),
            more: self.more.is_some(),
            // By numbers: names may change from command to command.
            pairs: self.selection(names)?.to_string(),
            until_standard_error: self.until_se,
        })
    }

    fn sampling(&self) -> Sampling {
        if self.stratify { Sampling::Stratified } else { Sampling::WithReplacement }
    }

    fn save_every(&self) -> Result<Duration> {
        let every = Duration::try_from_secs_f64(self.save_every).ok();
        every.ok_or_else(|| usage(format!("--save-every {}: expected seconds, such as 60", self.save_every)))
    }
}

/// The cost of the last command: the content of P.timings.json.
#[derive(Serialize)]
struct Timings {
    processor: Option<String>,
    threads: usize,
    seconds: f64,
    comparisons: u64,
    comparisons_per_second: f64,
    peak_memory_mib: Option<u64>,
}

impl Proxy {
    pub(super) fn run(&self) -> Result<()> {
        let files = Files::of(&self.out)?;
        let every = self.effort.save_every()?;
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
        let against = self.against.as_deref().map(|path| matrix_file::read(path, self.common.quiet)).transpose()?;
        let synthetic = against.as_ref().and_then(|read| read.origin.synthetic());
        let against = against.map(
            |MatrixFile { matrix, .. }| {
                if self.against_lexicographic { matrix.undo_alphabetical_order() } else { matrix }
            },
        );
        let prepared = self.site.prepare_for(&share, self.common.seed, self.common.quiet)?;
        let arms = prepared.site.arms();
        let request = self.effort.request(prepared.description.names.as_ref())?;
        if let Some(against) = &against {
            ensure!(
                against.arms() == arms,
                usage(format!(
                    "--against has {} arms, but {arms} rankers are compared; choose them with --rankers",
                    against.arms()
                ))
            );
        }
        if matches!(share, Share::Prepare) {
            shards::prepared(&format!("the lists of {}", with_unit(arms as u64, "ranker")), self.common.quiet);
            return Ok(());
        }
        let identity = identity(&prepared, self.common.seed, self.effort.sampling(), self.site.multileaves());
        let mode = StartMode::from_flags(self.effort.resume, self.effort.replace);
        if let Some(shard) = share.shard() {
            ensure!(mode != StartMode::Replace, shards::no_replace());
            let state = open_state(&files.state, identity, request, mode)?;
            return self.play_shard(shard, &state, &prepared, every);
        }
        if let (Some(parent), false) = (self.out.parent(), self.common.quiet) {
            announce_missing(parent);
        }
        output::create_folder_of(&self.out)?;
        let _lock = files.lock()?;
        if mode != StartMode::Replace && self.effort.more.is_none() && !files.state.exists() {
            // Made by another program or downloaded.
            let there = [&files.npy, &files.text].into_iter().find(|path| path.exists());
            if let Some(there) = there {
                bail!(usage(format!(
                    "{} exists but has no .state file; add --replace to replace it, or choose another --out",
                    there.display()
                )));
            }
        }
        files.all().for_each(output::remove_leftovers);
        say_when_stopped(|| {
            "stopped; the same command with --resume goes on from the last saved state, if there is one".to_owned()
        });
        let mut state = open_state(&files.state, identity, request, mode)?;
        // Until the new matrix is complete, the old one is whole: with its state it can be continued.
        let kept = files.state.with_extension("state.old");
        if mode == StartMode::Replace && files.state.exists() && !kept.exists() {
            let linked = fs::hard_link(&files.state, &kept).or_else(|_| fs::copy(&files.state, &kept).map(drop));
            linked.with_context(|| format!("failed to keep {} until it is replaced", files.state.display()))?;
        }
        let save = Some((files.state.as_path(), every));
        let start = Instant::now();
        let (compared, seconds) = match share.parts() {
            Some(parts) if !state.done => {
                (state.absorb(parts, prepared.site.queries(), &files.state)?, parts.seconds())
            }
            _ => (play(&mut state, &prepared, save, self.common.quiet)?, start.elapsed().as_secs_f64()),
        };

        write(&files, &state)?;
        output::remove_stale(&kept)?;
        let matrix = state.matrix()?;
        let against = against.map(|reference| self.agreement(&matrix, &reference, synthetic)).transpose()?;
        let provenance = provenance(&state, &prepared.description, &matrix, against);
        let sealed = provenance.sealed()?;
        output::write_json_pretty(&files.how, &sealed)?;
        let timings = Timings {
            processor: machine::processor(),
            threads: rayon::current_num_threads(),
            seconds,
            comparisons: compared,
            comparisons_per_second: compared as f64 / seconds.max(1e-9),
            peak_memory_mib: machine::peak_memory().map(|bytes| bytes >> 20),
        };
        if compared > 0 {
            output::write_json_pretty(&files.timings, &timings)?;
        }
        if self.json {
            println!("{}", serde_json::to_string_pretty(&sealed)?);
        } else {
            let winner = winner(&state, &prepared.description, &matrix);
            self.report(&prepared, &provenance, &timings, &winner, &files);
        }
        if !self.common.quiet {
            let names: Vec<String> = files.all().map(file_name).collect();
            let folder = self.out.parent().filter(|folder| !folder.as_os_str().is_empty());
            eprintln!("results in {}: {}", folder.unwrap_or(Path::new(".")).display(), names.join(", "));
        }
        Ok(())
    }

    /// Plays the pieces of `shard`, and leaves its part.
    fn play_shard(&self, shard: Shard, state: &State, prepared: &PreparedSite, every: Duration) -> Result<()> {
        let quiet = self.common.quiet;
        if state.done {
            if !quiet {
                eprintln!("nothing left to do: {} holds this matrix", self.out.display());
            }
            return Ok(());
        }
        let Some(folder) = claim_shard(shard, &self.out, &state.work()?, quiet)? else { return Ok(()) };
        folder.marker()()?;
        let path = folder.path().display().to_string();
        say_when_stopped(move || format!("stopped; what was counted is kept in {path}, and the same command goes on"));
        let progress = folder.join(shards::PIECES);
        let part =
            play_shard(state, shard, prepared, &ShardFiles { progress: (&progress, every), made: made(), quiet })?;
        shards::leave(&part, folder, quiet)
    }

    fn agreement(
        &self,
        matrix: &PreferenceMatrix,
        reference: &PreferenceMatrix,
        synthetic: Option<bool>,
    ) -> Result<Against> {
        let name = self.against.as_ref().and_then(|path| path.file_name());
        Ok(Against {
            matrix: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            synthetic,
            agreement: Agreement::between(matrix, reference)?,
        })
    }

    fn report(&self, prepared: &PreparedSite, made: &Provenance<'_>, timings: &Timings, winner: &str, files: &Files) {
        let each = if made.min_comparisons == made.max_comparisons {
            with_separators(made.max_comparisons)
        } else {
            format!("{} to {}", with_separators(made.min_comparisons), with_separators(made.max_comparisons))
        };
        let (pairs, arms) = (with_unit(made.pairs as u64, "pair"), with_unit(prepared.site.arms() as u64, "ranker"));
        println!("{pairs} of {arms}, {each} comparisons each");
        if timings.comparisons > 0 {
            let speed = significant(timings.comparisons_per_second);
            println!(
                "{} comparisons in {:.1} s, {speed} per second",
                with_separators(timings.comparisons),
                timings.seconds
            );
        } else {
            println!("nothing left to do");
        }
        println!("ties {:.1}%, largest standard error {:.5}", 100.0 * made.share_of_ties, made.largest_standard_error);
        println!("{winner}");
        if made.min_comparisons == 0 && made.pairs > 0 {
            let counts = file_name(&files.counts);
            println!(
                "some pairs were never compared: their preference is 1/2, and {counts} has 0 comparisons for them"
            );
        }
        if let Some(against) = &made.against {
            let synthetic = if against.synthetic == Some(true) { " (synthetic data)" } else { "" };
            println!("against {}{synthetic}: {}", against.matrix, against.agreement);
        }
        if let Some(note) = prepared.description.note() {
            println!("{note}");
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
