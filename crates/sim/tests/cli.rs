//! Live runs, `rankduel bandit` and the outputs that all commands share, through the binary.

use std::fs;

use crate::common::{TINY, files, sim, text};
use tempfile::TempDir;

/// Flags of a live run of a second or so.
const SMALL: [&str; 10] =
    ["--dataset", "mslr-lookalike:0.003", "--rankers", "12", "--steps", "5e3", "--runs", "2", "--truth-effort", "0.05"];

#[test]
fn a_live_run_writes_all_files_and_prints_a_table() {
    let folder = TempDir::new().expect("a temporary folder");
    let run = sim(folder.path()).args(SMALL).args(["--out", "r"]).output().expect("sim starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let table = text(&run.stdout);
    for word in ["Condorcet winner", "regret", "mergerucb", "rmed1", "mdb", "synthetic data"] {
        assert!(table.contains(word), "no `{word}` in:\n{table}");
    }
    let names: Vec<String> = files(&folder.path().join("r")).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["config.json", "curves.csv", "regret.png", "regret.svg", "runs.csv", "summary.json"]);
    assert!(folder.path().join("r/timings.json").exists());

    // Regret never falls, and every algorithm has a row at the last step.
    let curves = fs::read_to_string(folder.path().join("r/curves.csv")).expect("curves.csv is text");
    let mut last: Option<(String, f64)> = None;
    let mut ends = 0;
    for line in curves.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let regret: f64 = fields[3].parse().expect("a number");
        if let Some((algorithm, before)) = &last
            && algorithm == fields[0]
        {
            assert!(regret >= *before, "{line}");
        }
        ends += usize::from(fields[1] == "5000");
        last = Some((fields[0].to_owned(), regret));
    }
    assert_eq!(ends, 5);
    let figure = fs::read_to_string(folder.path().join("r/regret.svg")).expect("the figure is text");
    assert!(figure.contains("synthetic"), "a figure of synthetic data says so");
}

#[test]
fn threads_change_no_byte() {
    let folder = TempDir::new().expect("a temporary folder");
    for (threads, out) in [("1", "one"), ("2", "two"), ("5", "five")] {
        let cache = format!("cache-{out}");
        let args = ["--threads", threads, "--out", out, "--cache", &cache, "--quiet"];
        sim(folder.path()).args(SMALL).args(args).assert().success();
    }
    let one = files(&folder.path().join("one"));
    assert_eq!(one, files(&folder.path().join("two")));
    assert_eq!(one, files(&folder.path().join("five")));
}

#[test]
fn a_cached_ground_truth_changes_no_byte() {
    let folder = TempDir::new().expect("a temporary folder");
    for out in ["first", "second"] {
        sim(folder.path()).args(SMALL).args(["--out", out, "--quiet"]).assert().success();
    }
    assert_eq!(files(&folder.path().join("first")), files(&folder.path().join("second")));
}

#[test]
fn another_seed_gives_another_result() {
    let folder = TempDir::new().expect("a temporary folder");
    for seed in ["1", "2"] {
        sim(folder.path()).args(SMALL).args(["--seed", seed, "--out", seed, "--quiet"]).assert().success();
    }
    assert_ne!(files(&folder.path().join("1")), files(&folder.path().join("2")));
}

#[test]
fn a_longer_run_continues_a_shorter_one() {
    let folder = TempDir::new().expect("a temporary folder");
    let curves = |steps: &str| {
        sim(folder.path())
            .args([
                "--dataset",
                "mslr-lookalike:0.003",
                "--rankers",
                "12",
                "--runs",
                "2",
                "--algorithms",
                "rucb,rmed1,mdb",
            ])
            .args(["--steps", steps, "--out", steps, "--quiet"])
            .assert()
            .success();
        fs::read_to_string(folder.path().join(steps).join("curves.csv")).expect("curves.csv is text")
    };
    let (short, long) = (curves("1000"), curves("10000"));
    for line in short.lines() {
        assert!(long.lines().any(|other| other == line), "not in the longer run: {line}");
    }
}

