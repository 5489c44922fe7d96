//! The properties of the fuzz targets, for the seeds of `fuzz/`, damaged copies of them, and inputs that once failed.

use std::fs;
use std::path::Path;

use ::sim::fuzz;
use bandits::Generator;
use rand::{RngExt, SeedableRng};

/// The files in `fuzz/<kind>/<target>`.
fn files(kind: &str, target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(kind).join(target);
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a readable file")).collect()
}

/// Puts the files of `target` through `read`, which returns whether they are sound.
fn check(target: &str, read: impl Fn(&[u8]) -> bool) {
    let seeds = files("seeds", target);
    assert!(!seeds.is_empty(), "{target} has seeds");
    let mut generator = Generator::seed_from_u64(1);
    for seed in &seeds {
        assert!(read(seed), "a seed of {target} is sound: {}", String::from_utf8_lossy(seed));
        for _ in 0..200 {
            let mut damaged = seed.clone();
            for _ in 0..generator.random_range(1..6) {
                let at = generator.random_range(0..damaged.len());
                match generator.random_range(0..4) {
                    0 => damaged[at] = generator.random(),
                    1 => damaged[at] = b"0123456789.-eE \n[]{}\"=,\x80"[generator.random_range(0..23)],
                    2 => damaged.truncate(at + 1),
                    _ => damaged.insert(at, generator.random()),
                }
            }
            read(&damaged);
        }
    }
    for failed in files("regressions", target) {
        read(&failed);
    }
}

#[test]
fn damaged_matrices() {
    check("matrix", fuzz::matrix);
}

#[test]
fn damaged_experiments() {
    check("experiment", fuzz::experiment);
}

#[test]
fn damaged_states() {
    check("state", fuzz::state);
}

#[test]
fn damaged_kept_runs() {
    check("runs", fuzz::runs);
}
