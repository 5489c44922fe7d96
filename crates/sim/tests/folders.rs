//! Results folders through the binary: one owner at a time, results that are extended and never lost, kept runs.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::common::{Tree, sim, text, tree};
use serde_json::Value;
use tempfile::TempDir;

const PROBLEM: [&str; 3] = ["bandit", "--problem", "arithmetic:k=6"];
const LIVE: [&str; 9] =
    ["--dataset", "mslr-lookalike:0.003", "--rankers", "3", "--cache", "cache", "--runs", "2", "--quiet"];

fn run(folder: &Path, arguments: &[&[&str]]) -> Output {
    sim(folder).args(arguments.concat()).output().expect("sim starts")
}

fn succeeds(folder: &Path, arguments: &[&[&str]]) -> Output {
    let run = run(folder, arguments);
    assert!(run.status.success(), "{arguments:?}: {}", text(&run.stderr));
    run
}

/// The one line of a refusal with this exit code.
fn refused(run: &Output, code: i32) -> String {
    let message = text(&run.stderr);
    assert_eq!(run.status.code(), Some(code), "{message}");
    assert!(message.starts_with("error: ") && message.lines().count() == 1, "{message}");
    message
}

fn config(folder: &Path) -> Value {
    let bytes = fs::read(folder.join("config.json")).expect("config.json");
    serde_json::from_slice(&bytes).expect("JSON")
}

/// The only file of kept runs in `folder`.
fn kept(folder: &Path) -> std::path::PathBuf {
    let mut files = fs::read_dir(folder.join(".runs")).expect("kept runs");
    let first = files.next().expect("a file").expect("readable").path();
    assert!(files.next().is_none());
    first
}

#[test]
fn a_smaller_study_takes_nothing_from_a_larger_one() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    succeeds(here, &[&PROBLEM, &["--algorithms", "rucb,random", "--steps", "2e4", "--runs", "3", "--out", "r"]]);
    let before = tree(&here.join("r"));
    let less = succeeds(here, &[&PROBLEM, &["--algorithms", "rucb", "--steps", "100", "--runs", "1", "--out", "r"]]);
    assert!(
        text(&less.stderr).contains("r holds more than that, which is kept: 3 runs of 20,000 steps of rucb, random")
    );
    assert!(text(&less.stdout).contains("random"), "the table is that of the folder");
    assert_eq!(tree(&here.join("r")), before);

    // Another algorithm is played at the size of the folder, and the result equals one command's.
    let more = succeeds(here, &[&PROBLEM, &["--algorithms", "rmed1", "--steps", "100", "--runs", "1", "--out", "r"]]);
    let said = text(&more.stderr);
    assert!(said.contains("it is extended to 3 runs of 20,000 steps of rucb, random, rmed1"), "{said}");
    let direct = ["--algorithms", "rucb,random,rmed1", "--steps", "2e4", "--runs", "3", "--out", "direct"];
    succeeds(here, &[&PROBLEM, &direct]);
    assert_eq!(tree(&here.join("r")), tree(&here.join("direct")));

    // So are more runs, more steps and more checkpoints.
    for larger in [["--runs", "5"], ["--steps", "3e4"], ["--checkpoints", "20"]] {
        succeeds(
            here,
            &[
                &PROBLEM,
                &["--algorithms", "rmed1,rucb", "--quiet", "--out", "r"],
                &larger,
                match larger[0] {
                    "--runs" => &["--steps", "10"],
                    "--steps" => &["--runs", "1"],
                    _ => &["--steps", "10", "--runs", "1"],
                },
            ],
        );
    }
    let direct = ["--algorithms", "rucb,random,rmed1", "--steps", "3e4", "--runs", "5", "--checkpoints", "20"];
    succeeds(here, &[&PROBLEM, &direct, &["--out", "all"]]);
    assert_eq!(tree(&here.join("r")), tree(&here.join("all")));
}