#[test]
fn a_matrix_made_by_proxy_can_be_played() {
    let folder = TempDir::new().expect("a temporary folder");
    sim(folder.path())
        .args(["proxy", "--dataset", "mslr-lookalike:0.003", "--rankers", "8", "--impressions-per-pair", "500"])
        .args(["--quiet", "--out", "P.npy"])
        .assert()
        .success();
    assert!(folder.path().join("P.json").exists());
    let run = sim(folder.path())
        .args(["bandit", "--matrix", "P.npy", "--steps", "2000", "--runs", "3", "--json", "--out", "b"])
        .output()
        .expect("sim starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let summary: serde_json::Value = serde_json::from_slice(&run.stdout).expect("the summary is JSON");
    assert_eq!(summary.as_array().map(Vec::len), Some(5));
    assert_eq!(summary[0]["runs"], 3);

    // The description beside the matrix gives the features of its arms, also of a part of them.
    let account: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("P.json")).expect("P.json")).expect("JSON");
    let rankers = account["site"]["rankers"].as_array().expect("a list");
    let said = |args: &[&str]| {
        let run = sim(folder.path()).args(args).arg("--quiet").output().expect("sim starts");
        assert!(run.status.success(), "{args:?}: {}", text(&run.stderr));
        text(&run.stdout)
    };
    let bandit = ["bandit", "--matrix", "P.txt", "--steps", "100", "--runs", "1", "--algorithms", "rucb"];
    for arms in [[3, 5], [5, 3]] {
        let table = said(&[&bandit[..], &["--arms", &format!("{},{}", arms[0], arms[1])]].concat());
        let named = |arm: usize| format!("feature {} (arm {arm})", rankers[arms[arm]]);
        assert!(table.contains(&named(0)) && table.contains(&named(1)), "{table}");
    }
    assert!(said(&["analyse", "--matrix", "P.counts.npz"]).contains("feature "));
    for arms in [&[][..], &["--arms", "3,5,6"]] {
        let args =
            [&["analyse", "--matrix", "P.npy", "--against", "P.txt", "--out", "a", "--replace"][..], arms].concat();
        assert!(said(&args).contains("feature "));
        for (file, column) in [("ranking.csv", 2), ("cycles.csv", 3), ("difference.csv", 2)] {
            let table = fs::read_to_string(folder.path().join("a").join(file)).expect("a table");
            let named = table.lines().next().and_then(|header| header.split(',').nth(column));
            assert!(named.is_some_and(|name| name.ends_with("feature")), "{file}: {named:?}");
        }
    }
    // It is ignored beside another matrix.
    fs::copy(folder.path().join("P.json"), folder.path().join("Q.json")).expect("a copy");
    fs::write(folder.path().join("Q.txt"), "0.5 0.7\n0.3 0.5\n").expect("a writable folder");
    assert!(!said(&["analyse", "--matrix", "Q.txt"]).contains("feature "));
}

#[test]
fn equal_arms_have_no_winner() {
    let folder = TempDir::new().expect("a temporary folder");
    for (matrix, expected) in [
        ("0.5 0.5\n0.5 0.5\n", "no Condorcet winner: all arms are equal"),
        ("0.5 0.5 0.9\n0.5 0.5 0.9\n0.1 0.1 0.5\n", "no Condorcet winner: 2 arms are unbeaten, among them arm 0"),
    ] {
        fs::write(folder.path().join("P.txt"), matrix).expect("a writable folder");
        let run =
            sim(folder.path()).args(["bandit", "--matrix", "P.txt", "--steps", "10"]).output().expect("sim starts");
        assert!(text(&run.stdout).contains(expected), "{}", text(&run.stdout));
    }
}

#[test]
fn problems_are_played_by_name() {
    let folder = TempDir::new().expect("a temporary folder");
    for (problem, winner) in [("1good5poor", "arm 0"), ("arithmetic:k=6", "arm 0")] {
        let run = sim(folder.path())
            .args(["bandit", "--problem", problem, "--algorithms", "rmed1,mdb", "--steps", "1e5", "--runs", "2"])
            .args(["--quiet", "--out", problem])
            .output()
            .expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        let table = text(&run.stdout);
        assert!(table.contains(&format!("Condorcet winner: {winner}")) && table.contains("100%"), "{table}");
    }
}

