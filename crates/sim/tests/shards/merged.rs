//! Shards in any order, twice and killed midway, merged to the bytes of one process.

use std::fs;

use bandits::Generator;
use output::shards::Part;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::commands::{COMMANDS, SHARDS, equal};
use crate::common::{text, tree};

/// Without times and speeds, and without the path of the results, which merging is given in full.
fn without_times(printed: &str) -> String {
    let differs = |line: &str| line.contains(" per second") || line.ends_with(" s") || line.starts_with("results in ");
    printed.lines().map(str::trim_end).filter(|line| !differs(line)).collect::<Vec<_>>().join("\n")
}

#[test]
fn shards_in_any_order_twice_and_killed_give_the_bytes_of_one_process() {
    let mut generator = Generator::seed_from_u64(20);
    for sharded in &COMMANDS {
        let whole = sharded.prepare();
        let run = sharded.run(whole.path(), &[]);
        assert!(run.status.success(), "{}: {}", sharded.name, text(&run.stderr));
        let (expected, printed) = (sharded.written(whole.path()), without_times(&text(&run.stdout)));
        assert!(!expected.is_empty());

        // In any order, after `prepare`.
        let shuffled = sharded.prepare();
        let here = shuffled.path();
        let run = sharded.run(here, &["--shard", "prepare"]);
        assert!(run.status.success(), "{}: {}", sharded.name, text(&run.stderr));
        let mut order: Vec<u32> = (0..SHARDS).collect();
        order.shuffle(&mut generator);
        order.iter().for_each(|&index| sharded.shard(here, index));
        let merged = sharded.merged(here);
        equal(sharded.name, &merged.0, &expected);
        assert_eq!(without_times(&merged.1), printed, "{}", sharded.name);
        // Merging again changes nothing.
        equal(sharded.name, &sharded.merged(here).0, &expected);

        // Three run twice, two are killed midway; nothing is prepared.
        let again = sharded.prepare();
        let here = again.path();
        order.shuffle(&mut generator);
        let start = std::time::Instant::now();
        sharded.shard(here, order[0]);
        let duration = start.elapsed();
        for &index in &order[1..3] {
            // Later shards find the ground truth in the cache, and are faster than the first.
            let mut moment = duration.mul_f64(generator.random_range(0.2..0.9));
            while !sharded.kill(here, index, moment) {
                fs::remove_file(sharded.part(here, index)).expect("it was finished");
                moment = moment.mul_f64(0.7);
            }
        }
        order[1..].iter().for_each(|&index| sharded.shard(here, index));
        for &index in &order[4..] {
            let part = sharded.part(here, index);
            let before = Part::read(&part).expect("a part");
            // One that is finished is left alone, and one that is lost is made again with the same content.
            let bytes = fs::read(&part).expect("a part");
            sharded.shard(here, index);
            assert!(fs::read(&part).expect("a part") == bytes, "{}", sharded.name);
            fs::remove_file(&part).expect("a file");
            sharded.shard(here, index);
            assert!(Part::read(&part).expect("a part").equals(&before), "{}", sharded.name);
        }
        equal(sharded.name, &sharded.merged(here).0, &expected);
        let left: Vec<String> =
            tree(&sharded.parts(here)).into_keys().filter(|name| !name.ends_with(".part")).collect();
        assert!(left.iter().all(|name| name.starts_with("prepared/")), "{}: {left:?}", sharded.name);
    }
}
