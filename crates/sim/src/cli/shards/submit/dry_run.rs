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
const SAMPLE_SECONDS: f64 = 4.0;
/// The most seconds until the work itself begins: data are read, lists ranked, the ground truth is estimated.
const MAX_PREPARATION: Duration = Duration::from_secs(120);
/// The steps of a short run, at most.
const MAX_SAMPLE_STEPS: u64 = 1_000_000;
/// Nodes of a cluster may be slower than this machine, and full ones always are.
const TIME_MARGIN: f64 = 2.0;
/// No job is given less: queues gain nothing from it. In seconds.
const MIN_SECONDS: f64 = 600.0;
/// Memory that the measurement misses: the tables of later algorithms, the merge. Also the least that a job is given. In bytes.
const EXTRA_MEMORY_BYTES: u64 = 512 << 20;

/// The result of a dry run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ShardNeeds {
    /// The peak of memory, in bytes.
    memory_bytes: u64,
    /// Seconds of processor time until the work begins.
    start_seconds: f64,
    /// Seconds of processor time of the work of all shards.
    work_seconds: f64,
}

impl ShardNeeds {
    /// Measures the needs of the command in `submit`.
    pub(super) fn measure(submit: &Submit) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("{}-dry-run-{}", program::name(), std::process::id()));
        let _remove = TemporaryFolder(&folder);
        let sample = Sample { submit, folder: &folder };
        let command = submit.command().first().map_or("", String::as_str);
        let (work, is_study) = match command {
            "experiment" => bail!("`{} experiment FILE --dry-run --time` estimates experiments", program::name()),
            "proxy" => ("comparing pairs", false),
            "sensitivity" => ("comparing", false),
            "distortion" => ("multileaving", false),
            "compare" => ("playing live and proxy", true),
            "bandit" if submit.command().iter().any(|word| word.contains("explore-then-exploit")) => {
                ("exploring", false)
            }
            _ => ("playing", true),
        };
        let threads = submit.cpus().to_string();
        // Threads are started once.
        let sample_progress = sample.run(work, (!is_study).then_some(SAMPLE_SECONDS), &["--threads", &threads])?;
        let per_unit = if is_study {
            let short_sample = sample.run(
                work,
                Some(5.0 * SAMPLE_SECONDS),
                &["--runs", "1", "--steps", &sample.steps().to_string()],
            )?;
            short_sample.seconds / short_sample.done_units.max(1) as f64
        } else {
            sample_progress.seconds / sample_progress.done_units.max(1) as f64
        };
        let memory = machine::peak_memory().context("this system does not say how much memory was used")?;
        Ok(Self {
            memory_bytes: memory,
            start_seconds: sample_progress.start_seconds,
            work_seconds: per_unit * sample_progress.total_units as f64,
        })
    }

    /// The memory to ask for, in MiB.
    pub(super) fn mebibytes(&self) -> u64 {
        let bytes = self.memory_bytes + self.memory_bytes / 4 + EXTRA_MEMORY_BYTES;
        // Whole quarters of a GiB.
        bytes.div_ceil(256 << 20) * 256
    }

    /// The time to ask for, for one of `shards` shards of `cpus` cores each, in minutes.
    pub(super) fn minutes(&self, shards: u32, cpus: u16) -> u64 {
        let seconds = (self.start_seconds + self.work_seconds / f64::from(shards)) / f64::from(cpus);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number of minutes")]
        let minutes = ((TIME_MARGIN * seconds).max(MIN_SECONDS) / 60.0).ceil() as u64;
        // Whole fives, and whole hours if there are several.
        let unit = if minutes > 180 { 60 } else { 5 };
        minutes.div_ceil(unit) * unit
    }

    /// The measurements, in words.
    pub(super) fn describe(&self, shards: u32) -> String {
        format!(
            "a dry run used {} of memory and {:.1} s of CPU to start, and estimates {} of CPU for all {shards} shards",
            size(self.memory_bytes),
            self.start_seconds,
            duration_text(self.work_seconds)
        )
    }
}

fn duration_text(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

/// A folder that is removed in the end.
struct TemporaryFolder<'a>(&'a Path);

impl Drop for TemporaryFolder<'_> {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = std::fs::remove_dir_all(self.0);
    }
}

/// The beginning of a command.
struct Sample<'a> {
    submit: &'a Submit,
    folder: &'a Path,
}

/// The progress of a sample.
#[derive(Debug, Clone, Copy, Default)]
struct SampleProgress {
    /// Seconds of processor time until the work began.
    start_seconds: f64,
    total_units: u64,
    done_units: u64,
    /// Seconds of processor time of the finished part.
    seconds: f64,
}

