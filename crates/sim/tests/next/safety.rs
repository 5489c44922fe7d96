//! Printed results are on the disk, whatever happens.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bandits::Generator;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;
use tempfile::TempDir;

use super::{called, pairs, refused, state, ticket};
use crate::common::text;

fn next(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankduel"));
    command.current_dir(folder).args(["next", "--state", "judge.jsonl"]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The answers in the file, by the number of the ticket. None is there twice.
fn answers(folder: &Path) -> BTreeMap<u64, String> {
    let mut answers = BTreeMap::new();
    let state = state(folder);
    for line in state.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        if line["event"] == "answered" {
            let number = line["ticket"].as_u64().expect("a number");
            let before = answers.insert(number, line["verdict"].as_str().expect("a word").to_owned());
            assert_eq!(before, None, "ticket {number} twice");
        }
    }
    answers
}

/// A client that is killed at `moments`, and retries.
fn killed_at(moments: u32, seed: u64) {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let mut generator = Generator::seed_from_u64(seed);
    let mut acknowledged: BTreeMap<u64, String> = BTreeMap::new();
    let number = |ticket: &str| -> u64 { ticket.split('-').next().expect("a number").parse().expect("a number") };
    let start = Instant::now();
    let mut held = Some(ticket(&pairs(&called(at, &["--competitors", "a,b,c,d,e"]))[0]).to_owned());
    // About as long as a call takes; adapted, so that some end and some are killed.
    let mut usual = start.elapsed();
    let (mut killed, mut calls) = (0, 0);
    while killed < moments || acknowledged.len() < moments as usize / 3 {
        calls += 1;
        assert!(calls < 40 * moments, "{killed} of {calls} were killed, {} acknowledged", acknowledged.len());
        let word = ["first", "second", "tie", "both-bad"][generator.random_range(0..4)];
        let answer = held.as_ref().map(|ticket| format!("{ticket}={word}"));
        let mut arguments = vec!["--competitors", "a,b,c,d,e"];
        arguments.extend(answer.iter().flat_map(|answer| ["--answer", answer.as_str()]));
        let mut child = next(at, &arguments).spawn().expect("sim starts");
        std::thread::sleep(usual.mul_f64(generator.random_range(0.0..1.3)));
        let ended = child.try_wait().expect("a child").is_some();
        child.kill().expect("it was ours");
        let output = child.wait_with_output().expect("it ends");
        let printed = text(&output.stdout);
        if !ended && !output.status.success() {
            killed += 1;
            usual = usual.mul_f64(1.1);
        } else {
            usual = usual.mul_f64(0.85).max(Duration::from_millis(2));
        }
        if printed.ends_with('\n') {
            // Acknowledged: the answer counts, and the next pair is ours.
            if let Some(ticket) = held.take() {
                acknowledged.insert(number(&ticket), word.replace('-', " "));
            }
            held = Some(ticket(&pairs(&printed)[0]).to_owned());
        } else if output.status.code().is_some_and(|code| code != 0) {
            let said = text(&output.stderr);
            // The answer of a killed call is on the disk: the client gets this error, and asks for open pairs.
            assert!(said.contains("was already answered"), "{said}");
            held = None;
        }
        if held.is_none() && at.join("judge.jsonl").exists() && killed % 3 == 0 {
            let open = next(at, &["--open"]).output().expect("sim starts");
            held = text(&open.stdout).lines().next().map(|line| ticket(&pairs(line)[0]).to_owned());
        }
    }
    let found = answers(at);
    for (ticket, verdict) in &acknowledged {
        assert_eq!(found.get(ticket), Some(verdict), "ticket {ticket} was acknowledged");
    }
    // The session goes on.
    called(at, &["--batch", "3"]);
    assert!(!at.join("judge.jsonl.lock").exists());
}

#[test]
fn nothing_acknowledged_is_lost_or_doubled_when_killed() {
    killed_at(12, 1);
}

#[test]
#[ignore = "a minute"]
fn nothing_acknowledged_is_lost_or_doubled_when_killed_a_hundred_times_at_full_size() {
    for seed in 0..5 {
        killed_at(25, seed);
    }
}

#[test]
fn several_judges_at_once_wait_for_each_other() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    called(at, &["--competitors", "a,b,c,d,e,f", "--both"]);
    std::thread::scope(|scope| {
        for judge in ["ann", "bob", "eve", "joe"] {
            scope.spawn(move || {
                let mut pair = called(at, &["--judge", judge]);
                for call in 0..5 {
                    let word = ["first", "second", "tie"][call % 3];
                    pair = called(at, &["--judge", judge, "--answer", &format!("{}={word}", ticket(&pairs(&pair)[0]))]);
                }
            });
        }
    });
    assert_eq!(answers(at).len(), 20);
    let status = called(at, &["--status"]);
    assert!(status.contains("25 pairs asked: 20 answered, 5 open, 0 forgotten"), "{status}");
}

