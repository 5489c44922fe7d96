//! `sim experiment`: the figures and tables of the papers, from files.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use super::print::{eprintln, println};
use crate::cli::args::CommonArgs;
use crate::experiment::{self, Experiment, ExperimentContext, ExperimentOutcome, claim::Verdict, report::index};
use crate::output::machine;
use crate::output::numbers::{grouped, parse_up_to};
use crate::output::progress::Progress;
use crate::output::usage::usage;

/// Runs the figures and tables of the papers, from files.
///
/// A file says data, users, algorithms, steps, runs and claims, as TOML; `experiments/README.md` of the
/// project has all keys, for files of one's own.
#[derive(Debug, Args)]
pub(super) struct ExperimentCommand {
    /// Files of experiments
    #[arg(value_name = "FILE", required_unless_present = "all")]
    files: Vec<PathBuf>,

    /// All files in experiments/
    #[arg(long, conflicts_with = "files")]
    all: bool,

    /// Only those whose name holds this text, such as `rcs` or `fig3`
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// A share of the papers' steps, runs and data, for a quick look; results then lie in a folder of
    /// their own
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_share)]
    scale: f64,

    /// Where data sets (as DIR/NAME/) and published matrices (as DIR/**/MSLR-Perfect.txt) are looked
    /// for, besides the registry
    #[arg(long, value_name = "DIR", value_parser = parse_folder)]
    data_dir: Option<PathBuf>,

    /// Where to leave results [default: results, or results/scale-SHARE]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Where finished runs, truths and matrices are kept
    #[arg(long, value_name = "FOLDER", default_value = "results/.cache")]
    cache: PathBuf,

    /// Make figures and summaries anew even if nothing has changed, or if they would be of a
    /// look-alike now; finished runs are not repeated
    #[arg(long)]
    again: bool,

    /// Run nothing; tell what there is to run, and from a few steps of each how long it may take. What it
    /// finds out of the data's truth is kept in --cache
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    common: ExperimentThreads,
}

/// Threads and noise; experiments have their seeds in their files.
#[derive(Debug, Args)]
struct ExperimentThreads {
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u16, 65_535>)]
    threads: Option<u16>,

    /// No progress bars and no remarks
    #[arg(long)]
    quiet: bool,
}

impl ExperimentCommand {
    pub(super) fn run(&self) -> Result<()> {
        CommonArgs::set_threads(self.common.threads)?;
        let files = self.chosen()?;
        // A wrong file is told before hours are spent on the others.
        let experiments = files.iter().map(|file| experiment::check(file)).collect::<Result<Vec<Experiment>>>()?;
        let context = self.context(self.scale, self.common.quiet);
        if !self.common.quiet {
            self.tell_stand_ins(&context, &files, &experiments)?;
        }
        if self.dry_run {
            return self.estimate(&context, &files);
        }
        let start = Instant::now();
        let mut failed = Vec::new();
        for file in &files {
            match experiment::run(&context, file, self.again) {
                Ok(ran) => println!("{}", line(&ran)),
                Err(error) if files.len() > 1 => {
                    eprintln!("error: {error:#}");
                    failed.push(experiment::name_of(file)?);
                }
                Err(error) => return Err(error),
            }
        }
        index::write(&context.out)?;
        let summaries = index::summaries(&context.out)?;
        println!("claims in {}: {}", context.out.display(), index::tally(&summaries));
        if !self.common.quiet {
            let memory = machine::peak_memory().map_or(String::new(), |bytes| format!(", {} MB at most", bytes >> 20));
            eprintln!("{:.0} s{memory}; `sim report` makes one page of them all", start.elapsed().as_secs_f64());
        }
        ensure!(failed.is_empty(), "{} failed: {}", failed.len(), failed.join(", "));
        Ok(())
    }

