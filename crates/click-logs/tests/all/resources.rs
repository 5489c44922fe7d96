//! Where the system starts no further thread, fewer do the work, and the results are the same.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use desk::situations::with_few_processes;

#[test]
#[expect(clippy::print_stderr, reason = "what is skipped is visible")]
fn results_need_no_thread() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::set_permissions(here, fs::Permissions::from_mode(0o777)).unwrap();
    // The folder of the build may be closed to others.
    let program = here.join("click-logs");
    // By another process: children of tests on other threads would hold a file open that this one writes, and that cannot be run.
    let copied = std::process::Command::new("cp").arg(env!("CARGO_BIN_EXE_click-logs")).arg(&program).status();
    assert!(copied.unwrap().success());
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut expected = None;
    for processes in [4096, 1, 2, 3, 4, 5] {
        let [log, out] = ["log", "out"].map(|name| format!("{name}-{processes}"));
        let [impressions, clicks] = ["impressions", "clicks"].map(|name| format!("{log}/{name}.jsonl"));
        let outcomes = ["--impressions", &impressions, "--clicks", &clicks, "--out", &out];
        let commands: [&[&str]; 3] = [
            &["simulate", "--impressions", "3000", "--out", &log],
            &[&["credit"], &outcomes[..]].concat(),
            &["decide", &out],
        ];
        for arguments in commands {
            let Some(run) = with_few_processes(&program, here, processes, arguments) else {
                eprintln!("skipped: {processes} processes at most (needs root, prlimit and setpriv)");
                continue;
            };
            let message = String::from_utf8_lossy(&run.stderr);
            assert_eq!(run.status.code(), Some(0), "{arguments:?}, {processes} processes: {:?} {message}", run.status);
        }
        let Ok(found) = fs::read(here.join(&out).join("outcomes.csv")) else { continue };
        assert!(found.len() > 300 && *expected.get_or_insert_with(|| found.clone()) == found, "{processes} processes");
    }
}