#[test]
fn horizons_are_joined() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let explore = |algorithms: &str, horizons: &str, out: &str| {
        let setting = ["--setting", "explore-then-exploit", "--runs", "2", "--quiet"];
        succeeds(here, &[&PROBLEM, &setting, &["--algorithms", algorithms, "--horizons", horizons, "--out", out]]);
    };
    explore("rucb,savage", "100,3e3", "r");
    explore("savage,random", "500", "r");
    explore("rucb,savage,random", "100,500,3e3", "direct");
    assert_eq!(tree(&here.join("r")), tree(&here.join("direct")));
    assert_eq!(config(&here.join("r"))["horizons"], serde_json::json!([100, 500, 3000]));
}

/// Results of the benchmark, joined to one page.
#[test]
fn results_of_the_benchmark_make_a_page() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    for policy in ["dts", "random"] {
        let size = ["bench", "--track", "b", "--problems", "order-20", "--runs", "2", "--quiet"];
        succeeds(here, &[&size, &["--policies", policy, "--out", policy]]);
    }
    succeeds(here, &[&["bench", "table", "dts/bench.json", "random/bench.json", "--out", "both"]]);
    let page = fs::read_to_string(here.join("both/bench.html")).expect("a page");
    assert!(page.contains("dts") && page.contains("random") && page.contains("mean rank") && page.contains("<svg"));
    for name in ["ranks.csv", "values.csv", "tables.md", "tables.tex", "ranks-b.svg"] {
        assert!(here.join("both").join(name).is_file(), "{name}");
    }
    fs::write(here.join("other.json"), "{}").expect("a file");
    let run = sim(here).args(["bench", "table", "other.json"]).output().expect("it starts");
    let message = text(&run.stderr);
    assert!(
        message.contains("failed to read other.json: not the results of a benchmark") && message.lines().count() == 1,
        "{message}"
    );
}

/// Studies that are not extended, too.
#[test]
fn the_same_command_is_accepted_again_by_studies_that_do_not_grow() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let site = ["--dataset", "mslr-lookalike:0.003", "--rankers", "6", "--quiet"];
    for (name, own) in [
        ("distortion", &["--sets", "4", "--multileavings", "40", "--cache", "cache"][..]),
        ("sensitivity", &["--draws", "4", "--impressions-per-draw", "40", "--compared", "3"]),
    ] {
        let words = |out: &'static str| [&[name][..], &site, own, &["--out", out]].concat();
        succeeds(here, &[&words("out")]);
        let once = tree(&here.join("out"));
        succeeds(here, &[&words("out")]);
        assert_eq!(tree(&here.join("out")), once, "{name}");
        assert!(!here.join("out/.runs").exists(), "{name}: what was kept is in the results");
        fs::rename(here.join("out"), here.join(name)).expect("a free name");
    }
}

#[test]
fn results_of_other_settings_are_refused_or_moved_aside() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let play = |more: &[&str]| run(here, &[&PROBLEM, &["--steps", "100", "--runs", "1", "--out", "r"], more]);
    assert!(play(&[]).status.success());
    let before = tree(here);
    let message = refused(&play(&["--seed", "2"]), 2);
    assert!(message.contains("its seed is 1, not 2") && message.contains("--replace"), "{message}");
    let other = run(here, &[&["bandit", "--problem", "arithmetic:k=7", "--steps", "10", "--out", "r"]]);
    assert!(refused(&other, 2).contains("its environment.arms is 6, not 7"));
    fs::write(here.join("P.txt"), "0.5 0.7\n0.3 0.5\n").expect("a writable folder");
    let other = run(here, &[&["analyse", "--matrix", "P.txt", "--out", "r"]]);
    assert!(refused(&other, 2).contains("r holds results of `bandit`, not of `analyse`"));
    fs::remove_file(here.join("P.txt")).expect("it was written");
    assert_eq!(tree(here), before);

    let replaced = play(&["--seed", "2", "--replace"]);
    assert!(replaced.status.success());
    assert!(
        text(&replaced.stderr).contains("what r holds moves to r.old-1 when the new results are complete"),
        "{}",
        text(&replaced.stderr)
    );
    assert_eq!(tree(&here.join("r.old-1")), tree_of(&before, "r"));
    assert_eq!(
        (config(&here.join("r"))["seed"].clone(), config(&here.join("r.old-1"))["seed"].clone()),
        (2.into(), 1.into())
    );
}

