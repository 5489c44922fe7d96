//! Experiments, run as a person would: whole, interrupted, changed, and wrong.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::sim;
use tempfile::TempDir;

const SMALL: &str = r#"
title = "a small one"
paper = "rcs"
figure = "Figure 0"
kind = "regret"
algorithms = ["rucb", "random"]
steps = "2e4"
runs = 4

[[setting]]
name = "live"
play = "live"
lookalike = "mq2008-lookalike:0.05"
click = ["perfect", "navigational"]
rankers = "3"

[[setting]]
name = "row"
play = "problem"
problem = "arithmetic:k=6"

[[claim]]
says = "RUCB is better than chance"
lowest = "rucb"
"#;

/// All files of the results of `name` but the timings.
fn files(folder: &Path, name: &str) -> Vec<(String, Vec<u8>)> {
    crate::common::files(&folder.join("results").join(name))
}

fn runs_played(folder: &Path, name: &str) -> u64 {
    let timings = fs::read(folder.join("results").join(name).join("timings.json")).expect("timings");
    let timings: serde_json::Value = serde_json::from_slice(&timings).expect("JSON");
    timings["runs_played"].as_u64().expect("a count")
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = sim(folder).arg("experiment").args(arguments).arg("--quiet").output().expect("sim starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn results_are_complete_reproducible_and_only_changed_where_the_file_is() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    fs::create_dir(here.join("experiments")).expect("a folder");
    fs::write(here.join("experiments/small.toml"), SMALL).expect("a file");
    let output = run(here, &["experiments/small.toml", "--threads", "2"]);
    assert!(output.contains("small") && output.contains("1 ✓ held"), "{output}");
    let first = files(here, "small");
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    let expected =
        ["README.md", "curves.csv", "experiment.toml", "figure.png", "figure.svg", "runs.csv", "summary.json"];
    assert_eq!(names, expected);
    let page = String::from_utf8_lossy(&first[0].1).into_owned();
    assert!(page.contains("(partly look-alike data)") && page.contains("✓ held"), "{page}");
    assert!(fs::read_to_string(here.join("results/README.md")).expect("the table").contains("RUCB is better"));
    // Three settings, two algorithms, four runs.
    assert_eq!(runs_played(here, "small"), 24);

    // Nothing has changed: nothing is done, with a message.
    assert!(run(here, &["experiments/small.toml"]).contains("up to date"));
    // Elsewhere, with another number of threads: the same bytes.
    run(here, &["experiments/small.toml", "--out", "elsewhere", "--cache", "other-cache", "--threads", "1"]);
    fs::rename(here.join("elsewhere"), here.join("results/elsewhere")).expect("moved");
    assert_eq!(files(here, "elsewhere/small"), first);

    // Another algorithm: only its runs are played. Another claim: none.
    fs::write(here.join("experiments/small.toml"), SMALL.replace("\"random\"", "\"random\", \"rcs\"")).expect("a file");
    run(here, &["experiments/small.toml"]);
    assert_eq!(runs_played(here, "small"), 12);
    let more = SMALL.replace("\"random\"", "\"random\", \"rcs\"").replace("lowest", "highest");
    fs::write(here.join("experiments/small.toml"), more).expect("a file");
    assert!(run(here, &["experiments/small.toml"]).contains("did not hold"));
    assert_eq!(runs_played(here, "small"), 0);
    // The original file again: the same bytes, without a run.
    fs::write(here.join("experiments/small.toml"), SMALL).expect("a file");
    run(here, &["experiments/small.toml"]);
    assert_eq!((files(here, "small"), runs_played(here, "small")), (first, 0));

    // The page of all of it.
    sim(here).arg("report").assert().success();
    let page = fs::read_to_string(here.join("results/report.html")).expect("the page");
    let wide = "<div class=\"wide\"><svg";
    for word in ["a small one", wide, "&quot;rucb&quot;", "RUCB is better than chance", "look-alike"] {
        assert!(page.contains(word), "{word}");
    }
    // Narrow screens have a figure of their own.
    let narrow = page.split("<div class=\"narrow\"><svg").nth(1).expect("a narrow figure");
    assert!(narrow.contains("width=\"350pt\"") && narrow.contains("font-size=\"12\""));
    // Or a page per paper.
    sim(here).args(["report", "--per-paper", "--out", "pages/all.html"]).assert().success();
    let first = fs::read_to_string(here.join("pages/all.html")).expect("the contents");
    assert!(first.contains("href=\"all-rcs.html#small\"") && !first.contains("<svg"), "{first}");
    assert!(fs::read_to_string(here.join("pages/all-rcs.html")).expect("a page").contains(wide));
}

/// Whether a file two folders deep in `runs` holds a complete line with a run.
fn has_kept_run(runs: &Path) -> bool {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let kept = |file: std::path::PathBuf| fs::read_to_string(file).is_ok_and(|text| text.contains("}\n"));
    entries(runs).flat_map(|folder| entries(&folder).collect::<Vec<_>>()).any(kept)
}

#[test]
fn an_interrupted_run_continues_to_the_same_bytes() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let long = SMALL.replace("2e4", "3e5").replace("runs = 4", "runs = 6");
    fs::write(here.join("long.toml"), &long).expect("a file");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("rankduel"))
        .current_dir(here)
        .args(["experiment", "long.toml", "--quiet", "--threads", "1"])
        .spawn()
        .expect("sim starts");
    // Killed as soon as a run is kept.
    let start = Instant::now();
    while !has_kept_run(&here.join("results/.cache/runs")) && start.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let whole = here.join("results/long/summary.json");
    assert!(!whole.exists(), "it was killed before its end");

    run(here, &["long.toml"]);
    assert!((1..36).contains(&runs_played(here, "long")), "some runs were kept");
    let resumed = files(here, "long");
    run(here, &["long.toml", "--out", "results/again", "--cache", "again-cache"]);
    assert_eq!(files(here, "again/long"), resumed);
    assert_eq!(runs_played(here, "again/long"), 36);
}

