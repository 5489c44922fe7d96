//! `rankduel merge`: the parts of all shards united to the results of one process.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::cli::run_again;
use desk::eprintln;
use output::numbers::parse_up_to;
use output::program;
use output::shards::parts::part_files_in;
use output::shards::{Invocation, Parts, folder_of, results_of};
use output::usage::usage;

/// Unite the parts that all shards of a command have written (--shard).
///
/// Writes and prints what the command does without --shard: files are equal byte for byte, timings apart. Refuses, before
/// anything is written, parts that are missing, damaged, of another configuration or of another revision, and names them;
/// shards that ran twice do no harm. Data files are found as the shards found them: run it in the same folder.
#[derive(Debug, Args)]
pub(in crate::cli) struct Merge {
    /// The results, or the folder with their parts: results/x or results/x.shards
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// Where to write [default: the results that the folder is named after]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    /// Replace other results that are in the way: folders are moved to NAME.old-1, matrices are overwritten
    #[arg(long)]
    replace: bool,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,

    /// Threads [default: all cores; more than four per core (or 64) are not started]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u16, 65_535>)]
    threads: Option<u16>,

    /// Hide progress bars and remarks
    #[arg(long)]
    quiet: bool,
}

/// The folder with the parts of `path`: that folder itself, or the one beside results.
pub(super) fn parts_folder(path: &Path) -> Result<PathBuf> {
    let folder = if results_of(path).is_some() { path.to_path_buf() } else { folder_of(path) };
    ensure!(
        folder.is_dir(),
        usage(format!(
            "there is no folder {}; give that of the parts, or the --out that the shards had",
            folder.display()
        ))
    );
    Ok(folder)
}

impl Merge {
    pub(in crate::cli) fn run(&self) -> Result<()> {
        run_again(&self.arguments()?)
    }

    /// The arguments of the command behind the parts, to merge them.
    fn arguments(&self) -> Result<Vec<OsString>> {
        let folder = parts_folder(&self.folder)?;
        let mut parts = part_files_in(&folder)?.into_iter().filter_map(|file| file.part.ok()).peekable();
        if parts.peek().is_none() {
            // Reports the fault.
            Parts::read(&folder)?;
        }
        // Parts that were made by a program have no arguments, but may be of the same work.
        let Some((header, invocation)) = parts.find(|(_, invocation)| !invocation.arguments.is_empty()) else {
            bail!(usage(format!(
                "the parts in {} were made by a program, e.g. by rankduel.play_shard in Python; merge them there, with \
                 merge_shards and the same arguments",
                folder.display()
            )));
        };
        let default_results = results_of(&folder).context("the folder is named after the results")?;
        let results = self.out.clone().unwrap_or(default_results);
        let Invocation { arguments, folder: ran_in, .. } = invocation;
        if !self.quiet {
            let working_folder = std::env::current_dir().unwrap_or_default();
            if working_folder != Path::new(&ran_in) {
                eprintln!("the shards ran in {ran_in}; files with relative names are now looked up here");
            }
        }
        let mut command_line: Vec<OsString> = vec![program::name().into()];
        command_line.extend(arguments.into_iter().map(OsString::from));
        command_line.extend(["--shard".into(), OsString::from(format!("merge:{}", folder.display()))]);
        command_line.extend(["--out".into(), results_folder_of(&header.config, &results)?.into()]);
        command_line.extend(self.threads.iter().flat_map(|threads| ["--threads".into(), threads.to_string().into()]));
        let flags = [(self.replace, "--replace"), (self.json, "--json"), (self.quiet, "--quiet")];
        command_line.extend(flags.into_iter().filter(|(given, _)| *given).map(|(_, flag)| flag.into()));
        Ok(command_line)
    }
}

/// The value of `--out` with which the command of this configuration writes to `out`: an experiment is given the folder
/// that contains those of its results.
fn results_folder_of(config: &serde_json::Value, out: &Path) -> Result<PathBuf> {
    if config["command"] != "experiment" {
        return Ok(out.to_path_buf());
    }
    let name = out.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let experiment = config["experiment"].as_str().unwrap_or_default();
    ensure!(
        name == experiment,
        usage(format!("{}: the results of the experiment {experiment} are in a folder of that name", out.display()))
    );
    let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty());
    Ok(parent.unwrap_or(Path::new(".")).to_path_buf())
}
