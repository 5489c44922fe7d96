//! The commands that describe `rankduel` itself, and `rankduel.toml`.

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
    for page in ["rankduel.1", "rankduel-bandit.1", "rankduel-experiment.1"] {
        let page = fs::read_to_string(folder.path().join("man").join(page)).expect("a page");
        assert!(page.starts_with(".ie") || page.contains(".TH rankduel"), "{page}");
        assert!(page.contains("Examples:"), "{page}");
    }
    let once = fs::read(folder.path().join("man/rankduel.1")).expect("a page");
    output(&folder, &["man", "man"]);
    assert_eq!(fs::read(folder.path().join("man/rankduel.1")).expect("a page"), once, "no date");
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_flags_and_values() {
    let folder = TempDir::new().expect("a temporary folder");
    let script = folder.path().join("completions");
    fs::write(&script, output(&folder, &["completions", "bash"])).expect("a writable folder");
    fs::create_dir(folder.path().join("my-data")).expect("a folder");
    let complete = |words: &str| -> Option<Vec<String>> {
        let words: Vec<&str> = words.split(' ').collect();
        let [.., before, last] = words[..] else { panic!("{words:?}") };
        let call = format!(
            "source completions; COMP_WORDS=({}); COMP_CWORD={}; _rankduel rankduel '{last}' '{before}'; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            words.len() - 1
        );
        let mut bash = std::process::Command::new("bash");
        // Not every machine has it.
        let run = bash.args(["--norc", "-c", &call]).current_dir(folder.path()).output().ok()?;
        assert!(run.status.success(), "{call}: {}", text(&run.stderr));
        Some(text(&run.stdout).lines().map(|line| line.trim().to_owned()).collect())
    };
    for (words, expected, others) in [
        ("rankduel sens", &["sensitivity"][..], &["bandit"][..]),
        ("rankduel li", &["live"], &["datasets"]),
        ("rankduel live --rank", &["--rankers", "--rankings"], &["--runs"]),
        ("rankduel bandit --algorithms merge", &["mergerucb"], &["rucb"]),
        ("rankduel algorithms merge", &["mergerucb"], &["rucb"]),
        ("rankduel live --click nav", &["navigational"], &["perfect"]),
        ("rankduel proxy --multileave pair", &["pairwise-preference"], &["sosm"]),
        ("rankduel live --interleave doc", &["document-constraints"], &["balanced"]),
        ("rankduel bandit --regret bo", &["borda"], &["weak"]),
        ("rankduel bandit --problem cyc", &["cyclic"], &["btl"]),
        ("rankduel live --dataset m", &["mslr-lookalike", "my-data"], &["completions", "ylr1-lookalike"]),
        ("rankduel draw --axes lo", &["log", "log-x"], &["linear"]),
        ("rankduel proxy --out comp", &["completions"], &["my-data"]),
    ] {
        let Some(found) = complete(words) else { return };
        let has = |word: &&str| found.iter().any(|found| found == word);
        assert!(expected.iter().all(&has), "{words}: {found:?}");
        assert!(!others.iter().any(has), "{words}: {found:?}");
    }
}

#[test]
fn a_file_holds_defaults_and_flags_win() {
    let folder = TempDir::new().expect("a temporary folder");
    let file =
        "seed = 5\nruns = 2\n\n[bandit]\nproblem = \"cyclic\"\nsteps = 300\nalgorithms = [\"rucb\", \"random\"]\n";
    fs::write(folder.path().join("rankduel.toml"), file).expect("a writable folder");
    let run = sim(folder.path()).args(["bandit", "--runs", "3", "--out", "out"]).output().expect("sim starts");
    let message = text(&run.stderr);
    assert!(run.status.success(), "{message}");
    let line = "from rankduel.toml: --seed=5 --problem=cyclic --steps=300 --algorithms=rucb,random\n";
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
        ("stesp = 5", "error: rankduel.toml, line 1: unknown key `stesp`; did you mean `steps`?"),
        (
            "[bandit]\nproblem = \"cyclic\"\nsteps = 0",
            "'0' for '--steps <N>': expected at least 1; it is in rankduel.toml, line 3",
        ),
    ] {
        fs::write(folder.path().join("rankduel.toml"), file).expect("a writable folder");
        let run = sim(folder.path()).arg("bandit").output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{message}");
        assert!(message.contains(expected) && message.lines().count() == 1, "{message}");
    }
    assert!(output(&folder, &["bandit", "-h"]).contains("--steps"), "help needs no file");
    // Under its former name, the file is neither read nor passed over.
    fs::rename(folder.path().join("rankduel.toml"), folder.path().join("sim.toml")).expect("a writable folder");
    let run = sim(folder.path()).arg("bandit").output().expect("sim starts");
    let expected = "error: sim.toml is not read; rename it to rankduel.toml, or move it out of this folder\n";
    assert_eq!((run.status.code(), text(&run.stderr).as_str()), (Some(2), expected));
}

#[cfg(unix)]
#[test]
fn messages_name_the_program_as_it_was_called() {
    let folder = TempDir::new().expect("a temporary folder");
    let called = folder.path().join("ranker-search");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_rankduel"), &called).expect("a link");
    let run = |program: &std::path::Path, arguments: &[&str]| {
        let mut command = std::process::Command::new(program);
        let run = command.args(arguments).current_dir(folder.path()).output().expect("the program starts");
        text(&run.stdout) + &text(&run.stderr)
    };
    for (arguments, expected) in [
        (&["--version"][..], "NAME 0."),
        (&["bandit", "--help"], "Usage: NAME bandit"),
        (&["algorithms", "nosuch"], "(`NAME algorithms` lists all)"),
        (&["algorithms", "rucb"], "example  NAME --algorithms"),
        (&["draw", "."], "`NAME bandit`, `NAME compare`, `NAME experiment`, `NAME board`"),
        (&["completions", "bash"], "complete -F _NAME -o"),
        (&["--regret", "borda"], "`NAME proxy` and play on it with `NAME bandit`"),
        (&["man", "man"], "man -l man/NAME.1"),
    ] {
        for name in ["ranker-search", "rankduel"] {
            let program = if name == "rankduel" { env!("CARGO_BIN_EXE_rankduel").into() } else { called.clone() };
            let said = run(&program, arguments);
            let expected = expected.replace("NAME", name);
            // The function of the completions.
            let of_bash = expected.replace("_ranker-search", "_ranker__search");
            assert!(said.contains(&expected) || said.contains(&of_bash), "{arguments:?}: {expected}: {said}");
        }
    }
    assert!(folder.path().join("man/ranker-search-bandit.1").is_file());
}

#[test]
fn the_version_is_that_of_the_package() {
    let folder = TempDir::new().expect("a temporary folder");
    assert!(output(&folder, &["--version"]).starts_with(&format!("rankduel {}", env!("CARGO_PKG_VERSION"))));
}
