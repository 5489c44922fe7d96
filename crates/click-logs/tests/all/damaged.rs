//! The properties of the fuzz target `click_log`, for its seeds, damaged copies of them, and inputs that once failed.

use std::fs;
use std::path::Path;

use click_logs::fuzz::log;
use interleave::Generator;
use rand::{RngExt, SeedableRng};

fn files(kind: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(kind).join("click_log");
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn damaged_logs() {
    let folder = tempfile::tempdir().unwrap();
    let seeds = files("seeds");
    assert!(seeds.len() >= 3);
    let mut generator = Generator::seed_from_u64(1);
    for seed in &seeds {
        assert!(log(seed, folder.path()), "{}", String::from_utf8_lossy(seed));
        let mut sound = 0;
        for _ in 0..60 {
            let mut damaged = seed.clone();
            for _ in 0..generator.random_range(1..4) {
                let at = generator.random_range(0..damaged.len());
                match generator.random_range(0..4) {
                    0 => damaged[at] = generator.random(),
                    1 => damaged[at] = b"0123456789.-eE \n[]{}\"=,\x80"[generator.random_range(0..23)],
                    2 => damaged.truncate(at + 1),
                    _ => damaged.insert(at, generator.random()),
                }
            }
            sound += usize::from(log(&damaged, folder.path()));
        }
        assert!((1..60).contains(&sound), "{sound} damaged copies could be read");
    }
    for failed in files("regressions") {
        log(&failed, folder.path());
    }
}
