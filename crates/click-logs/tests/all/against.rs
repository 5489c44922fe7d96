//! `click-logs decide --against`: agreement with past A/B tests.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{fails, ok, read};

const HEADER: &str = "name,interleaving,interleaving_error,ab,ab_error\n";
const ROWS: [&str; 10] = [
    "one,0.02,0.004,0.9,0.3\n",
    "two,-0.01,0.004,-0.1,0.2\n",
    "three,0.035,0.004,1.2,0.4\n",
    "four,0.005,0.004,-0.2,0.2\n",
    "five,-0.02,0.004,-0.7,0.25\n",
    "six,0.012,0.004,0.4,0.3\n",
    "seven,0.05,0.004,1.9,0.6\n",
    "eight,-0.004,0.004,0.3,0.35\n",
    "nine,0.028,0.004,0.8,0.2\n",
    "ten,0.001,0.004,0.1,0.15\n",
];
const OUTCOMES: &str = "\
day,first,second,unit_wins,unit_losses,unit_ties
2026-11-20,new,old,640,600,90
2026-11-21,new,old,60,50,10
";

fn folder(table: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ab.csv"), table).unwrap();
    std::fs::write(folder.path().join("outcomes.csv"), OUTCOMES).unwrap();
    folder
}

fn past() -> TempDir {
    folder(&(HEADER.to_owned() + &ROWS.concat()))
}

fn json(at: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["decide", "--against", "ab.csv", "--format", "json"], arguments].concat();
    serde_json::from_str(&ok(at, &arguments)).unwrap()
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{found}, expected {expected}");
}

#[test]
fn numbers_are_those_of_scipy() {
    let folder = past();
    let found = json(folder.path(), &["--result", "0.01,0.006"]);
    assert!(found["experiments"] == 10 && found["confidence"] == 0.95);
    // scipy.stats.binomtest(8, 10).proportion_ci(method="exact"), and of 5 of 5
    let agreement = &found["agreement"];
    assert_eq!(["agree", "disagree", "zero"].map(|what| agreement[what].as_u64().unwrap()), [8, 2, 0]);
    close(&agreement["interval"][0], 0.443_904_537_692_358_5);
    close(&agreement["interval"][1], 0.974_789_273_673_166_7);
    let significant = &found["agreement_where_ab_is_significant"];
    assert!(significant["agree"] == 5 && significant["disagree"] == 0);
    close(&significant["interval"][0], 0.478_176_249_895_018_5);
    // scipy.stats.pearsonr, numpy: see `statistics::fixed_sample`, which has the commands.
    close(&found["correlation"]["pearson"], 0.954_505_214_142_122_5);
    close(&found["correlation"]["interval"][0], 0.814_195_292_523_04);
    let line = &found["line"];
    assert!(line["weighted"] == true && line["freedom"] == 8);
    close(&line["intercept"], 0.031_089_965_088_058_63);
    close(&line["slope"], 30.591_591_552_329_014);
    close(&line["intercept_error"], 0.076_575_210_368_985_25);
    close(&line["slope_error"], 4.530_892_230_845_729);
    close(&line["residual_deviation"], 0.228_450_089_764_564);
    close(&line["slope_interval"][0], 20.143_335_331_834_336);
    let new = &found["new"];
    close(&new["expected_ab"], 0.337_005_880_611_348_8);
    // Of the error of 0.006, past results have 0.004: sqrt([1, x0] @ C @ [1, x0] + s2 + b[1]**2 * (0.006**2 - 0.004**2))
    close(&new["expected_ab_error"], 0.2766259754372323);
    close(&new["sign_differs"], 0.128913386105769);
    assert!(new["new_ranker"].is_null() && new["beyond_past_results"] == false);
    // Without errors in the table all of it counts, and nothing is weighted.
    let plain: String = ROWS
        .iter()
        .map(|row| row.split(',').collect::<Vec<_>>())
        .map(|row| format!("{},{}\n", row[3], row[1]))
        .collect();
    std::fs::write(folder.path().join("ab.csv"), format!("\u{feff}ab,interleaving\n{plain}")).unwrap();
    let found = json(folder.path(), &["--result", "0.01,0.006", "--confidence", "0.99"]);
    assert!(found["agreement_where_ab_is_significant"].is_null() && found["line"]["weighted"] == false);
    close(&found["line"]["slope"], 33.430_349_494_806_07);
    close(&found["correlation"]["interval"][0], 0.719_484_467_658_144_9);
    close(&found["new"]["expected_ab_error"], 0.3219543625149012);
}

