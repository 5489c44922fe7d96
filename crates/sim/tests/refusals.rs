//! What the command line says where it cannot do as it is told: wrong usage, failures, no room.

mod common;

use std::fs;

use common::{TINY, sim, text};
use tempfile::TempDir;

#[test]
fn a_missing_data_set_is_one_clear_error() {
    let folder = TempDir::new().expect("a temporary folder");
    let run = sim(folder.path()).args(["--dataset", "ylr1", "--click", "navigational"]).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(1));
    let message = text(&run.stderr);
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains("ylr1") && message.contains("cargo xtask fetch-datasets ylr1"), "{message}");
    assert!(run.stdout.is_empty());
}

#[test]
fn wrong_usage_exits_with_2() {
    let folder = TempDir::new().expect("a temporary folder");
    for args in [
        &["--steps", "0"][..],
        &["--steps", "many"],
        &["--algorithms", "rubc"],
        &["--algorithms", "rucb:alhpa=1"],
        &["--algorithms", "rucb:alpha=-1"],
        &["--algorithms", "mergerucb:p=1"],
        &["--rankers", "best"],
        &["--click", "sometimes"],
        &["--click", "0:2,1:0.5"],
        &["--shown", "0"],
        &["--threads", "0"],
        &["--no-such-flag"],
        &["bandit"],
        &["bandit", "--problem", "1god5poor"],
        &["bandit", "--problem", "arith4294967295"],
        &["bandit", "--matrix", "P.txt", "--problem", "arith51"],
        &["bandit", "--problem", "arith51", "--horizons", "100"],
        &["bandit", "--problem", "arith51", "--setting", "explore-then-exploit", "--horizons", "0"],
        &["bandit", "--problem", "arith51", "--setting", "explore-then-exploit", "--horizons", "9", "--steps", "9"],
        &["proxy"],
        &["proxy", "--out", "P.npy", "--arms", "first"],
        &["proxy", "--out", "P.npy", "--pairs", "1"],
        &["proxy", "--out", "P.npy", "--pairs", "1-2", "--arms", "1,2"],
        &["proxy", "--out", "P.npy", "--interleavings", "5", "--more", "5"],
        &["bandit", "--matrix", "P.txt", "--condorcet"],
        &["bandit", "--matrix", "P.txt", "--random", "3", "--arms", "1,2"],
        &["compare", "--matrix", "P.txt", "--interleavings", "5"],
        &["compare", "--algorithms", "mdb"],
        &["--seed", "-1"],
        &["--without", "1-5"],
        &["--algorithms", "rucb,rucb"],
        &["--algorithms", "rucb:alpha=0.51,rucb"],
        &["--click", "perfect", "--stop", "0:0.5"],
        &["--click", "0:0,1:0.5", "--stop", "0:0.5"],
        &["--dataset", "mslr-lookalike:abc"],
        &["--dataset", TINY, "--max-label", "2"],
        &["--dataset", TINY, "--null", "zero"],
        &["--dataset", TINY, "--same-qid", "merge"],
        &["--dataset", TINY, "--rankers", "0"],
        &["--dataset", TINY, "--rankers", "1,1"],
        &["--dataset", TINY, "--rankers", "1,2,999"],
        &["--dataset", TINY, "--rankers", "1000"],
        &["--dataset", TINY, "--rankers", "1,2", "--without", "3"],
        &["bandit", "--problem", "arith51", "--random", "5"],
        &["proxy", "--out", "Q.csv"],
        &["proxy", "--out", "P.npy", "--until-se", "0"],
        &["proxy", "--out", "P.npy", "--save-every", "soon"],
        &["proxy", "--out", "P.npy", "--multileave", "sosm", "--interleave", "team-draft"],
        &["proxy", "--out", "P.npy", "--resume", "--again"],
        &["analyse", "--matrix", "P.txt", "--error-rate", "2"],
        &["sensitivity", "--dataset", TINY, "--compared", "1"],
        &["sensitivity", "--dataset", TINY, "--methods", "sosm,sosm"],
        &["sensitivity", "--dataset", TINY, "--multileave", "sosm"],
        &["compare", "--multileave", "sosm"],
        &["bandit", "--problem", "arith51", "--setting", "explore-then-exploit", "--checkpoints", "3"],
        &["analyse", "--matrix", "P.txt", "--alpha", "0.5"],
        &["analyse", "--matrix", "P.txt", "--delta", "1"],
        &["analyse", "--matrix", "P.txt", "--batch", "3"],
        &["--dataset", TINY, "--rankers", "1"],
        &["--dataset", TINY, "--rankers", "1,2", "--without", "2"],
        &["distortion", "--dataset", TINY, "--rankers", "5", "--sizes", "6"],
        &["experiment", "some.toml", "--only", "others"],
        &["experiment", "."],
    ] {
        let run = sim(folder.path()).args(args).output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {message}");
        let said: Vec<&str> = message.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(said.len(), 1, "{args:?}: {message}");
        // What was opened may have been told before.
        assert_eq!(message.lines().last(), said.last().copied(), "{args:?}: {message}");
        assert!(!message.contains("invalid digit") && !message.contains("invalid float"), "{args:?}: {message}");
    }
    assert!(fs::read_dir(folder.path()).expect("the folder exists").next().is_none(), "nothing is left behind");
}

