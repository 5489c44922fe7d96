//! The provenance of data goes with them: a matrix of a look-alike is labelled wherever it is read, and a data set is named in the same way
//! everywhere.

use std::fs;
use std::path::Path;

use crate::common::{TINY, sim, text};
use serde_json::Value;
use tempfile::TempDir;

/// Standard output and standard error of a successful command.
fn said(folder: &Path, args: &[&str]) -> (String, String) {
    let run = sim(folder).args(args).output().expect("sim starts");
    assert!(run.status.success(), "{args:?}: {}", text(&run.stderr));
    (text(&run.stdout), text(&run.stderr))
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

/// A folder with `P.npy` of six rankers of a look-alike, 500 comparisons per pair.
fn folder_with_matrix() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let site = ["proxy", "--dataset", "mslr-lookalike:0.01", "--rankers", "6", "--impressions-per-pair", "500"];
    said(folder.path(), &[&site[..], &["--quiet", "--out", "P.npy"]].concat());
    folder
}

const BANDIT: [&str; 7] = ["bandit", "--steps", "1e3", "--runs", "1", "--algorithms", "rucb"];

#[test]
fn a_matrix_of_synthetic_data_says_so_everywhere() {
    let folder = folder_with_matrix();
    let here = folder.path();
    let svg = |path: &str| fs::read_to_string(here.join(path)).expect("a figure");
    let synthetic = "P.npy was estimated on mslr-lookalike:0.01, which is generated";

    let (printed, _) = said(here, &[&BANDIT[..], &["--matrix", "P.npy", "--out", "b"]].concat());
    assert!(printed.contains(synthetic), "{printed}");
    assert_eq!(json(&here.join("b/summary.json"))[0]["synthetic"], true);
    assert_eq!(json(&here.join("b/config.json"))["environment"]["estimated_from"]["dataset"], "mslr-lookalike:0.01");
    assert!(svg("b/regret.svg").contains("synthetic data"));
    // Its winner is a coin toss, as `proxy` noted; so it is among four of its arms.
    assert!(json(&here.join("P.json"))["winner_z"].as_f64().is_some_and(|z| z < 3.0));
    assert!(printed.contains("WINNER NOT RESOLVED (z = "), "{printed}");
    let (printed, _) = said(here, &[&BANDIT[..], &["--matrix", "P.npy", "--arms", "2,5", "--out", "s"]].concat());
    assert!(printed.contains("the winner may not be resolved (standard errors up to"), "{printed}");

    let explore = ["--matrix", "P.npy", "--out", "e", "--setting", "explore-then-exploit"];
    let (printed, _) = said(here, &[&BANDIT[..], &explore].concat());
    assert!(printed.contains(synthetic), "{printed}");
    assert_eq!(json(&here.join("e/summary.json"))[0]["synthetic"], true);

    let (printed, _) = said(here, &["analyse", "--matrix", "P.npy", "--out", "a"]);
    assert!(printed.contains(synthetic), "{printed}");
    assert_eq!(json(&here.join("a/findings.json"))["synthetic"], true);
    for figure in ["matrix", "subsets", "bounds"] {
        assert!(svg(&format!("a/{figure}.svg")).contains("synthetic data"), "{figure}");
    }
    // The page notes that the winner is not known.
    said(here, &["report", "a", "--out", "page.html"]);
    let page = fs::read_to_string(here.join("page.html")).expect("a page");
    assert!(page.contains(" others, but not known to beat ") && !page.contains("it beats every other"), "{page}");
    // A matrix of unknown origin carries neither note.
    fs::copy(here.join("P.npy"), here.join("alone.npy")).expect("a copy");
    let (printed, _) = said(here, &[&BANDIT[..], &["--matrix", "alone.npy", "--out", "n"]].concat());
    assert!(!printed.contains("synthetic") && !printed.contains("RESOLVED"), "{printed}");
    assert_eq!(json(&here.join("n/summary.json"))[0]["synthetic"], Value::Null);
}

#[test]
fn the_description_beside_a_matrix_knows_the_comparisons() {
    let folder = folder_with_matrix();
    let here = folder.path();
    let significant = |args: &[&str]| {
        let (printed, _) = said(here, &[&["analyse", "--out", "a", "--replace", "--matrix"], args].concat());
        let line = printed.lines().find(|line| line.starts_with("  significant")).expect("a line");
        (line.to_owned(), json(&here.join("a/findings.json"))["significant"]["comparisons"].clone())
    };
    let (line, count) = significant(&["P.npy"]);
    assert!(line.contains("from 500 comparisons per pair (known from P.json)") && count == 500, "{line}");
    let (line, count) = significant(&["P.txt", "--comparisons", "1000"]);
    assert!(line.contains("from 1,000 comparisons per pair") && !line.contains("P.json") && count == 1000, "{line}");
    fs::copy(here.join("P.npy"), here.join("alone.npy")).expect("a copy");
    assert!(significant(&["alone.npy"]).0.contains("unknown; give the number of --comparisons"));
}

