//! Evidence from comparisons: `rankduel power`, runs that end by evidence, `rankduel significance`.

use std::fs;
use std::path::Path;

use crate::common::{TINY, files, sim, text};
use serde_json::Value;
use tempfile::TempDir;

fn out(folder: &Path, arguments: &[&str]) -> String {
    let run = sim(folder).args(arguments).output().expect("sim starts");
    assert!(run.status.success(), "{arguments:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&out(folder, arguments)).expect("JSON")
}

/// The exit code and the line of an error.
fn refused(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let run = sim(folder).args(arguments).output().expect("sim starts");
    assert_eq!(text(&run.stderr).lines().filter(|line| line.starts_with("error: ")).count(), 1, "{arguments:?}");
    (run.status.code(), text(&run.stderr))
}

/// The impressions of a test at each power, and on average.
fn impressions(case: &Value, test: &str) -> Vec<f64> {
    let tests = case["tests"].as_array().expect("tests");
    let found = tests.iter().find(|entry| entry["test"] == test).unwrap_or_else(|| panic!("{test}: {case}"));
    let by_power = found["by_power"].as_array().expect("a list").iter().map(|at| &at["impressions"]);
    by_power.chain(found.get("mean_impressions")).map(|value| value.as_f64().expect("a number")).collect()
}

#[test]
fn predicted_impressions_are_those_of_simulated_tests_for_five_margins() {
    let folder = TempDir::new().expect("a temporary folder");
    let margins = "0.01,0.02,0.03,0.05,0.1";
    let found = json(folder.path(), &["power", "--margin", margins, "--simulate", "2000", "--json"]);
    let cases = found["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 5);
    for case in cases {
        let (predicted, played) = (impressions(case, "anytime"), impressions(case, "simulated"));
        assert_eq!((predicted.len(), played.len()), (4, 4), "50%, 80%, 90% and the mean");
        for (predicted, played) in predicted.iter().zip(&played) {
            assert!((predicted / played - 1.0).abs() < 0.1, "{}: {predicted}, {played}", case["margin"]);
        }
        // The level of 5% bounds decisions for either side where there is no difference.
        assert!(case["simulated"]["wrong"].as_u64().is_some_and(|wrong| wrong < 50), "{case}");
    }
    // The textbook number at 80%, of the margin 0.01.
    assert!((impressions(&cases[0], "fixed-sample")[1] - 19_622.2).abs() < 0.1);
}

#[test]
fn ties_and_days_scale_the_numbers() {
    let folder = TempDir::new().expect("a temporary folder");
    let with = |more: &[&str]| json(folder.path(), &[&["power", "--json"][..], more].concat());
    // A margin of 0.02 with 60% ties is a share of 0.55 of the decided.
    let tied = with(&["--margin", "0.02", "--tied", "0.6", "--impressions-per-day", "1000", "--power", "0.95"]);
    let plain = with(&["--margin", "0.05"]);
    let (a, b) = (&tied["cases"][0], &plain["cases"][0]);
    assert!((a["share_of_decided"].as_f64().expect("a share") - 0.55).abs() < 1e-12);
    assert!((impressions(a, "fixed-sample")[1] / impressions(b, "fixed-sample")[1] - 2.5).abs() < 1e-9);
    let (a_median, b_median) = (impressions(a, "anytime")[0], impressions(b, "anytime")[0]);
    assert!((a_median / b_median - 2.5).abs() < 0.02, "{a_median} {b_median}");
    let at = &a["tests"][0]["by_power"][3];
    assert_eq!(at["power"], 0.95);
    let (days, impressions) = (at["days"].as_f64().expect("days"), at["impressions"].as_f64().expect("a number"));
    assert!((days * 1_000.0 - impressions).abs() < 1e-6);
    assert!(out(folder.path(), &["power", "--margin", "0.02", "--impressions-per-day", "1e4"]).contains("days, 80%"));
}

#[test]
fn power_with_a_horizon_has_the_tests_that_must_know_it() {
    let folder = TempDir::new().expect("a temporary folder");
    let arguments = ["power", "--margin", "0.02", "--tied", "0.6", "--horizon", "15000", "--out", "with"];
    let text = out(folder.path(), &arguments);
    assert!(text.contains("MaxSPRT, to the horizon") && text.contains("says nothing after that"), "{text}");
    let found = json(folder.path(), &["power", "--json", "--margin", "0.02", "--tied", "0.6", "--horizon", "15000"]);
    let tests = found["cases"][0]["tests"].as_array().expect("a list");
    let names: Vec<_> = tests.iter().map(|test| test["test"].as_str().expect("a name")).collect();
    assert_eq!(names, ["anytime", "max-sprt", "yeast", "fixed-sample"]);
    // At 80%. With three times the impressions of a single look, YEAST's one bound is far away early on.
    let impressions = |test: &Value| test["by_power"][1]["impressions"].as_f64().expect("a number");
    let impressions: Vec<f64> = tests.iter().map(impressions).collect();
    assert!(impressions[3] < impressions[0] && impressions[0] < impressions[2], "{impressions:?}");
    assert!((impressions[1] / impressions[0] - 1.0).abs() < 0.1, "{impressions:?}");
    assert!(folder.path().join("with/power.svg").exists());
    let (code, line) = refused(folder.path(), &["power", "--margin", "0.0001", "--tied", "0.99", "--horizon", "10"]);
    assert!(code == Some(2) && line.contains("--horizon 10: expected enough impressions"), "{line}");
}

const PAIR: [&str; 8] = ["power", "--dataset", TINY, "--first", "106", "--second", "49", "--quiet"];

#[test]
fn power_from_data_names_the_better_ranker_and_repeats_its_bytes() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let arguments = |more: &[&'static str]| [&PAIR[..], &["--impressions", "2e5"], more].concat();
    let found = json(here, &arguments(&["--simulate", "200", "--json", "--threads", "1", "--out", "one"]));
    let case = &found["cases"][0];
    assert_eq!((&found["pair"]["better"]["feature"], &found["synthetic"]), (&106.into(), &true.into()));
    assert_eq!(found["pair"]["resolved"], true);
    // The margin has a standard error of 3%, its square twice as much, and quantiles of 200 tests have about 7%.
    let (predicted, played) = (impressions(case, "anytime"), impressions(case, "simulated"));
    for (predicted, played) in predicted.iter().zip(&played) {
        assert!((predicted / played - 1.0).abs() < 0.3, "{predicted}, {played}");
    }
    assert!(impressions(case, "ab-test")[1] > impressions(case, "fixed-sample")[1], "{case}");
    assert_eq!(found, json(here, &arguments(&["--simulate", "200", "--json", "--threads", "3", "--out", "two"])));
    assert_eq!(files(&here.join("one")), files(&here.join("two")));
    let names: Vec<String> = files(&here.join("one")).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["config.json", "power.csv", "power.png", "power.svg", "summary.json"]);
    // The order of the flags does not matter: the better one comes first.
    let swapped =
        ["power", "--dataset", TINY, "--first", "49", "--second", "feature 106", "--quiet", "--impressions", "2e5"];
    let printed = out(here, &swapped);
    assert!(
        printed.starts_with("feature 106 (arm 105) against feature 49 (arm 48): probabilistic interleaving"),
        "{printed}"
    );
    assert!(printed.contains("synthetic data"), "{printed}");
    let margin = case["margin"].as_f64().expect("a margin");
    assert!(printed.contains(&format!("margin {margin:.3} ±")), "{margin}: {printed}");
    // The same folder takes no other question.
    let (code, line) = refused(here, &arguments(&["--power", "0.9", "--out", "one"]));
    assert!(code == Some(2) && line.contains("holds other results of `power`"), "{line}");
}

#[test]
fn power_refuses_what_has_no_answer() {
    let folder = TempDir::new().expect("a temporary folder");
    for (arguments, expected) in [
        (&["--margin", "0"][..], "expected a margin from 0.00001 to below 0.5"),
        (&["--margin", "0.3", "--tied", "0.5"], "--margin 0.3: expected less than 0.25"),
        (&["--margin", "0.02", "--dataset", TINY], "cannot be used with"),
        (&["--tied", "0.5"], "--margin"),
        (&["--margin", "0.02", "--tied", "1"], "expected a share from 0 to below 1"),
        (&["--margin", "0.02", "--power", "0.04"], "--power 0.04: expected a confidence of at least 0.5"),
        (&["--first", "1"], "--second"),
        (&["--dataset", TINY, "--first", "nobody", "--second", "2"], "--first nobody: no ranker has that name"),
        (&["--dataset", TINY, "--first", "2", "--second", "2"], "are the same ranker"),
        (&["--multileave", "sosm"], "--multileave does not apply to power"),
    ] {
        let (code, line) = refused(folder.path(), &[&["power"], arguments].concat());
        assert!(code == Some(2) && line.contains(expected), "{arguments:?}: {code:?} {line}");
    }
}

const STUDY: [&str; 8] =
    ["bandit", "--problem", "btl:k=5:ratio=0.7", "--algorithms", "rucb,dts,random", "--steps", "2e4", "--quiet"];

fn study(more: &[&'static str]) -> Vec<&'static str> {
    [&STUDY[..], more].concat()
}

fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn runs_that_stop_begin_like_those_that_do_not() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    out(here, &study(&["--runs", "3", "--out", "plain"]));
    let seen = out(here, &study(&["--runs", "3", "--out", "seen", "--evidence", "0.95"]));
    let stopped = out(here, &study(&["--runs", "3", "--out", "stopped", "--stop-when", "0.95"]));
    assert!(seen.contains("at 95% confidence at any time") && !seen.contains("a run ends there"), "{seen}");
    assert!(stopped.contains("a run ends there"), "{stopped}");
    let config = |name: &str| fs::read_to_string(here.join(name).join("config.json")).expect("a configuration");
    assert!(!config("plain").contains("evidence") && config("stopped").contains("\"stops\": true"));
    // Evidence adds columns and changes no number.
    for file in ["curves.csv", "runs.csv"] {
        let (plain, seen) = (rows(&here.join("plain").join(file)), rows(&here.join("seen").join(file)));
        for (plain, seen) in plain.iter().zip(&seen) {
            // The label comes last in both.
            let (numbers, label) = plain.split_at(plain.len() - 1);
            assert_eq!((numbers, label.last()), (&seen[..numbers.len()], seen.last()), "{file}");
            assert!(seen.len() > plain.len());
        }
    }
    // Until the first run stops, the curves are the same.
    let (seen, stopped) = (rows(&here.join("seen/curves.csv")), rows(&here.join("stopped/curves.csv")));
    let share = seen[0].iter().position(|name| name == "share_stated").expect("a column");
    assert_eq!(stopped[0], seen[0]);
    let mut same = 0;
    for (seen, stopped) in seen.iter().zip(&stopped).skip(1) {
        assert_eq!(seen[share], stopped[share], "looking and stopping state the same");
        if seen[share] == "0" {
            assert_eq!(seen, stopped);
            same += 1;
        }
    }
    assert!(same > 20 && stopped.iter().any(|row| row[share] == "1"), "{same}");
    // All that is stated is right here, and `summary.json` agrees with `runs.csv`.
    let runs = rows(&here.join("stopped/runs.csv"));
    let column = |name: &str| runs[0].iter().position(|found| found == name).unwrap_or_else(|| panic!("{name}"));
    let (at, best) = (column("stated_at"), column("stated_is_best"));
    let stated = runs[1..].iter().filter(|row| !row[at].is_empty()).count();
    assert!(stated >= 4 && runs[1..].iter().all(|row| row[best] != "false"), "{runs:?}");
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(here.join("stopped/summary.json")).expect("a summary")).expect("JSON");
    let counted: u64 = summary
        .as_array()
        .expect("algorithms")
        .iter()
        .flat_map(|one| one["evidence"]["stated"].as_array().expect("arms").iter())
        .map(|arm| arm["runs"].as_u64().expect("runs"))
        .sum();
    assert_eq!(counted, stated as u64);
}

#[test]
fn studies_with_evidence_are_kept_extended_and_apart() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let rule = ["--stop-when", "0.9", "--tolerance", "0.02", "--give-up"];
    let with = |runs: &'static str, out: &'static str| study(&[&rule[..], &["--runs", runs, "--out", out]].concat());
    out(here, &with("2", "grown"));
    out(here, &with("4", "grown"));
    out(here, &[with("4", "fresh"), vec!["--threads", "1"]].concat());
    assert_eq!(files(&here.join("grown")), files(&here.join("fresh")));
    // Another rule is another study.
    for other in [&["--stop-when", "0.9"][..], &["--evidence", "0.9"], &[]] {
        let (code, line) = refused(here, &study(&[other, &["--runs", "2", "--out", "fresh"]].concat()));
        assert!(code == Some(2) && line.contains("its evidence"), "{other:?}: {line}");
    }
    // And the default folders differ.
    out(here, &study(&["--runs", "1", "--stop-when", "0.9"]));
    out(here, &study(&["--runs", "1"]));
    let names = fs::read_dir(here.join("results")).expect("a folder").map(|entry| entry.expect("readable").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["bandit-btl-k-5-ratio-0.7", "bandit-btl-k-5-ratio-0.7-stop-when-0.9"]);
}

