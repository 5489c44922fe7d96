//! `rankduel submit`: processes of this machine, scripts for Slurm, manifests for Kubernetes.

use std::fs;
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;

use super::commands::{BANDIT, equal};
use crate::common::{sim, text, tree};

#[test]
fn submit_runs_shards_on_this_machine_and_merges_them() {
    let whole = BANDIT.prepare();
    assert!(BANDIT.run(whole.path(), &[]).status.success());
    let folder = BANDIT.prepare();
    let here = folder.path();
    let submit = |more: &[&str], arguments: &[&str]| {
        let mut run = sim(here);
        run.args(["submit", "local", "--shards", "4", "--limit", "2"]).args(more).arg("--").args(arguments);
        run.output().expect("sim starts")
    };
    let command = [BANDIT.arguments, &["--quiet", "--out", "out"]].concat();
    let run = submit(&[], &command);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(text(&run.stdout).contains("rucb"), "the table: {}", text(&run.stdout));
    equal("local", &BANDIT.written(here), &BANDIT.written(whole.path()));
    // One that is lost is done again; those that are there are not.
    let parts = here.join("out.shards");
    let before = tree(&parts);
    fs::remove_file(parts.join("2-of-4.part")).expect("a part");
    fs::remove_dir_all(here.join("out")).expect("results");
    assert!(submit(&["--missing"], &command).status.success());
    equal("local", &BANDIT.written(here), &BANDIT.written(whole.path()));
    for index in [0, 1, 3] {
        let name = format!("{index}-of-4.part");
        assert!(tree(&parts)[&name] == before[&name]);
    }
    // Failures are reported, and wrong usage is refused before anything starts.
    let refused = |run: &Output, code: i32, wanted: &str| {
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(code), "{said}");
        assert!(said.contains(wanted), "{said}");
    };
    refused(&submit(&[], BANDIT.arguments), 2, "the command needs --out");
    refused(&submit(&[], &["bandit", "--nonsense", "--out", "a"]), 2, "the command after `--`");
    refused(&submit(&[], &["analyse", "--matrix", "P", "--out", "a"]), 2, "unexpected argument '--shard'");
    refused(&submit(&["--missing"], &[&command[..command.len() - 1], &["b"]].concat()), 0, "");
    let absent = ["bandit", "--matrix", "absent.txt", "--out", "c"];
    refused(&submit(&[], &absent), 1, "absent.txt");
}

#[test]
fn submit_writes_scripts_for_slurm_and_manifests_for_kubernetes() {
    let folder = BANDIT.prepare();
    let here = folder.path();
    let submit = |place: &str, more: &[&str]| {
        let mut run = sim(here);
        run.args(["submit", place, "--shards", "2500"]).args(more).arg("--").args(BANDIT.arguments);
        let run = run.args(["--out", "my results/a b"]).output().expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        text(&run.stdout)
    };
    let flags = ["--cpus", "4", "--mem", "8G", "--time", "4:00:00", "--account", "ours", "--limit", "64"];
    let said = submit("slurm", &flags);
    assert!(said.contains("bash 'my results/a b.shards/slurm/submit.sh'"), "{said}");
    let scripts = here.join("my results/a b.shards/slurm");
    let read = |name: &str| fs::read_to_string(scripts.join(name)).expect("a script");
    let shard = read("shard.sh");
    for line in [
        "#SBATCH --cpus-per-task=4",
        "#SBATCH --mem=8G",
        "#SBATCH --time=4:00:00",
        "#SBATCH --account=ours",
        "#SBATCH --signal=B:TERM@60",
        "#SBATCH --requeue",
        "--shard \"auto+${1:-0}/2500\" --threads \"${SLURM_CPUS_PER_TASK:-1}\"",
    ] {
        assert!(shard.contains(line), "{line}: {shard}");
    }
    assert!(shard.contains("--out 'my results/a b'") && shard.contains("\nexec "), "{shard}");
    let all = read("submit.sh");
    for line in [
        "--array=0-999%64 \"$here/shard.sh\" 1000",
        "--array=0-499%64 \"$here/shard.sh\" 2000",
        "--dependency=afterok:$shards0:$shards1:$shards2 ",
    ] {
        assert!(all.contains(line), "{line}: {all}");
    }
    for name in ["prepare.sh", "shard.sh", "merge.sh", "submit.sh"] {
        let checked = std::process::Command::new("bash").arg("-n").arg(scripts.join(name)).status().expect("bash");
        assert!(checked.success(), "{name}");
    }
    submit("kubernetes", &["--mem", "8G", "--time", "90m", "--limit", "64", "--no-dry-run"]);
    let shards = fs::read_to_string(here.join("my results/a b.shards/kubernetes/shards.yaml")).expect("a manifest");
    for line in [
        "completionMode: Indexed",
        "completions: 2500",
        "parallelism: 64",
        "backoffLimitPerIndex: 3",
        "\"auto/2500\"",
        "memory: \"8Gi\"",
        "activeDeadlineSeconds: 5400\n",
    ] {
        assert!(shards.contains(line), "{line}: {shards}");
    }
    // Values that schedulers would misread or reject never reach a script.
    for (flag, value, expected) in [
        ("--time", "60", "expected hours:minutes:seconds"),
        ("--time", "4:00", "e.g. 4:00:00"),
        ("--mem", "4", "K, M, G or T"),
    ] {
        let mut run = sim(here);
        run.args(["submit", "slurm", "--shards", "4", flag, value, "--"])
            .args(BANDIT.arguments)
            .args(["--out", "other"]);
        let run = run.output().expect("sim starts");
        let said = text(&run.stderr);
        assert!(run.status.code() == Some(2) && said.contains(expected), "{flag} {value}: {said}");
        assert!(!here.join("other.shards").exists());
    }
}

