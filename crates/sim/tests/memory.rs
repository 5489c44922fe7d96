//! Work that memory has no room for is refused in one line; a failed allocation ends in one, too.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use simulation::proxy::{Sampling, State};
use tempfile::TempDir;

use crate::common::{sim, text};

/// Two documents with values of the first and the last of `features` features.
fn two_documents(folder: &Path, features: usize) {
    let lines = format!("1 qid:1 1:1 {features}:2\n0 qid:1 1:2 {features}:1\n");
    fs::write(folder.join("k.txt"), lines).expect("a writable folder");
}

/// The program in `folder` with this number of kilobytes of address space.
fn within(folder: &Path, kilobytes: u64, args: &[&str]) -> Output {
    let script = format!("ulimit -v {kilobytes} && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_rankduel")]).args(args).current_dir(folder);
    command.output().expect("sh starts")
}

#[cfg(target_os = "linux")]
#[test]
fn too_much_is_refused_in_one_line() {
    let folder = TempDir::new().expect("a temporary folder");
    two_documents(folder.path(), 30_000);
    fs::write(folder.path().join("grid.toml"), grid(8)).expect("a writable folder");
    fs::write(folder.path().join("one.txt"), "0.5\n").expect("a writable folder");
    let short = ["--steps", "10", "--runs", "1"];
    let of_data = |command: &'static [&'static str]| [command, &["--dataset", "k.txt"]].concat();
    let of_small =
        |command: &[&'static str]| [command, &["--dataset", "mq2008-lookalike:0.02", "--rankers", "10"]].concat();
    let cases = [
        ([of_data(&[]), short.to_vec()].concat(), "the comparisons of 449,985,000 pairs of 30,000 rankers need "),
        (
            [of_data(&["proxy"]), vec!["--out", "P.npy"]].concat(),
            "choose fewer with --rankers, e.g. --rankers 100; at most ",
        ),
        ([of_data(&["compare"]), short.to_vec()].concat(), "but ulimit -v leaves "),
        (of_data(&["distortion"]), "the comparisons of 449,985,000 pairs"),
        (
            [&["bandit", "--problem", "btl:k=30000", "--algorithms", "random"], &short[..]].concat(),
            "the preferences of 30,000 arms need 10.8 GB of memory, but ulimit -v leaves ",
        ),
        ([&["bandit", "--problem", "1good30000poor"], &short[..]].concat(), "at a time among 30,001 arms ("),
        (vec!["bandit", "--problem", "arith51", "--runs", "1e9"], "the results of 5,000,000,000 runs need "),
        (vec!["bandit", "--problem", "arith51", "--runs", "1e18"], "need more than 1000 PB of memory"),
        // Before the problem is made, or data are read.
        (vec!["bandit", "--problem", "geom99999999"], "at a time among 99,999,999 arms ("),
        (of_small(&["sensitivity", "--draws", "1e18"]), "the results of 1,000,000,000,000,000,000 draws need "),
        (of_small(&["distortion", "--sets", "1e18"]), "the results of 1,000,000,000,000,000,000 sets need "),
        (
            of_small(&["proxy", "--impressions-per-pair", "1e18", "--out", "Q.npy"]),
            "45 pairs: expected at most 102,481,911,520,608,620",
        ),
        (
            of_small(&["compare", "--impressions-per-pair", "1e18"]),
            "45 pairs: expected at most 102,481,911,520,608,620",
        ),
        (vec!["bandit", "--problem", "btl:k=1"], "expected 2 to 100000000 arms, found 1"),
        (vec!["bandit", "--matrix", "one.txt"], "only one arm is left, and a comparison needs two"),
        (vec!["bandit", "--problem", "geom1"], "expected 2 to 100000000 arms, found 1"),
        (vec!["experiment", "grid.toml"], "the braces make 68,719,476,736 combinations"),
    ];
    for (args, expected) in cases {
        let start = std::time::Instant::now();
        let run = within(folder.path(), 6_000_000, &[&args[..], &["--quiet"]].concat());
        // Seconds, where the work itself would take minutes or years.
        assert!(start.elapsed().as_secs() < 30, "{args:?}: {:?}", start.elapsed());
        let message = text(&run.stderr);
        assert!(run.status.code().is_some_and(|code| code == 1 || code == 2), "{args:?}: {:?} {message}", run.status);
        assert!(message.starts_with("error: ") && message.contains(expected), "{args:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
    }
}

/// An experiment with a grid of `choices` to the power of twelve algorithms.
fn grid(choices: usize) -> String {
    let list: Vec<String> = (1..=choices).map(|choice| format!("0.5{choice}")).collect();
    let braces = format!("{{{}}}", list.join(",")).repeat(12);
    format!(
        "title = \"t\"\nkind = \"regret\"\nalgorithms = [\"rucb:alpha={braces}\"]\nsteps = 10\nruns = 1\n\n\
         [[setting]]\nname = \"P\"\nplay = \"problem\"\nproblem = \"cyclic\"\n"
    )
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_allocation_ends_in_one_line() {
    let folder = TempDir::new().expect("a temporary folder");
    // There is room for the text, but not for its numbers.
    fs::write(folder.path().join("P.txt"), "0.5 ".repeat(15_000_000)).expect("a writable folder");
    let run = within(folder.path(), 300_000, &["bandit", "--matrix", "P.txt"]);
    let message = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{:?} {message}", run.status);
    assert!(message.starts_with("error: out of memory: another "), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_of_a_proxy_is_what_is_predicted() {
    let folder = TempDir::new().expect("a temporary folder");
    let rankers = 2_000;
    two_documents(folder.path(), rankers);
    for (flags, sampling) in [(&[][..], Sampling::WithReplacement), (&["--stratify"], Sampling::Stratified)] {
        let name = format!("P{}.npy", flags.len());
        let mut command = sim(folder.path());
        command
            .args(["proxy", "--dataset", "k.txt", "--impressions-per-pair", "2", "--quiet", "--out", &name])
            .args(flags);
        let run = command.output().expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        let timings = fs::read_to_string(folder.path().join(name.replace("npy", "timings.json"))).expect("timings");
        let timings: serde_json::Value = serde_json::from_str(&timings).expect("JSON");
        let peak = timings["peak_memory_mib"].as_f64().expect("Linux reports it") * f64::from(1 << 20);
        let predicted = State::bytes(rankers, sampling) as f64;
        // The program itself and its data take some 40 MB.
        assert!(peak < 1.1 * predicted + 40e6 && peak > 0.7 * predicted, "{sampling:?}: {peak} found, {predicted}");
    }
}
