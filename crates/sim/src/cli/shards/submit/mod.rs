//! `rankduel submit`: a command in shards, as scripts for a cluster or as processes of this machine.

mod dry_run;
mod kubernetes;
mod limits;
mod local;
mod slurm;
mod values;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use letor_io::{lookalike, registry};

use crate::cli::FailureKind;
use crate::experiment;
use desk::{eprintln, println};
use dry_run::ShardNeeds;
use limits::{MemoryLimit, TimeLimit};
use output;
use output::numbers::parse_up_to;
use output::program;
use output::shards::parts::{most_common_header, part_files_in, range_list, work_difference};
use output::shards::{Header, folder_of};
use output::usage::usage;
use ranktypes::text::escaped;

/// Run a command in shards: write scripts for a cluster, or run the shards here.
///
/// `rankduel submit slurm --shards 64 -- proxy --dataset MSLR-WEB30K --out results/P.npy` writes scripts that prepare what all
/// shards need, run 64 shards as a job array, and merge their parts. Their memory and time are twice what a dry run of some
/// seconds estimates, unless --mem and --time are given. Read them, then run submit.sh, or let --go do it. When
/// shards were lost, --missing submits those that have no part, and a new merge. The command needs --out, where results go
/// and beside which the parts are.
#[derive(Debug, Args)]
pub(in crate::cli) struct Submit {
    /// Where the shards run
    #[arg(value_name = "WHERE", value_enum)]
    place: Scheduler,

    /// The number of shards
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u32, 1_000_000>)]
    shards: u32,

    /// Submit immediately, instead of only writing the scripts
    #[arg(long)]
    go: bool,

    /// Only shards without a finished part, and the merge; first wait for or cancel those that are still at work
    #[arg(long)]
    missing: bool,

    /// Only show what a dry run says a shard needs, and write nothing
    #[arg(long, conflicts_with_all = ["go", "missing", "no_dry_run"])]
    dry_run: bool,

    /// Give no --mem and --time that are not given here: a dry run reads the data and computes for some seconds, which may be
    /// too much for a login node
    #[arg(long)]
    no_dry_run: bool,

    /// Cores of a shard [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u16, 1024>)]
    cpus: Option<u16>,

    /// At most this many shards at a time [default: on this machine one per core, on a cluster as many as there is room for]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u32, 1_000_000>)]
    limit: Option<u32>,

    #[command(flatten)]
    cluster: ClusterArgs,

    /// The command with its flags, after `--`
    #[arg(value_name = "COMMAND", required = true, last = true)]
    command: Vec<String>,
}

/// What is passed on to the scheduler.
#[derive(Debug, Args)]
#[command(next_help_heading = "On a cluster")]
struct ClusterArgs {
    /// Memory of a shard, e.g. 4G [default: from a dry run]
    #[arg(long, value_name = "SIZE")]
    mem: Option<MemoryLimit>,

    /// Time limit of a shard, e.g. 4:00:00, 2-12:00:00 (days) or 90m [default: from a dry run]
    #[arg(long, value_name = "TIME")]
    time: Option<TimeLimit>,

    /// Account to charge (Slurm)
    #[arg(long, value_name = "NAME")]
    account: Option<String>,

    /// Partition (Slurm)
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,

    /// Quality of service (Slurm)
    #[arg(long, value_name = "NAME")]
    qos: Option<String>,

    /// A file with shell commands to run first, such as `module load` (Slurm)
    #[arg(long, value_name = "FILE")]
    prologue: Option<PathBuf>,

    /// Larger arrays are submitted as several (Slurm: MaxArraySize of `scontrol show config`)
    #[arg(long, value_name = "N", default_value = "1001", value_parser = parse_up_to::<u32, 4_000_001>)]
    max_array_size: u32,

    /// The image with the program (Kubernetes)
    #[arg(long, value_name = "IMAGE", default_value = "rankduel:latest")]
    image: String,

    /// The claim of the volume that all shards share (Kubernetes)
    #[arg(long, value_name = "NAME", default_value = "rankduel")]
    claim: String,

    /// The program to call [default: this one; in an image `rankduel`]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scheduler {
    /// Job arrays of Slurm
    Slurm,
    /// An indexed job of Kubernetes
    Kubernetes,
    /// Processes of this machine, immediately
    Local,
}

/// The shards to run, and the request.
struct Job<'a> {
    submit: &'a Submit,
    /// The folder with the parts.
    parts_folder: PathBuf,
    /// The shards to run, ascending.
    shards: Vec<u32>,
    /// The result of a dry run.
    measured_needs: Option<ShardNeeds>,
}

