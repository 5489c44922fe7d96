//! The needs of a shard: a dry run does the beginning of the command in this process and in a temporary folder, and measures its memory and
//! processor time.
//!
//! Work is measured where the command shows its progress, and stopped there. A study is measured in two steps: the number of steps, from
//! its beginning; and the time of one, from a single short run of each algorithm, because the beginning of the work is that of the first
//! algorithm alone. Short runs cost more per step than long ones, in which most algorithms settle.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use output::machine;
use output::memory::size;
use output::numbers::parse_positive;
use output::program;
use output::progress::{Watch, watched};

use super::Submit;
use crate::cli::run_again;

/// Seconds of processor time that are measured.
const SAMPLE: f64 = 4.0;
/// The most seconds until the work itself begins: data are read, lists ranked, the ground truth is estimated.
const PATIENCE: Duration = Duration::from_secs(120);
/// The steps of a short run, at most.
const STEPS: u64 = 1_000_000;
/// Nodes of a cluster may be slower than this machine, and full ones always are.
const MARGIN: f64 = 2.0;
/// No job is given less: queues gain nothing from it. In seconds.
const LEAST_SECONDS: f64 = 600.0;
/// Memory that the measurement misses: the tables of later algorithms, the merge. Also the least that a job is given. In bytes.
const MORE_MEMORY: u64 = 512 << 20;

/// The result of a dry run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Needs {
    /// The peak of memory, in bytes.
    memory: u64,
    /// Seconds of processor time until the work begins.
    start: f64,
    /// Seconds of processor time of the work of all shards.
    work: f64,
}

impl Needs {
    /// Measures the needs of the command in `asked`.
    pub(super) fn of(asked: &Submit) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("{}-dry-run-{}", program::name(), std::process::id()));
        let _remove = Removed(&folder);
        let sample = Sample { asked, folder: &folder };
        let command = asked.command().first().map_or("", String::as_str);
        let (work, is_study) = match command {
            "experiment" => bail!("`{} experiment FILE --dry-run --time` estimates experiments", program::name()),
            "proxy" => ("comparing pairs", false),
            "sensitivity" => ("comparing", false),
            "distortion" => ("multileaving", false),
            "compare" => ("playing live and proxy", true),
            "bandit" if asked.command().iter().any(|word| word.contains("explore-then-exploit")) => {
                ("exploring", false)
            }
            _ => ("playing", true),
        };
        let threads = asked.cpus().to_string();
        // Threads are started once.
        let begun = sample.run(work, (!is_study).then_some(SAMPLE), &["--threads", &threads])?;
        let per_unit = if is_study {
            let short =
                sample.run(work, Some(5.0 * SAMPLE), &["--runs", "1", "--steps", &sample.steps().to_string()])?;
            short.seconds / short.done.max(1) as f64
        } else {
            begun.seconds / begun.done.max(1) as f64
        };
        let memory = machine::peak_memory().context("this system does not say how much memory was used")?;
        Ok(Self { memory, start: begun.start, work: per_unit * begun.total as f64 })
    }

    /// The memory to ask for, in MiB.
    pub(super) fn mebibytes(&self) -> u64 {
        let wanted = self.memory + self.memory / 4 + MORE_MEMORY;
        // Whole quarters of a GiB.
        wanted.div_ceil(256 << 20) * 256
    }

    /// The time to ask for, for one of `shards` shards of `cpus` cores each, in minutes.
    pub(super) fn minutes(&self, shards: u32, cpus: u16) -> u64 {
        let seconds = (self.start + self.work / f64::from(shards)) / f64::from(cpus);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number of minutes")]
        let minutes = ((MARGIN * seconds).max(LEAST_SECONDS) / 60.0).ceil() as u64;
        // Whole fives, and whole hours if there are several.
        let unit = if minutes > 180 { 60 } else { 5 };
        minutes.div_ceil(unit) * unit
    }

    /// The measurements, in words.
    pub(super) fn describe(&self, shards: u32) -> String {
        format!(
            "a dry run used {} of memory and {:.1} s of CPU to start, and estimates {} of CPU for all {shards} shards",
            size(self.memory),
            self.start,
            of_time(self.work)
        )
    }
}

fn of_time(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

/// A folder that is removed in the end.
struct Removed<'a>(&'a Path);

impl Drop for Removed<'_> {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = std::fs::remove_dir_all(self.0);
    }
}

/// The beginning of a command.
struct Sample<'a> {
    asked: &'a Submit,
    folder: &'a Path,
}

/// The progress of a sample.
#[derive(Debug, Clone, Copy, Default)]
struct Came {
    /// Seconds of processor time until the work began.
    start: f64,
    total: u64,
    done: u64,
    /// Seconds of processor time of the finished part.
    seconds: f64,
}