#[test]
fn what_a_shell_makes_of_a_pattern_is_explained() {
    let folder = TempDir::new().expect("a temporary folder");
    for name in ["a.txt", "b.txt"] {
        fs::write(folder.path().join(name), "").expect("a writable folder");
    }
    let run = sim(folder.path()).args(["--dataset", "a.txt", "b.txt"]).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(2));
    let message = text(&run.stderr);
    assert!(message.ends_with("several files are one list, parted by commas (see --help)\n"), "{message}");
}

#[test]
fn failures_exit_with_1_and_leave_nothing() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("bad.txt"), "0.5 0.7\n0.4 0.5\n").expect("a writable folder");
    fs::write(folder.path().join("bad.svm"), "1 qid:1 1:0.5\n0 qid:1 1:abc\n").expect("a writable folder");
    for (args, expected) in [
        (&["bandit", "--matrix", "none.txt"][..], "none.txt"),
        (&["bandit", "--matrix", "bad.txt"], "bad.txt"),
        (&["--dataset", "bad.svm"], "bad.svm:2:"),
        (&["--dataset", "no/such/folder"], "no/such/folder"),
    ] {
        let run = sim(folder.path()).args(args).args(["--quiet", "--out", "out.npy"]).output().expect("sim starts");
        assert_eq!(run.status.code(), Some(1), "{args:?}: {}", text(&run.stderr));
        let message = text(&run.stderr);
        assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
        assert!(message.starts_with("error: ") && message.contains(expected), "{args:?}: {message}");
        assert!(!folder.path().join("out.npy").exists());
    }
}

#[test]
fn more_arms_than_there_is_room_for_are_refused() {
    let folder = TempDir::new().expect("a temporary folder");
    for (problem, algorithm, expected) in
        [("arith100000", "rucb", "ends at 32768 arms"), ("btl:k=40000", "rucb", "matrices end at 32768 arms")]
    {
        let args = ["bandit", "--problem", problem, "--algorithms", algorithm, "--steps", "10", "--quiet"];
        let run = sim(folder.path()).args(args).output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{args:?}: {message}");
        assert!(message.starts_with("error: ") && message.contains(expected), "{args:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly_and_a_full_disk_in_one_line() {
    let folder = TempDir::new().expect("a temporary folder");
    let commands = [
        &["algorithms"][..],
        &["datasets"],
        &["--help"],
        &["bandit", "--problem", "arith51", "--steps", "10", "--runs", "1", "--json", "--quiet"],
    ];
    let to = |args: &[&str], out: std::process::Stdio| {
        let mut sim = std::process::Command::new(env!("CARGO_BIN_EXE_sim"));
        sim.current_dir(folder.path()).args(args).stdout(out).output().expect("sim starts")
    };
    for args in commands {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = to(args, writer.into());
        assert_eq!((run.status.code(), text(&run.stderr)), (Some(141), String::new()), "{args:?}");
        if let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") {
            let run = to(args, full.into());
            let message = text(&run.stderr);
            assert_eq!(run.status.code(), Some(1), "{args:?}: {message}");
            assert!(message.starts_with("error: failed to write to standard output: "), "{args:?}: {message}");
            assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
        }
    }
}

#[test]
fn what_cannot_be_written_is_told_before_the_work() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("taken"), "").expect("a writable folder");
    let long = ["--dataset", TINY, "--quiet"];
    for args in [
        &["--steps", "1e12", "--out", "taken"][..],
        &["--steps", "1e12", "--out", "r", "--cache", "taken"],
        &["bandit", "--problem", "arith51", "--steps", "1e12", "--out", "taken"],
        &["compare", "--steps", "1e12", "--out", "taken"],
        &["sensitivity", "--draws", "1e12", "--out", "taken"],
        &["distortion", "--multileavings", "1e12", "--out", "taken/d.json"],
        &["distortion", "--multileavings", "1e12", "--out", "."],
        &["distortion", "--multileavings", "1e12", "--out", "new/"],
    ] {
        let data = if args[0] == "bandit" { &["--quiet"][..] } else { &long };
        let run = sim(folder.path()).args(args).args(data).output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{args:?}: {message}");
        assert!(message.starts_with("error: failed to") && message.lines().count() == 1, "{args:?}: {message}");
    }
}
