//! One word, one meaning: earlier names of flags give the same results, and exclude the flags that replace them.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{Tree, files, sim, text, tree};

/// A command with its words in one form and in another.
struct Pair {
    command: &'static [&'static str],
    now: &'static [&'static str],
    before: &'static [&'static str],
    /// Another value, in the present form.
    other: &'static [&'static str],
}

const STUDY: [&str; 9] =
    ["bandit", "--problem", "1good5poor", "--algorithms", "rucb,random", "--steps", "1e4", "--runs", "6"];

fn run(folder: &Path, arguments: &[&str]) -> String {
    let run = sim(folder).args(arguments).output().expect("sim starts");
    assert!(run.status.success(), "{arguments:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

#[test]
fn earlier_words_give_the_same_results() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    fs::write(at.join("P.txt"), "0.5 0.6 0.4\n0.4 0.5 0.7\n0.6 0.3 0.5\n").expect("a writable folder");
    let table = "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties\n2026-01-01,a,b,30,20,1,30,20,1\n";
    fs::write(at.join("outcomes.csv"), table).expect("a writable folder");
    run(at, &[&STUDY[..], &["--quiet", "--keep-curves", "--out", "study"]].concat());
    for Pair { command, now, before, other } in [
        Pair {
            command: &["analyse", "--matrix", "P.txt", "--comparisons", "400", "--samples", "10", "--json"],
            now: &["--confidence", "0.99"],
            before: &["--error-rate", "0.01"],
            other: &["--confidence", "0.9"],
        },
        Pair {
            command: &["significance", "study"],
            now: &["--confidence", "0.99"],
            before: &["--level", "0.01"],
            other: &["--confidence", "0.8"],
        },
        Pair {
            command: &["power", "--margin", "0.05", "--json"],
            now: &["--confidence", "0.99"],
            before: &["--error-rate=0.01"],
            other: &["--confidence", "0.9"],
        },
        Pair {
            command: &["power", "--margin", "0.05"],
            now: &["--impressions-per-day", "500"],
            before: &["--per-day", "500"],
            other: &["--impressions-per-day", "5"],
        },
        Pair {
            command: &["bandit", "--from-outcomes", "outcomes.csv", "--algorithms", "rucb", "--json", "--quiet"],
            now: &["--impressions-per-day", "500"],
            before: &["--impressions", "500"],
            other: &["--impressions-per-day", "50"],
        },
        Pair {
            command: &[
                "sensitivity",
                "--dataset",
                "mslr-lookalike:0.002",
                "--rankers",
                "1-6",
                "--draws",
                "2",
                "--quiet",
                "--json",
            ],
            now: &["--impressions-per-draw", "40"],
            before: &["--impressions", "40"],
            other: &["--impressions-per-draw", "20"],
        },
        Pair {
            command: &[
                "proxy",
                "--dataset",
                "mslr-lookalike:0.002",
                "--rankers",
                "1-3",
                "--out",
                "Q.npy",
                "--quiet",
                "--json",
            ],
            now: &["--impressions-per-pair", "40"],
            before: &["--interleavings", "40"],
            other: &["--impressions-per-pair", "20"],
        },
        Pair {
            command: &[
                "bandit",
                "--problem",
                "1good5poor",
                "--algorithms",
                "rucb",
                "--steps",
                "1e4",
                "--runs",
                "2",
                "--evidence",
                "0.9",
                "--quiet",
                "--json",
            ],
            now: &["--tolerance", "0.4"],
            before: &["--margin", "0.4"],
            other: &["--tolerance", "0"],
        },
    ] {
        // Everything that is written, and with it the name of the default folder.
        let said = |flags: &[&str]| {
            let _ = fs::remove_dir_all(at.join("results"));
            files(at).iter().filter(|(name, _)| name.starts_with("Q.")).for_each(|(name, _)| {
                fs::remove_file(at.join(name)).expect("a file");
            });
            let printed = run(at, &[command, flags].concat());
            (printed, named(at))
        };
        let (new, old) = (said(now), said(before));
        assert_eq!(new, old, "{command:?} {before:?}");
        assert_ne!(said(other).0, new.0, "{command:?} {other:?} changes nothing");
        // Both forms together: an error, whatever they say.
        let run = sim(at).args([command, now, before].concat()).output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{command:?}: {message}");
        assert!(message.contains("cannot be used") && message.lines().count() == 1, "{message}");
        // Help has the present word alone.
        let help = text(&sim(at).args([command[0], "--help"]).output().expect("sim starts").stdout);
        let [now, before] = [now[0], before[0].split('=').next().unwrap_or_default()];
        let has = |flag: &str| help.lines().any(|line| line.trim_start().starts_with(&format!("{flag} <")));
        assert!(has(now) && !has(before), "{command:?}: {now} {before}\n{help}");
    }
}

/// All files of default folders, with the names of these.
fn named(at: &Path) -> Tree {
    let results = at.join("results");
    if !results.is_dir() {
        return Tree::new();
    }
    tree(&results).into_iter().filter(|(name, _)| !name.starts_with(".cache")).collect()
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
    for (now, before) in [
        (&["--axes", "linear"][..], &["--x", "linear", "--y", "linear"][..]),
        (&["--axes", "log-x"], &["--x", "log", "--y", "linear"]),
        (&["--axes", "log"], &["--x", "log", "--y", "log"]),
        (&["--spread", "sd"], &["--bands", "sd"]),
        (&["--spread", "quantile"], &["--bands", "quantile"]),
    ] {
        assert_eq!(drawn(now), drawn(before), "{before:?}");
        let run = sim(at).args(["draw", "study"]).args(now).args(before).output().expect("sim starts");
        assert_eq!(run.status.code(), Some(2), "{now:?} {before:?}");
    }
    let all =
        [["--axes", "linear"], ["--axes", "log-x"], ["--axes", "log"], ["--spread", "none"]].map(|flags| drawn(&flags));
    assert!((1..all.len()).all(|one| all[..one].iter().all(|other| *other != all[one])));
}