#[test]
fn a_live_run_stops_by_evidence() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let live = [
        "--dataset",
        TINY,
        "--rankers",
        "106,49,1",
        "--click",
        "perfect",
        "--algorithms",
        "rucb,mdb",
        "--steps",
        "2e4",
        "--runs",
        "2",
        "--truth-effort",
        "0.1",
        "--quiet",
        "--stop-when",
        "0.95",
        "--out",
        "r",
    ];
    let printed = out(here, &[&live[..], &["--compare-algorithms"]].concat());
    assert!(printed.contains("evidence") && printed.contains("feature 106, 2/2"), "{printed}");
    assert!(printed.contains("Wilcoxon rank-sum test, 2 runs per algorithm"), "{printed}");
    assert!(printed.contains("TOO FEW RUNS"), "{printed}");
    let header = fs::read_to_string(here.join("r/runs.csv")).expect("runs");
    assert!(header.lines().next().is_some_and(|line| line.contains("stated_arm,stated_feature,stated_at")), "{header}");
}

#[test]
fn evidence_flags_are_checked() {
    let folder = TempDir::new().expect("a temporary folder");
    for (more, expected) in [
        (&["--tolerance", "0.1"][..], "add --stop-when 0.95 or --evidence 0.95"),
        (&["--stop-when", "1"], "expected a confidence between 0 and 1, such as 0.95"),
        (&["--stop-when", "0.9", "--evidence", "0.9"], "cannot be used with"),
        (&["--give-up"], "--stop-when"),
        (&["--evidence", "0.9", "--tolerance", "0.5"], "expected a share from 0 to below 0.5"),
        (&["--compare-algorithms", "--json"], "cannot be used with"),
    ] {
        let (code, line) = refused(folder.path(), &study(more));
        assert!(code == Some(2) && line.contains(expected), "{more:?}: {code:?} {line}");
    }
    let explore = ["bandit", "--problem", "arith51", "--setting", "explore-then-exploit", "--evidence", "0.9"];
    let (code, line) = refused(folder.path(), &explore);
    assert!(code == Some(2) && line.contains("do not apply to --setting explore-then-exploit"), "{line}");
}