#[test]
fn the_order_of_rows_and_columns_changes_nothing() {
    let folder = past();
    let (text, record) = (ok(folder.path(), &["decide", "--against", "ab.csv"]), json(folder.path(), &[]));
    let mut rows = ROWS;
    for turn in 0..10 {
        rows.rotate_left(3);
        rows.swap(0, 1 + turn % 9);
        std::fs::write(folder.path().join("ab.csv"), HEADER.to_owned() + &rows.concat()).unwrap();
        assert_eq!(json(folder.path(), &[]), record);
        assert_eq!(ok(folder.path(), &["decide", "--against", "ab.csv"]), text);
    }
    // Other columns, another order of them, blank lines and Windows' line ends.
    let turned = ROWS.map(|row| {
        let cells: Vec<&str> = row.trim().split(',').collect();
        format!("\"a, b\", {} ,{},{},{}\r\n\r\n", cells[4], cells[3], cells[2], cells[1])
    });
    let table = "team, ab_error ,ab,interleaving_error,interleaving\r\n".to_owned() + &turned.concat();
    std::fs::write(folder.path().join("ab.csv"), table).unwrap();
    assert_eq!(json(folder.path(), &[]), record);
}

#[test]
fn words_say_what_it_means_and_what_to_do() {
    let folder = past();
    let at = folder.path();
    let said = ok(at, &["decide", "--against", "ab.csv"]);
    assert!(
        said.starts_with("8 of 10 past experiments agree in sign (95% interval 44.3% to 97.5%).\nBy signs alone, "),
        "{said}"
    );
    for what in [
        "Where the A/B result is significant at 5%: 5 of 5 experiments agree in sign (95% interval 47.8% to 100.0%).\n",
        "Correlation 0.955 (95% interval 0.814 to 0.989).\n",
        "Line: ab = 0.0311 + 30.6 * interleaving, weighted by the accuracy of the A/B tests.",
        "Where interleaving shows more, so do A/B tests, beyond chance (95% interval of the slope 20.1 to 41.0).\n",
        "What now: Name FOLDER",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    let now = |result: &str| {
        let said = ok(at, &["decide", "--against", "ab.csv", "--result", result]);
        said.lines().find_map(|line| line.strip_prefix("What now: ")).unwrap().to_owned()
    };
    assert!(now("0.03,0.004").starts_with("Rely on interleaving"));
    assert!(now("0.01,0.004").starts_with("Run the A/B test before you decide"));
    assert!(now("-0.0001").starts_with("Run the A/B test: by past experiments, the other sign is at least as likely"));
    assert!(now("0").starts_with("Run the A/B test: a result of 0"));
    assert!(
        ok(at, &["decide", "--against", "ab.csv", "--result", "0.2"])
            .contains("No past result was that far out (-0.0200 to 0.0500)")
    );
    // Signs that are turned in one column.
    let turned = ROWS.map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        format!("{},{}\n", cells[1], -cells[3].parse::<f64>().unwrap())
    });
    std::fs::write(at.join("ab.csv"), "interleaving,ab\n".to_owned() + &turned.concat()).unwrap();
    let said = ok(at, &["decide", "--against", "ab.csv"]);
    assert!(
        said.contains("A/B tests show less, beyond chance") && said.contains("What now: Check the signs"),
        "{said}"
    );
    // Few, zeros, and A/B results that are all equal.
    std::fs::write(at.join("ab.csv"), "interleaving,ab\n0.1,0.5\n0.2,0.5\n0,0.5\n").unwrap();
    let said = ok(at, &["decide", "--against", "ab.csv"]);
    for what in [
        "2 of 2 past experiments agree in sign (95% interval 15.8% to 100.0%).\n",
        "too few to say much: with fewer than 6, signs that all agree may be the toss of a coin",
        "1 more has a result of 0 and has no sign to agree with.\n",
        "All A/B results are equal",
        "What now: Run A/B tests beside interleaving for now",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    assert!(json(at, &[])["correlation"].is_null());
    std::fs::write(at.join("ab.csv"), "interleaving,ab\n0.1,0\n-0.2,0\n0,0.5\n").unwrap();
    let said = ok(at, &["decide", "--against", "ab.csv"]);
    assert!(said.starts_with("No past experiment has two signs that could agree.\n"), "{said}");
    assert!(json(at, &[])["agreement"]["interval"].is_null());
}