#[test]
fn control_characters_never_reach_a_script() {
    let folder = BANDIT.prepare();
    let here = folder.path();
    let before = tree(here);
    let submit = |place: &str, flags: &[&str], more: &[&str]| {
        let mut run = sim(here);
        run.args(["submit", place, "--shards", "4", "--no-dry-run"]).args(flags).arg("--").args(BANDIT.arguments);
        run.args(["--out", "out"]).args(more);
        run
    };
    let refused = |run: &mut Command, named: &str| {
        let run = run.output().expect("sim starts");
        let said = text(&run.stderr);
        // Before it, the settings from `rankduel.toml` are listed.
        let errors = said.lines().filter(|line| !line.starts_with("from rankduel.toml: ")).count();
        assert_eq!((run.status.code(), errors), (Some(2), 1), "{said}");
        assert!(said.contains(named) && said.contains("expected no control characters"), "{said}");
        assert_eq!(tree(here), before, "{named}");
    };
    for place in ["slurm", "kubernetes"] {
        for control in ["\n", "\r", "\t", "\u{b}", "\u{1b}", "\u{7f}", "\u{85}", "\u{2028}"] {
            let value = format!("a{control}touch x{control}");
            for flag in ["--account", "--partition", "--qos", "--image", "--claim", "--program", "--prologue"] {
                refused(&mut submit(place, &[&format!("{flag}={value}")], &[]), flag);
            }
            for flag in ["--out", "--seed", "--problem"] {
                refused(&mut submit(place, &[], &[flag, &value]), "the command after `--`");
            }
        }
    }
    for name in ["RANKDUEL_CACHE_DIR", "RANKDUEL_DATA_DIR"] {
        refused(submit("slurm", &[], &[]).env_remove("RANKDUEL_CACHE_DIR").env(name, "a\ntouch x"), name);
    }
    // Values of `rankduel.toml` too.
    let inside = TempDir::new().expect("a temporary folder");
    for flag in ["account", "partition", "qos", "image", "claim", "program"] {
        let file = format!("[submit]\n{flag} = \"a\\ntouch x\"\n");
        fs::write(inside.path().join("rankduel.toml"), file).expect("a writable folder");
        refused(submit("slurm", &[], &[]).current_dir(inside.path()), &format!("--{flag}"));
        assert_eq!(tree(inside.path()).len(), 1);
    }
    #[cfg(unix)]
    {
        let named = inside.path().join("a\ntouch x");
        fs::create_dir(&named).expect("a folder");
        refused(submit("slurm", &[], &[]).current_dir(&named), "the working folder");
    }
    // A quote would end the value for Slurm.
    let run = submit("slurm", &["--account", "a\" --wrap=\"x"], &[]).output().expect("sim starts");
    let said = text(&run.stderr);
    assert!(run.status.code() == Some(2) && said.contains("no double quotes"), "{said}");
    assert_eq!(tree(here), before);
}