#[test]
fn significance_counts_as_by_hand() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let mut runs = "algorithm,run,step,regret\n".to_owned();
    for run in 0..6 {
        runs += &format!("slow,{run},100,{}\nfast,{run},100,{}\n", 50 + run, run * run);
    }
    fs::write(here.join("runs.csv"), &runs).expect("a writable folder");
    let found = json(here, &["significance", ".", "--format", "json"]);
    let one = &found["comparisons"][0];
    // Complete separation: two of C(12, 6) orders are as extreme.
    assert!((one["p_value"].as_f64().expect("a number") - 2.0 / 924.0).abs() < 1e-12, "{one}");
    assert_eq!(
        (&one["better"]["algorithm"], &one["superiority"], &one["pairing"]),
        (&"fast".into(), &1.0.into(), &Value::Null)
    );
    assert!((one["difference"].as_f64().expect("a number") - (55.0 / 6.0 - 52.5)).abs() < 1e-9, "{one}");
    let print = |format: &str| out(here, &["significance", "runs.csv", "--format", format]);
    assert!(print("text").contains("0.002*") && print("markdown").starts_with("| better | other |"));
    assert!(print("latex").contains("\\toprule") && print("csv").lines().count() == 2);
    assert_eq!(print("json"), print("json"));
    // A row per algorithm, as a paper has it.
    let renamed = ["significance", ".", "--by-algorithm", "--relabel", "fast=Ours", "--format"];
    let by_algorithm = |format: &str| out(here, &[&renamed[..], &[format]].concat());
    let markdown = by_algorithm("markdown");
    let rows: Vec<&str> = markdown.lines().skip(2).take(2).collect();
    assert_eq!(rows, ["| a | Ours | **9.17 ± 3.98**<sup>b</sup> |", "| b | slow | 52.5 ± 0.764 |"]);
    assert!(
        markdown.contains("Wilcoxon rank-sum test, 6 runs per algorithm") && markdown.ends_with("Bold: the best.\n")
    );
    assert!(by_algorithm("latex").contains("a & Ours & \\textbf{9.17 $\\pm$ 3.98}\\textsuperscript{b} \\\\"));
    assert_eq!(by_algorithm("csv").lines().nth(1), Some(",100,Ours,9.166666666666666,3.978413977677258,6,slow"));
    for (arguments, expected) in [
        (&["--test", "sign"][..], "--test sign needs runs in pairs"),
        (&["--baseline", "nobody"], "--baseline nobody: there are runs of fast, slow"),
        (&["--metric", "accuracy"], "has regret only"),
        (&["--at", "7"], "--at 7: there are runs at 100"),
        (&["--standalone"], "add --format latex"),
        (&["--relabel", "quick=Ours"], "--relabel quick: there are runs of fast, slow"),
        (&["--relabel", "fast=slow"], "--relabel: two algorithms would be called slow"),
        (&["--by-algorithm", "--baseline", "fast"], "cannot be used with"),
    ] {
        let (code, line) = refused(here, &[&["significance", "."], arguments].concat());
        assert!(code == Some(2) && line.contains(expected), "{arguments:?}: {code:?} {line}");
    }
    let (code, line) = refused(here, &["significance", "nowhere"]);
    assert!(code == Some(1) && line.contains("nowhere"), "{line}");
}