#[test]
fn the_latest_verdict_is_a_new_result() {
    let folder = past();
    let at = folder.path();
    let found = json(at, &["outcomes.csv"]);
    let new = &found["new"];
    assert_eq!(new["new_ranker"], "new");
    close(&new["interleaving"], 700.0 / 1350.0 - 0.5);
    close(&new["interleaving_error"], 0.5 / 1350_f64.sqrt());
    let other = json(at, &["outcomes.csv", "--new", "old"]);
    assert_eq!(other["new"]["new_ranker"], "old");
    close(&other["new"]["interleaving"], 0.5 - 700.0 / 1350.0);
    // The line does not pass through 0: whether the winner is the new one makes a difference.
    assert_ne!(new["sign_differs"], other["new"]["sign_differs"]);
    let said = ok(at, &["decide", "--against", "ab.csv", "outcomes.csv"]);
    assert!(said.contains("\nnew, taken for the new ranker (--new says which is), won 51.9% of 1,350 units that preferred a side, a result of 0.0185"), "{said}");
    // The latest of two versions, with the warnings before every verdict.
    let versions: String = OUTCOMES
        .lines()
        .skip(1)
        .flat_map(|row| {
            [format!("e@1,{row}\n"), format!("e@2,{row}\n").replace("640", "600").replace("2026-11", "2026-12")]
        })
        .collect();
    std::fs::write(at.join("two.csv"), format!("version,{}\n{versions}", OUTCOMES.lines().next().unwrap())).unwrap();
    let two = json(at, &["two.csv", "--new", "new"]);
    close(&two["new"]["interleaving"], 660.0 / 1310.0 - 0.5);
    assert!(two["new"]["warnings"][0].as_str().unwrap().contains("they are two experiments"), "{two}");
    // A simulated log is labelled as one.
    ok(at, &["simulate", "--out", "log", "--impressions", "5e3", "--quality-gap", "0.6"]);
    ok(
        at,
        &[
            "credit",
            "--impressions",
            "log/impressions.jsonl",
            "--clicks",
            "log/clicks.jsonl",
            "--rankers",
            "A,B",
            "--final",
            "--out",
            "credited",
        ],
    );
    let said = ok(at, &["decide", "--against", "ab.csv", "credited", "--out", "against"]);
    assert!(
        said.contains(" users that preferred a side") && said.ends_with("says nothing about real users.\n"),
        "{said}"
    );
    assert_eq!(read(&at.join("against/against.txt")), said);
}

#[test]
fn files_hold_what_is_printed() {
    fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["decide", "--against", "ab.csv", "--out", "out"], more].concat()
    }
    let folder = past();
    let at = folder.path();
    let table = ok(at, &with(&["--format", "csv"]));
    assert_eq!(read(&at.join("out/against.csv")), table);
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let columns: Vec<String> = rows.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(
        columns,
        ["name", "interleaving", "interleaving_error", "ab", "ab_error", "fitted", "residual", "agrees"]
    );
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let number = |row: &csv::StringRecord, place: usize| row[place].parse::<f64>().unwrap();
    assert_eq!((rows.len(), &rows[3][0], &rows[3][7], &rows[0][7]), (10, "four", "false", "true"));
    let record: Value = serde_json::from_str(&read(&at.join("out/against.json"))).unwrap();
    let slope = record["line"]["slope"].as_f64().unwrap();
    for row in &rows {
        assert!((number(row, 5) + number(row, 6) - number(row, 3)).abs() < 1e-12, "{row:?}");
        let from_first = (number(row, 5) - number(&rows[0], 5)) - slope * (number(row, 1) - number(&rows[0], 1));
        assert!(from_first.abs() < 1e-12, "{row:?}");
    }
    assert_eq!(json(at, &[]), record);
    // The same again is accepted, something else only instead of it.
    ok(at, &with(&[]));
    assert!(fails(at, 2, &with(&["--result", "0.01"])).contains("--replace"));
    ok(at, &with(&["--result", "0.01", "--replace"]));
    assert!(read(&at.join("out/against.txt")).contains("The new result is 0.0100."));
}