#[test]
fn a_dry_run_says_what_a_shard_needs() {
    let folder = BANDIT.prepare();
    let here = folder.path();
    let submit = |place: &str, more: &[&str], command: &[&str]| {
        let mut run = sim(here);
        run.args(["submit", place, "--shards", "4"]).args(more).arg("--").args(command).args(["--out", "out.npy"]);
        run.output().expect("sim starts")
    };
    let bandit = ["bandit", "--problem", "arithmetic:k=6", "--steps", "1e11", "--runs", "8", "--algorithms", "random"];
    let run = submit("slurm", &["--dry-run"], &bandit);
    let said = text(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert!(said.starts_with("a dry run used ") && said.contains(" of CPU for all 4 shards"), "{said}");
    assert_eq!(fs::read_dir(here).expect("a folder").count(), 2, "nothing is written");
    // The numbers are in the scripts, unless others are given.
    let run = submit("slurm", &["--mem", "3G"], &bandit);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let script = fs::read_to_string(here.join("out.npy.shards/slurm/shard.sh")).expect("a script");
    assert!(script.contains("\n# a dry run used ") && script.contains("#SBATCH --mem=3G\n"), "{script}");
    // 8 x 10^11 steps of some nanoseconds each, by four shards, and twice that: hours.
    let time = script.lines().find_map(|line| line.strip_prefix("#SBATCH --time=")).expect("a time");
    let hours: u64 = time.split(':').next().and_then(|hours| hours.parse().ok()).expect("hours");
    assert!((1..100).contains(&hours) && time.ends_with(":00"), "{time}");
    let proxy = ["proxy", "--dataset", "mslr-lookalike:0.003", "--rankers", "6", "--impressions-per-pair", "1000000"];
    let run = submit("kubernetes", &[], &proxy);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let shards = fs::read_to_string(here.join("out.npy.shards/kubernetes/shards.yaml")).expect("a manifest");
    assert!(shards.starts_with("# a dry run used ") && shards.contains("activeDeadlineSeconds: 600\n"), "{shards}");
    assert!(shards.contains("Mi\"}"), "{shards}");
    // Scripts are not refused because the command cannot be tried here.
    let run = submit("slurm", &[], &["bandit", "--matrix", "absent.txt"]);
    assert!(run.status.success() && text(&run.stderr).contains("note: no dry run: "), "{}", text(&run.stderr));
    let run = submit("slurm", &["--dry-run"], &["bandit", "--matrix", "absent.txt"]);
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));
}

/// The wheel's command line runs in Python, which must not become the program of jobs, nor may a name that nodes lack.
#[cfg(unix)]
#[test]
fn an_interpreter_is_not_submitted() {
    let folder = BANDIT.prepare();
    let here = folder.path();
    let python = here.join("python3.11");
    crate::common::copy_program(&python);
    let submit = |more: &[&str]| {
        let mut run = Command::new(&python);
        run.current_dir(here)
            .args(["submit", "slurm", "--shards", "2", "--no-dry-run"])
            .args(more)
            .arg("--")
            .args(BANDIT.arguments);
        run.args(["--out", "out"]).output().expect("it starts")
    };
    let run = submit(&[]);
    assert_eq!(run.status.code(), Some(2), "{}", text(&run.stdout));
    assert!(text(&run.stderr).contains("give --program"), "{}", text(&run.stderr));
    let run = submit(&["--program", "bin/rankduel"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let script = fs::read_to_string(here.join("out.shards/slurm/shard.sh")).expect("a script");
    assert!(script.contains(&format!("exec {}/bin/rankduel ", here.display())), "{script}");
}
