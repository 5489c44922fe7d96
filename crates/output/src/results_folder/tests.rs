//! Claims of folders and files, and their content afterwards.

use serde_json::json;

use super::*;
use crate::usage::UsageError;
use crate::write_atomic;

/// Names of all entries of `folder`, including hidden ones.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn config(seed: u32, steps: u32) -> Value {
    json!({"command": "live", "version": "1", "seed": seed, "steps": steps, "truth": 7})
}

fn key(seed: u64) -> Value {
    json!({"command": "live", "version": "1", "seed": seed, "steps": 10})
}

fn claim(path: &Path, key: &Value) -> Result<ResultsFolder> {
    ResultsFolder::claim(path, key, ExistingResults::SameKey)
}

/// Claims with the configuration known at first, and writes one file.
fn write(path: &Path, config: &Value, file: &str) -> Result<()> {
    let folder = claim(path, &key(config["seed"].as_u64().unwrap()))?;
    folder.write(config, || write_atomic(&folder.join(file), file.as_bytes()))
}

#[test]
fn another_key_is_refused_and_nothing_changes() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("r");
    write(&path, &config(1, 10), "a").unwrap();
    let before = fs::read(path.join("config.json")).unwrap();
    let refused = |key: &Value| {
        let error = claim(&path, key).unwrap_err();
        assert!(error.chain().any(|cause| cause.is::<UsageError>()));
        assert_eq!(
            (names(&path), fs::read(path.join("config.json")).unwrap()),
            (vec_of(["a", "config.json"]), before.clone())
        );
        format!("{error:#}")
    };
    let seed = refused(&config(2, 10));
    assert!(seed.contains("its seed is 1, not 2") && seed.contains("--replace"), "{seed}");
    let command = refused(&json!({"command": "bandit", "setting": "explore-then-exploit"}));
    assert!(command.contains("holds results of `live`, not of `bandit explore-then-exploit`"), "{command}");
    // The same key, with less or with other sizes.
    assert_eq!(claim(&path, &json!({"command": "live", "seed": 1})).unwrap().config().unwrap()["steps"], 10);
    let folder = claim(&path, &config(1, 99)).unwrap();
    assert!(folder.was_finished());
    // A value that was not known at first differs.
    let mut other = config(1, 10);
    other["truth"] = 8.into();
    let late = format!("{:#}", folder.write(&other, || Ok(())).unwrap_err());
    assert!(late.contains("its truth is 7, not 8"), "{late}");
    drop(folder);
    for text in ["no JSON", "{}"] {
        fs::write(path.join("config.json"), text).unwrap();
        assert!(format!("{:#}", claim(&path, &config(1, 10)).unwrap_err()).contains("files of another program"));
    }
}

fn vec_of<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

#[test]
fn one_owner_at_a_time() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("r");
    let folder = claim(&path, &config(1, 10)).unwrap();
    for existing in [ExistingResults::SameKey, ExistingResults::MoveAside] {
        let error = format!("{:#}", ResultsFolder::claim(&path, &config(1, 10), existing).unwrap_err());
        assert!(error.contains("another command is working in"), "{error}");
    }
    drop(folder);
    assert!(!path.exists(), "an empty folder that was created for the claim is removed");
    claim(&path, &config(1, 10)).unwrap();
}

#[test]
fn replaced_results_are_moved_aside() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("deep/r");
    let moved = |seed| {
        let folder = ResultsFolder::claim(&path, &config(seed, 10), ExistingResults::MoveAside).unwrap();
        folder.write(&config(seed, 10), || write_atomic(&folder.join("a"), b"")).unwrap();
        folder.moves_to().map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
    };
    assert_eq!((moved(1), moved(2), moved(3)), (None, Some("r.old-1".to_owned()), Some("r.old-2".to_owned())));
    assert_eq!(names(&root.path().join("deep")), ["r", "r.old-1", "r.old-2"]);
    let seed = |name: &str| config_in(&root.path().join("deep").join(name)).unwrap().0.unwrap()["seed"].clone();
    assert_eq!(["r.old-1", "r.old-2", "r"].map(seed), [1, 2, 3]);
}

