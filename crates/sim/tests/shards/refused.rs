//! Refusals of merging and shards, and the output of the status.

use std::fs;
use std::path::Path;

use output::shards::Part;

use super::commands::{BANDIT, SHARDS, equal};
use crate::common::{sim, text, tree};

/// The one line of a merge that is refused.
fn refused(folder: &Path, code: i32) -> String {
    let run = sim(folder).args(["merge", "out"]).output().expect("sim starts");
    let said = text(&run.stderr);
    assert_eq!(run.status.code(), Some(code), "{said}");
    assert!(said.starts_with("error: ") && said.lines().count() == 1, "{said}");
    assert!(run.stdout.is_empty());
    said
}

#[test]
fn what_does_not_belong_is_refused_by_name_and_nothing_is_lost() {
    let folder = BANDIT.prepare();
    let here = folder.path();
    (0..SHARDS).for_each(|index| BANDIT.shard(here, index));
    let last = BANDIT.part(here, 6);
    let sound = fs::read(&last).expect("a part");
    let refused_as_it_was = |code| {
        let before = tree(here);
        let said = refused(here, code);
        assert_eq!(tree(here), before, "{said}");
        said
    };

    fs::remove_file(&last).expect("a part");
    let said = refused_as_it_was(1);
    assert!(said.contains("of 7 shards, 6 is missing"), "{said}");
    fs::write(&last, &sound[..sound.len() - 9]).expect("a writable folder");
    let said = refused_as_it_was(1);
    assert!(said.contains("6-of-7.part: it is damaged or cut off"), "{said}");
    // The shard makes it again.
    BANDIT.shard(here, 6);
    assert!(Part::read(&last).unwrap().has_same_results(&Part::decode(&sound).unwrap()));

    // The same shard of another seed.
    let other = BANDIT.prepare();
    let run = BANDIT.run(other.path(), &["--seed", "5", "--shard", "6/7"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    fs::copy(BANDIT.part(other.path(), 6), &last).expect("a part");
    let said = refused_as_it_was(2);
    assert!(said.contains("6-of-7.part: its seed is 5, not 1"), "{said}");
    // Nor does the shard replace files of others.
    let run = BANDIT.run(here, &["--shard", "6/7"]);
    let message = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{message}");
    assert!(message.contains("6-of-7.part is a part of other work: its seed is 5, not 1"), "{message}");

    // A part of another version of the format, and one of another revision of an algorithm.
    let mut newer = sound.clone();
    newer["rankduel part ".len()] = b'2';
    fs::write(&last, newer).expect("a writable folder");
    let said = refused_as_it_was(1);
    assert!(said.contains("6-of-7.part: it has version 2 of the format, and this program reads version 1"), "{said}");
    let mut revised = Part::decode(&sound).unwrap();
    revised.header.revisions.insert("dts".to_owned(), 99);
    revised.write(&last).unwrap();
    let said = refused_as_it_was(2);
    assert!(said.contains("6-of-7.part: its revision.dts is 99, not "), "{said}");
    // All of them of another revision than this program.
    for index in 0..SHARDS {
        let path = BANDIT.part(here, index);
        let mut part = Part::read(&path).unwrap();
        part.header.revisions.insert("dts".to_owned(), 99);
        part.write(&path).unwrap();
    }
    let said = refused_as_it_was(2);
    assert!(said.contains("are of other work than this command now does: its revision.dts is 99, not "), "{said}");

    // Another build of the same revisions is a remark.
    for index in 0..SHARDS {
        let path = BANDIT.part(here, index);
        let mut part = Part::read(&path).unwrap();
        part.header.revisions = Part::decode(&sound).unwrap().header.revisions;
        part.header.config["version"] = "0.0.1".into();
        part.invocation.build = "0.0.1 (0123456789)".to_owned();
        part.write(&path).unwrap();
    }
    let run = sim(here).args(["merge", "out.shards/"]).output().expect("sim starts");
    let said = text(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert!(said.contains("made by version 0.0.1 (0123456789)"), "{said}");
    let whole = BANDIT.prepare();
    assert!(BANDIT.run(whole.path(), &[]).status.success());
    equal("bandit", &BANDIT.written(here), &BANDIT.written(whole.path()));

    // Results of more than the parts are not made smaller.
    let mut more = BANDIT.arguments.to_vec();
    more[6] = "6";
    let larger = sim(here).args(more).args(["--quiet", "--out", "out"]).output().expect("sim starts");
    assert!(larger.status.success(), "{}", text(&larger.stderr));
    let said = refused_as_it_was(2);
    assert!(said.contains("out holds more than the parts in out.shards: 6 runs"), "{said}");
}

#[test]
fn wrong_shards_are_refused_and_the_status_says_what_is_missing() {
    let folder = BANDIT.prepare();
    let here = folder.path();
    let refused = |more: &[&str], wanted: &str| {
        let run = BANDIT.run(here, more);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{said}");
        assert!(said.contains(wanted) && said.lines().count() == 1, "{said}");
        assert!(!here.join("out").exists() && !here.join("out.shards").exists());
    };
    refused(&["--shard", "7/7"], "the 7 shards are numbered from 0 to 6");
    refused(&["--shard", "3"], "such as 3/64");
    refused(&["--shard", "auto/7"], "none of SLURM_ARRAY_TASK_ID");
    refused(&["--shard", "0/7", "--replace"], "--replace does not go with --shard");
    let run = sim(here).args(["merge", "out"]).output().expect("sim starts");
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("there is no folder out.shards"), "{}", text(&run.stderr));

    // A task of a job array.
    let task = |name: &str, task: &str, shard: &str| {
        BANDIT.command(here, &["--shard", shard]).env(name, task).output().expect("sim starts")
    };
    assert!(task("SLURM_ARRAY_TASK_ID", "2", "auto/7").status.success());
    assert!(task("JOB_COMPLETION_INDEX", "3", "auto+1/7").status.success());
    assert!(task("PBS_ARRAY_INDEX", "1", "auto-1/7").status.success());
    for index in [0, 2, 4] {
        assert!(BANDIT.part(here, index).exists());
    }
    let beyond = task("SLURM_ARRAY_TASK_ID", "7", "auto/7");
    assert!(text(&beyond.stderr).contains("SLURM_ARRAY_TASK_ID is 7, but the 7 shards"), "{}", text(&beyond.stderr));

    fs::write(BANDIT.part(here, 5), "sim pa").expect("a writable folder");
    let status = |more: &[&str]| {
        let run = sim(here).args(["status", "out"]).args(more).output().expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        text(&run.stdout)
    };
    let said = status(&[]);
    assert!(said.contains("7 shards: 3 finished, 3 missing, 1 damaged"), "{said}");
    assert!(said.contains("not finished: 1, 3, 5-6"), "{said}");
    assert!(said.contains("2/7") && said.contains("####"), "{said}");
    let json: serde_json::Value = serde_json::from_str(&status(&["--json"])).expect("JSON");
    assert_eq!(json["missing"], serde_json::json!([1, 3, 5, 6]));
    assert_eq!((&json["total"], &json["shards"]), (&15.into(), &7.into()));
    for index in [1, 3, 5, 6] {
        BANDIT.shard(here, index);
    }
    assert!(status(&[]).contains("complete: `rankduel merge out.shards` unites them"), "{}", status(&[]));
}
