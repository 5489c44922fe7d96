//! `cargo xtask fuzz`: builds the fuzz targets on a nightly compiler and runs them for a while.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

/// The flags that make the compiler count covered edges for libFuzzer. There is no address sanitizer: the code under test is safe.
const COVERAGE: [&str; 8] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    "-Ccodegen-units=1",
];

/// Builds the fuzz targets and runs them; fails if one finds an input that breaks a property
///
/// Needs a nightly compiler (`rustup toolchain install nightly`) and a C++ compiler. Inputs that reach new code are kept in
/// fuzz/corpus, and those that break a property in fuzz/artifacts.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Targets, files of fuzz/fuzz_targets [default: all]
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,

    /// How long each target runs, in seconds
    #[arg(long, default_value_t = 60, value_name = "N")]
    seconds: u32,

    /// How many targets run at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// The outcome of a target.
struct Outcome {
    target: String,
    executions: Option<u64>,
    edges: Option<u64>,
    /// The end of its report, if it failed.
    failure: Option<String>,
}

/// Builds and runs the targets; prints a line for each.
///
/// # Errors
/// When there is no nightly compiler, a target is unknown or the build fails.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let targets = selected(&all_targets(&fuzz)?, &arguments.targets)?;
    let binaries = build(&fuzz)?;
    let seeds = Command::new(binaries.join("seeds")).current_dir(fuzz.join("..")).status();
    ensure!(seeds.is_ok_and(|status| status.success()), "the program `seeds` failed");

    let jobs = arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
    let queue = Mutex::new(targets.iter());
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(targets.len()) {
            scope.spawn(|| {
                while let Some(target) = { queue.lock().ok().and_then(|mut queue| queue.next()) } {
                    let outcome = play(&fuzz, &binaries, target, arguments.seconds);
                    if let Ok(outcome) = &outcome {
                        println!("{}", line(outcome, arguments.seconds));
                    }
                    outcomes.lock().expect("no thread panics").push(outcome);
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().expect("no thread panics").into_iter().collect::<Result<Vec<_>>>()?;
    let failures: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.failure.as_ref().map(|_| outcome)).collect();
    for failure in &failures {
        eprintln!("\n== {}\n{}", failure.target, failure.failure.as_deref().unwrap_or_default());
    }
    println!("{} targets, {} with findings", outcomes.len(), failures.len());
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The names of all targets, sorted.
fn all_targets(fuzz: &Path) -> Result<Vec<String>> {
    let files = fs::read_dir(fuzz.join("fuzz_targets")).context("failed to list fuzz/fuzz_targets")?;
    let mut names: Vec<String> =
        files.filter_map(|file| file.ok()?.file_name().to_str()?.strip_suffix(".rs").map(str::to_owned)).collect();
    names.sort_unstable();
    Ok(names)
}

/// The `wanted` targets, or all.
fn selected(all: &[String], wanted: &[String]) -> Result<Vec<String>> {
    if let Some(unknown) = wanted.iter().find(|name| !all.contains(name)) {
        bail!("there is no fuzz target `{unknown}`; there are {}", all.join(", "));
    }
    Ok(if wanted.is_empty() { all.to_vec() } else { wanted.to_vec() })
}

/// Builds all targets with counters of coverage; returns the folder of the programs.
fn build(fuzz: &Path) -> Result<PathBuf> {
    let version = Command::new("rustc").args(["+nightly", "-vV"]).output();
    let version = version.ok().filter(|output| output.status.success());
    let version = version.context("there is no nightly compiler: `rustup toolchain install nightly`")?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("`rustc -vV` names no host")?;
    // With `--target`, build scripts and procedural macros are compiled without the counters. Cargo's own variables are
    // those of the compiler that built this program.
    let status = Command::new("rustup")
        .args(["run", "nightly", "cargo", "build", "--release", "--bins", "--target", host])
        .current_dir(fuzz)
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("CARGO_TARGET_DIR", "target")
        .env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\u{1f}"))
        .status()
        .context("failed to start cargo")?;
    ensure!(status.success(), "the fuzz targets do not build");
    Ok(fuzz.join("target").join(host).join("release"))
}

/// Runs one target for `seconds`.
fn play(fuzz: &Path, binaries: &Path, target: &str, seconds: u32) -> Result<Outcome> {
    let corpus = fuzz.join("corpus").join(target);
    let artifacts = fuzz.join("artifacts").join(target);
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.display()))?;
    }
    let mut command = Command::new(binaries.join(target));
    command
        .arg(format!("-max_total_time={seconds}"))
        .arg("-rss_limit_mb=4096")
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(&corpus);
    command.args(["seeds", "regressions"].map(|kind| fuzz.join(kind).join(target)).iter().filter(|path| path.is_dir()));
    let output = command.current_dir(fuzz).output().with_context(|| format!("failed to start {target}"))?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    let (executions, edges) = numbers(&report);
    let failure = (!output.status.success()).then(|| {
        let lines: Vec<&str> = report.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    });
    Ok(Outcome { target: target.to_owned(), executions, edges, failure })
}

/// The executions and covered edges that libFuzzer reports.
fn numbers(report: &str) -> (Option<u64>, Option<u64>) {
    let after = |line: &str, word: &str| {
        let rest = line.split_once(word)?.1.trim_start();
        rest.split_whitespace().next()?.parse::<u64>().ok()
    };
    let executions = report.lines().rev().find_map(|line| {
        line.starts_with("Done ")
            .then(|| after(line, "Done "))
            .flatten()
            .or_else(|| line.starts_with('#').then(|| after(line, "#")).flatten())
    });
    (executions, report.lines().rev().find_map(|line| after(line, " cov: ")))
}

fn line(outcome: &Outcome, seconds: u32) -> String {
    let shown = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
    let found = if outcome.failure.is_some() { "FOUND an input that fails" } else { "nothing found" };
    let (target, executions, edges) = (&outcome.target, shown(outcome.executions), shown(outcome.edges));
    let time = Duration::from_secs(seconds.into());
    format!("{target:<12} {executions:>12} executions in {time:?}, {edges:>6} edges covered: {found}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Given the lines that libFuzzer ends with, its numbers are found.
    #[test]
    fn reads_the_report() {
        let report = "#8192\tREDUCE cov: 120 ft: 300 corp: 40/2Kb exec/s: 4096\n\
                      #9000\tDONE   cov: 131 ft: 310 corp: 41/2Kb\nDone 9000 runs in 61 second(s)\n";
        assert_eq!(numbers(report), (Some(9_000), Some(131)));
        assert_eq!(numbers("#77\tNEW    cov: 5 ft: 6\n==1== ERROR: libFuzzer: deadly signal"), (Some(77), Some(5)));
        assert_eq!(numbers(""), (None, None));
    }

    /// Every target in the folder is a program of the manifest, so that `cargo xtask fuzz` finds it built.
    #[test]
    fn every_target_is_built() {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
        let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
        let targets = all_targets(&fuzz).unwrap();
        assert!(targets.len() >= 8, "{targets:?}");
        for target in &targets {
            assert!(manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")), "{target}");
        }
        assert_eq!(selected(&targets, &[]).unwrap(), targets);
        let unknown = selected(&targets, &["texts".to_owned()]).unwrap_err().to_string();
        assert!(unknown.contains("no fuzz target `texts`; there are archive,"), "{unknown}");
    }
}
