//! `rankduel inspect --measures`: tables, files and refusals.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{TINY, sim, text};

fn run(folder: &Path, arguments: &[&str]) -> String {
    let run = sim(folder).arg("inspect").args(arguments).arg("--quiet").output().expect("sim starts");
    assert!(run.status.success(), "{arguments:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

fn rows(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).expect("the file exists");
    reader.records().map(|record| record.expect("CSV").iter().map(str::to_owned).collect()).collect()
}

#[test]
fn runs_are_measured_by_name_and_query() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("bm25.run", "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n2 Q0 a 1 1 x\n");
    write("ltr.run", "1 Q0 b 1 9 y\n1 Q0 c 2 8 y\n");
    // z is retrieved by neither, and nothing for query 3.
    write("qrels", "1 0 b 2\n1 0 z 1\n2 0 a 1\n3 0 a 1\n");
    let data = ["--rankings", "bm25.run,ltr.run", "--qrels", "qrels", "--out", "R"];
    let printed = run(folder, &[&data[..], &["--measures", "AP,P@2,R@10,RBP(rel=1,p=0.5)", "--per-query"]].concat());
    assert!(printed.contains("means over 3 queries"), "{printed}");
    let line = |name: &str| printed.lines().rfind(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    // By hand: bm25 has AP (1/2)/2 and 1, ltr (1/1)/2 and 0, and neither anything for query 3.
    assert_eq!(line("bm25").split_whitespace().collect::<Vec<_>>(), ["bm25", "0.4167", "0.3333", "0.5000", "0.2500"]);
    assert_eq!(line("ltr").split_whitespace().collect::<Vec<_>>(), ["ltr", "0.1667", "0.1667", "0.1667", "0.1667"]);
    let queries = rows(&folder.join("R/measures-per-query.csv"));
    assert_eq!(queries[0], ["query", "feature", "name", "AP", "P@2", "R@10", "RBP(rel=1,p=0.5)"]);
    assert_eq!(queries[1], ["1", "1", "bm25", "0.25", "0.5", "0.5", "0.25"]);
    assert_eq!(queries[4], ["2", "2", "ltr", "0", "0", "0", "0"]);
    assert_eq!(rows(&folder.join("R/measures.csv"))[2][..3], ["2", "ltr", "0.16666666666666666"]);
    let findings: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("R/findings.json")).unwrap()).unwrap();
    assert_eq!(findings["measures"]["rankers"][0]["name"], "bm25");
    assert_eq!(findings["measures"]["measures"][3], "RBP(rel=1,p=0.5)");

    // Runs are measured without being asked for it.
    let printed = run(folder, &["--rankings", "bm25.run,ltr.run", "--qrels", "qrels", "--out", "S"]);
    assert!(printed.contains("nDCG@10") && folder.join("S/measures.csv").exists(), "{printed}");
    assert!(!folder.join("S/measures-per-query.csv").exists());
}

/// Two runs on `queries` queries, each with one relevant document `a` and another: `first` decides where a run ranks `a` first.
fn two_runs(folder: &Path, queries: usize, first: [&dyn Fn(usize) -> bool; 2]) {
    let lines = |line: &dyn Fn(usize) -> String| (1..=queries).map(line).collect::<String>();
    for (name, is_first) in ["x", "y"].into_iter().zip(first) {
        let run = |query: usize| {
            let (a, b) = if is_first(query) { (2, 1) } else { (1, 2) };
            format!("{query} Q0 a 1 {a} t\n{query} Q0 b 2 {b} t\n")
        };
        fs::write(folder.join(format!("{name}.run")), lines(&run)).unwrap();
    }
    fs::write(folder.join("qrels"), lines(&|query| format!("{query} 0 a 1\n{query} 0 b 0\n"))).unwrap();
}

