//! Rows per impression and per unit add up to the result of `credit`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cli::{fails, ok, read, run};

/// Rows of a table as maps by the names of its columns.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut table = csv::Reader::from_path(path).unwrap();
    table.deserialize().map(|row| row.unwrap()).collect()
}

/// By day and pair: wins, losses and ties.
type Counts = BTreeMap<(String, String, String, String), [u64; 3]>;

fn counted(rows: &[BTreeMap<String, String>], fate: &str) -> Counts {
    let mut counts = Counts::new();
    for row in rows.iter().filter(|row| row["fate"] == fate && !row["first"].is_empty()) {
        let key = ["version", "day", "first", "second"].map(|name| row[name].clone());
        let place = match row["outcome"].as_str() {
            "1" => 0,
            "-1" => 1,
            "0" => 2,
            other => panic!("{other}"),
        };
        counts.entry(key.into()).or_default()[place] += 1;
    }
    counts
}

fn outcomes(rows: &[BTreeMap<String, String>], what: &str) -> Counts {
    let of = |row: &BTreeMap<String, String>| {
        let key = ["version", "day", "first", "second"].map(|name| row.get(name).cloned().unwrap_or_default());
        let counts = ["wins", "losses", "ties"].map(|kind| row[&format!("{what}_{kind}")].parse().unwrap());
        (key.into(), counts)
    };
    rows.iter().map(of).filter(|(_, counts)| *counts != [0; 3]).collect()
}

#[test]
fn details_add_up() {
    let troubled = ["--doubles", "0.2", "--conflicts", "0.02", "--bots", "0.01", "--late", "0.05", "--unknown", "0.05"];
    let cases: [(&[&str], &[&str]); 5] = [
        (&[], &["--final"]),
        (&["--rankers", "3"], &["--final", "--unit-days", "3"]),
        (&["--rankers", "3", "--format", "csv"], &["--until", "2026-01-06T00:00:00Z", "--unit", "session"]),
        (&["--change-version-at", "0.5", "--pages", "3"], &["--final", "--pairs", "steered"]),
        (&["--method", "balanced", "--pinned", "0.3"], &["--final", "--unit", "impression"]),
    ];
    for (more, rules) in cases {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let simulate = ["simulate", "--out", "log", "--impressions", "6e3", "--days", "7", "--quality-gap", "0.4"];
        ok(at, &[&simulate[..], &troubled, more].concat());
        let format = if more.contains(&"csv") { "csv" } else { "jsonl" };
        let [impressions, clicks] = ["impressions", "clicks"].map(|name| format!("log/{name}.{format}"));
        let credit = ["credit", "--impressions", &impressions, "--clicks", &clicks, "--bots", "log/bots.toml"];
        ok(at, &[&credit[..], rules, &["--out", "plain"]].concat());
        ok(at, &[&credit[..], rules, &["--out", "out", "--detail"]].concat());
        for file in ["outcomes.csv", "fates.csv", "pages.csv"] {
            assert_eq!(read(&at.join("plain").join(file)), read(&at.join("out").join(file)), "{more:?}");
        }
        let [by_day, fates, shown, units] = ["outcomes.csv", "fates.csv", "detail-impressions.csv", "detail-units.csv"]
            .map(|name| rows(&at.join("out").join(name)));
        assert_eq!(counted(&units, "counted"), outcomes(&by_day, "unit"), "{more:?}");
        assert_eq!(counted(&shown, "credited"), outcomes(&by_day, "impression"), "{more:?}");
        let fate = |what: &str, fate: &str| -> u64 {
            let row = fates.iter().find(|row| row["what"] == what && row["fate"] == fate);
            row.map_or(0, |row| row["count"].parse().unwrap())
        };
        // Impressions of several pairs have several rows.
        let mut lines: BTreeMap<&str, u64> = BTreeMap::new();
        let mut of_pairs = BTreeSet::new();
        for row in &shown {
            if row["first"].is_empty() || of_pairs.insert(&row["impression"]) {
                *lines.entry(&row["fate"]).or_default() += 1;
            }
        }
        for (name, count) in lines {
            assert_eq!(count, fate("impression", name), "{more:?}: {name}");
        }
        let mut of_units: BTreeMap<&str, u64> = BTreeMap::new();
        units.iter().for_each(|row| *of_units.entry(&row["fate"]).or_default() += 1);
        for (name, count) in of_units {
            assert_eq!(count, fate("unit", name), "{more:?}: {name}");
        }
        // The same rows with any threads and memory.
        let again = [&credit[..], rules, &["--out", "again", "--detail", "--threads", "1", "--memory", "1"]].concat();
        ok(at, &again);
        for file in ["detail-impressions.csv", "detail-units.csv"] {
            assert_eq!(read(&at.join("out").join(file)), read(&at.join("again").join(file)), "{more:?}");
        }
        // Without the flag, the results have no rows of another log.
        ok(at, &[&credit[..], rules, &["--out", "again", "--replace"]].concat());
        assert!(!at.join("again/detail-units.csv").exists());
    }
}