/// The part of `tree` in `folder`.
fn tree_of(tree: &Tree, folder: &str) -> Tree {
    let inside = |name: &String| name.strip_prefix(&format!("{folder}/")).map(str::to_owned);
    tree.iter().filter_map(|(name, bytes)| Some((inside(name)?, bytes.clone()))).collect()
}

#[test]
fn a_folder_of_an_earlier_version_is_extended_too() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let play = |algorithms: &str, out: &str| {
        let size = ["--steps", "3e3", "--runs", "2", "--checkpoints", "7", "--out", out, "--algorithms", algorithms];
        text(&succeeds(here, &[&PROBLEM, &size]).stderr)
    };
    play("rucb", "r");
    // Without kept runs, and without the number of checkpoints.
    fs::remove_dir_all(here.join("r/.runs")).expect("kept runs");
    let path = here.join("r/config.json");
    let old = fs::read_to_string(&path).expect("config.json").replace("  \"checkpoints\": 7,\n", "");
    fs::write(&path, old.replace("\"version\": \"", "\"version\": \"0.0.")).expect("a writable folder");
    let less = ["--steps", "10", "--runs", "1", "--out", "r", "--algorithms", "random"];
    let said = text(&succeeds(here, &[&PROBLEM, &less]).stderr);
    assert!(said.contains("its runs were not kept and are played again"), "{said}");
    play("rucb,random", "direct");
    assert_eq!(tree(&here.join("r")), tree(&here.join("direct")));
}

#[test]
fn a_folder_created_above_out_is_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let play = |out: &str, quiet: &[&str]| {
        text(&succeeds(here, &[&PROBLEM, &["--steps", "10", "--runs", "1", "--out", out], quiet]).stderr)
    };
    assert!(play("reslts/deep/r", &[]).contains("created the folder reslts for --out reslts/deep/r"));
    assert!(!play("reslts/deep/s", &[]).contains("created"));
    assert_eq!(play("quiet/r", &["--quiet"]), "");
}

#[test]
fn a_failure_leaves_no_empty_folder() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let two =
        ["bandit", "--problem", "arithmetic:k=2", "--steps", "10", "--algorithms", "dts:alpha=nan", "--out", "a/r"];
    assert!(!run(here, &[&two]).status.success());
    let read_only = run(here, &[&LIVE, &["--steps", "10", "--out", "b/r", "--cache", "/proc/none"]]);
    assert!(!read_only.status.success());
    assert!(tree(here).is_empty() && fs::read_dir(here).expect("a folder").next().is_none());
}

/// Two commands at the same time; their outputs.
fn at_once(here: &Path, commands: [&[&[&str]]; 2]) -> [Output; 2] {
    let start = |arguments: &[&[&str]]| -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankduel"));
        command.current_dir(here).args(arguments.concat()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("sim starts")
    };
    commands.map(start).map(|child| child.wait_with_output().expect("it ends"))
}