#[test]
fn former_results_stay_until_the_new_ones_are_complete() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("r");
    write(&path, &config(1, 10), "a").unwrap();
    let replace = |seed| ResultsFolder::claim(&path, &config(seed, 10), ExistingResults::MoveAside).unwrap();
    let seed = |name: &str| config_in(&root.path().join(name)).unwrap().0.unwrap()["seed"].clone();
    // Nothing was written: nothing is left of it.
    drop(replace(2));
    assert_eq!((names(root.path()), seed("r")), (vec_of(["r"]), 1.into()));
    // A failure in the middle.
    let folder = replace(2);
    folder.marker()().unwrap();
    let failed: Result<()> = folder.write(&config(2, 10), || {
        write_atomic(&folder.join("b"), b"")?;
        bail!("no disk")
    });
    assert!(failed.is_err());
    assert!(format!("{:#}", claim(&path, &key(1)).unwrap_err()).contains("another command is working"));
    drop(folder);
    assert_eq!(
        (names(root.path()), names(&path), seed("r")),
        (vec_of([".r.new", "r"]), vec_of(["a", "config.json"]), 1.into())
    );
    // The same again goes on, another one begins.
    assert!(replace(2).config().is_some() && root.path().join(".r.new/b").exists());
    let folder = replace(3);
    assert!(folder.config().is_none() && names(folder.path()).is_empty());
    folder.write(&config(3, 10), || write_atomic(&folder.join("c"), b"")).unwrap();
    assert_eq!((folder.path(), folder.join("c").exists()), (path.as_path(), true));
    assert_eq!((names(root.path()), seed("r"), seed("r.old-1")), (vec_of(["r", "r.old-1"]), 3.into(), 1.into()));
    // Killed between the exchange and the last renaming: the former results are in the way, complete, and are kept.
    drop(folder);
    fs::rename(root.path().join("r.old-1"), root.path().join(".r.new")).unwrap();
    let folder = replace(4);
    folder.write(&config(4, 10), || Ok(())).unwrap();
    assert_eq!(names(root.path()), ["r", "r.old-1", "r.old-2"]);
    assert_eq!(["r", "r.old-1", "r.old-2"].map(seed), [4, 1, 3]);
    drop(folder);
    // Foreign content in the way is moved, not removed.
    fs::create_dir(root.path().join(".r.new")).unwrap();
    fs::write(root.path().join(".r.new/mine"), "").unwrap();
    replace(5).write(&config(5, 10), || Ok(())).unwrap();
    assert_eq!(names(&root.path().join(".r.new.old-1")), ["mine"]);
}

