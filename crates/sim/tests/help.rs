//! The help of every command and the tables of `rankduel`, compared with files in `tests/snapshots`.
//!
//! After a deliberate change, `UPDATE=1 cargo test -p sim --test command_line help` writes the files again; review the diff.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{sim, text};

/// Compares `found` with the file `name`, or writes it if `UPDATE` is set.
pub(crate) fn check(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a writable checkout");
        fs::write(&path, found).expect("a writable checkout");
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "{name} has changed (found {} lines, expected {}; first difference: {differs:?}); if that is intended, run \
         UPDATE=1 cargo test -p sim --test command_line help",
        found.lines().count(),
        expected.lines().count(),
    );
}

#[test]
fn help_of_every_command() {
    let mut command = ::sim::cli::command().term_width(100);
    command.build();
    check("rankduel.txt", &::sim::cli::front_page().term_width(100).render_long_help().to_string());
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for name in names.iter().filter(|name| *name != "help") {
        let subcommand = command.find_subcommand_mut(name).expect("it was just listed");
        check(&format!("rankduel-{name}.txt"), &subcommand.clone().term_width(100).render_long_help().to_string());
    }
}

#[test]
fn tables_of_small_runs() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("P.txt"), "0.5 0.6 0.4\n0.4 0.5 0.7\n0.6 0.3 0.5\n").expect("a writable folder");
    let run = |args: &[&str]| {
        let run = sim(folder.path()).args(args).arg("--quiet").output().expect("sim starts");
        assert!(run.status.success(), "{args:?}: {}", text(&run.stderr));
        text(&run.stdout)
    };
    let bandit = run(&["bandit", "--problem", "1good5poor", "--algorithms", "rucb,random", "--steps", "1e4"]);
    check("table-bandit.txt", &bandit);
    check("table-analyse.txt", &run(&["analyse", "--matrix", "P.txt", "--comparisons", "1e4"]));
    let explore = ["--setting", "explore-then-exploit", "--horizons", "100,1e4"];
    let explored = run(&[&["bandit", "--problem", "1good5poor", "--algorithms", "rucb"][..], &explore].concat());
    check("table-explore.txt", &explored);
}

#[test]
fn lists_of_algorithms_and_data_sets() {
    let folder = TempDir::new().expect("a temporary folder");
    let run = |command: &str| {
        let mut command_line = sim(folder.path());
        command_line.env("RANKDUEL_DATA_DIR", "data").arg(command);
        text(&command_line.output().expect("sim starts").stdout)
    };
    check("algorithms.txt", &run("algorithms"));
    check("datasets.txt", &run("datasets"));
}
