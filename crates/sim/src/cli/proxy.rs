//! `sim proxy`: the preference matrix of a data set's rankers.

use crate::output::cache::sha256_hex;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use bandits::PreferenceMatrix;
use bandits::agreement::Agreement;
use bandits::winners::condorcet_winner;
use clap::Args;
use interleave::AnyInterleaving;
use serde::Serialize;

use super::matrix_file;
use super::print::{eprintln, println};
use crate::cli::args::{CommonArgs, SiteArgs};
use crate::output;
use crate::output::machine;
use crate::output::numbers::{counted, grouped, parse_above_zero, parse_positive};
use crate::output::usage::usage;
use crate::proxy::{
    Begin, Choice, Files, Identity, Interleaved, Multileaved, Played, Player, Request, Sampling, State, Work,
    all_pairs, pair_count, take_up, write,
};
use crate::results::significant;
use crate::simulation::prepared::{PreparedSite, SiteDescription};
use crate::simulation::seed_text::site_identity;
use crate::simulation::truth::RESOLVED;

/// Estimates the preference matrix of a data set's rankers from simulated impressions.
///
/// Pairs are interleaved one by one; with --multileave all rankers share one list, and the pairs are
/// read off its outcome: what a multi-dueling bandit plays on.
///
/// For --out P.npy there are: P.npy and P.txt, the matrix; P.counts.npz, arrays preferences,
/// standard_errors, wins, ties and comparisons (0 where a pair was never compared: it stands at 1/2);
/// P.json, how it was made; P.timings.json; and P.state, saved every minute, from which --resume goes
/// on after any interruption to the same bytes, and --more later. A matrix that is there is not made
/// again, and another is replaced with --again only.
#[derive(Debug, Args)]
pub(super) struct Proxy {
    #[command(flatten)]
    site: SiteArgs,

    #[command(flatten)]
    effort: Effort,

    #[command(flatten)]
    common: CommonArgs,

    /// The matrix to write, `.npy` or `.txt` (both are written, and more beside them)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Another matrix of the same rankers to compare with
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// That matrix has its arms in alphabetical order of their numbers: undo it
    #[arg(long, requires = "against")]
    against_lexicographic: bool,

    /// Print P.json in place of the summary
    #[arg(long)]
    json: bool,
}

/// How much is compared, and how it is kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Comparisons")]
struct Effort {
    /// Simulated impressions a pair
    #[arg(long, value_name = "N", default_value = "4000", value_parser = parse_positive)]
    interleavings: u64,

    /// Add so many impressions a pair to the matrix that is there (counts that are multiples of 100,000
    /// add up to what one command would have given, to the byte)
    #[arg(long, value_name = "N", value_parser = parse_positive, conflicts_with = "interleavings")]
    more: Option<u64>,

    /// Go on where the same command was interrupted; if it never ran, begin; if it finished, do
    /// nothing but write the results again
    #[arg(long)]
    resume: bool,

    /// Begin anew, in place of another matrix of this name
    #[arg(long, conflicts_with_all = ["more", "resume"])]
    again: bool,

    /// Compare the pairs among these arms only, as 0,5,109 (counted from 0)
    #[arg(long, value_name = "I,J,...", value_parser = Choice::parse_arms)]
    arms: Option<Choice>,

    /// Compare these pairs only, as 0-5,109-* (`*`: all others)
    #[arg(long, value_name = "I-J,...", value_parser = Choice::parse_pairs, conflicts_with = "arms")]
    pairs: Option<Choice>,

    /// Then go on, --interleavings at a time (100,000 at most), with the pairs whose standard error
    /// is above this
    #[arg(long, value_name = "X", value_parser = parse_above_zero)]
    until_se: Option<f64>,

    /// Take every query as often as every other (up to one), in place of queries drawn with
    /// replacement: smaller standard errors, computed from the variance within queries
    #[arg(long)]
    stratify: bool,

    /// Seconds between savings
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_above_zero)]
    save_every: f64,
}

impl Effort {
    fn request(&self) -> Request {
        let chosen = self.arms.as_ref().or(self.pairs.as_ref());
        Request {
            impressions: self.more.unwrap_or(self.interleavings),
            more: self.more.is_some(),
            pairs: chosen.unwrap_or(&Choice::All).to_string(),
            until_standard_error: self.until_se,
        }
    }

    fn sampling(&self) -> Sampling {
        if self.stratify { Sampling::Stratified } else { Sampling::WithReplacement }
    }

