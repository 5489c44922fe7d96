//! Serving of impressions: keyed streams, and answers that come late, in batches, or never.

use std::fs;
use std::path::Path;

use crate::common::{TINY, files, sim, text, tree};
use serde_json::Value;
use tempfile::TempDir;

/// Runs a command that succeeds; returns its output.
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
    let sizes = ["rucb", "--steps", "300", "--runs", "2", "--impressions-per-pair", "200", "--out"];
    said(here, &[&compare[..], &sizes, &["usual"]].concat());
    said(here, &[&compare[..], &sizes, &["keyed", "--streams", "keyed"]].concat());
    let curves = |folder: &str, half: &str| fs::read(here.join(folder).join(half).join("curves.csv")).expect("curves");
    assert_eq!(curves("usual", "proxy"), curves("keyed", "proxy"));
    assert_ne!(curves("usual", "live"), curves("keyed", "live"));
    assert_eq!(fs::read(here.join("usual/proxy.npy")).unwrap(), fs::read(here.join("keyed/proxy.npy")).unwrap());
}

const MATRIX: [&str; 9] = [
    "bandit",
    "--problem",
    "arithmetic:k=8",
    "--algorithms",
    "rucb,mergerucb,mdb,btm",
    "--runs",
    "3",
    "--steps",
    "4e3",
];

#[test]
fn late_answers_are_named_everywhere_and_kept_apart() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let play = |flags: &[&str]| said(here, &[&MATRIX[..], flags].concat());
    let usual = play(&[]);
    let [plain] = &results(here)[..] else { panic!("one folder") };
    let before = tree(&here.join("results").join(plain));
    // Flags that change nothing make the same study.
    play(&["--delay", "0", "--batch", "1", "--lost", "0"]);
    assert_eq!(&results(here), std::slice::from_ref(plain));
    assert_eq!(tree(&here.join("results").join(plain)), before);
    let config = json(&here.join("results").join(plain).join("config.json"));
    assert!(["delay", "batch", "lost"].iter().all(|key| config.get(key).is_none()), "{config}");
    assert!(!usual.contains("late"), "{usual}");

    let late = play(&["--delay", "100", "--batch", "20", "--lost", "0.1", "--threads", "1"]);
    let words = "answers 100 impressions late, in batches of 20; 10% never come";
    assert!(late.contains(words) && late.contains("under way at the end: "), "{late}");
    assert!(late.contains("waited unused in queues at the end: btm "), "{late}");
    let name = format!("{plain}-delay-100-batch-20-lost-0.1");
    assert_eq!(results(here), [plain.clone(), name.clone()]);
    let results = here.join("results").join(name);
    let config = json(&results.join("config.json"));
    assert_eq!((&config["delay"], &config["batch"], &config["lost"]), (&"100".into(), &20.into(), &0.1.into()));
    let figure = fs::read_to_string(results.join("regret.svg")).expect("text");
    assert!(figure.contains("answers 100 impressions late"), "the title names the delay");
    for summary in json(&results.join("summary.json")).as_array().expect("a list") {
        let answers = |key: &str| summary["answers"][key].as_f64().expect(key);
        // tidy: allow told: a key of summary.json
        let [tickets, answered, forgotten, open] = ["tickets", "told", "forgotten", "open"].map(answers);
        assert!((tickets - answered - forgotten - open).abs() < 1e-9, "{summary}");
        // Lost with probability 0.1 each: five standard deviations of the mean of three runs.
        let resolved = answered + forgotten;
        assert!((forgotten - 0.1 * resolved).abs() < 5.0 * (resolved * 0.09 / 3.0).sqrt(), "{summary}");
    }

    // The same bytes for any number of threads, and after an extension.
    let flags = ["--delay", "100", "--batch", "20", "--lost", "0.1", "--threads", "4", "--out", "again"];
    said(here, &[&MATRIX[..5], &["--runs", "2", "--steps", "4e3"], &flags].concat());
    said(here, &[&MATRIX[..], &flags].concat());
    assert_eq!(tree(&here.join("again")), tree(&results));
    let line = refused(here, &[&MATRIX[..], &["--out", "again"]].concat());
    assert!(line.contains("its batch is 20, not null"), "{line}");
}

