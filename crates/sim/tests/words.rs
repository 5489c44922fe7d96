//! One word, one meaning, in flags and figures.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{sim, text};

const STUDY: [&str; 9] =
    ["bandit", "--problem", "1good5poor", "--algorithms", "rucb,random", "--steps", "1e4", "--runs", "6"];

fn run(folder: &Path, arguments: &[&str]) -> String {
    let run = sim(folder).args(arguments).output().expect("sim starts");
    assert!(run.status.success(), "{arguments:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

/// There is one word for one thing: no flag has a second name.
#[test]
fn a_flag_has_one_name() {
    let folder = TempDir::new().expect("a temporary folder");
    for words in [
        "analyse --error-rate 0.01",
        "bandit --first-alphabetical 4",
        "bandit --random 4",
        "bandit --again",
        "bandit --margin 0.4",
        "bandit --impressions 500",
        "compare --interleavings 40",
        "compare --resume",
        "distortion --runs 3",
        "draw study --bands sd",
        "draw study --x log",
        "inspect --trec-runs a.run",
        "power --per-day 500",
        "proxy --interleavings 40",
        "sensitivity --impressions 40",
        "significance study --level 0.01",
    ] {
        let run = sim(folder.path()).args(words.split(' ')).output().expect("sim starts");
        let message = text(&run.stderr);
        let flag = words.split(' ').find(|word| word.starts_with("--")).unwrap_or_default();
        assert_eq!(run.status.code(), Some(2), "{words}: {message}");
        assert!(message.contains(&format!("unexpected argument '{flag}'")), "{words}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn axes_and_spread_are_the_words_of_every_figure() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    run(at, &[&STUDY[..], &["--quiet", "--keep-curves", "--out", "study"]].concat());
    let drawn = |flags: &[&str]| {
        run(at, &[&["draw", "study", "--out", "f.svg"][..], flags].concat());
        fs::read(at.join("f.svg")).expect("a figure")
    };
    let all =
        [["--axes", "linear"], ["--axes", "log-x"], ["--axes", "log"], ["--spread", "none"]].map(|flags| drawn(&flags));
    assert!((1..all.len()).all(|one| all[..one].iter().all(|other| *other != all[one])));
}