impl Submit {
    pub(in crate::cli) fn run(&self) -> Result<()> {
        values::check(self)?;
        let command = self.command();
        let flag = |name: &str| command.iter().any(|word| word == name || word.starts_with(&format!("{name}=")));
        ensure!(!flag("--shard"), usage("--shard is what submit adds to the command; leave it out"));
        let shard_flags = ["--shard", "0/1"].into_iter();
        crate::cli::check(command.iter().map(String::as_str).chain(shard_flags))
            .map_err(|error| usage(format!("the command after `--`: {error}")))?;
        self.check_names()?;
        let parts_folder = self.parts_folder()?;
        let shards = if self.missing { self.missing_in(&parts_folder)? } else { (0..self.shards).collect() };
        let measured_needs = self.measured_needs()?;
        if self.dry_run {
            return Ok(());
        }
        let job = Job { submit: self, parts_folder, shards, measured_needs };
        match self.place {
            Scheduler::Local => local::run(&job),
            Scheduler::Slurm => self.hand_over(&job, "slurm", &slurm::files(&job)?),
            Scheduler::Kubernetes => self.hand_over(&job, "kubernetes", &kubernetes::files(&job)?),
        }
    }

    /// Refuses unknown names of data sets and matrices; files may be on the cluster alone.
    fn check_names(&self) -> Result<()> {
        for (flag, is_matrix) in [("--dataset", false), ("--matrix", true), ("--against", true)] {
            let arguments = self.command().iter().enumerate();
            let values = arguments.filter_map(|(at, word)| match word.strip_prefix(flag)? {
                "" => self.command().get(at + 1).map(String::as_str),
                rest => rest.strip_prefix('='),
            });
            for name in values.flat_map(|value| value.split(',')) {
                let is_path = name.contains(['/', '\\', '.']) || Path::new(name).exists();
                let of_kind = registry::find(name).is_some_and(|entry| entry.matrix.is_some() == is_matrix);
                if is_path || of_kind || !is_matrix && lookalike::is_named_by(name) {
                    continue;
                }
                let names = registry::all().iter().filter(|entry| entry.matrix.is_some() == is_matrix);
                let names = names.map(|entry| entry.name.as_str());
                let near = ranktypes::spec::nearest(name, names.chain(lookalike::names().filter(|_| !is_matrix)));
                let hint = near.map_or_else(
                    || {
                        format!(
                            "`{} datasets` lists the registered names; write ./NAME for a file of the cluster",
                            program::name()
                        )
                    },
                    |near| format!("did you mean `{near}`?"),
                );
                let noun = if is_matrix { "matrix" } else { "data set" };
                bail!(usage(format!(
                    "the command after `--`: {flag} {}: neither a file or folder nor a registered {noun}; {hint}",
                    escaped(name)
                )));
            }
        }
        Ok(())
    }

    /// The result of a dry run, which is printed; `None` if none is wanted, or it fails. Its failure does not stop scripts: the data may be
    /// on the cluster alone.
    fn measured_needs(&self) -> Result<Option<ShardNeeds>> {
        let needs_limits =
            self.place != Scheduler::Local && (self.cluster.mem.is_none() || self.cluster.time.is_none());
        if !self.dry_run && (!needs_limits || self.no_dry_run) {
            return Ok(None);
        }
        if !self.dry_run {
            eprintln!("a dry run measures what a shard needs; --no-dry-run skips it");
        }
        match ShardNeeds::measure(self) {
            Ok(needs) => {
                let [mem, time] = [needs.mebibytes(), needs.minutes(self.shards, self.cpus())];
                eprintln!("{}; {mem} MiB and {time} min are enough for each", needs.describe(self.shards));
                Ok(Some(needs))
            }
            Err(error) if self.dry_run => Err(error),
            // Wrong usage here is wrong usage everywhere.
            Err(error) if crate::cli::failure(&error).kind == FailureKind::Usage => Err(error),
            Err(error) => {
                eprintln!("note: no dry run: {error:#}; give --mem and --time, or the cluster decides");
                Ok(None)
            }
        }
    }

    /// The command without the name of the program.
    fn command(&self) -> &[String] {
        match self.command.first().map(String::as_str) {
            Some(name) if name == program::NAME || name == program::name() => &self.command[1..],
            _ => &self.command,
        }
    }

    /// The folder with the parts of the command.
    fn parts_folder(&self) -> Result<PathBuf> {
        let command = self.command();
        let mut values = command.iter().enumerate().filter_map(|(at, word)| match word.strip_prefix("--out") {
            Some("") => command.get(at + 1).cloned(),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        });
        let results = values.next_back().map(PathBuf::from);
        let results = results
            .ok_or_else(|| usage("the command needs --out: all shards, and who merges them, must know where"))?;
        if command.first().is_some_and(|name| name == "experiment") {
            let file = command.iter().skip(1).find(|word| word.ends_with(".toml"));
            let file = file.ok_or_else(|| usage("submit takes one experiment at a time; give its file"))?;
            return Ok(folder_of(&results.join(experiment::name_of(Path::new(file))?)));
        }
        Ok(folder_of(&results))
    }