#[test]
fn every_mistake_is_one_line() {
    let at = past();
    let at = at.path();
    let rest = "0.1,0.5,\n0.2,0.6,\n";
    for (table, what) in [
        ("", "ab.csv:1: found the columns `` and no interleaving, ab; expected interleaving and ab, and perhaps"),
        ("interleaving;ab\n1;2\n", "ab.csv:1: found the columns `interleaving;ab` and no interleaving, ab; "),
        ("name,ab\nx,1\n", "ab.csv:1: found the columns `name,ab` and no interleaving; expected interleaving and ab"),
        ("ab,interleaving,ab\n", "ab.csv:1: the column `ab` is there twice"),
        ("interleaving,ab,ab_error\n0.1,0.2\n", "ab.csv:2: found 2 fields; expected 3, as the header has"),
        ("interleaving,ab,ab_error\n1.5,0.2,\n", "ab.csv:2: `interleaving` is `1.5`; expected a number from -1 to 1"),
        ("interleaving,ab,ab_error\n,0.2,\n", "ab.csv:2: `interleaving` is ``; expected a number from -1 to 1"),
        ("interleaving,ab,ab_error\n0.1,2%,\n", "ab.csv:2: `ab` is `2%`; expected a finite number"),
        ("interleaving,ab,ab_error\n0.1,nan,\n", "ab.csv:2: `ab` is `nan`; expected a finite number"),
        ("interleaving,ab,ab_error\n\n0.1,1,0\n", "ab.csv:3: `ab_error` is `0`; expected a standard error above 0"),
        (
            "interleaving,ab,interleaving_error\n0.1,1,-1\n",
            "ab.csv:2: `interleaving_error` is `-1`; expected a standard error",
        ),
        ("interleaving,ab,ab_error\n0.1,\"1,\n", "ab.csv:2:"),
        (
            &format!("interleaving,ab,ab_error\n{rest}"),
            "ab.csv: found 2 experiments; expected at least 3, one on each line",
        ),
        (
            "interleaving,ab\n0.1,1\n0.1,2\n0.1,3\n",
            "ab.csv: all results in `interleaving` are 0.1, so that there is no line; expected",
        ),
        ("interleaving,ab\n0.1,1e300\n0.2,-1e300\n0.3,1e300\n", "ab.csv: "),
    ] {
        std::fs::write(at.join("ab.csv"), table).unwrap();
        let error = fails(at, 1, &["decide", "--against", "ab.csv"]);
        assert!(error.contains(what), "{what}: {error}");
    }
    assert!(fails(at, 1, &["decide", "--against", "no.csv"]).contains("no.csv"));
    std::fs::write(at.join("ab.csv"), HEADER.to_owned() + &ROWS.concat()).unwrap();
    let three = OUTCOMES.to_owned() + "2026-11-20,new,other,6,5,1\n";
    std::fs::write(at.join("three.csv"), three).unwrap();
    std::fs::write(at.join("none.csv"), "day,first,second,unit_wins,unit_losses,unit_ties\n2026-11-20,new,old,0,0,5\n")
        .unwrap();
    for (code, more, what) in [
        (2, &["three.csv"][..], "three.csv compares 3 rankers; expected two with --against"),
        (1, &["none.csv"], "none.csv: no ranker has won yet"),
        (2, &["outcomes.csv", "--new", "ne"], "--new: outcomes.csv has no ranker `ne`; expected new or old"),
        (2, &["outcomes.csv", "--by", "impressions"], "impression_wins"),
        (2, &["--new", "new"], "--new: name FOLDER"),
        (2, &["--result", "1.5"], "expected a result from -1 to 1"),
        (2, &["--result", "0.1,-1"], "expected a standard error of 0 or more"),
        (2, &["--result", "0.1,x"], "expected a number"),
        (2, &["outcomes.csv", "--result", "0.1"], "cannot be used with"),
        (2, &["--html", "page.html"], "cannot be used with"),
        (2, &["--exit-code"], "cannot be used with"),
    ] {
        let error = fails(at, code, &[&["decide", "--against", "ab.csv"], more].concat());
        assert!(error.contains(what), "{what}: {error}");
    }
    assert!(fails(at, 2, &["decide"]).contains("<FOLDER>"));
    assert!(fails(at, 2, &["decide", "--result", "0.1"]).contains("--against"));
}

#[test]
fn the_documentation_shows_what_is_printed() {
    const PAGE: &str = include_str!("../../../../docs/pages/how-to/compare-two-rankers.md");
    let (_, section) = PAGE.split_once("## Does interleaving agree with our A/B tests?").unwrap();
    let mut blocks = section.split("```text\n").skip(1).map(|rest| rest.split_once("```").unwrap().0);
    let folder = folder(blocks.next().unwrap());
    let commands = blocks.next().unwrap();
    let arguments: Vec<&str> = commands.trim().strip_prefix("click-logs ").unwrap().split(' ').collect();
    assert_eq!(ok(folder.path(), &arguments), blocks.next().unwrap());
}
