//! Guarantees of the runner for any study: the same results in memory, in a folder, after an interruption, and from shards.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bandits::problems::{Problem, ProblemArena};
use bandits::registry::Spec;
use bandits::{MatrixArena, RegretKind};
use output::shards::{Invocation, Parts, Share, folder_of};
use simulation::arm_names::ArmNames;
use simulation::late_answers::LateAnswers;
use simulation::matrix::prepare_problem;
use simulation::proxy::MatrixOrigin;
use studies::matrix::{MatrixStudy, PlayedEnvironment};
use studies::request::RunSettings;
use studies::results::{NamedMatrix, PreparedEnvironment, Presentation};
use studies::runner::{Length, Size};
use studies::{Destination, Execution, FinishedStudy, StudyOutcome, run};
use tempfile::TempDir;

fn study(runs: u64, algorithms: &[&str]) -> MatrixStudy<MatrixArena> {
    let problem: Problem = "btl:k=5".parse().expect("a problem");
    let Ok(ProblemArena::Matrix(matrix)) = prepare_problem(&problem) else { panic!("btl has a matrix") };
    let (names, origin) = (ArmNames::NUMBERS, MatrixOrigin::default());
    let matrix = NamedMatrix { matrix, name: "btl".to_owned(), kept_arms: None, names, origin };
    let prepared = PreparedEnvironment::of_matrix(matrix, Some(RegretKind::Condorcet), true).expect("a winner");
    let algorithms: Vec<Spec> = algorithms.iter().map(|name| name.parse().expect("an algorithm")).collect();
    let settings = RunSettings {
        requested_algorithms: algorithms.clone(),
        size: Size { algorithms, runs, length: Length::Steps { steps: 2_000, per_decade: None } },
        seed: 7,
        regret: None,
        evidence: None,
        late: LateAnswers::default(),
        look: Presentation::default(),
    };
    let on = PlayedEnvironment::new(prepared, &settings, None);
    MatrixStudy { settings, environment: on }
}

fn execution(path: &Path, share: Share) -> Execution {
    let place = Destination::Folder { path: path.to_path_buf(), replace: false, is_named: true };
    Execution { destination: place, share, invocation: Invocation::default(), quiet: true }
}

fn finished(study: MatrixStudy<MatrixArena>, execution: &Execution) -> FinishedStudy<MatrixStudy<MatrixArena>> {
    let Ok(StudyOutcome::Finished(finished)) = run(study, execution) else { panic!("it finishes") };
    finished
}

/// All files of a folder but those with seconds.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("timings.json") {
                let name = path.strip_prefix(folder).expect("it is in there").to_path_buf();
                all.insert(name, fs::read(path).expect("a file"));
            }
        }
    }
    all
}

#[test]
fn memory_and_folders_find_the_same_and_memory_writes_nothing() {
    let folder = TempDir::new().expect("a temporary folder");
    let out = folder.path().join("out");
    let in_memory = finished(study(3, &["rucb", "random"]), &Execution { quiet: true, ..Execution::default() });
    assert!(matches!(in_memory.written, Ok(None)));
    let in_folder = finished(study(3, &["rucb", "random"]), &execution(&out, Share::All));
    let written = in_folder.written.as_ref().expect("it can be written").clone().expect("somewhere");
    assert!(written.ends_with("regret.png, regret.svg, curves.csv, runs.csv, summary.json, config.json"), "{written}");
    let summary = |found: FinishedStudy<MatrixStudy<MatrixArena>>| {
        let (report, _) = found.into_parts().expect("a report");
        (report.text, report.json)
    };
    assert_eq!(summary(in_memory), summary(in_folder));
    for file in ["regret.png", "regret.svg", "curves.csv", "runs.csv", "summary.json", "config.json", "timings.json"] {
        assert!(out.join(file).is_file(), "{file}");
    }
}

#[test]
fn a_folder_that_grows_has_the_bytes_of_one_that_did_not() {
    let folder = TempDir::new().expect("a temporary folder");
    let [grown, whole] = ["grown", "whole"].map(|name| folder.path().join(name));
    finished(study(2, &["rucb"]), &execution(&grown, Share::All));
    // As a process that was killed while it wrote the files leaves them: finished runs are kept.
    fs::rename(grown.join("config.json"), grown.join(".unfinished.json")).expect("it is there");
    fs::remove_file(grown.join("curves.csv")).expect("it is there");
    finished(study(4, &["rucb", "random"]), &execution(&grown, Share::All));
    finished(study(4, &["rucb", "random"]), &execution(&whole, Share::All));
    assert_eq!(content(&grown), content(&whole));
}

#[test]
fn what_was_asked_for_is_shown_first() {
    let folder = TempDir::new().expect("a temporary folder");
    let out = folder.path().join("out");
    finished(study(1, &["rucb"]), &execution(&out, Share::All));
    let found = finished(study(1, &["random"]), &execution(&out, Share::All));
    let (report, _) = found.into_parts().expect("a report");
    let at = |name: &str| report.text.find(&format!("\n{name} ")).expect("both are in the table");
    assert!(at("random") < at("rucb"), "{}", report.text);
    let config = fs::read_to_string(out.join("config.json")).expect("a file");
    let at = |name: &str| config.find(name).expect("both are in the folder");
    assert!(at("rucb") < at("random"), "files keep the order of the folder");
}

#[test]
fn shards_in_any_order_and_twice_merge_to_the_bytes_of_one_process() {
    let folder = TempDir::new().expect("a temporary folder");
    let [out, whole] = ["out", "whole"].map(|name| folder.path().join(name));
    let share = |index: &str| Share::One(index.parse().map(shard_of).expect("a shard"));
    for index in ["2/3", "0/3", "2/3", "1/3"] {
        let outcome = run(study(5, &["rucb", "random"]), &execution(&out, share(index))).expect("a part");
        assert!(matches!(outcome, StudyOutcome::Part), "{index}");
    }
    assert!(!out.exists(), "shards write nothing but parts");
    let parts = Parts::read(&folder_of(&out)).expect("all parts");
    finished(study(5, &["rucb", "random"]), &execution(&out, Share::Merge(Arc::new(parts))));
    finished(study(5, &["rucb", "random"]), &execution(&whole, Share::All));
    assert_eq!(content(&out), content(&whole));
}

fn shard_of(spec: output::shards::ShardSpec) -> output::shards::Shard {
    match spec {
        output::shards::ShardSpec::Shard(shard) => shard,
        other => panic!("{other:?}: expected a shard"),
    }
}

#[test]
fn other_results_and_shards_in_memory_are_refused_before_the_work() {
    let folder = TempDir::new().expect("a temporary folder");
    let out = folder.path().join("out");
    finished(study(1, &["random"]), &execution(&out, Share::All));
    let before = content(&out);
    let mut other = study(1, &["random"]);
    other.settings.seed = 8;
    let refused = run(other, &execution(&out, Share::All)).err().expect("another seed").to_string();
    assert!(refused.contains("seed"), "{refused}");
    assert_eq!(content(&out), before);
    let share = Share::One(shard_of("0/2".parse().expect("a shard")));
    let in_memory = Execution { share, quiet: true, ..Execution::default() };
    let refused = run(study(1, &["random"]), &in_memory).err().expect("no folder").to_string();
    assert!(refused.contains("--out"), "{refused}");
}