impl Sample<'_> {
    /// The steps of a short run.
    fn steps(&self) -> u64 {
        let words = self.asked.command();
        let given = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--steps") {
            Some("") => words.get(at + 1).map(String::as_str),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        });
        given.and_then(|text| parse_positive(text).ok()).map_or(STEPS, |steps| steps.min(STEPS))
    }

    /// Runs the command with `more` flags until `enough` seconds of processor time are measured; without a number, until the
    /// work begins.
    fn run(&self, work: &'static str, enough: Option<f64>, more: &[&str]) -> Result<Came> {
        let replaced =
            ["--out", "--threads"].into_iter().chain(more.iter().copied().filter(|word| word.starts_with("--")));
        let mut words = without(self.asked.command(), &replaced.collect::<Vec<_>>());
        words.retain(|word| !matches!(word.as_str(), "--quiet" | "--resume" | "--replace" | "--json"));
        let out = self.folder.join("P.npy");
        words.extend(["--shard", "0/1", "--quiet", "--out", &out.to_string_lossy()].map(str::to_owned));
        words.extend(more.iter().map(|word| (*word).to_owned()));
        let words: Vec<OsString> =
            std::iter::once(program::name().to_owned()).chain(words).map(OsString::from).collect();
        let gauge = Arc::new(Gauge { work, enough, until: Instant::now() + PATIENCE, state: Mutex::default() });
        gauge.state().began = cpu();
        let ran = catch_unwind(AssertUnwindSafe(|| watched(gauge.clone(), || run_again(&words))));
        let _ = std::fs::remove_dir_all(self.folder);
        let mut state = gauge.state();
        match ran {
            Ok(ran) => {
                ran?;
                state.last = cpu();
            }
            Err(unwound) if unwound.is::<Stopped>() => {}
            Err(panic) => resume_unwind(panic),
        }
        ensure!(
            state.came.total > 0,
            "what all shards need takes more than {} s; run the command with --shard prepare first",
            PATIENCE.as_secs()
        );
        let mut came = state.came;
        came.seconds = state.last - state.began;
        Ok(came)
    }
}

/// `words` without these flags and their values.
fn without(words: &[String], flags: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        if !flags.contains(&name) {
            kept.push(word.clone());
        } else if !word.contains('=') {
            words.next();
        }
    }
    kept
}

/// Unwinds from work once enough of it was measured.
struct Stopped;

/// Measures work, and stops it.
struct Gauge {
    work: &'static str,
    enough: Option<f64>,
    until: Instant,
    state: Mutex<Measurement>,
}

#[derive(Debug, Default)]
struct Measurement {
    came: Came,
    /// When the work began, or before that the process, in seconds of processor time.
    began: f64,
    /// The last measurement.
    last: f64,
    looked: Option<Instant>,
}

impl Gauge {
    fn state(&self) -> std::sync::MutexGuard<'_, Measurement> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Gauge {
    fn begins(&self, what: &str, total: u64) {
        let mut state = self.state();
        if what != self.work {
            return;
        }
        let now = cpu();
        (state.came.start, state.came.total, state.came.done) = (now - state.began, total, 0);
        (state.began, state.last) = (now, now);
        if self.enough.is_none() {
            drop(state);
            resume_unwind(Box::new(Stopped));
        }
    }

    fn advances(&self, units: u64) {
        let mut state = self.state();
        state.came.done += units;
        // Measuring takes some time.
        if state.looked.is_some_and(|looked| looked.elapsed() < Duration::from_millis(20)) {
            return;
        }
        state.looked = Some(Instant::now());
        state.last = cpu();
        let begun = state.came.total > 0;
        let enough = begun && self.enough.is_some_and(|enough| state.last - state.began >= enough);
        if enough || !begun && Instant::now() >= self.until {
            drop(state);
            resume_unwind(Box::new(Stopped));
        }
    }

    fn lengthens(&self, units: u64) {
        self.state().came.total += units;
    }
}

/// Seconds of processor time of this process so far; of the clock if the system does not report them.
fn cpu() -> f64 {
    machine::processor_seconds().unwrap_or_else(|| {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_secs_f64() * rayon::current_num_threads() as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_has_a_margin_and_is_round() {
        let needs = Needs { memory: 3_400 << 20, start: 2.0, work: 2.0 * 3600.0 };
        assert_eq!(needs.mebibytes(), 4_864);
        assert_eq!((needs.minutes(64, 1), needs.minutes(1, 1), needs.minutes(4, 4)), (10, 300, 20));
        assert_eq!(
            needs.describe(64),
            "a dry run used 3.6 GB of memory and 2.0 s of CPU to start, and estimates 2.0 h of CPU for all 64 shards"
        );
    }

    #[test]
    fn flags_are_taken_out_with_their_values() {
        let words: Vec<String> = "bandit --steps 1e8 --out=a --runs 5 --json".split(' ').map(str::to_owned).collect();
        assert_eq!(without(&words, &["--out", "--steps"]).join(" "), "bandit --runs 5 --json");
    }
}
