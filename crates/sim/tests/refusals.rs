//! Errors of the command line: each names the flag, the value and the remedy.

use std::fs;

use sim::cli::run_with;
use tempfile::TempDir;

use crate::common::{TINY, sim, text};

/// Wrong usage, and a part of the error that names the fault.
const WRONG_USAGE: &[(&[&str], &str)] = &[
    (&["--steps", "0"], "'0' for '--steps <N>': expected at least 1"),
    (&["--steps", "many"], "'--steps <N>': expected a whole number such as 1000000 or 1e6, found `many`"),
    (&["--algorithms", "rubc"], "no algorithm is called `rubc`; did you mean `rucb`?"),
    (
        &["--algorithms", "rucb:alhpa=1"],
        "rucb has no parameter `alhpa` (parameters: variant, alpha, unseen); did you mean `alpha`?",
    ),
    (&["--algorithms", "rucb:alpha=-1"], "alpha must be a positive number, found -1"),
    (&["--algorithms", "mergerucb:p=1"], "p must be at least 2, found 1"),
    (&["--algorithms", "rucb,rucb"], "rucb is given twice; give each algorithm once"),
    (&["--algorithms", "rucb:alpha=0.51,rucb"], "rucb is given twice; give each algorithm once"),
    (&["--rankers", "best"], "\"best\" is not a number; expected `all`"),
    (&["--click", "sometimes"], "unknown click model \"sometimes\"; known are perfect"),
    (
        &["--click", "navigational:3"],
        "click model \"navigational\" takes no settings, found \"3\"; write `navigational`",
    ),
    (&["--click", "perfect:"], "click model \"perfect\" takes no settings"),
    (&["--click", "dbn"], "click model \"dbn\" needs P(click) by grade: write `dbn:navigational`"),
    (&["--click", "pbm:"], "click model \"pbm\" needs P(click) by grade: write `pbm:navigational`"),
    (&["--stop-when", "95"], "expected a confidence between 0 and 1; did you mean 0.95?"),
    (&["--evidence", "99.5"], "expected a confidence between 0 and 1; did you mean 0.995?"),
    (&["--stop-when", "1"], "expected a confidence between 0 and 1, such as 0.95"),
    (&["--dataset", TINY, "--rankers", "best,1"], "--rankers \"best,1\": \"best\" is not a number"),
    (&["bandit", "--problem", "btl", "--change", "500:reverse"], "unknown change `reverse`; did you mean `reversed`?"),
    (&["bandit", "--problem", "btl", "--change", "500:shft=2"], "unknown change `shft=2`; did you mean `shift=N`?"),
    (&["bandit", "--problem", "btl", "--change", "500:leaves=2"], "did you mean `leave=ARM`?"),
    (
        &["submit", "slurm", "--shards", "2", "--", "proxy", "--dataset", "mslr-web30", "--out", "P.npy"],
        "--dataset mslr-web30: neither a file or folder nor a registered data set; did you mean `mslr-web30k`?",
    ),
    (
        &[
            "submit",
            "slurm",
            "--shards",
            "2",
            "--mem",
            "1G",
            "--time",
            "1:00:00",
            "--",
            "--dataset=nosuch",
            "--out",
            "x",
        ],
        "--dataset nosuch: neither a file or folder nor a registered data set",
    ),
    (
        &["submit", "kubernetes", "--shards", "2", "--", "bandit", "--matrix", "nosuch", "--out", "x"],
        "--matrix nosuch: neither a file or folder nor a registered matrix",
    ),
    (&["--click", "0:2,1:0.5"], "\"2\" is not a probability from 0 to 1"),
    (&["--click", "perfect", "--stop", "0:0.5"], "the preset perfect has its own"),
    (&["--click", "0:0,1:0.5", "--stop", "0:0.5"], "2 grades for clicks but 1 grade for stops"),
    (&["--shown", "0"], "'0' for '--shown <N>': expected at least 1"),
    (&["--threads", "0"], "'0' for '--threads <N>': expected at least 1"),
    (&["--seed", "-1"], "'-1' for '--seed <N>': expected a whole number such as 1000000 or 1e6, found `-1`"),
    (&["--runs", "-3"], "'-3' for '--runs <N>': expected a whole number such as 1000000 or 1e6, found `-3`"),
    (&["--steps", "-1e6"], "'--steps <N>': expected a whole number such as 1000000 or 1e6, found `-1e6`"),
    (&["--shown", "-.5"], "'--shown <N>': expected a whole number"),
    (&["--without", "-3,5"], "'--without <I,J,...>': expected whole numbers such as 1,5,110, found `-3`"),
    (&["--quiet", "-3"], "unexpected value '-3' for '--quiet'"),
    (&["bandit", "--matrix", "P.txt", "--arms", "-1,2"], "expected whole numbers such as 1,5,110, found `-1`"),
    (&["analyse", "--matrix", "P.txt", "--alpha", "-1"], "--alpha -1: expected a number above 1/2"),
    (&["proxy", "--out", "P.npy", "--until-se", "-1"], "'-1' for '--until-se <X>': expected a number above 0"),
    (&["--steps", "1e30"], "'--steps <N>': expected at most 18,446,744,073,709,551,615, found 1e30"),
    (&["--click", "a\nb"], "unknown click model \"a\\nb\""),
    (&["--algorithms", "ru\ncb"], "no algorithm is called `ru\\ncb`; did you mean `rucb`?"),
    (&["--steps", "1\n2"], "expected a whole number such as 1000000 or 1e6, found `1\\n2`"),
    (&["a\n\nb"], "'a\\n\\nb'"),
    (&["--algorithms", "self"], "no algorithm is called `self`; did you mean `self-sparring`?"),
    (&["--without", "1-5"], "--without 1-5: feature 2 is not one of the rankers"),
    (&["--no-such-flag"], "unexpected argument '--no-such-flag'"),
    (&["--dataset", "mslr-lookalike:abc"], "`mslr-lookalike:abc`: expected NAME, NAME:SCALE or NAME:SCALE:SEED"),
    (&["--dataset", TINY, "--max-label", "2"], "--max-label applies to files, but mslr-lookalike:0.002 is generated"),
    (&["--dataset", TINY, "--null", "zero"], "--null applies to files, but mslr-lookalike:0.002 is generated"),
    (&["--dataset", TINY, "--same-qid", "merge"], "--same-qid applies to files, but mslr-lookalike:0.002 is generated"),
    (&["--dataset", TINY, "--rankers", "0"], "--rankers 0: no ranker is selected; select at least one"),
    (&["--dataset", TINY, "--rankers", "1,1"], "--rankers 1,1: feature 1 is selected twice; select it once"),
    (&["--dataset", TINY, "--rankers", "1,2,999"], "there is no feature 999; the data have features 1 to 136"),
    (
        &["--dataset", TINY, "--rankers", "1000"],
        "--rankers 1000: 1000 rankers are selected, but the data have 136 features",
    ),
    (&["--dataset", TINY, "--rankers", "1,2", "--without", "3"], "--without 3: that feature is not one of the rankers"),
    (&["--dataset", TINY, "--rankers", "1,2", "--without", "2"], "only feature 1 is left, and a comparison needs two"),
    (&["--dataset", TINY, "--rankers", "1"], "is left, and a comparison needs two rankers; select at least two"),
    (
        &["bandit"],
        "required arguments were not provided: <--matrix <FILE|NAME>|--problem <NAME>|--from-outcomes <FOLDER|FILE>>",
    ),
    (&["bandit", "--problem", "1god5poor"], "no problem is called `1god5poor`; did you mean `1good5poor`?"),
    (&["bandit", "--problem", "arith4294967295"], "expected 2 to 100000000 arms, found 4294967295"),
    (&["bandit", "--matrix", "P.txt", "--problem", "arith51"], "cannot be used with '--problem <NAME>'"),
    (&["bandit", "--problem", "arith51", "--horizons", "100"], "required arguments were not provided: --setting"),
    (
        &["bandit", "--problem", "arith51", "--setting", "explore-then-exploit", "--horizons", "0"],
        "expected at least 1",
    ),
    (
        &["bandit", "--problem", "arith51", "--setting", "explore-then-exploit", "--horizons", "9", "--steps", "9"],
        "'--horizons <N,N,...>' cannot be used with '--steps <N>'",
    ),
    (
        &["bandit", "--problem", "arith51", "--setting", "explore-then-exploit", "--checkpoints", "3"],
        "--checkpoints does not apply to --setting explore-then-exploit",
    ),
    (&["bandit", "--matrix", "P.txt", "--condorcet"], "--condorcet applies to random arms; add --arms N"),
    (&["bandit", "--matrix", "P.txt", "--arms", "3", "--arms", "1,2"], "cannot be used multiple times"),
    (&["bandit", "--matrix", "P.txt", "--arms", "0"], "expected `all`, a number of arms, `alphabetical:N` or arms"),
    (&["bandit", "--problem", "arith51", "--arms", "5"], "--arms and --lexicographic apply to --matrix"),
    (&["proxy"], "required arguments were not provided: --out <FILE>"),
    (&["proxy", "--out", "P.npy", "--arms", "first"], "expected 0-based arms such as 0,3,17, found `first`"),
    (&["proxy", "--out", "P.npy", "--pairs", "1"], "expected pairs of 0-based arms such as 0-3,109-*, found `1`"),
    (&["proxy", "--out", "P.npy", "--pairs", "1-2", "--arms", "1,2"], "cannot be used with"),
    (&["proxy", "--out", "P.npy", "--impressions-per-pair", "5", "--more", "5"], "cannot be used with"),
    (&["proxy", "--out", "Q.csv"], "--out Q.csv should end in .npy or .txt"),
    (&["proxy", "--out", "P.npy", "--until-se", "0"], "'0' for '--until-se <X>': expected a number above 0"),
    (&["proxy", "--out", "P.npy", "--save-every", "soon"], "expected a number such as 0.5 or 1e-3, found `soon`"),
    (
        &["proxy", "--out", "P.npy", "--multileave", "sosm", "--interleave", "team-draft"],
        "--interleave and --multileave exclude each other",
    ),
    (&["proxy", "--out", "P.npy", "--resume", "--replace"], "'--resume' cannot be used with '--replace'"),
    (&["compare", "--matrix", "P.txt", "--impressions-per-pair", "5"], "cannot be used with"),
    (
        &["compare", "--algorithms", "mdb"],
        "it selects sets of arms, which a pairwise matrix cannot simulate; choose dueling algorithms",
    ),
    (&["compare", "--multileave", "sosm"], "--multileave does not apply to compare"),
    (&["analyse", "--matrix", "P.txt", "--confidence", "2"], "expected a confidence"),
    (&["analyse", "--matrix", "P.txt", "--alpha", "0.5"], "--alpha 0.5: expected a number above 1/2"),
    (&["analyse", "--matrix", "P.txt", "--delta", "1"], "--delta 1: expected a probability strictly between 0 and 1"),
    (&["analyse", "--matrix", "P.txt", "--batch", "3"], "--batch 3: expected at least 4"),
    (&["analyse", "--matrix", "P.txt", "--comparisons", "0"], "'0' for '--comparisons <N>': expected at least 1"),
    (&["analyse", "--matrix", "P.txt", "--against-lexicographic"], "required arguments were not provided: --against"),
    (&["analyse"], "required arguments were not provided: --matrix <FILE|NAME>"),
    (&["bench", "--track", "g"], "unknown track `g`; there are a (regret), b (best), c (order)"),
    (&["bench", "--problems", "48"], "--problems 48: expected 1 to 47, or names"),
    (&["bench", "--problems", "nobody"], "--problems: no problem is called `nobody`; there are ukp-01"),
    (&["bench", "--policies", "rucb,nobody"], "--policies nobody: no algorithm is called `nobody`"),
    (&["bench", "--policies", "rucb,rucb"], "two entries are called `rucb`"),
    (&["bench", "--policies", "none"], "there is no entry; give --policies or --entry"),
    (&["bench", "--entry", "python3 mine.py"], "--entry python3 mine.py: expected NAME=COMMAND"),
    (&["bench", "--seed", "2"], "--seed does not apply to bench"),
    (&["sensitivity", "--dataset", TINY, "--compared", "1"], "--compared 1: expected 2 to 136"),
    (
        &["sensitivity", "--dataset", TINY, "--methods", "sosm,sosm"],
        "--methods: sosm is given twice; give each method once",
    ),
    (
        &["sensitivity", "--dataset", TINY, "--multileave", "sosm"],
        "--multileave does not apply to sensitivity; use --methods",
    ),
    (&["distortion", "--dataset", TINY, "--rankers", "5", "--sizes", "6"], "--sizes 6: expected 2 to 5"),
    (&["experiment", "some.toml", "--only", "others"], "no experiment to run: --only matches none"),
    (&["experiment", "."], ". is a folder; give the files in it, e.g. ./*.toml"),
    (&["experiment", "some.toml", "--data-dir", "nowhere"], "no such folder; expected a folder with data sets"),
    (&["experiment", "some.toml", "--scale", "2"], "expected a share above 0 and at most 1, such as 0.01"),
];

