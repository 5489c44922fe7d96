//! P22: TREC runs, read, joined with their judgements and measured, beside `ir_measures`. Nothing is drawn or written.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use bandits::Generator;
use letor_io::{FeatureId, trec};
use rand::{RngExt, SeedableRng};
use rankers::{Measure, Rankings, TieBreaking};

use super::measure::Row;
use super::reading::{core_seconds, peak_memory};

/// Runs, as many as the real ones that the goal was set by: .25 s for 700,000 lines.
const RUNS: usize = 14;
/// Documents that a run retrieves for a query.
const DEPTH: usize = 1000;
/// Documents of a query that some run retrieves.
const POOL_SIZE: usize = 4000;
/// Measures by the names that both sides understand.
const MEASURES: &str = "nDCG@10,AP,RR";
/// The sizes that are measured unless others are asked for, in lines of all runs.
const LINES: &str = "1e5,1e6,1e7";

/// The environment variable with other sizes, e.g. `1e8`, which takes 5 GB of disk.
const SIZES: &str = "XTASK_BENCH_LINES";
/// The environment variable that makes a process of this program measure the runs of a folder and print what that took.
const MEASURE: &str = "XTASK_BENCH_RUNS";
/// The environment variable that names a Python with `ir_measures`.
const PEER: &str = "XTASK_BENCH_IR_MEASURES";

/// The script of that Python: the same with one run after the other. Prints seconds, CPU seconds and the peak in kilobytes.
const PEER_MEASURES: &str = "
import glob, resource, sys, time, ir_measures
start = time.perf_counter()
measures = [ir_measures.parse_measure(name) for name in sys.argv[2].split(',')]
evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(sys.argv[1] + '/qrels.txt'))
for run in sorted(glob.glob(sys.argv[1] + '/*.run')):
    evaluator.calc_aggregate(ir_measures.read_trec_run(run))
used = resource.getrusage(resource.RUSAGE_SELF)
print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss)
";

pub(super) fn rows() -> Result<Vec<Row>> {
    let sizes = std::env::var(SIZES).unwrap_or_else(|_| LINES.to_owned());
    let mut rows = Vec::new();
    for size in sizes.split(',') {
        let lines: f64 = size.trim().parse().with_context(|| format!("{SIZES}: expected lines, e.g. 1e6,1e7"))?;
        let folder = std::env::temp_dir().join(format!("xtask-bench-runs-{}", std::process::id()));
        let queries = (lines / (RUNS * DEPTH) as f64).round().max(1.0) as usize;
        write(&folder, queries)?;
        let measured = of_folder(&folder, queries * RUNS * DEPTH);
        std::fs::remove_dir_all(&folder).with_context(|| format!("failed to remove {}", folder.display()))?;
        rows.extend(measured?);
    }
    Ok(rows)
}

/// Runs of numbers drawn at random, with a tag to mark them.
fn write(folder: &Path, queries: usize) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.display()))?;
    let open = |name: String| -> Result<BufWriter<File>> { Ok(BufWriter::new(File::create(folder.join(name))?)) };
    let mut runs = (0..RUNS).map(|run| open(format!("run{run:02}.run"))).collect::<Result<Vec<_>>>()?;
    let mut qrels = open("qrels.txt".to_owned())?;
    let mut generator = Generator::seed_from_u64(22);
    for query in 1001..=1000 + queries {
        let mut pool: Vec<String> = (0..POOL_SIZE)
            .map(|number| {
                let [part, file] = [2000, 100].map(|most| generator.random_range(0..most));
                format!("clueweb12-{part:04}wb-{file:02}-{number:05}")
            })
            .collect();
        for (number, run) in runs.iter_mut().enumerate() {
            let mut score = 20.0;
            for rank in 1..=DEPTH {
                // The documents before `rank` were retrieved.
                pool.swap(rank - 1, generator.random_range(rank - 1..POOL_SIZE));
                score -= generator.random::<f64>() / 50.0;
                writeln!(run, "{query} Q0 {} {rank} {score:.6} SYNTHETIC-run{number}", pool[rank - 1])?;
            }
        }
        for document in pool.iter().step_by(10) {
            writeln!(qrels, "{query} SYNTHETIC {document} {}", generator.random_range(0..3))?;
        }
    }
    runs.iter_mut().chain([&mut qrels]).try_for_each(|file| file.flush().context("failed to write runs"))
}

