//! How impressions are served: keyed streams.

use std::fs;
use std::path::Path;

use crate::common::{TINY, files, sim, text, tree};
use serde_json::Value;
use tempfile::TempDir;

/// Runs a command that succeeds; what it printed.
fn said(folder: &Path, args: &[&str]) -> String {
    let run = sim(folder).args(args).arg("--quiet").output().expect("sim starts");
    assert!(run.status.success(), "{args:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

/// The one line with which a command refuses.
fn refused(folder: &Path, args: &[&str]) -> String {
    let run = sim(folder).args(args).arg("--quiet").output().expect("sim starts");
    let line = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{args:?}: {line}");
    assert_eq!(line.lines().count(), 1, "{args:?}: {line}");
    line
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

/// The names of the folders of results.
fn results(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("results")).expect("results").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

const LIVE: [&str; 10] = [
    "--dataset",
    TINY,
    "--rankers",
    "1,5,110",
    "--truth-effort",
    "0.001",
    "--algorithms",
    "rucb,mdb,random",
    "--runs",
    "4",
];

#[test]
fn keyed_streams_have_folders_of_their_own_and_the_same_bytes_always() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let play = |flags: &[&str]| said(here, &[&LIVE[..], flags].concat());
    play(&["--steps", "300"]);
    let [usual] = &results(here)[..] else { panic!("one folder") };
    let before = tree(&here.join("results").join(usual));
    assert!(json(&here.join("results").join(usual).join("config.json")).get("streams").is_none());
    play(&["--steps", "300", "--streams", "sequential"]);
    assert_eq!(&results(here), std::slice::from_ref(usual));
    assert_eq!(tree(&here.join("results").join(usual)), before);

    play(&["--steps", "300", "--streams", "keyed", "--threads", "1"]);
    let keyed = format!("{usual}-streams-keyed");
    assert_eq!(results(here), [usual.clone(), keyed.clone()]);
    let keyed = here.join("results").join(keyed);
    assert_eq!(json(&keyed.join("config.json"))["streams"], "keyed");
    assert_ne!(files(&keyed), files(&here.join("results").join(usual)));

    // Threads play one, two or three runs in step; longer runs continue shorter ones.
    play(&["--steps", "900", "--streams", "keyed", "--threads", "4", "--out", "once"]);
    play(&["--steps", "900", "--streams", "keyed", "--threads", "1"]);
    assert_eq!(tree(&here.join("once")), tree(&keyed));

    let line = refused(here, &[&LIVE[..], &["--out", "once"]].concat());
    assert!(line.contains("streams"), "{line}");
}

#[test]
fn keyed_streams_change_only_the_live_half_of_a_comparison() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let compare = ["compare", "--dataset", TINY, "--rankers", "1,5,110", "--truth-effort", "0.001", "--algorithms"];
    let sizes = ["rucb", "--steps", "300", "--runs", "2", "--interleavings", "200", "--out"];
    said(here, &[&compare[..], &sizes, &["usual"]].concat());
    said(here, &[&compare[..], &sizes, &["keyed", "--streams", "keyed"]].concat());
    let curves = |folder: &str, half: &str| fs::read(here.join(folder).join(half).join("curves.csv")).expect("curves");
    assert_eq!(curves("usual", "proxy"), curves("keyed", "proxy"));
    assert_ne!(curves("usual", "live"), curves("keyed", "live"));
    assert_eq!(fs::read(here.join("usual/proxy.npy")).unwrap(), fs::read(here.join("keyed/proxy.npy")).unwrap());
}