#[test]
fn scaled_results_are_smaller_marked_and_in_another_folder() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::create_dir(folder.path().join("experiments")).expect("a folder");
    fs::write(folder.path().join("experiments/small.toml"), SMALL).expect("a file");
    run(folder.path(), &["experiments/small.toml", "--scale", "0.5"]);
    assert!(!folder.path().join("results/small").exists());
    let page = fs::read_to_string(folder.path().join("results/scale-0.5/small/README.md")).expect("a page");
    assert!(page.contains("(scale 0.5)") && page.contains("| 10,000 |"), "{page}");
    // Claims below the paper's scale are open everywhere: on the page and in all counts.
    assert!(
        page.contains("| ○ open (scaled) | on the look-alike")
            || page.contains("| ○ open (scaled) | at a scale of 0.5")
    );
    let output = run(folder.path(), &["experiments/small.toml", "--scale", "0.5", "--replace"]);
    assert!(output.contains("1 ○ open (scaled)\n") && output.contains(": 1 open (scaled)\n"), "{output}");
    let index = fs::read_to_string(folder.path().join("results/scale-0.5/README.md")).expect("the table");
    assert!(index.contains("Claims: 1 open (scaled).") && !index.contains("✓ held"), "{index}");
    sim(folder.path()).args(["report", "results/scale-0.5"]).assert().success();
    let page = fs::read_to_string(folder.path().join("results/scale-0.5/report.html")).expect("the page");
    assert!(page.contains("Claims of the papers: 1 open (scaled).") && !page.contains(">held<"));
}

#[test]
fn results_of_another_report_version_are_rewritten_without_a_run() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("small.toml"), SMALL).expect("a file");
    run(here, &["small.toml"]);
    let first = files(here, "small");
    // The output of an older version: another fingerprint, other texts.
    let summary = here.join("results/small/summary.json");
    let mut old: serde_json::Value = serde_json::from_slice(&fs::read(&summary).expect("a summary")).expect("JSON");
    old["fingerprint"] = "older".into();
    old["title"] = "old words".into();
    fs::write(&summary, old.to_string()).expect("a file");
    fs::write(here.join("results/small/README.md"), "old words").expect("a file");
    assert!(!run(here, &["small.toml"]).contains("up to date"));
    assert_eq!((files(here, "small"), runs_played(here, "small")), (first, 0));
}

