//! Scripts for Slurm: prepare, shards as job arrays, merge, and one that submits them.
//!
//! * A task runs the program instead of the script's shell (`exec`), and is sent SIGTERM itself a minute before its time
//!   is over (`--signal=B:`): it saves. Without `B:`, Slurm would signal only steps, and there is none.
//! * The merge waits for all tasks to end well. One that was killed has failed and is not run again by Slurm; the merge is
//!   then removed instead of waiting for ever (`--kill-on-invalid-dep`), and `--missing` submits another.
//! * The number of a task must be below `MaxArraySize`, so larger arrays are cut, and the script adds where its array begins.

use std::fmt::Write as _;

use anyhow::Result;

use super::limits::MemoryLimit;
use super::{Job, absolute_path, prologue, shell, values};
use output::shards::parts::range_list;

/// Seconds before the end of its time at which a task is asked to stop.
const GRACE: u32 = 60;

/// The scripts.
pub(super) fn files(job: &Job<'_>) -> Result<Vec<(&'static str, String)>> {
    let shard_count = job.submit.shards;
    Ok(vec![
        (
            "prepare.sh",
            script(job, "prepare", "%j", "what all shards need: done once, kept in caches", |command| {
                format!("{command} --shard prepare")
            })?,
        ),
        (
            "shard.sh",
            script(
                job,
                "shard",
                "%A_%a",
                "one shard; the argument is the number that its array begins with",
                |command| format!("{command} --shard \"auto+${{1:-0}}/{shard_count}\""),
            )?,
        ),
        (
            "merge.sh",
            script(job, "merge", "%j", "the parts of all shards, united", |_| {
                format!("merge {}", shell(&absolute_path(&job.parts_folder).unwrap_or_default()))
            })?,
        ),
        ("submit.sh", submit_script(job)),
    ])
}

fn script(
    job: &Job<'_>,
    job_suffix: &str,
    log: &str,
    comment: &str,
    command_line: impl Fn(&str) -> String,
) -> Result<String> {
    let submit = job.submit;
    let cluster = &submit.cluster;
    let logs = absolute_path(&job.parts_folder.join("slurm/logs"))?;
    values::check_slurm_value("the folder of logs", &logs)?;
    // A percent sign alone begins a number of the job.
    let logs = logs.replace('%', "%%");
    let mut text = format!("#!/bin/bash\n# {comment}\n{}", job.remark());
    let mut option = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            let _ = writeln!(text, "#SBATCH --{name}={}", quoted(value));
        }
    };
    option("job-name", Some(&format!("{}-{job_suffix}", job.name())));
    option("output", Some(&format!("{logs}/{job_suffix}-{log}.log")));
    // A task that was requeued goes on in the same file.
    option("open-mode", Some("append"));
    option("nodes", Some("1"));
    option("ntasks", Some("1"));
    option("cpus-per-task", Some(&submit.cpus().to_string()));
    option("mem", job.memory().map(MemoryLimit::for_slurm).as_deref());
    option("time", job.time().map(|time| time.to_string()).as_deref());
    option("account", cluster.account.as_deref());
    option("partition", cluster.partition.as_deref());
    option("qos", cluster.qos.as_deref());
    option("signal", Some(&format!("B:TERM@{GRACE}")));
    text += "#SBATCH --requeue\n\nset -euo pipefail\n";
    text += &format!("cd {}\n", shell(&std::env::current_dir()?.to_string_lossy()));
    for variable in values::VARIABLES {
        if let Some(value) = variable.value() {
            text += &format!("export {}={}\n", variable.name(), shell(&value.to_string_lossy()));
        }
    }
    text += &prologue(cluster.prologue.as_deref())?;
    let quoted_arguments: Vec<String> = submit.command().iter().map(|word| shell(word)).collect();
    let threads = if job.sets_threads() { "" } else { " --threads \"${SLURM_CPUS_PER_TASK:-1}\"" };
    let program = shell(&absolute_path(&job.program()?)?);
    text += &format!("\nexec {program} {}{threads}\n", command_line(&quoted_arguments.join(" ")));
    Ok(text)
}

/// A value as Slurm reads it in a script, without double quotes and backslashes: see [`values::for_slurm`].
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if value.chars().all(is_plain) { value.to_owned() } else { format!("\"{value}\"") }
}

/// The script that submits the others.
fn submit_script(job: &Job<'_>) -> String {
    let cluster = &job.submit.cluster;
    let limit = job.submit.limit.map_or_else(String::new, |limit| format!("%{limit}"));
    let mut text = "#!/bin/bash\n# submits prepare, shards and merge, one after another\nset -euo pipefail\n\
                    here=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\n\
                    # Prints the number of the job, without the name of a cluster.\n\
                    job() { sbatch --parsable --kill-on-invalid-dep=yes \"$@\" | cut -d';' -f1; }\n\n"
        .to_owned();
    let mut dependencies = String::new();
    if !job.shards.is_empty() {
        text += "prepare=$(job \"$here/prepare.sh\")\necho \"prepare: job $prepare\"\n";
        for (number, (offset, tasks)) in arrays(&job.shards, cluster.max_array_size).into_iter().enumerate() {
            text += &format!(
                "shards{number}=$(job --dependency=afterok:$prepare --array={}{limit} \"$here/shard.sh\" {offset})\n\
                 echo \"shards from {offset}: job $shards{number}\"\n",
                range_list(tasks).replace(", ", ",")
            );
            dependencies += &format!(":$shards{number}");
        }
    }
    let dependencies =
        if dependencies.is_empty() { String::new() } else { format!("--dependency=afterok{dependencies} ") };
    text += &format!("merge=$(job {dependencies}\"$here/merge.sh\")\necho \"merge: job $merge\"\n");
    text
}

/// Arrays for `shards`: the first shard of each, and its task numbers, all below `max_array_size`.
fn arrays(shards: &[u32], max_array_size: u32) -> Vec<(u32, Vec<u32>)> {
    let max_array_size = max_array_size.saturating_sub(1).max(1);
    let mut arrays: Vec<(u32, Vec<u32>)> = Vec::new();
    for &shard in shards {
        let offset = shard / max_array_size * max_array_size;
        match arrays.last_mut() {
            Some((begins, tasks)) if *begins == offset => tasks.push(shard - offset),
            _ => arrays.push((offset, vec![shard - offset])),
        }
    }
    arrays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_arrays_are_cut_below_the_largest_number() {
        let all: Vec<u32> = (0..2500).collect();
        let cut = arrays(&all, 1001);
        assert_eq!(
            cut.iter().map(|(offset, tasks)| (*offset, tasks.len())).collect::<Vec<_>>(),
            [(0, 1000), (1000, 1000), (2000, 500)]
        );
        assert!(cut.iter().all(|(_, tasks)| tasks.iter().all(|task| *task < 1000)));
        assert_eq!(arrays(&[3, 7, 1007], 1001), [(0, vec![3, 7]), (1000, vec![7])]);
        assert_eq!(arrays(&[], 1001), []);
    }
}
