//! The commands that describe `sim` itself, and `sim.toml`.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{sim, text};

fn output(folder: &TempDir, args: &[&str]) -> String {
    let run = sim(folder.path()).args(args).env("RANKDUEL_DATA_DIR", "data").output().expect("sim starts");
    assert!(run.status.success(), "{args:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

#[test]
fn algorithms_are_described_as_text_and_json() {
    let folder = TempDir::new().expect("a temporary folder");
    let rucb = output(&folder, &["algorithms", "rucb"]);
    assert!(
        rucb.contains(":alpha=0.51  width of the bounds, above 1/2 in theory (a number; a positive number)"),
        "{rucb}"
    );
    assert!(rucb.contains("https://proceedings.mlr.press/v32/zoghi14.html"), "{rucb}");
    let json: Value = serde_json::from_str(&output(&folder, &["algorithms", "--json"])).expect("JSON");
    assert_eq!(json.as_array().map(Vec::len), Some(bandits::registry::entries().len()));
    let json: Value = serde_json::from_str(&output(&folder, &["algorithms", "rucb,mdb", "--json"])).expect("JSON");
    assert_eq!((&json[0]["name"], &json[1]["paper"]["doi"]), (&"rucb".into(), &"10.1145/2983323.2983659".into()));
    assert_eq!(json[0]["parameters"][1]["default"], "0.51");
    let run = sim(folder.path()).args(["algorithms", "rubc"]).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("did you mean `rucb`?"));
}

#[test]
fn data_sets_are_listed_as_json() {
    let folder = TempDir::new().expect("a temporary folder");
    let json: Value = serde_json::from_str(&output(&folder, &["datasets", "--json"])).expect("JSON");
    let find = |name: &str| json.as_array().and_then(|all| all.iter().find(|entry| entry["name"] == name)).expect("it");
    let mslr = find("mslr-web30k");
    assert_eq!((&mslr["features"], &mslr["queries"], &mslr["installed"]), (&136.into(), &31_531.into(), &"no".into()));
    assert_eq!(find("prefmat-mslr-perfect")["arms"], 136);
    assert_eq!(find("mslr-lookalike")["kind"], "look-alike");
}

#[test]
fn papers_are_cited_once() {
    let folder = TempDir::new().expect("a temporary folder");
    let cited = output(&folder, &["cite", "rucb,mdb"]);
    assert_eq!(cited.matches("@inproceedings{").count(), 2, "{cited}");
    assert!(cited.contains("author = {M. Zoghi and S. Whiteson and R. Munos and M. de Rijke}"), "{cited}");
    let merged = output(&folder, &["cite", "mergerucb,mergerucb-squared"]);
    assert_eq!(merged.matches('@').count(), 1, "{merged}");
    let all = output(&folder, &["cite"]);
    assert!(all.matches('@').count() > 12, "{all}");
}

#[test]
fn completions_and_manual_pages_know_all_commands() {
    let folder = TempDir::new().expect("a temporary folder");
    for shell in ["bash", "zsh", "fish"] {
        let script = output(&folder, &["completions", shell]);
        assert!(script.contains("explore-then-exploit") && script.contains("sensitivity"), "{shell}");
    }
    output(&folder, &["man", "man"]);
    for page in ["sim.1", "sim-bandit.1", "sim-experiment.1"] {
        let page = fs::read_to_string(folder.path().join("man").join(page)).expect("a page");
        assert!(page.starts_with(".ie") || page.contains(".TH sim"), "{page}");
        assert!(page.contains("Examples:"), "{page}");
    }
    let once = fs::read(folder.path().join("man/sim.1")).expect("a page");
    output(&folder, &["man", "man"]);
    assert_eq!(fs::read(folder.path().join("man/sim.1")).expect("a page"), once, "no date");
}

#[test]
fn a_file_holds_defaults_and_flags_win() {
    let folder = TempDir::new().expect("a temporary folder");
    let file =
        "seed = 5\nruns = 2\n\n[bandit]\nproblem = \"cyclic\"\nsteps = 300\nalgorithms = [\"rucb\", \"random\"]\n";
    fs::write(folder.path().join("sim.toml"), file).expect("a writable folder");
    let run = sim(folder.path()).args(["bandit", "--runs", "3", "--out", "out"]).output().expect("sim starts");
    let message = text(&run.stderr);
    assert!(run.status.success(), "{message}");
    let line = "from sim.toml: --seed=5 --problem=cyclic --steps=300 --algorithms=rucb,random\n";
    assert!(message.starts_with(line), "{message}");
    let config = fs::read_to_string(folder.path().join("out/config.json")).expect("a configuration");
    let config: Value = serde_json::from_str(&config).expect("JSON");
    assert_eq!((&config["seed"], &config["steps"], &config["runs"]), (&5.into(), &300.into(), &3.into()));
    // The same from flags alone.
    let alone = TempDir::new().expect("a temporary folder");
    let flags = "bandit --problem cyclic --steps 300 --algorithms rucb,random --seed 5 --runs 3 --out out --quiet";
    output(&alone, &flags.split(' ').collect::<Vec<_>>());
    let curves = |folder: &TempDir| fs::read(folder.path().join("out/curves.csv")).expect("curves");
    assert_eq!(curves(&folder), curves(&alone));

    for (file, expected) in [
        ("stesp = 5", "error: sim.toml, line 1: unknown key `stesp`; did you mean `steps`?"),
        (
            "[bandit]\nproblem = \"cyclic\"\nsteps = 0",
            "'0' for '--steps <N>': expected at least 1; it is in sim.toml, line 3",
        ),
    ] {
        fs::write(folder.path().join("sim.toml"), file).expect("a writable folder");
        let run = sim(folder.path()).arg("bandit").output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{message}");
        assert!(message.contains(expected) && message.lines().count() == 1, "{message}");
    }
    assert!(output(&folder, &["bandit", "-h"]).contains("--steps"), "help needs no file");
}

#[test]
fn the_version_is_that_of_the_package() {
    let folder = TempDir::new().expect("a temporary folder");
    assert!(output(&folder, &["--version"]).starts_with(&format!("sim {}", env!("CARGO_PKG_VERSION"))));
}
