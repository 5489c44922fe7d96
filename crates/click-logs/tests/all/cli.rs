//! The program `click-logs`, from the outside.

use std::path::Path;
use std::process::Output;

use click_logs::join::ImpressionFate;

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    assert_cmd::Command::cargo_bin("click-logs").unwrap().current_dir(folder).args(arguments).output().unwrap()
}

#[track_caller]
pub(crate) fn ok(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The only line on standard error.
#[track_caller]
pub(crate) fn fails(folder: &Path, code: i32, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    error
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

const CREDIT: [&str; 10] = [
    "credit",
    "--impressions",
    "log/impressions.jsonl",
    "--clicks",
    "log/clicks.jsonl",
    "--bots",
    "log/bots.toml",
    "--rankers",
    "A,B",
    "--final",
];

#[test]
fn a_change_of_the_experiment_is_the_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let more =
        ["--pages", "2", "--pinned", "0.2", "--left-out", "0.1", "--change-version-at", "0.5", "--bots", "0.003"];
    let simulate = [&["simulate", "--out", "log", "--impressions", "2e4", "--quality-gap", "0.6"][..], &more].concat();
    assert!(ok(at, &simulate).contains("simulated users"));
    let said = ok(at, &[&CREDIT[..], &["--out", "out"]].concat());
    for what in [
        " impressions show documents that were not mixed or were pinned: these places are nobody's.\n",
        " impressions leave out documents that were mixed above others: these were taken out before credit.\n",
        "\nversion                     first  second",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    for file in ["outcomes.csv", "fates.csv"] {
        assert_eq!(read(&at.join("out").join(file)), read(&at.join("log/truth").join(file)), "{file}");
    }
    let summary: serde_json::Value = serde_json::from_str(&read(&at.join("out/summary.json"))).unwrap();
    assert!(summary["impressions_with_pinned_places"].as_u64().unwrap() > 1_000);
    assert!(summary["impressions_with_documents_left_out"].as_u64().unwrap() > 1_000);
    assert_eq!(summary["versions"].as_array().unwrap().len(), 2);

    ok(at, &["decide", "out", "--out", "decided"]);
    let said = read(&at.join("decided/decision.txt"));
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("2 versions of simulated: ") && lines[0].contains(" until 2026-01-0"), "{said}");
    assert!(lines[0].ends_with("; they are two experiments, and each is judged alone."), "{said}");
    // Each ranker behaved as the other one had, so the winners differ, and neither contradicts the other.
    let verdict =
        |from: usize| lines[from..].iter().position(|line| line.starts_with("simulated@")).unwrap() + from + 1;
    let (first, second) = (verdict(1), verdict(verdict(1)));
    assert!(lines[first].starts_with("B beats A") && lines[second].starts_with("A beats B"), "{said}");
    let decision: serde_json::Value = serde_json::from_str(&read(&at.join("decided/decision.json"))).unwrap();
    assert_eq!(decision["change"], lines[0]);
    assert!(decision["pairs"].is_null() && decision["synthetic"] == true);
    assert_eq!(decision["versions"][1]["pairs"][0]["winner"], "A");
    assert!(read(&at.join("decided/win-rate.csv")).starts_with("version,day,first,second"));
    // One chart for each, turned towards its winner.
    let figure = read(&at.join("decided/win-rate.svg"));
    for panel in [">B against A</text>", ">A against B</text>"] {
        assert_eq!(figure.matches(panel).count(), 1, "{panel}");
    }
    // A table by itself gives the same result, and a version without outcomes is named.
    std::fs::write(at.join("alone.csv"), read(&at.join("out/outcomes.csv"))).unwrap();
    assert_eq!(ok(at, &["decide", "alone.csv"]).lines().next(), Some(lines[0]));
}

#[test]
fn fates_are_those_of_the_glossary() {
    const GLOSSARY: &str = include_str!("../../../../docs/pages/reference/glossary.md");
    let (_, of_lines) = GLOSSARY.split_once("Each line of impressions").unwrap();
    let rows = of_lines.lines().filter(|line| line.starts_with("| *"));
    let fates = ImpressionFate::ALL.iter().map(|fate| format!("| *{}* | {} |", fate.name(), fate.meaning()));
    assert!(rows.eq(fates), "{of_lines}");
}

#[test]
fn from_a_simulated_log_to_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let said = ok(at, &["simulate", "--out", "log", "--impressions", "2e4", "--bots", "0.003", "--quality-gap", "0.4"]);
    assert!(said.contains("click-logs credit --impressions log/impressions.jsonl"), "{said}");
    let said = ok(at, &[&CREDIT[..], &["--out", "out", "--set-aside"]].concat());
    assert!(said.starts_with("The log is simulated") && said.contains("click-logs decide out"), "{said}");
    for file in ["outcomes.csv", "fates.csv"] {
        assert_eq!(read(&at.join("out").join(file)), read(&at.join("log/truth").join(file)), "{file}");
    }
    let asides = read(&at.join("out/set-aside.csv"));
    assert!(
        asides.starts_with("what,reason,file,line\n")
            && asides.contains("\nimpression,duplicate,log/impressions.jsonl,")
    );
    // The same again, with little memory and one thread: the same bytes, and nothing left behind.
    let first = read(&at.join("out/summary.json"));
    ok(at, &[&CREDIT[..], &["--out", "out", "--memory", "1", "--threads", "1"]].concat());
    assert_eq!(read(&at.join("out/summary.json")), first);
    let mut names: Vec<String> = std::fs::read_dir(at.join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["config.json", "fates.csv", "outcomes.csv", "pages.csv", "summary.json"]);

    let said = ok(at, &["decide", "out"]);
    assert!(
        said.starts_with("B beats A: ") && said.contains("lines of impressions, ") && said.contains("simulated"),
        "{said}"
    );
    let json: serde_json::Value = serde_json::from_str(&ok(at, &["decide", "out", "--format", "json"])).unwrap();
    assert_eq!((json["pairs"][0]["winner"].as_str(), json["synthetic"].as_bool()), (Some("B"), Some(true)));
    assert!(
        ok(at, &["decide", "out", "--format", "csv"]).starts_with("day,first,second,wins,losses,ties,share,low,high")
    );
    ok(at, &["decide", "out", "--out", "decided"]);
    assert!(read(&at.join("decided/win-rate.svg")).contains("simulated"));
    assert_eq!(read(&at.join("decided/decision.txt")), said);
    // Another table than that of a folder.
    std::fs::copy(at.join("out/outcomes.csv"), at.join("table.csv")).unwrap();
    assert!(ok(at, &["decide", "table.csv"]).starts_with("B beats A: "));
}

