//! `-v` and `RANKDUEL_LOG`: lines on standard error alone, and no result changes.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{sim, text, tree};

/// A small live run with its standard output and standard error; `words` come before and after its own.
fn run(folder: &Path, before: &[&str], after: &[&str], log: Option<&str>) -> (String, String) {
    let mut command = sim(folder);
    command.env_remove("RANKDUEL_LOG").args(before);
    if let Some(level) = log {
        command.env("RANKDUEL_LOG", level);
    }
    let data = if folder.join("data.txt").exists() { "data.txt" } else { "mq2008-lookalike:0.1" };
    command.args(["--dataset", data, "--rankers", "3", "--steps", "1e3", "--runs", "2", "--algorithms", "rucb"]);
    let run = command.args(["--quiet"]).args(after).output().expect("sim starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    (text(&run.stdout), text(&run.stderr))
}

#[test]
fn what_is_done_is_told_and_results_are_the_same() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let (out, errors) = run(here, &[], &["--out", "r"], None);
    assert_eq!(errors, "", "nothing is printed unless it is asked for");
    let results = tree(&here.join("r"));

    for (before, after, log, told, not_told) in [
        (&["-v"][..], &[][..], None, &["INFO letor_io", " INFO simulation"][..], &["DEBUG"][..]),
        (&[], &["-v"], None, &["INFO letor_io"], &["DEBUG"]),
        (&[], &["-vv"], None, &["INFO letor_io", "DEBUG simulation"], &["TRACE"]),
        (&[], &[], Some("info"), &["INFO letor_io"], &["DEBUG"]),
        (&[], &[], Some("DEBUG"), &["DEBUG simulation"], &[]),
        (&[], &["-v"], Some("debug"), &["INFO letor_io"], &["DEBUG"]),
        (&[], &[], Some("warn"), &[], &["INFO", "DEBUG"]),
        (&[], &[], Some("off"), &[], &["INFO", "DEBUG"]),
        (&[], &[], Some(""), &[], &["INFO", "DEBUG"]),
    ] {
        let again = TempDir::new().expect("a temporary folder");
        let (printed, errors) = run(again.path(), before, &[after, &["--out", "r"]].concat(), log);
        assert_eq!(printed, out, "{before:?} {after:?} {log:?}");
        assert!(tree(&again.path().join("r")) == results, "{before:?} {after:?} {log:?}: the same bytes");
        for part in told {
            assert!(errors.contains(part), "{part} for {after:?} {log:?} in\n{errors}");
        }
        for part in not_told {
            assert!(!errors.contains(part), "{part} for {after:?} {log:?} in\n{errors}");
        }
        assert!(!errors.contains('\u{1b}'), "{errors}");
    }
}

#[test]
fn decisions_are_told_with_their_reasons() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    // Large enough for a cache.
    let dataset = letor_io::lookalike::generate("mq2008-lookalike", 0.1, 1).expect("it is known");
    let mut rows = Vec::new();
    letor_io::write(&dataset, &letor_io::WriteOptions::default(), &mut rows).expect("memory takes it");
    fs::write(here.join("data.txt"), &rows).expect("a writable folder");
    let told = |words: &[&str]| run(here, &["-v"], words, None).1;
    let first = told(&["--out", "r"]);
    for part in [
        "\"data.txt\": reading the text of 1 files; the cache ",
        "is not used: there is none yet",
        "ranking ",
        "documents by 3 rankers",
        "truth, round \"coarse\": 3 pairs, ",
        "playing 2 runs of 1 algorithms; 0 more are kept from earlier calls",
    ] {
        assert!(first.contains(part), "{part} in\n{first}");
    }
    let second = told(&["--out", "r"]);
    assert!(second.contains("\"data.txt\": from the cache "), "{second}");
    assert!(!second.contains("truth, round"), "the truth is kept: {second}");
    assert!(second.contains("playing 0 runs of 1 algorithms; 2 more are kept from earlier calls"), "{second}");
    let without = told(&["--out", "other", "--no-cache"]);
    assert!(without.contains("\"data.txt\": reading the text of 1 files, without a cache"), "{without}");
    rows.extend_from_slice(b"0 qid:new 1:1\n");
    fs::write(here.join("data.txt"), &rows).expect("a writable folder");
    let changed = told(&["--out", "changed"]);
    let reason = "is not used: the files, the options or the version are not those it was made with";
    assert!(changed.contains(reason), "{changed}");
}

#[test]
fn a_level_that_is_none_is_wrong_usage() {
    let folder = TempDir::new().expect("a temporary folder");
    let mut command = sim(folder.path());
    let run = command.arg("algorithms").env("RANKDUEL_LOG", "loud").output().expect("sim starts");
    assert_eq!((run.status.code(), text(&run.stdout).as_str()), (Some(2), ""));
    let error = text(&run.stderr);
    assert_eq!(error, "error: RANKDUEL_LOG is \"loud\": expected off, error, warn, info, debug or trace\n");
}
