//! Names of rankers and arms: from a file, a header or the account of a matrix to every table and file.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{sim, text};

/// Names with everything that files could trip over.
const ODD: [&str; 3] = ["bm25, k1=\"0.9\"", "検索 naïve", "ltr"];
/// The preferences of three arms; the last is the best.
const MATRIX: [[f64; 3]; 3] = [[0.5, 0.6, 0.3], [0.4, 0.5, 0.2], [0.7, 0.8, 0.5]];

fn run(folder: &Path, arguments: &[&str]) -> String {
    let run = sim(folder).args(arguments).arg("--quiet").output().expect("sim starts");
    assert!(run.status.success(), "{arguments:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let run = sim(folder).args(arguments).output().expect("sim starts");
    let message = text(&run.stderr);
    assert!(!run.status.success() && message.lines().count() == 1, "{arguments:?}: {message}");
    message
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the file exists")).expect("JSON")
}

/// The records of a CSV file.
fn records(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).expect("the file exists");
    reader.records().map(|record| record.expect("CSV").iter().map(str::to_owned).collect()).collect()
}

/// A CSV file without one column.
fn without(path: &Path, column: &str) -> Vec<Vec<String>> {
    let mut records = records(path);
    let at = records[0].iter().position(|name| name == column).expect("the column exists");
    records.iter_mut().for_each(|record| {
        record.remove(at);
    });
    records
}

/// The matrix as `DataFrame.to_csv` writes it with `names`, and without header and index.
fn write_matrices(folder: &Path, names: [&str; 3]) {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let rows = MATRIX.map(|row| row.map(|entry| entry.to_string()).join(","));
    let named = rows.iter().zip(names).map(|(row, name)| format!("{},{row}\n", quoted(name)));
    let header = format!(",{}\n", names.map(quoted).join(","));
    fs::write(folder.join("named.csv"), header + &named.collect::<String>()).unwrap();
    fs::write(folder.join("plain.csv"), rows.join("\n")).unwrap();
}

#[test]
fn the_header_of_a_matrix_reaches_every_file_and_no_number() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_matrices(folder, ODD);
    let play = |matrix: &str, out: &str, more: &[&str]| {
        let flags =
            ["bandit", "--matrix", matrix, "--out", out, "--algorithms", "rucb", "--steps", "3000", "--runs", "2"];
        run(folder, &[&flags[..], more].concat())
    };
    let table = play("named.csv", "named", &[]);
    assert!(table.contains("Condorcet winner: ltr") && !table.contains("arm 2"), "{table}");
    let plain = play("plain.csv", "plain", &[]);
    assert!(plain.contains("Condorcet winner: arm 2"), "{plain}");
    assert_eq!(fs::read(folder.join("named/curves.csv")).unwrap(), fs::read(folder.join("plain/curves.csv")).unwrap());
    let runs = records(&folder.join("named/runs.csv"));
    assert_eq!(runs[1][5], "ltr", "{runs:?}");
    assert_eq!(without(&folder.join("named/runs.csv"), "recommended_name"), records(&folder.join("plain/runs.csv")));
    assert_eq!(json(&folder.join("named/summary.json"))[0]["recommended"][0]["name"], "ltr");
    assert_eq!(json(&folder.join("named/config.json"))["environment"]["names"], serde_json::json!(ODD));
    assert_eq!(json(&folder.join("plain/config.json"))["environment"].get("names"), None);

    // Arms by name, also in another order, and the same arms by number are the same results.
    play("named.csv", "chosen", &["--arms", "ltr,\"bm25, k1=\"\"0.9\"\"\""]);
    play("plain.csv", "numbers", &["--arms", "2,0"]);
    let curves = |out: &str| fs::read(folder.join(out).join("curves.csv")).unwrap();
    assert_eq!(curves("chosen"), curves("numbers"));
    let error = refused(folder, &["bandit", "--matrix", "named.csv", "--arms", "ltr,検索"]);
    assert!(error.contains("--arms ltr,検索: nothing is called `検索`"), "{error}");

    let table = run(folder, &["analyse", "--matrix", "named.csv", "--out", "analysis"]);
    assert!(table.contains("Condorcet winner        ltr"), "{table}");
    let ranking = records(&folder.join("analysis/ranking.csv"));
    assert_eq!(ranking.iter().map(|row| row[2].as_str()).collect::<Vec<_>>(), ["name", "ltr", ODD[0], ODD[1]]);
    assert_eq!(json(&folder.join("analysis/findings.json"))["ranking"][1]["name"], ODD[0]);
    let figure = fs::read_to_string(folder.join("analysis/matrix.svg")).unwrap();
    assert!(figure.contains("検索 naïve") && figure.contains("bm25, k1="), "names are on the axes");
}