#[test]
fn simulated_users_are_known_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let more = ["--rankers", "3", "--change-version-at", "0.5", "--bots", "0.003"];
    ok(at, &[&["simulate", "--out", "log", "--impressions", "2e4"][..], &more].concat());
    let credit = CREDIT.map(|word| if word == "A,B" { "A,B,C" } else { word });
    ok(at, &[&credit[..], &["--detail", "--out", "out"]].concat());
    assert!(ok(at, &["verify", "log/truth/units.csv", "out"]).starts_with("Equal: "));
    // The same in the order of time, and one that is wrong.
    ok(at, &[&["simulate", "--out", "sorted", "--impressions", "2e4", "--order", "time"][..], &more].concat());
    let units = read(&at.join("log/truth/units.csv"));
    assert_eq!(units, read(&at.join("sorted/truth/units.csv")));
    let at_net = units.rfind(",1\n").unwrap();
    std::fs::write(at.join("wrong.csv"), format!("{},-1\n{}", &units[..at_net], &units[at_net + 3..])).unwrap();
    assert_eq!(run(at, &["verify", "wrong.csv", "out"]).status.code(), Some(1));
}

#[test]
fn users_come_as_often_as_those_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let users: Vec<String> =
        [1, 1, 1, 2, 150].iter().map(|count| format!(r#"{{"val":"u","count":{count}}}"#)).collect();
    let facets = format!(r#"{{"parent_buckets":[{{"val":1,"count":155,"users":[{}]}}]}}"#, users.join(","));
    std::fs::write(at.join("facets.json"), facets).unwrap();
    let simulate = ["simulate", "--out", "log", "--impressions", "2e4", "--bots", "0", "--visits", "facets.json"];
    ok(at, &[&simulate[..], &["--doubles", "0", "--conflicts", "0"]].concat());
    ok(at, &[&CREDIT[..], &["--out", "out"]].concat());
    for file in ["outcomes.csv", "fates.csv"] {
        assert_eq!(read(&at.join("out").join(file)), read(&at.join("log/truth").join(file)), "{file}");
    }
    let mut of_users = std::collections::BTreeMap::<String, u64>::new();
    for line in read(&at.join("log/impressions.jsonl")).lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        *of_users.entry(line["user"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let with = |count: u64| of_users.values().filter(|seen| **seen == count).count() as f64 / of_users.len() as f64;
    // Five standard errors of a share among some 640 users.
    for (count, share) in [(1, 0.6), (2, 0.2), (150, 0.2)] {
        assert!(
            (with(count) - share).abs() < 5.0 * f64::sqrt(share * (1.0 - share) / of_users.len() as f64),
            "{count}"
        );
    }
    assert_eq!(with(1) + with(2) + with(150), 1.0);
    let failed = fails(at, 2, &["simulate", "--out", "short", "--visits", "facets.json", "--days", "2"]);
    assert!(failed.contains("a user with 150 lists; expected at most 120 in 2 days"), "{failed}");
}

#[test]
fn only_what_is_open_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let page = r#"{"impression":"p","user":"u","time":"2026-11-22T15:00:00Z","shown":["a","b"],"teams":["A","B"]}"#;
    let click = r#"{"impression":"p","document":"a","time":"2026-11-22T15:00:05Z"}"#;
    std::fs::write(at.join("i"), page).unwrap();
    std::fs::write(at.join("twice"), format!("{page}\n{}\n", page.replace("\"a\"", "\"c\""))).unwrap();
    std::fs::write(at.join("c"), click).unwrap();
    for (log, first, now) in [
        ("i", "Nothing to decide yet: 1 impression is open", "What now: Wait"),
        ("twice", "Nothing to decide: no impression counts.", "What now: Repair the log"),
    ] {
        ok(at, &["credit", "--impressions", log, "--clicks", "c", "--replace", "--out", "out"]);
        let said = ok(at, &["decide", "out"]);
        assert!(said.contains(first) && said.contains(now), "{said}");
    }
    std::fs::write(at.join("empty.csv"), read(&at.join("out/outcomes.csv"))).unwrap();
    let said = ok(at, &["decide", "empty.csv"]);
    assert!(said.contains("the table has no rows") && said.contains("--rankers"), "{said}");
}

#[test]
fn a_log_by_time_is_joined_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let simulate = ["simulate", "--impressions", "3e4", "--bots", "0.003", "--format", "csv", "--order", "time"];
    ok(at, &[&simulate[..], &["--out", "log"]].concat());
    ok(at, &[&simulate[..], &["--out", "packed", "--gzip"]].concat());
    for (log, file, order) in [("log", "csv", "time"), ("log", "csv", "any"), ("packed", "csv.gz", "time")] {
        let (impressions, clicks) = (format!("{log}/impressions.{file}"), format!("{log}/clicks.{file}"));
        let credit =
            ["credit", "--impressions", &impressions, "--clicks", &clicks, "--bots", "log/bots.toml", "--final"];
        let out = format!("{log}-{order}");
        ok(at, &[&credit[..], &["--order", order, "--threads", "1", "--out", &out]].concat());
        for file in ["outcomes.csv", "fates.csv"] {
            assert_eq!(read(&at.join(&out).join(file)), read(&at.join("log/truth").join(file)), "{out} {file}");
        }
    }
    let mut names: Vec<String> = std::fs::read_dir(at.join("packed"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["bots.toml", "clicks.csv.gz", "config.json", "impressions.csv.gz", "truth"]);
    // Lines that are set aside are named in any order.
    let credit = ["credit", "--impressions", "log/impressions.csv", "--clicks", "log/clicks.csv", "--out", "out"];
    let error = fails(at, 2, &[&credit[..], &["--order", "time", "--set-aside"]].concat());
    assert!(error.contains("leave out --order time"), "{error}");
}

#[test]
fn what_was_computed_is_never_replaced_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ok(at, &["simulate", "--out", "log", "--impressions", "500"]);
    ok(at, &[&CREDIT[..], &["--out", "out"]].concat());
    let before = read(&at.join("out/config.json"));
    let error = fails(at, 2, &[&CREDIT[..], &["--out", "out", "--window", "1h"]].concat());
    assert!(
        error.contains("out holds other results of `click-logs credit`: ") && error.contains("--replace"),
        "{error}"
    );
    assert_eq!(read(&at.join("out/config.json")), before);
    ok(at, &[&CREDIT[..], &["--out", "out", "--window", "1h", "--replace"]].concat());
    assert_eq!(read(&at.join("out.old-1/config.json")), before);
    let error = fails(at, 2, &["simulate", "--out", "log", "--impressions", "600"]);
    assert!(error.contains("log holds other results of `click-logs simulate`"), "{error}");
}

#[test]
fn a_page_is_one_file_with_everything() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ok(at, &["simulate", "--out", "log", "--impressions", "4e3", "--quality-gap", "0.6", "--days", "5"]);
    ok(at, &[&CREDIT[..], &["--out", "out"]].concat());
    let said = ok(at, &["decide", "out", "--html", "page.html"]);
    let page = read(&at.join("page.html"));
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    // The headline, a chart, its table, the lines set aside, and the whole text.
    for what in
        ["<h1>B beats A: ", "<svg class=\"plot\"", "Share of wins of B against A", "set aside", "bot", "simulated"]
    {
        assert!(page.contains(what), "{what}");
    }
    let first = said.lines().next().unwrap();
    assert!(page.contains(first), "{first}");
    // Nothing is loaded from anywhere: the only addresses name the language of drawings, in the icon.
    assert!(
        page.contains("default-src 'none'") && !page.contains("<script") && !page.contains("<link rel=\"stylesheet\"")
    );
    let addresses: Vec<&str> = page.split("://").skip(1).map(|rest| rest.split(['\'', '"']).next().unwrap()).collect();
    assert!(addresses.iter().all(|address| *address == "www.w3.org/2000/svg"), "{addresses:?}");
    assert_eq!(read(&at.join("page.html")), page);
    // The same log gives the same bytes; a file that is there stays.
    ok(at, &["decide", "out", "--html", "again.html"]);
    assert_eq!(read(&at.join("again.html")), page);
    let error = fails(at, 2, &["decide", "out", "--html", "page.html", "--out", "decided"]);
    assert!(error.contains("page.html is there already; name a file that is not"), "{error}");
    assert!(!at.join("decided").exists());
    // A single day is a point; hostile names are text.
    let header = "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties";
    std::fs::write(at.join("one.csv"), format!("{header}\n2026-11-22,a<b>,\"c&\"\"d\"\"\",30,20,5,60,40,9\n")).unwrap();
    ok(at, &["decide", "one.csv", "--html", "one.html"]);
    let one = read(&at.join("one.html"));
    assert!(one.contains("class=\"whisker\"") && one.contains("a&lt;b&gt;") && !one.contains("a<b>"), "{one}");
    assert!(!one.contains("NaN"));
    // Many rankers are a table and a matrix.
    ok(at, &["simulate", "--out", "many", "--impressions", "6e3", "--rankers", "9", "--days", "3"]);
    let many = [
        "credit",
        "--impressions",
        "many/impressions.jsonl",
        "--clicks",
        "many/clicks.jsonl",
        "--final",
        "--out",
        "all",
    ];
    ok(at, &many);
    ok(at, &["decide", "all", "--html", "all.html"]);
    let page = read(&at.join("all.html"));
    assert!(page.contains("Who beats whom") && page.matches("<tr").count() > 36);
}

#[test]
fn wrong_usage_and_failures_are_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("i"), r#"{"impression":"i1","time":1795001000,"session":"s","shown":["a"],"teams":["A"]}"#)
        .unwrap();
    std::fs::write(
        at.join("plain"),
        r#"{"query_id":"i1","timestamp":1795001000,"client_id":"s","query_response_hit_ids":["a"]}"#,
    )
    .unwrap();
    let line = r#"{"query_id":"i1","timestamp":1795001000,"user":"s","query_response_hit_ids":["a"]}"#;
    std::fs::write(at.join("doubled"), format!("{line}\n{line}\n{}\n", line.replace("i1", "i2"))).unwrap();
    std::fs::write(at.join("empty"), "").unwrap();
    std::fs::write(at.join("bots"), "max_click = 3").unwrap();
    let credit = |impressions, more: &[&'static str]| -> Vec<&str> {
        [&["credit", "--impressions", impressions, "--clicks", "empty", "--out", "out", "--final"][..], more].concat()
    };
    std::fs::write(at.join("clicks"), r#"{"impression":"i1","document":"a","time":1795001000}"#).unwrap();
    let with_clicks = |clicks, more: &[&'static str]| -> Vec<&str> {
        let log = ["credit", "--impressions", "i", "--clicks", clicks, "--unit", "session", "--final"];
        let out: &[&str] = if more.contains(&"--out") { &[] } else { &["--out", "out"] };
        [&log[..], out, more].concat()
    };
    for (code, arguments, expected) in [
        (2, credit("i", &[]), "no impression has a user; choose another unit: --unit session"),
        (2, credit("plain", &[]), "no impression has teams or a receipt"),
        (1, credit("empty", &[]), "have no lines"),
        (2, credit("doubled", &[]), "no impression has teams or a receipt"),
        (
            2,
            vec!["credit", "--impressions", "-", "--clicks", "-", "--out", "out"],
            "`-`, standard input, is named twice and can be read once",
        ),
        (2, credit("i", &["--bots", "bots"]), "bots:1:1: unknown field `max_click`"),
        (2, credit("i", &["--rankers", "A,B,A"]), "--rankers names A twice"),
        (1, credit("none", &[]), "none: cannot be opened"),
        (2, vec!["simulate", "--out", "log", "--late", "2"], "--late 2 is not a share"),
        (1, vec!["decide", "none"], "none: "),
        (
            2,
            vec!["credit"],
            "error: the following required arguments were not provided: --impressions <FILE>..., --clicks",
        ),
        (2, vec!["decode"], "error: unrecognized subcommand 'decode'; did you mean 'decide'? (see --help)"),
        (
            2,
            credit("i", &["--windw", "1h"]),
            "error: unexpected argument '--windw' found; did you mean '--window'? (see --help)",
        ),
        (2, credit("i", &["--window", "soon"]), "expected a length of time such as 30s"),
        (2, credit("i", &["--malformed", "keep"]), ": expected refuse or set-aside (see --help)"),
        (2, credit("i", &["--list-separator", "::"]), "'--list-separator <CHARACTER>'"),
        (2, credit("i", &["--until", "2026-11-22T15:04Z"]), "cannot be used with"),
        (2, with_clicks("clicks", &["--dwell", "30s"]), "--dwell 30s, but no click has a `dwell`"),
        (2, vec!["decide", "."], "no finished results of `click-logs credit`"),
        (1, vec!["decide", "i"], "i:1: found the columns `"),
    ] {
        let error = fails(at, code, &arguments);
        assert!(error.contains(expected), "{error}");
    }
    assert!(!at.join("out").exists() && !at.join("log").exists(), "nothing is left of what failed");
    // Help is printed.
    for arguments in [&["--help"][..], &["credit", "--help"], &["--version"]] {
        assert!(!ok(at, arguments).is_empty());
    }
    // Some clicks have dwell times: the others are unsatisfied.
    let two = "{\"impression\":\"i1\",\"document\":\"a\",\"time\":1795001000,\"dwell\":31}\n{\"impression\":\"i1\",\"document\":\"a\",\"time\":1795001000}\n";
    std::fs::write(at.join("two"), two).unwrap();
    let said = ok(at, &with_clicks("two", &["--dwell", "30s", "--out", "two-out", "--rankers", "A,B"][..]));
    assert!(said.contains("unsatisfied"), "{said}");
    let summary: serde_json::Value = serde_json::from_str(&read(&at.join("two-out/summary.json"))).unwrap();
    assert_eq!(summary["clicks_without_dwell"], 1);
    // Sessions are there.
    assert!(ok(at, &credit("i", &["--unit", "session", "--rankers", "A,B"])).contains("Who won"));
}

#[test]
fn the_commands_of_the_readme_parse() {
    let text = include_str!("../../README.md").replace("\\\n", " ");
    let commands = text.lines().filter_map(|line| line.strip_prefix("cargo run --release -p click-logs -- "));
    let mut count = 0;
    for command in commands {
        let words = command.split('#').next().unwrap_or("").split_whitespace();
        let parsed = click_logs::cli::command().try_get_matches_from(std::iter::once("click-logs").chain(words));
        assert!(parsed.is_ok(), "{command}: {}", parsed.unwrap_err());
        count += 1;
    }
    assert!(count >= 3);
}

#[test]
fn wrong_usage_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (&[][..], "error: no command was given; expected credit, decide, simulate, sql or verify"),
        (&["bogus"], "error: unrecognized subcommand 'bogus'"),
        (&["credit"], "error: the following required arguments were not provided: "),
        (&["decide", "a", "--lvel", "2"], "error: unexpected argument '--lvel' found"),
        (&["simulate", "--out", "a", "--impressions", "x\ny"], "found `x\\ny`"),
        (&["credit", "--malformed", "\u{7}x"], "invalid value '"),
        (&["credit", "--malformed", "\u{1b}[2J"], "invalid value '"),
    ] {
        let error = fails(folder.path(), 2, arguments);
        assert!(error.contains(expected) && !error.contains('\u{1b}'), "{error}");
    }
}

#[test]
fn results_stay_until_those_that_replace_them_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ok(at, &["simulate", "--out", "log", "--impressions", "2e3"]);
    ok(at, &[&CREDIT[..], &["--out", "out"]].concat());
    let before = read(&at.join("out/outcomes.csv"));
    std::fs::write(at.join("bad.jsonl"), "no JSON\n").unwrap();
    let wrong = ["credit", "--impressions", "bad.jsonl", "--clicks", "log/clicks.jsonl", "--out", "out", "--replace"];
    let output = run(at, &wrong);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(read(&at.join("out/outcomes.csv")), before);
    let names = || {
        let entries = std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["bad.jsonl", "log", "out"]);
    ok(at, &[&CREDIT[..], &["--out", "out", "--unit", "session", "--replace", "--set-aside"]].concat());
    assert_eq!(names(), ["bad.jsonl", "log", "out", "out.old-1"]);
    assert_eq!(read(&at.join("out.old-1/outcomes.csv")), before);
    // Nothing of the way there is left in it.
    let hidden = std::fs::read_dir(at.join("out"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0);
}
