//! Shards in any order, twice and killed midway, merged to the bytes of one process.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use bandits::Generator;
use output::shards::Part;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::commands::{COMMANDS, SHARDS, Sharded, equal};
use crate::common::{Tree, sim, text, tree};

/// Without times and speeds, and without the path of the results, which merging is given in full.
fn without_times(printed: &str) -> String {
    let differs = |line: &str| line.contains(" per second") || line.ends_with(" s") || line.starts_with("results in ");
    printed.lines().map(str::trim_end).filter(|line| !differs(line)).collect::<Vec<_>>().join("\n")
}

/// Runs a shard, kills it midway, and leaves it unfinished: `usual` is the time of such a shard.
fn kill_midway(sharded: &Sharded, folder: &Path, index: u32, usual: Duration, generator: &mut Generator) {
    let mut moment = usual.mul_f64(generator.random_range(0.2..0.9));
    while !sharded.kill(folder, index, moment) {
        fs::remove_file(sharded.part(folder, index)).expect("it was finished");
        moment = moment.mul_f64(0.7);
    }
}

/// The files and output of one process, in a prepared folder; its results are then removed.
fn of_one_process(sharded: &Sharded, folder: &Path) -> (Tree, String) {
    let run = sharded.run(folder, &[]);
    assert!(run.status.success(), "{}: {}", sharded.name, text(&run.stderr));
    let written = sharded.written(folder);
    assert!(!written.is_empty());
    fs::remove_dir_all(folder.join(sharded.results)).expect("results");
    // Runs that an experiment would find there.
    let _ = fs::remove_dir_all(folder.join("cache/runs"));
    (written, without_times(&text(&run.stdout)))
}

/// The number of shards killed midway, and of finished ones that are started again and made again.
struct Trouble {
    killed: usize,
    twice: usize,
}

#[test]
fn shards_in_any_order_twice_and_killed_give_the_bytes_of_one_process() {
    let mut generator = Generator::seed_from_u64(20);
    let all = std::env::var_os("SIM_ALL_SHARDS").is_some();
    let trouble = if all { Trouble { killed: 2, twice: 3 } } else { Trouble { killed: 1, twice: 1 } };
    for sharded in &COMMANDS {
        let sharded = Sharded { shards: if all { SHARDS } else { sharded.shards }, ..*sharded };
        let folder = sharded.prepare();
        let here = folder.path();
        let run = sharded.run(here, &["--shard", "prepare"]);
        assert!(run.status.success(), "{}: {}", sharded.name, text(&run.stderr));
        let (expected, printed) = of_one_process(&sharded, here);
        in_trouble(&sharded, here, &trouble, &mut generator);

        let merged = sharded.merged(here);
        equal(sharded.name, &merged.0, &expected);
        assert_eq!(without_times(&merged.1), printed, "{}", sharded.name);
        let left: Vec<String> =
            tree(&sharded.parts(here)).into_keys().filter(|name| !name.ends_with(".part")).collect();
        assert!(left.iter().all(|name| name.starts_with("prepared/")), "{}: {left:?}", sharded.name);
    }
}

/// Runs all shards of a command in a random order, some of them with an interruption and some twice.
fn in_trouble(sharded: &Sharded, here: &Path, trouble: &Trouble, generator: &mut Generator) {
    let mut order: Vec<u32> = (0..sharded.shards).collect();
    order.shuffle(generator);
    let start = Instant::now();
    sharded.shard(here, order[0]);
    let usual = start.elapsed();
    for &index in &order[1..=trouble.killed] {
        kill_midway(sharded, here, index, usual, generator);
    }
    order[1..].iter().for_each(|&index| sharded.shard(here, index));
    // One that is finished is left alone, and one that is lost is made again with the same content.
    for &index in &order[order.len() - trouble.twice..] {
        let part = sharded.part(here, index);
        let bytes = fs::read(&part).expect("a part");
        let before = Part::decode(&bytes).expect("a part");
        sharded.shard(here, index);
        assert!(fs::read(&part).expect("a part") == bytes, "{}", sharded.name);
        fs::remove_file(&part).expect("a file");
        sharded.shard(here, index);
        assert!(Part::read(&part).expect("a part").has_same_results(&before), "{}", sharded.name);
    }
}

#[test]
fn shards_need_no_preparation_and_merging_again_changes_nothing() {
    let live = COMMANDS.iter().find(|sharded| sharded.name == "live").expect("a command");
    let whole = live.prepare();
    let (expected, _) = of_one_process(live, whole.path());
    let folder = live.prepare();
    let here = folder.path();
    for index in (0..live.shards).rev() {
        live.shard(here, index);
    }
    equal(live.name, &live.merged(here).0, &expected);
    equal(live.name, &live.merged(here).0, &expected);
    // Where the lists of `prepare` are damaged, the shards rank them, with a note.
    let run = live.run(here, &["--shard", "prepare"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let lists = tree(&here.join("caches")).into_keys().find(|name| name.ends_with(".lists")).expect("lists");
    let listed = sim(here).arg("cache").output().expect("sim starts");
    assert!(text(&listed.stdout).contains(", lists of 6 rankers "), "{}", text(&listed.stdout));
    let lists = here.join("caches").join(lists);
    let mut damaged = fs::read(&lists).expect("lists");
    damaged[7] ^= 1;
    fs::remove_file(&lists).expect("lists");
    fs::write(&lists, damaged).expect("a writable folder");
    let part = live.part(here, 1);
    let before = Part::read(&part).expect("a part");
    fs::remove_file(&part).expect("a part");
    let run = live.run(here, &["--shard", &format!("1/{}", live.shards)]);
    assert!(run.status.success() && text(&run.stderr).contains(".lists is damaged"), "{}", text(&run.stderr));
    assert!(Part::read(&part).expect("a part").has_same_results(&before));
}
