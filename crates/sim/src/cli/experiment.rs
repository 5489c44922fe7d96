//! `rankduel experiment`: figures and tables of papers, defined in files.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use output::machine;
use output::numbers::{deviation, number, parse_up_to, with_separators};
use output::progress::Progress;
use output::text_table::{Align, TextTable};
use output::usage::usage;

use crate::cli::args::CacheArgs;
use crate::cli::shards::{ShardArgs, invocation};
use crate::experiment::{
    self, Experiment, ExperimentContext, ExperimentOutcome, SharedWork, Table, claim::ClaimResult, report::index,
};
use desk::{eprintln, println};
use output::interrupt::say_when_stopped;
use output::shards::Share;
use studies::Units;
use studies::runner::announce_missing;
use studies::runner::share::{ShardedWork, claim_shard, lists_for, no_replace};

/// Run figures and tables of papers, defined in files.
///
/// A TOML file defines data, click models, algorithms, steps, runs and claims. `experiments/README.md` of the project
/// documents all keys, also for your own files.
#[derive(Debug, Args)]
pub(super) struct ExperimentCommand {
    /// Experiment files
    #[arg(value_name = "FILE", required_unless_present = "all")]
    files: Vec<PathBuf>,

    /// All files in experiments/
    #[arg(long, conflicts_with = "files")]
    all: bool,

    /// Only experiments whose name contains this text, such as `rcs` or `fig3`
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Share of the papers' steps, runs and data, for a quick look; results go to a separate folder
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_share)]
    scale: f64,

    /// Folder to search, in addition to the registry, for data sets (DIR/NAME/) and published matrices
    /// (DIR/**/MSLR-Perfect.txt)
    #[arg(long, value_name = "DIR", value_parser = parse_folder)]
    data_dir: Option<PathBuf>,

    /// Results folder [default: results, or results/scale-SHARE with --scale]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    #[command(flatten)]
    cache: CacheArgs,

    #[command(flatten)]
    shard: ShardArgs,

    /// Replace figures and summaries even if nothing has changed, or if a look-alike now stands in for the data they
    /// were made on; finished runs are not repeated
    #[arg(long)]
    replace: bool,

    /// Only list what would run: cells (settings, sets of rankers and algorithms), runs and steps
    #[arg(long)]
    dry_run: bool,

    /// With --dry-run: estimate the seconds too, from a few steps of each experiment; ground truths computed for that are
    /// kept in --cache
    #[arg(long, requires = "dry_run")]
    time: bool,

    #[command(flatten)]
    common: ExperimentThreads,
}

/// Threads and verbosity; the seed is part of the experiment file.
#[derive(Debug, Args)]
struct ExperimentThreads {
    /// Threads [default: all cores; more than four per core (or 64) are not started]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u16, 65_535>)]
    threads: Option<u16>,

    /// Hide progress bars and remarks
    #[arg(long)]
    quiet: bool,
}

impl ExperimentCommand {
    pub(super) fn run(&self) -> Result<()> {
        let files = self.chosen()?;
        // An invalid file fails before hours are spent on the others.
        let experiments = files.iter().map(|file| experiment::check(file)).collect::<Result<Vec<Experiment>>>()?;
        let mut context = self.context(self.scale, self.common.quiet);
        let share = self.shard.share()?;
        context.lists = lists_for(&share, false);
        if !matches!(share, Share::All) {
            let [file] = &files[..] else {
                bail!(usage("--shard goes with one experiment at a time; give a single file"));
            };
            ensure!(!self.dry_run, usage("--dry-run does not go with --shard; leave one of them out"));
            context.sharing.share = share.clone();
            if !matches!(share, Share::Merge(_)) {
                return self.run_share(context, &share, file);
            }
            self.sharded_work(&context, file)?.check(&share)?;
        }
        if !self.common.quiet || output::progress::is_watched() {
            self.print_stand_ins(&context, &files, &experiments)?;
        }
        if self.dry_run {
            return self.estimate(&context, &files);
        }
        if let Some(out) = &self.out {
            announce_missing(out, self.common.quiet);
        }
        let start = Instant::now();
        let mut failed = Vec::new();
        for file in &files {
            match experiment::run(&context, file, self.replace) {
                Ok(ran) => {
                    println!("{}", line(&ran));
                    if is_users_own(file) {
                        print_details(&ran, &context.folder(&ran.summary.experiment));
                    }
                }
                Err(error) if files.len() > 1 => {
                    eprintln!("error: {error:#}");
                    failed.push(experiment::name_of(file)?);
                }
                Err(error) => return Err(error),
            }
        }
        // The index belongs to the project's experiments; a user's print their numbers.
        if !files.iter().all(|file| is_users_own(file)) {
            index::write(&context.out)?;
            let summaries = index::summaries(&context.out)?;
            println!("claims in {}: {}", context.out.display(), index::tally(&summaries));
        }
        if !self.common.quiet {
            let memory =
                machine::peak_memory().map_or(String::new(), |bytes| format!(", peak memory {} MB", bytes >> 20));
            eprintln!(
                "{:.0} s{memory}; `{program} report` builds one HTML page of all results",
                start.elapsed().as_secs_f64(),
                program = output::program::name()
            );
        }
        ensure!(failed.is_empty(), "{} failed: {}", failed.len(), failed.join(", "));
        Ok(())
    }