#[test]
fn wrong_usage_names_what_is_wrong() {
    let before = || fs::read_dir(".").expect("the folder of the crate").count();
    let entries = before();
    let mut wrong = Vec::new();
    for (args, expected) in WRONG_USAGE {
        let quiet = args.first().is_some_and(|arg| *arg != "report").then_some("--quiet");
        let failure =
            run_with(std::iter::once("sim").chain(args.iter().copied()).chain(quiet)).expect_err("it is wrong");
        if failure.exit_code != 2
            || !failure.message.contains(expected)
            || failure.message.contains('\n')
            || failure.message.contains("invalid digit")
            || failure.message.contains("invalid float")
        {
            wrong.push(format!("{args:?}: expected `{expected}`, found {failure:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(before(), entries, "nothing is written");
}

#[test]
fn the_process_exits_with_2_and_one_line_for_wrong_usage() {
    let folder = TempDir::new().expect("a temporary folder");
    // The first is refused by clap, the second by the command.
    for args in [&["--steps", "0"][..], &["--dataset", TINY, "--rankers", "1", "--quiet"]] {
        let run = sim(folder.path()).args(args).output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {message}");
        assert!(message.starts_with("error: ") && message.lines().count() == 1, "{args:?}: {message}");
        assert!(run.stdout.is_empty());
    }
    // Only the cache of the look-alike, which tests keep there.
    let written = fs::read_dir(folder.path()).expect("the folder exists").flatten();
    let written: Vec<_> = written.map(|entry| entry.file_name()).filter(|name| name != "caches").collect();
    assert!(written.is_empty(), "nothing is written: {written:?}");
}

#[test]
fn a_missing_data_set_is_one_clear_error() {
    let folder = TempDir::new().expect("a temporary folder");
    let run = sim(folder.path()).args(["--dataset", "ylr1", "--click", "navigational"]).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(1));
    let message = text(&run.stderr);
    assert_eq!(message.lines().count(), 1, "{message}");
    // There is no workspace here, so no advice to run cargo.
    assert!(message.contains("the data set ylr1 is not on this machine") && !message.contains("cargo"), "{message}");
    assert!(run.stdout.is_empty());
}

#[test]
fn a_pattern_expanded_by_the_shell_is_explained() {
    let folder = TempDir::new().expect("a temporary folder");
    for name in ["a.txt", "b.txt"] {
        fs::write(folder.path().join(name), "").expect("a writable folder");
    }
    let run = sim(folder.path()).args(["--dataset", "a.txt", "b.txt"]).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(2));
    let message = text(&run.stderr);
    assert!(message.ends_with("separate several files with commas (see --help)\n"), "{message}");
}

/// The rule of exit codes: 2 for wrong usage, by flags or in a configuration file, and 1 for failures: data that are missing or damaged.
#[test]
fn exit_codes_tell_wrong_requests_from_failures() {
    let folder = TempDir::new().expect("a temporary folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a writable folder");
    write("P.txt", "0.5 0.7\n0.3 0.5\n");
    write("Q.txt", "0.5 0.7 0.6\n0.3 0.5 0.6\n0.4 0.4 0.5\n");
    write("gap.txt", "0.5,,0.7\n0.3,0.5,0.5\n0.5,0.5,0.5\n");
    let setting = |dataset: &str| {
        format!("\n[[setting]]\nname = \"S\"\nplay = \"live\"\ndataset = \"{dataset}\"\nrankers = \"1,2,3\"\n")
    };
    let base = "title = \"t\"\nkind = \"regret\"\nalgorithms = [\"rucb\"]\nsteps = 10\nruns = 1\n";
    let distortion = "title = \"t\"\nkind = \"distortion\"\nmultileavings = 10\nruns = 2\n";
    write("none.toml", &format!("{base}checkpoints = 0{}", setting("none")));
    write("missing.toml", &format!("{base}{}", setting("none")));
    write("names.toml", &format!("{}{}", base.replace("rucb", "rubc"), setting("none")));
    write("kind.toml", "title = \"t\"\n");
    let lookalike = setting(TINY).replace("dataset =", "lookalike =");
    write("sizes.toml", &format!("{distortion}sizes = [99999]\n{lookalike}"));
    write("features.toml", &format!("{base}{}", lookalike.replace("1,2,3", "1,999")));
    write("subsets.toml", &format!("{base}{lookalike}\n[subsets]\nsizes = [4]\ncount = 1\n"));
    for (args, code, expected) in [
        (&["experiment", "none.toml"][..], 2, "none.toml, line 6, column 15: checkpoints: expected at least 1"),
        (&["experiment", "names.toml"], 2, "no algorithm is called `rubc`; did you mean `rucb`?"),
        (&["experiment", "kind.toml"], 2, "kind.toml, line 1"),
        (&["experiment", "sizes.toml"], 2, "sizes: expected sizes up to 3, found 99,999; there are 3 rankers"),
        (&["experiment", "features.toml"], 2, "there is no feature 999"),
        (&["experiment", "subsets.toml"], 2, "sizes: cannot draw a set of 4 rankers from 3"),
        (&["experiment", "missing.toml"], 1, "none"),
        (&["experiment", "nowhere.toml"], 1, "failed to read the experiment nowhere.toml"),
        (&["bandit", "--matrix", "gap.txt"], 1, "row 0, column 1: expected a probability, found nothing"),
        (&["analyse", "--matrix", "P.txt", "--against", "Q.txt"], 2, "--against has 3 arms, but --matrix has 2"),
        (&["compare", "--dataset", TINY, "--rankers", "1,2", "--matrix", "Q.txt"], 2, "--matrix has 3 arms"),
        (&["proxy", "--dataset", TINY, "--rankers", "1,2", "--out", "M.npy", "--more", "5"], 2, "there is no M.state"),
        (&["--dataset", "a\nb"], 1, "`a\\nb` is neither a file or folder nor a registered data set"),
        (&["--dataset", "mslr"], 1, "did you mean one of `mslr-web30k`, `mslr-web10k`, `mslr-lookalike`?"),
        (&["--dataset", "yrl1"], 1, "did you mean `ylr1`?"),
        (&["--dataset", "mslr-web10k"], 1, "get it from https://"),
    ] {
        let run = sim(folder.path()).args(args).arg("--quiet").output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(code), "{args:?}: {message}");
        assert!(message.contains(expected), "{args:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
    }
}

#[test]
fn names_of_files_cannot_break_a_line() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("a\n\u{1b}[31mb.txt"), "1 qid:1 1:1 2:2\n0 qid:1 1:2 2:1\n")
        .expect("a writable folder");
    let run = sim(folder.path()).args(["--dataset", "a\n\u{1b}[31mb.txt", "--steps", "10", "--runs", "1"]).output();
    let run = run.expect("sim starts");
    let message = text(&run.stderr);
    assert!(message.contains("a\\n\\u{1b}[31mb.txt: 1 query, 2 documents, 2 features\n"), "{message}");
    assert!(!message.contains('\u{1b}') && !text(&run.stdout).contains('\u{1b}'), "{message}");
}

