//! `rankduel datasets fetch` through the binary: all that needs no network, and the message of a build that cannot download.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{sim, text};

/// Exit code, standard output and standard error of `rankduel datasets fetch`.
fn fetch(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = sim(folder);
    command.args(["datasets", "fetch"]).args(arguments).env("RANKDUEL_DATA_DIR", folder.join("data"));
    // Whatever would be downloaded is refused instead.
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, "http://127.0.0.1:9");
    }
    let run = command.output().expect("sim starts");
    (run.status.code().expect("it exits"), text(&run.stdout), text(&run.stderr))
}

/// The one line of an error.
fn line(errors: &str) -> &str {
    let lines: Vec<&str> = errors.trim_end().lines().collect();
    let [line] = lines.as_slice() else { panic!("one line: {errors}") };
    line.strip_prefix("error: ").unwrap_or_else(|| panic!("an error: {line}"))
}

/// The matrix of `prefmat-mslr-perfect` by its name and its number of arms, but not by its checksum.
fn write_matrix(folder: &Path) {
    let row = |row: usize| (0..136).map(|column| if row == column { "0.5 " } else { "0.50 " }).collect::<String>();
    let rows: String = (0..136).map(|number| row(number) + "\n").collect();
    fs::write(folder.join("MSLR-Perfect.txt"), rows).expect("a writable folder");
}

#[test]
fn files_of_ones_own_are_registered_and_played() {
    let folder = TempDir::new().expect("a temporary folder");
    write_matrix(folder.path());
    let register =
        |more: &[&str]| fetch(folder.path(), &[&["prefmat-mslr-perfect", "--from", "MSLR-Perfect.txt"], more].concat());
    let (code, out, errors) = register(&[]);
    assert_eq!(code, 1, "{out}{errors}");
    assert!(out.contains("  136 arms"), "{out}");
    let error = line(&errors);
    assert!(error.starts_with("prefmat-mslr-perfect is not as expected: MSLR-Perfect.txt: it has "), "{error}");
    assert!(error.ends_with("check that these are the right files, or add --accept"), "{error}");
    assert_eq!(fs::read_dir(folder.path().join("data")).map_or(0, Iterator::count), 0, "nothing is registered");

    let (code, out, errors) = register(&["--accept"]);
    assert_eq!(code, 0, "{errors}");
    assert!(out.contains("registered: --matrix prefmat-mslr-perfect reads "), "{out}");
    let kept = folder.path().join("data/prefmat-mslr-perfect/MSLR-Perfect.txt");
    assert_eq!(fs::read(kept).expect("a copy"), fs::read(folder.path().join("MSLR-Perfect.txt")).expect("a file"));
    let (code, out, _) = fetch(folder.path(), &["prefmat-mslr-perfect"]);
    assert_eq!(code, 0, "what is here needs no download");
    assert!(out.contains("registered, 136 arms"), "{out}");
    let listed = fetch(folder.path(), &[]).1;
    let state = |name: &str| listed.lines().find(|line| line.starts_with(name)).expect("a line").to_owned();
    assert!(state("prefmat-mslr-perfect ").contains(" registered "), "{listed}");
    assert!(state("ylr1 ").contains(" to get by hand "), "{listed}");
}

#[test]
fn what_is_got_by_hand_is_explained() {
    let folder = TempDir::new().expect("a temporary folder");
    let (code, out, errors) = fetch(folder.path(), &["ylr1"]);
    assert_eq!(code, 1);
    for part in ["519 features", "terms", "rankduel datasets fetch ylr1 --from FILE-OR-FOLDER"] {
        assert!(out.contains(part), "{part} in\n{out}");
    }
    let error = line(&errors);
    assert!(error.starts_with("ylr1 is not registered: get ylr1 from https://"), "{error}");
    assert!(error.ends_with("then run `rankduel datasets fetch ylr1 --from FILE-OR-FOLDER`"), "{error}");
    let (code, told, errors) = fetch(folder.path(), &["ylr1", "--info"]);
    assert_eq!((code, told, errors.as_str()), (0, out, ""), "asked for information alone");
}

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    let folder = TempDir::new().expect("a temporary folder");
    for (arguments, part) in [
        (&["mslr-web30"][..], "did you mean `mslr-web30k`?"),
        (&["nothing-like-it"], "there are mslr-web30k, "),
        (&["mslr-lookalike:0.1"], "`mslr-lookalike:0.1` is generated on demand"),
        (&["ylr1", "ylr2", "--from", "x"], "--from takes the files of one data set"),
        (&["--from", "x"], "<NAME>"),
        (&["ylr1", "--info", "--from", "x"], "cannot be used with"),
        (&["ylr1", "--what"], "--what"),
    ] {
        let (code, out, errors) = fetch(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {errors}");
        assert!(line(&errors).contains(part), "{arguments:?}: {errors}");
    }
    let (code, _, errors) = fetch(folder.path(), &["ylr1", "--from", "nowhere.zip"]);
    assert_eq!(code, 1);
    assert!(line(&errors).contains("nowhere.zip"), "{errors}");
}

