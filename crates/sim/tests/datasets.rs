//! `rankduel datasets`, `rankduel inspect`, registered matrices and the binary cache, through the binary.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

fn sim(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("rankduel").expect("the binary is built with its tests");
    command.current_dir(folder).env("RANKDUEL_CACHE_DIR", folder.join("caches"));
    command.env("RANKDUEL_DATA_DIR", folder.join("data"));
    command
}

/// Standard output of a run that succeeds.
fn out(command: &mut Command) -> String {
    let run = command.output().expect("sim starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("text")
}

/// Two queries; feature 1 is the label, feature 2 its opposite, feature 3 always 0, feature 4 is 1 again.
fn write_data(folder: &Path) {
    let mut text = String::new();
    for (query, labels) in [(1, [0, 1, 2]), (2, [2, 0, 0])] {
        for label in labels {
            text += &format!("{label} qid:{query} 1:{label} 2:{} 3:0 4:{label}\n", 2 - label);
        }
    }
    fs::write(folder.join("data.txt"), text).expect("a writable folder");
}

#[test]
fn datasets_lists_what_is_installed() {
    let folder = TempDir::new().expect("a temporary folder");
    let listed = out(sim(folder.path()).arg("datasets"));
    for part in ["mslr-web30k", "31,531", "3,771,125", "ohsumed", "istella-s", "prefmat-mslr-perfect", "mslr-lookalike"]
    {
        assert!(listed.contains(part), "{part} in\n{listed}");
    }
    let line = |listed: &str| listed.lines().find(|line| line.contains("yandex ")).expect("a line").to_owned();
    assert!(line(&listed).contains(" no "), "{listed}");
    fs::create_dir_all(folder.path().join("data/yandex")).expect("a folder");
    fs::write(folder.path().join("data/yandex/imat2009_learning.txt"), "1 1:1 # 1\n").expect("a file");
    assert!(line(&out(sim(folder.path()).arg("datasets"))).contains(" train "), "only one split is installed");
}

#[test]
fn inspect_describes_a_data_set() {
    let folder = TempDir::new().expect("a temporary folder");
    write_data(folder.path());
    let report = out(sim(folder.path()).args(["inspect", "data.txt", "--out", "r"]));
    for part in [
        "queries             2",
        "6 (3 per query)",
        "4 (1 always 0)",
        "0               3  50.0 %",
        "duplicate features  1: 4 = 1",
        "feature 1 (arm 0)        1.0000  1.0000",
        "random order",
    ] {
        assert!(report.contains(part), "{part} in\n{report}");
    }
    for name in ["findings.json", "rankers.png", "rankers.svg", "documents.png", "documents.svg"] {
        assert!(folder.path().join("r").join(name).exists(), "{name}");
    }
    let json = out(sim(folder.path()).args(["inspect", "data.txt", "--out", "r", "--json"]));
    let findings: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(findings["documents"], 6);
    assert_eq!(findings["duplicates"], serde_json::json!([[4, 1]]));
    let ndcg = |arm: usize| findings["ndcg"][arm]["exponential"].as_f64().expect("a number");
    assert!(ndcg(0) == 1.0 && ndcg(3) == 1.0 && ndcg(1) < ndcg(2) && ndcg(2) < 1.0, "{findings}");

    fs::write(folder.path().join("bare.txt"), "-1 qid:1 1:2\n-1 qid:1 1:3\n").expect("a file");
    let report = out(sim(folder.path()).args(["inspect", "bare.txt", "--out", "bare"]));
    assert!(report.contains("no nDCG: some documents have no label"), "{report}");
    let run = sim(folder.path()).args(["inspect", "mslr-web30"]).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stderr).contains("did you mean `mslr-web30k`?"));
}

