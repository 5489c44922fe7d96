//! `rankduel proxy` and `rankduel compare` through the binary, also interrupted and killed.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::{files, real_data, text};
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

/// Flags of a matrix of 45 pairs that takes a second or so.
const SMALL: [&str; 6] = ["--dataset", "mslr-lookalike:0.003", "--rankers", "10", "--impressions-per-pair", "40000"];

fn sim(folder: &Path, command: &str) -> Command {
    let mut sim = Command::new(env!("CARGO_BIN_EXE_rankduel"));
    sim.current_dir(folder).env_remove("RANKDUEL_DATA_DIR").env("RANKDUEL_CACHE_DIR", folder.join("caches"));
    sim.args([command, "--quiet"]);
    sim
}

fn proxy(folder: &Path, arguments: &[&str]) -> Command {
    let mut sim = sim(folder, "proxy");
    sim.args(arguments);
    sim
}

fn succeeds(mut command: Command) -> String {
    let run = command.output().expect("sim starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    text(&run.stdout)
}

/// The one line of a failure, or of a request that does not fit the existing folder.
fn failure(run: &Output) -> String {
    assert!(matches!(run.status.code(), Some(1 | 2)), "{}", text(&run.stderr));
    let message = text(&run.stderr);
    assert!(message.starts_with("error: ") && message.lines().count() == 1, "{message}");
    message
}

fn names(files: &[(String, Vec<u8>)]) -> Vec<&str> {
    files.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn killed_ten_times_and_repeated_is_the_same_to_the_byte() {
    for flags in [&[][..], &["--stratify"]] {
        let folder = TempDir::new().expect("a temporary folder");
        let start = Instant::now();
        succeeds(proxy(folder.path(), &[&SMALL[..], flags, &["--out", "whole/P.npy"]].concat()));
        let whole = start.elapsed();

        let arguments = [&SMALL[..], flags, &["--out", "cut/P.npy", "--save-every", "0.02"]].concat();
        let mut generator = bandits::Generator::seed_from_u64(3);
        let mut killed = 0;
        for _ in 0..10 {
            let mut run = proxy(folder.path(), &arguments).stdout(Stdio::null()).spawn().expect("sim starts");
            std::thread::sleep(whole.mul_f64(generator.random_range(0.0..0.3)));
            // SIGKILL; a run that was through already is as good.
            run.kill().expect("it can be killed");
            killed += usize::from(run.wait().expect("it ends").code().is_none());
        }
        assert!(killed > 0, "none of ten was killed while it ran");
        succeeds(proxy(folder.path(), &arguments));
        let (whole, cut) = (files(&folder.path().join("whole")), files(&folder.path().join("cut")));
        assert_eq!(names(&whole), ["P.counts.npz", "P.json", "P.npy", "P.state", "P.txt"]);
        assert_eq!(names(&whole), names(&cut));
        for ((name, whole), (_, cut)) in whole.iter().zip(&cut) {
            assert!(whole == cut, "{name} differs after {killed} kills");
        }
    }
}

#[test]
fn threads_change_no_byte() {
    let folder = TempDir::new().expect("a temporary folder");
    for threads in ["1", "3"] {
        let out = format!("{threads}/P.npy");
        succeeds(proxy(folder.path(), &[&SMALL[..], &["--threads", threads, "--out", &out]].concat()));
    }
    assert!(files(&folder.path().join("1")) == files(&folder.path().join("3")));
}

#[test]
fn more_adds_to_what_is_there() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = ["--dataset", "mslr-lookalike:0.003", "--rankers", "4", "--out", "P.npy"];
    let how = || -> serde_json::Value {
        serde_json::from_slice(&fs::read(folder.path().join("P.json")).expect("P.json is there")).expect("JSON")
    };
    let none = proxy(folder.path(), &[&data[..], &["--more", "500"]].concat()).output().expect("sim starts");
    assert!(failure(&none).contains("--more adds to an existing matrix"));
    succeeds(proxy(folder.path(), &[&data[..], &["--impressions-per-pair", "2000"]].concat()));
    succeeds(proxy(folder.path(), &[&data[..], &["--more", "500", "--pairs", "0-2,3-*"]].concat()));
    assert_eq!((how()["min_comparisons"].as_u64(), how()["max_comparisons"].as_u64()), (Some(2000), Some(2500)));
    let said = succeeds(proxy(folder.path(), &[&data[..], &["--more", "300", "--until-se", "0.008"]].concat()));
    assert!(said.contains("comparisons each"), "{said}");
    assert!(how()["largest_standard_error"].as_f64() <= Some(0.008), "{}", how());
    assert_eq!(how()["requests"].as_array().map(Vec::len), Some(3));

    let before = files(folder.path());
    let other = proxy(folder.path(), &[&data[..], &["--more", "500", "--seed", "2"]].concat()).output();
    assert!(failure(&other.expect("sim starts")).contains("its seed is 1, not 2"));
    assert!(files(folder.path()) == before);
}

#[test]
fn a_finished_matrix_is_replaced_on_demand_only() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = ["--dataset", "mslr-lookalike:0.003", "--rankers", "4", "--out", "P.npy"];
    let run = |flags: &[&str]| proxy(folder.path(), &[&data[..], flags].concat());
    succeeds(run(&["--impressions-per-pair", "300"]));
    let before = files(folder.path());
    for other in [&["--impressions-per-pair", "200"][..], &["--impressions-per-pair", "300", "--seed", "2"]] {
        let message = failure(&run(other).output().expect("sim starts"));
        assert!(message.contains("add --replace to replace it, or choose another --out"), "{message}");
    }
    assert!(succeeds(run(&["--impressions-per-pair", "300"])).contains("nothing left to do"));
    assert!(files(folder.path()) == before);
    succeeds(run(&["--impressions-per-pair", "200", "--replace"]));
    assert!(files(folder.path()) != before);

    // One that was made elsewhere has no state.
    fs::remove_file(folder.path().join("P.state")).expect("the state is there");
    let message = failure(&run(&["--impressions-per-pair", "200"]).output().expect("sim starts"));
    assert!(message.contains("P.npy exists but has no .state file") && message.contains("--replace"), "{message}");
}