#[test]
fn a_renamed_study_is_written_again_without_being_played() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_matrices(folder, ODD);
    fs::write(folder.join("names.txt"), "2\tthe best\n").unwrap();
    let flags =
        ["bandit", "--matrix", "named.csv", "--out", "R", "--algorithms", "rucb", "--steps", "3000", "--runs", "2"];
    run(folder, &flags);
    let (curves, timings) =
        (fs::read(folder.join("R/curves.csv")).unwrap(), fs::read(folder.join("R/timings.json")).unwrap());
    let table = run(folder, &[&flags[..], &["--names", "names.txt"]].concat());
    assert!(table.contains("Condorcet winner: the best"), "{table}");
    assert_eq!(fs::read(folder.join("R/curves.csv")).unwrap(), curves);
    assert_eq!(fs::read(folder.join("R/timings.json")).unwrap(), timings, "kept runs have their seconds");
    assert_eq!(
        json(&folder.join("R/config.json"))["environment"]["names"],
        serde_json::json!([null, null, "the best"])
    );
}

#[test]
fn names_of_features_reach_the_matrix_and_whoever_reads_it() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let long = "a ranker whose name is too long for any table that is read on a terminal";
    fs::write(folder.join("names.tsv"), format!("106\t{long}\n1\tbm25, k1=\"0.9\"\n129\t検索\n")).unwrap();
    let site = ["--dataset", "mslr-lookalike:0.002", "--names", "names.tsv"];
    let rankers = ["--rankers", &format!("{long},\"bm25, k1=\"\"0.9\"\"\",検索,26")];
    let numbers = ["--dataset", "mslr-lookalike:0.002", "--rankers", "106,1,129,26"];

    let proxy = ["proxy", "--impressions-per-pair", "300", "--out"];
    run(folder, &[&proxy[..], &["P.npy"], &site, &rankers, &["--pairs", "検索-*"]].concat());
    run(folder, &[&proxy[..], &["Q.npy"], &numbers, &["--pairs", "2-*"]].concat());
    assert_eq!(fs::read(folder.join("P.npy")).unwrap(), fs::read(folder.join("Q.npy")).unwrap());
    let names = serde_json::json!([long, "bm25, k1=\"0.9\"", "検索", null]);
    assert_eq!(json(&folder.join("P.json"))["site"]["names"], names);
    assert_eq!(json(&folder.join("Q.json"))["site"].get("names"), None);
    run(folder, &["analyse", "--matrix", "P.npy", "--arms", "検索,3,0", "--out", "analysis"]);
    let ranking = records(&folder.join("analysis/ranking.csv"));
    assert_eq!(ranking[0][..4], ["rank", "arm", "feature", "name"]);
    let mut named: Vec<[&str; 2]> = ranking[1..].iter().map(|row| [row[2].as_str(), row[3].as_str()]).collect();
    named.sort_unstable();
    assert_eq!(named, [["106", long], ["129", "検索"], ["26", ""]]);

    let inspected = run(folder, &[&["inspect"], &site[..], &["--out", "I"]].concat());
    assert!(!inspected.contains(long), "{inspected}");
    assert_eq!(json(&folder.join("I/findings.json"))["ndcg"][105]["name"], long);

    let live = ["--algorithms", "random", "--steps", "500", "--runs", "1", "--truth-effort", "0.01", "--out"];
    run(folder, &[&live[..], &["N"], &site, &rankers].concat());
    run(folder, &[&live[..], &["M"], &numbers].concat());
    assert_eq!(fs::read(folder.join("N/curves.csv")).unwrap(), fs::read(folder.join("M/curves.csv")).unwrap());
    assert_eq!(without(&folder.join("N/runs.csv"), "recommended_name"), records(&folder.join("M/runs.csv")));
}

#[test]
fn wrong_names_are_refused_with_their_place() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_matrices(folder, ODD);
    let file = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    file("twice.txt", "a\nb\na\n");
    file("two.txt", "a\nb\n");
    file("rows.csv", ",a,b\nb,0.5,0.7\na,0.3,0.5\n");
    file("bell.csv", "a\u{7},b\n0.5,0.7\n0.3,0.5\n");
    for (arguments, expected) in [
        (&["--matrix", "named.csv", "--names", "twice.txt"][..], "twice.txt:3:1: the name `a` is already on line 1"),
        (&["--matrix", "named.csv", "--names", "two.txt"], "two.txt: found 2 lines, expected 3, the name of one arm"),
        (&["--matrix", "rows.csv"], "rows.csv is not a preference matrix: line 2, word 1: expected `a`, found `b`"),
        (&["--matrix", "bell.csv"], "line 1, word 1: the name contains the control character"),
        (&["--matrix", "plain.csv", "--arms", "0,ltr"], "found `ltr`; the arms have no names"),
        (&["--matrix", "named.csv", "--arms", "ltr,lrt"], "nothing is called `lrt`; did you mean `ltr`?"),
    ] {
        let error = refused(folder, &[&["bandit"], arguments].concat());
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    let error = refused(folder, &["--dataset", "mslr-lookalike:0.002", "--rankers", "bm25,ltr"]);
    assert!(error.contains("\"bm25\" is not a number; expected `all`"), "{error}");
    let error = refused(folder, &["--dataset", "mslr-lookalike:0.002", "--names", "none.txt"]);
    assert!(error.contains("none.txt: failed to read the names"), "{error}");
}
