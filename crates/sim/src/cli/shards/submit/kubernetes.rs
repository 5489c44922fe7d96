//! Manifests for Kubernetes: prepare, shards as an indexed job, merge, and a script that applies them in turn.
//!
//! An index is tried again after a failure, three times at most, but not if the command was wrong (exit code 2); pods that
//! lost their node do not count. Everything is read from and written to one volume that all pods share.

use anyhow::Result;
use serde_json::Value;

use super::{Job, shell};

/// Where the shared volume is mounted.
const MOUNT: &str = "/work";
/// The number of retries of an index.
const RETRIES: u32 = 3;

/// The files.
pub(super) fn files(job: &Job<'_>) -> Result<Vec<(&'static str, String)>> {
    let submit = job.submit;
    let shard_count = submit.shards;
    let parallel = submit.limit.unwrap_or(shard_count).min(shard_count);
    let arguments_with = |more: &[&str]| -> Vec<String> {
        let threads =
            if job.sets_threads() { Vec::new() } else { vec!["--threads".to_owned(), submit.cpus().to_string()] };
        submit.command().iter().cloned().chain(more.iter().map(|word| (*word).to_owned())).chain(threads).collect()
    };
    let shards = format!(
        "  completionMode: Indexed\n  completions: {shard_count}\n  parallelism: {parallel}\n  backoffLimitPerIndex: {RETRIES}\n  \
         maxFailedIndexes: {shard_count}\n"
    );
    let indexed_limits = format!("  backoffLimit: {RETRIES}\n");
    let parts_folder = job.parts_folder.to_string_lossy().into_owned();
    let merge = ["merge".to_owned(), parts_folder, "--threads".to_owned(), submit.cpus().to_string()];
    let name = job.name();
    Ok(vec![
        ("prepare.yaml", manifest(job, "prepare", &indexed_limits, &arguments_with(&["--shard", "prepare"]))),
        (
            "shards.yaml",
            manifest(job, "shards", &shards, &arguments_with(&["--shard", &format!("auto/{shard_count}")])),
        ),
        ("merge.yaml", manifest(job, "merge", &indexed_limits, &merge)),
        ("submit.sh", submit_script(&name)),
    ])
}

fn manifest(job: &Job<'_>, name_suffix: &str, kind: &str, arguments: &[String]) -> String {
    let submit = job.submit;
    let text = |value: &str| Value::from(value).to_string();
    let program = submit
        .cluster
        .program
        .as_ref()
        .map_or_else(|| output::program::NAME.to_owned(), |path| path.display().to_string());
    let command: Vec<String> = std::iter::once(&program).chain(arguments).map(|word| text(word)).collect();
    let memory =
        job.memory().map_or_else(String::new, |memory| format!(", memory: {}", text(&memory.for_kubernetes())));
    let deadline =
        job.time().map_or_else(String::new, |time| format!("      activeDeadlineSeconds: {}\n", time.seconds));
    format!(
        "{remark}apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}-{name_suffix}\nspec:\n{kind}  podFailurePolicy:\n    rules:\n    \
         # A wrong command fails every time.\n    - action: {wrong}\n      onExitCodes:\n        containerName: rankduel\n        \
         operator: In\n        values: [2]\n    # A pod that lost its node is replaced, and does not count.\n    \
         - action: Ignore\n      onPodConditions:\n      - type: DisruptionTarget\n        status: \"True\"\n  \
         template:\n    spec:\n      restartPolicy: Never\n{deadline}      # A shard saves when it is asked to stop.\n      \
         terminationGracePeriodSeconds: 60\n      containers:\n      - name: rankduel\n        image: {image}\n        \
         workingDir: {MOUNT}\n        command: [{command}]\n        env:\n        - name: RANKDUEL_CACHE_DIR\n          \
         value: {MOUNT}/.cache\n        resources:\n          requests: {{cpu: \"{cpus}\"{memory}}}\n          \
         limits: {{cpu: \"{cpus}\"{memory}}}\n        volumeMounts:\n        - name: work\n          mountPath: {MOUNT}\n      \
         volumes:\n      - name: work\n        persistentVolumeClaim:\n          claimName: {claim}\n",
        remark = job.remark(),
        name = job.name(),
        wrong = if name_suffix == "shards" { "FailIndex" } else { "FailJob" },
        image = text(&submit.cluster.image),
        command = command.join(", "),
        cpus = submit.cpus(),
        claim = text(&submit.cluster.claim),
    )
}

/// The script that applies them, and waits for each. Finished jobs of the same name are removed first: parts that are there
/// are not computed again.
fn submit_script(name: &str) -> String {
    let name = shell(name);
    format!(
        "#!/bin/bash\n# prepare, shards and merge, one after another; shards whose parts are there end immediately\n\
         set -euo pipefail\nhere=\"$(cd \"$(dirname \"${{BASH_SOURCE[0]}}\")\" && pwd)\"\n\
         for step in prepare shards merge; do\n  kubectl delete job {name}-\"$step\" --ignore-not-found\n  \
         kubectl apply -f \"$here/$step.yaml\"\n  \
         # Whichever comes first.\n  \
         until kubectl wait --for=condition=complete --timeout=10s job/{name}-\"$step\" 2> /dev/null; do\n    \
         if kubectl wait --for=condition=failed --timeout=1s job/{name}-\"$step\" 2> /dev/null; then\n      \
         echo \"$step failed: kubectl describe job/{name}-$step\" >&2\n      exit 1\n    fi\n  done\ndone\n"
    )
}