#[test]
fn the_verdict_on_runs_comes_first() {
    const DATA: [&str; 6] = ["--rankings", "x.run,y.run", "--qrels", "qrels", "--measures", "AP"];
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    // x has AP 1 but for the last query, y for every other one.
    two_runs(here, 8, [&|query| query < 8, &|query| query % 2 == 0]);
    let printed = run(here, &[&DATA[..], &["--out", "R"]].concat());
    let verdict =
        "By AP, x (0.9375) is ahead of y (0.7500), but that may be chance, p = 0.20 (paired t-test over 8 queries).\n";
    assert!(printed.starts_with(verdict), "{printed}");
    let tests = rows(&here.join("R/tests.csv"));
    assert_eq!(
        tests[0].join(" "),
        "measure first second first_name second_name first_mean second_mean difference \
         standard_error t p p_holm queries"
    );
    assert_eq!(tests[1][..8].join(" "), "AP 1 2 x y 0.9375 0.75 0.1875");
    // scipy.stats.ttest_rel([1] * 7 + [.5], [.5, 1] * 4)
    for (column, expected) in [(9, GOLDEN_T), (10, GOLDEN_P)] {
        let found: f64 = tests[1][column].parse().unwrap();
        assert!((found / expected - 1.0).abs() < 1e-12, "{found}, expected {expected}");
    }
    two_runs(here, 12, [&|query| query < 12, &|_| false]);
    let printed = run(here, &[&DATA[..], &["--out", "S"]].concat());
    assert!(
        printed.starts_with("By AP, x (0.9583) beats y (0.5000), p < 0.0001 (paired t-test over 12 queries).\n"),
        "{printed}"
    );
    two_runs(here, 12, [&|_| true, &|_| true]);
    let printed = run(here, &[&DATA[..], &["--out", "T"]].concat());
    assert!(printed.starts_with("By AP, x and y are equal for every query (1.0000) (paired"), "{printed}");
    // A single query allows no test.
    two_runs(here, 1, [&|_| true, &|_| false]);
    let printed = run(here, &[&DATA[..], &["--out", "U"]].concat());
    assert!(!printed.starts_with("By ") && !here.join("U/tests.csv").exists(), "{printed}");
}

/// Four runs: the first two do not differ by more than chance, and both beat the others.
#[test]
fn the_table_of_a_paper_has_a_row_per_run_and_letters_for_what_it_beats() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    two_runs(here, 40, [&|query| query % 10 != 0, &|query| query % 4 == 0]);
    fs::rename(here.join("x.run"), here.join("good_1.run")).unwrap();
    fs::rename(here.join("y.run"), here.join("bad.run")).unwrap();
    two_runs(here, 40, [&|query| query % 9 != 0, &|query| query % 4 == 0]);
    fs::rename(here.join("x.run"), here.join("good_2.run")).unwrap();
    let data = ["--rankings", "good_1.run,bad.run,good_2.run,y.run", "--qrels", "qrels", "--measures", "AP,P@1"];
    let table = |format: &str| run(here, &[&data[..], &["--out", "R", "--format", format]].concat());
    assert_eq!(
        table("markdown").lines().take(6).collect::<Vec<_>>(),
        [
            "|  | run | AP | P@1 |",
            "| --- | --- | ---: | ---: |",
            "| a | good\\_1 | **0.9500**<sup>c,d</sup> | **0.9000**<sup>c,d</sup> |",
            "| b | good\\_2 | **0.9500**<sup>c,d</sup> | **0.9000**<sup>c,d</sup> |",
            "| c | bad | 0.6250 | 0.2500 |",
            "| d | y | 0.6250 | 0.2500 |",
        ]
    );
    let latex = table("latex");
    assert!(latex.contains("a & good\\_1 & \\textbf{0.9500}\\textsuperscript{c,d} & \\textbf{0.9000}"), "{latex}");
    assert!(latex.contains("Holm's correction for the 6 pairs of a measure"), "{latex}");
    let csv = table("csv");
    let mut csv = csv.lines();
    assert_eq!(csv.next(), Some("run,AP,AP better than,P@1,P@1 better than"));
    assert_eq!(csv.next(), Some("good_1,0.95,bad; y,0.9,bad; y"));
    let against = |name: &str| {
        let flags = ["--out", "B", "--format", "latex", "--baseline", name];
        sim(here).args(["inspect"]).args(data).args(flags).output().expect("sim starts")
    };
    let latex = text(&against("good_2").stdout);
    assert!(latex.contains("b & good\\_2 & \\textbf{0.9500}\\textsuperscript{c,d}"), "{latex}");
    assert!(latex.contains("a & good\\_1 & \\textbf{0.9500} &"), "{latex}");
    assert!(latex.contains("Holm's correction for the 3 pairs with good\\_2 of a measure"), "{latex}");
    assert_eq!(rows(&here.join("B/tests.csv")).len(), 1 + 2 * 3);
    let unknown = against("good_3");
    let message = text(&unknown.stderr);
    assert!(
        unknown.status.code() == Some(2) && message.contains("--baseline: nothing is called `good_3`"),
        "{message}"
    );
    let refused = sim(here).args(["inspect", TINY, "--format", "latex"]).output().expect("sim starts");
    let message = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && message.contains("name them with --measures"), "{message}");
}