    /// The work that the shards of an experiment are parts of.
    fn sharded_work(&self, context: &ExperimentContext, file: &Path) -> Result<ShardedWork> {
        let SharedWork { config, revisions, runs } = experiment::shared_work(context, file)?;
        ShardedWork::new(&config, Units { unit: "run", total: runs, records: 1, revisions }, &invocation())
    }

    /// Plays the runs of a shard, and leaves its part; or does what all shards need.
    fn run_share(&self, mut context: ExperimentContext, share: &Share, file: &Path) -> Result<()> {
        let quiet = self.common.quiet;
        let work = self.sharded_work(&context, file)?;
        let Some(shard) = share.shard() else {
            experiment::run_share(&context, file)?;
            output::messages::info(quiet, "prepared for all shards: data, ground truths and matrices");
            return Ok(());
        };
        ensure!(!self.replace, no_replace());
        let results_folder = context.folder(&experiment::name_of(file)?);
        let Some(claimed_folder) = claim_shard(shard, &results_folder, work.config(), quiet)? else { return Ok(()) };
        work.begin(share, &claimed_folder)?;
        let path = claimed_folder.path().display().to_string();
        say_when_stopped(move || {
            format!("stopped; finished runs are kept in {path}, and the same command plays the others")
        });
        context.sharing.folder = Some(claimed_folder.path().to_path_buf());
        let cells = experiment::run_share(&context, file)?;
        work.leave_part(shard, claimed_folder, &cells, quiet)
    }

    /// Lists the settings that run on look-alikes because their data are not installed.
    fn print_stand_ins(
        &self,
        context: &ExperimentContext,
        files: &[PathBuf],
        experiments: &[Experiment],
    ) -> Result<()> {
        let mut lines = Vec::new();
        for (file, experiment) in files.iter().zip(experiments) {
            let settings = experiment::stand_ins(context, experiment);
            let names: Vec<String> = settings.iter().map(|(setting, name)| format!("{setting} ({name})")).collect();
            if !names.is_empty() {
                lines.push(format!("  {}: {}", experiment::name_of(file)?, names.join("; ")));
            }
        }
        if !lines.is_empty() {
            let location = self
                .data_dir
                .as_deref()
                .map_or_else(String::new, |folder| format!(", neither in the registry nor in {}", folder.display()));
            let text =
                format!("look-alikes stand in for data sets that are not installed{location}:\n{}", lines.join("\n"));
            if !output::progress::send_note(&text) {
                eprintln!("{text}");
            }
        }
        Ok(())
    }

    fn context(&self, scale: f64, quiet: bool) -> ExperimentContext {
        let out_folder = self.out.clone().unwrap_or_else(|| {
            if scale < 1.0 { Path::new("results").join(format!("scale-{scale}")) } else { "results".into() }
        });
        let mut context =
            ExperimentContext::new(out_folder, self.cache.cache.clone(), self.data_dir.clone(), scale, quiet);
        context.data_cache = letor_io::cache::folder();
        context
    }