#[test]
fn published_studies_can_be_compared() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let folder = TempDir::new().expect("a temporary folder");
    let found = |name: &str, more: &[&str]| {
        let path = results.join(name).display().to_string();
        json(folder.path(), &[&["significance", &path, "--format", "json"], more].concat())
    };
    let first = found("first-run", &[]);
    let comparisons = first["comparisons"].as_array().expect("a list");
    assert_eq!(comparisons.len(), 21);
    let of = |better: &str, other: &str| {
        let is = |one: &&Value| one["better"]["algorithm"] == better && one["other"]["algorithm"] == other;
        &comparisons.iter().find(is).unwrap_or_else(|| panic!("{better} {other}"))["significant"]
    };
    assert_eq!((of("rmed1", "rucb"), of("self-sparring", "dts")), (&true.into(), &false.into()));
    // Random sets of rankers, which all algorithms share.
    let sets = found("mergerucb-fig3", &[]);
    assert!(sets["comparisons"].as_array().is_some_and(|all| all.iter().all(|one| one["pairing"] == "sets")), "{sets}");
    assert_eq!(sets["comparisons"][0]["better"]["runs"], 10);
    let clicks = found("mdb-fig4", &["--baseline", "mdb"]);
    assert!(
        clicks["comparisons"].as_array().is_some_and(|all| all.len() > 6 && all[0]["pairing"].is_null()),
        "{clicks}"
    );
}