#[test]
fn another_test_and_another_correction_are_named_everywhere() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    two_runs(here, 12, [&|query| query != 3, &|query| query % 3 == 0]);
    fs::copy(here.join("y.run"), here.join("z.run")).unwrap();
    const DATA: [&str; 6] = ["--rankings", "x.run,y.run,z.run", "--qrels", "qrels", "--measures", "AP"];
    let inspect = |flags: &[&str]| run(here, &[&DATA[..], flags].concat());
    // Of 9 queries that differ, x wins 8: 2 * (1 + 9) / 2^9.
    let printed = inspect(&["--out", "S", "--test", "sign", "--correction", "bh"]);
    let verdict =
        "By AP, x (0.9583) is ahead of y (0.6667, p = 0.0586) and z (0.6667, p = 0.0586), but that may be chance";
    assert!(printed.starts_with(verdict), "{printed}");
    for part in [
        "(sign tests over 12 queries, Benjamini and Hochberg's correction for 3 pairs).",
        "p, Benjamini-Hochberg",
        "sign tests over 12 queries, Benjamini and Hochberg's correction within each measure; intervals of means by Student's distribution",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let tests = rows(&here.join("S/tests.csv"));
    assert_eq!(tests[0][9..].join(" "), "t p p_bh queries favours");
    assert_eq!((tests[1][9].as_str(), tests[1][12].as_str()), ("", "12"));
    let is_close =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
    is_close(tests[1][10].parse().unwrap(), 20.0 / 512.0);
    is_close(tests[1][11].parse().unwrap(), 30.0 / 512.0);
    let findings: serde_json::Value = serde_json::from_slice(&fs::read(here.join("S/findings.json")).unwrap()).unwrap();
    assert_eq!(
        (&findings["tests"]["test"], &findings["tests"]["correction"]),
        (&"sign".into(), &"benjamini-hochberg".into())
    );
    is_close(findings["tests"]["tests"][0]["p_bh"].as_f64().unwrap(), 30.0 / 512.0);
    let printed = inspect(&["--out", "N", "--test", "wilcoxon", "--correction", "none", "--format", "markdown"]);
    assert!(
        printed.contains("Wilcoxon signed-rank tests, p at most 0.05 without correction for the 3 pairs"),
        "{printed}"
    );
    assert_eq!(rows(&here.join("N/tests.csv"))[0][9..].join(" "), "t p queries favours");
    // The mean's test and interval agree.
    inspect(&["--out", "B", "--test", "bootstrap"]);
    let bootstrap: serde_json::Value =
        serde_json::from_slice(&fs::read(here.join("B/findings.json")).unwrap()).unwrap();
    for test in bootstrap["tests"]["tests"].as_array().unwrap() {
        let contains_zero = test["interval"][0].as_f64().unwrap() <= 0.0;
        assert_eq!(contains_zero, test["p"].as_f64().unwrap() > 0.05, "{test}");
    }
    // The report has the same table as the paper.
    let report = sim(here).args(["report", "."]).output().expect("sim starts");
    assert!(report.status.success(), "{}", text(&report.stderr));
    let page = fs::read_to_string(here.join("report.html")).unwrap();
    assert!(
        page.contains("<b>0.9583</b>") && page.contains("No difference is more than chance (sign tests, "),
        "{page}"
    );
    for (flags, message) in [
        (["--test", "sign", "--judged", "qrels"].as_slice(), "cannot be used with"),
        (&["--test", "anova"], "expected t, wilcoxon, bootstrap, randomization or sign"),
    ] {
        let refused = sim(here).args(["inspect"]).args(DATA).args(flags).output().expect("sim starts");
        let error = text(&refused.stderr);
        assert!(refused.status.code() == Some(2) && error.contains(message), "{error}");
    }
}

const GOLDEN_T: f64 = 1.425_572_889_934_474_6;
const GOLDEN_P: f64 = 0.197_022_072_157_750_5;

#[test]
fn features_are_measured_when_asked() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let plain = run(folder, &[TINY, "--out", "P"]);
    let measured = run(folder, &[TINY, "--out", "M", "--measures", "nDCG(dcg='exp-log2')@10,rr"]);
    assert!(measured.starts_with(plain.trim_end()), "{measured}");
    assert!(!folder.join("P/measures.csv").exists());
    let rows = rows(&folder.join("M/measures.csv"));
    assert_eq!((rows.len(), rows[0].join(" ")), (137, "feature nDCG(dcg='exp-log2')@10 RR".to_owned()));
    let findings: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("P/findings.json")).unwrap()).unwrap();
    assert_eq!(rows[110][1], findings["ndcg"][109]["exponential"].to_string(), "the same nDCG");

    for (flags, expected) in [
        (&["--measures", "nDCG@10,ndgc"][..], "measure `ndgc`: it is not known; did you mean `ndcg`?"),
        (&["--measures", "P"], "it needs a cutoff, e.g. P@10"),
        (&["--per-query"], "--per-query applies to measures"),
    ] {
        let run = sim(folder).args(["inspect", TINY]).args(flags).output().expect("sim starts");
        let message = text(&run.stderr);
        assert!(run.status.code() == Some(2) && message.contains(expected), "{flags:?}: {message}");
    }
}
