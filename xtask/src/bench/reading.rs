//! P10 and P11: parsing text, opening the data set again from its cache, and ranking it.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use bandits::Generator;
use clicks::{DependentClickModel, FractionalLabels};
use interleave::{CreditTies, ProbabilisticInterleave};
use letor_io::{Dataset, FeatureId, OpenOptions, ReadOptions, WriteOptions, lookalike, open, read_files, write};
use rand::{RngExt, SeedableRng};
use rankers::{Rankings, TieBreaking};
use simulation::site::{ImpressionRandomness, Site};

use super::measure::Row;

/// Share of the look-alike of MSLR-WEB30K that is written and read again: a gigabyte of text.
const SCALE: f64 = 0.3;

/// Repetitions; the median counts.
const REPETITIONS: usize = 5;

pub(super) fn rows() -> Result<Vec<Row>> {
    let folder = std::env::temp_dir().join(format!("xtask-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("failed to make {}", folder.display()))?;
    let rows = rows_in(&folder);
    std::fs::remove_dir_all(&folder).with_context(|| format!("failed to remove {}", folder.display()))?;
    rows
}

fn rows_in(folder: &Path) -> Result<Vec<Row>> {
    let dataset = lookalike::generate("mslr-lookalike", SCALE, 1)?;
    let mut rows = Vec::new();
    // MSLR-WEB30K itself has its zeros; most other sets have not.
    for (form, omit_zeros) in [("dense", false), ("sparse", true)] {
        let path = folder.join(format!("{form}.txt"));
        write(&dataset, &WriteOptions { omit_zeros }, BufWriter::new(File::create(&path)?))
            .with_context(|| format!("failed to write {}", path.display()))?;
        rows.extend(text_rows(&path, form)?);
        rows.extend(xgboost_rows(&path, form)?);
        std::fs::remove_file(&path)?;
    }
    rows.push(ranking_row(&dataset)?);
    drop(dataset);
    rows.extend(reopening_rows(folder)?);
    Ok(rows)
}

/// P10: the speed of reading text, compared with counting its lines, and the memory it takes.
fn text_rows(path: &Path, form: &str) -> Result<Vec<Row>> {
    let megabytes = path.metadata()?.len() as f64 / 1e6;
    let mut rows = Vec::new();
    let lines = median(|| {
        let start = Instant::now();
        let counted = Command::new("wc").arg("-l").arg(path).output().context("failed to start wc")?;
        ensure!(counted.status.success(), "wc failed");
        Ok(start.elapsed().as_secs_f64())
    })?;
    rows.push(Row {
        goal: "",
        what: format!("`wc -l` of the same file, {form}, {megabytes:.0} MB"),
        unit: "MB/s",
        value: megabytes / lines,
        target: None,
    });
    for (threads, target) in [(1, 600.0), (2, 1000.0)] {
        let mut peaks = Vec::new();
        let mut busy = Vec::new();
        let seconds = median(|| {
            let [seconds, peak, core] = read_elsewhere(path, threads)?;
            peaks.push(peak);
            busy.push(core);
            Ok(seconds)
        })?;
        rows.push(Row {
            goal: "P10",
            what: format!("SVMlight text, {form}, {megabytes:.0} MB, {threads} threads"),
            unit: "MB/s",
            value: megabytes / seconds,
            target: Some(target),
        });
        peaks.sort_by(f64::total_cmp);
        busy.sort_by(f64::total_cmp);
        rows.push(Row {
            goal: "",
            what: format!("the same by CPU time, {form}, {threads} threads"),
            unit: "MB/s",
            value: megabytes / busy[REPETITIONS / 2],
            target: None,
        });
        rows.push(Row {
            goal: "P10",
            what: format!("peak memory over the result's, {form}, {threads} threads"),
            unit: "x",
            value: peaks[REPETITIONS / 2],
            target: Some(1.3),
        });
    }
    Ok(rows)
}

/// The environment variable that names a Python with xgboost; its reader is the unit of ours.
const XGBOOST: &str = "XTASK_BENCH_XGBOOST";

/// The script of that Python: reads a file, and prints the seconds and the version.
const XGBOOST_READS: &str = "
import sys, time, xgboost
xgboost.set_config(verbosity=0)
start = time.perf_counter()
xgboost.DMatrix(sys.argv[1] + '?format=libsvm', nthread=1)
print(time.perf_counter() - start, xgboost.__version__)
";

/// P10 in units of xgboost's reader: the same file, one thread each, in turn, by wall clock. Nothing without a Python for it.
fn xgboost_rows(path: &Path, form: &str) -> Result<Vec<Row>> {
    let Some(python) = std::env::var_os(XGBOOST) else {
        return Ok(Vec::new());
    };
    let (mut ours, mut version) = (Vec::new(), String::new());
    let seconds = median(|| {
        ours.push(read_elsewhere(path, 1)?[0]);
        let output = Command::new(&python).args(["-c", XGBOOST_READS]).arg(path).env("OMP_NUM_THREADS", "1").output();
        let output = output.with_context(|| format!("failed to start {}, named by {XGBOOST}", python.display()))?;
        ensure!(output.status.success(), "xgboost failed: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout)?;
        let (seconds, found) = text.trim().split_once(' ').context("xgboost printed no seconds")?;
        version = found.to_owned();
        Ok(seconds.parse()?)
    })?;
    ours.sort_by(f64::total_cmp);
    let megabytes = path.metadata()?.len() as f64 / 1e6;
    let target = if form == "dense" { 3.0 } else { 2.0 };
    Ok(vec![
        Row {
            goal: "",
            what: format!("xgboost {version}, the same file, {form}, 1 thread"),
            unit: "MB/s",
            value: megabytes / seconds,
            target: None,
        },
        Row {
            goal: "P10",
            what: format!("ours in units of xgboost, {form}, 1 thread, by wall clock"),
            unit: "faster",
            value: seconds / ours[REPETITIONS / 2],
            target: Some(target),
        },
    ])
}

/// The environment variable that makes a process of this program read a file and print what that took.
const READ: &str = "XTASK_BENCH_READ";

/// Reads `path` in a separate process. Returns seconds, peak memory relative to the result's, and CPU seconds, which depend little on other
/// processes.
fn read_elsewhere(path: &Path, threads: usize) -> Result<[f64; 3]> {
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.args(["bench", "reading"]).env(READ, path).env("RAYON_NUM_THREADS", threads.to_string());
    let output = output.output().context("failed to start the reading process")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(str::parse);
    match (output.status.success(), numbers.next(), numbers.next(), numbers.next()) {
        (true, Some(Ok(seconds)), Some(Ok(peak)), Some(Ok(busy))) => Ok([seconds, peak, busy]),
        _ => bail!("the reading process failed: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// The other side of [`read_elsewhere`]: returns whether this process was started to read something, after doing so.
pub(super) fn read_here() -> Result<bool> {
    let Some(path) = std::env::var_os(READ) else {
        return Ok(false);
    };
    let before = peak_memory()?;
    let start = Instant::now();
    let dataset = read_files("bench", &[path], &ReadOptions::default())?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{seconds} {} {}", (peak_memory()? - before) / dataset.memory() as f64, core_seconds()?);
    Ok(true)
}

/// CPU seconds of this process, in steps of a hundredth.
pub(super) fn core_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").context("CPU time is measured on Linux only")?;
    // The 12th and 13th fields behind the name in brackets, which may contain anything.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<f64> = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Ok(ticks.iter().sum::<f64>() / 100.0)
}

/// The peak memory of this process so far, in bytes.
pub(super) fn peak_memory() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("peak memory is measured on Linux only")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024.0)
}

fn ranking_row(dataset: &Dataset) -> Result<Row> {
    let rankings = rankings(dataset)?;
    let start = Instant::now();
    rankings.rank_all()?;
    let lists = (rankings.queries() * rankings.arms()) as f64;
    Ok(Row {
        goal: "",
        what: format!("ranking {} queries by {} features, all threads", rankings.queries(), rankings.arms()),
        unit: "us",
        value: start.elapsed().as_secs_f64() * 1e6 / lists,
        target: None,
    })
}

fn rankings(dataset: &Dataset) -> Result<Rankings> {
    let features: Vec<FeatureId> = (1..=dataset.features()).map(FeatureId).collect();
    Ok(Rankings::new(dataset, &features, TieBreaking::Random)?)
}

/// P11: a data set of MSLR-WEB30K's size that was opened before, up to its first 1,000 impressions.
fn reopening_rows(folder: &Path) -> Result<Vec<Row>> {
    let options = OpenOptions { cache: Some(folder.to_path_buf()), ..OpenOptions::default() };
    let first = open(&["mslr-lookalike"], &options)?;
    let what = format!("{} queries, {} documents", first.queries(), first.documents());
    drop(first);
    let (mut opening, mut busy) = (Vec::new(), Vec::new());
    let total = median(|| {
        let (start, before) = (Instant::now(), core_seconds()?);
        let dataset = open(&["mslr-lookalike"], &options)?;
        ensure!(dataset.cache_file().is_some(), "the cache was not used");
        opening.push(start.elapsed().as_secs_f64());
        let site = Site::new(
            &dataset,
            rankings(&dataset)?,
            &DependentClickModel::preset("navigational", dataset.max_label())?.into(),
            FractionalLabels::Round,
            10,
        )?;
        impressions(&site, 1000);
        busy.push(core_seconds()? - before);
        Ok(start.elapsed().as_secs_f64())
    })?;
    opening.sort_by(f64::total_cmp);
    busy.sort_by(f64::total_cmp);
    let row = |goal, what: String, value: f64, target| Row { goal, what, unit: "ms", value: value * 1e3, target };
    Ok(vec![
        row("", format!("opening again, {what}"), opening[REPETITIONS / 2], None),
        row("P11", "the same and the first 1000 impressions, 136 features".into(), total, Some(300.0)),
        row("", "the same by CPU time".into(), busy[REPETITIONS / 2], None),
    ])
}

fn impressions(site: &Site, count: usize) {
    let [mut pairs, mut lists, mut users] = [1, 2, 3].map(Generator::seed_from_u64);
    let (method, mut scratch) = (ProbabilisticInterleave::new(CreditTies::Redrawn), Default::default());
    for _ in 0..count {
        let query = site.draw_query(&mut lists);
        let first = pairs.random_range(0..site.arms());
        let pair = [first, (first + pairs.random_range(1..site.arms())) % site.arms()];
        let randomness = ImpressionRandomness { lists: &mut lists, users: &mut users };
        std::hint::black_box(site.interleave(&method, query, pair, randomness, &mut scratch));
    }
}

fn median(mut seconds: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut all = (0..REPETITIONS).map(|_| seconds()).collect::<Result<Vec<f64>>>()?;
    all.sort_by(f64::total_cmp);
    Ok(all[REPETITIONS / 2])
}