impl Sample<'_> {
    /// The steps of a short run.
    fn steps(&self) -> u64 {
        let arguments = self.submit.command();
        let steps_text = arguments.iter().enumerate().find_map(|(index, word)| match word.strip_prefix("--steps") {
            Some("") => arguments.get(index + 1).map(String::as_str),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        });
        steps_text
            .and_then(|text| parse_positive(text).ok())
            .map_or(MAX_SAMPLE_STEPS, |steps| steps.min(MAX_SAMPLE_STEPS))
    }

    /// Runs the command with `further_flags` until `enough_seconds` of processor time are measured; without a number, until the
    /// work begins.
    fn run(&self, work: &'static str, enough_seconds: Option<f64>, further_flags: &[&str]) -> Result<SampleProgress> {
        let replaced = ["--out", "--threads"]
            .into_iter()
            .chain(further_flags.iter().copied().filter(|word| word.starts_with("--")));
        let mut arguments = without_flags(self.submit.command(), &replaced.collect::<Vec<_>>());
        arguments.retain(|word| !matches!(word.as_str(), "--quiet" | "--resume" | "--replace" | "--json"));
        let result_file = self.folder.join("P.npy");
        arguments.extend(["--shard", "0/1", "--quiet", "--out", &result_file.to_string_lossy()].map(str::to_owned));
        arguments.extend(further_flags.iter().map(|word| (*word).to_owned()));
        let arguments: Vec<OsString> =
            std::iter::once(program::name().to_owned()).chain(arguments).map(OsString::from).collect();
        let gauge = Arc::new(Gauge {
            work,
            enough_seconds,
            deadline: Instant::now() + MAX_PREPARATION,
            state: Mutex::default(),
        });
        gauge.state().began_seconds = processor_seconds();
        let result = catch_unwind(AssertUnwindSafe(|| watched(gauge.clone(), || run_again(&arguments))));
        let _ = std::fs::remove_dir_all(self.folder);
        let mut state = gauge.state();
        match result {
            Ok(result) => {
                result?;
                state.last_seconds = processor_seconds();
            }
            Err(unwound) if unwound.is::<EnoughMeasured>() => {}
            Err(panic) => resume_unwind(panic),
        }
        ensure!(
            state.progress.total_units > 0,
            "what all shards need takes more than {} s; run the command with --shard prepare first",
            MAX_PREPARATION.as_secs()
        );
        let mut progress = state.progress;
        progress.seconds = state.last_seconds - state.began_seconds;
        Ok(progress)
    }
}

/// `arguments` without these flags and their values.
fn without_flags(arguments: &[String], flags: &[&str]) -> Vec<String> {
    let mut kept_arguments = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(word) = arguments.next() {
        let name = word.split('=').next().unwrap_or_default();
        if !flags.contains(&name) {
            kept_arguments.push(word.clone());
        } else if !word.contains('=') {
            arguments.next();
        }
    }
    kept_arguments
}

/// Unwinds from work once enough of it was measured.
struct EnoughMeasured;

/// Measures work, and stops it.
struct Gauge {
    work: &'static str,
    enough_seconds: Option<f64>,
    deadline: Instant,
    state: Mutex<Measurement>,
}

#[derive(Debug, Default)]
struct Measurement {
    progress: SampleProgress,
    /// When the work began, or before that the process, in seconds of processor time.
    began_seconds: f64,
    /// The last measurement.
    last_seconds: f64,
    measured_at: Option<Instant>,
}

impl Gauge {
    fn state(&self) -> std::sync::MutexGuard<'_, Measurement> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Gauge {
    fn begins(&self, work: &str, total: u64) {
        let mut state = self.state();
        if work != self.work {
            return;
        }
        let seconds = processor_seconds();
        (state.progress.start_seconds, state.progress.total_units, state.progress.done_units) =
            (seconds - state.began_seconds, total, 0);
        (state.began_seconds, state.last_seconds) = (seconds, seconds);
        if self.enough_seconds.is_none() {
            drop(state);
            resume_unwind(Box::new(EnoughMeasured));
        }
    }

    fn advances(&self, units: u64) {
        let mut state = self.state();
        state.progress.done_units += units;
        // Measuring takes some time.
        if state.measured_at.is_some_and(|looked| looked.elapsed() < Duration::from_millis(20)) {
            return;
        }
        state.measured_at = Some(Instant::now());
        state.last_seconds = processor_seconds();
        let is_at_work = state.progress.total_units > 0;
        let is_enough =
            is_at_work && self.enough_seconds.is_some_and(|enough| state.last_seconds - state.began_seconds >= enough);
        if is_enough || !is_at_work && Instant::now() >= self.deadline {
            drop(state);
            resume_unwind(Box::new(EnoughMeasured));
        }
    }

    fn lengthens(&self, units: u64) {
        self.state().progress.total_units += units;
    }
}

/// Seconds of processor time of this process so far; of the clock if the system does not report them.
fn processor_seconds() -> f64 {
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
        let needs = ShardNeeds { memory_bytes: 3_400 << 20, start_seconds: 2.0, work_seconds: 2.0 * 3600.0 };
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
        assert_eq!(without_flags(&words, &["--out", "--steps"]).join(" "), "bandit --runs 5 --json");
    }
}