#[test]
fn look_alikes_are_listed_once_and_a_missing_folder_is_wrong_usage() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let real = SMALL.replace("lookalike =", "dataset = \"mq2008\"\nlookalike =");
    fs::write(here.join("small.toml"), real).expect("a file");
    let wrong = sim(here).args(["experiment", "small.toml", "--data-dir", "nowhere"]).output().expect("sim starts");
    assert_eq!(wrong.status.code(), Some(2));
    let error = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(error.contains("nowhere") && error.contains("no such folder"), "{error}");
    assert!(!here.join("results").exists());
    fs::create_dir(here.join("data")).expect("a folder");
    let arguments = ["experiment", "small.toml", "--data-dir", "data", "--scale", "0.1"];
    let output = sim(here).args(arguments).output().expect("sim starts");
    let remark = String::from_utf8_lossy(&output.stderr).into_owned();
    let says = "look-alikes stand in for data sets that are not installed, neither in the registry nor in data:\n  \
                small: live, perfect (mq2008-lookalike:0.0158); live, navigational (mq2008-lookalike:0.0158)\n";
    assert!(output.status.success() && remark.matches("look-alikes").count() == 1 && remark.contains(says), "{remark}");
    let quiet = sim(here).args(arguments).arg("--quiet").output().expect("sim starts");
    assert!(quiet.stderr.is_empty());
}

#[test]
fn a_folder_without_results_makes_no_page() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::create_dir(folder.path().join("results")).expect("a folder");
    let output = sim(folder.path()).arg("report").output().expect("sim starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(error.starts_with("error: results contains no experiment and no figure"), "{error}");
    assert!(!folder.path().join("results/report.html").exists());
}

#[test]
fn a_matrix_is_found_and_its_results_are_not_replaced_by_a_lookalikes() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let text = SMALL.split("[[setting]]").next().expect("a head").to_owned()
        + "[[setting]]\nname = \"M\"\nplay = \"proxy\"\nmatrix = \"M.txt\"\nlookalike = \"mq2008-lookalike:0.02\"\n\
           rankers = \"4\"\ninterleavings = 50\n";
    fs::write(here.join("proxy.toml"), text).expect("a file");
    fs::create_dir_all(here.join("data/deeper")).expect("a folder");
    let row = |row: usize| (0..5).map(|column| format!("{} ", 0.5 + 0.05 * (column as f64 - row as f64))).collect();
    let rows: Vec<String> = (0..5).map(row).collect();
    fs::write(here.join("data/deeper/M.txt"), rows.join("\n")).expect("a file");
    run(here, &["proxy.toml", "--data-dir", "data"]);
    let page = || fs::read_to_string(here.join("results/proxy/README.md")).expect("a page");
    assert!(page().contains("the matrix M.txt") && !page().contains("look-alike"), "{}", page());
    assert!(
        page().contains("`rankduel experiment proxy.toml --data-dir DIR`, where DIR contains M.txt."),
        "{}",
        page()
    );
    let output = run(here, &["proxy.toml"]);
    assert!(output.contains("kept: made on M.txt, which is not installed"), "{output}");
    run(here, &["proxy.toml", "--replace"]);
    assert!(page().contains("look-alike") && page().contains("`rankduel experiment proxy.toml`."));
}

#[test]
fn errors_in_files_name_line_and_key() {
    let folder = TempDir::new().expect("a temporary folder");
    for (from, to, says) in [
        ("steps =", "stpes =", "wrong.toml, line 7, column 1: unknown key `stpes`; did you mean `steps`?"),
        ("click =", "clicks =", "wrong.toml, line 14, column 1: unknown key `clicks`; did you mean `click`?"),
        ("lowest =", "lowes =", "wrong.toml, line 24, column 1: unknown key `lowes`; did you mean `lowest`?"),
        ("\"rucb\",", "\"ruxb\",", "no algorithm is called `ruxb`"),
        ("\"perfect\"", "\"prefect\"", "wrong.toml, line 14, column 9: setting \"live\", click: "),
        ("arithmetic", "arithmetik", "did you mean `arithmetic`?"),
        ("\"rucb\",", "\"thompson\",", "no algorithm is called `thompson`; known algorithms: "),
        ("lowest = \"rucb\"", "lowest = \"rcs\"", "line 22: [[claim]]: no curve is called \"rcs\""),
        ("lowest =", "in = [\"lvie\"]\nlowest =", "line 22: [[claim]]: no setting is called \"lvie\""),
        ("\"row\"", "\"live, perfect\"", "two settings are called \"live, perfect\""),
    ] {
        fs::write(folder.path().join("wrong.toml"), SMALL.replace(from, to)).expect("a file");
        let output = sim(folder.path()).args(["experiment", "wrong.toml"]).output().expect("sim starts");
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(says) && error.trim_end().lines().count() == 1, "{says}:\n{error}");
        assert!(!folder.path().join("results").exists());
    }
}

