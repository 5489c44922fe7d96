//! Shards as processes of this machine.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::Job;
use desk::eprintln;
use output::create_folder;
use output::numbers::with_unit;
use output::program;
use output::progress::Progress;
use output::shards::Shard;
use output::shards::parts::range_list;

/// Prepares, runs the shards, some at a time, and merges.
pub(super) fn run(job: &Job<'_>) -> Result<()> {
    let submit = job.submit;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let cpus = usize::from(submit.cpus());
    let at_a_time = submit.limit.map_or((cores / cpus).max(1), |limit| limit as usize);
    let logs = job.parts_folder.join("logs");
    create_folder(&logs)?;
    let quiet = submit.command().iter().any(|word| word == "--quiet");
    eprintln!("{}, {at_a_time} at a time; logs in {}", with_unit(job.shards.len() as u64, "shard"), logs.display());
    let start = |what: String, log: PathBuf| -> Result<Child> {
        let file = File::create(&log).with_context(|| format!("failed to write {}", log.display()))?;
        let mut command = Command::new(job.program()?);
        command.args(submit.command()).args(["--shard", &what]);
        if !job.sets_threads() {
            command.args(["--threads", &cpus.to_string()]);
        }
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        command.spawn().with_context(|| format!("{} cannot be started", job.program().unwrap_or_default().display()))
    };
    if !job.shards.is_empty() {
        let log = logs.join("prepare.log");
        let prepared = start("prepare".to_owned(), log.clone())?.wait()?;
        ensure!(prepared.success(), "preparing failed: {}", last_line(&log));
    }
    let progress = Progress::new("shards", job.shards.len() as u64, quiet);
    let mut queued = job.shards.iter().copied();
    let mut working: Vec<(u32, PathBuf, Child)> = Vec::new();
    let mut failed: Vec<(u32, PathBuf)> = Vec::new();
    loop {
        while working.len() < at_a_time
            && let Some(index) = queued.next()
        {
            let shard = Shard { index, of: submit.shards };
            let log = logs.join(format!("{}.log", shard.name()));
            working.push((index, log.clone(), start(shard.to_string(), log)?));
        }
        if working.is_empty() {
            break;
        }
        let mut still_running = Vec::new();
        for (index, log, mut child) in working {
            match child.try_wait()? {
                None => still_running.push((index, log, child)),
                Some(status) => {
                    progress.advance(1);
                    if !status.success() {
                        failed.push((index, log));
                    }
                }
            }
        }
        working = still_running;
        thread::sleep(Duration::from_millis(20));
    }
    progress.finish();
    if let Some((first, log)) = failed.first() {
        let failed_shards = range_list(failed.iter().map(|(index, _)| *index));
        anyhow::bail!(
            "{} of {} failed ({failed_shards}); shard {first} says: {}; the same command runs those again",
            failed.len(),
            with_unit(u64::from(submit.shards), "shard"),
            last_line(log)
        );
    }
    let mut merge = vec![program::name().into(), "merge".into(), job.parts_folder.clone().into_os_string()];
    if quiet {
        merge.push("--quiet".into());
    }
    crate::cli::run_again(&merge)
}

/// The last line of a log.
fn last_line(log: &std::path::Path) -> String {
    let text = output::input::read_file_text(log, 1 << 28).unwrap_or_default();
    let line = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("nothing; it was killed");
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