#[test]
fn a_lock_file_that_nobody_holds_locks_nobody_out() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    called(at, &["--competitors", "a,b"]);
    fs::write(at.join("judge.jsonl.lock"), "").expect("a writable folder");
    called(at, &["--batch", "2"]);
    assert!(called(at, &["--status"]).contains("3 pairs asked"));
}

#[test]
fn a_file_that_was_edited_is_refused_by_its_line() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let pair = called(at, &["--competitors", "a,b,c"]);
    called(at, &["--answer", &format!("{}=first", ticket(&pairs(&pair)[0]))]);
    let good = state(at);
    let lines: Vec<&str> = good.split_inclusive('\n').collect();
    let cases = [
        (good.replace("\"verdict\":\"first\"", "\"verdict\":\"second\""), "judge.jsonl: line 3: its checksum is wrong"),
        ([lines[0], lines[2], lines[3]].concat(), "judge.jsonl: line 2: expected event 2, found 3: lines are missing"),
        ([lines[0], lines[1], lines[1]].concat(), "judge.jsonl: line 3: expected event 3, found 2 again"),
        ("first,second,winner\n".to_owned(), "judge.jsonl: line 1: expected the event `created`"),
        ("no line".to_owned(), "judge.jsonl: line 1: there is no whole line"),
    ];
    for (changed, message) in cases {
        fs::write(at.join("judge.jsonl"), &changed).expect("a writable folder");
        for flags in [&[][..], &["--status"], &["--competitors", "a,b,c"]] {
            let (code, said) = refused(at, flags);
            assert!(code == 1 && said.contains(message), "{said}");
            assert_eq!(state(at), changed, "it is left alone");
        }
    }
    // Only a last line that was cut off is passed over: its ticket was never printed.
    for cut in [1, 20, lines[3].len() - 1] {
        fs::write(at.join("judge.jsonl"), &good[..good.len() - cut]).expect("a writable folder");
        let run = next(at, &["--status"]).output().expect("sim starts");
        let said = text(&run.stderr);
        assert!(run.status.success() && said.contains("its last line was cut off"), "{said}");
        assert!(text(&run.stdout).contains("1 pair asked: 1 answered"), "{}", text(&run.stdout));
        // The pair that follows is the one that was lost.
        called(at, &[]);
        assert_eq!(state(at), good);
    }
    // A first line that was cut off: the session was never begun.
    fs::write(at.join("judge.jsonl"), &good[..70]).expect("a writable folder");
    assert_eq!(refused(at, &[]).0, 2);
    called(at, &["--competitors", "a,b,c"]);
    assert_eq!(state(at), [lines[0], lines[1]].concat());
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_file_as_it_was() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let limited = |blocks: u32, arguments: &[&str]| {
        let script = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
        let run = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_rankduel"), "next", "--state", "judge.jsonl"])
            .args(arguments)
            .current_dir(at)
            .output()
            .expect("a shell");
        (run.status.code(), text(&run.stdout), text(&run.stderr))
    };
    let (code, printed, said) = limited(0, &["--competitors", "a,b,c"]);
    assert!(code == Some(1) && printed.is_empty() && said.lines().count() == 1, "{said}");
    assert!(!at.join("judge.jsonl").exists(), "nothing was begun");
    called(at, &["--competitors", "a,b,c", "--batch", "40"]);
    let before = state(at);
    let open = called(at, &["--open"]);
    let ties: Vec<String> = pairs(&open).iter().map(|pair| format!("--answer={}=tie", ticket(pair))).collect();
    let ties: Vec<&str> = ties.iter().map(String::as_str).collect();
    // Nothing of it fits, or its first lines do.
    for blocks in [1, before.len() as u32 / 512 + 2] {
        let (code, printed, said) = limited(blocks, &ties);
        if code == Some(0) {
            panic!("the limit of {blocks} blocks was too large");
        }
        assert!(code == Some(1) && printed.is_empty() && said.contains("failed to append to"), "{said}");
        assert_eq!(state(at), before);
    }
    called(at, &ties);
    assert_eq!(answers(at).len(), 40);
    // A device is not a file.
    let run = Command::new(env!("CARGO_BIN_EXE_rankduel"))
        .args(["next", "--state", "/dev/full", "--competitors", "a,b"])
        .output();
    let run = run.expect("sim starts");
    assert!(run.status.code() == Some(1) && run.stdout.is_empty(), "{}", text(&run.stderr));
}
