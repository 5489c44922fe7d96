//! `rankduel` without any data set, and how studies are tabulated and drawn.

use std::fs;
use std::path::Path;

use crate::common::{TINY, sim, text};
use tempfile::TempDir;

/// A file of the published results of `rankduel` without any flag.
fn published(file: &str) -> String {
    results("first-run", file)
}

fn results(folder: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results").join(folder).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The standard output and standard error of a call.
fn said(folder: &Path, arguments: &[&str]) -> (String, String) {
    let run = sim(folder).args(arguments).output().expect("sim starts");
    assert!(run.status.success(), "{arguments:?}: {}", text(&run.stderr));
    (text(&run.stdout), text(&run.stderr))
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

fn config(folder: &Path, results: &str) -> serde_json::Value {
    json(&fs::read_to_string(folder.join(results).join("config.json")).expect("a configuration"))
}

#[test]
fn the_default_run_is_the_published_one() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    // A longer run continues a shorter one, so the first steps show whether the published run is today's default.
    let (_, said) = said(here, &["--steps", "1e3", "--out", "short"]);
    let announced = said.lines().filter(|line| line.starts_with("estimating the ground truth (first run")).count();
    assert_eq!(announced, 1, "{said}");
    let (short, long) = (config(here, "short"), json(&published("config.json")));
    for key in ["runs", "algorithms", "site", "truth", "truth_effort", "seed"] {
        assert_eq!(short[key], long[key], "{key}");
    }
    assert_eq!((&long["steps"], &long["runs"]), (&200_000.into(), &10.into()));
    assert_eq!(long["site"]["rankers"].as_array().map(Vec::len), Some(16));
    assert_eq!(long["algorithms"].as_array().map(Vec::len), Some(7));
    let curves = published("curves.csv");
    let short = fs::read_to_string(here.join("short/curves.csv")).expect("curves");
    assert!(short.lines().count() > 7 * 25, "{short}");
    for line in short.lines() {
        assert!(curves.lines().any(|other| other == line), "not in the published run: {line}");
    }
    assert!(published("regret.svg").contains("standard error of the mean"));
}

#[test]
fn most_algorithms_find_the_winner_in_the_published_run() {
    let summary = json(&published("summary.json"));
    let found = |share: f64| {
        let all = summary.as_array().expect("algorithms").iter();
        all.filter(|one| one["share_recommending_best"].as_f64() == Some(share)).count()
    };
    assert_eq!((found(1.0), found(0.0)), (5, 1), "mdb is wrong, and mergerucb in some runs");
    let regret = |name: &str| {
        let one = summary
            .as_array()
            .expect("algorithms")
            .iter()
            .find(|one| one["algorithm"].as_str().is_some_and(|full| full.split(':').next() == Some(name)));
        one.expect(name)["regret"]["mean"].as_f64().expect("a mean")
    };
    // To three digits.
    for (name, expected) in [
        ("random", 18_400.0),
        ("rucb", 4_450.0),
        ("mergerucb", 5_310.0),
        ("rmed1", 1_460.0),
        ("dts", 643.0),
        ("self-sparring", 618.0),
    ] {
        assert!((regret(name) / expected - 1.0).abs() < 5e-3, "{name}: {}", regret(name));
    }
}

#[test]
fn flags_win_and_a_named_data_set_uses_all_rankers() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    said(here, &["--dataset", TINY, "--steps", "200", "--truth-effort", "0.01", "--out", "named"]);
    let named = config(here, "named");
    assert_eq!(named["site"]["rankers"].as_array().map(Vec::len), Some(136));
    assert_eq!((&named["runs"], named["algorithms"].as_array().map(Vec::len)), (&5.into(), Some(5)));
    let flags = ["--rankers", "106,49", "--runs", "2", "--steps", "300", "--algorithms", "rucb", "--out", "flags"];
    said(here, &flags);
    let given = config(here, "flags");
    assert_eq!(given["site"]["rankers"], serde_json::json!([106, 49]));
    assert_eq!((&given["runs"], &given["steps"]), (&2.into(), &300.into()));
    assert_eq!(given["algorithms"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_real_matrix_agrees_but_for_the_algorithm_that_multileaves() {
    // The same rankers: arm i of the published matrix is feature i + 1.
    let (lookalike, real) = (json(&published("config.json")), json(&results("first-run-real", "config.json")));
    let numbers = |list: &serde_json::Value| -> Vec<u64> {
        list.as_array().expect("a list").iter().filter_map(serde_json::Value::as_u64).collect()
    };
    let arms: Vec<u64> = numbers(&real["environment"]["arms_in_matrix"]).iter().map(|arm| arm + 1).collect();
    assert_eq!(numbers(&lookalike["site"]["rankers"]), arms);
    for key in ["steps", "runs", "algorithms", "seed"] {
        assert_eq!(lookalike[key], real[key], "{key}");
    }
    let [one, other] = [published("summary.json"), results("first-run-real", "summary.json")].map(|text| json(&text));
    for (one, other) in one.as_array().expect("a list").iter().zip(other.as_array().expect("a list")) {
        let regret = |of: &serde_json::Value| of["regret"]["mean"].as_f64().expect("a mean");
        let share = |of: &serde_json::Value| of["share_recommending_best"].as_f64().expect("a share");
        if one["algorithm"].as_str().is_some_and(|name| name.starts_with("mdb")) {
            assert_eq!((share(one), share(other)), (0.0, 1.0));
            assert!(regret(one) > 5.0 * regret(other));
        } else {
            assert!((regret(one) / regret(other) - 1.0).abs() < 0.2, "{one}");
        }
    }
}

const PROBLEM: [&str; 4] = ["bandit", "--problem", "1good5poor", "--quiet"];

#[test]
fn tables_are_narrow_and_without_speeds() {
    let folder = TempDir::new().expect("a temporary folder");
    let print = |more: &[&str]| said(folder.path(), &[&PROBLEM[..], more].concat()).0;
    let table = print(&["--steps", "2e4", "--out", "r"]);
    let rows: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("algorithm")).take(7).collect();
    assert!(rows.iter().all(|row| row.chars().count() <= 60), "{table}");
    assert!(rows[0].contains("± s.e.") && !table.contains("steps/s"), "{table}");
    assert_eq!(table.lines().filter(|line| line.contains('─')).count(), 1, "one rule: {table}");
    assert!(print(&["--steps", "2e4", "--timings", "--out", "t"]).contains("steps/s"));
}

#[test]
fn spreads_are_standard_errors_and_the_runs_where_they_are_few() {
    let folder = TempDir::new().expect("a temporary folder");
    let print = |out: &str, more: &[&str]| {
        let usual = [&PROBLEM[..], &["--steps", "1000", "--algorithms", "rucb", "--out", out]].concat();
        let table = said(folder.path(), &[&usual[..], more].concat()).0;
        (table, fs::read_to_string(folder.path().join(out).join("regret.svg")).expect("a figure"))
    };
    let (table, figure) = print("five", &[]);
    assert!(table.contains("± s.e.") && figure.contains("bands: one standard error of the mean"), "{table}");
    let (table, figure) = print("sd", &["--spread", "sd"]);
    assert!(table.contains("± sd") && figure.contains("bands: one standard deviation of a run"), "{table}");
    let (table, figure) = print("three", &["--runs", "3"]);
    assert!(table.contains("min to max") && figure.contains("from the smallest to the largest run"), "{table}");
    let (table, figure) = print("one", &["--runs", "1"]);
    assert!(!table.contains("min to max") && figure.contains("a single run"), "{table}");
}

#[test]
fn settled_runs_are_named_with_their_step() {
    let folder = TempDir::new().expect("a temporary folder");
    let usual = ["--steps", "5e6", "--runs", "2", "--algorithms", "btm,random", "--out", "r"];
    let (printed, _) = said(folder.path(), &[&PROBLEM[..], &usual].concat());
    let line = printed.lines().find(|line| line.starts_with("settled on one arm: ")).expect("it settles");
    assert!(line.contains("btm at step ") && line.ends_with("are counted, not simulated"), "{line}");
    assert!(!line.contains("random"), "{line}");
}

#[test]
fn notes_are_said_once_and_not_to_those_who_chose() {
    let folder = TempDir::new().expect("a temporary folder");
    let usual = ["--steps", "100", "--runs", "1", "--truth-effort", "0.01", "--algorithms", "random"];
    let notes = |more: &[&str]| {
        let (_, said) = said(folder.path(), &[&usual[..], more].concat());
        said.lines().filter(|line| line.starts_with("note: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let found = notes(&["--out", "a"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("tied; --credit-ties redrawn (the default, as in the published matrices)"), "{found:?}");
    assert!(notes(&["--credit-ties", "redrawn", "--out", "b"]).is_empty());
    assert!(notes(&["--credit-ties", "same", "--out", "c"]).is_empty());
}

#[test]
fn efforts_of_the_truth_are_kept_apart_whatever_the_steps() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let play = |more: &[&str]| {
        let usual = ["--rankers", "106,49,6", "--runs", "1", "--algorithms", "random"];
        said(here, &[&usual[..], more].concat()).1.contains("estimating the ground truth")
    };
    assert!(play(&["--steps", "100", "--out", "a"]));
    assert!(!play(&["--steps", "200", "--out", "b"]), "kept, whatever the steps");
    assert!(play(&["--steps", "100", "--truth-effort", "0.1", "--out", "c"]), "another effort");
    assert!(!play(&["--steps", "100", "--truth-effort", "1", "--out", "d"]), "the default, by its name");
    let fine = |out: &str| config(here, out)["truth_effort"]["fine"].as_u64();
    assert_eq!((fine("a"), fine("c"), fine("d")), (Some(200_000), Some(20_000), Some(200_000)));
    assert_eq!(config(here, "a")["truth"], config(here, "b")["truth"]);
    for wrong in ["0", "-1", "1e9", "some"] {
        let run = sim(here).arg(format!("--truth-effort={wrong}")).output().expect("sim starts");
        assert_eq!(run.status.code(), Some(2), "{wrong}");
        assert_eq!(text(&run.stderr).lines().count(), 1, "{wrong}");
    }
}

#[test]
fn an_algorithm_that_multileaving_misleads_is_explained() {
    // In the published run MDB finds the winner by pairs in no run; the terminal gives a possible reason.
    let folder = TempDir::new().expect("a temporary folder");
    let (printed, _) = said(folder.path(), &["--steps", "2e5", "--runs", "2", "--algorithms", "mdb", "--quiet"]);
    let line =
        printed.lines().find(|line| line.starts_with("mdb in 2 of 2 runs ended with another ranker than the winner"));
    let line = line.unwrap_or_else(|| panic!("no explanation in {printed}"));
    assert!(line.contains("sosm multileaving") && line.contains("`rankduel distortion`"), "{line}");
    // There is no such note where it finds the winner.
    let (printed, _) = said(folder.path(), &[&PROBLEM[..], &["--steps", "2e4", "--algorithms", "mdb"]].concat());
    assert!(!printed.contains("another ranker"), "{printed}");
}

#[test]
fn what_the_examples_of_the_readme_write_is_not_tracked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| fs::read_to_string(root.join(name)).expect("a file");
    let (ignored, readme) = (read(".gitignore"), read("README.md"));
    // The default folders of the commands in the README.
    for kind in ["live-", "bandit-", "explore-", "analyse-", "inspect-", "sensitivity-", "compare-mslr-lookalike-"] {
        assert!(ignored.lines().any(|line| line == format!("/results/{kind}*")), "{kind}");
        assert!(!readme.contains(&format!("](results/{kind}")), "the README links to what is not tracked");
    }
    for written in ["my-runs", "logs", "credited", "prompts.jsonl", "wins.csv", "mine.toml", "results/mine"] {
        assert!(readme.contains(written) && ignored.lines().any(|line| line == format!("/{written}")), "{written}");
    }
    assert!(ignored.lines().any(|line| line == "/[PS].*") && ignored.lines().any(|line| line == "/bench.csv"));
    assert!(readme.contains("](docs/pages/images/regret.svg)"));
}

/// The README and the home page show the figure of this command.
#[test]
fn the_picture_of_the_readme_is_drawn_from_the_published_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = TempDir::new().expect("a temporary folder");
    let results = root.join("results/first-run").display().to_string();
    let drawn =
        ["draw", &results, "--axes", "linear", "--format", "svg", "--adaptive", "--no-title", "--legend", "direct"];
    let size = ["--width", "7in", "--height", "3in", "--font", "9pt", "--out", "regret.svg"];
    said(folder.path(), &[&drawn[..], &size].concat());
    let read = |path: &Path| fs::read(path).expect("a figure");
    assert!(read(&folder.path().join("regret.svg")) == read(&root.join("docs/pages/images/regret.svg")));
}