#[test]
fn the_description_of_another_matrix_is_ignored_aloud() {
    let folder = folder_with_matrix();
    let here = folder.path();
    fs::copy(here.join("P.json"), here.join("Q.json")).expect("a copy");
    fs::write(here.join("Q.txt"), "0.5 0.7\n0.3 0.5\n").expect("a writable folder");
    for command in [&["analyse"][..], &BANDIT] {
        let (printed, remarks) = said(here, &[command, &["--matrix", "Q.txt", "--out", command[0]]].concat());
        assert!(remarks.contains("note: Q.json describes another matrix than Q.txt"), "{remarks}");
        assert!(!printed.contains("synthetic") && !printed.contains("feature "), "{printed}");
    }
}

/// Every way of losing the word "synthetic" leaves a line, even where there are no other notes.
#[test]
fn a_description_that_was_changed_is_remarked_on_everywhere() {
    let folder = folder_with_matrix();
    let here = folder.path();
    let whole = fs::read_to_string(here.join("P.json")).expect("a file");
    assert!(whole.contains("\"seal\""), "{whole}");
    let unsealed = {
        let (before, _) = whole.split_once(",\n  \"seal\"").expect("a seal at the end");
        format!("{before}\n}}\n")
    };
    let analyse = ["analyse", "--samples", "10"];
    for (number, (text, why)) in [
        ("{}".to_owned(), "is not what `rankduel proxy` writes"),
        (whole[..whole.len() / 2].to_owned(), "cannot be read"),
        (whole.replace("\"synthetic\": true", "\"synthetic\": false"), "was changed"),
        (unsealed, "has no seal"),
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(here.join("P.json"), text).expect("a writable folder");
        let note = format!("the origin of P.npy is not certain: P.json {why}");
        for command in [&analyse[..], &BANDIT] {
            let out = format!("{}-{number}", command[0]);
            let (printed, remarks) = said(here, &[command, &["--matrix", "P.npy", "--out", &out]].concat());
            assert!(printed.contains(&note), "{why}: {printed}");
            let remark: Vec<&str> = remarks.lines().filter(|line| line.contains("P.json")).collect();
            assert!(
                remark.len() == 1 && remark[0].starts_with("note: P.json ") && remark[0].contains(why),
                "{remarks}"
            );
            let quiet = format!("{out}-quiet");
            let (printed, _) = said(here, &[command, &["--quiet", "--matrix", "P.npy", "--out", &quiet]].concat());
            assert!(printed.contains(&note), "{why}: {printed}");
        }
        assert_eq!(json(&here.join(format!("bandit-{number}/summary.json")))[0]["synthetic"], Value::Null);
        assert_eq!(json(&here.join(format!("analyse-{number}/findings.json"))).get("synthetic"), None);
    }
    // Names alone may be written by hand, but not instead of the file of `rankduel proxy`.
    let names = r#"{"names": ["a", "b", "c", "d", "e", "f"]}"#;
    fs::write(here.join("P.json"), names).expect("a writable folder");
    let (printed, remarks) = said(here, &[&analyse[..], &["--matrix", "P.npy", "--out", "instead"]].concat());
    assert!(
        remarks.contains("P.json only names the arms of P.npy, which `rankduel proxy` wrote")
            && printed.contains("the origin of P.npy is not certain: P.json only names its arms"),
        "{remarks}"
    );
    fs::copy(here.join("P.npy"), here.join("own.npy")).expect("a writable folder");
    fs::write(here.join("own.json"), names).expect("a writable folder");
    let (printed, remarks) = said(here, &[&analyse[..], &["--matrix", "own.npy", "--out", "by-hand"]].concat());
    assert!(remarks.contains("own.json only names the arms of own.npy") && !printed.contains("origin"), "{remarks}");
    assert_eq!(json(&here.join("by-hand/config.json"))["names"][1], "b");
    // The description is gone, and the state is there; the same command writes it again.
    fs::remove_file(here.join("P.json")).expect("a file");
    let (_, remarks) = said(here, &[&analyse[..], &["--matrix", "P.npy", "--out", "gone"]].concat());
    assert!(remarks.contains("P.json is missing"), "{remarks}");
    let site = ["proxy", "--dataset", "mslr-lookalike:0.01", "--rankers", "6", "--impressions-per-pair", "500"];
    said(here, &[&site[..], &["--quiet", "--out", "P.npy"]].concat());
    assert_eq!(fs::read_to_string(here.join("P.json")).expect("a file"), whole);
}