#[test]
fn without_a_condorcet_winner_regret_is_by_copeland_score() {
    let folder = TempDir::new().expect("a temporary folder");
    // 0 beats 1, 1 beats 2, 2 beats 0, and all beat 3.
    let matrix = "0.5 0.7 0.3 0.8\n0.3 0.5 0.7 0.8\n0.7 0.3 0.5 0.8\n0.2 0.2 0.2 0.5\n";
    fs::write(folder.path().join("P.txt"), matrix).expect("a writable folder");
    let run = sim(folder.path())
        .args(["bandit", "--matrix", "P.txt", "--algorithms", "ccb,random", "--steps", "1e4", "--runs", "2"])
        .args(["--quiet", "--out", "r"])
        .output()
        .expect("sim starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(text(&run.stdout).contains("no Condorcet winner; regret is the Copeland score"), "{}", text(&run.stdout));
}

#[test]
fn explore_then_exploit_runs_again_for_algorithms_that_use_the_horizon() {
    let folder = TempDir::new().expect("a temporary folder");
    let explore = |threads: &str, out: &str| {
        let run = sim(folder.path())
            .args(["bandit", "--problem", "arithmetic:k=6", "--algorithms", "rucb,savage", "--runs", "4"])
            .args(["--setting", "explore-then-exploit", "--horizons", "3e4,100,2e3", "--json", "--quiet"])
            .args(["--threads", threads, "--out", out])
            .output()
            .expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        serde_json::from_slice::<serde_json::Value>(&run.stdout).expect("the summary is JSON")
    };
    let summary = explore("2", "a");
    assert_eq!(summary.as_array().map(Vec::len), Some(6));
    assert_eq!((&summary[0]["horizon"], &summary[2]["horizon"]), (&100.into(), &30_000.into()));
    assert_eq!((&summary[2]["accuracy"], &summary[2]["runs"]), (&1.0.into(), &4.into()));
    assert!(summary[0]["regret"]["mean"].as_f64() < summary[1]["regret"]["mean"].as_f64());
    let lines = |file: &str| fs::read_to_string(folder.path().join("a").join(file)).expect(file).lines().count();
    assert_eq!((lines("horizons.csv"), lines("runs.csv")), (1 + 6, 1 + 24));
    assert!(folder.path().join("a/accuracy.svg").exists() && folder.path().join("a/regret.png").exists());

    // One thread gives the same bytes.
    assert_eq!(explore("1", "b"), summary);
    for file in ["runs.csv", "horizons.csv", "summary.json", "accuracy.svg"] {
        let bytes = |out: &str| fs::read(folder.path().join(out).join(file)).expect(file);
        assert!(bytes("a") == bytes("b"), "{file}");
    }
}

#[test]
fn files_and_tables_identify_arms() {
    let folder = TempDir::new().expect("a temporary folder");
    let row = |i: usize| (0..12).map(|j| format!("{:.2} ", 0.5 + 0.04 * (j as f64 - i as f64))).collect::<String>();
    let rows: Vec<String> = (0..12).map(row).collect();
    fs::write(folder.path().join("P.txt"), rows.join("\n")).expect("a writable folder");
    let play = |more: &[&str]| {
        let usual = ["--steps", "3e3", "--runs", "1", "--algorithms", "rucb"];
        let run = sim(folder.path()).args(more).args(usual).output().expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        text(&run.stdout)
    };
    let runs = |out: &str| {
        let runs = fs::read_to_string(folder.path().join(out).join("runs.csv")).expect("runs.csv is text");
        runs.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let printed = play(&["bandit", "--matrix", "P.txt", "--arms", "9,4,11", "--out", "chosen"]);
    let table = ["Condorcet winner: arm 4 (1 of those chosen)", "over arm 9 (0 of those chosen)"];
    assert!(table.iter().all(|part| printed.contains(part)), "{printed}");
    assert!(
        printed.contains("100%  arm 4 (1 of those chosen)\n") && printed.contains("a single run of 3,000 steps"),
        "{printed}"
    );
    let found = runs("chosen");
    assert!(
        found[0].ends_with("regret,recommended_arm,recommended_arm_in_matrix,recommended_is_best,label"),
        "{found:?}"
    );
    assert!(found[1].ends_with(",1,4,true,rucb"), "{found:?}");
    let config = fs::read_to_string(folder.path().join("chosen/config.json")).expect("config.json is text");
    assert!(config.contains("\"winners\": [1],") && config.contains("\"winners_in_matrix\": [4]"), "{config}");
    assert!(config.contains("\"arms_in_matrix\": [9, 4, 11],"), "{config}");
    let explore = ["--setting", "explore-then-exploit", "--out", "explored"];
    sim(folder.path())
        .args(["bandit", "--matrix", "P.txt", "--arms", "9,4,11", "--algorithms", "rucb", "--runs", "1"])
        .args(["--horizons", "3e3"])
        .args(explore)
        .assert()
        .success();
    assert!(runs("explored")[1].ends_with(",1,4,true,rucb"), "{:?}", runs("explored"));

    // All arms of a matrix have one number only; feature rankers also have a feature.
    play(&["bandit", "--matrix", "P.txt", "--out", "all"]);
    assert!(runs("all")[0].ends_with("regret,recommended_arm,recommended_is_best,label"));
    play(&["--dataset", "mslr-lookalike:0.003", "--rankers", "5,110,3", "--out", "live"]);
    let found = runs("live");
    assert!(found[0].ends_with("regret,recommended_arm,recommended_feature,recommended_is_best,label"), "{found:?}");
    assert!(
        [",0,3,", ",0,5,", ",1,5,", ",1,110,", ",2,110,", ",2,3,"].iter().any(|ends| found[1].contains(ends)),
        "{found:?}"
    );
}

#[test]
fn a_folder_holds_the_results_of_one_command() {
    let folder = TempDir::new().expect("a temporary folder");
    let bandit = ["bandit", "--problem", "1good5poor", "--algorithms", "rucb", "--steps", "100", "--runs", "1"];
    let bandit = |more: &[&str]| {
        let run = sim(folder.path()).args(bandit).arg("--quiet").args(more).output().expect("sim starts");
        (run.status.code(), text(&run.stderr))
    };
    assert_eq!(bandit(&["--out", "r"]).0, Some(0));
    assert_eq!(bandit(&["--out", "r"]).0, Some(0), "the same command again");
    assert_eq!(bandit(&["--out", "r", "--seed", "2"]).0, Some(2), "another seed");
    let before = files(&folder.path().join("r"));
    for other in [
        &["bandit", "--problem", "1good5poor", "--setting", "explore-then-exploit"][..],
        &["inspect", TINY],
        &["sensitivity", "--dataset", TINY],
        &["--dataset", TINY],
    ] {
        let run = sim(folder.path()).args(other).args(["--out", "r", "--quiet"]).output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{other:?}: {message}");
        assert!(message.contains("r holds results of `bandit`") && message.lines().count() == 1, "{message}");
    }
    assert_eq!(files(&folder.path().join("r")), before);

    // Folder names distinguish the arms, the seed, and files with other content.
    let results = folder.path().join("results");
    let names = || -> Vec<String> {
        let entries = fs::read_dir(&results).into_iter().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let write = |text: &str| fs::write(folder.path().join("P.txt"), text).expect("a writable folder");
    write("0.5 0.7 0.8\n0.3 0.5 0.7\n0.2 0.3 0.5\n");
    let matrix = ["bandit", "--matrix", "P.txt", "--algorithms", "rucb", "--steps", "100", "--runs", "1", "--quiet"];
    for (more, ending) in
        [(&[][..], ""), (&["--arms", "2", "--seed", "5"], "-random-2-seed-5"), (&["--arms", "2,0"], "-arms-2-0")]
    {
        let before = names();
        sim(folder.path()).args(matrix).args(more).assert().success();
        let new: Vec<String> = names().into_iter().filter(|name| !before.contains(name)).collect();
        assert!(new.len() == 1 && new[0].starts_with("bandit-P.txt-") && new[0].ends_with(ending), "{new:?}");
        assert!(results.join(&new[0]).join("config.json").exists());
    }
    let before = names();
    sim(folder.path()).args(matrix).assert().success();
    assert_eq!(names(), before);
    write("0.5 0.7 0.8\n0.3 0.5 0.6\n0.2 0.4 0.5\n");
    sim(folder.path()).args(matrix).assert().success();
    assert_eq!(names().len(), before.len() + 1);
}

#[test]
fn different_sites_have_different_folders() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("a.txt"), "1 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:3\n2 qid:1 1:0.7 2:2\n")
        .expect("a writable folder");
    let variants = [
        &[][..],
        &["--credit-ties", "same"],
        &["--shown", "2"],
        &["--ties", "fixed"],
        &["--interleave", "team-draft"],
        &["--multileave", "optimized"],
        &["--fractional-labels", "floor"],
        &["--click", "0:0.1,1:0.5,2:0.9"],
        &["--click", "0:0.1,1:0.5,2:0.8"],
        &["--click", "0:0.1,1:0.5,2:0.8", "--stop", "0:0,1:0,2:0.5"],
    ];
    for (at, variant) in variants.into_iter().enumerate() {
        let play = ["--dataset", "a.txt", "--algorithms", "random", "--steps", "10", "--runs", "1", "--quiet"];
        sim(folder.path()).args(play).args(variant).assert().success();
        let folders = fs::read_dir(folder.path().join("results")).expect("results").flatten();
        let folders = folders.filter(|entry| entry.file_name() != ".cache").count();
        assert_eq!(folders, at + 1, "{variant:?}");
    }
}

#[test]
fn distortion_is_written_to_out() {
    let folder = TempDir::new().expect("a temporary folder");
    let run = sim(folder.path())
        .args(["distortion", "--dataset", TINY, "--rankers", "8", "--multileavings", "50", "--sets", "2"])
        .args(["--out", "deep/d.json"])
        .output()
        .expect("sim starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(text(&run.stderr).contains("results: deep/d.json"), "{}", text(&run.stderr));
    assert!(text(&run.stdout).contains("    8 rankers: "), "{}", text(&run.stdout));
    assert!(folder.path().join("deep/d.json").exists());
}

#[test]
fn json_on_standard_output_equals_the_files() {
    let folder = TempDir::new().expect("a temporary folder");
    let json = |args: &[&str]| -> serde_json::Value {
        let site = ["--dataset", TINY, "--rankers", "8", "--credit-ties", "same", "--json", "--quiet"];
        let run = sim(folder.path()).args(args).args(site).output().expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        serde_json::from_slice(&run.stdout).expect("JSON alone")
    };
    let file = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&fs::read(folder.path().join(name)).expect("a file")).expect("JSON")
    };
    let printed = json(&["distortion", "--multileavings", "50", "--sets", "2", "--sizes", "3", "--out", "d.json"]);
    assert_eq!(printed, file("d.json"));
    assert_eq!(printed["distortion"][0]["size"], 3);
    assert_eq!(json(&["proxy", "--impressions-per-pair", "100", "--out", "P.npy"]), file("P.json"));
    let rows = json(&[
        "sensitivity",
        "--draws",
        "2",
        "--impressions-per-draw",
        "20",
        "--methods",
        "sosm,team-draft",
        "--out",
        "s",
    ]);
    let table = fs::read_to_string(folder.path().join("s/errors.csv")).expect("a table");
    assert_eq!(rows.as_array().expect("rows").len(), table.lines().count() - 1);
    let last = table.lines().last().expect("a row").split(',').nth(3).expect("a mean");
    assert_eq!(
        rows.as_array().and_then(|rows| rows.last()).expect("a row")["mean_error"].to_string().parse(),
        last.parse::<f64>()
    );
}