/// A folder in which `cargo xtask` runs.
fn make_checkout(folder: &Path) {
    for name in ["xtask", "datasets"] {
        fs::create_dir(folder.join(name)).expect("a writable folder");
    }
    fs::write(folder.join("xtask/Cargo.toml"), "").expect("a writable folder");
}

#[cfg(not(feature = "fetch"))]
#[test]
fn a_build_that_cannot_download_names_what_can() {
    let folder = TempDir::new().expect("a temporary folder");
    let (code, _, errors) = fetch(folder.path(), &["mslr-web10k"]);
    assert_eq!(code, 2, "{errors}");
    let error = line(&errors);
    assert!(
        error.starts_with("this build cannot download (") && error.contains("get mslr-web10k from https://"),
        "{error}"
    );
    assert!(error.ends_with("then run `rankduel datasets fetch mslr-web10k --from FILE-OR-FOLDER`"), "{error}");
    let list = || text(&sim(folder.path()).arg("datasets").output().expect("sim starts").stdout);
    assert!(
        list()
            .contains("\n`rankduel datasets fetch NAME` prints where to get one, and registers a copy of its files; ")
    );
    let missing = |name: &str| {
        let run = sim(folder.path()).args(["--dataset", name, "--steps", "10"]).output().expect("sim starts");
        text(&run.stderr)
    };
    assert!(missing("ylr1").contains(" and run `rankduel datasets fetch ylr1 --from FILE-OR-FOLDER`, or "));

    make_checkout(folder.path());
    let (code, _, errors) = fetch(folder.path(), &["mslr-web10k"]);
    let advised = "this build cannot download: run `cargo xtask fetch-datasets mslr-web10k`";
    assert_eq!((code, line(&errors)), (2, advised));
    assert!(list().contains("\n`cargo xtask fetch-datasets NAME` downloads one, or prints where to get it; "));
    assert!(
        missing("mslr-web10k")
            .contains("`cargo xtask fetch-datasets mslr-web10k` downloads it, `rankduel datasets fetch")
    );
}

#[cfg(feature = "fetch")]
#[test]
fn a_build_that_downloads_advises_itself() {
    let folder = TempDir::new().expect("a temporary folder");
    // The proxy is asked five times.
    let (code, out, errors) = fetch(folder.path(), &["prefmat-mslr-perfect"]);
    assert_eq!(code, 1, "{errors}");
    assert!(out.contains("downloading: this accepts the terms above"), "{out}");
    let error = errors.lines().last().expect("an error");
    let start = "error: failed to get prefmat-mslr-perfect: get it by hand, then run `rankduel datasets fetch \
                 prefmat-mslr-perfect --from FILE-OR-FOLDER`: failed to download MSLR-Perfect.txt: https://";
    assert!(error.starts_with(start), "{errors}");
    for checkout in [false, true] {
        if checkout {
            make_checkout(folder.path());
        }
        let run = sim(folder.path()).args(["--dataset", "mslr-web10k"]).output().expect("sim starts");
        assert!(
            text(&run.stderr).contains("`rankduel datasets fetch mslr-web10k` downloads it, `rankduel datasets fetch")
        );
        let list = text(&sim(folder.path()).arg("datasets").output().expect("sim starts").stdout);
        assert!(list.contains("\n`rankduel datasets fetch NAME` downloads one, or prints where to get it; "), "{list}");
    }
}