    /// Says once which settings are played on look-alikes, as their data are not here.
    fn tell_stand_ins(&self, context: &ExperimentContext, files: &[PathBuf], experiments: &[Experiment]) -> Result<()> {
        let mut lines = Vec::new();
        for (file, experiment) in files.iter().zip(experiments) {
            let settings = experiment::stand_ins(context, experiment);
            let told: Vec<String> = settings.iter().map(|(setting, name)| format!("{setting} ({name})")).collect();
            if !told.is_empty() {
                lines.push(format!("  {}: {}", experiment::name_of(file)?, told.join("; ")));
            }
        }
        if !lines.is_empty() {
            let place =
                self.data_dir.as_deref().map_or_else(String::new, |folder| format!(", nor in {}", folder.display()));
            eprintln!("look-alikes stand in for data that are not in the registry{place}:\n{}", lines.join("\n"));
        }
        Ok(())
    }

    fn context(&self, scale: f64, quiet: bool) -> ExperimentContext {
        let out = self.out.clone().unwrap_or_else(|| {
            if scale < 1.0 { Path::new("results").join(format!("scale-{scale}")) } else { "results".into() }
        });
        ExperimentContext::new(out, self.cache.clone(), self.data_dir.clone(), scale, quiet)
    }

    /// The files to run, in the order of their names.
    fn chosen(&self) -> Result<Vec<PathBuf>> {
        let mut files = self.files.clone();
        if self.all {
            let folder = Path::new("experiments");
            let entries = std::fs::read_dir(folder)
                .context("failed to read the folder experiments/ (run this where the project lies, or name files)")?;
            files = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
            files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
            files.sort();
        }
        if let Some(text) = &self.only {
            files.retain(|path| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(text.as_str())));
        }
        if let Some(folder) = files.iter().find(|file| file.is_dir()) {
            bail!(usage(format!("{0} is a folder; name files in it, as {0}/*.toml", folder.display())));
        }
        ensure!(!files.is_empty(), usage("no experiment is left to run: --only leaves none, or there is none"));
        Ok(files)
    }

    fn estimate(&self, context: &ExperimentContext, files: &[PathBuf]) -> Result<()> {
        // Bars of truths and matrices would overwrite the one that is shown here.
        let small = self.context((0.01_f64).min(self.scale), true);
        println!("{:24} {:>7} {:>8} {:>17} {:>8}", "experiment", "cells", "runs", "steps", "seconds");
        let threads = rayon::current_num_threads() as f64;
        let mut sum = 0.0;
        for (done, file) in files.iter().enumerate() {
            let name = experiment::name_of(file)?;
            let progress = Progress::new(&format!("timing {name}"), files.len() as u64, self.common.quiet);
            progress.start_at(done as u64);
            let found = experiment::estimate::estimate(context, &small, &Experiment::read(file)?);
            progress.finish();
            let found = found?;
            let seconds = found.seconds() / threads;
            sum += seconds;
            let counts = [found.cells, found.runs, found.steps].map(grouped);
            println!("{name:24} {:>7} {:>8} {:>17} {seconds:>8.0}", counts[0], counts[1], counts[2]);
        }
        println!("about {:.0} minutes on {threads} threads, without what is finished already", sum / 60.0);
        Ok(())
    }
}

/// What became of an experiment, in a line.
fn line(ran: &ExperimentOutcome) -> String {
    let tally = Verdict::tally(ran.summary.claims.iter()).into_iter();
    let claims = tally.map(|(verdict, count)| format!("{count} {} {}", verdict.sign(), verdict.words(count)));
    let time = match (&ran.kept, ran.known) {
        (Some(data), _) => format!("kept: made on {data}, which is not here"),
        (None, true) => "up to date".to_owned(),
        (None, false) => format!("{:.1} s", ran.seconds),
    };
    format!("{:32} {time:>10}   {}", ran.summary.experiment, claims.collect::<Vec<_>>().join(", "))
}

/// A folder that is there: results of look-alikes in its place would be a surprise.
fn parse_folder(text: &str) -> Result<PathBuf, String> {
    let folder = PathBuf::from(text);
    if folder.is_dir() {
        return Ok(folder);
    }
    let what = if folder.exists() { "that is a file" } else { "there is no such folder" };
    Err(format!("{what}; expected the folder that holds data sets and published matrices"))
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("expected a share above 0 and up to 1, such as 0.01".to_owned()),
    }
}