#[test]
fn without_clicks_no_ranker_is_ahead() {
    let folder = TempDir::new().expect("a temporary folder");
    let run = sim(folder.path())
        .args(["--dataset", TINY, "--rankers", "4", "--click", "0:0,1:0,2:0,3:0,4:0", "--steps", "500", "--runs", "1"])
        .args(["--quiet", "--out", "r"])
        .output()
        .expect("sim starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let said = text(&run.stdout);
    assert!(said.contains("no ranker is ahead") && !said.contains("Condorcet winner"), "{said}");
}

/// Users of every click model visit the live loop, matrices and comparisons of orders; the configuration has their numbers.
#[test]
fn every_click_model_serves_every_command() {
    let folder = TempDir::new().expect("a temporary folder");
    let tables = [("pbm", "examination", 10), ("dbn", "gamma", 1), ("ubm", "examination by distance", 10)];
    for (model, table, values) in tables {
        let click = format!("{model}:navigational");
        let site = ["--dataset", TINY, "--rankers", "3", "--click", &click, "--quiet", "--out"];
        let play = |command: &[&str], out: &str, size: &[&str]| {
            let run = sim(folder.path()).args(command).args(site).arg(out).args(size).output().expect("sim starts");
            assert!(run.status.success(), "{command:?} {click}: {}", text(&run.stderr));
        };
        play(&[], model, &["--steps", "200", "--runs", "1", "--algorithms", "rucb"]);
        play(&["proxy"], &format!("{model}.npy"), &["--impressions-per-pair", "100"]);
        play(
            &["distortion"],
            &format!("{model}-order.json"),
            &["--multileavings", "50", "--sets", "2", "--sizes", "3"],
        );
        let config: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(folder.path().join(model).join("config.json")).unwrap())
                .unwrap();
        let described = &config["site"]["click"];
        let found = described[table].as_array().or_else(|| described["other"][table].as_array());
        assert_eq!(found.map(Vec::len), Some(values), "{model}: {described}");
    }
}
