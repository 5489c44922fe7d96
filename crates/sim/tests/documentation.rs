//! The commands in the pages of `docs/` run, at a small size, page after page in one folder, as a reader goes through them.
//!
//! Those of `cargo`, of clusters, of `click-logs` and of the live server do not: their own tests run them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{sim, text};
use tempfile::TempDir;

/// Numbers of the pages, and the smaller ones of the test.
const SMALLER: [(&str, &str); 8] = [
    ("--steps", "2e3"),
    ("--impressions-per-pair", "200"),
    ("--more", "200"),
    ("--simulate", "2"),
    ("mslr-lookalike:0.03", "mslr-lookalike:0.003"),
    ("mslr-lookalike:0.01", "mslr-lookalike:0.003"),
    ("mq2008-lookalike:0.2", "mq2008-lookalike:0.1"),
    ("--scale", "0.0001"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages with commands that this test runs.
fn pages() -> Vec<PathBuf> {
    let in_folder = |folder: &str| {
        let entries = fs::read_dir(root().join(folder)).expect("the documentation");
        entries.map(|entry| entry.expect("a readable folder").path()).collect::<Vec<_>>()
    };
    let mut pages = [in_folder("docs/pages"), in_folder("docs/pages/how-to")].concat();
    // The studies beside it are long, and of data that are not here.
    pages.push(root().join("docs/pages/bandits/which.md"));
    let elsewhere = ["run-on-a-cluster.md", "click-logs.md", "spark.md"];
    pages.retain(|page| {
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".md") && !elsewhere.contains(&&*name)
    });
    pages.sort();
    pages
}

/// The commands of `rankduel` in the `sh` blocks of a page, continued lines joined.
fn commands(page: &str) -> Vec<Vec<String>> {
    let blocks = page.split("\n```").filter_map(|block| block.strip_prefix("sh\n"));
    let lines = blocks.flat_map(|block| {
        let joined = block.replace("\\\n", " ");
        joined.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    let words = lines.map(|line| {
        let line = line.split(" #").next().unwrap_or_default().to_owned();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    });
    let is_ours = |words: &Vec<String>| {
        words.first().is_some_and(|first| first == "rankduel")
            && words.get(1).is_none_or(|command| command != "serve" && command != "demo")
    };
    words.filter(is_ours).collect()
}

/// A command's arguments at a small size.
fn small(words: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in &words[1..] {
        let before = found.last().map_or("", String::as_str);
        let fewer_runs = before == "--runs" && word.parse::<u64>().is_ok();
        let smaller =
            SMALLER.iter().find(|(from, _)| *from == if from.starts_with("--") { before } else { word.as_str() });
        let smaller = smaller.map(|(_, to)| *to);
        found.push(match (fewer_runs, smaller) {
            (true, _) => "2".to_owned(),
            (false, Some(smaller)) => smaller.to_owned(),
            (false, None) => word.clone(),
        });
    }
    // A live study: its ground truth is most of the work.
    if found.first().is_some_and(|first| first.starts_with("--") || first == "compare" || first == "live") {
        found.extend(["--truth-effort", "0.005"].map(str::to_owned));
    }
    found
}

#[test]
fn every_command_runs() {
    let mut ran = 0;
    let folder = TempDir::new().expect("a temporary folder");
    #[cfg(unix)]
    std::os::unix::fs::symlink(root().join("experiments"), folder.path().join("experiments")).expect("a link");
    for page in pages() {
        for words in commands(&fs::read_to_string(&page).expect("a page")) {
            if cfg!(not(unix)) && words.iter().any(|word| word.starts_with("experiments/")) {
                continue;
            }
            let run = sim(folder.path()).args(small(&words)).output().expect("sim starts");
            assert!(run.status.success(), "{}: {}\n{}", page.display(), words.join(" "), text(&run.stderr));
            ran += 1;
        }
    }
    assert!(ran >= 20, "{ran} commands");
}