#[test]
fn more_threads_than_help_are_not_started() {
    let folder = TempDir::new().expect("a temporary folder");
    let args = ["bandit", "--problem", "cyclic", "--steps", "10", "--runs", "1", "--quiet", "--threads", "60000"];
    let run = sim(folder.path()).args(args).args(["--out", "out"]).output().expect("sim starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let timings = fs::read_to_string(folder.path().join("out/timings.json")).expect("timings");
    let timings: serde_json::Value = serde_json::from_str(&timings).expect("JSON");
    let cores = std::thread::available_parallelism().map_or(16, usize::from);
    assert_eq!(timings["threads"].as_u64(), Some(4 * cores.max(16) as u64));
}

#[test]
fn failures_exit_with_1_and_write_nothing() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("bad.txt"), "0.5 0.7\n0.4 0.5\n").expect("a writable folder");
    fs::write(folder.path().join("bad.svm"), "1 qid:1 1:0.5\n0 qid:1 1:abc\n").expect("a writable folder");
    for (args, expected) in [
        (&["bandit", "--matrix", "none.txt"][..], "none.txt"),
        (&["bandit", "--matrix", "bad.txt"], "bad.txt"),
        (&["--dataset", "bad.svm"], "bad.svm:2:"),
        (&["--dataset", "no/such/folder"], "no/such/folder"),
    ] {
        let run = sim(folder.path()).args(args).args(["--quiet", "--out", "out.npy"]).output().expect("sim starts");
        assert_eq!(run.status.code(), Some(1), "{args:?}: {}", text(&run.stderr));
        let message = text(&run.stderr);
        assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
        assert!(message.starts_with("error: ") && message.contains(expected), "{args:?}: {message}");
        assert!(!folder.path().join("out.npy").exists());
    }
}