#[test]
fn every_experiment_of_the_project_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the experiments are there") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let experiment = sim::experiment::check(&path).unwrap_or_else(|error| panic!("{error:#}"));
            assert!(experiment.about.len() > 20, "{} says what it is about", path.display());
            assert!(!experiment.claims.is_empty(), "{} holds a claim", path.display());
            count += 1;
        }
    }
    assert!(count >= 25, "{count}");
}

#[test]
fn experiments_can_play_on_your_own_files() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    fs::create_dir(here.join("data")).expect("a folder");
    let rows: String = (1..40)
        .flat_map(|query| {
            [[2, 3, 1], [1, 1, 2], [0, 2, 3]].map(|[label, one, two]| format!("{label} qid:{query} 1:{one} 2:{two}\n"))
        })
        .collect();
    fs::write(here.join("data/queries.txt"), rows).expect("a file");
    fs::write(here.join("P.txt"), "0.5 0.7 0.8\n0.3 0.5 0.7\n0.2 0.3 0.5\n").expect("a file");
    let own = "title = \"Ours\"\nkind = \"regret\"\nalgorithms = [\"rucb\", \"random\"]\nsteps = 3000\nruns = 2\n\
               [[setting]]\nname = \"files\"\nplay = \"live\"\ndataset = \"queries.txt\"\nclick = \"perfect\"\n\
               [[setting]]\nname = \"matrix\"\nplay = \"proxy\"\nmatrix = \"P.txt\"\n\
               [[claim]]\nsays = \"RUCB learns\"\nlowest = \"rucb\"\n";
    fs::write(here.join("ours.toml"), own).expect("a file");
    let output = run(here, &["ours.toml", "--data-dir", "data"]);
    assert!(output.contains("1 ✓ held"), "{output}");
    let page = fs::read_to_string(here.join("results/ours/README.md")).expect("a page");
    assert!(page.starts_with("# Ours\n") && page.contains("queries.txt") && !page.contains("look-alike"), "{page}");

    // Errors name missing data and where they were searched.
    for (dataset, expected) in
        [("nowhere.txt", "no file or folder nowhere.txt"), ("mq2008", "the data set mq2008 is not on this machine")]
    {
        fs::write(here.join("ours.toml"), own.replace("queries.txt", dataset)).expect("a file");
        let output = sim(here).args(["experiment", "ours.toml", "--quiet"]).output().expect("sim starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && error.contains(expected), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn the_example_of_the_readme_is_an_experiment() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/README.md");
    let readme = fs::read_to_string(readme).expect("the file");
    let example = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    sim::experiment::parse(example).expect("a sound file");
}

/// Removes finished runs and truths.
fn without_cache(here: &Path) {
    fs::remove_dir_all(here.join("results/.cache")).expect("a cache");
}

#[test]
fn words_claims_and_axes_change_without_a_run() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("small.toml"), SMALL).expect("a file");
    run(here, &["small.toml"]);
    let first = files(here, "small");
    // Nothing but the folder of results is left: played again, the runs would be counted.
    without_cache(here);
    let reworded = SMALL
        .replace("a small one", "the same, in other words")
        .replace("RUCB is better than chance", "RUCB beats chance")
        .replace("lowest = \"rucb\"", "highest = \"rucb\"")
        .replace("runs = 4\n", "runs = 4\ndraw.y = \"log\"\nabout = \"why\"\n");
    fs::write(here.join("small.toml"), &reworded).expect("a file");
    let output = run(here, &["small.toml"]);
    assert!(output.contains("did not hold") && runs_played(here, "small") == 0, "{output}");
    assert!(!here.join("results/.cache").exists(), "nothing was opened or played");
    let second = files(here, "small");
    let file = |files: &[(String, Vec<u8>)], name: &str| {
        let found = files.iter().find(|(file, _)| file == name).expect("a file");
        String::from_utf8_lossy(&found.1).into_owned()
    };
    for name in ["curves.csv", "runs.csv"] {
        assert_eq!(file(&first, name), file(&second, name));
    }
    assert!(file(&second, "README.md").contains("RUCB beats chance") && file(&second, "README.md").contains("\nwhy\n"));
    assert!(file(&second, "figure.svg").contains("the same, in other words"));
    assert_ne!(file(&first, "figure.svg"), file(&second, "figure.svg"));
    // Back again: every byte equals the results that were played.
    fs::write(here.join("small.toml"), SMALL).expect("a file");
    run(here, &["small.toml"]);
    assert_eq!(files(here, "small"), first);
    // A file that does not fit the other is not believed.
    fs::write(here.join("results/small/runs.csv"), "setting,curve,metric,x,run,value\n").expect("a file");
    fs::write(here.join("small.toml"), &reworded).expect("a file");
    run(here, &["small.toml"]);
    assert_eq!(runs_played(here, "small"), 24);
}