#[test]
fn experiments_refuse_a_matrix_whose_description_was_changed() {
    let folder = folder_with_matrix();
    let here = folder.path();
    let whole = fs::read_to_string(here.join("P.json")).expect("a file");
    fs::write(here.join("P.json"), whole.replace("true", "false")).expect("a writable folder");
    let file = "title = \"t\"\npaper = \"rcs\"\nfigure = \"Figure 0\"\nkind = \"regret\"\nalgorithms = [\"random\"]\n\
                steps = \"100\"\nruns = 2\n[[setting]]\nname = \"s\"\nplay = \"proxy\"\nmatrix = \"P.npy\"\n";
    fs::write(here.join("e.toml"), file).expect("a file");
    let run = sim(here).args(["experiment", "e.toml", "--quiet"]).output().expect("sim starts");
    let error = text(&run.stderr);
    assert!(!run.status.success() && error.contains("P.json was changed since it was written"), "{error}");
}

#[test]
fn a_live_summary_says_whether_the_data_are_synthetic() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("own.txt"), "1 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:3\n2 qid:1 1:0.7 2:2\n").expect("a file");
    let play = ["--steps", "10", "--runs", "1", "--algorithms", "random", "--quiet", "--out"];
    for (data, synthetic) in [("own.txt", false), (TINY, true)] {
        let out = format!("of-{data}");
        said(here, &[&play[..], &[&out, "--dataset", data, "--rankers", "1,2"]].concat());
        assert_eq!(json(&here.join(&out).join("summary.json"))[0]["synthetic"], synthetic, "{data}");
    }
}

#[test]
fn inspect_takes_the_flag_of_the_other_commands() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    fs::create_dir(here.join("data")).expect("a folder");
    fs::write(here.join("data/a.txt"), "1 qid:1 1:0.5\n0 qid:1 1:0.1\n").expect("a file");
    fs::write(here.join("data/b.txt"), "1 qid:2 1:0.5\n").expect("a file");
    for (data, count) in [("data", 2), ("data/a.txt,data/b.txt", 2), ("data/a.txt", 1)] {
        let (by_name, _) = said(here, &["inspect", data, "--json", "--quiet", "--out", "r", "--replace"]);
        let (by_flag, _) = said(here, &["inspect", "--dataset", data, "--json", "--quiet", "--out", "r"]);
        assert_eq!(by_name, by_flag);
        assert_eq!(serde_json::from_str::<Value>(&by_flag).expect("JSON")["queries"], count, "{data}");
    }
    let run = sim(here).args(["inspect", "data", "--dataset", "data"]).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(2));
    assert_eq!(sim(here).arg("inspect").output().expect("sim starts").status.code(), Some(2));
}

#[test]
fn experiments_name_data_as_the_flag_does() {
    let folder = folder_with_matrix();
    let here = folder.path();
    fs::write(here.join("a.txt"), "1 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:3\n").expect("a file");
    fs::write(here.join("b.txt"), "1 qid:2 1:0.5 2:4\n0 qid:2 1:0.7 2:3\n").expect("a file");
    let source = |setting: &str| {
        let file = format!(
            "title = \"t\"\npaper = \"rcs\"\nfigure = \"Figure 0\"\nkind = \"regret\"\nalgorithms = [\"random\"]\n\
             steps = \"100\"\nruns = 2\n[[setting]]\nname = \"s\"\n{setting}\n"
        );
        fs::write(here.join("e.toml"), file).expect("a file");
        said(here, &["experiment", "e.toml", "--quiet"]);
        let summary = json(&here.join("results/e/summary.json"));
        let title = summary["title"].as_str().expect("a title").to_owned();
        (summary["settings"][0].clone(), title)
    };
    let (live, title) = source("play = \"live\"\ndataset = \"mq2008-lookalike:0.05\"\nrankers = \"1,2,3\"");
    assert_eq!(live["source"]["lookalike"], true, "{live}");
    assert!(title.contains("look-alike data"), "{title}");
    // A matrix that was estimated on a look-alike is not a real one.
    let (proxy, title) = source("play = \"proxy\"\nmatrix = \"P.npy\"");
    assert_eq!(proxy["source"]["lookalike"], true, "{proxy}");
    assert!(title.contains("look-alike data"), "{title}");
    assert!(proxy["about"].as_str().is_some_and(|about| about.contains("estimated on synthetic data")), "{proxy}");
    // Last: results on real data are not replaced by results of a look-alike.
    let (files, title) = source("play = \"live\"\ndataset = \"a.txt,b.txt\"\nclick = \"perfect\"");
    assert!(files["source"]["lookalike"] == false && !title.contains("look-alike"), "{files}");
    assert!(files["about"].as_str().is_some_and(|about| about.contains("2 queries")), "{files}");
}