    /// The shards without a sound part.
    fn missing_in(&self, parts_folder: &Path) -> Result<Vec<u32>> {
        let part_files = if parts_folder.is_dir() { part_files_in(parts_folder)? } else { Vec::new() };
        let sound: Vec<&Header> =
            part_files.iter().filter_map(|part_files| Some(&part_files.part.as_ref().ok()?.0)).collect();
        let Some(work) = most_common_header(&sound) else { return Ok((0..self.shards).collect()) };
        ensure!(
            work.shard.of == self.shards,
            usage(format!(
                "{} holds parts of {} shards, not of {}",
                parts_folder.display(),
                work.shard.of,
                self.shards
            ))
        );
        let finished = |index: &u32| {
            sound.iter().any(|header| header.shard.index == *index && work_difference(header, work).is_none())
        };
        Ok((0..self.shards).filter(|index| !finished(index)).collect())
    }

    /// Writes the files of a scheduler, and submits them if that is asked for.
    fn hand_over(&self, job: &Job<'_>, scheduler: &str, files: &[(&str, String)]) -> Result<()> {
        let folder = job.parts_folder.join(scheduler);
        output::create_folder(&folder.join("logs"))?;
        for (name, text) in files {
            output::write_atomic(&folder.join(name), text.as_bytes())?;
        }
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        eprintln!("scripts in {}: {}", folder.display(), names.join(", "));
        if self.missing {
            match job.shards.len() {
                0 => eprintln!("no shard is missing; the parts are merged"),
                _ => eprintln!("missing: {}", range_list(job.shards.iter().copied())),
            }
        }
        let submit = folder.join("submit.sh");
        if !self.go {
            println!("read them, then: bash {}", shell(&submit.to_string_lossy()));
            return Ok(());
        }
        let status = std::process::Command::new("bash").arg(&submit).status();
        let status = status.with_context(|| format!("bash, which runs {}, cannot be started", submit.display()))?;
        ensure!(status.success(), "{} failed; see what it says above", submit.display());
        Ok(())
    }

    fn cpus(&self) -> u16 {
        self.cpus.unwrap_or(1)
    }
}

impl Job<'_> {
    /// The memory of a shard: as requested, or else by the dry run.
    fn memory(&self) -> Option<MemoryLimit> {
        let measured_memory = || Some(MemoryLimit::mebibytes(self.measured_needs?.mebibytes()));
        self.submit.cluster.mem.or_else(measured_memory)
    }

    /// The time of a shard: as requested, or else by the dry run.
    fn time(&self) -> Option<TimeLimit> {
        let measured_time =
            || Some(TimeLimit::minutes(self.measured_needs?.minutes(self.submit.shards, self.submit.cpus())));
        self.submit.cluster.time.or_else(measured_time)
    }

    /// The result of the dry run, as one line for the comment of a script.
    fn remark(&self) -> String {
        self.measured_needs.map_or_else(String::new, |needs| format!("# {}\n", needs.describe(self.submit.shards)))
    }

    /// A name for jobs, made of the name of the results: letters, digits and dashes.
    fn name(&self) -> String {
        let stem = self.parts_folder.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        let dashed: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        let dashed = dashed.trim_matches('-');
        if dashed.is_empty() { program::NAME.to_owned() } else { dashed.to_owned() }
    }

    /// The program to call.
    fn program(&self) -> Result<PathBuf> {
        if let Some(program) = &self.submit.cluster.program {
            return Ok(program.clone());
        }
        // The command line of the wheel runs in Python, which sets its path.
        if let Some(program) = crate::cli::PROGRAM_PATH.get() {
            return Ok(program.clone());
        }
        let program = std::env::current_exe().context("the path of this program is unknown; give --program")?;
        let is_python = program.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("python"));
        anyhow::ensure!(!is_python, usage("Python runs this, and no program `rankduel` is beside it; give --program"));
        Ok(program)
    }

    /// Whether the command sets its threads itself.
    fn sets_threads(&self) -> bool {
        self.submit.command().iter().any(|word| word == "--threads" || word.starts_with("--threads="))
    }
}

/// A word as a shell reads it.
fn shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The absolute form of a path, which need not exist, or a name that is looked up.
fn absolute_path(path: &Path) -> Result<String> {
    let path = std::path::absolute(path).with_context(|| format!("{} has no absolute form", path.display()))?;
    Ok(path.to_string_lossy().into_owned())
}

/// The text of the file with the commands to run first.
fn prologue(file: Option<&Path>) -> Result<String> {
    let Some(file) = file else { return Ok(String::new()) };
    output::input::read_text(file, 1 << 20).map_err(|error| usage(format!("--prologue {}: {error}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell_where_they_must_be() {
        assert_eq!(shell("rucb:alpha=0.51,mdb"), "rucb:alpha=0.51,mdb");
        assert_eq!(shell("a b"), "'a b'");
        assert_eq!(shell("it's"), "'it'\\''s'");
        assert_eq!(shell("$HOME"), "'$HOME'");
        assert_eq!(shell(""), "''");
    }
}