/// A slash or a dot at the end of a path changes nothing.
#[cfg(unix)]
#[test]
fn a_link_with_a_slash_is_the_same_link() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join("disk/r"), &config(0, 10), "a").unwrap();
    std::os::unix::fs::symlink(root.path().join("disk/r"), root.path().join("link")).unwrap();
    for (seed, name) in [(1, "link/"), (2, "link/."), (3, "link")] {
        let folder =
            ResultsFolder::claim(&root.path().join(name), &config(seed, 10), ExistingResults::MoveAside).unwrap();
        folder.write(&config(seed, 10), || Ok(())).unwrap();
    }
    assert_eq!((names(root.path()), fs::read_link(root.path().join("link")).is_ok()), (vec_of(["disk", "link"]), true));
    assert_eq!(names(&root.path().join("disk")), ["r", "r.old-1", "r.old-2", "r.old-3"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_results_stays_a_link() {
    let root = tempfile::tempdir().unwrap();
    let (link, target) = (root.path().join("link"), root.path().join("disk/r"));
    write(&target, &config(1, 10), "a").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let folder = ResultsFolder::claim(&link, &config(2, 10), ExistingResults::MoveAside).unwrap();
    folder.write(&config(2, 10), || write_atomic(&folder.join("b"), b"")).unwrap();
    assert_eq!(fs::read_link(&link).unwrap(), target);
    assert_eq!((names(&target), names(root.path())), (vec_of(["b", "config.json"]), vec_of(["disk", "link"])));
    assert_eq!(names(&root.path().join("disk")), ["r", "r.old-1"]);
    // So does one to a file.
    let (link, file) = (root.path().join("link.json"), root.path().join("disk/d.json"));
    fs::write(&file, "{}").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let claimed = claim_file(&link, &json!({"command": "distortion"}), ExistingResults::MoveAside).unwrap();
    claimed.write(|path| write_atomic(path, b"new")).unwrap();
    assert_eq!((fs::read_link(&link).unwrap(), fs::read(&file).unwrap()), (file, b"new".to_vec()));
    assert_eq!(fs::read(root.path().join("disk/d.json.old-1")).unwrap(), b"{}");
}

#[test]
fn a_file_is_claimed_like_a_folder() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("d.json");
    let claim = |seed: u32, existing| claim_file(&path, &json!({"command": "distortion", "seed": seed}), existing);
    assert_eq!(claim(1, ExistingResults::SameKey).unwrap().moves_to(), None);
    fs::write(&path, "{\"command\": \"distortion\", \"seed\": 1, \"share\": 0.5}").unwrap();
    assert_eq!(claim(1, ExistingResults::SameKey).unwrap().moves_to(), None);
    assert!(format!("{:#}", claim(2, ExistingResults::SameKey).unwrap_err()).contains("its seed is 1, not 2"));
    let claimed = claim(2, ExistingResults::MoveAside).unwrap();
    assert_eq!(names(root.path()), ["d.json"]);
    claimed.write(|path| write_atomic(path, b"{}")).unwrap();
    assert_eq!(names(root.path()), ["d.json", "d.json.old-1"]);
    assert_eq!(fs::read(&path).unwrap(), b"{}");
}

#[test]
fn an_unfinished_folder_keeps_its_key() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("r");
    let folder = claim(&path, &key(1)).unwrap();
    let mark = folder.marker();
    mark().unwrap();
    mark().unwrap();
    drop(folder);
    assert_eq!(names(&path), [UNFINISHED]);
    assert!(format!("{:#}", claim(&path, &key(2)).unwrap_err()).contains("its seed is 1, not 2"));
    let folder = claim(&path, &key(1)).unwrap();
    assert!(!folder.was_finished() && folder.config().unwrap().get("steps").is_none());
    drop(folder);
    // A folder named like the file stops the writer halfway: the sizes are known from then on.
    fs::create_dir(path.join("b")).unwrap();
    assert!(write(&path, &config(1, 99), "b").is_err());
    assert_eq!(names(&path), [UNFINISHED, "b"]);
    let folder = claim(&path, &key(1)).unwrap();
    assert_eq!((folder.was_finished(), &folder.config().unwrap()["steps"]), (false, &99.into()));
    drop(folder);
    write(&path, &config(1, 99), "a").unwrap();
    assert_eq!(names(&path), ["a", "b", "config.json"]);
}

#[test]
fn configurations_of_earlier_versions_say_how_regret_was_measured() {
    let regret = |config: Value| in_todays_form(config)["regret"].clone();
    assert_eq!(regret(json!({"version": "1", "truth": {"measure": "ndcg"}})), "ndcg");
    assert_eq!(regret(json!({"version": "1", "environment": {"condorcet": true}})), "condorcet");
    assert_eq!(regret(json!({"version": "1", "environment": {"condorcet": false}})), "copeland");
    assert_eq!(regret(json!({"version": "1", "regret": "borda", "truth": {"measure": "condorcet"}})), "borda");
    assert_eq!(in_todays_form(json!({"version": "1"})), json!({"version": "1"}));
}