/// A replacement that is killed leaves the old matrix, and the state with which it can be continued.
#[test]
fn a_matrix_that_is_not_yet_replaced_is_whole() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let data = ["--dataset", "mslr-lookalike:0.003", "--rankers", "4", "--out", "P.npy"];
    let run = |flags: &[&str]| proxy(folder.path(), &[&data[..], flags].concat());
    succeeds(run(&["--impressions-per-pair", "300"]));
    let before = files(folder.path());
    let long = ["--impressions-per-pair", "1e8", "--seed", "2", "--save-every", "0.01", "--replace"];
    let mut child = run(&long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("sim starts");
    let start = Instant::now();
    let state = fs::read(at("P.state")).expect("a state");
    while fs::read(at("P.state")).expect("a state") == state && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(fs::read(at("P.state")).expect("a state") != state, "nothing was saved");
    let is_state = |name: &str| name.starts_with("P.state");
    let others =
        |files: Vec<(String, Vec<u8>)>| files.into_iter().filter(|(name, _)| !is_state(name)).collect::<Vec<_>>();
    assert!(others(files(folder.path())) == others(before));
    fs::rename(at("P.state.old"), at("P.state")).expect("the state of the old matrix");
    assert!(succeeds(run(&["--impressions-per-pair", "300", "--resume"])).contains("nothing left to do"));
    succeeds(run(&["--impressions-per-pair", "200", "--replace"]));
    assert!(!at("P.state.old").exists());
}