#[test]
fn two_commands_at_once_never_mix() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let refused_at_most_once = |outputs: &[Output; 2]| {
        let failed: Vec<&Output> = outputs.iter().filter(|output| !output.status.success()).collect();
        assert!(failed.len() < 2, "{outputs:?}");
        failed.iter().for_each(|output| {
            let busy =
                output.status.code() == Some(1) && text(&output.stderr).contains("another command is working in");
            let late = output.status.code() == Some(2) && text(&output.stderr).contains("its seed is");
            assert!(busy || late, "{}", text(&output.stderr));
        });
        failed.len()
    };
    let mut refusals = 0;
    // One data set, two algorithms.
    succeeds(here, &[&LIVE, &["--steps", "1e3", "--algorithms", "rucb", "--out", "warm"]]);
    for number in 0..8 {
        let out = format!("live-{number}");
        let play =
            |algorithms| [&LIVE[..], &["--steps", "1e3", "--out", &out, "--algorithms", algorithms][..]].concat();
        let (rucb, random) = (play("rucb"), play("random"));
        refusals += refused_at_most_once(&at_once(here, [&[&rucb], &[&random]]));
        let config = config(&here.join(&out));
        let mut claimed: Vec<&str> =
            config["algorithms"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        let runs = fs::read_to_string(here.join(&out).join("runs.csv")).expect("runs.csv");
        let mut played: Vec<&str> = runs.lines().skip(1).map(|line| line.split(',').next().expect("a name")).collect();
        played.dedup();
        played.sort_unstable();
        claimed.sort_unstable();
        assert_eq!(claimed, played, "{out}");
    }
    // Two seeds in one folder.
    fn seeded<'a>(seed: &'a str, out: &'a str) -> Vec<&'a str> {
        [&PROBLEM[..], &["--steps", "2e4", "--runs", "2", "--quiet", "--seed", seed, "--out", out][..]].concat()
    }
    for seed in ["1", "2"] {
        succeeds(here, &[&seeded(seed, seed)]);
    }
    for number in 0..8 {
        let out = format!("bandit-{number}");
        let (one, two) = (seeded("1", &out), seeded("2", &out));
        refusals += refused_at_most_once(&at_once(here, [&[&one], &[&two]]));
        let seed = config(&here.join(&out))["seed"].to_string();
        assert_eq!(tree(&here.join(&out)), tree(&here.join(seed)), "{out}");
    }
    assert!(refusals > 0, "no two commands met in a folder");
}

