//! Where the system starts no further thread, fewer do the work, and the results are the same.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use desk::situations::with_few_processes;
use tempfile::TempDir;

use crate::common::{copy_program, text, tree};

#[test]
#[expect(clippy::print_stderr, reason = "what is skipped is visible")]
fn results_need_no_thread() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("own files");
    open(here, 0o777);
    // The folder of the build may be closed to others.
    let sim = here.join("sim");
    copy_program(&sim);
    open(&sim, 0o755);
    let site = ["--dataset", "mq2008-lookalike:0.05", "--rankers", "5"];
    let commands: [(&str, Vec<&str>); 4] = [
        ("bandit", vec!["bandit", "--problem", "btl:k=5", "--steps", "300", "--runs", "3"]),
        ("live", [&site[..], &["--steps", "100", "--runs", "2"]].concat()),
        (
            "compare",
            [&["compare"], &site[..], &["--steps", "100", "--runs", "2", "--impressions-per-pair", "50"]].concat(),
        ),
        ("inspect", [&["inspect"], &site[..2]].concat()),
    ];
    for (name, arguments) in commands {
        let mut expected = None;
        for processes in [4096, 1, 2, 3, 4] {
            let out = format!("{name}-{processes}");
            let Some(run) =
                with_few_processes(&sim, here, processes, &[&arguments[..], &["--quiet", "--out", &out]].concat())
            else {
                eprintln!("skipped: {processes} processes at most (needs root, prlimit and setpriv)");
                continue;
            };
            let message = text(&run.stderr);
            assert_eq!(run.status.code(), Some(0), "{name}, {processes} processes: {:?} {message}", run.status);
            let found = tree(&here.join(&out));
            assert!(*expected.get_or_insert_with(|| found.clone()) == found, "{name}, {processes} processes");
        }
    }
}

#[test]
fn as_many_threads_as_the_environment_asks_for_are_not_started() {
    let folder = TempDir::new().expect("a temporary folder");
    let mut command = crate::common::sim(folder.path());
    command.args(["bandit", "--problem", "btl:k=5", "--steps", "10", "--runs", "1", "--out", "r"]);
    assert!(command.env("RAYON_NUM_THREADS", "5000").output().expect("sim starts").status.success());
    let timings = fs::read_to_string(folder.path().join("r/timings.json")).expect("timings");
    let timings: serde_json::Value = serde_json::from_str(&timings).expect("JSON");
    let threads = timings["threads"].as_u64().expect("a number");
    assert!((1..=output::threads::max_threads() as u64).contains(&threads), "{threads}");
}
