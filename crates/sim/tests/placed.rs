//! Hostile files where a command reads: nothing waits for ever, and nothing takes memory without end.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::common::{sim, text};

/// The message of a command that must fail within a minute.
fn refused(folder: &Path, args: &[&str]) -> String {
    let mut command = sim(folder);
    let run = command.args(args).timeout(Duration::from_secs(60)).output().expect("sim starts");
    let said = format!("{}{}", text(&run.stdout), text(&run.stderr));
    assert!(run.status.code().is_some_and(|code| code > 0), "{args:?} waits, or succeeds: {said}");
    said
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

fn endless(path: &Path) {
    symlink("/dev/zero", path).expect("a link");
}

const STUDY: [&str; 10] =
    ["bandit", "--problem", "btl:k=4", "--algorithms", "rucb", "--steps", "100", "--runs", "4", "--quiet"];

#[test]
fn parts_that_are_pipes_or_devices_are_refused_by_name() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let run = sim(here).args([&STUDY[..], &["--shard", "0/2", "--out", "s"]].concat()).output().expect("sim starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let part = here.join("s.shards/1-of-2.part");
    let merge = [&STUDY[..], &["--shard", "merge:s.shards", "--out", "s"]].concat();
    for what in ["it is a pipe", "it is a device"] {
        if what == "it is a pipe" {
            pipe(&part)
        } else {
            endless(&part)
        }
        for command in [&merge[..], &["merge", "s.shards"]] {
            let said = refused(here, command);
            assert!(said.contains("1-of-2.part") && said.contains(what), "{command:?}: {said}");
        }
        let mut command = sim(here);
        let status =
            command.args(["status", "s.shards"]).timeout(Duration::from_secs(60)).output().expect("sim starts");
        assert!(status.status.code().is_some(), "status waits");
        fs::remove_file(&part).expect("it was placed");
    }
}

#[test]
fn states_locks_and_kept_runs_that_are_pipes_keep_nobody_waiting() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let site =
        ["proxy", "--dataset", "mslr-lookalike:0.003", "--rankers", "3", "--impressions-per-pair", "100", "--quiet"];
    let proxy = [&site[..], &["--resume", "--out", "P.npy"]].concat();
    for name in ["P.state", ".P.state.lock"] {
        pipe(&here.join(name));
        let said = refused(here, &proxy);
        assert!(said.contains(name) && said.contains("it is a pipe, expected a file"), "{said}");
        fs::remove_file(here.join(name)).expect("it was placed");
    }
    fs::create_dir(here.join("r")).expect("a folder");
    pipe(&here.join("r/config.json"));
    let said = refused(here, &[&STUDY[..], &["--out", "r"]].concat());
    assert!(said.contains("config.json") && said.contains("it is a pipe, expected a file"), "{said}");
    pipe(&here.join("rankduel.toml"));
    assert!(refused(here, &STUDY).contains("rankduel.toml: it is a pipe, expected a file"), "rankduel.toml");
}

#[test]
fn a_matrix_may_come_from_a_pipe() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let path = here.join("M.txt");
    pipe(&path);
    std::thread::scope(|scope| {
        scope.spawn(|| fs::write(&path, "0.5 0.7\n0.3 0.5\n").expect("a reader"));
        let mut command = sim(here);
        let args =
            ["bandit", "--matrix", "M.txt", "--algorithms", "rucb", "--steps", "100", "--runs", "1", "--out", "m"];
        let run = command.args(args).timeout(Duration::from_secs(60)).output().expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
    });
}