#[test]
fn own_experiments_print_their_numbers_and_leave_the_index_alone() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    fs::create_dir(here.join("results")).expect("a folder");
    fs::write(here.join("results/README.md"), "an index").expect("a file");
    fs::write(here.join("mine.toml"), SMALL.replace("paper = \"rcs\"\nfigure = \"Figure 0\"\n", "")).expect("a file");
    let output = run(here, &["mine.toml"]);
    for part in ["✓ RUCB is better than chance: ", "row", "rucb", "20,000", "± s.e.", "results in results/mine"] {
        assert!(output.contains(part), "no `{part}` in {output}");
    }
    assert!(!output.contains("claims in"), "{output}");
    assert_eq!(fs::read_to_string(here.join("results/README.md")).expect("the index"), "an index");
    let page = fs::read_to_string(here.join("results/mine/README.md")).expect("a page");
    assert!(page.contains("Made by `rankduel experiment mine.toml`."), "{page}");
    // Every file that the page names exists.
    for name in page.split('`').skip(1).step_by(2).filter(|word| word.contains('.') && !word.contains(' ')) {
        assert!(here.join("results/mine").join(name).is_file(), "{name}");
    }
    assert!(page.contains("(figure.svg)") && here.join("results/mine/figure.svg").is_file());
}

#[test]
fn a_dry_run_lists_its_table_without_opening_data() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    // A live setting of full size, with a truth that would take minutes.
    fs::write(here.join("small.toml"), SMALL.replace("mq2008-lookalike:0.05", "mslr-lookalike:1")).expect("a file");
    let start = Instant::now();
    let output = run(here, &["small.toml", "--dry-run"]);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let row = output.lines().find(|line| line.starts_with("small ")).expect("a row");
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["small", "6", "24", "480,000"]);
    assert!(!here.join("results").exists(), "nothing is kept");
    fs::write(here.join("small.toml"), SMALL).expect("a file");
    let timed = run(here, &["small.toml", "--dry-run", "--time"]);
    assert!(timed.contains("seconds") && timed.contains("not counting finished runs"), "{timed}");
}

#[test]
fn many_curves_claim_no_bars() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let file = |algorithms: &str| {
        format!(
            "title = \"bars\"\nkind = \"regret-against-rankers\"\nalgorithms = [\"{algorithms}\"]\nsteps = 200\nruns = 1\n\
             [subsets]\nsizes = [3, 4]\ncount = 3\n[[setting]]\nname = \"row\"\nplay = \"problem\"\n\
             problem = \"arithmetic:k=6\"\n"
        )
    };
    for (name, algorithms, bars) in [
        ("few", "rucb:alpha={0.6,0.7}", true),
        ("many", "rucb:alpha={0.6,0.7,0.8,0.9,1,1.1,1.2,1.3,1.4,1.5,1.6}", false),
    ] {
        fs::write(here.join(format!("{name}.toml")), file(algorithms)).expect("a file");
        run(here, &[&format!("{name}.toml")]);
        let figure = fs::read_to_string(here.join("results").join(name).join("figure.svg")).expect("a figure");
        assert!(figure.contains("mean of 3 runs"), "{name}");
        assert_eq!(figure.contains("bars: one standard error of the mean"), bars, "{name}");
    }
}