#[test]
fn more_arms_than_supported_are_refused() {
    let folder = TempDir::new().expect("a temporary folder");
    for (problem, algorithm, expected) in [
        ("arith100000", "rucb", "it takes at most 32768, mergerucb any number"),
        ("btl:k=40000", "rucb", "matrices end at 32768 arms"),
    ] {
        let args = ["bandit", "--problem", problem, "--algorithms", algorithm, "--steps", "10", "--quiet"];
        let run = sim(folder.path()).args(args).output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{args:?}: {message}");
        assert!(message.starts_with("error: ") && message.contains(expected), "{args:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly_and_a_full_disk_in_one_line() {
    let folder = TempDir::new().expect("a temporary folder");
    let commands = [
        &["algorithms"][..],
        &["datasets"],
        &["--help"],
        &["bandit", "--problem", "arith51", "--steps", "10", "--runs", "1", "--json", "--quiet"],
    ];
    let to = |args: &[&str], out: std::process::Stdio| {
        let mut sim = std::process::Command::new(env!("CARGO_BIN_EXE_rankduel"));
        sim.current_dir(folder.path()).args(args).stdout(out).output().expect("sim starts")
    };
    for args in commands {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = to(args, writer.into());
        assert_eq!((run.status.code(), text(&run.stderr)), (Some(141), String::new()), "{args:?}");
        if let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") {
            let run = to(args, full.into());
            let message = text(&run.stderr);
            assert_eq!(run.status.code(), Some(1), "{args:?}: {message}");
            assert!(message.starts_with("error: failed to write to standard output: "), "{args:?}: {message}");
            assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
        }
    }
}

#[test]
fn unwritable_outputs_are_reported_before_the_work() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("taken"), "").expect("a writable folder");
    fs::create_dir(folder.path().join("folder.json")).expect("a writable folder");
    let long = ["--dataset", TINY, "--quiet"];
    for args in [
        &["--steps", "1e12", "--out", "taken"][..],
        &["--steps", "1e12", "--out", "r", "--cache", "taken"],
        &["bandit", "--problem", "arith51", "--steps", "1e12", "--out", "taken"],
        &["compare", "--steps", "1e12", "--out", "taken"],
        &["sensitivity", "--draws", "1e5", "--out", "taken"],
        &["distortion", "--multileavings", "1e12", "--out", "taken/d.json"],
        &["distortion", "--multileavings", "1e12", "--out", "folder.json"],
        &["distortion", "--multileavings", "1e12", "--out", "taken"],
    ] {
        let data = if args[0] == "bandit" { &["--quiet"][..] } else { &long };
        let run = sim(folder.path()).args(args).args(data).output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{args:?}: {message}");
        assert!(message.starts_with("error: failed to") && message.lines().count() == 1, "{args:?}: {message}");
    }
}