#[test]
fn delays_from_a_file_live_and_at_horizons() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("delays.txt"), "# impressions\n10\n0\n300\n").expect("a writable folder");
    let late = ["--delay", "delays.txt", "--steps", "500", "--out", "live"];
    let printed = said(here, &[&LIVE[..], &late].concat());
    assert!(printed.contains("answers as late as in delays.txt"), "{printed}");
    let delay = json(&here.join("live/config.json"))["delay"].as_str().expect("text").to_owned();
    assert!(delay.starts_with("delays.txt-"), "{delay}");
    said(here, &[&LIVE[..], &late[..4], &["--streams", "keyed", "--threads", "2", "--out", "keyed"]].concat());
    said(here, &[&LIVE[..], &late[..4], &["--streams", "keyed", "--threads", "1", "--out", "keyed-1"]].concat());
    assert_eq!(tree(&here.join("keyed")), tree(&here.join("keyed-1")));
    // Another file of the same name is another study.
    fs::write(here.join("delays.txt"), "10\n0\n301\n").expect("a writable folder");
    let line = refused(here, &[&LIVE[..], &late].concat());
    assert!(line.contains("delay"), "{line}");

    let explore =
        ["--setting", "explore-then-exploit", "--horizons", "500,4000", "--delay", "geometric:50", "--out", "e"];
    let printed = said(here, &[&MATRIX[..7], &explore].concat());
    assert!(printed.contains("answers 50 impressions late on average (geometric)"), "{printed}");
    assert_eq!(json(&here.join("e/config.json"))["delay"], "geometric:50");
}

#[test]
fn lateness_is_refused_in_one_line() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("words.txt"), "3\nsoon\n").expect("a writable folder");
    for (flags, expected) in [
        (&["--delay", "tomorrow"][..], "--delay tomorrow: expected impressions (1000), geometric:MEAN, or a file"),
        (&["--delay", "words.txt"], "words.txt, line 2: expected a delay in impressions, e.g. 1000, found `soon`"),
        (&["--delay", "4000"], "the first answer comes after impression 4,001, and runs have 4,000 steps"),
        (&["--batch", "5000"], "--batch: the first answer comes after impression 5,000"),
        (&["--batch", "0"], "--batch"),
        (&["--lost", "1"], "expected a probability below 1"),
        (&["--lost", "-0.1"], "expected a probability below 1"),
    ] {
        let line = refused(here, &[&MATRIX[..], flags].concat());
        assert!(line.contains(expected), "{flags:?}: {line}");
    }
    assert!(!here.join("results").exists(), "nothing was written");
}

/// Outcomes of five days, the rankers `new`, `old` and `other`: `new` wins 60% of the decided impressions.
fn outcomes(folder: &Path) {
    let mut text =
        "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties\n"
            .to_owned();
    for day in 1..=5 {
        for (first, second, won, lost) in
            [("new", "old", 600, 400), ("old", "other", 500, 500), ("other", "new", 400, 600)]
        {
            text += &format!("2026-11-0{day},{first},{second},9,9,9,{won},{lost},200\n");
        }
    }
    fs::write(folder.join("outcomes.csv"), text).expect("a writable folder");
}