    fn save_every(&self) -> Result<Duration> {
        let every = Duration::try_from_secs_f64(self.save_every).ok();
        every.ok_or_else(|| usage(format!("--save-every {}: expected seconds, such as 60", self.save_every)))
    }
}

/// How a matrix was made.
#[derive(Serialize)]
struct Provenance<'a> {
    command: &'static str,
    version: &'static str,
    seed: u64,
    /// How pairs meet: `pairwise`, or `multileaved` with all arms in one list.
    pairs_meet: &'static str,
    sampling: Sampling,
    /// What was asked for, command by command.
    requests: &'a [Request],
    /// Rounds of impressions, in order.
    rounds: &'a [Played],
    pairs: usize,
    /// Comparisons of the pair with the fewest, of that with the most, and of all pairs.
    fewest: u64,
    most: u64,
    comparisons: u64,
    /// Share of comparisons that were ties, over all pairs.
    ties: f64,
    /// Largest standard error of an entry that was measured.
    largest_standard_error: f64,
    /// Of the matrix, by which other commands know that this is its account.
    checksum: String,
    site: &'a SiteDescription,
    condorcet_winner: Option<String>,
    against: Option<Against>,
}

#[derive(Serialize)]
struct Against {
    matrix: String,
    agreement: Agreement,
}