#[test]
fn pairs_that_were_never_compared_are_reported() {
    let folder = TempDir::new().expect("a temporary folder");
    let data =
        ["--dataset", "mslr-lookalike:0.003", "--rankers", "4", "--impressions-per-pair", "300", "--out", "Q.txt"];
    let mut some = Command::new(env!("CARGO_BIN_EXE_rankduel"));
    some.current_dir(folder.path()).arg("proxy").args(data).args(["--pairs", "0-1"]);
    let run = some.output().expect("sim starts");
    let (said, remarks) = (text(&run.stdout), text(&run.stderr));
    assert!(said.contains("some pairs were never compared") && said.contains("Q.counts.npz"), "{said}");
    assert!(said.contains("no Condorcet winner among the pairs compared"), "{said}");
    assert!(remarks.contains("Q.npy, Q.txt, Q.counts.npz, Q.json, Q.timings.json, Q.state"), "{remarks}");
    let whole = succeeds(proxy(folder.path(), &[&data[..], &["--replace"]].concat()));
    assert!(!whole.contains("never compared"), "{whole}");
    let winner = whole.lines().find(|line| line.starts_with("Condorcet winner: "));
    assert!(winner.is_none_or(|line| line.contains("; smallest margin 0.") && line.contains(", z = ")), "{whole}");
}

#[test]
fn a_damaged_state_is_one_error_and_stays() {
    let folder = TempDir::new().expect("a temporary folder");
    let arguments = [&SMALL[..], &["--out", "P.npy", "--resume"]].concat();
    succeeds(proxy(folder.path(), &arguments));
    let path = folder.path().join("P.state");
    let whole = fs::read(&path).expect("the state is there");
    for damaged in [&whole[..whole.len() / 2], &whole[..0], b"0.5 0.5\n0.5 0.5\n"] {
        fs::write(&path, damaged).expect("a writable folder");
        for flags in [&arguments[..], &arguments[..arguments.len() - 1]] {
            let message = failure(&proxy(folder.path(), flags).output().expect("sim starts"));
            assert!(message.contains("P.state") && message.contains("add --replace to start again"), "{message}");
            assert_eq!(fs::read(&path).expect("the state is there"), damaged);
        }
    }
    assert!(folder.path().join("P.npy").exists());
}

#[test]
fn a_second_run_on_the_same_files_is_refused_until_the_first_is_gone() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = &SMALL[..4];
    let long = [data, &["--impressions-per-pair", "1e9", "--out", "P.npy"]].concat();
    let mut first = proxy(folder.path(), &long).stdout(Stdio::null()).spawn().expect("sim starts");
    let state = folder.path().join("P.state");
    while !state.exists() {
        assert!(first.try_wait().expect("it can be asked").is_none(), "the first run works for long");
        std::thread::sleep(Duration::from_millis(5));
    }
    // The text is another file of the same matrix.
    for out in ["P.npy", "P.txt"] {
        let second = proxy(folder.path(), &[&SMALL[..], &["--out", out, "--resume"]].concat()).output();
        let message = failure(&second.expect("sim starts"));
        assert!(message.contains("another run is writing P.npy; wait until it ends"), "{message}");
    }
    succeeds(proxy(folder.path(), &[data, &["--impressions-per-pair", "100", "--out", "Q.npy"]].concat()));

    first.kill().expect("it can be killed");
    first.wait().expect("it ends");
    assert!(folder.path().join(".P.state.lock").exists(), "the dead do not tidy up");
    let third = proxy(folder.path(), &[&SMALL[..], &["--out", "P.npy"]].concat()).output();
    assert!(
        failure(&third.expect("sim starts"))
            .contains("another unfinished matrix (requested with --impressions-per-pair 1000000000)"),
        "no lock"
    );
    fs::remove_file(&state).expect("a writable folder");
    succeeds(proxy(folder.path(), &[&SMALL[..], &["--out", "P.npy"]].concat()));
    if cfg!(unix) {
        assert!(!names(&files(folder.path())).iter().any(|name| name.contains("lock")));
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_to_is_one_error_before_any_work() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("a temporary folder");
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).expect("a writable folder");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).expect("it can be closed");
    // The superuser may write anywhere but where the kernel refuses.
    let open_to_us = fs::write(closed.join("probe"), "").is_ok();
    let out = if open_to_us { Path::new("/sys").to_owned() } else { closed }.join("P.npy");
    let out = out.to_str().expect("a plain name");
    let long = ["--dataset", "mslr-lookalike:0.003", "--impressions-per-pair", "1e8", "--out", out];
    let start = Instant::now();
    let message = failure(&proxy(folder.path(), &long).output().expect("sim starts"));
    assert!(message.contains("P.state") && message.contains("choose a folder"), "{message}");
    assert!(start.elapsed() < Duration::from_secs(30), "nothing is computed in vain");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_one_error_and_what_was_saved_stays() {
    let folder = TempDir::new().expect("a temporary folder");
    let arguments = [&SMALL[..], &["--out", "P.npy", "--resume", "--save-every", "0.02"]].concat();
    let mut run = proxy(folder.path(), &arguments).stdout(Stdio::null()).spawn().expect("sim starts");
    let path = folder.path().join("P.state");
    while !path.exists() && run.try_wait().expect("it can be asked").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().expect("it can be killed");
    run.wait().expect("it ends");
    let saved = fs::read(&path).expect("the state is there");

    // No file may grow beyond one block of 512 or 1024 bytes, and the signal for that is ignored.
    let mut shell = Command::new("sh");
    shell.current_dir(folder.path()).args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]);
    let limited = shell.arg(env!("CARGO_BIN_EXE_rankduel")).args(["proxy", "--quiet"]).args(&arguments).output();
    let message = failure(&limited.expect("a shell starts"));
    assert!(message.contains("P.state") && message.contains("the same command goes on"), "{message}");
    assert!(fs::read(&path).expect("the state is there") == saved, "the state is as it was");

    succeeds(proxy(folder.path(), &arguments));
    succeeds(proxy(folder.path(), &[&SMALL[..], &["--out", "whole.npy"]].concat()));
    let read = |name: &str| fs::read(folder.path().join(name)).expect("it is there");
    assert!(read("P.npy") == read("whole.npy"), "nothing was lost");
}

