//! Code shared by the tests.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use bench::{BenchStudy, Entry, Program, Request, Results, Track};
use studies::{Execution, StudyOutcome, run};

/// The results of a request, in memory.
pub(crate) fn played(request: Request) -> Results {
    let study = BenchStudy::new(request).expect("a request");
    let Ok(StudyOutcome::Finished(finished)) = run(study, &Execution { quiet: true, ..Execution::default() }) else {
        panic!("it plays")
    };
    finished.found
}

/// A request for two problems.
pub(crate) fn request(tracks: &[Track], entries: Vec<Entry>, runs: u64) -> Request {
    let problems = Some(["order-20", "ukp-04"].map(str::to_owned).to_vec());
    Request { tracks: tracks.to_vec(), entries, problems, runs: Some(runs), key: None }
}

pub(crate) fn policy(name: &str) -> Entry {
    Entry::Policy(name.parse().expect("a policy"))
}

/// An entry of this crate's folder `entries`, or of its tests, played by `interpreter`.
pub(crate) fn program(name: &str, interpreter: &str, file: &str, limit: f64) -> Entry {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    Entry::Program(Program::parse(&format!("{name}={interpreter} {}", path.display()), limit).expect("a program"))
}

/// The Python of the tests: `RANKDUEL_TEST_PYTHON`, or `python3`. `None`, with a remark, if there is none or it lacks `module`.
pub(crate) fn python(module: &str) -> Option<String> {
    let python = std::env::var("RANKDUEL_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    has(&python, &["-c", &format!("import {module}")]).then_some(python)
}

/// Whether a command succeeds; says that a test is skipped if not.
pub(crate) fn has(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    let found = command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !found {
        eprintln!("skipped: `{program} {}` does not run here", arguments.join(" "));
    }
    found
}
