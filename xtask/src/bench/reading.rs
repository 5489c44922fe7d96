//! P10: text to a data set, and a data set to rankings.

use std::time::Instant;

use anyhow::{Context, Result};
use letor_io::{FeatureId, ReadOptions, WriteOptions, lookalike, read_files, write};
use rankers::{Rankings, TieBreaking};

use super::measure::Row;

/// Queries of the look-alike of MSLR-WEB30K that are written and read again: some 150 MB of text.
const SCALE: f64 = 0.03;

pub(super) fn rows() -> Result<Vec<Row>> {
    let dataset = lookalike::generate("mslr-lookalike", SCALE, 1)?;
    let mut text = Vec::new();
    write(&dataset, &WriteOptions::default(), &mut text)?;
    let path = std::env::temp_dir().join(format!("xtask-bench-{}.txt", std::process::id()));
    std::fs::write(&path, &text).with_context(|| format!("failed to write {}", path.display()))?;
    let megabytes = text.len() as f64 / 1e6;
    drop(text);

    let mut rows = Vec::new();
    for (threads, target) in [(1, 600.0), (2, 1000.0)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let read = || read_files("bench", &[&path], &ReadOptions::default());
        let mut seconds = Vec::new();
        for _ in 0..5 {
            let start = Instant::now();
            pool.install(read)?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        seconds.sort_by(f64::total_cmp);
        rows.push(Row {
            goal: "P10",
            what: format!("SVMlight text, {megabytes:.0} MB, {threads} threads"),
            unit: "MB/s",
            value: megabytes / seconds[2],
            target: Some(target),
        });
    }
    std::fs::remove_file(&path).with_context(|| format!("failed to remove {}", path.display()))?;

    let features: Vec<FeatureId> = (1..=dataset.features()).map(FeatureId).collect();
    let start = Instant::now();
    let rankings = Rankings::new(&dataset, &features, TieBreaking::Random)?;
    rankings.rank_all();
    let lists = (rankings.queries() * rankings.arms()) as f64;
    rows.push(Row {
        goal: "",
        what: format!("ranking {} queries by {} features, all threads", rankings.queries(), rankings.arms()),
        unit: "us",
        value: start.elapsed().as_secs_f64() * 1e6 / lists,
        target: None,
    });
    Ok(rows)
}