#[test]
fn days_of_a_log_make_the_table_of_the_next() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    outcomes(here);
    let plan = ["bandit", "--from-outcomes", "outcomes.csv", "--impressions-per-day", "4000"];
    let with = |more: &[&'static str]| [&plan[..], more].concat();
    let said_first = said(here, &with(&["--algorithms", "rucb,dts,btm", "--out", "plan"]));
    assert!(said_first.starts_with("The next day's 4,000 impressions, after 5 days until 2026-11-05:"), "{said_first}");
    assert!(said_first.contains("rucb (best: new)") && said_first.contains("dts (best: new)"), "{said_first}");
    let csv = fs::read_to_string(here.join("plan/plan.csv")).expect("a file");
    let mut rows = csv.lines();
    assert_eq!(rows.next(), Some("algorithm,first,second,impressions,share,label"));
    assert!(
        rows.all(|row| row.split(',').count() == 6 && [",rucb", ",dts", ",btm"].iter().any(|end| row.ends_with(end)))
    );
    let json = json(&here.join("plan/plan.json"));
    for algorithm in json["plans"].as_array().expect("plans") {
        let shares = algorithm["shares"].as_array().expect("shares");
        let sum: u64 = shares.iter().map(|share| share["impressions"].as_u64().expect("a number")).sum();
        assert_eq!(sum, 4_000);
        let used = ["planned", "further", "unused"].map(|part| algorithm[part].as_u64().expect("a number"));
        assert_eq!(used.iter().sum::<u64>(), 5 * 3 * 1_200, "{algorithm}");
        assert!(used[0] > 0, "{algorithm}");
    }
    // RUCB's plan shows the best arm most of the time.
    let shown = |algorithm: usize, ranker: &str| -> u64 {
        let shares = json["plans"][algorithm]["shares"].as_array().expect("shares");
        let with = shares.iter().filter(|share| share["rankers"].as_array().expect("names").contains(&ranker.into()));
        with.map(|share| share["impressions"].as_u64().expect("a number")).sum()
    };
    assert!(shown(0, "new") > 2_000 && shown(1, "new") > 2_000, "{csv}");
    // The same again; another seed; fewer days; a folder with a summary.
    said(here, &with(&["--algorithms", "rucb,dts,btm", "--out", "again"]));
    assert_eq!(fs::read_to_string(here.join("again/plan.csv")).expect("a file"), csv);
    let until = said(here, &with(&["--algorithms", "rucb", "--until", "2026-11-02"]));
    assert!(until.contains("after 2 days until 2026-11-02"), "{until}");
    let table = fs::read_to_string(here.join("outcomes.csv")).expect("a table");
    let summary = serde_json::json!({"rankers": ["other", "old", "new"], "last_closed_day": "2026-11-03"});
    let sealed = click_logs::outcomes::sealed_summary(&summary, &table).expect("a summary");
    fs::write(here.join("summary.json"), serde_json::to_string(&sealed).expect("JSON")).expect("a writable folder");
    let closed = said(here, &["bandit", "--from-outcomes", ".", "--algorithms", "rucb"]);
    assert!(closed.contains("after 3 days until 2026-11-03") && closed.contains("100,000 impressions"), "{closed}");
}

#[test]
fn days_that_cannot_be_learnt_from_are_refused() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    outcomes(here);
    // The reader is the one of `click-logs decide`: both refuse the same tables.
    let header = "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties\n";
    for (name, line) in [
        ("count", "2026-11-01,a,b,1,1,0,1,-1,0"),
        ("units", "2026-11-01,a,b,1,x,0,1,1,0"),
        ("date", "1.11.2026,a,b,1,1,0,1,1,0"),
        ("leap", "2026-02-30,a,b,1,1,0,1,1,0"),
        ("self", "2026-11-01,a,a,1,1,0,1,1,0"),
        ("short", "2026-11-01,a,b,1,1,0"),
    ] {
        fs::write(here.join(name), format!("{header}{line}\n")).expect("a writable folder");
    }
    fs::write(here.join("other"), "a,b\n1,2\n").expect("a writable folder");
    fs::write(here.join("none"), header).expect("a writable folder");
    let versions = ["1", "2"].map(|version| format!("{version},2026-11-01,a,b,1,1,0,1,1,0\n")).concat();
    fs::write(here.join("versions"), format!("version,{header}{versions}")).expect("a writable folder");
    for (file, more, expected) in [
        ("count", &[][..], "count:2: "),
        ("date", &[], "date:2: `day` is `1.11.2026`, not a date"),
        ("units", &[], "units:2: `unit_losses` is `x`, not a count"),
        ("leap", &[], "leap:2: `day` is `2026-02-30`, not a date"),
        ("short", &[], "short:2: 6 fields"),
        ("self", &[], "self:2: `a` against itself"),
        ("other", &[], "other:1: found the columns `a,b` and no day, first, second,"),
        ("none", &[], "no two rankers"),
        (
            "versions",
            &[],
            "versions has outcomes of 2 versions of the experiment (1, 2), which are experiments of their own",
        ),
        ("outcomes.csv", &["--algorithms", "mdb"], "chooses sets of rankers"),
    ] {
        let line = refused(here, &[&["bandit", "--from-outcomes", file][..], more].concat());
        assert!(line.contains(expected), "{line}");
    }
    // Nothing is simulated.
    let run =
        sim(here).args(["bandit", "--from-outcomes", "outcomes.csv", "--steps", "10"]).output().expect("sim starts");
    assert!(run.status.code() == Some(2) && text(&run.stderr).contains("--steps"), "{}", text(&run.stderr));
}