#[test]
fn matrices_are_read_in_every_form_and_in_part() {
    let folder = TempDir::new().expect("a temporary folder");
    succeeds(proxy(
        folder.path(),
        &["--dataset", "mslr-lookalike:0.003", "--rankers", "12", "--impressions-per-pair", "800", "--out", "P.npy"],
    ));
    let play = |arguments: &[&str]| {
        let mut play = sim(folder.path(), "bandit");
        play.args(["--algorithms", "rucb", "--steps", "500", "--runs", "1", "--json", "--out", "b", "--replace"])
            .args(arguments);
        let played = succeeds(play);
        let config = fs::read(folder.path().join("b/config.json")).expect("the configuration is there");
        (played, serde_json::from_slice::<serde_json::Value>(&config).expect("JSON")["environment"].clone())
    };
    let (npy, of_npy) = play(&["--matrix", "P.npy"]);
    for name in ["P.txt", "P.counts.npz"] {
        let (other, description) = play(&["--matrix", name]);
        assert_eq!(other, npy, "{name}");
        assert_eq!(description["checksum"], of_npy["checksum"], "{name}");
    }
    let (_, first) = play(&["--matrix", "P.npy", "--arms", "alphabetical:4"]);
    assert_eq!(first["arms_in_matrix"], serde_json::json!([0, 9, 10, 11]));
    let (_, some) = play(&["--matrix", "P.npy", "--arms", "7,2"]);
    assert_eq!((&some["arms_in_matrix"], &some["arms"]), (&serde_json::json!([7, 2]), &serde_json::json!(2)));
    let (_, random) = play(&["--matrix", "P.npy", "--arms", "5", "--condorcet"]);
    assert_eq!(random["condorcet"], true);
    assert_eq!(random["arms_in_matrix"].as_array().map(Vec::len), Some(5));
    assert_eq!(play(&["--matrix", "P.npy", "--arms", "5", "--condorcet"]).1, random, "same seed, same arms");
    for (wrong, part) in
        [(&["--arms", "1,99"][..], "99"), (&["--arms", "13"], "has 12 arms"), (&["--arms", "1,1"], "named twice")]
    {
        let run = sim(folder.path(), "bandit").args(["--matrix", "P.npy"]).args(wrong).output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!((run.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn distortion_is_the_difference_of_two_matrices() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = ["--dataset", "mslr-lookalike:0.003", "--rankers", "12", "--impressions-per-pair", "3000"];
    succeeds(proxy(folder.path(), &[&data[..], &["--out", "pairs.npy"]].concat()));
    succeeds(proxy(folder.path(), &[&data[..], &["--multileave", "sosm", "--out", "sosm.npy"]].concat()));
    let mut analyse = sim(folder.path(), "analyse");
    analyse.args(["--matrix", "sosm.npy", "--against", "pairs.npy", "--out", "a"]);
    let said = succeeds(analyse);
    assert!(said.contains("difference: mean") && said.contains("distortion:"), "{said}");
    let left = files(&folder.path().join("a"));
    for name in ["difference.csv", "difference.png", "difference.svg"] {
        assert!(names(&left).contains(&name), "{name} is missing");
    }
    let mut same = sim(folder.path(), "analyse");
    same.args(["--matrix", "pairs.npy", "--against", "pairs.npy", "--arms", "1,4,9", "--out", "b"]);
    let said = succeeds(same);
    assert!(said.contains("difference: mean 0.0000") && said.contains("chosen, in this order: arms 1, 4, 9"), "{said}");
}

#[test]
fn compare_draws_both_and_names_the_largest_difference() {
    let folder = TempDir::new().expect("a temporary folder");
    let compare = |out: &str, threads: &str| {
        let mut compare = sim(folder.path(), "compare");
        compare.args(["--dataset", "mslr-lookalike:0.003", "--rankers", "8", "--impressions-per-pair", "5000"]);
        compare.args(["--steps", "2e4", "--runs", "4", "--out", out, "--threads", threads]);
        succeeds(compare)
    };
    let said = compare("one", "1");
    assert!(said.contains("largest relative difference at the end: "), "{said}");
    assert_eq!(said, compare("two", "2"));
    let folders = ["one", "two"].map(|out| files(&folder.path().join(out)));
    for name in ["compare.png", "compare.svg", "config.json", "differences.csv", "proxy.npy", "summary.json"] {
        assert!(names(&folders[0]).contains(&name), "{name} is missing");
    }
    assert!(folders[0] == folders[1], "threads change a byte");
    for part in ["live", "proxy"] {
        assert!(folder.path().join("one").join(part).join("curves.csv").exists());
    }
    let figure = fs::read_to_string(folder.path().join("one/compare.svg")).expect("the figure is text");
    for word in ["live", "proxy", "mergerucb", "rmed1", "synthetic"] {
        assert!(figure.contains(word), "no `{word}` in the figure");
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn an_excerpt_of_mslr_agrees_with_the_published_matrices() {
    let (excerpt, matrices) = (real_data("mslr-fold1-sample"), real_data("prefmat-mslr"));
    let parts = ["test_sample", "valid_sample", "train_sample.from-pickle"];
    let parts = parts.map(|part| excerpt.join(format!("mslr_fold1_{part}.txt")).display().to_string()).join(",");
    let folder = TempDir::new().expect("a temporary folder");
    for (click, matrix) in [("perfect", "MSLR-Perfect.txt"), ("navigational", "MSLR-Navigational.txt")] {
        let against = matrices.join(matrix).display().to_string();
        succeeds(proxy(
            folder.path(),
            &["--dataset", &parts, "--click", click, "--out", "P.npy", "--replace", "--against", &against],
        ));
        let how = fs::read(folder.path().join("P.json")).expect("P.json is there");
        let how: serde_json::Value = serde_json::from_slice(&how).expect("JSON");
        let found = &how["against"]["agreement"];
        assert!(found["correlation"].as_f64() >= Some(0.975), "{click}: {found}");
        assert!(found["borda_rank_correlation"].as_f64() >= Some(0.95), "{click}: {found}");
        // Where the published gap is above 0.02, nineteen of twenty favour the same arm.
        assert!(found["signs"][3]["share"].as_f64() >= Some(0.95), "{click}: {found}");
    }
}