#[test]
fn every_changed_digit_of_a_kept_run_is_noticed() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let play = || {
        succeeds(here, &[&PROBLEM, &["--algorithms", "rucb", "--steps", "1e3", "--runs", "3", "--quiet", "--out", "r"]])
    };
    assert_eq!(text(&play().stderr), "");
    let before = tree(&here.join("r"));
    let path = kept(&here.join("r"));
    let bytes = fs::read(&path).expect("kept runs");
    let header = bytes.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let digits: Vec<usize> = (header..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
    for at in digits.iter().step_by(digits.len() / 6) {
        let mut damaged = bytes.clone();
        damaged[*at] = if damaged[*at] == b'7' { b'3' } else { b'7' };
        fs::write(&path, damaged).expect("a writable folder");
        let said = text(&play().stderr);
        assert!(said.contains("1 kept run in ") && said.contains("is damaged and will be played again"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert_eq!(tree(&here.join("r")), before, "digit at {at}");
    }
    assert_eq!(text(&play().stderr), "");
}

#[test]
fn every_changed_digit_of_a_kept_truth_is_noticed() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let play = |out: &str| succeeds(here, &[&LIVE, &["--algorithms", "random", "--steps", "100", "--out", out]]);
    play("r");
    let truth = fs::read_dir(here.join("cache")).expect("the cache").next().expect("a file").expect("readable").path();
    let sealed = fs::read_to_string(&truth).expect("a truth");
    let gaps = sealed.find("\"gaps\"").expect("gaps");
    let digit = gaps + sealed[gaps..].find("0.").expect("a gap") + 4;
    let mut damaged = sealed.clone().into_bytes();
    damaged[digit] = if damaged[digit] == b'7' { b'3' } else { b'7' };
    fs::write(&truth, damaged).expect("a writable folder");
    let said = text(&play("s").stderr);
    assert!(said.contains("is damaged and will be made again") && said.lines().count() == 1, "{said}");
    assert_eq!(tree(&here.join("r")), tree(&here.join("s")));
    assert_eq!(fs::read_to_string(&truth).expect("a truth"), sealed);
}

#[test]
fn kept_runs_without_their_checksum_are_played_again() {
    // Hexadecimal digits of the checksum in front of a record.
    const DIGITS: usize = 16;
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let play = |runs: &str, out: &str| {
        let size = ["--algorithms", "rucb", "--steps", "1e3", "--runs", runs, "--quiet", "--out", out];
        text(&succeeds(here, &[&PROBLEM, &size]).stderr)
    };
    assert_eq!(play("3", "direct"), "");
    let direct = tree(&here.join("direct"));
    assert_eq!(play("2", "r"), "");
    let path = kept(&here.join("r"));
    let sound = fs::read_to_string(&path).expect("kept runs");
    let record = sound.lines().nth(1).expect("a record");
    let (checksum, json) = record.split_at(DIGITS + 1);
    let other = json.replacen("0.0", "9.0", 1);
    assert_ne!(other, json);
    let (first, last) = checksum.split_at(5);
    for changed in
        [other.clone(), format!(" {other}"), format!("{checksum}\n{other}"), format!("{first}\n{last}{other}")]
    {
        fs::remove_dir_all(here.join("r")).expect("results");
        play("2", "r");
        fs::write(&path, sound.replace(record, &changed)).expect("a writable folder");
        let said = play("3", "r");
        assert!(said.contains("1 kept run in ") && said.contains("is damaged and will be played again"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert_eq!(tree(&here.join("r")), direct, "{changed}");
    }
}

#[test]
fn a_kept_truth_without_its_checksum_is_made_again() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let play = |out: &str| succeeds(here, &[&LIVE, &["--algorithms", "random", "--steps", "100", "--out", out]]);
    play("r");
    let truth = fs::read_dir(here.join("cache")).expect("the cache").next().expect("a file").expect("readable").path();
    let sealed = fs::read_to_string(&truth).expect("a truth");
    let mut changed: serde_json::Value = serde_json::from_str(&sealed).expect("JSON");
    changed.as_object_mut().expect("an object").remove("checksum").expect("a checksum");
    changed["value"]["gaps"][1] = 0.25.into();
    fs::write(&truth, changed.to_string()).expect("a writable folder");
    let said = text(&play("s").stderr);
    assert!(said.contains("is damaged and will be made again") && said.lines().count() == 1, "{said}");
    assert_eq!(tree(&here.join("r")), tree(&here.join("s")));
    assert_eq!(fs::read_to_string(&truth).expect("a truth"), sealed);
}

#[test]
fn a_file_without_a_plain_name_is_no_experiment() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let text = "title = \"t\"\nkind = \"regret\"\nalgorithms = [\"random\"]\nsteps = 10\nruns = 1\n\n\
                [[setting]]\nname = \"row\"\nplay = \"problem\"\nproblem = \"arithmetic:k=3\"\n";
    for name in ["...toml", "..toml", ".cache.toml"] {
        fs::write(here.join(name), text).expect("a writable folder");
        let before = tree(here);
        for more in [&[][..], &["--out", "a/b"], &["--dry-run"]] {
            let message = refused(&run(here, &[&["experiment", &format!("./{name}")], more]), 2);
            assert!(message.contains("a plain name"), "{message}");
        }
        assert_eq!(tree(here), before, "{name}");
        fs::remove_file(here.join(name)).expect("it was written");
    }
    // A folder of another command is not written over.
    fs::write(here.join("own.toml"), text).expect("a writable folder");
    succeeds(here, &[&PROBLEM, &["--steps", "10", "--out", "results/own"]]);
    let before = tree(here);
    let message = refused(&run(here, &[&["experiment", "own.toml", "--quiet"]]), 2);
    assert!(message.contains("results/own holds results of `bandit`"), "{message}");
    assert_eq!(tree(here), before);
}