/// What the last command took.
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
        self.common.apply()?;
        let files = Files::of(&self.out)?;
        let every = self.effort.save_every()?;
        ensure!(
            !(self.site.multileaves() && self.site.interleaves()),
            usage("--interleave has no part in --multileave, which mixes all rankers' lists into one; leave one out")
        );
        // Read first: a wrong name should not cost the work of the matrix.
        let against = self.against.as_deref().map(matrix_file::read).transpose()?;
        let against =
            against.map(|read| if self.against_lexicographic { read.undo_alphabetical_order() } else { read });
        let prepared = self.site.prepare(self.common.seed, self.common.quiet)?;
        let arms = prepared.site.arms();
        if let Some(against) = &against {
            ensure!(
                against.arms() == arms,
                "--against holds {} arms, but {arms} rankers are compared; choose them with --rankers",
                against.arms()
            );
        }
        output::create_folder_of(&self.out)?;
        let _lock = files.lock()?;
        let begin = Begin::from_flags(self.effort.resume, self.effort.again);
        if begin != Begin::Again && self.effort.more.is_none() && !files.state.exists() {
            // Made elsewhere, perhaps downloaded.
            let there = [&files.npy, &files.text].into_iter().find(|path| path.exists());
            if let Some(there) = there {
                bail!(
                    "{} is there, without the .state of a matrix made here; add --again to replace it, or choose another --out",
                    there.display()
                );
            }
        }
        files.all().for_each(output::remove_leftovers);
        let identity = identity(&prepared, self.common.seed, self.effort.sampling(), self.site.multileaves());
        let mut state = take_up(&files.state, identity, self.effort.request(), begin)?;
        let save = Some((files.state.as_path(), every));
        let start = Instant::now();
        let compared = play(&mut state, &prepared, save, self.common.quiet)?;
        let seconds = start.elapsed().as_secs_f64();

        write(&files, &state)?;
        let matrix = state.matrix()?;
        let against = against.map(|reference| self.agreement(&matrix, &reference)).transpose()?;
        let provenance = provenance(&state, &prepared.description, &matrix, against);
        output::write_json_pretty(&files.how, &provenance)?;
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
            println!("{}", serde_json::to_string_pretty(&provenance)?);
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

    fn agreement(&self, matrix: &PreferenceMatrix, reference: &PreferenceMatrix) -> Result<Against> {
        let name = self.against.as_ref().and_then(|path| path.file_name());
        Ok(Against {
            matrix: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            agreement: Agreement::between(matrix, reference)?,
        })
    }

    fn report(&self, prepared: &PreparedSite, made: &Provenance<'_>, timings: &Timings, winner: &str, files: &Files) {
        let each = if made.fewest == made.most {
            grouped(made.most)
        } else {
            format!("{} to {}", grouped(made.fewest), grouped(made.most))
        };
        let (pairs, arms) = (counted(made.pairs as u64, "pair"), counted(prepared.site.arms() as u64, "ranker"));
        println!("{pairs} of {arms}, {each} comparisons each");
        if timings.comparisons > 0 {
            let speed = significant(timings.comparisons_per_second);
            println!("{} comparisons in {:.1} s, {speed} a second", grouped(timings.comparisons), timings.seconds);
        } else {
            println!("nothing was left to do");
        }
        println!("ties {:.1}%, largest standard error {:.5}", 100.0 * made.ties, made.largest_standard_error);
        println!("{winner}");
        if made.fewest == 0 && made.pairs > 0 {
            let counts = file_name(&files.counts);
            println!(
                "some pairs were never compared: they stand at 1/2 as ties would, with comparisons of 0 in {counts}"
            );
        }
        if let Some(against) = &made.against {
            println!("against {}: {}", against.matrix, against.agreement);
        }
        if let Some(note) = prepared.description.note() {
            println!("{note}");
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Who wins the matrix, by how much, and how sure that is.
fn winner(state: &State, site: &SiteDescription, matrix: &PreferenceMatrix) -> String {
    let pairs = || all_pairs(matrix.arms()).into_iter().enumerate();
    let Some(winner) = condorcet_winner(matrix) else {
        let missing = pairs().any(|(place, _)| state.count(place).comparisons == 0);
        return if missing { "no Condorcet winner among the pairs compared" } else { "no Condorcet winner" }.to_owned();
    };
    let mut text = format!("Condorcet winner: {}", site.label(winner.index()));
    let margins = pairs().filter_map(|(place, (low, high))| {
        let other = if low == winner.0 { high } else { low };
        let margin = (state.count(place).preference() - 0.5).abs();
        (low == winner.0 || high == winner.0).then_some((margin, other, state.standard_error(place)))
    });
    if let Some((margin, other, error)) = margins.min_by(|a, b| a.0.total_cmp(&b.0)) {
        text += &format!("; smallest margin {margin:.4} over {}", site.label(other as usize));
        if error > 0.0 {
            let z = margin / error;
            text += &format!(", z = {z:.1}");
            if z < RESOLVED {
                text += "; WINNER NOT RESOLVED (z below 3): the runner-up may be as good";
            }
        }
    }
    text
}

/// Whose matrix it is.
pub(super) fn identity(prepared: &PreparedSite, seed: u64, sampling: Sampling, multileaved: bool) -> Identity {
    Identity {
        seed,
        arms: prepared.site.arms(),
        queries: prepared.site.queries(),
        sampling,
        multileaved,
        site: site_identity(&prepared.description),
    }
}

/// Fulfils what `state` was asked for, the way it says; how many comparisons that took.
pub(super) fn play(
    state: &mut State,
    prepared: &PreparedSite,
    save: Option<(&std::path::Path, Duration)>,
    quiet: bool,
) -> Result<u64> {
    fn with<P: Player>(
        player: &P,
        state: &mut State,
        prepared: &PreparedSite,
        save: Option<(&std::path::Path, Duration)>,
        quiet: bool,
    ) -> Result<u64> {
        state.work(&Work { site: &prepared.site, player, save, quiet })
    }
    let PreparedSite { site, methods, .. } = prepared;
    if state.identity.multileaved {
        return with(&Multileaved { site, method: &methods.multileaving }, state, prepared, save, quiet);
    }
    // The usual method is known here, so that its inner loop is compiled for it alone.
    match &methods.interleaving {
        AnyInterleaving::Probabilistic(method) => with(&Interleaved { site, method }, state, prepared, save, quiet),
        method => with(&Interleaved { site, method }, state, prepared, save, quiet),
    }
}

fn provenance<'a>(
    state: &'a State,
    site: &'a SiteDescription,
    matrix: &PreferenceMatrix,
    against: Option<Against>,
) -> Provenance<'a> {
    let pairs = pair_count(matrix.arms());
    let counts = || (0..pairs).map(|place| state.count(place));
    let comparisons = counts().map(|count| count.comparisons).sum::<u64>();
    Provenance {
        command: "proxy",
        version: env!("CARGO_PKG_VERSION"),
        seed: state.identity.seed,
        pairs_meet: if state.identity.multileaved { "multileaved" } else { "pairwise" },
        sampling: state.identity.sampling,
        requests: &state.requests,
        rounds: &state.rounds,
        pairs,
        fewest: counts().map(|count| count.comparisons).min().unwrap_or(0),
        most: counts().map(|count| count.comparisons).max().unwrap_or(0),
        comparisons,
        ties: counts().map(|count| count.ties).sum::<u64>() as f64 / comparisons.max(1) as f64,
        largest_standard_error: state.largest_standard_error(),
        checksum: sha256_hex(&matrix.to_text()),
        site,
        condorcet_winner: condorcet_winner(matrix).map(|winner| site.label(winner.index())),
        against,
    }
}
