//! `cargo xtask fetch-datasets` as a process.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

fn xtask(root: &Path) -> Command {
    let mut command = Command::cargo_bin("xtask").unwrap();
    command.arg("fetch-datasets").env("RANKDUEL_DATA_DIR", root);
    command
}

/// Exit code, standard output and standard error.
fn outcome(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A data set in LETOR 4.0's layout with the counts of MQ2008: see `crates/letor-io/sets/mq2008.toml`.
fn write_mq2008(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let mut qid = 0;
    for (part, (documents, queries)) in
        [(2933, 157), (3635, 157), (3062, 157), (2707, 157), (2874, 156)].into_iter().enumerate()
    {
        let mut text = String::new();
        for document in 0..documents {
            let query = qid + document * queries / documents;
            text += &format!("{} qid:{query} 1:0.{document} 46:1 #docid = G{document}\n", document % 3);
        }
        qid += queries;
        fs::write(folder.join(format!("S{}.txt", part + 1)), text).unwrap();
    }
}

#[test]
fn lists_data_sets_and_shows_details() {
    let root = tempfile::tempdir().unwrap();
    let (code, out, _) = outcome(&mut xtask(root.path()));
    assert_eq!(code, 0);
    assert!(out.contains("mslr-web30k") && out.contains("to download") && out.contains("to get by hand"), "{out}");
    let (code, out, _) = outcome(xtask(root.path()).arg("ylr1"));
    assert_eq!(code, 1, "it is not here");
    for part in ["519 features", "terms", "cargo xtask fetch-datasets ylr1 --from FILE-OR-FOLDER"] {
        assert!(out.contains(part), "{part} in\n{out}");
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    let root = tempfile::tempdir().unwrap();
    for arguments in [&["mslr-web30"][..], &["ylr1", "ylr2", "--from", "x"], &["--from", "x"], &["--what"]] {
        assert_eq!(outcome(xtask(root.path()).args(arguments)).0, 2, "{arguments:?}");
    }
    assert!(outcome(xtask(root.path()).arg("mslr-web30")).2.contains("did you mean `mslr-web30k`?"));
}

#[test]
fn registers_files_that_are_as_expected() {
    let root = tempfile::tempdir().unwrap();
    let from = tempfile::tempdir().unwrap();
    write_mq2008(&from.path().join("MQ2008"));
    let (code, out, err) = outcome(xtask(root.path()).arg("mq2008").arg("--from").arg(from.path()));
    assert_eq!((code, &err[..]), (0, ""), "{out}");
    assert!(out.contains("train: 471 queries, 9630 documents, 46 features"), "{out}");
    assert!(root.path().join("mq2008/S5.txt").is_file());
    assert_eq!(outcome(xtask(root.path()).arg("mq2008")).0, 0);
    assert!(outcome(&mut xtask(root.path())).1.contains("registered"));

    let options = letor_io::OpenOptions { root: Some(root.path().into()), ..letor_io::OpenOptions::default() };
    let dataset = letor_io::open(&["mq2008"], &options).unwrap();
    assert_eq!((dataset.queries(), dataset.documents(), dataset.features()), (784, 15_211, 46));
}

#[test]
fn refuses_files_that_differ_unless_accepted() {
    let root = tempfile::tempdir().unwrap();
    let from = tempfile::tempdir().unwrap();
    let file = from.path().join("imat2009_learning.txt");
    fs::write(&file, "1 1:0.5 # 7\n0 245:1 # 7\n").unwrap();
    let register = |more: &[&str]| outcome(xtask(root.path()).arg("yandex").arg("--from").arg(&file).args(more));
    let (code, _, err) = register(&[]);
    assert_eq!(code, 1);
    assert!(err.contains("train: 1 queries, expected 9124 (-9123)"), "{err}");
    assert!(err.contains("nothing was registered"), "{err}");
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    assert_eq!(register(&["--accept"]).0, 0);
    assert!(root.path().join("yandex/imat2009_learning.txt").is_file());

    fs::write(&file, "1 1:abc # 7\n").unwrap();
    let (code, _, err) = register(&["--accept"]);
    assert_eq!(code, 1, "what does not parse is not accepted");
    assert!(err.contains("imat2009_learning.txt:1:5: ") && err.contains("expected a number"), "{err}");
    let (code, _, err) = outcome(xtask(root.path()).arg("yandex").arg("--from").arg(root.path()).arg("--accept"));
    assert_eq!(code, 0, "from where it is already: {err}");
    let (code, _, err) = outcome(xtask(root.path()).args(["ylr1", "--from"]).arg(from.path()));
    assert_eq!(code, 1);
    assert!(err.contains("expected set1.train.txt"), "{err}");
}

/// Reading these would never end.
#[cfg(unix)]
#[test]
fn devices_and_pipes_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let pipe = root.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for from in [Path::new("/dev/zero"), &pipe] {
        let mut command = xtask(root.path());
        command.arg("ylr1").arg("--from").arg(from).timeout(std::time::Duration::from_secs(60));
        let (code, _, err) = outcome(&mut command);
        assert_eq!(code, 1);
        assert!(err.contains("is neither a folder nor a file"), "{err}");
    }
}