#[test]
fn a_registered_matrix_is_played_by_name() {
    let folder = TempDir::new().expect("a temporary folder");
    let play = |folder: &Path| {
        let mut command = sim(folder);
        let flags = ["--steps", "1e3", "--runs", "1", "--algorithms", "rucb", "--out", "r"];
        command.args(["bandit", "--matrix", "prefmat-mslr-perfect"]).args(flags);
        command
    };
    let run = play(folder.path()).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(1));
    let error = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(error.contains("MSLR-Perfect.txt") && error.contains("or give its files to --matrix"), "{error}");
    fs::create_dir_all(folder.path().join("data/prefmat-mslr-perfect")).expect("a folder");
    fs::write(folder.path().join("data/prefmat-mslr-perfect/MSLR-Perfect.txt"), "0.5 0.8\n0.2 0.5\n").expect("a file");
    out(&mut play(folder.path()));
}

/// Two processes that open the same data simultaneously, and one that uses their cache, give the same results as a run
/// without a cache.
#[test]
fn the_cache_changes_no_result() {
    let folder = TempDir::new().expect("a temporary folder");
    let mut text = Vec::new();
    let dataset = letor_io::lookalike::generate("mq2008-lookalike", 0.05, 1).expect("it is known");
    letor_io::write(&dataset, &letor_io::WriteOptions::default(), &mut text).expect("memory takes it");
    fs::write(folder.path().join("data.txt"), text).expect("a file");
    let run = |name: &str, more: &[&str]| {
        let flags = ["--rankers", "4", "--steps", "2e3", "--runs", "2", "--algorithms", "rucb,mergerucb", "--quiet"];
        out(sim(folder.path()).args(["--dataset", "data.txt", "--out", name]).args(flags).args(more));
    };
    std::thread::scope(|scope| {
        for name in ["one", "two"] {
            scope.spawn(move || run(name, &[]));
        }
    });
    let caches = || {
        let names = fs::read_dir(folder.path().join("caches"))
            .expect("a folder")
            .map(|entry| entry.expect("a file").file_name());
        names.filter(|name| name.to_string_lossy().ends_with("letor-cache")).count()
    };
    assert_eq!(caches(), 1);
    run("three", &["--threads", "1"]);
    run("without", &["--no-cache"]);
    for name in ["curves.csv", "runs.csv", "summary.json", "config.json", "regret.svg"] {
        let read = |run: &str| fs::read(folder.path().join(run).join(name)).expect("a result");
        for run in ["one", "two", "three"] {
            assert!(read(run) == read("without"), "{run}/{name}");
        }
    }
}

/// The rows of a data set large enough for a cache.
fn large(seed: u64) -> Vec<u8> {
    let dataset = letor_io::lookalike::generate("mq2008-lookalike", 0.05, seed).expect("it is known");
    let mut text = Vec::new();
    letor_io::write(&dataset, &letor_io::WriteOptions::default(), &mut text).expect("memory takes it");
    text
}

const SHORT: [&str; 8] = ["--rankers", "2", "--steps", "10", "--runs", "1", "--algorithms", "random"];

#[cfg(unix)]
#[test]
fn caches_are_in_the_users_folder_and_never_beside_the_data() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("data")).expect("a folder");
    fs::create_dir(at("home")).expect("a folder");
    fs::write(at("data/train.txt"), large(1)).expect("a file");
    let run = |variables: &[(&str, &str)]| {
        let mut command = Command::cargo_bin("rankduel").expect("the binary is built with its tests");
        command.current_dir(folder.path()).args(["--dataset", "data", "--out", "r", "--quiet"]).args(SHORT);
        for name in ["RANKDUEL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        out(&mut command);
        assert_eq!(fs::read_dir(at("data")).expect("a folder").count(), 1, "{variables:?}");
        fs::remove_dir_all(at("r")).expect("results");
    };
    let home = at("home").to_str().expect("text").to_owned();
    run(&[("HOME", &home)]);
    let caches = if cfg!(target_os = "macos") { "home/Library/Caches" } else { "home/.cache" };
    let caches = at(caches).join("online-ranker-evaluation");
    assert_eq!(fs::read_dir(&caches).expect("a cache").count(), 1);
    run(&[("HOME", &home), ("XDG_CACHE_HOME", &format!("{home}/xdg"))]);
    assert_eq!(fs::read_dir(at("home/xdg/online-ranker-evaluation")).expect("a cache").count(), 1);
    // No home, one that is not there, and folders that cannot be made: no cache, no error.
    run(&[]);
    run(&[("HOME", "/no/such/home")]);
    run(&[("HOME", &home), ("RANKDUEL_CACHE_DIR", "/dev/null/caches")]);
    run(&[("HOME", &home), ("XDG_CACHE_HOME", "/proc/caches")]);
}

