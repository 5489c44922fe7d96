//! SIGKILL, SIGTERM and SIGINT at any moment.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bandits::Generator;
use rand::{RngExt as _, SeedableRng as _};
use tempfile::TempDir;

use super::commands::{COMMANDS, Written, written_in};
use crate::common::{Tree, text};

const SIGNALS: [(&str, i32); 3] = [("KILL", 9), ("INT", 2), ("TERM", 15)];

/// The fates of the processes that were sent a signal.
#[derive(Debug, Default)]
struct Outcomes {
    /// For each of [`SIGNALS`], the processes that it ended.
    stopped: [u32; 3],
    /// The process had ended already.
    late: u32,
    /// The number of folders compared with uninterrupted runs.
    compared: u32,
}

/// Stops `written` in new folders, again and again, until `wanted` processes were stopped while they ran.
fn stop_often(written: &Written, wanted: u32, generator: &mut Generator) -> Outcomes {
    let whole = TempDir::new().expect("a temporary folder");
    written.prepare(whole.path());
    let start = Instant::now();
    let usual = written.complete(whole.path());
    let duration = start.elapsed();
    let expected = written_in(whole.path());

    let mut outcomes = Outcomes::default();
    let mut rounds = 0;
    while outcomes.stopped.iter().sum::<u32>() < wanted {
        rounds += 1;
        assert!(rounds < 50 + 4 * wanted, "{}: hardly any signal arrives in time", written.name);
        let cut = TempDir::new().expect("a temporary folder");
        written.prepare(cut.path());
        // Several interruptions of the same work; each time there is less left to do.
        for _ in 0..3 {
            if outcomes.stopped.iter().sum::<u32>() == wanted {
                break;
            }
            let moment = duration.mul_f64(generator.random_range(0.0..1.0));
            let which = generator.random_range(0..SIGNALS.len());
            match stop(written, cut.path(), moment, which, usual) {
                true => outcomes.stopped[which] += 1,
                false => outcomes.late += 1,
            }
        }
        written.complete(cut.path());
        let found = written_in(cut.path());
        let names = |tree: &Tree| tree.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected), "{}", written.name);
        for (name, bytes) in &expected {
            assert!(found[name] == *bytes, "{}: {name} differs", written.name);
        }
        outcomes.compared += 1;
    }
    outcomes
}

/// Starts the command and sends it a signal after `moment`; returns whether that ended it. It prints at most one line more than the `usual`
/// ones: the signal may come after the last output, when the process is about to end.
fn stop(written: &Written, folder: &Path, moment: Duration, which: usize, usual: usize) -> bool {
    let (name, number) = SIGNALS[which];
    let child = written.command(folder).stderr(Stdio::piped()).spawn().expect("sim starts");
    std::thread::sleep(moment);
    let sent = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).stderr(Stdio::null()).status();
    sent.expect("kill starts");
    let ended = child.wait_with_output().expect("it ends");
    let said = text(&ended.stderr);
    match ended.status.signal() {
        Some(signal) => {
            assert_eq!(signal, number, "{}: {said}", written.name);
            assert!(said.lines().count() <= 1 + usual, "{}: {said}", written.name);
            true
        }
        None => {
            assert!(ended.status.success(), "{}: {said}", written.name);
            false
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are the result of a long run")]
fn killed_and_resumed_is_the_same_to_the_byte() {
    let all: Option<u32> = std::env::var("SIM_KILLS").ok().and_then(|count| count.parse().ok());
    let wanted = all.map_or(2, |all| all.div_ceil(COMMANDS.len() as u32));
    let mut generator = Generator::seed_from_u64(20);
    for written in &COMMANDS {
        let Outcomes { stopped, late, compared } = stop_often(written, wanted, &mut generator);
        let [kill, int, term] = stopped;
        println!(
            "{:22} SIGKILL {kill}, SIGINT {int}, SIGTERM {term}, after the end {late}; {compared} folders equal",
            written.name
        );
    }
}

/// The one line on standard error of a command that is stopped as soon as `ready` holds.
fn stopped_when(folder: &Path, arguments: &[&str], signal: &str, ready: impl Fn() -> bool) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankduel"));
    command.current_dir(folder).args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("sim starts");
    let start = Instant::now();
    while !ready() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().expect("kill starts");
    let ended = child.wait_with_output().expect("it ends");
    (ended.status.signal(), text(&ended.stderr))
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn ctrl_c_says_what_is_kept_and_how_to_go_on() {
    // In the background of a script SIGINT is ignored, here and in every process that starts here.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    if ignored.is_some_and(|mask| mask & 2 != 0) {
        eprintln!("SKIPPED: SIGINT is ignored here, so that Ctrl-C cannot be tried");
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let long = ["bandit", "--problem", "arithmetic:k=6", "--algorithms", "rucb", "--steps", "3e5", "--runs", "200"];
    let arguments = [&long[..], &["--quiet", "--threads", "1", "--out", "a/b"]].concat();
    let kept = || {
        let files = std::fs::read_dir(here.join("a/b/.runs")).into_iter().flatten().flatten();
        files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum::<u64>()
    };
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        // As soon as this process has kept a run.
        let before = kept();
        let (ended, said) = stopped_when(here, &arguments, signal, || kept() > before);
        assert_eq!(ended, Some(number), "{said}");
        assert!(said.starts_with("stopped; ") && said.lines().count() == 1, "{said}");
        assert!(said.contains(" of 200 runs are finished and kept in a/b"), "{said}");
        assert!(said.contains("the same command plays the others"), "{said}");
    }
    // Before any run is finished, nothing is left: not even an empty folder.
    let slow = ["bandit", "--problem", "arithmetic:k=6", "--algorithms", "random", "--steps", "4e9", "--runs", "2"];
    let slow = [&slow[..], &["--quiet", "--out", "c/d"]].concat();
    let (ended, said) = stopped_when(here, &slow, "INT", || {
        // The folder is created a moment before all is ready.
        let exists = here.join("c/d").exists();
        std::thread::sleep(Duration::from_millis(if exists { 500 } else { 0 }));
        exists
    });
    assert_eq!(ended, Some(2), "{said}");
    assert!(said.starts_with("stopped; ") && !here.join("c").exists(), "{said}");
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let folder = TempDir::new().expect("a temporary folder");
    let run = "trap '' INT; \"$0\" bandit --problem arithmetic:k=6 --steps 3e5 --runs 3 --quiet --out r & \
               sleep 0.3; kill -INT $!; wait $!";
    let ended = Command::new("sh")
        .args(["-c", run, env!("CARGO_BIN_EXE_rankduel")])
        .current_dir(folder.path())
        .output()
        .expect("a shell");
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    assert!(folder.path().join("r/config.json").exists());
}