#[cfg(target_os = "linux")]
#[test]
fn a_claim_removes_leftovers_of_killed_writers() {
    let root = tempfile::tempdir().unwrap();
    // Beyond the largest process id of Linux, 2^22.
    for name in [".a.state.99999999-0.tmp", ".b.99999999-7.tmp", "c"] {
        fs::write(root.path().join(name), "x").unwrap();
    }
    claim(root.path(), &config(1, 1)).unwrap();
    assert_eq!(names(root.path()), ["c"]);
}

#[test]
fn files_of_others_are_never_lost() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("mine");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("curves.csv"), "mine").unwrap();
    fs::write(path.join("notes.txt"), "mine, too").unwrap();
    write(&path, &config(1, 10), "curves.csv").unwrap();
    let content = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(content("curves.csv"), "curves.csv");
    assert_eq!(content("curves.csv.old-1"), "mine");
    assert_eq!(content("notes.txt"), "mine, too");
    assert_eq!(names(&path), ["config.json", "curves.csv", "curves.csv.old-1", "notes.txt"]);
    // Results replace results.
    write(&path, &config(1, 20), "curves.csv").unwrap();
    assert_eq!(names(&path), ["config.json", "curves.csv", "curves.csv.old-1", "notes.txt"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_a_link_leads_to_is_not_lost_either() {
    let root = tempfile::tempdir().unwrap();
    let (path, elsewhere) = (root.path().join("mine"), root.path().join("elsewhere.csv"));
    fs::create_dir(&path).unwrap();
    fs::write(&elsewhere, "mine").unwrap();
    std::os::unix::fs::symlink(&elsewhere, path.join("curves.csv")).unwrap();
    write(&path, &config(1, 10), "curves.csv").unwrap();
    assert_eq!(fs::read_to_string(path.join("curves.csv")).unwrap(), "curves.csv");
    assert_eq!(fs::read_to_string(path.join("curves.csv.old-1")).unwrap(), "mine");
    // Nor written to, also not by later results of the same key.
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine");
    fs::remove_file(path.join("curves.csv")).unwrap();
    fs::create_dir(path.join("part")).unwrap();
    for link in [path.join("curves.csv"), path.join("part/more.csv")] {
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
    }
    let folder = claim(&path, &key(1)).unwrap();
    let results = |folder: &ResultsFolder| -> Result<()> {
        ["curves.csv", "part/more.csv"].iter().try_for_each(|name| write_atomic(&folder.join(name), b"results"))
    };
    folder.write(&config(1, 20), || results(&folder)).unwrap();
    drop(folder);
    for name in ["curves.csv", "part/more.csv"] {
        assert_eq!(fs::read_to_string(path.join(name)).unwrap(), "results");
        assert!(!fs::symlink_metadata(path.join(name)).unwrap().is_symlink(), "{name}");
    }
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine");
    // A file that a user names is where the link leads.
    std::os::unix::fs::symlink(&elsewhere, root.path().join("link.csv")).unwrap();
    write_atomic(&root.path().join("link.csv"), b"results").unwrap();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "results");
}

#[test]
fn a_killed_writer_leaves_no_second_names() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("mine");
    fs::create_dir(&path).unwrap();
    for name in ["untouched", "replaced"] {
        fs::write(path.join(name), "mine").unwrap();
        fs::hard_link(path.join(name), path.join(format!(".{name}.before-results"))).unwrap();
    }
    fs::remove_file(path.join("replaced")).unwrap();
    fs::write(path.join("replaced"), "results").unwrap();
    drop(claim(&path, &key(1)).unwrap());
    assert_eq!(names(&path), ["replaced", "replaced.old-1", "untouched"]);
    assert_eq!(fs::read_to_string(path.join("replaced.old-1")).unwrap(), "mine");
}
