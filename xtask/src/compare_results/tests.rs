//! Each test changes one thing and expects one difference, named.

use std::path::Path;

use tempfile::TempDir;

use super::*;

/// Compares two folders that hold one file each; the lines printed.
fn lines(old: (&str, &[u8]), new: (&str, &[u8])) -> Vec<String> {
    let folders = [TempDir::new().expect("a folder"), TempDir::new().expect("a folder")];
    for (folder, (name, content)) in folders.iter().zip([old, new]) {
        write(folder.path(), name, content);
    }
    let arguments = Arguments {
        old: folders[0].path().into(),
        new: folders[1].path().into(),
        bytes: false,
        only: None,
        at_most: 3,
    };
    compare(&arguments).expect("both can be read").lines().collect()
}

fn write(folder: &Path, name: &str, content: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    std::fs::write(path, content).expect("a file");
}

fn text(name: &str, old: &str, new: &str) -> Vec<String> {
    lines((name, old.as_bytes()), (name, new.as_bytes()))
}

#[test]
fn rows_are_found_by_key_and_columns_by_name() {
    let old = "algorithm,step,mean\n\"a,b\",1,0.5\nc,1,2\n";
    let same = text("curves.csv", old, "step,algorithm,mean\n1,c,2\n1,\"a,b\",0.5\n");
    assert_eq!(same, ["compared 1 files (2 rows); 0 differences"]);
    let one = text("curves.csv", old, "algorithm,step,mean\n\"a,b\",1,0.50\nc,1,2\n");
    assert_eq!(one[0], "curves.csv: algorithm a,b, step 1, column mean: old 0.5, new 0.50");
    let gone = text("curves.csv", old, "algorithm,step,mean\nc,1,2\nc,1,2\n");
    assert_eq!(gone[0], "curves.csv: algorithm a,b, step 1: old there, new missing");
    assert_eq!(gone[1], "curves.csv: algorithm c, step 1, row 1: old missing, new there");
    let column = text("curves.csv", old, "algorithm,step\n\"a,b\",1\nc,1\n");
    assert_eq!(column[0], "curves.csv: column mean: old there, new missing");
}

#[test]
fn files_have_one_name() {
    let found = lines(("a.csv", b"x\n1\n"), ("b.csv", b"x\n1\n"));
    assert_eq!(found[..2], ["a.csv: not in NEW", "b.csv: not in OLD"]);
}

#[test]
fn json_is_compared_by_path() {
    let old = r#"{"named": [{"arm": 1}, {"arm": 2}], "version": "1", "all": [{"stop": [0.5]}]}"#;
    let new = r#"{"named": [{"arm": 1}, {"arm": 2.0}], "version": "2", "all": [{"stop": [0.5]}]}"#;
    assert_eq!(text("summary.json", old, new), ["compared 1 files (4 values); 0 differences"]);
    let found = text("summary.json", old, &new.replace("2.0", "2.5").replace("[0.5]", "[]"));
    assert_eq!(found[0], "summary.json: all[0].stop: old missing, new []");
    assert_eq!(found[1], "summary.json: all[0].stop[0]: old 0.5, new missing");
    assert_eq!(found[2], "summary.json: named[1].arm: old 2, new 2.5");
    assert_eq!(
        text("other.json", old, &new.replace("named", "chosen")).last(),
        Some(&"compared 1 files (6 values); 4 differences".to_owned())
    );
}

#[test]
fn prose_may_change_but_not_its_numbers() {
    let old = r#"{"about": "1,000 runs of 0.25 each.", "label": "arm 1"}"#;
    let reworded = r#"{"about": "1,000 runs; p = 0.25", "label": "arm 1"}"#;
    assert_eq!(text("summary.json", old, reworded).len(), 1);
    assert_eq!(text("summary.json", old, &reworded.replace("0.25", "0.26")).len(), 2);
    assert_eq!(text("summary.json", old, &old.replace("arm 1", "Arm 1")).len(), 2, "a label is not prose");
}

#[test]
fn matrices_are_compared_entry_by_entry() {
    let npy = |values: [f64; 2]| {
        let mut bytes = ranktypes::npy::header("<f8", [1, 2]);
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes
    };
    let [old, new] = [npy([0.5, 0.25]), npy([0.5, 0.25 + f64::EPSILON])];
    assert_eq!(lines(("P.npy", &old), ("P.npy", &old)), ["compared 1 files (2 entries); 0 differences"]);
    let found = lines(("P.npy", &old), ("P.npy", &new));
    assert_eq!(found[0], "P.npy: entry 1: old 0.25, new 0.2500000000000002");
    let found = text("P.txt", "0.5 0.25\n0.75 0.5\n", "0.5\t0.25 # a comment\n0.76 0.5\n");
    assert_eq!(found[0], "P.txt: line 2, entry 1: old 0.75, new 0.76");
}

#[test]
fn the_rest_is_compared_by_bytes_and_timings_not_at_all() {
    assert_eq!(text("P.state", "ab", "ac")[0], "P.state: byte 1: old 2 bytes, new 2 bytes");
    assert_eq!(text("timings.json", "1", "2"), ["compared 0 files; skipped 1 timings.json; 0 differences"]);
    assert_eq!(text("figure.svg", "1", "2"), ["compared 0 files; skipped 1 .svg; 0 differences"]);
}

#[test]
fn many_differences_are_counted_not_printed() {
    let found = text("P.txt", "1 2 3 4 5 6\n", "0 0 0 0 0 0\n");
    assert_eq!(found.len(), 5);
    assert_eq!(found[3], "P.txt: 3 more differences");
    assert!(found[4].ends_with("; 6 differences"), "{}", found[4]);
}

#[test]
fn exit_codes_tell_a_difference_from_wrong_usage() {
    let folder = TempDir::new().expect("a folder");
    write(folder.path(), "old/a.csv", b"x\n1\n");
    write(folder.path(), "new/a.csv", b"x\n2\n");
    let code = |old: &str, new: &str| {
        let [old, new] = [old, new].map(|name| folder.path().join(name));
        run(&Arguments { old, new, bytes: false, only: None, at_most: 3 }).expect("both can be read")
    };
    assert_eq!(code("old", "old"), ExitCode::SUCCESS);
    assert_eq!(code("old", "new"), ExitCode::FAILURE);
    assert_eq!(code("old", "neither"), ExitCode::from(WRONG_USAGE));
    assert_eq!(code("old/a.csv", "new"), ExitCode::from(WRONG_USAGE));
    assert_eq!(code("old/a.csv", "new/a.csv"), ExitCode::FAILURE);
}