#[test]
fn caches_are_listed_and_cleared() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    for (name, seed) in [("one.txt", 1), ("two.txt", 2), ("three.txt", 3)] {
        fs::write(at(name), large(seed)).expect("a file");
        out(sim(folder.path()).args(["--dataset", name, "--out", &format!("r-{name}"), "--quiet"]).args(SHORT));
    }
    let cache = |arguments: &[&str]| out(sim(folder.path()).arg("cache").args(arguments));
    let listed = cache(&[]);
    for part in ["one.txt ", "two.txt ", "three.txt ", " current ", "3 caches, 0."] {
        assert!(listed.contains(part), "{part} in\n{listed}");
    }
    fs::write(at("one.txt"), large(4)).expect("a file");
    fs::remove_file(at("two.txt")).expect("it is there");
    let json: serde_json::Value = serde_json::from_str(&cache(&["--json"])).expect("JSON");
    let mut states: Vec<&str> =
        json["caches"].as_array().expect("a list").iter().filter_map(|cache| cache["state"].as_str()).collect();
    states.sort_unstable();
    assert_eq!(states, ["current", "orphaned", "outdated"]);
    let run = sim(folder.path()).args(["cache", "clear", "four.txt"]).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&run.stderr).contains("no cache is of `four.txt`"));
    let run = sim(folder.path()).args(["cache", "clear", ""]).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(2), "nothing is not everything");
    assert!(cache(&["clear", "two.txt"]).starts_with("removed 1 cache, "));
    assert!(cache(&["clear"]).starts_with("removed 1 cache, "), "the outdated one");
    assert!(cache(&[]).contains("1 cache, 0."));
    assert!(cache(&["clear", "--all"]).starts_with("removed 1 cache, "));
    assert!(cache(&[]).starts_with("no caches in "));
    assert!(at("three.txt").exists());
}

/// Reading these would never end.
#[cfg(unix)]
#[test]
fn devices_and_pipes_are_refused_or_skipped() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::create_dir(folder.path().join("d")).expect("a folder");
    fs::write(folder.path().join("d/data.txt"), large(1)).expect("a file");
    let pipe = folder.path().join("d/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let run = |arguments: &[&str]| {
        let mut command = sim(folder.path());
        let run = command.args(arguments).timeout(std::time::Duration::from_secs(120)).output().expect("sim starts");
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (code, errors) = run(&["inspect", "d", "--out", "r"]);
    assert_eq!(code, Some(0), "{errors}");
    for (arguments, message) in [
        (&["inspect", "/dev", "--out", "r"][..], "has no data file"),
        (&["inspect", "/proc", "--out", "r"], "has no data file"),
        (&["inspect", "/dev/zero", "--out", "r"], "is a device or socket, expected a file"),
        (&["analyse", "--matrix", "/dev/zero", "--out", "r"], "it is a device or socket, expected a file"),
        (&["experiment", "/dev/zero", "--out", "r"], "it is a device or socket, expected a file"),
    ] {
        let (code, errors) = run(arguments);
        assert_eq!(code, Some(1), "{arguments:?}: {errors}");
        assert!(errors.contains(message) && errors.trim_end().lines().count() == 1, "{arguments:?}: {errors}");
    }
}