    /// The files to run, in the order of their names.
    fn chosen(&self) -> Result<Vec<PathBuf>> {
        let mut files = self.files.clone();
        if self.all {
            let folder = Path::new("experiments");
            let entries = std::fs::read_dir(folder)
                .context("failed to read the folder experiments/ (run this in the project folder, or give files)")?;
            files = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
            files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
            files.sort();
        }
        if let Some(text) = &self.only {
            files.retain(|path| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(text.as_str())));
        }
        if let Some(folder) = files.iter().find(|file| file.is_dir()) {
            bail!(usage(format!("{0} is a folder; give the files in it, e.g. {0}/*.toml", folder.display())));
        }
        ensure!(!files.is_empty(), usage("no experiment to run: --only matches none, or the folder has none"));
        Ok(files)
    }

    fn estimate(&self, context: &ExperimentContext, files: &[PathBuf]) -> Result<()> {
        // Nested progress bars would overwrite the one shown here.
        let small_context = self.time.then(|| self.context((0.01_f64).min(self.scale), true));
        let seconds = |text: String| if self.time { format!(" {text:>8}") } else { String::new() };
        println!("{:24} {:>7} {:>8} {:>17}{}", "experiment", "cells", "runs", "steps", seconds("seconds".to_owned()));
        let threads = rayon::current_num_threads() as f64;
        let mut sum = 0.0;
        for (index, file) in files.iter().enumerate() {
            let name = experiment::name_of(file)?;
            let quiet = self.common.quiet || !self.time;
            let progress = Progress::new(&format!("timing {name}"), files.len() as u64, quiet);
            progress.start_at(index as u64);
            let estimated = experiment::estimate::estimate(context, small_context.as_ref(), &experiment::read(file)?);
            progress.finish();
            let estimated = estimated?;
            let spent = estimated.seconds() / threads;
            sum += spent;
            let counts = [estimated.cells, estimated.runs, estimated.steps].map(with_separators);
            let spent = seconds(format!("{spent:.0}"));
            println!("{name:24} {:>7} {:>8} {:>17}{spent}", counts[0], counts[1], counts[2]);
        }
        if self.time {
            println!("about {:.0} minutes on {threads} threads, not counting finished runs", sum / 60.0);
        } else {
            println!("--time estimates how long that takes");
        }
        Ok(())
    }
}

/// Whether an experiment is not one of the project's, which are in `experiments/`.
fn is_users_own(file: &Path) -> bool {
    file.parent().and_then(Path::file_name).is_none_or(|folder| folder != "experiments")
}

/// Prints the numbers of an experiment and where they are.
fn print_details(ran: &ExperimentOutcome, folder: &Path) {
    let summary = &ran.summary;
    for claim in &summary.claims {
        println!("  {} {}: {}", claim.verdict.sign(), claim.says, claim.numbers);
    }
    if let Some(Table { header, rows }) = &summary.table {
        let mut table = TextTable::new(header.iter().map(|name| (name.as_str(), Align::Left)));
        rows.iter().for_each(|row| table.row(row.iter().cloned()));
        println!("{table}");
    } else {
        let left_aligned = |name| (name, Align::Left);
        let right_aligned = |name| (name, Align::Right);
        let columns = [
            left_aligned("setting"),
            left_aligned("curve"),
            left_aligned("metric"),
            right_aligned("at"),
            right_aligned("mean"),
            right_aligned("± s.e."),
        ];
        let mut table = TextTable::new(columns);
        for row in &summary.values {
            let error = deviation(row.spread.mean, row.spread.standard_error, row.runs);
            let names = [&row.setting, &row.curve, &row.metric].map(Clone::clone);
            table.row(names.into_iter().chain([number(row.x), row.mean(), error]));
        }
        println!("{table}");
    }
    println!("results in {}", folder.display());
}

/// The outcome of an experiment as one line.
fn line(ran: &ExperimentOutcome) -> String {
    let tally = ClaimResult::tally(ran.summary.claims.iter()).into_iter();
    let claims = tally.map(|(verdict, count)| format!("{count} {} {}", verdict.sign(), verdict.words(count)));
    let time = match (&ran.kept_note, ran.was_known) {
        (Some(data), _) => format!("kept: made on {data}, which is not installed"),
        (None, true) => "up to date".to_owned(),
        (None, false) => format!("{:.1} s", ran.seconds),
    };
    format!("{:32} {time:>10}   {}", ran.summary.experiment, claims.collect::<Vec<_>>().join(", "))
}

/// An existing folder: a misspelt one must not silently lead to results on look-alikes.
fn parse_folder(text: &str) -> Result<PathBuf, String> {
    let folder = PathBuf::from(text);
    if folder.is_dir() {
        return Ok(folder);
    }
    let problem = if folder.exists() { "it is a file" } else { "no such folder" };
    Err(format!("{problem}; expected a folder with data sets and published matrices"))
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("expected a share above 0 and at most 1, such as 0.01".to_owned()),
    }
}