/// The cost of one measurement: seconds, CPU seconds and bytes.
struct MeasuredCost {
    seconds: f64,
    busy: f64,
    peak: f64,
}

fn of_folder(folder: &Path, lines: usize) -> Result<Vec<Row>> {
    // In turn; of the largest sizes once.
    let rounds = if lines > 20_000_000 { 1 } else { 3 };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        ours.push(measure_elsewhere(folder)?);
        theirs.extend(peer(folder)?);
    }
    let what = |what: &str| format!("{what}, {lines:.0e} lines of {RUNS} runs");
    let per_line = |value: f64| value * 1e9 / lines as f64;
    let median = |all: &[MeasuredCost], value: fn(&MeasuredCost) -> f64| {
        let mut all: Vec<f64> = all.iter().map(value).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let row = |what: String, unit, value, target: Option<f64>| Row {
        goal: if target.is_some() { "P22" } else { "" },
        what,
        unit,
        value,
        target,
    };
    let mut rows = vec![
        row(
            what("CPU time to read and measure"),
            "ns",
            per_line(median(&ours, |took| took.busy)),
            Some(0.25e9 / 700_000.0),
        ),
        row(what("the same by the clock"), "ns", per_line(median(&ours, |took| took.seconds)), None),
        row(what("its peak memory"), "B", median(&ours, |took| took.peak) / lines as f64, None),
    ];
    if !theirs.is_empty() {
        let faster = median(&theirs, |took| took.busy) / median(&ours, |took| took.busy);
        rows.extend([
            row(what("CPU time of ir_measures"), "ns", per_line(median(&theirs, |took| took.busy)), None),
            row(what("peak memory of ir_measures"), "B", median(&theirs, |took| took.peak) / lines as f64, None),
            row(what("ours in units of ir_measures, CPU time"), "faster", faster, Some(7.0)),
        ]);
    }
    Ok(rows)
}

/// Measures the runs of a folder in another process.
fn measure_elsewhere(folder: &Path) -> Result<MeasuredCost> {
    let output = Command::new(std::env::current_exe()?).args(["bench", "runs"]).env(MEASURE, folder).output();
    parse_cost(output.context("failed to start the measuring process")?, 1.0)
}

/// The same by `ir_measures`, if there is a Python for it.
fn peer(folder: &Path) -> Result<Option<MeasuredCost>> {
    let Some(python) = std::env::var_os(PEER) else { return Ok(None) };
    let output = Command::new(&python).args(["-c", PEER_MEASURES]).arg(folder).arg(MEASURES).output();
    parse_cost(output.with_context(|| format!("failed to start {}, named by {PEER}", python.display()))?, 1024.0)
        .map(Some)
}

fn parse_cost(output: std::process::Output, unit: f64) -> Result<MeasuredCost> {
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match (output.status.success(), &numbers[..]) {
        (true, &[seconds, busy, peak]) => Ok(MeasuredCost { seconds, busy, peak: peak * unit }),
        _ => bail!("measuring runs failed: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// The other side of [`measure_elsewhere`]: returns whether this process was started to measure runs, after doing so.
pub(super) fn measure_here() -> Result<bool> {
    let Some(folder) = std::env::var_os(MEASURE).map(PathBuf::from) else { return Ok(false) };
    let start = Instant::now();
    let text = |name: &str| folder.join(name).to_str().map(str::to_owned).context("a folder that is not UTF-8");
    let runs = (0..RUNS).map(|run| text(&format!("run{run:02}.run"))).collect::<Result<Vec<_>>>()?;
    let dataset = trec::open(&runs, &[text("qrels.txt")?], &trec::TrecOptions::default())?;
    let features: Vec<FeatureId> = (1..=dataset.features()).map(FeatureId).collect();
    let rankings = Rankings::new(&dataset, &features, TieBreaking::Random)?;
    let means = rankings.measure(&Measure::parse_list(MEASURES)?)?.means();
    ensure!(means.iter().flatten().all(|mean| *mean > 0.0), "a mean is 0");
    println!("{} {} {}", start.elapsed().as_secs_f64(), core_seconds()?, peak_memory()?);
    Ok(true)
}