#[test]
fn what_cannot_be_traced_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ok(at, &["simulate", "--out", "log", "--impressions", "100"]);
    let credit = ["credit", "--impressions", "log/impressions.jsonl", "--clicks", "log/clicks.jsonl", "--detail"];
    let error = fails(at, 2, &[&credit[..], &["--order", "time"]].concat());
    assert!(error.contains("--detail names lines that were read in any order; leave out --order time"), "{error}");
    let error = fails(at, 2, &["credit", "--impressions", "-", "--clicks", "log/clicks.jsonl", "--detail"]);
    assert!(
        error.contains("--detail reads impressions and orders twice, and - can be read once; write it to a file"),
        "{error}"
    );
}

/// A table that something else made of the same log: of 10^5 users one has another outcome, or lies on another day.
#[test]
fn one_wrong_user_of_many_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ok(at, &["simulate", "--out", "log", "--impressions", "3e5", "--days", "5"]);
    let credit = ["credit", "--impressions", "log/impressions.jsonl", "--clicks", "log/clicks.jsonl", "--final"];
    ok(at, &[&credit[..], &["--out", "out", "--detail"]].concat());
    let units = rows(&at.join("out/detail-units.csv"));
    assert!(units.len() > 80_000, "{}", units.len());
    // Other columns in another order, the pair the other way round, days as timestamps.
    let table = |change: &dyn Fn(usize, &mut BTreeMap<String, String>)| {
        let mut text = "second,day,first,user,net\n".to_owned();
        for (number, row) in units.iter().enumerate().filter(|(_, row)| row["fate"] == "counted") {
            let mut row = row.clone();
            change(number, &mut row);
            let net = -row["net"].parse::<i64>().unwrap();
            text += &format!("{},{} 00:00:00,{},{},{net}\n", row["first"], row["day"], row["second"], row["unit"]);
        }
        std::fs::write(at.join("table.csv"), text).unwrap();
    };
    table(&|_, _| {});
    let said = ok(at, &["verify", "table.csv", "out"]);
    assert!(said.starts_with("Equal: ") && said.ends_with(" units.\n"), "{said}");
    let place = units.iter().position(|row| row["fate"] == "counted" && row["outcome"] == "1").unwrap();
    let (unit, day) = (&units[place]["unit"], &units[place]["day"]);
    for (column, value, expected) in [
        (
            "net",
            "-2",
            format!("table.csv has a win of B on {day}, counted.\n`credit` has a win of A on {day}, counted.\n"),
        ),
        (
            "day",
            "2025-12-31",
            format!("table.csv has a win of A on 2025-12-31, counted.\n`credit` has a win of A on {day}, counted.\n"),
        ),
    ] {
        table(&|number, row| {
            if number == place {
                row.insert(column.to_owned(), value.to_owned());
            }
        });
        let output = run(at, &["verify", "table.csv", "out"]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.starts_with("1 of ") && said.ends_with(&expected), "{said}");
        assert!(said.contains(&format!("The first: unit {unit}, A and B.\n")), "{said}");
    }
    for (text, expected) in [
        ("user,day,first,net\n", "table.csv: expected a column `second`, found user, day, first, net"),
        (
            "user,day,first,second,net\nu,2026-01-01,A,B,x\n",
            "table.csv:2: expected an outcome such as -1, 0 or 1, found `x`",
        ),
        (
            "user,day,first,second,net\nu,d,A,B,1\nu,e,B,A,1\n",
            "table.csv:3: unit `u` has a row of this pair before, of d",
        ),
    ] {
        std::fs::write(at.join("table.csv"), text).unwrap();
        assert!(fails(at, 2, &["verify", "table.csv", "out"]).contains(expected), "{expected}");
    }
    std::fs::create_dir(at.join("empty")).unwrap();
    let header = "unit,version,day,first,second,net,outcome,fate\n";
    for path in [at.join("empty/detail-units.csv"), at.join("table.csv")] {
        std::fs::write(path, header).unwrap();
    }
    assert!(fails(at, 1, &["verify", "table.csv", "empty"]).contains("has a unit that counts"));
    ok(at, &[&credit[..], &["--out", "plain"]].concat());
    assert!(fails(at, 2, &["verify", "table.csv", "plain"]).contains("pass --detail to `click-logs credit`"));
}