/// Files that no flag takes, as where the shell expands a pattern, and runs without judgments.
#[test]
fn files_without_a_flag_are_told_where_they_belong() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    for (name, content) in [
        ("a.run", "1 Q0 d 1 2 t\n"),
        ("b.run", "1 Q0 d 1 2 t\n"),
        ("c,d.run", "1 Q0 d 1 2 t\n"),
        ("qrels", "1 0 d 1\n"),
        ("wins.csv", ",a,b\na,0,3\nb,1,0\n"),
    ] {
        fs::write(here.join(name), content).expect("a writable folder");
    }
    for (arguments, expected) in [
        (
            &["--rankings", "a.run", "b.run", "--qrels", "qrels"][..],
            "write --rankings a.run,b.run, or give their folder; separate",
        ),
        (
            &["--qrels", "qrels", "--rankings=a.run", "b.run", "c,d.run"],
            "--rankings a.run,b.run,..., or give their folder",
        ),
        (
            &["inspect", "--rankings", "a.run", "b.run", "--qrels", "qrels"],
            "commas separate runs: --rankings a.run,b.run",
        ),
        (&["--rankings", "a.run"], "runs need judgments, files of `query 0 document label`"),
        (&["bandit", "wins.csv"], "unexpected argument 'wins.csv': give the matrix as --matrix wins.csv"),
        (&["analyse", "wins.csv"], "give the matrix as --matrix wins.csv"),
        (&["inspect", "--rankings", "c,d.run", "--qrels", "qrels"], "c,d.run: this file's name has a comma"),
    ] {
        let run = sim(here).args(arguments).output().expect("sim starts");
        let error = text(&run.stderr);
        assert!(error.contains(expected) && error.lines().count() == 1, "{arguments:?}: {error}");
        assert_ne!(run.status.code(), Some(0), "{arguments:?}");
    }
}
